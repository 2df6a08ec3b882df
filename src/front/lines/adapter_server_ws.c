#include "front/lines/adapter_server_ws.h"

#include "front/lines/message.h"
#include "net/ws.h"

#include <stdlib.h>

struct ws_client {
    struct ws *ws;
    struct adapter_client *client;
};

static struct ws *ws_of(void *link)
{
    return ((struct ws_client *)link)->ws;
}

// The adapter's lines end with LF; a WebSocket message does not need it.
static struct span without_end(struct span line)
{
    line.size--;
    return line;
}

static void link_reply(void *link, struct span line)
{
    ws_send(ws_of(link), without_end(line));
}

static bool link_write(void *link, struct span line)
{
    return ws_send_now(ws_of(link), without_end(line));
}

static void link_flush(void *link)
{
    conn_flush(ws_conn(ws_of(link)));
}

static size_t link_waiting(void *link)
{
    return conn_waiting(ws_conn(ws_of(link)));
}

static void link_hold(void *link)
{
    conn_hold(ws_conn(ws_of(link)));
}

static void link_hang_up(void *link)
{
    ws_end(ws_of(link), WS_POLICY, "");
}

static bool link_is_gone(void *link)
{
    return conn_is_disconnected(ws_conn(ws_of(link)));
}

static void link_greeted(void *link)
{
    (void)link; // the HTTP handshake is done already
}

static const struct adapter_link ws_link = {
    .reply = link_reply,
    .write = link_write,
    .flush = link_flush,
    .waiting = link_waiting,
    .hold = link_hold,
    .hang_up = link_hang_up,
    .is_gone = link_is_gone,
    .greeted = link_greeted,
};

static void on_message(void *client, struct span text)
{
    adapter_line(((struct ws_client *)client)->client, text, loop_now_us());
}

static void on_close(void *client)
{
    struct ws_client *c = client;
    adapter_close(c->client, loop_now_us());
    free(c);
}

static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close};

void adapter_server_ws_open(struct adapter_server *s, struct http_request *r, const char *const *origins)
{
    char table[MESSAGE_MAX_NAME + 1] = "";
    // Browsers let any page open a WebSocket to any address; only the Origin header identifies a foreign page.
    if (!http_is_origin_allowed(r, origins)) {
        http_reply(r, 403, "text/plain; charset=utf-8", SPAN("origin not allowed"));
        return;
    }
    struct ws_client *c = calloc(1, sizeof *c);
    http_query(r, "table", table, sizeof table);
    if (c)
        c->client = adapter_open(s->adapter, &ws_link, c, table[0] ? table : NULL);
    if (!c || !c->client) {
        free(c);
        http_reply(r, 503, "text/plain", SPAN("no memory\n"));
        return;
    }
    c->ws = ws_accept(r, &handler, c, MESSAGE_MAX_BYTES, NULL);
    if (!c->ws)
        on_close(c);
    adapter_server_touch(s);
}
