// agon serve: all servers in one process.
#include "app/adapter_options.h"
#include "app/app.h"
#include "app/arena_games.h"
#include "app/arena_site.h"
#include "app/help.h"
#include "app/large_pages.h"
#include "app/limit_options.h"
#include "app/llm_options.h"
#include "app/mcp_options.h"
#include "app/mcp_queue.h"
#include "app/serve_bots.h"
#include "app/serve_models.h"
#include "app/serve_reload.h"
#include "app/settings.h"
#include "app/workers_options.h"
#include "front/lines/adapter_server_ws.h"
#include "front/lines/spectators.h"
#include "front/openenv/openenv.h"
#include "net/log.h"
#include "net/tls.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    struct adapter_settings adapter;
    struct mcp_settings mcp;
    struct arena_settings arena;
    struct limit_settings limits;
    struct llm_flags models;
    struct bus_flags bus;
    struct http_options http;
    const char *data; // --data, or NULL: the default folder
    bool check;       // --check: only checks the settings
    char host[64], socket[PATH_MAX], backups[PATH_MAX], trajectories[PATH_MAX], address[96];
};

struct server {
    struct options options;
    struct loop loop;
    struct adapter_server tetris;
    struct spectators *spectators; // of its tables
    struct mcp_serve mcp;
    struct openenv *openenv;
    struct arena_site arena;
    struct serve_bots bots;
    struct tls *tls;
    struct admission *admission; // of all TCP ports
    struct http *http;
    struct serve_reload reload;
    const struct argp *argp; // of the command
    int argc;
    char **argv;
    char **words;  // settings in force: of the file, the environment and the command line
    bool stopping; // a signal has asked for it
};

// --- what is served

static void open_tetris(struct server *site, struct http_request *r)
{
    adapter_server_ws_open(&site->tetris, r, arena_settings_origins(&site->options.arena));
}

static void watch_tetris(struct server *site, struct http_request *r)
{
    spectators_watch(site->spectators, r, arena_settings_origins(&site->options.arena));
}

static void list_tetris(struct server *site, struct http_request *r)
{
    spectators_list(site->spectators, r);
}

static void open_mcp(struct server *site, struct http_request *r)
{
    mcp_http_request(site->mcp.http, r);
}

static const struct route {
    const char *path;
    void (*show)(struct server *site, struct http_request *r);
    bool any_method; // it checks the method itself
} routes[] = {
    {"/api/tetris/ws", open_tetris, false},
    {"/api/tetris/watch", watch_tetris, false},
    {"/api/tetris/tables", list_tetris, false},
    {"/mcp", open_mcp, true},
};

static void on_request(void *owner, struct http_request *r)
{
    struct server *site = owner;
    if (openenv_request(site->openenv, r, NULL) || serve_bots_request(&site->bots, r) ||
        arena_site_request(&site->arena, r))
        return;
    for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!span_is(http_path(r), routes[i].path))
            continue;
        if (routes[i].any_method || strcmp(http_method(r), "GET") == 0 || strcmp(http_method(r), "HEAD") == 0) {
            routes[i].show(owner, r);
            return;
        }
        http_add_header(r, "Allow", "GET, HEAD");
        http_reply(r, 405, arena_rest_json, SPAN("{\"error\":\"method not allowed; use GET\"}"));
        return;
    }
    arena_site_missing(&site->arena, r);
}

static void on_head(void *owner, const struct http_request *r, struct http_terms *t)
{
    struct server *site = owner;
    arena_rest_head(site->arena.rest, r, t);
    if (openenv_owns(site->openenv, r))
        t->max_body = OPENENV_MAX_BODY;
    else if (span_is(http_path(r), "/mcp"))
        t->max_body = mcp_http_max_body(site->mcp.http, r);
    else
        serve_bots_head(&site->bots, r, t);
}

static void on_gone(void *owner, struct http_request *r)
{
    struct server *site = owner;
    if (serve_bots_gone(&site->bots, r))
        return;
    if (openenv_owns(site->openenv, r)) {
        openenv_disconnected(site->openenv, r);
        return;
    }
    if (site->mcp.http && span_is(http_path(r), "/mcp")) // data of other requests is not its own
        mcp_http_disconnected(site->mcp.http, r);
    else
        arena_site_gone(&site->arena, r);
}

