#include "app/limit_options.h"

#include "app/app.h"
#include "app/help.h"
#include "net/metrics.h"

#include <stddef.h>

enum {
    CONNECTIONS = 0xa00,
    PER_ADDRESS,
    RESERVE,
    REQUEST_MEMORY,
    RESPONSE_MEMORY,
    REQUEST_TIMEOUT,
    IDLE_TIMEOUT,
    SESSIONS_PER_ADDRESS,
    TABLES_PER_ADDRESS,
    PROXY,
};

enum {
    BODY_BYTES_PER_S = 16384, // a body sent more slowly exceeds its time
    SPARE = 2048,             // descriptors for the MCP socket (1024), remote bots, files and the loop
};

static const struct argp_option options[] = {
    {"connections", CONNECTIONS, "N", HELP_RARE, "Most connections on all TCP ports (16384)", HELP_LIMITS},
    {"connections-per-address", PER_ADDRESS, "N", 0, "Most connections per client address; 0: no limit (256)",
     HELP_LIMITS},
    {"proxy", PROXY, "ADDRESS[/BITS]", HELP_RARE,
     "Trust X-Forwarded-For of proxies at this address or network; repeatable (this machine)", HELP_ACCESS},
    {"reserve", RESERVE, "N", HELP_RARE, "Connections reserved for operator requests from this machine (16)",
     HELP_LIMITS},
    {"request-memory", REQUEST_MEMORY, "MIB", HELP_RARE, "Memory for all incomplete requests (64)", HELP_LIMITS},
    {"response-memory", RESPONSE_MEMORY, "MIB", HELP_RARE, "Memory for all responses not yet read by clients (256)",
     HELP_LIMITS},
    {"request-timeout", REQUEST_TIMEOUT, "S", HELP_RARE, "Time for a request to arrive; large bodies get more (10)",
     HELP_LIMITS},
    {"idle-timeout", IDLE_TIMEOUT, "S", HELP_RARE, "Longest pause between requests on a connection (60)", HELP_LIMITS},
    {"sessions-per-address", SESSIONS_PER_ADDRESS, "N", HELP_RARE,
     "Most MCP sessions over HTTP per client address (64)", HELP_LIMITS},
    {"tables-per-address", TABLES_PER_ADDRESS, "N", HELP_RARE, "Most named MCP tables per client address (32)",
     HELP_LIMITS},
    {0},
};

static const struct app_value numbers[] = {
    APP_NUMBER(CONNECTIONS, "--connections", struct limit_settings, admission.max_connections, 4, 1 << 20),
    APP_NUMBER(PER_ADDRESS, "--connections-per-address", struct limit_settings, admission.per_client, 0, 1 << 20),
    APP_NUMBER(RESERVE, "--reserve", struct limit_settings, admission.reserve, 0, 1024),
    APP_NUMBER(REQUEST_TIMEOUT, "--request-timeout", struct limit_settings, request_timeout_s, 1, 3600),
    APP_NUMBER(IDLE_TIMEOUT, "--idle-timeout", struct limit_settings, idle_timeout_s, 1, 86400),
    APP_NUMBER(SESSIONS_PER_ADDRESS, "--sessions-per-address", struct limit_settings, sessions_per_address, 0, 1 << 20),
    APP_NUMBER(TABLES_PER_ADDRESS, "--tables-per-address", struct limit_settings, tables_per_address, 0, 1 << 20),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct limit_settings *s = state->input;
    if (!s)
        return ARGP_ERR_UNKNOWN; // only listing the options
    if (key == RESPONSE_MEMORY) {
        s->admission.max_unsent = (size_t)app_read_uint(state, "--response-memory", arg, 1, 1 << 20) << 20;
        return 0;
    }
    if (key == PROXY) {
        struct admission_options *o = &s->admission;
        if (o->proxy_count == ADMISSION_PROXIES)
            app_refuse(state->name, "--proxy: at most %d of them; name a network, as 10.0.0.0/8", ADMISSION_PROXIES);
        if (!address_range_read(&o->proxies[o->proxy_count++], span_of(arg)))
            app_refuse(state->name, "--proxy '%s': expected an IP address or a network, as 192.0.2.7 or 10.0.0.0/8",
                       arg);
        return 0;
    }
    if (key == REQUEST_MEMORY) {
        s->admission.max_held = (size_t)app_read_uint(state, "--request-memory", arg, 1, 1 << 20) << 20;
        return 0;
    }
    return app_take_value(state, numbers, key, arg, s) ? 0 : ARGP_ERR_UNKNOWN;
}

