// Sessions and tables: how they begin and end, the requests that wait, whose turn it is, who waits for whom (O40-O54).
#include "front/openenv/openenv_internal.h"

#include "crypto/crypto.h"
#include "heap/heap.h"

#include <stdlib.h>

enum {
    ENTRY_COST = 15,   // of a request that plays no action, and its reply; an episode counts its own
    KEPT_BYTES = 4096, // most memory for requests that an idle session keeps
};

// --- life

static unsigned bucket_of(const char *id)
{
    unsigned value = 0;
    for (int i = 0; i < 3; i++)
        value = value * 16 + (unsigned)(id[i] <= '9' ? id[i] - '0' : id[i] - 'a' + 10);
    return value % BUCKETS;
}

static int count_of_client(const struct openenv *o, uint64_t client)
{
    const struct session *s;
    int count = 0;
    for (int i = 0; i < BUCKETS; i++)
        LIST_FOREACH(s, &o->sessions[i], all)
            count += s->client == client && !s->turned;
    return count;
}

static bool has_room(struct openenv *o, uint64_t client)
{
    int most = o->options.sessions_per_client;
    return !o->stopping && o->figures.sessions < o->options.max_sessions &&
           (!client || !most || count_of_client(o, client) < most);
}

struct session *session_create(struct openenv *o, struct served *g, uint64_t client)
{
    if (!has_room(o, client)) {
        o->figures.refused++;
        return NULL;
    }
    struct session *s = session_make(o, g, client);
    o->figures.sessions++;
    o->figures.opened++;
    return s;
}

struct session *session_make(struct openenv *o, struct served *g, uint64_t client)
{
    uint8_t random[ID_BYTES];
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    *s =
        (struct session){.host = o, .game = g, .client = client, .heard_us = loop_now_us(), .active_us = loop_now_us()};
    crypto_random(random, sizeof random);
    struct text id = text_on(s->id, ID_DIGITS);
    text_put_hex_bytes(&id, random, sizeof random);
    s->id_json.grow = s->inbox.grow = s->entry.grow = s->done_body.grow = heap_text_grow;
    LIST_INSERT_HEAD(&o->sessions[bucket_of(s->id)], s, all);
    loop_end_turn(o->options.loop); // a session has a clock from now on
    return s;
}

void session_destroy(struct session *s)
{
    struct openenv *o = s->host;
    if (s->request) {
        http_set_data(s->request, NULL);
        openenv_http_detail(s->request, 404, "the session has ended");
    }
    session_leave_table(s);
    LIST_REMOVE(s, all);
    o->figures.sessions -= !s->turned;
    free(s->warnings);
    free(s->id_json.at);
    free(s->inbox.at);
    free(s->entry.at);
    free(s->done_body.at);
    free(s);
}

struct session *session_find(struct openenv *o, const struct served *g, struct span id)
{
    struct session *s;
    if (id.size != ID_DIGITS)
        return NULL;
    for (size_t i = 0; i < id.size; i++)
        if (!(id.at[i] >= '0' && id.at[i] <= '9') && !(id.at[i] >= 'a' && id.at[i] <= 'f'))
            return NULL;
    LIST_FOREACH(s, &o->sessions[bucket_of(id.at)], all)
        if (s->game == g && !s->doomed && crypto_equal(s->id, id.at, ID_DIGITS))
            return s;
    return NULL;
}

// --- the inbox

// Before each entry of an inbox. Entries follow each other without padding, so it is read and written by memcpy.
struct entry_head {
    uint32_t size;
    uint8_t channel;
};

bool session_add(struct session *s, enum channel channel, struct span bytes)
{
    struct entry_head head = {(uint32_t)bytes.size, (uint8_t)channel};
    if (s->waiting >= MAX_INBOX || s->inbox.size + bytes.size > INBOX_BYTES)
        return false;
    text_put(&s->inbox, (struct span){(const char *)&head, sizeof head});
    text_put(&s->inbox, bytes);
    s->waiting++;
    s->active_us = loop_now_us();
    return true;
}

static struct span take_entry(struct session *s)
{
    struct entry_head head;
    memcpy(&head, s->inbox.at, sizeof head);
    size_t whole = sizeof head + head.size;
    s->entry.size = 0;
    text_put(&s->entry, (struct span){s->inbox.at + sizeof head, head.size});
    s->inbox.size -= whole;
    memmove(s->inbox.at, s->inbox.at + whole, s->inbox.size);
    s->waiting--;
    s->channel = (enum channel)head.channel;
    s->tool = false;
    s->id_json.size = 0;
    return text_span(&s->entry);
}