// Refuses a bad request in the format of the part that would have received it (F5.2).
static int on_refuse(void *owner, struct http_request *r, int status, struct text *body)
{
    status = serve_bots_refuse(&((struct server *)owner)->bots, r, status, body);
    if (!body->size)
        arena_rest_refuse(status, body);
    return status;
}

// --- options

enum { PORT = 0x300, HOST, LISTEN, SEED, DATA, CONFIG, CHECK };

static const struct argp_option argp_options[] = {
    {"port", PORT, "N", 0, "Port for HTTP and WebSocket; 0 for a free one (8080)", HELP_PORTS},
    {"host", HOST, "ADDRESS", 0, "IPv4 address to listen on (127.0.0.1)", HELP_PORTS},
    {"listen", LISTEN, "HOST:PORT", HELP_RARE, "--host and --port in one option", HELP_PORTS},
    {"data", DATA, "DIR", 0, "Data folder ($XDG_DATA_HOME/agon or ~/.local/share/agon)", HELP_PORTS},
    {"config", CONFIG, "FILE", 0,
     "Read options from FILE, one 'option = value' per line; AGON_OPTION variables and the command line win",
     HELP_PORTS},
    {"check", CHECK, NULL, 0, "Check the configuration and exit", HELP_PORTS},
    {"seed", SEED, "N", HELP_RARE, "For tests: derive match keys and Tetris seeds from N", HELP_PORTS},
    {0},
};

static void set_host(struct argp_state *state, struct options *o, const char *option, const char *host)
{
    struct in_addr address;
    if (inet_pton(AF_INET, host, &address) != 1)
        argp_failure(state, APP_USAGE, 0, "%s: '%s' is not a numeric IPv4 address, as 127.0.0.1", option, host);
    snprintf(o->host, sizeof o->host, "%s", host);
    o->http.conn.host = o->adapter.serve.host = o->mcp.serve.http.host = o->host;
}

static void set_listen(struct argp_state *state, struct options *o, const char *arg)
{
    char host[64];
    const char *mark = strrchr(arg, ':');
    if (!mark || (size_t)(mark - arg) >= sizeof host)
        argp_failure(state, APP_USAGE, 0, "--listen: '%s' is not HOST:PORT, as 127.0.0.1:8080", arg);
    snprintf(host, sizeof host, "%.*s", (int)(mark - arg), arg);
    set_host(state, o, "--listen", host);
    o->http.conn.port = (uint16_t)app_read_uint(state, "--listen", mark + 1, 0, 65535);
}

