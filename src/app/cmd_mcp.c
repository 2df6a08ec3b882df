// agon mcp: the games over the Model Context Protocol, for one client on standard input and output, for many at a host,
// or as the connector between the two (G1.2).
#include "app/app.h"
#include "app/help.h"
#include "app/mcp_options.h"
#include "front/mcp/mcp_connect.h"
#include "front/mcp/mcp_stdio.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SOCKET "/tmp/arkavo_game_mcp.sock"

enum {
    HELD_MESSAGES = 16, // limit of all incomplete requests together, in largest messages
    OTHER_BODY = 65536, // largest body of a request that is not for MCP
};

struct options {
    struct mcp_settings mcp;
    struct http_options http;
    char http_host[256];
    bool headless, serves_http, connects, no_spawn;
    const char *table, *role, *entity, *agent_id;
    int log_level;
};

enum { HEADLESS = 0x700, HTTP, CONNECT, TABLE, NO_SPAWN, ROLE, ENTITY, AGENT_ID, LOG_LEVEL };

static const struct argp_option argp_options[] = {
    {"headless-host", HEADLESS, NULL, 0, "Run a shared host for many clients at a Unix socket", HELP_PORTS},
    {"http", HTTP, "[HOST:]PORT", 0, "With --headless-host: serve Streamable HTTP at /mcp; port 0 for a free one",
     HELP_PORTS},
    {"connect", CONNECT, "FILE", OPTION_ARG_OPTIONAL,
     "Join the shared host at the Unix socket FILE. Without FILE: join a running one, or start one", HELP_PORTS},
    {"table", TABLE, "NAME", 0, "With --connect: the table to join", HELP_PORTS},
    {"no-spawn", NO_SPAWN, NULL, HELP_RARE, "With --connect: do not start a host", HELP_PORTS},
    {"role", ROLE, "TYPE", 0, "With --connect: register an agent of this type", HELP_PORTS},
    {"entity", ENTITY, "AVATAR", HELP_RARE, "With --role: the seat of the agent", HELP_PORTS},
    {"agent-id", AGENT_ID, "ID", HELP_RARE, "With --role: the id of the agent", HELP_PORTS},
    {"log-level", LOG_LEVEL, "LEVEL", HELP_RARE, "Messages on standard error, as debug, info or error (warning)",
     HELP_OUTPUT},
    {0},
};

static void read_http(struct argp_state *state, struct options *o, const char *arg)
{
    const char *colon = strrchr(arg, ':');
    struct in_addr address;
    o->serves_http = true;
    if (colon) {
        snprintf(o->http_host, sizeof o->http_host, "%.*s", (int)(colon - arg), arg);
        if (inet_pton(AF_INET, o->http_host, &address) != 1)
            argp_failure(state, APP_USAGE, 0, "--http: '%s' is not a numeric IPv4 address, as 127.0.0.1", o->http_host);
        o->http.conn.host = o->mcp.serve.http.host = o->http_host;
    }
    o->http.conn.port = (uint16_t)app_read_uint(state, "--http", colon ? colon + 1 : arg, 0, 65535);
}

static int read_level(struct argp_state *state, const char *arg)
{
    return app_read_word(state, "--log-level", arg, mcp_levels);
}