void session_lose_socket(struct session *s)
{
    size_t kept = 0;
    for (size_t at = 0, whole; at < s->inbox.size; at += whole) {
        struct entry_head head;
        memcpy(&head, s->inbox.at + at, sizeof head);
        whole = sizeof head + head.size;
        if (head.channel == ON_WS || head.channel == ON_MCP_WS) {
            s->waiting--;
            continue;
        }
        memmove(s->inbox.at + kept, s->inbox.at + at, whole);
        kept += whole;
    }
    s->inbox.size = kept;
    if (s->channel != ON_WS)
        return;
    s->pending = NOTHING;
    // A client pairs each frame with its latest request, so a late reply on a new socket would answer the wrong one.
    s->channel = ON_CLOCK; // the request in progress continues, and its reply is dropped (O20)
}

static bool can_go_on(const struct session *s)
{
    return s->waiting && s->pending == NOTHING && !s->doomed && !s->closing && !(s->table && s->table->busy) &&
           !s->host->stopping;
}

static void trim_text(struct text *t)
{
    if (t->room <= KEPT_BYTES)
        return;
    free(t->at);
    *t = (struct text){.grow = heap_text_grow};
}

// Its job has ended, or it has none: it goes, unless another session's job is at work at its table
// (openenv_end_work).
static void finish_job(struct session *s)
{
    s->at_work = false;
    trim_text(&s->entry);
    if (!s->waiting)
        trim_text(&s->inbox);
    if (s->pending == NOTHING)
        trim_text(&s->id_json);
    if (s->doomed && !(s->table && s->table->busy))
        session_destroy(s);
}

static void run_entries(void *arg)
{
    static void (*const handle[])(struct session * s, struct span entry) = {
        [ON_WS] = openenv_ws_message,   [ON_HTTP_RESET] = openenv_http_reset, [ON_HTTP_STEP] = openenv_http_step,
        [ON_MCP] = openenv_mcp_message, [ON_MCP_WS] = openenv_mcp_message,
    };
    struct session *s = arg;
    while (can_go_on(s)) {
        struct span entry = take_entry(s);
        uint64_t played = s->host->figures.steps;
        if (s->channel == ON_CLOCK)
            session_pass(s);
        else
            handle[s->channel](s, entry);
        if (s->once && s->pending == NOTHING)
            s->doomed = true;
        if (s->host->figures.steps == played)
            work_count(s->host->work, ENTRY_COST);
        if (can_go_on(s) && work_is_due(s->host->work)) // never with a reply that is pending (openenv_end_work)
            work_yield(s->host->work);
    }
    if (s->closing && s->ws && !s->ending)
        openenv_ws_close(s, WS_NORMAL, "");
    finish_job(s);
}

// What it leaves to others at a table is done by a job.
void session_end(struct session *s)
{
    s->doomed = true;
    if (s->at_work)
        return;
    s->at_work = true;
    work_start(s->host->work, run_entries, s);
}

void session_run(struct session *s)
{
    if (s->at_work || !can_go_on(s))
        return;
    s->at_work = true;
    work_start(s->host->work, run_entries, s);
}

// --- tables

static void table_free(struct table *b)
{
    if (b->name[0])
        LIST_REMOVE(b, all);
    episode_release(&b->episode);
    free(b);
}

void openenv_begin_work(struct session *s, struct table *b)
{
    while (b->busy)
        work_sleep(s->host->work, &b->line);
    b->busy = true;
}

bool session_is_due(const struct session *s)
{
    const struct table *b = s->table;
    if (!b->begun || b->ready & SEAT(s->seat))
        return false;
    return s->is_new || b->episode.player[s->seat].done || episode_asked(&b->episode) & SEAT(s->seat);
}

void openenv_end_work(struct table *b)
{
    uint32_t question = b->game->kit->game->turn(&b->episode.match.state).number;
    b->busy = false;
    // O54: only a new question starts the time again.
    if (question != b->question)
        b->asked_us = loop_now_us();
    b->question = question;
    for (int i = 0; i < GAME_MAX_SEATS; i++) {
        struct session *s = b->at[i];
        if (s && s->pending != NOTHING && !s->at_work && session_is_due(s)) {
            reply_observation(s, s->pending, (struct span){0});
            session_run(s);
        }
    }
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        if (b->at[i] && b->at[i]->doomed)
            session_end(b->at[i]);
        else if (b->at[i])
            session_run(b->at[i]);
    work_wake(b->host->work, &b->line);
}

void session_leave_table(struct session *s)
{
    struct table *b = s->table;
    if (!b)
        return;
    while (b->busy) // also at the end of the server: no job may lose its table (openenv_stop waits for all)
        work_sleep(s->host->work, &b->line);
    s->table = NULL;
    b->at[s->seat] = NULL;
    b->taken &= (seat_set)~SEAT(s->seat);
    b->ready &= (seat_set)~SEAT(s->seat);
    if (--b->seated == 0) {
        s->host->figures.tables -= b->name[0] != 0;
        table_free(b);
        return;
    }
    if (b->begun && b->episode.clients & SEAT(s->seat) && !s->host->stopping) {
        openenv_begin_work(s, b);
        episode_leave(&b->episode, s->seat);
        openenv_end_work(b);
    }
}
