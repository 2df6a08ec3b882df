// agon openenv: a game as an OpenEnv environment server, or a Python package for its clients.
#include "app/app.h"
#include "app/games.h"
#include "app/help.h"
#include "app/large_pages.h"
#include "app/openenv_package.h"
#include "front/openenv/openenv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>

// HELD_MIB: limit of incomplete requests of all clients together. WAITING_MIB: of the unsent replies of a connection.
enum { MAX_ORIGINS = 16, HELD_MIB = 64, WAITING_MIB = 16 };

struct options {
    struct openenv_options env;
    struct http_options http;
    const struct game_kit *kits[2];
    const char *origins[MAX_ORIGINS + 1], *package;
    int origin_count;
};

enum {
    GAME = 0xb00,
    HOST,
    PORT,
    BOTS,
    MODE,
    TOKEN,
    ORIGIN,
    MAX_SESSIONS,
    PER_ADDRESS,
    IDLE,
    HTTP_IDLE,
    WAIT,
    TURN_LIMIT,
    PACKAGE,
};

static const struct argp_option argp_options[] = {
    {"game", GAME, "GAME", 0, "The game to serve, at / and at /openenv/GAME (all games, below /openenv)", HELP_PLAY},
    {"bots", BOTS, "NAME", 0, "House bot for seats that a reset does not assign (rules)", HELP_PLAY},
    {"mode", MODE, "MODE", HELP_RARE, "simulation, or production without reset, step and state (simulation)",
     HELP_PLAY},
    {"host", HOST, "ADDRESS", 0, "IPv4 address to listen on (127.0.0.1)", HELP_PORTS},
    {"port", PORT, "N", 0, "Port to listen on; 0 for a free one (8000)", HELP_PORTS},
    {"http-token", TOKEN, "TOKEN", 0, "Bearer token that requests must carry", HELP_ACCESS},
    {"http-origin", ORIGIN, "ORIGIN", HELP_RARE, "Accept requests from web pages of this origin; repeatable",
     HELP_ACCESS},
    {"max-sessions", MAX_SESSIONS, "N", 0, "Most sessions (4096)", HELP_LIMITS},
    {"sessions-per-address", PER_ADDRESS, "N", HELP_RARE, "Most sessions per client address; 0: no limit (0)",
     HELP_LIMITS},
    {"idle", IDLE, "S", HELP_RARE, "Time without requests until a session ends (1800)", HELP_LIMITS},
    {"http-idle", HTTP_IDLE, "S", HELP_RARE, "Time without requests until a session without a WebSocket ends (300)",
     HELP_LIMITS},
    {"wait", WAIT, "S", HELP_RARE, "Longest time to wait for other sessions before a reply (20)", HELP_LIMITS},
    {"turn-limit", TURN_LIMIT, "S", HELP_RARE, "Time for a turn at a shared table, then the fallback is played (120)",
     HELP_LIMITS},
    {"package", PACKAGE, "DIR", 0, "Write a Python package with a typed client for --game into DIR, and exit",
     HELP_OUTPUT},
    {0},
};

static const struct app_value numbers[] = {
    APP_NUMBER(MAX_SESSIONS, "--max-sessions", struct openenv_options, max_sessions, 1, 1 << 20),
    APP_NUMBER(PER_ADDRESS, "--sessions-per-address", struct openenv_options, sessions_per_client, 0, 1 << 20),
    APP_NUMBER(IDLE, "--idle", struct openenv_options, idle_s, 1, 86400),
    APP_NUMBER(HTTP_IDLE, "--http-idle", struct openenv_options, http_idle_s, 1, 86400),
    APP_NUMBER(WAIT, "--wait", struct openenv_options, wait_s, 0, 50),
    APP_NUMBER(TURN_LIMIT, "--turn-limit", struct openenv_options, turn_limit_s, 1, 86400),
    {0},
};