static void set_seed(struct options *o, uint64_t seed)
{
    tetris_game.seed(&o->adapter.serve.adapter.rules, seed);
    o->arena.lobby.has_seed = true;
    o->arena.lobby.seed = seed;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->adapter;
        state->child_inputs[1] = &o->mcp;
        state->child_inputs[2] = &o->arena;
        state->child_inputs[3] = &o->limits;
        state->child_inputs[4] = &o->models;
        state->child_inputs[5] = &o->bus;
        return 0;
    case PORT:
        o->http.conn.port = (uint16_t)app_read_uint(state, "--port", arg, 0, 65535);
        return 0;
    case HOST:
        set_host(state, o, "--host", arg);
        return 0;
    case LISTEN:
        set_listen(state, o, arg);
        return 0;
    case CONFIG: // read before the options
        return 0;
    case CHECK:
        o->check = true;
        return 0;
    case DATA:
        o->data = arg;
        return 0;
    case SEED:
        set_seed(o, app_read_uint(state, "--seed", arg, 0, UINT32_MAX));
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- running

static int refuse_address(const char *what, const char *host, unsigned port, const char *option, int err)
{
    fprintf(stderr, "agon serve: cannot listen on %s:%u (%s): %s; choose another port with %s (0 for a free one)\n",
            host, port, what, strerror(err), option);
    return APP_USAGE;
}

static bool is_same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Clients write into the folder of trajectories, so nothing else of the server may be in it.
static int check_apart(const struct options *o)
{
    char tournaments[PATH_MAX];
    snprintf(tournaments, sizeof tournaments, "%s/tournaments", o->data);
    const char *const kept[] = {o->data, o->arena.rest.backup_folder, tournaments, NULL};
    for (int i = 0; kept[i]; i++)
        if (is_same_folder(o->mcp.serve.env.data_dir, kept[i])) {
            fprintf(stderr,
                    "agon serve: --data-dir %s holds other data of this server; choose a separate folder for "
                    "trajectories\n",
                    o->mcp.serve.env.data_dir);
            return APP_USAGE;
        }
    return APP_DONE;
}

// The data folder, and the socket in it (G1.3).
static int place_data(struct options *o)
{
    static char usual[PATH_MAX - sizeof "/agon.sock"];
    if (!o->data && mcp_data_dir(usual, sizeof usual))
        o->data = usual;
    if (!o->data) {
        fprintf(stderr,
                "agon serve: no data folder, since neither HOME nor XDG_DATA_HOME is set; choose one with --data\n");
        return APP_USAGE;
    }
    mcp_make_dir(o->data);
    snprintf(o->socket, sizeof o->socket, "%s/agon.sock", o->data);
    snprintf(o->backups, sizeof o->backups, "%s/backups", o->data);
    if (!o->arena.rest.backup_folder)
        o->arena.rest.backup_folder = o->backups;
    snprintf(o->trajectories, sizeof o->trajectories, "%s/trajectories", o->data);
    mcp_settings_place(&o->mcp, o->trajectories, true);
    mcp_make_dir(o->mcp.serve.env.data_dir);
    return check_apart(o);
}

// A requested socket must be available; the default one may belong to another server.
static int open_mcp_host(struct server *s, bool asked)
{
    struct mcp_serve_options *o = &s->options.mcp.serve;
    o->http.public_url = s->options.arena.rest.public_url;
    asked |= o->socket != NULL;
    if (!o->socket && s->options.socket[0])
        o->socket = s->options.socket;
    o->host.named_tables = o->env.named_tables = true; // G1.8: a client that names no table gets one of its own
    o->env.unix_socket = o->socket;
    o->env.arena = mcp_queue_arena(s->arena.queue);
    int err = mcp_serve_open(&s->mcp, &s->loop, o);
    if (err && !asked && o->socket) {
        fprintf(stderr, "agon serve: MCP is not served at %s: %s; choose another path with --socket\n", o->socket,
                strerror(err));
        o->socket = o->env.unix_socket = NULL;
        err = mcp_serve_open(&s->mcp, &s->loop, o);
    }
    if (err)
        fprintf(stderr, "agon serve: cannot listen at %s: %s; choose another path with --socket\n",
                o->socket ? o->socket : "a socket", strerror(err));
    return err ? APP_USAGE : APP_DONE;
}

static void open_openenv(struct server *s)
{
    const struct mcp_http_options *http = &s->options.mcp.serve.http;
    struct in_addr address = {0};
    struct openenv_options o;
    openenv_defaults(&o);
    inet_pton(AF_INET, s->options.http.conn.host, &address);
    o.loop = &s->loop;
    o.kits = game_kits;
    o.access = (struct web_access){s->options.http.conn.host, s->options.arena.rest.public_url, http->origins};
    o.any_host = ntohl(address.s_addr) >> 24 != 127;
    o.token = http->token;
    o.version = AGON_VERSION;
    o.sessions_per_client = http->sessions_per_client;
    s->openenv = openenv_create(&o);
    if (!s->openenv)
        app_die("no memory");
}

static int open_http(struct server *s)
{
    static const struct http_handler handler = {
        .on_request = on_request, .on_gone = on_gone, .on_head = on_head, .on_refuse = on_refuse};
    struct http_options *o = &s->options.http;
    o->conn.admission = s->admission;
    o->conn.max_waiting_bytes = MCP_MAX_WAITING;
    o->conn.tls = s->tls;
    s->http = http_listen(&s->loop, o, &handler, s);
    return s->http ? APP_DONE : refuse_address("HTTP", o->conn.host, o->conn.port, "--port", errno);
}

static int open_tls(struct server *s)
{
    char why[512];
    const struct arena_settings *o = &s->options.arena;
    if (!o->tls_cert)
        return APP_DONE;
    s->tls = tls_open_server(o->tls_cert, o->tls_key, why, sizeof why);
    if (!s->tls)
        fprintf(stderr, "agon serve: %s\n", why);
    return s->tls ? APP_DONE : APP_USAGE;
}

static int open_tetris_port(struct server *s)
{
    struct adapter_server_options *o = &s->options.adapter.serve;
    o->admission = s->admission;
    int err = adapter_server_open(&s->tetris, &s->loop, o, !s->options.adapter.disabled, NULL);
    if (err)
        return refuse_address("Tetris adapter", o->host, o->port, "--tetris-port", err);
    s->spectators = spectators_open(&s->tetris);
    return APP_DONE;
}

static void close_tetris(struct server *s)
{
    spectators_close(s->spectators);
    adapter_server_close(&s->tetris);
}

// Tables outside the arena, for its list of live matches.
static void write_tables(void *owner, struct text *out)
{
    spectators_write_tables(((struct server *)owner)->spectators, out);
}

static void write_limits(void *owner, struct text *t)
{
    const struct server *s = owner;
    limit_metrics(t, s->admission, &s->mcp, s->openenv);
    serve_models_metrics(s->arena.models, t);
}

// In this order: what produces bytes at the end of a turn comes before what sends them.
static int open_server(struct server *s)
{
    bool asked = s->options.data != NULL;
    int status = place_data(&s->options);
    s->admission = admission_open(&s->options.limits.admission);
    s->options.arena.rest.more_metrics = write_limits;
    s->options.arena.rest.more_owner = s;
    s->options.arena.rest.write_tables = write_tables;
    s->options.arena.rest.tables_owner = s;
    snprintf(s->options.address, sizeof s->options.address, "%s:%u", s->options.http.conn.host,
             s->options.http.conn.port);
    s->options.arena.rest.address = s->options.address; // reported if a request does not have one
    s->options.arena.rest.tls = s->options.arena.tls_cert != NULL;
    if (status == APP_DONE)
        status = open_tls(s);
    if (status == APP_DONE)
        status = arena_site_open(&s->arena, &s->loop, &s->options.arena, s->options.data);
    if (status != APP_DONE)
        return status;
    if ((status = open_tetris_port(s)) == APP_DONE) {
        if ((status = open_mcp_host(s, asked)) == APP_DONE) {
            open_openenv(s);
            if ((status = open_http(s)) == APP_DONE)
                return APP_DONE;
            openenv_destroy(s->openenv);
            mcp_serve_close(&s->mcp);
        }
        close_tetris(s);
    }
    arena_site_close(&s->arena);
    return status;
}

// F8.4: ends no match.
static int close_server(struct server *s)
{
    conn_stop(http_port(s->http));
    arena_site_stop(&s->arena);
    mcp_serve_end_sessions(&s->mcp);
    openenv_stop(s->openenv);
    http_close(s->http);
    openenv_destroy(s->openenv);
    serve_bots_close(&s->bots);
    mcp_serve_close(&s->mcp);
    close_tetris(s);
    bool failed = s->arena.failed;
    arena_site_close(&s->arena);
    return failed ? APP_FAILED : APP_DONE;
}

// For a hint: the first game on offer that any client may play.
static const char *usual_game(void)
{
    const struct lobby_game *first = arena_games(), *g = first;
    assert(first->codec); // there is no arena without games
    while (g->codec && g->gated)
        g++;
    return (g->codec ? g : first)->codec->game->name;
}

static void print_addresses(struct server *s)
{
    if (s->tetris.port)
        printf("listening tcp://%s:%u\n", s->options.adapter.serve.host, conn_port(s->tetris.port));
    const char *scheme = s->tls ? "https" : "http";
    printf("listening %s://%s:%u\n", scheme, s->options.http.conn.host, conn_port(http_port(s->http)));
    if (s->mcp.socket)
        printf("listening unix:%s\n", s->options.mcp.serve.socket);
    fflush(stdout);
    char url[512];
    snprintf(url, sizeof url, "%s://%s:%u", scheme, s->options.http.conn.host, conn_port(http_port(s->http)));
    fprintf(stderr, "Open %s/ to watch, play and connect agents. Press Ctrl-C to stop.\n", url);
    fprintf(stderr, "Play here:   %s play %s --server %s\n", program_invocation_name, usual_game(), url);
    fprintf(stderr, "An agent:    %s agent --server %s --game %s\n", program_invocation_name, url, usual_game());
    if (s->tetris.port)
        fprintf(stderr, "Tetris bot:  %s tetris-ai --connect %s:%u\n", program_invocation_name,
                s->options.adapter.serve.host, conn_port(s->tetris.port));
}

// --- SIGHUP

static void log_reloaded(const char *needs_restart)
{
    struct log_line l;
    log_begin(&l, needs_restart ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "server.reloaded");
    if (needs_restart)
        log_put_text(&l, "needs_restart", needs_restart);
    log_end(&l);
}

static void reload_tls(struct server *s)
{
    char why[512];
    struct log_line l;
    const struct arena_settings *o = &s->options.arena;
    if (!s->tls || !o->tls_cert || tls_reload(s->tls, o->tls_cert, o->tls_key, why, sizeof why))
        return;
    log_begin(&l, LOG_LEVEL_ERROR, "server.certificate_kept");
    log_put_text(&l, "why", why);
    log_end(&l);
}

// Settings that cannot change at run time are reported by name; all others take effect.
static void on_reload(void *owner)
{
    struct server *s = owner;
    struct arena_settings fresh;
    int count;
    char **words = settings_collect(s->argp, "agon serve", s->argc, s->argv, &count);
    const char *fixed = settings_find_change(s->argp, s->words, words, arena_option_is_live);
    char **live = settings_select(s->argp, words, &count, arena_option_is_live);
    arena_settings_init(&fresh);
    argp_parse(&arena_argp, count, live, 0, NULL, &fresh);
    free(live);
    bool had_tls = s->options.arena.tls_cert != NULL;
    if (!fixed && had_tls != (fresh.tls_cert != NULL))
        fixed = "tls-cert";
    arena_settings_copy_live(&s->options.arena, &fresh);
    log_open(s->options.arena.log_json, (enum log_level)s->options.arena.log_level);
    reload_tls(s);
    arena_site_reload(&s->arena, &s->options.arena);
    log_reloaded(fixed);
}

// Keeps the same ports when it is opened again.
static void save_ports(struct server *s)
{
    s->options.http.conn.port = conn_port(http_port(s->http));
    if (s->tetris.port)
        s->options.adapter.serve.port = conn_port(s->tetris.port);
}

// S60: on SIGTERM a node hands its matches over; SIGINT or a second signal ends it at once.
static bool may_stop(void *owner, int signal)
{
    struct server *s = owner;
    s->stopping = true;
    return signal != SIGTERM || s->arena.drain_ms || !arena_site_drain(&s->arena);
}

// While the server is closed and opened again there is nothing to hand over, and opening the store may block for long.
static void exit_now(int signal)
{
    (void)signal;
    _exit(APP_DONE);
}

// A reload requested while the server is closed and opened again is done afterwards; by default the signal would end
// the process.
static void hold_reloads(bool hold)
{
    sigset_t reload;
    sigemptyset(&reload);
    sigaddset(&reload, SIGHUP);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &reload, NULL);
}

