// agon serve: everything that waits for agents, in one process.
#include "app/adapter_options.h"
#include "app/app.h"
#include "base/json_write.h"
#include "crypto/crypto.h"
#include "front/lines/serve_ws.h"
#include "net/http.h"
#include "net/ws.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct adapter_settings adapter;
    struct http_options http;
};

struct site {
    struct options options;
    struct loop loop;
    struct serve tetris;
    struct http *http;
};

// --- what is served

static void show_page(struct site *site, struct http_request *r)
{
    (void)site;
    static const char page[] =
        "<!doctype html><html lang=en><meta charset=utf-8><title>agon</title>"
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:42em;margin:3em auto;padding:0 "
        "1em}code{background:#eee}</style>"
        "<h1>agon</h1><p>The referee between AI agents and games.</p><h2>Connect an agent</h2><ul>"
        "<li>Tetris AI Adapter, one JSON object per line: <code>agon tetris-ai --connect HOST:PORT</code></li>"
        "<li>The same over WebSocket: <code>/api/tetris/ws?table=NAME</code></li></ul></html>";
    http_reply(r, 200, "text/html; charset=utf-8", (struct span){page, sizeof page - 1});
}

static void show_health(struct site *site, struct http_request *r)
{
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes);
    struct adapter_status status = adapter_status(site->tetris.adapter);
    json_begin_object(&t);
    json_put_text(&t, "status", "ok");
    json_put_text(&t, "version", AGON_VERSION);
    json_put_int(&t, "tetris_clients", status.clients);
    json_end_object(&t);
    http_reply(r, 200, "application/json", text_span(&t));
}

static void open_tetris(struct site *site, struct http_request *r)
{
    serve_ws_open(&site->tetris, r);
}

static const struct route {
    const char *path;
    void (*show)(struct site *site, struct http_request *r);
} routes[] = {
    {"/", show_page},
    {"/api/health", show_health},
    {"/api/tetris/ws", open_tetris},
};

static void on_request(void *owner, struct http_request *r)
{
    for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!span_is(http_path(r), routes[i].path))
            continue;
        if (strcmp(http_method(r), "GET") == 0 || strcmp(http_method(r), "HEAD") == 0) {
            routes[i].show(owner, r);
            return;
        }
        http_add_header(r, "Allow", "GET, HEAD");
        http_reply(r, 405, "application/json", SPAN("{\"error\":\"method not allowed; use GET\"}"));
        return;
    }
    http_reply(r, 404, "application/json", SPAN("{\"error\":\"nothing is served at this address\"}"));
}

// --- options

enum { PORT = 0x300, HOST, SEED };

static const struct argp_option argp_options[] = {
    {"port", PORT, "N", 0, "Port of HTTP and WebSocket; 0 takes a free one (8080)", 1},
    {"host", HOST, "ADDRESS", 0, "Numeric IPv4 address to listen on (127.0.0.1)", 1},
    {"seed", SEED, "N", 0, "Seed of each Tetris table's first episode (1)", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->adapter;
        return 0;
    case PORT:
        o->http.conn.port = (uint16_t)app_read_uint(state, "--port", arg, 0, 65535);
        return 0;
    case HOST:
        o->http.conn.host = o->adapter.serve.host = arg;
        return 0;
    case SEED:
        tetris_game.seed(&o->adapter.serve.adapter.rules, app_read_uint(state, "--seed", arg, 0, UINT32_MAX));
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- running

static void on_stop_signal(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    loop_stop(arg);
}

static int refuse(const char *what, const char *host, unsigned port, const char *option, int err)
{
    fprintf(stderr, "agon serve: cannot listen on %s:%u (%s): %s; %s N takes another port, 0 any free one\n", host,
            port, what, strerror(err), option);
    return APP_USAGE;
}

static int open_site(struct site *s)
{
    static const struct http_handler handler = {.on_request = on_request};
    const struct serve_options *tetris = &s->options.adapter.serve;
    const struct conn_options *http = &s->options.http.conn;
    int err = serve_open(&s->tetris, &s->loop, tetris, !s->options.adapter.disabled, NULL);
    if (err)
        return refuse("Tetris adapter", tetris->host, tetris->port, "--tetris-port", err);
    s->http = http_listen(&s->loop, &s->options.http, &handler, s);
    if (s->http)
        return APP_DONE;
    err = errno;
    serve_close(&s->tetris);
    return refuse("HTTP", http->host, http->port, "--port", err);
}

static void tell_where(struct site *s)
{
    if (s->tetris.port)
        printf("listening tcp://%s:%u\n", s->options.adapter.serve.host, conn_port(s->tetris.port));
    printf("listening http://%s:%u\n", s->options.http.conn.host, conn_port(http_port(s->http)));
    fflush(stdout);
    fprintf(stderr, "Look at http://%s:%u/ for how to connect; Ctrl-C stops.\n", s->options.http.conn.host,
            conn_port(http_port(s->http)));
    if (s->tetris.port)
        fprintf(stderr, "An agent that plays here: agon tetris-ai --connect %s:%u\n", s->options.adapter.serve.host,
                conn_port(s->tetris.port));
}

int cmd_serve(int argc, char **argv)
{
    static const struct argp_child children[] = {{&adapter_argp_serve, 0, "The Tetris adapter:", 10}, {0}};
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse,
        .doc = "Serves agents: the Tetris adapter on its own port, and HTTP with the adapter over WebSocket.",
        .children = children,
    };
    struct site s = {0};
    adapter_settings_init(&s.options.adapter);
    http_defaults(&s.options.http);
    argp_parse(&argp, argc, argv, 0, NULL, &s.options);
    loop_init(&s.loop);
    signal(SIGPIPE, SIG_IGN);
    int status = open_site(&s);
    if (status == APP_DONE) {
        struct event *stop[2] = {evsignal_new(s.loop.base, SIGINT, on_stop_signal, &s.loop),
                                 evsignal_new(s.loop.base, SIGTERM, on_stop_signal, &s.loop)};
        event_add(stop[0], NULL);
        event_add(stop[1], NULL);
        tell_where(&s);
        loop_run(&s.loop);
        http_close(s.http);
        serve_close(&s.tetris);
        event_free(stop[0]);
        event_free(stop[1]);
    }
    loop_release(&s.loop);
    return status;
}
