#include "app/tbp_client.h"

#include "base/utf8.h"
#include "net/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    GENTLE_MS = 500, // for a bot to end by itself
    START_ROOM = 1 << 14,
    SHOWN = 200,     // bytes of its output in a message
    MOST_READS = 64, // reads of its standard error at a time
};

static __attribute__((format(printf, 2, 3))) bool fail(struct tbp_client *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return false;
}

// Reads at most this much at once, because some bots never stop writing. A closed pipe is no longer polled.
static void read_errors(struct tbp_client *c)
{
    char bytes[1024];
    for (int i = 0; i < MOST_READS && c->process.err >= 0; i++) {
        ssize_t n = read(c->process.err, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n > 0) {
            tail_add(&c->errors, bytes, (size_t)n);
            continue;
        }
        close(c->process.err);
        c->process.err = -1;
    }
}

static bool fail_gone(struct tbp_client *c)
{
    char how[64], said[SHOWN], shown[SHOWN];
    int status = 0;
    bool ended = spawn_wait(c->process.pid, GENTLE_MS, &status);
    read_errors(c);
    size_t size = tail_copy(&c->errors, said, sizeof said);
    utf8_copy_shown(shown, sizeof shown, (struct span){said, size}, false);
    c->gone = true;
    spawn_describe_status(status, how, sizeof how);
    return fail(c, "the bot ended: %s%s%s", ended ? how : "it closed its output", *shown ? "; its last output: " : "",
                shown);
}

static int left_ms(int64_t until_us)
{
    int64_t left = (until_us - loop_now_us() + 999) / 1000;
    return left < 0 ? 0 : (int)left;
}