// A node that was taken over while it stopped has nothing left to do: others have its matches.
static bool is_stopping(struct server *s)
{
    loop_handle_signals(&s->loop);
    return s->stopping || s->arena.drain_ms;
}

// Runs until a signal, or until the store ends it. Returns true if the node was taken over and may join again (S15).
static bool run_once(struct server *s, int *status)
{
    bool fenced = false;
    loop_init(&s->loop);
    *status = open_server(s);
    if (*status == APP_DONE) {
        signal(SIGINT, exit_now); // in force again when the loop is released
        signal(SIGTERM, exit_now);
        loop_stop_on_signals(&s->loop);
        loop_ask_before_stop(&s->loop, may_stop, s);
        serve_reload_open(&s->reload, &s->loop, s->argc, s->argv, on_reload, s);
        hold_reloads(false);
        serve_bots_open(&s->bots, &s->loop);
        print_addresses(s);
        save_ports(s);
        loop_run(&s->loop);
        hold_reloads(true);
        serve_reload_close(&s->reload);
        *status = close_server(s);
        fenced = s->arena.fenced;
    }
    if (fenced && is_stopping(s)) {
        fenced = false;
        *status = APP_DONE;
    }
    tls_close(s->tls);
    s->tls = NULL;
    if (s->admission)
        admission_close(s->admission);
    loop_release(&s->loop);
    return fenced;
}

