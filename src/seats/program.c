// Local programs at seats: one JSON object per line on their standard input, one per answer on their standard output
// (protocol/bot-api). A program plays one match after the other; it is kept for the next one if it ended the last one
// properly.
#include "base/utf8.h"
#include "seats/internal.h"
#include "seats/spawn.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// WAITING_BYTES: input that a program does not read, beyond which it has failed. GENTLE_MS: for all idle programs
// together, to end after SIGTERM. HEARD: most reads of its standard error when it has ended, because children of it may
// go on writing. SHOWN: of its last output, in a message.
enum { LINE_BYTES = 65536, WAITING_BYTES = 1 << 20, READ_BYTES = 65536, GENTLE_MS = 2000, HEARD = 64, SHOWN = 300 };

struct program {
    struct seat_client *client;
    // Never starts again: a late answer to the match before has an old number and is passed over.
    uint64_t lines; // lines that wanted an answer, over all matches: the number of the last one
    char *address;
    struct spawned process;
    struct event *readable, *complains, *writable;
    // The pipe is non-blocking: a program that does not read must not stop the loop.
    struct text out;  // not yet taken by the pipe
    struct text line; // the beginning of a line
    bool too_long;
    struct seat *seat; // NULL: idle
    struct tail said;  // on its standard error
    LIST_ENTRY(program) next;
};

struct programs {
    LIST_HEAD(, program) idle, busy;
    int count;
    TAILQ_HEAD(, exchange) waiting; // seats that wait for a program
    struct event *serve;
};

// What such a seat needs in addition: timer and number of the current question.
struct exchange {
    struct seat *seat;
    struct event *timer;
    uint64_t id; // of the last line that wants an answer
    int64_t began_us;
    // queued: waits for a free program. awaited: an answer is due, and the timer is its time limit; otherwise a pending
    // timer delivers `outcome`.
    bool queued, awaited;
    bool passed_over;       // a line came meanwhile that was no answer to it
    struct outcome outcome; // pending result, delivered from the loop
    char text[SEAT_TEXT_ROOM];
    TAILQ_ENTRY(exchange) next;
};

static void on_serve(evutil_socket_t fd, short what, void *arg);

static struct programs *programs_of(struct seat_client *c)
{
    if (c->programs)
        return c->programs;
    c->programs = calloc(1, sizeof *c->programs);
    if (!c->programs)
        abort();
    LIST_INIT(&c->programs->idle);
    LIST_INIT(&c->programs->busy);
    TAILQ_INIT(&c->programs->waiting);
    c->programs->serve = evtimer_new(c->loop->base, on_serve, c);
    return c->programs;
}

// --- ending a program

// Gives the program `patience_ms` to end by itself, which blocks the loop.
static int end_program(struct program *p, int patience_ms)
{
    int status = 0;
    LIST_REMOVE(p, next);
    p->client->programs->count--;
    event_free(p->readable);
    event_free(p->complains);
    event_free(p->writable);
    close(p->process.in);
    spawn_end(&p->process, patience_ms, &status);
    close(p->process.out);
    close(p->process.err);
    free(p->address);
    free(p->out.at);
    free(p->line.at);
    free(p);
    return status;
}

// Serves the waiting seats from the loop: a program may be free now.
static void schedule_serve(struct seat_client *c)
{
    if (!TAILQ_EMPTY(&c->programs->waiting))
        event_active(c->programs->serve, EV_TIMEOUT, 0);
}

// --- results

static void end_exchange(struct exchange *e, const struct outcome *o, struct span reply)
{
    e->awaited = false;
    event_del(e->timer);
    seat_finish_job(e->seat, o, reply);
}

static void fail_exchange(struct exchange *e, enum seat_fault_kind kind, int status, const char *text)
{
    snprintf(e->text, sizeof e->text, "%s", text);
    end_exchange(
        e,
        &(struct outcome){
            .failed = true, .kind = kind, .status = status, .took_us = loop_now_us() - e->began_us, .text = e->text},
        (struct span){0});
}

// Returns what read returned.
static ssize_t read_stderr(struct program *p)
{
    char bytes[4096];
    ssize_t n = read(p->process.err, bytes, sizeof bytes);
    if (n <= 0)
        return n;
    tail_add(&p->said, bytes, (size_t)n);
    if (p->client->options.show_programs) {
        char shown[4 * sizeof bytes];
        struct text t = text_on(shown, sizeof shown);
        utf8_put_shown(&t, (struct span){bytes, (size_t)n}, true);
        fwrite(t.at, 1, t.size, stderr);
    }
    return n;
}

