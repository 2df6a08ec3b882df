// Starting a bot: init, process, health check, smoke test; then it runs until it is stopped (B13.3-B13.7).
#include "base/utf8.h"
#include "seats/internal.h"
#include "seats/launch_internal.h"
#include "seats/spawn.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    POLL_MS = 20,                     // interval of checking a process
    HEALTH_MS = 200,                  // B13.6
    TERM_MS = 1000,                   // B13.7
    STOP_MS = 3000,                   // B13.7: for the whole stop
    CALL_MS = 5000,                   // time limit of a call of the health check or the smoke test
    SAID_ROOM = 2 * SPAWN_KEPT,       // both streams
    TEXT_ROOM = 4 * SAID_ROOM + 1024, // every byte of it may be escaped
};

// In this order; init may be missing. WAITING: for an answer to the health check. CREATING and DELETING: the smoke
// test. RUNNING: still watched, so that a crash is reported. FAILED: on_failed was called, the owner has to call
// launch_stop.
enum phase { STARTING, INITIALISING, WAITING, CREATING, DELETING, RUNNING, FAILED, STOPPING };

struct stream {
    struct tail tail;
    struct event *event;
    int fd;
};

struct launch {
    struct loop *loop;
    const struct launch_meta *meta;
    const struct launch_handler *handler;
    void *owner;
    struct seat_client *client; // for health check and smoke test
    struct call call;
    enum phase phase;
    int port;
    char address[64];
    char url[2 * SEAT_ID_ROOM], smoke[256];
    struct spawned process; // pid 0: none
    struct stream out, err;
    struct event *timer;
    int64_t due_us;    // deadline of init, start-up or stop
    int64_t health_us; // when to ask again
    bool killed;
};

static void schedule_check(struct launch *b)
{
    event_add(b->timer, &(struct timeval){.tv_usec = POLL_MS * 1000});
}

static int64_t in_ms(int64_t ms)
{
    return loop_now_us() + ms * 1000;
}

// --- output

static bool read_stream(struct stream *s)
{
    char bytes[4096];
    ssize_t n = s->fd >= 0 ? read(s->fd, bytes, sizeof bytes) : 0;
    if (n > 0)
        tail_add(&s->tail, bytes, (size_t)n);
    return n > 0;
}

static void close_stream(struct stream *s)
{
    while (read_stream(s))
        continue;
    if (s->event)
        event_free(s->event);
    if (s->fd >= 0)
        close(s->fd);
    s->event = NULL;
    s->fd = -1;
}

static void on_output(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct stream *s = arg;
    if (!read_stream(s) && errno != EAGAIN && errno != EINTR)
        event_del(s->event);
}

static void open_stream(struct launch *b, struct stream *s, int fd)
{
    s->fd = fd;
    s->event = event_new(b->loop->base, fd, EV_READ | EV_PERSIST, on_output, s);
    event_add(s->event, NULL);
}

// --- failing

static void fail_launch(struct launch *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail_launch(struct launch *b, const char *format, ...)
{
    static char text[TEXT_ROOM], said[SAID_ROOM], shown[4 * SAID_ROOM];
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    b->phase = FAILED;
    call_cancel(&b->call);
    while (read_stream(&b->out) || read_stream(&b->err))
        continue;
    size_t size = tail_copy(&b->out.tail, said, sizeof said / 2);
    tail_copy(&b->err.tail, said + size, sizeof said - size);
    utf8_copy_shown(shown, sizeof shown, span_of(said), true);
    snprintf(text, sizeof text, "%s: %s%s%s", b->meta->agent_name, what, *shown ? "; its last output:\n" : "", shown);
    b->handler->on_failed(b->owner, text);
}

static void fail_ended(struct launch *b, const char *when, int status)
{
    char how[64];
    b->process.pid = 0;
    spawn_describe_status(status, how, sizeof how);
    fail_launch(b, "it ended %s: %s", when, how);
}

static void warn_of_smoke_test(struct launch *b, const struct outcome *o)
{
    char text[512];
    snprintf(text, sizeof text, "%s: smoke test: %s", b->meta->agent_name, o->text);
    if (b->handler->on_warning)
        b->handler->on_warning(b->owner, text);
}

// --- processes

// A port that is free now. If somebody takes it before the bot does, the bot fails to start and says so.
static int find_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &size) == 0)
        port = ntohs(at.sin_port);
    if (fd >= 0)
        close(fd);
    return port;
}