// A node that was stopped for a while is taken over, but that is not a crash: it starts again in the same process.
static int run_server(struct server *s)
{
    enum { REJOINS = 30 };
    int status;
    app_use_large_pages();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a file size limit is treated as a full disk (F8.6)
    log_open(s->options.arena.log_json, (enum log_level)s->options.arena.log_level);
    bool fenced = run_once(s, &status);
    for (int tries = 0; fenced && tries < REJOINS; tries++) {
        bool again = run_once(s, &status);
        if (status != APP_USAGE) { // it was running, so it may try as often again
            fenced = again;
            tries = -1;
        } else {
            sleep(1); // the store is unreachable, or a port is not free yet
        }
    }
    return status;
}

// An existing folder must be writable. A missing one is created by serving: then the nearest folder above it must be.
static int check_folder(const char *option, const char *folder)
{
    char path[PATH_MAX];
    struct stat found;
    if (!folder)
        return APP_DONE;
    snprintf(path, sizeof path, "%s", folder);
    char *place = path;
    while (access(place, F_OK) != 0 && errno == ENOENT)
        place = dirname(place);
    if (stat(place, &found) == 0 && S_ISDIR(found.st_mode) && access(place, W_OK | X_OK) == 0)
        return APP_DONE;
    if (strcmp(place, folder) != 0)
        fprintf(stderr, "agon serve: %s %s cannot be created: %s is not a writable folder\n", option, folder, place);
    else
        fprintf(stderr, "agon serve: %s %s is not a writable folder\n", option, folder);
    return APP_USAGE;
}

