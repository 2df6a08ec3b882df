#include "front/lines/adapter_server.h"

#include "front/lines/message.h"
#include "front/lines/wire_log.h"

#include <errno.h>
#include <stdlib.h>

void adapter_server_defaults(struct adapter_server_options *o)
{
    *o = (struct adapter_server_options){
        .host = "127.0.0.1", .port = 7777, .max_connections = 16384, .max_waiting_bytes = 262144, .log_every = 1};
    adapter_defaults(&o->adapter);
}

// A client on a TCP socket.
struct tcp_client {
    struct lines lines;
    struct adapter_client *client;
};

// --- the adapter's transport

static struct conn *conn_of(void *link)
{
    return ((struct tcp_client *)link)->lines.conn;
}

static void link_reply(void *link, struct span line)
{
    conn_reply(conn_of(link), line);
}

static bool link_write(void *link, struct span line)
{
    return conn_write(conn_of(link), line);
}

static void link_flush(void *link)
{
    conn_flush(conn_of(link));
}

static size_t link_waiting(void *link)
{
    return conn_waiting(conn_of(link));
}

static void link_hold(void *link)
{
    conn_hold(conn_of(link));
}

static void link_hang_up(void *link)
{
    conn_hang_up(conn_of(link));
}

static bool link_is_gone(void *link)
{
    return conn_is_disconnected(conn_of(link));
}

static void link_greeted(void *link)
{
    conn_set_greeted(conn_of(link));
}

static const struct adapter_link tcp_link = {
    .reply = link_reply,
    .write = link_write,
    .flush = link_flush,
    .waiting = link_waiting,
    .hold = link_hold,
    .hang_up = link_hang_up,
    .is_gone = link_is_gone,
    .greeted = link_greeted,
    .paced = true,
};

// --- events of connections

static void on_line(void *client, struct span line)
{
    adapter_line(((struct tcp_client *)client)->client, line, loop_now_us());
}

static void on_fault(void *client, enum lines_fault fault)
{
    adapter_fault(((struct tcp_client *)client)->client,
                  fault == LINES_TOO_LONG ? "a line may have at most 65536 bytes" : "a line must be valid UTF-8");
}

static void *on_open(void *owner, struct conn *conn)
{
    struct adapter_server *s = owner;
    struct tcp_client *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->lines = (struct lines){conn, MESSAGE_MAX_BYTES, t, on_line, on_fault, false};
    t->client = adapter_open(s->adapter, &tcp_link, t, NULL);
    if (t->client)
        return t;
    free(t);
    return NULL;
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    return lines_cut(&((struct tcp_client *)client)->lines, bytes, seen);
}

static void on_close(void *client)
{
    struct tcp_client *t = client;
    adapter_close(t->client, loop_now_us());
    free(t);
}

// --- time

static void on_turn_end(void *owner)
{
    struct adapter_server *s = owner;
    loop_set_alarm(s->timer, adapter_advance(s->adapter, loop_now_us()));
}

void adapter_server_touch(struct adapter_server *s)
{
    loop_end_turn(s->loop);
}

static const struct conn_handler handler = {.on_open = on_open, .on_bytes = on_bytes, .on_close = on_close};

int adapter_server_open(struct adapter_server *s, struct loop *l, const struct adapter_server_options *o, bool listen,
                        struct text *log)
{
    struct adapter_options adapter = o->adapter;
    // Read once, so that ts in the messages never goes backwards, even if somebody sets the wall clock.
    adapter.unix_offset_ms = loop_unix_ms() - loop_now_us() / 1000;
    *s = (struct adapter_server){.loop = l, .adapter = adapter_create(&adapter, log)};
    if (!s->adapter)
        return EINVAL;
    loop_add_hook(l, on_turn_end, s); // before the hook of the connections, which sends what this one writes
    if (listen) {
        struct conn_options port = {.host = o->host,
                                    .port = o->port,
                                    .max_waiting_bytes = o->max_waiting_bytes,
                                    .max_connections = o->max_connections,
                                    .admission = o->admission};
        s->port = conn_listen(l, &port, &handler, s);
        if (!s->port) {
            int err = errno;
            loop_remove_hook(l, s);
            adapter_destroy(s->adapter);
            return err;
        }
    }
    s->timer = loop_new_alarm(l);
    if (o->log_path) {
        s->log = wire_log_open(o->log_path, o->log_every, o->log_max_lines);
        if (s->log)
            adapter_listen(s->adapter, wire_log_add, s->log);
    }
    loop_end_turn(l);
    return 0;
}

void adapter_server_close(struct adapter_server *s)
{
    if (s->port)
        conn_close(s->port);
    adapter_destroy(s->adapter);
    loop_remove_hook(s->loop, s);
    event_free(s->timer);
    if (s->log)
        wire_log_close(s->log);
    *s = (struct adapter_server){0};
}
