// Bodies and messages sent back by our own HTTP and WebSocket: what they cost without anything behind them.
#include "net/ws.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct caller {
    struct ws *ws;
};

static void on_message(void *client, struct span text)
{
    ws_send(((struct caller *)client)->ws, text);
}

static void on_close(void *client)
{
    free(client);
}

static void on_request(void *owner, struct http_request *r)
{
    static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close};
    (void)owner;
    if (!ws_is_upgrade(r)) {
        http_reply(r, 200, "application/json", http_body(r));
        return;
    }
    struct caller *c = calloc(1, sizeof *c);
    c->ws = ws_accept(r, &handler, c, 65536, NULL);
    if (!c->ws)
        free(c);
}

int main(void)
{
    static const struct http_handler handler = {.on_request = on_request};
    struct http_options o;
    struct loop loop;
    signal(SIGPIPE, SIG_IGN);
    http_defaults(&o);
    o.conn.port = 0;
    loop_init(&loop);
    struct http *http = http_listen(&loop, &o, &handler, NULL);
    if (!http)
        return 1;
    printf("listening http://127.0.0.1:%u\n", conn_port(http_port(http)));
    fflush(stdout);
    loop_run(&loop);
    return 0;
}