const struct argp limit_argp = {.options = options, .parser = parse_option};

void limit_settings_init(struct limit_settings *s)
{
    *s = (struct limit_settings){
        .request_timeout_s = 10, .idle_timeout_s = 60, .sessions_per_address = 64, .tables_per_address = 32};
    admission_defaults(&s->admission);
    s->admission.per_client = 256;
    s->admission.reserve = 16;
    s->admission.spare = SPARE;
}

void limit_settings_apply(struct limit_settings *s, bool limit_loopback, struct http_options *http,
                          struct mcp_serve_options *mcp)
{
    size_t message = mcp->host.max_message;
    if (s->admission.max_held / 4 < message) // a message of MCP must fit into the part for large requests
        app_refuse("agon serve", "--request-memory must be at least four times --max-message: %zu MiB or more",
                   (4 * message + (1 << 20) - 1) >> 20);
    s->admission.limit_loopback = limit_loopback;
    http->conn.max_connections = s->admission.max_connections;
    http->conn.for_operator = true;
    http->timeout_ms = s->request_timeout_s * 1000;
    http->body_bytes_per_s = BODY_BYTES_PER_S;
    http->idle_ms = s->idle_timeout_s * 1000;
    mcp->http.sessions_per_client = s->sessions_per_address;
    mcp->env.tables_per_client = s->tables_per_address;
}

// --- figures

static void put_events(struct text *t, const struct admission_figures *f)
{
    metric_put_help(t, "connections_refused_total", "counter", "Connections refused, by reason");
    metric_put_value(t, "connections_refused_total", "{reason=\"full\"}", f->events[ADMISSION_FULL]);
    metric_put_value(t, "connections_refused_total", "{reason=\"address\"}", f->events[ADMISSION_CROWDED]);
    metric_put(t, "connections_evicted_total", "counter", "Connections closed to make room for others",
               f->events[ADMISSION_EVICTED]);
    metric_put(t, "connections_unread_total", "counter", "Connections closed because their clients did not read",
               f->events[ADMISSION_UNREAD]);
    metric_put_help(t, "requests_refused_total", "counter", "Requests refused before they were complete, by reason");
    metric_put_value(t, "requests_refused_total", "{reason=\"memory\"}", f->events[ADMISSION_MEMORY]);
    metric_put_value(t, "requests_refused_total", "{reason=\"slow\"}", f->events[ADMISSION_SLOW]);
    metric_put_value(t, "requests_refused_total", "{reason=\"large\"}", f->events[ADMISSION_LARGE]);
}

static void put_openenv(struct text *t, const struct openenv *o)
{
    struct openenv_figures f;
    openenv_figures(o, &f);
    metric_put(t, "openenv_sessions", "gauge", "OpenEnv sessions", (uint64_t)f.sessions);
    metric_put(t, "openenv_sessions_refused_total", "counter", "OpenEnv sessions refused by a limit", f.refused);
    metric_put(t, "openenv_tables", "gauge", "Shared OpenEnv tables", (uint64_t)f.tables);
    metric_put(t, "openenv_steps_total", "counter", "Actions played over OpenEnv", f.steps);
}

void limit_metrics(struct text *t, const struct admission *a, const struct mcp_serve *mcp,
                   const struct openenv *openenv)
{
    struct admission_figures f;
    put_openenv(t, openenv);
    struct mcp_http_figures sessions = {0};
    admission_figures(a, &f);
    metric_put(t, "connections", "gauge", "Open connections of all TCP ports", (uint64_t)f.connections);
    metric_put(t, "client_addresses", "gauge", "Client addresses with an open connection", (uint64_t)f.clients);
    metric_put(t, "request_bytes", "gauge", "Memory held by incomplete requests", f.held);
    metric_put(t, "unread_bytes", "gauge", "Memory held by responses that clients have not read", f.unsent);
    put_events(t, &f);
    if (mcp->http)
        mcp_http_figures(mcp->http, &sessions);
    metric_put(t, "mcp_sessions", "gauge", "MCP sessions over HTTP", (uint64_t)sessions.count);
    metric_put(t, "mcp_sessions_refused_total", "counter", "MCP sessions refused by a limit", sessions.refused);
    metric_put(t, "mcp_tables", "gauge", "Named MCP tables", (uint64_t)env_count_tables(mcp->env));
    metric_put(t, "mcp_tables_refused_total", "counter", "Named MCP tables refused by a limit",
               env_count_refused(mcp->env));
}