static bool send_text(struct tbp_client *c, const struct text *t, int64_t until_us)
{
    for (size_t sent = 0; sent < t->size;) {
        ssize_t n = write(c->process.in, t->at + sent, t->size - sent);
        if (n > 0) {
            sent += (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return fail_gone(c);
        struct pollfd p = {.fd = c->process.in, .events = POLLOUT};
        if (left_ms(until_us) == 0)
            return fail(c, "the bot does not read its input");
        poll(&p, 1, left_ms(until_us));
    }
    return true;
}

// Waits for more bytes. Returns false if none come in time, or the pipe is closed.
static bool read_bytes(struct tbp_client *c, int64_t until_us)
{
    struct pollfd p[] = {{.fd = c->process.out, .events = POLLIN}, {.fd = c->process.err, .events = POLLIN}};
    int wait = left_ms(until_us);
    if (wait == 0)
        return fail(c, "no answer in time");
    poll(p, 2, wait);
    if (p[1].revents)
        read_errors(c);
    if (!p[0].revents)
        return true;
    ssize_t n = read(c->process.out, c->in + c->size, sizeof c->in - c->size);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return fail_gone(c);
    c->size += n > 0 ? (size_t)n : 0;
    return true;
}

// The line is valid until the next call.
static bool read_line(struct tbp_client *c, struct span *line, int64_t until_us)
{
    for (char *from, *end;;) {
        from = c->in + c->used;
        if ((end = memchr(from, '\n', c->size - c->used))) {
            *line = (struct span){from, (size_t)(end - from)};
            c->used += line->size + 1;
            return true;
        }
        memmove(c->in, from, c->size -= c->used);
        c->used = 0;
        if (c->size == sizeof c->in)
            return fail(c, "the bot sent a line longer than %d bytes", TBP_LINE);
        if (!read_bytes(c, until_us))
            return false;
    }
}

// The next message of this type; others and empty lines are ignored, as the protocol requires.
static bool expect_message(struct tbp_client *c, enum tbp_type type, const char *name, struct tbp_message *m,
                           int64_t until_us)
{
    for (struct span line = {0}; read_line(c, &line, until_us);) {
        char shown[SHOWN];
        while (line.size && (line.at[line.size - 1] == '\r' || line.at[line.size - 1] == ' '))
            line.size--;
        if (!line.size)
            continue;
        if (!tbp_read(m, line)) {
            utf8_copy_shown(shown, sizeof shown, line, false);
            return fail(c, "the bot sent a line that is not a message: %s: %s", m->wrong, shown);
        }
        if (m->type == type)
            return true;
        if (m->type == TBP_ERROR)
            return fail(c, "the bot says: %s", m->name[0] ? m->name : "error");
    }
    char what[sizeof c->why];
    memcpy(what, c->why, sizeof what);
    return fail(c, "waiting for '%s': %.400s", name, what);
}

bool tbp_client_open(struct tbp_client *c, const char *command, int ways, int timeout_ms)
{
    struct tbp_message m;
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes);
    *c = (struct tbp_client){.process = {0, -1, -1, -1, false}};
    signal(SIGPIPE, SIG_IGN);
    char **words = spawn_split(command);
    int why = words && words[0] ? spawn_program(&c->process, words, NULL, NULL, ways | SPAWN_WITH_INPUT) : EINVAL;
    if (words)
        spawn_free_words(words);
    if (why)
        return fail(c, "cannot start '%s': %s", command, strerror(why));
    int64_t until_us = loop_now_us() + timeout_ms * 1000ll;
    if (!expect_message(c, TBP_INFO, "info", &m, until_us))
        return false;
    memcpy(c->name, m.name, sizeof c->name);
    tbp_write_plain(&t, TBP_RULES);
    return send_text(c, &t, until_us) && expect_message(c, TBP_READY, "ready", &m, until_us);
}

bool tbp_same_field(const struct tbp_game *a, const struct tbp_game *b)
{
    for (int y = 0; y < TBP_ROWS; y++)
        for (int x = 0; x < TETRIS_WIDTH; x++)
            if (!a->cells[y][x] != !b->cells[y][x])
                return false;
    return true;
}

// Whether `now` is `before` with new pieces added to the queue.
static bool leads_to(const struct tbp_game *before, const struct tbp_game *now)
{
    return before->hold == now->hold && before->count <= now->count &&
           memcmp(before->queue, now->queue, (size_t)before->count) == 0 && tbp_same_field(before, now);
}

// The messages that bring the bot to this situation.
static void write_news(struct tbp_client *c, const struct tbp_game *now, struct text *t)
{
    struct tbp_game next = c->game;
    bool moved = c->pending && tbp_game_play(&next, c->played);
    if (c->started && (moved || !c->pending) && leads_to(&next, now)) {
        if (moved)
            tbp_write_play(t, c->played);
        for (int i = next.count; i < now->count; i++)
            tbp_write_new_piece(t, now->queue[i]);
    } else {
        if (c->started)
            tbp_write_plain(t, TBP_STOP);
        tbp_write_start(t, now);
    }
    c->game = *now;
    c->started = true;
    c->pending = false;
}

int tbp_client_suggest(struct tbp_client *c, const struct tbp_game *now, struct tbp_move moves[TBP_MOVES],
                       int timeout_ms)
{
    static char bytes[START_ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    struct tbp_message m = {0};
    int64_t until_us = loop_now_us() + timeout_ms * 1000ll;
    write_news(c, now, &t);
    tbp_write_plain(&t, TBP_SUGGEST);
    if (!send_text(c, &t, until_us) || !expect_message(c, TBP_SUGGESTION, "suggestion", &m, until_us))
        return -1;
    memcpy(moves, m.move, sizeof m.move);
    return m.moves;
}

void tbp_client_played(struct tbp_client *c, struct tbp_move move)
{
    c->played = move;
    c->pending = true;
}

void tbp_client_stop(struct tbp_client *c)
{
    char bytes[64];
    struct text t = text_on(bytes, sizeof bytes);
    if (!c->started)
        return;
    c->started = c->pending = false;
    tbp_write_plain(&t, TBP_STOP);
    send_text(c, &t, loop_now_us() + GENTLE_MS * 1000ll);
}

void tbp_client_close(struct tbp_client *c)
{
    char bytes[64];
    struct text t = text_on(bytes, sizeof bytes);
    int status;
    tbp_write_plain(&t, TBP_QUIT);
    if (c->process.pid > 0 && !c->gone)
        send_text(c, &t, loop_now_us() + GENTLE_MS * 1000ll);
    if (c->process.pid > 0)
        spawn_end(&c->process, c->gone ? 0 : GENTLE_MS, &status);
    for (int i = 0; i < 3; i++) {
        int fd = i == 0 ? c->process.in : i == 1 ? c->process.out : c->process.err;
        if (fd >= 0)
            close(fd);
    }
    c->process = (struct spawned){0, -1, -1, -1, false};
}

bool tbp_find_place(const struct tetris_state *s, struct tbp_move move, struct game_action *out)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = tetris_game.choices(s, 0, list);
    for (int i = 0; i < count; i++) {
        struct tetris_state after = *s;
        if (list[i].first.kind != TETRIS_PLACE || tetris_game.apply(&after, 0, list[i].first, NULL) != OK)
            continue;
        const struct tetris_lock *l = &after.facts.lock;
        struct tbp_move there = tbp_move_of(l->kind, l->rotation, l->x - tetris_left(l->kind, l->rotation),
                                            l->y - tetris_top(l->kind, l->rotation));
        if (!tbp_same_cells(there, move))
            continue;
        *out = list[i].first;
        return true;
    }
    return false;
}