static void set_host(struct argp_state *state, struct options *o, const char *host)
{
    struct in_addr address;
    if (inet_pton(AF_INET, host, &address) != 1)
        argp_failure(state, APP_USAGE, 0, "--host: '%s' is not a numeric IPv4 address, as 127.0.0.1", host);
    o->http.conn.host = o->env.access.host = host;
    o->env.any_host = ntohl(address.s_addr) >> 24 != 127;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const modes[] = {"simulation", "production", NULL};
    struct options *o = state->input;
    switch (key) {
    case GAME:
        o->kits[0] = app_get_game(state, arg);
        return 0;
    case BOTS:
        o->env.bots = arg;
        return 0;
    case MODE:
        o->env.production = app_read_word(state, "--mode", arg, modes) == 1;
        return 0;
    case HOST:
        set_host(state, o, arg);
        return 0;
    case PORT:
        o->http.conn.port = (uint16_t)app_read_uint(state, "--port", arg, 0, 65535);
        return 0;
    case TOKEN:
        o->env.token = arg;
        return 0;
    case ORIGIN:
        app_add_origin(state, "--http-origin", arg, o->origins, &o->origin_count, MAX_ORIGINS);
        return 0;
    case PACKAGE:
        o->package = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->env.bots && o->kits[0])
            app_get_bot(state, o->kits[0], o->env.bots);
        if (o->env.bots && !o->kits[0])
            argp_failure(state, APP_USAGE, 0, "--bots needs --game: bots have names of their own in each game");
        return 0;
    default:
        return app_take_value(state, numbers, key, arg, &o->env) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

// --- serving

struct server {
    struct openenv *env;
    const char *root;
};

static void on_request(void *owner, struct http_request *r)
{
    struct server *s = owner;
    if (!openenv_request(s->env, r, s->root))
        http_reply(r, 404, "application/json", SPAN("{\"detail\":\"Not Found\"}"));
}

static void on_gone(void *owner, struct http_request *r)
{
    openenv_disconnected(((struct server *)owner)->env, r);
}

static int on_refuse(void *owner, struct http_request *r, int status, struct text *body)
{
    (void)owner, (void)r;
    text_puts(body, status == 413 ? "{\"detail\":\"the body is larger than 64 KiB\"}" : "{\"detail\":\"bad request\"}");
    return status;
}

static void print_address(const struct options *o, const struct http *http)
{
    const char *name = o->kits[0] ? o->kits[0]->game->name : NULL;
    printf("listening http://%s:%u%s\n", o->http.conn.host, conn_port(http_port((struct http *)http)),
           name ? "" : "/openenv");
    fflush(stdout);
}

static int serve_openenv(const struct options *o, struct loop *loop, struct server *server)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone, .on_refuse = on_refuse};
    struct http *http = http_listen(loop, &o->http, &handler, server);
    if (!http)
        return app_report_address("agon openenv", o->http.conn.host, o->http.conn.port, "--port", errno);
    loop_stop_on_signals(loop);
    print_address(o, http);
    loop_run(loop);
    openenv_stop(server->env);
    http_close(http);
    return APP_DONE;
}

static int run_server(struct options *o)
{
    struct loop loop;
    struct server server = {.root = o->kits[0] ? o->kits[0]->game->name : NULL};
    app_use_large_pages();
    signal(SIGPIPE, SIG_IGN);
    loop_init(&loop);
    o->env.loop = &loop;
    o->env.kits = o->kits[0] ? o->kits : game_kits;
    o->env.access.origins = o->origins;
    o->http.max_body_bytes = OPENENV_MAX_BODY;
    o->http.conn.max_connections = o->env.max_sessions + 1024;
    o->http.conn.max_held = (size_t)HELD_MIB << 20;
    o->http.conn.max_waiting_bytes = (size_t)WAITING_MIB << 20;
    server.env = openenv_create(&o->env);
    if (!server.env)
        app_die("no memory");
    int status = serve_openenv(o, &loop, &server);
    openenv_destroy(server.env);
    loop_release(&loop);
    return status;
}

int cmd_openenv(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc =
            "Serve a game as an OpenEnv environment, for trainers of language models: HTTP, a WebSocket per session, "
            "MCP tools. Other seats are house bots, or other sessions at the same table.",
    };
    static struct options o;
    openenv_defaults(&o.env);
    o.env.version = AGON_VERSION;
    http_defaults(&o.http);
    o.http.conn.port = 8000;
    help_parse(&argp, argc, argv, 0, &o);
    if (o.package && !o.kits[0])
        app_refuse("agon openenv", "--package needs --game");
    return o.package ? openenv_package_write(o.kits[0], o.package) : run_server(&o);
}
