#include "front/mcp/mcp_stdio.h"

#include "front/mcp/mcp_pipe.h"
#include "net/loop.h"

#include <poll.h>
#include <sched.h>

enum {
    FAREWELL_US = 1000000, // G21.4: longest time to write what is left after the end of the input
    // Interval of checking whether a client that does not read has disconnected: its input is not polled meanwhile.
    STALL_US = 500000,
    AWAKE_US = 200, // waits actively for so long if the client is quick: waking each other costs more than a step
    GLANCES = 256,  // turns without a check of signals
};

struct stdio {
    struct mcp_pipe pipe;
    struct mcp_host *host;
    struct mcp_session *session;
    bool brisk; // the client's last line came within AWAKE_US
    unsigned turns;
};

static void link_send(void *conn, uint64_t tag, enum mcp_output kind, struct span message)
{
    (void)tag, (void)kind;
    mcp_pipe_send(&((struct stdio *)conn)->pipe, message);
}

static const struct mcp_link pipe_link = {.send = link_send};

static void on_line(void *client, struct span line)
{
    mcp_session_handle(((struct stdio *)client)->session, line, 0, loop_now_us());
}

static void on_too_long(void *client)
{
    mcp_session_too_large(((struct stdio *)client)->session);
}

static bool go_on(void *client)
{
    return mcp_pipe_may_read(&((struct stdio *)client)->pipe);
}

// Sleeping costs more than a step, because the two processes must wake each other. So a client that asks again at once,
// as training does, is awaited actively, while other processes may run; for a slow client the process sleeps.
static int wait_awake(struct pollfd fds[2], int64_t until_us, const sigset_t *awake)
{
    static const struct timespec at_once = {0};
    int ready = ppoll(fds, 2, &at_once, awake);
    while (ready == 0 && loop_now_us() < until_us) {
        sched_yield();
        ready = ppoll(fds, 2, &at_once, awake);
    }
    return ready;
}

// The same without polling first, which saves a system call for each message. False: nothing came, or the system does
// not support it.
static bool read_awake(struct mcp_pipe *p, int64_t until_us)
{
    enum mcp_try done = mcp_pipe_try_read(p); // whom an answer wakes may have run at once, in our place
    while (done == MCP_NOTHING && loop_now_us() < until_us) {
        sched_yield();
        done = mcp_pipe_try_read(p);
    }
    return done == MCP_TAKEN;
}

static int wait_asleep(struct pollfd fds[2], int64_t due_us, const sigset_t *awake)
{
    int64_t now = loop_now_us(), wait = due_us == INT64_MAX || due_us < now ? 0 : due_us - now;
    struct timespec limit = {wait / 1000000, wait % 1000000 * 1000};
    return ppoll(fds, 2, due_us == INT64_MAX ? NULL : &limit, awake);
}

// Waits until something can be done, or until `due_us`. Checks from time to time whether a client that does not read is
// still connected.
static void take_turn(struct stdio *s, int64_t due_us, const sigset_t *awake)
{
    struct mcp_pipe *p = &s->pipe;
    int64_t now = loop_now_us();
    bool wants = mcp_pipe_may_read(p);
    if (!wants && due_us > now + STALL_US)
        due_us = now + STALL_US;
    int64_t brisk_us = due_us < now + AWAKE_US ? due_us : now + AWAKE_US;
    if (s->brisk && wants && !mcp_pipe_waiting(p) && ++s->turns % GLANCES && read_awake(p, brisk_us))
        return;
    struct pollfd fds[2] = {{.fd = wants ? p->in : -1, .events = POLLIN},
                            {.fd = mcp_pipe_waiting(p) ? p->out : -1, .events = POLLOUT}};
    int ready = s->brisk ? wait_awake(fds, brisk_us, awake) : 0;
    if (ready == 0)
        ready = wait_asleep(fds, due_us, awake);
    s->brisk = loop_now_us() < now + AWAKE_US;
    if (ready == 0 && !wants && mcp_pipe_has_hung_up(p))
        p->ended = true;
    if (ready > 0 && fds[1].revents)
        mcp_pipe_write(p);
    if (ready > 0 && fds[0].revents)
        mcp_pipe_read(p);
}

static void serve_client(struct stdio *s, const sigset_t *awake)
{
    struct mcp_pipe *p = &s->pipe;
    while (!p->ended && !p->broken && !mcp_stop_requested()) {
        if (p->in_size > p->in_seen && mcp_pipe_may_read(p))
            mcp_pipe_split(p);
        int64_t due = mcp_host_advance(s->host, loop_now_us());
        mcp_pipe_write(p);
        if (p->in_size > p->in_seen && mcp_pipe_may_read(p))
            continue; // everything is written: continue with input that was held back
        take_turn(s, due, awake);
    }
}

bool mcp_stdio_run(struct mcp_host *h, const struct mcp_stdio_options *o)
{
    struct stdio s = {.host = h};
    sigset_t awake;
    s.session = mcp_session_open(h, &pipe_link, &s, NULL, NULL);
    if (!s.session)
        return false;
    mcp_pipe_init(&s.pipe, o->in, o->out, o->max_waiting,
                  &(struct mcp_lines){o->max_message, &s, on_line, on_too_long, go_on, false});
    mcp_stop_watch(&awake);
    serve_client(&s, &awake);
    if (mcp_stop_requested()) // G21.5
        mcp_host_log(h, MCP_WARNING, "the server is shutting down");
    mcp_pipe_linger(&s.pipe, FAREWELL_US);
    mcp_session_close(s.session, loop_now_us());
    bool done = !s.pipe.broken;
    mcp_pipe_release(&s.pipe);
    return done;
}
