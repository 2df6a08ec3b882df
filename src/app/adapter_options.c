#include "app/adapter_options.h"

#include "app/app.h"
#include "app/help.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- the environment

static bool is_number(const char *text, long min, long max, long *value)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return *text && *end == 0 && errno == 0 && *value >= min && *value <= max;
}

long environment_number(const char *name, long usual, long min, long max)
{
    const char *text = getenv(name);
    long value;
    if (!text)
        return usual;
    if (is_number(text, min, max, &value))
        return value;
    fprintf(stderr, "agon: %s needs a number from %ld to %ld, not '%s'; using %ld\n", name, min, max, text, usual);
    return usual;
}

bool environment_is_yes(const char *name)
{
    const char *text = getenv(name);
    return text && (strcmp(text, "1") == 0 || strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0);
}

static const char *host_from_environment(const char *usual)
{
    struct in_addr address;
    const char *text = getenv("TETRIS_AI_HOST");
    if (!text)
        return usual;
    if (inet_pton(AF_INET, text, &address) == 1)
        return text;
    fprintf(stderr, "agon: TETRIS_AI_HOST: '%s' is not a numeric IPv4 address; using %s\n", text, usual);
    return usual;
}

void adapter_settings_init(struct adapter_settings *s)
{
    struct adapter_server_options *o = &s->serve;
    struct adapter_options *a = &o->adapter;
    adapter_server_defaults(o);
    o->host = host_from_environment(o->host);
    o->port = (uint16_t)environment_number("TETRIS_AI_PORT", o->port, 0, 65535);
    o->max_waiting_bytes =
        (size_t)environment_number("TETRIS_AI_MAX_OUTBOUND_BYTES", (long)o->max_waiting_bytes, 4096, 1 << 30);
    o->log_path = getenv("TETRIS_AI_LOG_PATH");
    o->log_every = (uint64_t)environment_number("TETRIS_AI_LOG_EVERY_N", 1, 1, LONG_MAX);
    o->log_max_lines = (uint64_t)environment_number("TETRIS_AI_LOG_MAX_LINES", 0, 0, LONG_MAX);
    a->max_pending = (int)environment_number("TETRIS_AI_MAX_PENDING", a->max_pending, 1, 1024);
    long hz = environment_number("TETRIS_AI_OBS_HZ", a->observation_hz, INT_MIN, INT_MAX);
    a->observation_hz = hz < 1 ? 1 : hz > 60 ? 60 : (int)hz; // T3.64: clamped
    a->observation_ms = (int)environment_number("TETRIS_AI_OBSERVATION_MS", a->observation_ms, 0, 60000);
    a->retry_ms = (int)environment_number("TETRIS_AI_BACKPRESSURE_RETRY_MS", a->retry_ms, 1, 60000);
    a->idle_timeout_ms = environment_number("TETRIS_AI_IDLE_TIMEOUT_MS", 0, 0, INT_MAX);
    s->disabled = environment_is_yes("TETRIS_AI_DISABLED");
}

// --- flags

enum { HOST = 0x100, PORT, RULESET, PROTOCOL, COORDINATES, HASH, TABLES, CONNECTIONS, UNATTENDED };

#define COMMON                                                                                                         \
    {"ruleset", RULESET, "NAME", HELP_RARE, "standard or guideline (standard)", HELP_TETRIS},                          \
        {"protocol", PROTOCOL, "P", HELP_RARE, "Protocol versions to speak: 2, 3 or both (2)", HELP_TETRIS},           \
        {"coordinates", COORDINATES, "C", HELP_RARE, "Piece coordinates for 2.x clients: cells or box (cells)",        \
         HELP_TETRIS},                                                                                                 \
        {"hash",                                                                                                       \
         HASH,                                                                                                         \
         "H",                                                                                                          \
         HELP_RARE,                                                                                                    \
         "State hash: agon (follows from the seed and the inputs) or compat (that "                                    \
         "of the original adapter, protocol 2.1.0) (agon)",                                                            \
         HELP_TETRIS},                                                                                                 \
        {"tables", TABLES, "N", HELP_RARE, "Most tables (64)", HELP_TETRIS},                                           \
        {"max-connections", CONNECTIONS, "N", HELP_RARE, "Most clients (16384)", HELP_TETRIS},                         \
        {"unattended-restart-ms",                                                                                      \
         UNATTENDED,                                                                                                   \
         "N",                                                                                                          \
         HELP_RARE,                                                                                                    \
         "Time until a finished or paused game without a controller restarts or resumes; 0: never (1000)",             \
         HELP_TETRIS},                                                                                                 \
    {                                                                                                                  \
        0                                                                                                              \
    }

static const struct argp_option options[] = {
    {"host", HOST, "ADDRESS", 0, "IPv4 address to listen on (127.0.0.1)", HELP_TETRIS},
    {"port", PORT, "N", 0, "Port for agents; 0 for a free one (7777)", HELP_TETRIS},
    COMMON,
};

static const struct argp_option options_serve[] = {
    {"tetris-port", PORT, "N", 0, "Port of the Tetris adapter; 0 for a free one (7777)", HELP_PORTS},
    COMMON,
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const rulesets[] = {"standard", "guideline", NULL},
                             *const protocols[] = {"2", "3", "both", NULL}, *const systems[] = {"cells", "box", NULL},
                             *const hashes[] = {"agon", "compat", NULL};
    struct adapter_settings *s = state->input;
    struct in_addr address;
    if (!s)
        return ARGP_ERR_UNKNOWN; // --help calls it without a struct to fill
    struct adapter_server_options *o = &s->serve;
    switch (key) {
    case HOST:
        if (inet_pton(AF_INET, arg, &address) != 1)
            argp_failure(state, APP_USAGE, 0, "--host: '%s' is not a numeric IPv4 address, as 127.0.0.1", arg);
        o->host = arg;
        return 0;
    case PORT:
        o->port = (uint16_t)app_read_uint(state, "--port", arg, 0, 65535);
        return 0;
    case RULESET:
        o->adapter.rules.ruleset = (uint8_t)app_read_word(state, "--ruleset", arg, rulesets);
        return 0;
    case PROTOCOL:
        o->adapter.protocol = (enum adapter_protocol)(app_read_word(state, "--protocol", arg, protocols) + PROTOCOL_2);
        return 0;
    case COORDINATES:
        o->adapter.box_coordinates = app_read_word(state, "--coordinates", arg, systems) == 1;
        return 0;
    case HASH:
        o->adapter.compat_hash = app_read_word(state, "--hash", arg, hashes) == 1;
        return 0;
    case TABLES:
        o->adapter.max_tables = (int)app_read_uint(state, "--tables", arg, 1, 1 << 20);
        return 0;
    case CONNECTIONS:
        o->max_connections = (int)app_read_uint(state, "--max-connections", arg, 1, 1 << 20);
        return 0;
    case UNATTENDED:
        o->adapter.unattended_restart_ms = (int64_t)app_read_uint(state, "--unattended-restart-ms", arg, 0, 1000000000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp adapter_argp = {.options = options, .parser = parse_option};
const struct argp adapter_argp_serve = {.options = options_serve, .parser = parse_option};