static bool has_variable(const struct launch_meta *m, const char *name)
{
    size_t size = strlen(name);
    for (char **v = m->environment; v && *v; v++)
        if (strncmp(*v, name, size) == 0 && (*v)[size] == '=')
            return true;
    return false;
}

// Variables of the file, and ours unless the file sets them (B13.3). The strings belong to the file or to `own`.
static void list_variables(const struct launch *b, char own[2][64], char *list[], size_t room)
{
    size_t count = 0;
    for (char **v = b->meta->environment; v && *v && count + 3 < room; v++)
        list[count++] = *v;
    snprintf(own[0], 64, "PORT=%d", b->port);
    snprintf(own[1], 64, "LAUNCHER_PID=%d", (int)getpid());
    if (!has_variable(b->meta, "PORT"))
        list[count++] = own[0];
    if (!has_variable(b->meta, "LAUNCHER_PID"))
        list[count++] = own[1];
    list[count] = NULL;
}

static bool start_process(struct launch *b, const char *file, const char *arguments)
{
    static char line[65536];
    char own[2][64], *variables[512];
    list_variables(b, own, variables, sizeof variables / sizeof *variables);
    char **words = spawn_split(arguments);
    if (!words) {
        fail_launch(b, "a quote is open in its arguments: %s", arguments);
        return false;
    }
    size_t count = 0;
    while (words[count])
        count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all)
        abort();
    snprintf(line, sizeof line, "%s", file);
    all[0] = line;
    memcpy(all + 1, words, count * sizeof *words);
    int err = spawn_program(&b->process, all, b->meta->folder, variables, 0);
    free(all);
    spawn_free_words(words);
    if (err) {
        b->process.pid = 0;
        fail_launch(b, "cannot start %s: %s", file, strerror(err));
        return false;
    }
    open_stream(b, &b->out, b->process.out);
    open_stream(b, &b->err, b->process.err);
    return true;
}

static void end_process(struct launch *b)
{
    close_stream(&b->out);
    close_stream(&b->err);
    b->process.pid = 0;
}

// --- health and smoke test

static void on_called(void *owner, const struct outcome *o);

static void send_call(struct launch *b, const char *path, struct span body, bool is_get)
{
    snprintf(b->url, sizeof b->url, "%s/%s", b->address, path);
    b->call.url = b->url;
    b->call.body = body;
    b->call.is_get = is_get;
    b->call.budget_ms = CALL_MS;
    b->call.retries = 0;
    b->call.max_bytes = ACKNOWLEDGED_BYTES;
    b->call.on_done = on_called;
    b->call.owner = b;
    call_start(&b->call);
}

static void create_session(struct launch *b)
{
    bool belote = strcmp(b->meta->game, "belote") == 0;
    if (belote)
        snprintf(b->smoke, sizeof b->smoke, "{\"position\":\"Bottom\",\"matchId\":\"__smoke_test__\"}");
    else
        snprintf(b->smoke, sizeof b->smoke,
                 "{\"game\":\"%s\",\"seat\":0,\"seats\":[\"seat_0\"%s],\"matchId\":\"__smoke_test__\"}", b->meta->game,
                 strcmp(b->meta->game, "tetris") == 0 ? "" : ",\"seat_1\"");
    b->phase = CREATING;
    send_call(b, "api/sessions", span_of(b->smoke), false);
}

static void set_ready(struct launch *b)
{
    b->phase = RUNNING;
    b->handler->on_ready(b->owner, b->address);
}

static void on_created(struct launch *b, const struct outcome *o)
{
    char id[SEAT_ID_ROOM / 3], path[SEAT_ID_ROOM + 32];
    if (o->failed && o->kind != SEAT_STATUS) {
        fail_launch(b, "its smoke test fails: %s", o->text);
        return;
    }
    if (o->failed || wire_read_session(text_span(&b->call.reply), id, sizeof id) != OK) {
        warn_of_smoke_test(b, o->failed ? o : &(struct outcome){.text = "the answer has no sessionId"});
        set_ready(b);
        return;
    }
    char *escaped = curl_easy_escape(NULL, id, 0);
    snprintf(path, sizeof path, "api/sessions/%s", escaped);
    curl_free(escaped);
    b->phase = DELETING;
    send_call(b, path, (struct span){0}, false);
}

