// agon serve: everything that waits for agents, in one process.
#include "app/adapter_options.h"
#include "app/app.h"
#include "app/mcp_options.h"
#include "base/json_write.h"
#include "crypto/crypto.h"
#include "front/lines/serve_ws.h"
#include "net/http.h"
#include "net/ws.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct adapter_settings adapter;
    struct mcp_settings mcp;
    struct http_options http;
    const char *data; // --data, or NULL: the usual place
    char socket[PATH_MAX];
};

struct site {
    struct options options;
    struct loop loop;
    struct serve tetris;
    struct mcp_serve mcp;
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
        "<li>The same over WebSocket: <code>/api/tetris/ws?table=NAME</code></li>"
        "<li>Every game over MCP (Game-RL), Streamable HTTP: <code>/mcp</code></li></ul></html>";
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

static void open_mcp(struct site *site, struct http_request *r)
{
    mcp_http_request(site->mcp.http, r);
}

static const struct route {
    const char *path;
    void (*show)(struct site *site, struct http_request *r);
    bool any_method; // it judges the method itself
} routes[] = {
    {"/", show_page, false},
    {"/api/health", show_health, false},
    {"/api/tetris/ws", open_tetris, false},
    {"/mcp", open_mcp, true},
};

static void on_request(void *owner, struct http_request *r)
{
    for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!span_is(http_path(r), routes[i].path))
            continue;
        if (routes[i].any_method || strcmp(http_method(r), "GET") == 0 || strcmp(http_method(r), "HEAD") == 0) {
            routes[i].show(owner, r);
            return;
        }
        http_add_header(r, "Allow", "GET, HEAD");
        http_reply(r, 405, "application/json", SPAN("{\"error\":\"method not allowed; use GET\"}"));
        return;
    }
    http_reply(r, 404, "application/json", SPAN("{\"error\":\"nothing is served at this address\"}"));
}

static void on_gone(void *owner, struct http_request *r)
{
    struct site *site = owner;
    if (site->mcp.http)
        mcp_http_gone(site->mcp.http, r);
}

// --- options

enum { PORT = 0x300, HOST, SEED, DATA };

static const struct argp_option argp_options[] = {
    {"port", PORT, "N", 0, "Port of HTTP and WebSocket; 0 takes a free one (8080)", 1},
    {"host", HOST, "ADDRESS", 0, "Numeric IPv4 address to listen on (127.0.0.1)", 1},
    {"seed", SEED, "N", 0, "Seed of each Tetris table's first episode (1)", 1},
    {"data", DATA, "DIR", 0, "Folder of what lasts (agon in XDG_DATA_HOME or ~/.local/share)", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->adapter;
        state->child_inputs[1] = &o->mcp;
        return 0;
    case PORT:
        o->http.conn.port = (uint16_t)app_read_uint(state, "--port", arg, 0, 65535);
        return 0;
    case HOST:
        o->http.conn.host = o->adapter.serve.host = o->mcp.serve.http.host = arg;
        return 0;
    case DATA:
        o->data = arg;
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

// The folder of what lasts, and the socket in it (G1.3).
static void place_data(struct options *o)
{
    static char usual[PATH_MAX - sizeof "/agon.sock"];
    if (!o->data && mcp_data_dir(usual, sizeof usual))
        o->data = usual;
    if (!o->data)
        return;
    mcp_make_dir(o->data);
    if (!o->mcp.serve.rl.data_dir || strcmp(o->mcp.serve.rl.data_dir, ".") == 0)
        o->mcp.serve.rl.data_dir = o->data;
    snprintf(o->socket, sizeof o->socket, "%s/agon.sock", o->data);
}

// A socket that was asked for must be had; the usual one may be another server's.
static int open_mcp_host(struct site *s)
{
    struct mcp_serve_options *o = &s->options.mcp.serve;
    bool asked = o->socket || s->options.data;
    place_data(&s->options);
    if (!o->socket && s->options.socket[0])
        o->socket = s->options.socket;
    o->host.named_tables = o->rl.named_tables = true; // G1.8: whoever names none sits alone
    o->rl.unix_socket = o->socket;
    int err = mcp_serve_open(&s->mcp, &s->loop, o);
    if (err && !asked && o->socket) {
        fprintf(stderr, "agon serve: no MCP at %s: %s; --socket takes another path\n", o->socket, strerror(err));
        o->socket = o->rl.unix_socket = NULL;
        err = mcp_serve_open(&s->mcp, &s->loop, o);
    }
    if (err)
        fprintf(stderr, "agon serve: cannot listen at %s: %s; --socket takes another path\n",
                o->socket ? o->socket : "a socket", strerror(err));
    return err ? APP_USAGE : APP_DONE;
}

static int open_http(struct site *s)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone};
    struct http_options *o = &s->options.http;
    o->max_body_bytes = s->options.mcp.serve.host.max_message;
    o->conn.max_waiting_bytes = MCP_MAX_WAITING;
    s->http = http_listen(&s->loop, o, &handler, s);
    return s->http ? APP_DONE : refuse("HTTP", o->conn.host, o->conn.port, "--port", errno);
}

static int open_site(struct site *s)
{
    const struct serve_options *tetris = &s->options.adapter.serve;
    int err = serve_open(&s->tetris, &s->loop, tetris, !s->options.adapter.disabled, NULL);
    if (err)
        return refuse("Tetris adapter", tetris->host, tetris->port, "--tetris-port", err);
    int status = open_mcp_host(s);
    if (status == APP_DONE && (status = open_http(s)) != APP_DONE)
        mcp_serve_close(&s->mcp);
    if (status != APP_DONE)
        serve_close(&s->tetris);
    return status;
}

static void tell_where(struct site *s)
{
    if (s->tetris.port)
        printf("listening tcp://%s:%u\n", s->options.adapter.serve.host, conn_port(s->tetris.port));
    printf("listening http://%s:%u\n", s->options.http.conn.host, conn_port(http_port(s->http)));
    if (s->mcp.socket)
        printf("listening unix:%s\n", s->options.mcp.serve.socket);
    fflush(stdout);
    fprintf(stderr, "Look at http://%s:%u/ for how to connect; Ctrl-C stops.\n", s->options.http.conn.host,
            conn_port(http_port(s->http)));
    if (s->tetris.port)
        fprintf(stderr, "An agent that plays here: agon tetris-ai --connect %s:%u\n", s->options.adapter.serve.host,
                conn_port(s->tetris.port));
}

int cmd_serve(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&adapter_argp_serve, 0, "The Tetris adapter:", 10}, {&mcp_argp_serve, 0, "Game-RL over MCP:", 20}, {0}};
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse,
        .doc = "Serves agents: the Tetris adapter on its own port and over WebSocket, and every game over MCP at /mcp "
               "and at a Unix socket.",
        .children = children,
    };
    struct site s = {0};
    adapter_settings_init(&s.options.adapter);
    mcp_settings_init(&s.options.mcp);
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
        mcp_serve_end_sessions(&s.mcp);
        http_close(s.http);
        mcp_serve_close(&s.mcp);
        serve_close(&s.tetris);
        event_free(stop[0]);
        event_free(stop[1]);
    }
    loop_release(&s.loop);
    return status;
}