static const struct app_value values[] = {
    APP_VALUE(HEADLESS, struct options, headless),
    APP_VALUE(TABLE, struct options, table),
    APP_VALUE(NO_SPAWN, struct options, no_spawn),
    APP_VALUE(ROLE, struct options, role),
    APP_VALUE(ENTITY, struct options, entity),
    APP_VALUE(AGENT_ID, struct options, agent_id),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->mcp;
        return 0;
    case HTTP:
        read_http(state, o, arg);
        return 0;
    case CONNECT:
        o->connects = true;
        if (arg)
            o->mcp.serve.socket = arg;
        return 0;
    case LOG_LEVEL:
        o->log_level = read_level(state, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (!o->connects || o->mcp.serve.socket)
            return ARGP_ERR_UNKNOWN;
        o->mcp.serve.socket = arg; // --connect SOCKET as two arguments
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_log(const struct options *o, enum mcp_level level, const char *format, const char *what,
                      const char *why)
{
    if ((int)level < o->log_level)
        return;
    fputs("agon mcp: ", stderr);
    fprintf(stderr, format, what, why);
    fputc('\n', stderr);
}

// --- one client on standard input and output

static int run_stdio(const struct options *o)
{
    const struct mcp_serve_options *s = &o->mcp.serve;
    struct mcp_options host_options = s->host;
    struct mcp_stdio_options pipes = {STDIN_FILENO, STDOUT_FILENO, s->host.max_message, MCP_MAX_WAITING};
    if (!o->mcp.rate_given)
        host_options.rate = 0; // G1.3
    host_options.tables = s->env.tables;
    struct env *env = env_create(&s->env);
    struct mcp_host *host = env ? mcp_host_create(&host_options, env) : NULL;
    if (!host)
        app_refuse("agon mcp", "cannot set up the game; 'agon mcp --help' lists the options");
    if (isatty(STDIN_FILENO))
        fputs("agon mcp: waiting for messages of an MCP client, which usually starts this command; Ctrl-D ends it\n",
              stderr);
    bool done = mcp_stdio_run(host, &pipes);
    mcp_host_destroy(host);
    env_destroy(env);
    return done ? APP_DONE : APP_FAILED;
}

// --- a host for many

static void on_request(void *owner, struct http_request *r)
{
    struct mcp_serve *s = owner;
    if (span_is(http_path(r), "/mcp"))
        mcp_http_request(s->http, r);
    else
        http_reply(r, 404, "application/json", SPAN("{\"error\":\"MCP is served at /mcp\"}"));
}

static void on_head(void *owner, const struct http_request *r, struct http_terms *t)
{
    struct mcp_serve *s = owner;
    if (span_is(http_path(r), "/mcp"))
        t->max_body = mcp_http_max_body(s->http, r);
}

static void on_gone(void *owner, struct http_request *r)
{
    struct mcp_serve *s = owner;
    if (s->http)
        mcp_http_disconnected(s->http, r);
}

static int serve_until_stopped(const struct options *o, struct loop *loop, struct mcp_serve *serve)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone, .on_head = on_head};
    struct http *http = o->serves_http ? http_listen(loop, &o->http, &handler, serve) : NULL;
    if (o->serves_http && !http)
        return app_report_address("agon mcp", o->http.conn.host, o->http.conn.port, "--http", errno);
    loop_stop_on_signals(loop);
    printf("listening unix:%s\n", o->mcp.serve.socket);
    if (http)
        printf("listening http://%s:%u/mcp\n", o->http.conn.host, conn_port(http_port(http)));
    fflush(stdout);
    loop_run(loop);
    mcp_serve_end_sessions(serve);
    if (http)
        http_close(http);
    return APP_DONE;
}

static int run_host(struct options *o)
{
    struct loop loop;
    struct mcp_serve serve;
    struct mcp_serve_options *s = &o->mcp.serve;
    const char *pipe = getenv("GOM_PIPE");
    s->host.named_tables = s->env.named_tables = true;
    s->host.table = "main"; // G1.7
    s->linger_s = s->env.linger_s;
    if (!s->socket)
        s->socket = pipe && *pipe ? pipe : DEFAULT_SOCKET;
    s->env.unix_socket = s->socket;
    o->http.max_body_bytes = OTHER_BODY;
    o->http.conn.max_held = HELD_MESSAGES * s->host.max_message;
    o->http.conn.max_waiting_bytes = MCP_MAX_WAITING;
    signal(SIGPIPE, SIG_IGN);
    loop_init(&loop);
    int err = mcp_serve_open(&serve, &loop, s), status = APP_USAGE;
    if (err)
        fprintf(stderr, "agon mcp: cannot listen at %s: %s; choose another path with --socket\n", s->socket,
                strerror(err));
    else
        status = serve_until_stopped(o, &loop, &serve);
    if (!err)
        mcp_serve_close(&serve);
    loop_release(&loop);
    return status;
}

// --- the connector

