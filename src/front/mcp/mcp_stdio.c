#include "front/mcp/mcp_stdio.h"

#include "front/mcp/mcp_lines.h"
#include "net/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    HOLD_BYTES = 1 << 20,     // so much unread output, and no more input is taken
    FAREWELL_US = 1000000, // G21.4: what waits may leave for so long after the end of the input
};

struct pipes {
    struct mcp_stdio_options o;
    struct mcp_host *host;
    struct mcp_lines lines;
    char *in, *out;
    size_t in_size, in_room, in_seen;
    size_t out_size, out_sent, out_room;
    bool ended, broken;
};

// --- output: gathered during a turn, written once at its end

static bool out_add(struct pipes *p, struct span bytes)
{
    if (p->out_size + bytes.size > p->out_room) {
        size_t room = p->out_room ? p->out_room : READ_BYTES;
        while (room < p->out_size + bytes.size)
            room *= 2;
        char *grown = realloc(p->out, room);
        if (!grown)
            return false;
        p->out = grown;
        p->out_room = room;
    }
    memcpy(p->out + p->out_size, bytes.at, bytes.size);
    p->out_size += bytes.size;
    return true;
}

static void link_send(void *conn, uint64_t tag, enum mcp_sort sort, struct span message)
{
    (void)tag, (void)sort;
    struct pipes *p = conn;
    if (p->out_size - p->out_sent + message.size > p->o.max_waiting || !out_add(p, message) || !out_add(p, SPAN("\n")))
        p->broken = true;
}

static const struct mcp_link pipe_link = {.send = link_send};

static void write_out(struct pipes *p)
{
    while (p->out_sent < p->out_size && !p->broken) {
        ssize_t n = write(p->o.out, p->out + p->out_sent, p->out_size - p->out_sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            p->broken = true;
        else
            p->out_sent += (size_t)n;
    }
    p->out_sent = p->out_size = 0;
}

static size_t waiting(const struct pipes *p)
{
    return p->out_size - p->out_sent;
}

// --- input

static bool is_wanted(void *conn)
{
    const struct pipes *p = conn;
    return !p->broken && waiting(p) < HOLD_BYTES;
}

static void cut(struct pipes *p, int64_t now_us)
{
    struct span bytes = {p->in, p->in_size};
    size_t used = mcp_lines_cut(&p->lines, bytes, p->in_seen, now_us, is_wanted, p);
    memmove(p->in, p->in + used, p->in_size - used);
    p->in_size -= used;
    p->in_seen = is_wanted(p) ? p->in_size : 0; // held back: lines may be left
}

static void read_in(struct pipes *p)
{
    if (p->in_room - p->in_size < READ_BYTES) {
        size_t room = p->in_room ? p->in_room * 2 : 2 * READ_BYTES;
        char *grown = realloc(p->in, room);
        if (!grown) {
            p->broken = true;
            return;
        }
        p->in = grown;
        p->in_room = room;
    }
    ssize_t n = read(p->o.in, p->in + p->in_size, p->in_room - p->in_size);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        p->ended = true;
        return;
    }
    p->in_size += (size_t)n;
    cut(p, loop_now_us());
}

// --- turns

static volatile sig_atomic_t stopped;

static void on_stop(int signal)
{
    (void)signal;
    stopped = 1;
}

// Waits until something can be done or `due_us`; signals come only while it waits.
static void take_turn(struct pipes *p, int64_t due_us, const sigset_t *awake)
{
    int64_t wait = due_us == INT64_MAX ? -1 : due_us - loop_now_us();
    struct timespec limit = {wait > 0 ? wait / 1000000 : 0, wait > 0 ? wait % 1000000 * 1000 : 0};
    struct pollfd fds[2] = {{.fd = p->o.in, .events = is_wanted(p) ? POLLIN : 0},
                            {.fd = waiting(p) ? p->o.out : -1, .events = POLLOUT}};
    if (ppoll(fds, 2, due_us == INT64_MAX ? NULL : &limit, awake) < 0)
        return;
    if (fds[1].revents)
        write_out(p);
    if (is_wanted(p) && fds[0].revents)
        read_in(p);
    else if (fds[0].revents & (POLLHUP | POLLERR)) // the client is gone, and does not read either
        p->ended = true;
}

static void serve(struct pipes *p, const sigset_t *awake)
{
    while (!p->ended && !p->broken && !stopped) {
        if (p->in_size && p->in_seen == 0 && is_wanted(p))
            cut(p, loop_now_us());
        int64_t due = mcp_host_advance(p->host, loop_now_us());
        write_out(p);
        take_turn(p, due, awake);
    }
}

static void say_farewell(struct pipes *p)
{
    for (int64_t until = loop_now_us() + FAREWELL_US, left; waiting(p) && !p->broken; write_out(p)) {
        struct pollfd fd = {.fd = p->o.out, .events = POLLOUT};
        left = until - loop_now_us();
        if (left <= 0 || poll(&fd, 1, (int)(left / 1000) + 1) <= 0)
            return;
    }
}

// A pipe or socket that nobody else writes to must not hold up the end of the input; a terminal or file stays as it is.
static int make_patient(int fd)
{
    struct stat s;
    int flags = fcntl(fd, F_GETFL);
    if (fstat(fd, &s) != 0 || !(S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)) || flags < 0 || flags & O_NONBLOCK)
        return -1;
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

bool mcp_stdio_run(struct mcp_host *h, const struct mcp_stdio_options *o)
{
    struct pipes p = {.o = *o, .host = h};
    sigset_t asleep, before;
    struct sigaction stop = {.sa_handler = on_stop};
    p.lines = (struct mcp_lines){mcp_session_open(h, &pipe_link, &p, NULL, NULL), o->max_message, false};
    if (!p.lines.session)
        return false;
    sigemptyset(&asleep);
    sigaddset(&asleep, SIGINT);
    sigaddset(&asleep, SIGTERM);
    sigprocmask(SIG_BLOCK, &asleep, &before);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    int flags = make_patient(o->out);
    stopped = 0;
    serve(&p, &before);
    if (stopped) // G21.5
        mcp_host_log(h, MCP_WARNING, "the server is shutting down");
    write_out(&p);
    say_farewell(&p);
    mcp_session_close(p.lines.session, loop_now_us());
    if (flags >= 0)
        fcntl(o->out, F_SETFL, flags);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(p.in);
    free(p.out);
    return !p.broken;
}
