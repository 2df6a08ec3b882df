// agon bot GAME: a house bot behind HTTP, for engines elsewhere (B11).
#include "app/app.h"
#include "app/games.h"
#include "app/help.h"
#include "front/botapi/botapi.h"
#include "net/tls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// LAUNCHER_S: how often to look whether the process that started it is alive. STOP_MS: for decisions in progress.
enum { DEFAULT_PORT = 5070, LAUNCHER_S = 2, STOP_MS = 2000, STOP_STEP_MS = 10, LOOPBACKS = 2 };

struct options {
    const struct game_kit *row;
    struct botapi_options api;
    const char *bot_name;
    const char *listen;             // NULL: both loopback addresses
    const char *tls_cert, *tls_key; // NULL: plain text
    int max_conns;
    int port;    // -1: from the environment, else the default
    int threads; // -1: as the bot needs
};

struct server {
    struct loop loop;
    struct botapi *api;
    struct http *http[LOOPBACKS];
    struct tls *tls; // NULL: plain text
    struct event *stop[2], *launcher, *patience;
    pid_t launcher_pid;
    int patience_ms; // left for decisions in progress
};

// --- options

enum {
    BOT = 0x900,
    PORT,
    LISTEN,
    MAX_SESSIONS,
    SESSION_TTL,
    ID_SEED,
    MAX_CONNS,
    AGGRO,
    THINK_MS,
    THREADS,
    TLS_CERT,
    TLS_KEY
};

static const struct argp_option argp_options[] = {
    {"bot", BOT, "NAME", 0, "House bot to serve; 'agon games' lists them (the best bot)", 0},
    {"port", PORT, "N", 0, "Port; 0 for a free one ($PORT, else 5070)", 0},
    {"listen", LISTEN, "ADDRESS", 0, "Numeric address to listen on (127.0.0.1 and ::1)", 0},
    {"aggro", AGGRO, "0..1", 0, "How much the bot raises and bluffs (0.5)", 0},
    {"think-ms", THINK_MS, "N", 0, "Time for a decision of a searching bot, up to 1000 (its default effort)", 0},
    {"threads", THREADS, "N", 0, "Threads for decisions; 0: only the server's own (as the bot needs)", 0},
    {"max-sessions", MAX_SESSIONS, "N", 0, "Most sessions (65536)", HELP_LIMITS},
    {"session-ttl", SESSION_TTL, "SECONDS", 0, "Time until an unused session ends (3600)", HELP_LIMITS},
    {"max-conns", MAX_CONNS, "N", 0, "Most connections (16384)", HELP_LIMITS},
    {"id-seed", ID_SEED, "N", 0, "For tests: derive session ids from N", HELP_LIMITS},
    {"tls-cert", TLS_CERT, "FILE", 0, "Certificate chain (PEM); enables HTTPS", HELP_TLS},
    {"tls-key", TLS_KEY, "FILE", 0, "Private key of the certificate (PEM)", HELP_TLS},
    {0},
};

static const struct app_value values[] = {
    APP_VALUE(BOT, struct options, bot_name),
    APP_NUMBER(PORT, "--port", struct options, port, 0, 65535),
    APP_VALUE(LISTEN, struct options, listen),
    APP_NUMBER(THINK_MS, "--think-ms", struct options, api.think_ms, 1, 1000),
    APP_NUMBER(THREADS, "--threads", struct options, threads, 0, 64),
    APP_NUMBER(MAX_SESSIONS, "--max-sessions", struct options, api.max_sessions, 1, 1 << 24),
    APP_NUMBER(SESSION_TTL, "--session-ttl", struct options, api.session_ttl_s, 1, 30 * 24 * 3600),
    APP_NUMBER(MAX_CONNS, "--max-conns", struct options, max_conns, 1, 1 << 20),
    APP_VALUE(TLS_CERT, struct options, tls_cert),
    APP_VALUE(TLS_KEY, struct options, tls_key),
    APP_NUMBER(ID_SEED, "--id-seed", struct options, api.id_seed, 0, UINT64_MAX),
    APP_VALUE(ID_SEED, struct options, api.has_id_seed),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case AGGRO:
        o->api.aggro = (float)app_read_real(state, "--aggro", arg, 0, 1);
        return 0;
    case ARGP_KEY_ARG:
        if (o->row)
            return ARGP_ERR_UNKNOWN;
        o->row = app_get_game(state, arg);
        return 0;
    case ARGP_KEY_END:
        if (!o->row) {
            argp_error(state, "which game? 'agon games' lists the games");
            return EINVAL;
        }
        if (!o->tls_cert != !o->tls_key)
            argp_failure(state, APP_USAGE, 0, "--tls-cert and --tls-key must be given together");
        o->api.codec = o->row->codec;
        o->api.bot = o->bot_name ? app_get_bot(state, o->row, o->bot_name)
                                 : app_best_text_bot(o->row, botapi_has_view(o->row->codec));
        if (o->api.bot && o->api.bot->game && !botapi_has_view(o->row->codec))
            argp_failure(state, APP_USAGE, 0,
                         "'%s' needs to see the table, and views of %s cannot be read back; use %s or %s",
                         o->api.bot->name, o->row->game->name, bot_random.name, bot_fallback.name);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// B11.29
static int usual_port(void)
{
    const char *text = getenv("PORT");
    char *end;
    if (!text || !*text)
        return DEFAULT_PORT;
    long port = strtol(text, &end, 10);
    if (*end || port < 0 || port > 65535)
        app_refuse("agon bot", "the variable PORT is '%s', not a port from 0 to 65535; unset it or use --port", text);
    return (int)port;
}

// --- requests

static void on_request(void *owner, struct http_request *r)
{
    botapi_request(((struct server *)owner)->api, r);
}

static void on_gone(void *owner, struct http_request *r)
{
    botapi_disconnected(((struct server *)owner)->api, r);
}

static int on_refuse(void *owner, struct http_request *r, int status, struct text *body)
{
    return botapi_refuse(((struct server *)owner)->api, r, status, body);
}

// --- stopping

static void after_ms(struct event *e, int ms)
{
    event_add(e, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

// Accepts no new requests; waits for decisions in progress.
static void on_patience(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct server *s = arg;
    s->patience_ms -= STOP_STEP_MS;
    if (botapi_deciding(s->api) == 0 || s->patience_ms <= 0)
        loop_stop(&s->loop);
    else
        after_ms(s->patience, STOP_STEP_MS);
}

static void stop_server(struct server *s)
{
    for (int i = 0; i < LOOPBACKS; i++)
        if (s->http[i])
            conn_stop(http_port(s->http[i]));
    s->patience_ms = STOP_MS;
    after_ms(s->patience, STOP_STEP_MS);
}

static void on_stop_signal(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    stop_server(arg);
}

static void on_launcher_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct server *s = arg;
    if (kill(s->launcher_pid, 0) != 0 && errno == ESRCH)
        stop_server(s);
}

static void watch_launcher(struct server *s)
{
    const char *text = getenv("LAUNCHER_PID");
    s->launcher_pid = text ? (pid_t)strtol(text, NULL, 10) : 0;
    if (s->launcher_pid <= 0)
        return;
    s->launcher = event_new(s->loop.base, -1, EV_PERSIST, on_launcher_time, s);
    event_add(s->launcher, &(struct timeval){.tv_sec = LAUNCHER_S});
}

// --- running

static struct http *listen_at(struct server *s, const struct options *o, const char *host, int port)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone, .on_refuse = on_refuse};
    struct http_options h;
    http_defaults(&h);
    h.conn.host = host;
    h.conn.port = (uint16_t)port;
    h.conn.max_connections = o->max_conns;
    h.conn.full = botapi_full();
    h.conn.tls = s->tls;
    h.max_target_bytes = 8192; // B11.18
    h.max_head_bytes = 16384;
    h.max_body_bytes = 1 << 20;
    h.timeout_ms = 10000;
    h.idle_ms = 75000; // B11.24
    struct http *http = http_listen(&s->loop, &h, &handler, s);
    if (http)
        printf("listening %s://%s%s%s:%u\n", s->tls ? "https" : "http", strchr(host, ':') ? "[" : "", host,
               strchr(host, ':') ? "]" : "", conn_port(http_port(http)));
    return http;
}