// Its children may still hold its standard output.
static bool has_ended(const struct program *p)
{
    siginfo_t found = {0};
    return waitid(P_PID, (id_t)p->process.pid, &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid;
}

// One that ended by itself keeps its own status, even if destroy killed it while it ended.
static void describe_end(int status, char *out, size_t room)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        snprintf(out, room, "it was killed, or closed its standard output");
    else
        spawn_describe_status(status, out, room);
}

static void on_crash(struct program *p)
{
    char how[64], said[SHOWN], shown[SHOWN], text[SEAT_TEXT_ROOM];
    struct seat *s = p->seat;
    struct seat_client *c = p->client;
    for (int i = 0; i < HEARD && read_stderr(p) > 0; i++)
        continue;
    size_t size = tail_copy(&p->said, said, sizeof said);
    while (size && (said[size - 1] == '\n' || said[size - 1] == '\r'))
        size--;
    utf8_copy_shown(shown, sizeof shown, (struct span){said, size}, false);
    int status = end_program(p, 0);
    describe_end(status, how, sizeof how);
    snprintf(text, sizeof text, "the program ended: %s%s%s", how, *shown ? "; its last output: " : "", shown);
    if (s) {
        struct exchange *e = s->exchange;
        s->program = NULL;
        s->lost = true;
        if (e->awaited)
            fail_exchange(e, SEAT_CRASHED, status, text);
        else
            snprintf(e->text, sizeof e->text, "%s", text);
    }
    schedule_serve(c);
}

static void on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct exchange *e = arg;
    struct seat *s = e->seat;
    if (!e->awaited) { // a pending result
        struct outcome o = e->outcome;
        o.text = e->text;
        seat_finish_job(s, &o, (struct span){0});
        return;
    }
    if (s->program && has_ended(s->program)) {
        on_crash(s->program);
        return;
    }
    bool leaving = s->now->call == SEAT_DELETE;
    char text[80] = "no answer in time";
    if (e->passed_over) // the usual mistake of a new bot
        snprintf(text, sizeof text, "no answer in time, only a line without \"id\":%ju", (uintmax_t)e->id);
    fail_exchange(e, SEAT_TIMEOUT, 0, text);
    // A program that did not answer "end" cannot be trusted with the next match.
    if (leaving && s->program) {
        end_program(s->program, 0);
        s->program = NULL;
        schedule_serve(s->client);
    }
}

// --- lines from a program

static void release_program(struct seat *s)
{
    struct program *p = s->program;
    s->program = NULL;
    p->seat = NULL;
    LIST_REMOVE(p, next);
    LIST_INSERT_HEAD(&p->client->programs->idle, p, next);
    schedule_serve(p->client);
}

// The id of a line, 0 if it is none of ours, and its action, as raw bytes. Returns false if the line is not an object.
static bool read_line(struct span line, uint64_t *id, struct span *action)
{
    struct json_reader r = json_reader_of(line, 32);
    struct json_string key;
    *id = 0;
    *action = (struct span){0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "id") && json_peek(&r) == JSON_INT) {
            struct json_reader number = json_reader_of(json_read_raw(&r), 1);
            *id = json_read_uint(&number, UINT64_MAX);
        } else if (json_string_is(key, "action") && json_peek(&r) == JSON_OBJECT) {
            *action = json_read_raw(&r);
        } else {
            json_skip(&r);
        }
    return json_finish(&r) == OK;
}

static void on_long_line(struct program *p)
{
    char text[80];
    struct exchange *e = p->seat ? p->seat->exchange : NULL;
    snprintf(text, sizeof text, "illegal answer: the line is longer than %d bytes", LINE_BYTES);
    if (e && e->awaited)
        fail_exchange(e, SEAT_ILLEGAL, 0, text);
}

static void on_line(struct program *p, struct span line)
{
    struct seat *s = p->seat;
    struct exchange *e = s ? s->exchange : NULL;
    struct span action;
    uint64_t id;
    assert(line.at || !line.size);
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (!line.size || !e || !e->awaited)
        return;
    if (!read_line(line, &id, &action)) {
        // Treated as an answer, which is illegal.
        end_exchange(e, &(struct outcome){.took_us = loop_now_us() - e->began_us}, line);
        return;
    }
    if (id != e->id) { // late, or not an answer to a question
        e->passed_over = true;
        return;
    }
    bool leaving = s->now->call == SEAT_DELETE;
    end_exchange(e, &(struct outcome){.took_us = loop_now_us() - e->began_us}, action.at ? action : line);
    if (leaving && s->program)
        release_program(s);
}