// Checks everything that can be checked without serving.
static int check_server(struct server *s)
{
    if (open_tls(s) != APP_DONE)
        return APP_USAGE;
    tls_close(s->tls);
    loop_init(&s->loop);
    int status = arena_site_check_models(&s->loop, &s->options.arena);
    loop_release(&s->loop);
    if (status != APP_DONE)
        return status;
    if (check_folder("--data", s->options.data) != APP_DONE ||
        check_folder("--backup-folder", s->options.arena.rest.backup_folder) != APP_DONE)
        return APP_USAGE;
    printf("the configuration is valid\n");
    return APP_DONE;
}

// The operator believes that a misspelt variable is in force, so it is reported.
static void check_variables(const struct argp *argp, bool strict)
{
    const char *stray = settings_find_unknown(argp);
    if (stray && strict)
        app_refuse("agon serve",
                   "unknown variable %s; variables are named after options, as AGON_TURN_TIMEOUT for --turn-timeout",
                   stray);
    if (stray)
        fprintf(stderr, "agon serve: ignoring unknown variable %s; --help-all lists the options\n", stray);
}

int cmd_serve(int argc, char **argv)
{
    static const struct argp_child children[] = {{&adapter_argp_serve, 0, NULL, 0},
                                                 {&mcp_argp_serve, 0, NULL, 0},
                                                 {&arena_argp, 0, NULL, 0},
                                                 {&limit_argp, 0, NULL, 0},
                                                 {&llm_serve_argp, 0, NULL, 0},
                                                 {&bus_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc = "Run the arena server: agents over HTTP and WebSocket, every game over MCP (at /mcp and a Unix socket), "
               "Tetris over the Tetris AI Adapter protocol, and a web page with live matches.",
        .children = children,
    };
    static struct server s;
    int count;
    s.argp = &argp;
    s.argc = argc;
    s.argv = argv;
    s.words = settings_collect(&argp, "agon serve", argc, argv, &count);
    adapter_settings_init(&s.options.adapter);
    mcp_settings_init(&s.options.mcp);
    arena_settings_init(&s.options.arena);
    limit_settings_init(&s.options.limits);
    http_defaults(&s.options.http);
    help_parse(&argp, count, s.words, 0, &s.options);
    check_variables(&argp, s.options.check);
    s.options.arena.llm = s.options.models.run;
    arena_settings_check(&s.options.arena, "agon serve");
    if (s.options.arena.bus)
        workers_read_bus(&s.options.bus, "agon serve", "--bus", s.options.arena.bus, s.options.arena.node,
                         &s.options.arena.bus_options);
    limit_settings_apply(&s.options.limits, s.options.arena.rest.limit_loopback, &s.options.http, &s.options.mcp.serve);
    return s.options.check ? check_server(&s) : run_server(&s);
}
