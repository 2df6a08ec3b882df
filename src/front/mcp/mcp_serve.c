#include "front/mcp/mcp_serve.h"

#include <errno.h>

enum { MAX_CONNECTIONS = 1024 };

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// When the process has been without sessions for long enough (G1.2).
static int64_t check_linger(struct mcp_serve *s, int64_t now_us)
{
    if (s->linger_us == 0 || mcp_host_count(s->host) > 0) {
        s->alone_us = INT64_MAX;
        return INT64_MAX;
    }
    if (s->alone_us == INT64_MAX)
        s->alone_us = now_us;
    if (now_us - s->alone_us >= s->linger_us)
        loop_stop(s->loop);
    return s->alone_us + s->linger_us;
}

static void on_turn_end(void *owner)
{
    struct mcp_serve *s = owner;
    int64_t now = loop_now_us();
    int64_t due = earlier(mcp_http_advance(s->http, now), mcp_host_advance(s->host, now));
    loop_set_alarm(s->timer, earlier(due, check_linger(s, now)));
}

static bool open_socket(struct mcp_serve *s, const struct mcp_serve_options *o)
{
    struct mcp_socket_options socket = {.path = o->socket,
                                        .max_message = o->host.max_message,
                                        .max_waiting = MCP_MAX_WAITING,
                                        .max_connections = MAX_CONNECTIONS};
    if (!o->socket)
        return true;
    s->socket = mcp_socket_open(s->host, s->loop, &socket);
    return s->socket != NULL;
}

int mcp_serve_open(struct mcp_serve *s, struct loop *l, const struct mcp_serve_options *o)
{
    *s = (struct mcp_serve){.loop = l, .linger_us = (int64_t)o->linger_s * 1000000, .alone_us = INT64_MAX};
    struct env_options env = o->env;
    env.work = loop_work(l);
    s->env = env_create(&env);
    struct mcp_options host = o->host;
    host.work = env.work;
    s->host = s->env ? mcp_host_create(&host, s->env) : NULL;
    s->http = s->host ? mcp_http_create(s->host, &o->http) : NULL;
    if (s->http) {
        loop_add_hook(l, on_turn_end, s); // before the connections' own: they send what this makes
        s->timer = loop_new_alarm(l);
    }
    errno = ENOMEM;
    if (s->http && open_socket(s, o)) {
        loop_end_turn(l);
        return 0;
    }
    int err = errno;
    mcp_serve_close(s);
    return err;
}

void mcp_serve_end_sessions(struct mcp_serve *s)
{
    env_announce_end(s->env); // G21.5
    mcp_host_log(s->host, MCP_WARNING, "the server is shutting down");
    if (s->socket)
        mcp_socket_close(s->socket);
    s->socket = NULL;
    mcp_http_destroy(s->http);
    s->http = NULL;
}

void mcp_serve_close(struct mcp_serve *s)
{
    if (s->socket)
        mcp_socket_close(s->socket);
    if (s->http)
        mcp_http_destroy(s->http);
    if (s->host)
        mcp_host_destroy(s->host);
    if (s->env)
        env_destroy(s->env);
    if (s->timer) {
        loop_remove_hook(s->loop, s);
        event_free(s->timer);
    }
    *s = (struct mcp_serve){0};
}