static void read_lines(struct program *p, const char *at, size_t size)
{
    for (const char *end; size && (end = memchr(at, '\n', size));) {
        size_t part = (size_t)(end - at);
        if (p->line.size + part > LINE_BYTES)
            p->too_long = true;
        if (!p->too_long)
            text_put(&p->line, (struct span){at, part});
        struct span line = text_span(&p->line);
        bool too_long = p->too_long;
        p->line.size = 0;
        p->too_long = false;
        if (too_long)
            on_long_line(p);
        else
            on_line(p, line);
        at = end + 1;
        size -= part + 1;
    }
    if (p->line.size + size > LINE_BYTES)
        p->too_long = true;
    if (!p->too_long)
        text_put(&p->line, (struct span){at, size});
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct program *p = arg;
    static char bytes[READ_BYTES];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0)
        read_lines(p, bytes, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        on_crash(p);
}

static void on_complaint(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct program *p = arg;
    ssize_t n = read_stderr(p);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        event_del(p->complains);
}

// --- lines to a program

static void flush_input(struct program *p)
{
    while (p->out.size) {
        ssize_t n = write(p->process.in, p->out.at, p->out.size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) // full: later; closed: its standard output will show that
            break;
        p->out.size -= (size_t)n;
        memmove(p->out.at, p->out.at + n, p->out.size);
    }
    if (p->out.size && errno == EAGAIN)
        event_add(p->writable, NULL);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    flush_input(arg);
}

static bool spawn_words(struct program *p)
{
    char **words = spawn_split(p->address + strlen("cmd:"));
    char self[] = "/proc/self/exe", command[] = "tetris-tbp", option[] = "--seat";
    char *const bridge[] = {self, command, option, p->address + strlen("tbp:"), NULL};
    bool is_tbp = strncmp(p->address, "tbp:", 4) == 0;
    int why =
        words && words[0] ? spawn_program(&p->process, is_tbp ? bridge : words, NULL, NULL, SPAWN_WITH_INPUT) : EINVAL;
    if (words)
        spawn_free_words(words);
    errno = why;
    return why == 0;
}

static struct program *program_create(struct seat_client *c, const char *address)
{
    struct program *p = calloc(1, sizeof *p);
    if (!p || !(p->address = strdup(address)))
        abort();
    p->client = c;
    p->out.grow = p->line.grow = heap_text_grow;
    if (!spawn_words(p)) {
        free(p->address);
        free(p);
        return NULL;
    }
    p->readable = event_new(c->loop->base, p->process.out, EV_READ | EV_PERSIST, on_readable, p);
    p->complains = event_new(c->loop->base, p->process.err, EV_READ | EV_PERSIST, on_complaint, p);
    p->writable = event_new(c->loop->base, p->process.in, EV_WRITE, on_writable, p);
    event_add(p->readable, NULL);
    event_add(p->complains, NULL);
    LIST_INSERT_HEAD(&c->programs->busy, p, next);
    c->programs->count++;
    return p;
}

// --- exchanges

static struct exchange *exchange_of(struct seat *s)
{
    if (s->exchange)
        return s->exchange;
    s->exchange = calloc(1, sizeof *s->exchange);
    if (!s->exchange)
        abort();
    s->exchange->seat = s;
    s->exchange->timer = evtimer_new(s->client->loop->base, on_time, s->exchange);
    return s->exchange;
}

// The result is delivered from the loop.
static void schedule_outcome(struct exchange *e, struct outcome o)
{
    e->awaited = false;
    e->outcome = o;
    event_add(e->timer, &(struct timeval){0});
}

static struct program *find_idle(struct seat_client *c, const char *address)
{
    struct program *p;
    LIST_FOREACH(p, &c->programs->idle, next)
        if (strcmp(p->address, address) == 0) {
            LIST_REMOVE(p, next);
            LIST_INSERT_HEAD(&c->programs->busy, p, next);
            return p;
        }
    return NULL;
}

static int budget_of(const struct seat *s, enum seat_call call)
{
    const struct seat_options *o = &s->client->options;
    return call == SEAT_CREATE   ? o->create_ms
           : call == SEAT_DELETE ? o->delete_ms
           : s->turn_ms          ? s->turn_ms
                                 : o->decide_ms;
}

static void write_line(struct seat *s, const struct job *j, bool wants_answer)
{
    static const char *const ops[SEAT_CALLS] = {"choose", "choose", "choose", "choose", "events", "start", "end"};
    struct text *t = &s->program->out;
    text_puts(t, "{\"op\":\"");
    text_puts(t, ops[j->call]);
    text_put_char(t, '"');
    if (wants_answer) {
        text_puts(t, ",\"id\":");
        text_put_uint(t, s->exchange->id = ++s->program->lines);
    }
    if (j->body.size > 2) {
        text_put_char(t, ',');
        text_put(t, (struct span){j->body.at + 1, j->body.size - 1});
    } else {
        text_put_char(t, '}');
    }
    text_put_char(t, '\n');
}

