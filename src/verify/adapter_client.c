#include "verify/adapter_client.h"

#include "front/lines/message_write.h"
#include "net/loop.h"
#include "verify/adapter_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool client_open(struct client *d, const struct client_target *t)
{
    *d = (struct client){.target = *t};
    return line_client_open(&d->line, t->host, t->port, CLIENT_WAIT_MS) == 0;
}

int client_limit(const struct client *d, int wait_ms)
{
    return d->target.patience > 1 ? wait_ms * d->target.patience : wait_ms;
}

// Frees what belongs to the connection; the other members are still read after it.
static void drop_capabilities(struct client *d)
{
    json_decref(d->capabilities);
    d->capabilities = NULL;
}

void client_close(struct client *d)
{
    line_client_close(&d->line);
    drop_capabilities(d);
}

void client_kill(struct client *d)
{
    line_client_reset(&d->line);
    drop_capabilities(d);
}

// --- messages and their replies

// A later message may take the place of an earlier one: by then the reply to that has come or is missed already.
static struct client_request *request_at(struct client *d, uint64_t seq)
{
    return &d->asked[seq % CLIENT_REQUESTS];
}

static void count_request(struct client *d, uint64_t seq, struct span line)
{
    struct client_request *a = request_at(d, seq);
    if (a->seq != seq || a->asked == 0)
        *a = (struct client_request){.seq = seq};
    a->asked++;
    a->command = memmem(line.at, line.size, "\"command\"", 9) != NULL;
    if (seq > d->seq)
        d->seq = seq;
    wire_quote(d->sent, line.size && line.at[line.size - 1] == '\n' ? (struct span){line.at, line.size - 1} : line);
    d->received[0] = 0;
    d->odd_code = false;
}

static void count_reply(struct client *d)
{
    struct client_request *a = request_at(d, d->last.seq);
    bool known = a->asked && a->seq == d->last.seq;
    d->stray = !known && !(d->broken && d->last.seq == 0);
    if (known && a->answered < UINT8_MAX)
        a->answered++;
}

// --- reading

static void handle_message(struct client *d, json_t *root, struct span line)
{
    if (d->last.type == SERVER_WELCOME) {
        d->welcome = d->last.welcome;
        d->welcome_bytes = line.size + 1;
        drop_capabilities(d);
        d->capabilities = json_incref(json_object_get(root, "capabilities"));
    }
    d->stray = d->odd_code = false;
    if (d->last.type == SERVER_OBSERVATION)
        d->observations++;
    else if (d->last.type != SERVER_UNKNOWN)
        count_reply(d);
    if (d->target.watch) // before `now` changes: it compares the new observation with the one before
        d->target.watch(d->target.owner, d, root, line);
    if (d->last.type == SERVER_OBSERVATION)
        d->now = d->last.observation;
}

static int read_line(struct client *d, int wait_ms)
{
    struct span line;
    int got = line_client_read(&d->line, &line, wait_ms);
    if (got != LINE_READ)
        return got;
    json_t *root = adapter_parse_message(&d->last, line);
    wire_quote(d->received, line);
    handle_message(d, root, line);
    json_decref(root);
    return got;
}

bool client_read(struct client *d, int wait_ms)
{
    return read_line(d, client_limit(d, wait_ms)) == LINE_READ;
}

bool client_is_closed(struct client *d, int wait_ms)
{
    struct span line;
    for (int64_t until = loop_now_ms() + client_limit(d, wait_ms); loop_now_ms() <= until;) {
        int got = line_client_read(&d->line, &line, (int)(until - loop_now_ms()));
        if (got == LINE_CLOSED)
            return true;
        if (got == LINE_LATE)
            return false;
    }
    return false;
}

static const char *kind_of(const struct server_message *m)
{
    return m->type == SERVER_ERROR     ? m->error.code
           : m->type == SERVER_ACK     ? "ack"
           : m->type == SERVER_WELCOME ? "welcome"
                                       : "other";
}

// A stray reply ends the wait too: it is a reply with a wrong seq, and the check of its line has recorded that.
static bool is_answer(const struct client *d, uint64_t seq)
{
    return d->last.type != SERVER_OBSERVATION && d->last.type != SERVER_UNKNOWN &&
           (d->last.seq == seq || d->stray || (d->broken && d->last.seq == 0));
}