static int open_tls(struct server *s, const struct options *o)
{
    char why[512];
    if (!o->tls_cert)
        return APP_DONE;
    s->tls = tls_open_server(o->tls_cert, o->tls_key, why, sizeof why);
    if (!s->tls)
        fprintf(stderr, "agon bot: %s\n", why);
    return s->tls ? APP_DONE : APP_USAGE;
}

static int open_ports(struct server *s, const struct options *o)
{
    int port = o->port >= 0 ? o->port : usual_port();
    const char *host = o->listen ? o->listen : "127.0.0.1";
    s->http[0] = listen_at(s, o, host, port);
    if (!s->http[0])
        return app_report_address("agon bot", host, (unsigned)port, "--port", errno);
    if (!o->listen) // the second loopback address is optional: not every machine has it
        s->http[1] = listen_at(s, o, "::1", conn_port(http_port(s->http[0])));
    fflush(stdout);
    return APP_DONE;
}

// Before the address is printed: a signal may come as early as a request.
static void watch_signals(struct server *s)
{
    s->stop[0] = evsignal_new(s->loop.base, SIGINT, on_stop_signal, s);
    s->stop[1] = evsignal_new(s->loop.base, SIGTERM, on_stop_signal, s);
    s->patience = evtimer_new(s->loop.base, on_patience, s);
    event_add(s->stop[0], NULL);
    event_add(s->stop[1], NULL);
    watch_launcher(s);
}

static void release_server(struct server *s)
{
    for (int i = 0; i < LOOPBACKS; i++)
        if (s->http[i])
            http_close(s->http[i]);
    botapi_destroy(s->api);
    event_free(s->stop[0]);
    event_free(s->stop[1]);
    event_free(s->patience);
    if (s->launcher)
        event_free(s->launcher);
    loop_release(&s->loop);
    tls_close(s->tls);
}

int cmd_bot(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .args_doc = "GAME",
        .doc =
            "Serve a house bot over HTTP: belote with the Remote Bot Player API, the other games with the same calls "
            "and agon's own JSON.",
    };
    struct options o = {.port = -1, .threads = -1, .max_conns = 16384};
    botapi_defaults(&o.api);
    help_parse(&argp, argc, argv, 0, &o);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    o.api.threads = o.threads >= 0 ? o.threads : !o.api.bot->thinks ? 0 : processors > 1 ? (int)processors : 1;
    struct server s = {0};
    loop_init_coarse(&s.loop);
    signal(SIGPIPE, SIG_IGN);
    s.api = botapi_create(&s.loop, &o.api);
    watch_signals(&s);
    int status = open_tls(&s, &o);
    if (status == APP_DONE)
        status = open_ports(&s, &o);
    if (status == APP_DONE) {
        fprintf(stderr, "serving the bot '%s' for %s%s; press Ctrl-C to stop\n", o.api.bot->name, o.row->game->name,
                botapi_has_view(o.row->codec) ? "" : " (views of this game cannot be read back, so it plays blind)");
        loop_run(&s.loop);
    }
    release_server(&s);
    return status;
}
