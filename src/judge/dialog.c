#include "judge/dialog.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t dialog_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool dialog_open(struct dialog *d, const struct dialog_target *t)
{
    *d = (struct dialog){0};
    return line_client_open(&d->line, t->host, t->port, DIALOG_WAIT_MS) == 0;
}

void dialog_close(struct dialog *d)
{
    line_client_close(&d->line);
}

void dialog_kill(struct dialog *d)
{
    line_client_reset(&d->line);
}

static void note(struct dialog *d)
{
    if (d->last.wrong && !d->wrong)
        d->wrong = d->last.wrong;
    if (d->last.type == PEER_WELCOME)
        d->welcome = d->last.welcome;
    if (d->last.type == PEER_OBSERVATION) {
        d->now = d->last.observation;
        d->observations++;
    }
}

bool dialog_read(struct dialog *d, int wait_ms)
{
    struct span line;
    if (line_client_read(&d->line, &line, wait_ms) != LINE_READ)
        return false;
    peer_read(&d->last, line);
    note(d);
    return true;
}

void dialog_skip_stream(struct dialog *d)
{
    for (int64_t until = dialog_now_ms() + DIALOG_WAIT_MS; dialog_now_ms() <= until;)
        if (!dialog_read(d, (int)(until - dialog_now_ms())) || d->last.type != PEER_OBSERVATION)
            return;
}

bool dialog_is_closed(struct dialog *d, int wait_ms)
{
    struct span line;
    for (int64_t until = dialog_now_ms() + wait_ms; dialog_now_ms() <= until;) {
        int got = line_client_read(&d->line, &line, (int)(until - dialog_now_ms()));
        if (got == LINE_CLOSED)
            return true;
        if (got == LINE_LATE)
            return false;
    }
    return false;
}

static const char *kind_of(const struct peer_message *m)
{
    return m->type == PEER_ERROR     ? m->error.code
           : m->type == PEER_ACK     ? "ack"
           : m->type == PEER_WELCOME ? "welcome"
                                     : "other";
}

const char *dialog_answer(struct dialog *d, uint64_t seq, int wait_ms)
{
    for (int64_t until = dialog_now_ms() + wait_ms;;) {
        int64_t left = until - dialog_now_ms();
        struct span line;
        int got = left >= 0 ? line_client_read(&d->line, &line, (int)left) : LINE_LATE;
        if (got != LINE_READ)
            return got == LINE_CLOSED ? "closed" : "late";
        peer_read(&d->last, line);
        note(d);
        if (d->last.type != PEER_OBSERVATION && d->last.seq == seq)
            return kind_of(&d->last);
    }
}

static void send_text(struct dialog *d, struct text *t)
{
    line_client_send(&d->line, text_span(t));
}

void dialog_say(struct dialog *d, const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    line[size] = '\n';
    line_client_send(&d->line, (struct span){line, (size_t)size + 1});
}

const char *dialog_ask(struct dialog *d, uint64_t seq, const char *format, ...)
{
    char members[2048], line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(members, sizeof members, format, args);
    va_end(args);
    int size = snprintf(line, sizeof line, "{\"seq\":%llu,%s}\n", (unsigned long long)seq, members);
    line_client_send(&d->line, (struct span){line, (size_t)size});
    if (seq > d->seq)
        d->seq = seq;
    return dialog_answer(d, seq, DIALOG_WAIT_MS);
}

const char *dialog_hello(struct dialog *d, const struct dialog_target *t, const char *role, bool stream, bool lockstep)
{
    char bytes[1024];
    struct text line = text_on(bytes, sizeof bytes);
    struct peer_hello hello = {.name = "agon-verify",
                               .version = t->version,
                               .role = role,
                               .stream = stream,
                               .lockstep = lockstep,
                               .place = true};
    peer_write_hello(&line, &hello);
    send_text(d, &line);
    d->seq = 1;
    return dialog_answer(d, 1, DIALOG_WAIT_MS);
}

const char *dialog_control(struct dialog *d, const char *action)
{
    char bytes[256];
    struct text line = text_on(bytes, sizeof bytes);
    peer_write_control(&line, ++d->seq, action);
    send_text(d, &line);
    return dialog_answer(d, d->seq, DIALOG_WAIT_MS);
}

static const char *act(struct dialog *d, const char *action, const uint64_t *seed)
{
    char bytes[512];
    struct text line = text_on(bytes, sizeof bytes);
    peer_write_actions(&line, ++d->seq, &action, action ? 1 : 0, seed);
    send_text(d, &line);
    return dialog_answer(d, d->seq, DIALOG_WAIT_MS);
}

const char *dialog_act(struct dialog *d, const char *action)
{
    return act(d, action, NULL);
}

const char *dialog_restart(struct dialog *d, uint64_t seed)
{
    return act(d, "restart", &seed);
}

const char *dialog_place(struct dialog *d, int x, int rotation, bool hold)
{
    char bytes[512];
    struct text line = text_on(bytes, sizeof bytes);
    peer_write_place(&line, ++d->seq, x, rotation, hold);
    send_text(d, &line);
    return dialog_answer(d, d->seq, DIALOG_WAIT_MS);
}

bool dialog_observe(struct dialog *d, int wait_ms)
{
    for (int64_t until = dialog_now_ms() + wait_ms; dialog_now_ms() <= until;)
        if (dialog_read(d, (int)(until - dialog_now_ms())) && d->last.type == PEER_OBSERVATION)
            return true;
    return false;
}

bool dialog_until(struct dialog *d, bool (*want)(const struct peer_observation *o, uint64_t what), uint64_t what,
                  int wait_ms)
{
    int64_t until = dialog_now_ms() + wait_ms;
    while (!(d->observations && want(&d->now, what))) {
        int64_t left = until - dialog_now_ms();
        if (left < 0 || !dialog_observe(d, (int)left))
            return false;
    }
    return true;
}

bool want_any(const struct peer_observation *o, uint64_t unused)
{
    (void)o, (void)unused;
    return true;
}

bool want_playable_after(const struct peer_observation *o, uint64_t episode)
{
    return o->playable && o->episode_id > episode;
}

bool want_game_over(const struct peer_observation *o, uint64_t unused)
{
    (void)unused;
    return o->game_over;
}

bool want_paused(const struct peer_observation *o, uint64_t paused)
{
    return o->paused == (paused != 0);
}

bool want_step(const struct peer_observation *o, uint64_t step)
{
    return o->logical_step >= step;
}

bool want_controller(const struct peer_observation *o, uint64_t id)
{
    return o->controller_id == id;
}