// G18.3: in a process of its own, detached from this one and its terminal.
static void start_host(const char *socket)
{
    if (fork() != 0)
        return; // not waited for: it ends at once, and so do we in time
    setsid();
    if (fork() != 0)
        _exit(0);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl("/proc/self/exe", "agon", "mcp", "--headless-host", "--linger", "300", "--socket", socket, (char *)NULL);
    _exit(APP_USAGE);
}

// The first path where a host listens; otherwise `fresh` is where one should be started.
static int find_host(const struct options *o, const char **fresh)
{
    static char data[PATH_MAX], place[PATH_MAX + sizeof "/agon.sock"];
    const char *pipe = getenv("GOM_PIPE");
    const char *places[3] = {pipe && *pipe ? pipe : NULL, NULL, DEFAULT_SOCKET};
    if (o->mcp.serve.socket) {
        *fresh = o->mcp.serve.socket;
        return mcp_socket_connect(*fresh);
    }
    if (mcp_data_dir(data, sizeof data)) {
        snprintf(place, sizeof place, "%s/agon.sock", data);
        places[1] = place;
    }
    *fresh = places[0] ? places[0] : DEFAULT_SOCKET;
    for (int i = 0; i < 3; i++) {
        int fd = places[i] ? mcp_socket_connect(places[i]) : -1;
        if (fd >= 0)
            return fd;
    }
    return -1;
}

static int reach_host(const struct options *o)
{
    enum { WAIT_US = 5000000, PAUSE_NS = 10000000 };
    const char *place;
    int fd = find_host(o, &place);
    if (fd >= 0 || o->no_spawn)
        return fd;
    print_log(o, MCP_INFO, "no host is running; starting one at %s%s", place, "");
    start_host(place);
    for (int64_t until = loop_now_us() + WAIT_US; loop_now_us() < until;) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        if ((fd = mcp_socket_connect(place)) >= 0)
            break;
    }
    return fd;
}

static int run_connector(const struct options *o)
{
    struct mcp_connect_options c = {
        .in = STDIN_FILENO,
        .out = STDOUT_FILENO,
        .max_message = o->mcp.serve.host.max_message,
        .table = o->table,
        .game = o->mcp.serve.env.pinned,
        .role = o->role,
        .entity = o->entity,
        .agent_id = o->agent_id,
    };
    signal(SIGCHLD, SIG_IGN);
    c.host = reach_host(o);
    if (c.host < 0) {
        fprintf(stderr, "agon mcp: cannot reach a host: %s; start one with 'agon mcp --headless-host'\n",
                strerror(errno));
        return APP_USAGE;
    }
    if (mcp_connect_run(&c))
        return APP_DONE;
    print_log(o, MCP_WARNING, "%s%s", "the host closed the connection", "");
    return APP_FAILED;
}

// --- the command

static void check_options(const struct options *o)
{
    if (o->headless && o->connects)
        app_refuse("agon mcp", "--headless-host and --connect cannot be combined");
    if (o->serves_http && !o->headless)
        app_refuse("agon mcp", "--http needs --headless-host");
    if (!o->connects && (o->table || o->no_spawn || o->role))
        app_refuse("agon mcp", "--table, --no-spawn and --role need --connect");
    if (!o->role && (o->entity || o->agent_id))
        app_refuse("agon mcp", "--entity and --agent-id need --role");
    if (o->mcp.serve.env.tables > 1 && (o->headless || o->connects))
        app_refuse("agon mcp",
                   "--tables works on standard input and output only, without --headless-host and --connect");
}

int cmd_mcp(int argc, char **argv)
{
    static const struct argp_child children[] = {{&mcp_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .args_doc = "",
        .doc = "Serve the games over the Model Context Protocol as Game-RL environments. Without --headless-host or "
               "--connect it serves the client that started it: one JSON-RPC message per line on standard input and "
               "output.",
        .children = children,
    };
    struct options o = {.log_level = MCP_WARNING};
    mcp_settings_init(&o.mcp);
    http_defaults(&o.http);
    help_parse(&argp, argc, argv, 0, &o);
    check_options(&o);
    mcp_settings_place(&o.mcp, o.headless ? "trajectories" : ".", o.headless);
    mcp_settings_check(&o.mcp, "agon mcp");
    return o.connects ? run_connector(&o) : o.headless ? run_host(&o) : run_stdio(&o);
}