static void send_request(struct exchange *e)
{
    struct seat *s = e->seat;
    struct job *j = s->now;
    bool wants_answer = j->call != SEAT_NOTIFICATION;
    if (s->program->out.size + j->body.size > WAITING_BYTES) {
        snprintf(e->text, sizeof e->text, "the program does not read its input");
        schedule_outcome(e, (struct outcome){.failed = true, .kind = SEAT_TIMEOUT});
        return;
    }
    s->call.requests++;
    e->began_us = loop_now_us();
    write_line(s, j, wants_answer);
    flush_input(s->program);
    if (!wants_answer) {
        schedule_outcome(e, (struct outcome){0});
        return;
    }
    int ms = budget_of(s, j->call);
    e->awaited = true;
    e->passed_over = false;
    event_add(e->timer, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

// Gets a program for the seat: an idle one, or a new one. Returns false if all are busy.
static bool assign_program(struct exchange *e)
{
    struct seat *s = e->seat;
    struct programs *all = s->client->programs;
    s->program = find_idle(s->client, s->address);
    if (!s->program && all->count >= s->client->options.max_programs && !LIST_EMPTY(&all->idle))
        end_program(LIST_FIRST(&all->idle), 0); // of another kind
    if (!s->program && all->count >= s->client->options.max_programs)
        return false;
    if (!s->program && !(s->program = program_create(s->client, s->address))) {
        snprintf(e->text, sizeof e->text, "cannot be started: %s", strerror(errno));
        schedule_outcome(e, (struct outcome){.failed = true, .kind = SEAT_TRANSPORT});
        return true;
    }
    s->program->seat = s;
    s->program->line.size = 0;
    send_request(e);
    return true;
}

static void on_serve(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct seat_client *c = arg;
    for (struct exchange *e; (e = TAILQ_FIRST(&c->programs->waiting)) && assign_program(e);) {
        TAILQ_REMOVE(&c->programs->waiting, e, next);
        e->queued = false;
    }
}

void program_send(struct seat *s, struct job *j)
{
    struct exchange *e = exchange_of(s);
    programs_of(s->client);
    if (j->call == SEAT_CREATE && !assign_program(e)) {
        e->queued = true;
        TAILQ_INSERT_TAIL(&s->client->programs->waiting, e, next);
    }
    if (j->call == SEAT_CREATE)
        return;
    if (s->program)
        send_request(e);
    else // it has crashed meanwhile, as e->text says
        schedule_outcome(e, (struct outcome){.failed = true, .kind = SEAT_CRASHED});
}

bool program_is_queued(const struct seat *s)
{
    return s->exchange && s->exchange->queued;
}

void program_cancel(struct seat *s)
{
    if (s->exchange->queued)
        TAILQ_REMOVE(&s->client->programs->waiting, s->exchange, next);
    s->exchange->queued = false;
    s->exchange->awaited = false; // a late answer has an old number
    event_del(s->exchange->timer);
}

void program_leave(struct seat *s)
{
    struct exchange *e = s->exchange;
    if (!e)
        return;
    if (e->queued)
        TAILQ_REMOVE(&s->client->programs->waiting, e, next);
    if (s->program) {
        end_program(s->program, 0);
        schedule_serve(s->client);
    }
    s->program = NULL;
    event_free(e->timer);
    free(e);
    s->exchange = NULL;
}

void seat_client_kill_programs(struct seat_client *c)
{
    while (c->programs && !LIST_EMPTY(&c->programs->busy))
        on_crash(LIST_FIRST(&c->programs->busy));
}

void programs_close(struct seat_client *c)
{
    struct programs *all = c->programs;
    if (!all)
        return;
    assert(LIST_EMPTY(&all->busy) && TAILQ_EMPTY(&all->waiting));
    struct program *p;
    LIST_FOREACH(p, &all->idle, next)
        kill(p->process.pid, SIGTERM); // not its children, whom it may have to tell how the match ended (N16)
    for (int64_t until = loop_now_us() + GENTLE_MS * 1000ll; !LIST_EMPTY(&all->idle);) {
        int64_t left = until - loop_now_us(); // shared by all of them
        end_program(LIST_FIRST(&all->idle), left > 0 ? (int)(left / 1000) : 0);
    }
    event_free(all->serve);
    free(all);
}
