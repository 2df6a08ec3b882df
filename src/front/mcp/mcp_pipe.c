#include "front/mcp/mcp_pipe.h"

#include "net/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// HOLD_BYTES: with so much output unread no more input is taken, so a client that does not read gets no new answers
// made.
enum { READ_BYTES = 65536, HOLD_BYTES = 1 << 20 };

size_t mcp_pipe_waiting(const struct mcp_pipe *p)
{
    return p->out_size - p->out_sent;
}

bool mcp_pipe_may_read(const struct mcp_pipe *p)
{
    return !p->broken && mcp_pipe_waiting(p) < HOLD_BYTES;
}

// A pipe or socket must not hold up the end of the input; a terminal or a file stays as it is.
static int make_patient(int fd)
{
    struct stat s;
    int flags = fcntl(fd, F_GETFL);
    if (fstat(fd, &s) != 0 || !(S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)) || flags < 0 || flags & O_NONBLOCK)
        return -1;
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

void mcp_pipe_init(struct mcp_pipe *p, int in, int out, size_t max_waiting, const struct mcp_lines *lines)
{
    *p = (struct mcp_pipe){.in = in, .out = out, .max_waiting = max_waiting, .lines = *lines};
    p->flags = make_patient(out);
}

void mcp_pipe_release(struct mcp_pipe *p)
{
    // O_NONBLOCK belongs to the open file, which other processes may share, so it is put back.
    if (p->flags >= 0)
        fcntl(p->out, F_SETFL, p->flags);
    free(p->in_at);
    free(p->out_at);
}

static bool make_room(char **at, size_t *room, size_t need)
{
    size_t wanted = *room ? *room : 2 * READ_BYTES;
    while (wanted < need)
        wanted *= 2;
    if (wanted == *room)
        return true;
    char *grown = realloc(*at, wanted);
    if (!grown)
        return false;
    *at = grown;
    *room = wanted;
    return true;
}

void mcp_pipe_send(struct mcp_pipe *p, struct span line)
{
    if (mcp_pipe_waiting(p) + line.size + 1 > p->max_waiting ||
        !make_room(&p->out_at, &p->out_room, p->out_size + line.size + 1)) {
        p->broken = true;
        return;
    }
    memcpy(p->out_at + p->out_size, line.at, line.size);
    p->out_at[p->out_size + line.size] = '\n';
    p->out_size += line.size + 1;
}

void mcp_pipe_write(struct mcp_pipe *p)
{
    while (p->out_sent < p->out_size && !p->broken) {
        ssize_t n = write(p->out, p->out_at + p->out_sent, p->out_size - p->out_sent);
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

void mcp_pipe_split(struct mcp_pipe *p)
{
    if (p->in_size == 0)
        return;
    size_t used = mcp_lines_split(&p->lines, (struct span){p->in_at, p->in_size}, p->in_seen);
    memmove(p->in_at, p->in_at + used, p->in_size - used);
    p->in_size -= used;
    p->in_seen = p->lines.go_on(p->lines.client) ? p->in_size : 0; // held back: whole lines may be left
}

static void take_input(struct mcp_pipe *p, ssize_t n)
{
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        p->ended = true;
        return;
    }
    p->in_size += (size_t)n;
    mcp_pipe_split(p);
}

void mcp_pipe_read(struct mcp_pipe *p)
{
    if (!make_room(&p->in_at, &p->in_room, p->in_size + READ_BYTES)) {
        p->broken = true;
        return;
    }
    take_input(p, read(p->in, p->in_at + p->in_size, p->in_room - p->in_size));
}

enum mcp_try mcp_pipe_try_read(struct mcp_pipe *p)
{
    if (!make_room(&p->in_at, &p->in_room, p->in_size + READ_BYTES)) {
        p->broken = true;
        return MCP_TAKEN;
    }
    struct iovec room = {p->in_at + p->in_size, p->in_room - p->in_size};
    // -1: pipes have no offset.
    ssize_t n = preadv2(p->in, &room, 1, -1, RWF_NOWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return MCP_NOTHING;
    if (n < 0)
        return MCP_CANNOT; // a terminal, or an older system
    take_input(p, n);
    return MCP_TAKEN;
}

void mcp_pipe_linger(struct mcp_pipe *p, int64_t us)
{
    int64_t until = loop_now_us() + us;
    for (mcp_pipe_write(p); mcp_pipe_waiting(p) && !p->broken; mcp_pipe_write(p)) {
        struct pollfd fd = {.fd = p->out, .events = POLLOUT};
        int64_t left = until - loop_now_us();
        if (left <= 0 || poll(&fd, 1, (int)(left / 1000) + 1) <= 0)
            return;
    }
}

bool mcp_pipe_has_hung_up(const struct mcp_pipe *p)
{
    struct pollfd fd = {.fd = p->in, .events = POLLRDHUP};
    return poll(&fd, 1, 0) > 0;
}

// --- signals

// The only thing that the handler touches; read between two turns, while the signals are blocked.
static volatile sig_atomic_t stopped;

static void on_stop(int signal)
{
    (void)signal;
    stopped = 1;
}

void mcp_stop_watch(sigset_t *awake)
{
    sigset_t asleep;
    struct sigaction stop = {.sa_handler = on_stop};
    sigemptyset(&asleep);
    sigaddset(&asleep, SIGINT);
    sigaddset(&asleep, SIGTERM);
    sigprocmask(SIG_BLOCK, &asleep, awake);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigdelset(awake, SIGINT);
    sigdelset(awake, SIGTERM);
}

bool mcp_stop_requested(void)
{
    return stopped;
}