static void on_called(void *owner, const struct outcome *o)
{
    struct launch *b = owner;
    if (b->phase == WAITING && !o->failed) {
        create_session(b);
    } else if (b->phase == WAITING) {
        b->health_us = in_ms(HEALTH_MS);
    } else if (b->phase == CREATING) {
        on_created(b, o);
    } else if (b->phase == DELETING && o->failed && o->kind != SEAT_STATUS) {
        fail_launch(b, "its smoke test fails: %s", o->text);
    } else if (b->phase == DELETING) {
        if (o->failed)
            warn_of_smoke_test(b, o);
        set_ready(b);
    }
}

// --- stages

static void start_server(struct launch *b)
{
    b->phase = WAITING;
    b->due_us = in_ms(b->meta->startup_timeout_s * 1000LL);
    b->health_us = in_ms(0);
    start_process(b, b->meta->file_name, b->meta->arguments);
}

static void start_init(struct launch *b)
{
    if (!b->meta->init) {
        start_server(b);
        return;
    }
    b->phase = INITIALISING;
    b->due_us = in_ms(b->meta->init_timeout_s * 1000LL);
    start_process(b, b->meta->init, b->meta->init_arguments);
}

static void check_init(struct launch *b)
{
    int status = 0;
    if (spawn_wait(b->process.pid, 0, &status)) {
        if (status == 0) {
            end_process(b);
            start_server(b);
        } else {
            fail_ended(b, "while it was initialised", status);
        }
    } else if (loop_now_us() > b->due_us) {
        fail_launch(b, "its init takes longer than %d s", b->meta->init_timeout_s);
    }
}

static void check_server(struct launch *b)
{
    int status = 0;
    if (spawn_wait(b->process.pid, 0, &status))
        fail_ended(b, b->phase == RUNNING ? "while it was in use" : "before it was ready", status);
    else if (b->phase == WAITING && loop_now_us() > b->due_us)
        fail_launch(b, "no answer from %s/%s within %d s", b->address, b->meta->health, b->meta->startup_timeout_s);
    else if (b->phase == WAITING && !b->call.running && loop_now_us() >= b->health_us)
        send_call(b, b->meta->health + (b->meta->health[0] == '/'), (struct span){0}, true);
}

static void free_launch(struct launch *b)
{
    end_process(b);
    call_release(&b->call);
    seat_client_close(b->client);
    event_free(b->timer);
    b->handler->on_stopped(b->owner);
    free(b);
}

static void check_stop(struct launch *b)
{
    int status;
    int64_t left_us = b->due_us - loop_now_us();
    if (!b->process.pid || spawn_wait(b->process.pid, 0, &status) || left_us <= 0) {
        // A negative pid is the process group: the bot and whatever it has started (B13.7).
        if (b->process.pid)
            kill(-b->process.pid, SIGKILL); // including processes that it started
        free_launch(b);
        return;
    }
    if (!b->killed && left_us <= (STOP_MS - TERM_MS) * 1000LL) {
        b->killed = true;
        kill(-b->process.pid, SIGKILL);
        kill(b->process.pid, SIGKILL); // it may have left its group
    }
    schedule_check(b);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct launch *b = arg;
    if (b->phase == STOPPING) {
        check_stop(b);
        return;
    }
    if (b->phase == STARTING)
        start_init(b);
    else if (b->phase == INITIALISING)
        check_init(b);
    else if (b->phase != FAILED)
        check_server(b);
    if (b->phase != STOPPING) // the owner may just have stopped it
        schedule_check(b);
}

// --- public functions

struct launch *launch_start(struct loop *l, const struct launch_meta *meta, const struct launch_handler *h, void *owner)
{
    struct seat_options options;
    struct launch *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->loop = l;
    b->meta = meta;
    b->handler = h;
    b->owner = owner;
    b->out.fd = b->err.fd = -1;
    b->port = meta->port ? meta->port : find_port();
    snprintf(b->address, sizeof b->address, "http://localhost:%d", b->port);
    seat_options_init(&options);
    b->client = seat_client_open(l, &options);
    if (!b->client)
        abort();
    b->call.client = b->client;
    b->call.origin = origin_find(b->client, b->address);
    b->timer = evtimer_new(l->base, on_timer, b);
    event_add(b->timer, &(struct timeval){0});
    return b;
}

void launch_stop(struct launch *b)
{
    if (b->phase == STOPPING)
        return;
    b->phase = STOPPING;
    call_cancel(&b->call);
    if (b->process.pid)
        kill(-b->process.pid, SIGTERM);
    b->due_us = in_ms(STOP_MS);
    event_add(b->timer, &(struct timeval){0});
}