const char *client_answer(struct client *d, uint64_t seq, int wait_ms)
{
    for (int64_t until = loop_now_ms() + client_limit(d, wait_ms);;) {
        int64_t left = until - loop_now_ms();
        int got = left >= 0 ? read_line(d, (int)left) : LINE_LATE;
        if (got != LINE_READ) {
            d->received[0] = 0;
            return got == LINE_CLOSED ? "closed" : "late";
        }
        if (is_answer(d, seq))
            return kind_of(&d->last);
    }
}

static void send_text(struct client *d, uint64_t seq, struct text *t)
{
    count_request(d, seq, text_span(t));
    line_client_send(&d->line, text_span(t));
}

void client_send(struct client *d, uint64_t seq, struct span line)
{
    d->broken = true;
    count_request(d, seq, line);
    line_client_send(&d->line, line);
}

const char *client_ask(struct client *d, uint64_t seq, const char *format, ...)
{
    char members[2048], line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(members, sizeof members, format, args);
    va_end(args);
    int size = snprintf(line, sizeof line, "{\"seq\":%llu,%s}\n", (unsigned long long)seq, members);
    struct text t = text_on(line, sizeof line);
    t.size = (size_t)size;
    send_text(d, seq, &t);
    return client_answer(d, seq, CLIENT_WAIT_MS);
}

const char *client_hello(struct client *d, const struct client_target *t, const char *role, bool stream, bool lockstep)
{
    char bytes[1024];
    struct text line = text_on(bytes, sizeof bytes);
    struct hello_options hello = {.name = "agon-verify",
                                  .version = t->version,
                                  .role = role,
                                  .stream = stream,
                                  .lockstep = lockstep,
                                  .place = true};
    message_write_hello(&line, &hello);
    d->stream = stream;
    d->target.version = t->version;
    send_text(d, 1, &line);
    return client_answer(d, 1, CLIENT_WAIT_MS);
}

const char *client_control(struct client *d, const char *action)
{
    char bytes[256];
    struct text line = text_on(bytes, sizeof bytes);
    message_write_control(&line, ++d->seq, action);
    send_text(d, d->seq, &line);
    return client_answer(d, d->seq, CLIENT_WAIT_MS);
}

static const char *send_actions(struct client *d, const char *action, const uint64_t *seed)
{
    char bytes[512];
    struct text line = text_on(bytes, sizeof bytes);
    message_write_actions(&line, ++d->seq, &action, action ? 1 : 0, seed);
    send_text(d, d->seq, &line);
    return client_answer(d, d->seq, CLIENT_WAIT_MS);
}

const char *client_act(struct client *d, const char *action)
{
    return send_actions(d, action, NULL);
}

const char *client_restart(struct client *d, uint64_t seed)
{
    return send_actions(d, "restart", &seed);
}

const char *client_place(struct client *d, int x, int rotation, bool hold)
{
    char bytes[512];
    struct text line = text_on(bytes, sizeof bytes);
    message_write_place(&line, ++d->seq, x, rotation, hold);
    send_text(d, d->seq, &line);
    return client_answer(d, d->seq, CLIENT_WAIT_MS);
}

static bool observe_until(struct client *d, int64_t until)
{
    while (loop_now_ms() <= until) {
        int got = read_line(d, (int)(until - loop_now_ms()));
        if (got == LINE_CLOSED || (got == LINE_READ && d->last.type == SERVER_OBSERVATION))
            return got == LINE_READ;
    }
    return false;
}

bool client_observe(struct client *d, int wait_ms)
{
    return observe_until(d, loop_now_ms() + client_limit(d, wait_ms));
}

bool client_until(struct client *d, bool (*want)(const struct server_observation *o, uint64_t what), uint64_t what,
                  int wait_ms)
{
    int64_t until = loop_now_ms() + client_limit(d, wait_ms);
    while (!(d->observations && want(&d->now, what)))
        if (!observe_until(d, until))
            return false;
    return true;
}

bool want_any(const struct server_observation *o, uint64_t unused)
{
    (void)o, (void)unused;
    return true;
}

bool want_episode_after(const struct server_observation *o, uint64_t episode)
{
    return o->episode_id > episode;
}

bool want_playable_after(const struct server_observation *o, uint64_t episode)
{
    return o->playable && o->episode_id > episode;
}

bool want_game_over(const struct server_observation *o, uint64_t unused)
{
    (void)unused;
    return o->game_over;
}

bool want_paused(const struct server_observation *o, uint64_t paused)
{
    return o->paused == (paused != 0);
}

bool want_other_piece(const struct server_observation *o, uint64_t piece)
{
    return o->piece_id != piece || o->game_over;
}

bool want_step(const struct server_observation *o, uint64_t step)
{
    return o->logical_step >= step;
}
