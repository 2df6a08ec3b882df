#include "app/mcp_options.h"

#include "app/games.h"
#include "app/help.h"
#include "traj/traj.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    DEFAULT_RATE = 2000, // G21.1
    MCP_GAME = 0x500,
    SCENARIO,
    SEATS,
    SEED,
    BOTS,
    STRICT,
    TOOL_ERRORS,
    TOOLS,
    MCP_FIXTURES,
    SOCKET,
    HTTP_ORIGIN,
    HTTP_TOKEN,
    HTTP_IDLE,
    LINGER,
    TABLES,
    TEXT,
    MIN_AGENTS,
    TURN_LIMIT,
    BOT_DELAY,
    AUTO_RESTART,
    STEP_DEADLINE,
    POLL_MAX,
    MAX_AGENTS,
    MAX_MESSAGE,
    RATE,
    DATA_DIR,
    RECORD,
    TABLE_TALK,
    ALLOW_DEBUG,
    NO_METRICS,
    RESULTS_URL,
    VISION_DIR,
    VISION_MEMORY,
    VISION_CRC,
    TRAJECTORY_FILES,
    TRAJECTORY_MIB,
    TRAJECTORY_OWN_FILES,
    TRAJECTORY_OWN_MIB,
};

#define SHARED                                                                                                           \
    {"socket", SOCKET, "FILE", HELP_RARE, "Unix socket for MCP", HELP_PORTS},                                            \
        {"http-token", HTTP_TOKEN, "TOKEN", 0, "Bearer token that MCP requests over HTTP must carry", HELP_ACCESS},      \
        {"http-origin",                                                                                                  \
         HTTP_ORIGIN,                                                                                                    \
         "ORIGIN",                                                                                                       \
         HELP_RARE,                                                                                                      \
         "Accept MCP requests from web pages of this origin; repeatable",                                                \
         HELP_ACCESS},                                                                                                   \
        {"http-idle", HTTP_IDLE, "S", HELP_RARE, "Time until an idle MCP session over HTTP ends (1800)", HELP_LIMITS},   \
        {"max-agents", MAX_AGENTS, "N", HELP_RARE, "Most agents at an MCP table (16)", HELP_LIMITS},                     \
        {"max-message", MAX_MESSAGE, "BYTES", HELP_RARE, "Largest MCP message (8388608)", HELP_LIMITS},                  \
        {"rate",     RATE, "N", HELP_RARE, "MCP requests per second and connection; 0: no limit (2000; stdio 0)",        \
         HELP_LIMITS},                                                                                                   \
        {"bots",                                                                                                         \
         BOTS,                                                                                                           \
         "LEVEL",                                                                                                        \
         HELP_RARE,                                                                                                      \
         "House bots of MCP tables: 0 or random, 1 or fallback, 2 or rules (where there is none: house:3), 3 or "        \
         "search (where there is none: rules, else house:5) (2)",                                                        \
         HELP_BOTS},                                                                                                     \
        {"bot-delay", BOT_DELAY, "MS", HELP_RARE, "Time of a house bot's move at a live MCP table (1000)", HELP_BOTS},   \
        {"strict", STRICT, NULL, HELP_RARE, "Accept only what the JSON Schemas allow", HELP_ENVIRONMENT},                \
        {"tool-errors",                                                                                                  \
         TOOL_ERRORS,                                                                                                    \
         "HOW",                                                                                                          \
         HELP_RARE,                                                                                                      \
         "Report failed calls as JSON-RPC errors (rpc) or tool results (result) (rpc)",                                  \
         HELP_ENVIRONMENT},                                                                                              \
        {"tools",                                                                                                        \
         TOOLS,                                                                                                          \
         "LIST",                                                                                                         \
         0,                                                                                                              \
         "Tools: full (for trainers), or player (few text tools for language models) (full)",                            \
         HELP_ENVIRONMENT},                                                                                              \
        {"text", TEXT, "HOW", HELP_RARE, "Text of a result: full or brief, one line (full)", HELP_ENVIRONMENT},          \
        {"table-talk", TABLE_TALK, "HOW", HELP_RARE, "Messages between agents: free, public or off", HELP_ENVIRONMENT},  \
        {"allow-debug",   ALLOW_DEBUG, NULL, HELP_RARE, "Allow debug access to owners of shared tables",                 \
         HELP_ENVIRONMENT},                                                                                              \
        {"no-metrics", NO_METRICS, NULL, HELP_RARE, "Leave metrics out of step results", HELP_ENVIRONMENT},              \
        {"results-url", RESULTS_URL, "URL", HELP_RARE, "Where conformance results are published", HELP_ENVIRONMENT},     \
        {"min-agents", MIN_AGENTS, "N", HELP_RARE, "Agents needed to start a live episode (1)", HELP_LIVE},              \
        {"turn-limit", TURN_LIMIT, "S", HELP_RARE, "Time for a turn (120)", HELP_LIVE},                                  \
        {"auto-restart", AUTO_RESTART, "S", HELP_RARE, "Start a new episode S seconds after the last one (off)",         \
         HELP_LIVE},                                                                                                     \
        {"step-deadline", STEP_DEADLINE, "MS", HELP_RARE, "Longest wait for other agents' steps (30000)", HELP_LIVE},    \
        {"poll-max", POLL_MAX, "MS", HELP_RARE, "Longest wait of a step for its turn (25000)", HELP_LIVE},               \
        {"data-dir",                                                                                                     \
         DATA_DIR,                                                                                                       \
         "DIR",                                                                                                          \
         HELP_RARE,                                                                                                      \
         "Folder for trajectories (serve: trajectories in --data; shared host: ./trajectories; stdio: .)",               \
         HELP_TRAJECTORIES},                                                                                             \
        {"trajectory-files", TRAJECTORY_FILES, "N", HELP_RARE, "Most saved trajectories; 0: no limit (1000)",            \
         HELP_TRAJECTORIES},                                                                                             \
        {"trajectory-mib", TRAJECTORY_MIB, "MIB", HELP_RARE, "Their total size; 0: no limit (4096)", HELP_TRAJECTORIES}, \
        {"trajectory-own-files",                                                                                         \
         TRAJECTORY_OWN_FILES,                                                                                           \
         "N",                                                                                                            \
         HELP_RARE,                                                                                                      \
         "Most saved trajectories per client address (100)",                                                             \
         HELP_TRAJECTORIES},                                                                                             \
        {"trajectory-own-mib", TRAJECTORY_OWN_MIB, "MIB", HELP_RARE, "Their total size per client address (1024)",       \
         HELP_TRAJECTORIES},                                                                                             \
        {"vision-dir", VISION_DIR, "DIR", HELP_RARE, "Folder for picture files (shared memory)", HELP_PICTURES},         \
        {"vision-memory", VISION_MEMORY, "MIB", HELP_RARE, "Memory for all pictures (256)", HELP_PICTURES},              \
        {"vision-crc", VISION_CRC, NULL, HELP_RARE, "Add a checksum to every picture", HELP_PICTURES},                   \
    {                                                                                                                    \
        0                                                                                                                \
    }

static const struct argp_option options[] = {
    {"game", MCP_GAME, "GAME", 0, "Serve this game only; without it a reset chooses", HELP_PLAY},
    {"scenario", SCENARIO, "NAME", 0, "Default scenario of a reset", HELP_PLAY},
    {"seats", SEATS, "N", 0, "Default number of seats of a reset", HELP_PLAY},
    {"seed", SEED, "N", 0, "Seed of the first episode", HELP_PLAY},
    {"tables", TABLES, "N", HELP_RARE, "Tables to play side by side, on stdio with --game (1)", HELP_PLAY},
    {"mcp-fixtures", MCP_FIXTURES, NULL, HELP_RARE,
     "Add the tools, prompts and resources that the official MCP conformance package needs", HELP_ENVIRONMENT},
    {"linger", LINGER, "S", HELP_RARE, "Time until a shared host without connections ends; 0: never (300)", HELP_PORTS},
    {"record", RECORD, "FILE", 0, "Record the trajectory in FILE below --data-dir: .jsonl, .msgpack or .h5",
     HELP_TRAJECTORIES},
    SHARED,
};

static const struct argp_option options_serve[] = {SHARED};

static int read_number(struct argp_state *state, const char *option, const char *arg, int min, int max)
{
    return (int)app_read_uint(state, option, arg, (uint64_t)min, (uint64_t)max);
}

// G14.1: signed, 64 bits.
static int64_t read_seed(struct argp_state *state, const char *arg)
{
    char *end;
    errno = 0;
    int64_t value = strtoll(arg, &end, 10);
    bool digits = (arg[0] >= '0' && arg[0] <= '9') || (arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9');
    if (!digits || *end || errno)
        argp_failure(state, APP_USAGE, 0, "--seed: '%s' is not a 64-bit integer", arg);
    return value;
}

static const struct app_value environment_values[] = {
    APP_NUMBER(SEATS, "--seats", struct env_options, seats, 1, GAME_MAX_SEATS),
    APP_NUMBER(TABLES, "--tables", struct env_options, tables, 1, 256),
    APP_NUMBER(MIN_AGENTS, "--min-agents", struct env_options, min_agents, 1, GAME_MAX_SEATS),
    APP_NUMBER(TURN_LIMIT, "--turn-limit", struct env_options, turn_limit_s, 1, 86400),
    APP_NUMBER(BOT_DELAY, "--bot-delay", struct env_options, bot_delay_ms, 0, 60000),
    APP_NUMBER(AUTO_RESTART, "--auto-restart", struct env_options, auto_restart_s, 0, 86400),
    APP_NUMBER(STEP_DEADLINE, "--step-deadline", struct env_options, step_deadline_ms, 1, 3600000),
    APP_NUMBER(POLL_MAX, "--poll-max", struct env_options, poll_max_ms, 1, 3600000),
    APP_NUMBER(MAX_AGENTS, "--max-agents", struct env_options, max_agents, 1, 4096),
    APP_NUMBER(VISION_MEMORY, "--vision-memory", struct env_options, vision_memory_mib, 1, 1 << 20),
    APP_NUMBER(TRAJECTORY_FILES, "--trajectory-files", struct env_options, traj_files, 0, 1000000),
    APP_NUMBER(TRAJECTORY_MIB, "--trajectory-mib", struct env_options, traj_mib, 0, 1 << 30),
    APP_NUMBER(TRAJECTORY_OWN_FILES, "--trajectory-own-files", struct env_options, own_files, 0, 1000000),
    APP_NUMBER(TRAJECTORY_OWN_MIB, "--trajectory-own-mib", struct env_options, own_mib, 0, 1 << 30),
    APP_VALUE(SCENARIO, struct env_options, scenario),
    APP_VALUE(STRICT, struct env_options, strict),
    APP_VALUE(RECORD, struct env_options, record),
    APP_VALUE(ALLOW_DEBUG, struct env_options, allow_debug),
    APP_VALUE(RESULTS_URL, struct env_options, results_url),
    APP_VALUE(VISION_CRC, struct env_options, vision_crc),
    {0},
};

// G22.10: by number, or by name as everywhere else. Not house:1 to house:5, which are other levels.
static int read_bots(struct argp_state *state, const char *arg)
{
    // From the top, so that the hint for 4 is 3.
    static const char *const levels[] = {"3",
                                         "2",
                                         "1",
                                         "0",
                                         "search",
                                         "rules",
                                         "fallback",
                                         "random",
                                         "house:search",
                                         "house:rules",
                                         "house:fallback",
                                         "house:random",
                                         NULL};
    return 3 - app_read_word(state, "--bots", arg, levels) % 4;
}

// Options of the environment.
static bool set_environment(struct argp_state *state, struct env_options *o, int key, const char *arg)
{
    static const char *const talks[] = {"free", "public", "off", NULL};
    static char data_dir[PATH_MAX], vision_dir[PATH_MAX];
    struct stat st;
    int i;
    switch (key) {
    case MCP_GAME:
        o->pinned = app_get_game(state, arg)->game->name;
        return true;
    case SEED:
        o->seed = read_seed(state, arg);
        o->has_seed = true;
        return true;
    case BOTS:
        o->bot_level = read_bots(state, arg);
        return true;
    case DATA_DIR:
        // Saving does not follow links, so one given by the operator is resolved now.
        o->data_dir = realpath(arg, data_dir) ? data_dir : arg;
        return true;
    case TABLE_TALK:
        i = app_read_word(state, "--table-talk", arg, talks);
        o->table_talk = i < 0 ? NULL : talks[i];
        return true;
    case NO_METRICS:
        o->metrics = false;
        return true;
    case VISION_DIR:
        if (!realpath(arg, vision_dir) || stat(vision_dir, &st) != 0 || !S_ISDIR(st.st_mode))
            argp_failure(state, APP_USAGE, 0, "--vision-dir: '%s' is not an existing folder", arg);
        o->vision_dir = vision_dir;
        return true;
    default:
        return app_take_value(state, environment_values, key, arg, o);
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const errors[] = {"rpc", "result", NULL}, *const texts[] = {"full", "brief", NULL};
    static const char *const lists[] = {"full", "player", NULL};
    struct mcp_settings *s = state->input;
    if (!s)
        return ARGP_ERR_UNKNOWN; // only listing the options
    struct mcp_serve_options *o = &s->serve;
    switch (key) {
    case SOCKET:
        o->socket = arg;
        return 0;
    case HTTP_ORIGIN:
        app_add_origin(state, "--http-origin", arg, s->serve.http.origins, &s->origins, MCP_HTTP_MAX_ORIGINS);
        return 0;
    case HTTP_TOKEN:
        o->http.token = arg;
        return 0;
    case HTTP_IDLE:
        o->http.idle_s = o->host.idle_s = read_number(state, "--http-idle", arg, 1, 1 << 30);
        return 0;
    case LINGER:
        o->env.linger_s = read_number(state, "--linger", arg, 0, 1 << 30);
        return 0;
    case TOOL_ERRORS:
        o->host.errors_as_results = app_read_word(state, "--tool-errors", arg, errors) == 1;
        return 0;
    case MCP_FIXTURES:
        o->host.fixtures = true;
        return 0;
    case TOOLS:
        o->host.player = app_read_word(state, "--tools", arg, lists) == 1;
        return 0;
    case TEXT:
        o->host.brief = o->env.brief = app_read_word(state, "--text", arg, texts) == 1;
        return 0;
    case MAX_MESSAGE:
        o->host.max_message = (size_t)read_number(state, "--max-message", arg, 1024, 64 << 20);
        return 0;
    case RATE:
        o->host.rate = read_number(state, "--rate", arg, 0, 1000000);
        s->rate_given = true;
        return 0;
    default:
        return set_environment(state, &o->env, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

const struct argp mcp_argp = {.options = options, .parser = parse_option};
const struct argp mcp_argp_serve = {.options = options_serve, .parser = parse_option};

void mcp_settings_init(struct mcp_settings *s)
{
    *s = (struct mcp_settings){0};
    env_defaults(&s->serve.env);
    mcp_defaults(&s->serve.host);
    mcp_http_defaults(&s->serve.http);
    s->serve.env.games = s->serve.host.games = app_env_games();
    s->serve.env.version = s->serve.host.version = AGON_VERSION;
    s->serve.host.rate = DEFAULT_RATE;
    s->serve.env.linger_s = 300;
    s->serve.env.data_dir = NULL;
    s->serve.env.traj_files = s->serve.env.traj_mib = s->serve.env.own_files = s->serve.env.own_mib = -1; // not given
    s->serve.env.epoch_us = loop_unix_ms() * 1000 - loop_now_us();
    s->serve.env.stopwatch_us = loop_now_us;
}

void mcp_settings_place(struct mcp_settings *s, const char *trajectories, bool many)
{
    static const struct {
        size_t field;
        int many;
    } limits[] = {{offsetof(struct env_options, traj_files), 1000},
                  {offsetof(struct env_options, traj_mib), 4096},
                  {offsetof(struct env_options, own_files), 100},
                  {offsetof(struct env_options, own_mib), 1024}};
    struct env_options *o = &s->serve.env;
    if (!o->data_dir)
        o->data_dir = trajectories;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        int *limit = (int *)((char *)o + limits[i].field);
        *limit = *limit >= 0 ? *limit : many ? limits[i].many : 0;
    }
    if (many)
        traj_save_folder_sweep(o->data_dir);
}

static bool has_scenario(const struct game *g, const char *name)
{
    size_t size = strlen(g->name);
    if (strncmp(name, g->name, size) == 0 && name[size] == '/')
        name += size + 1;
    return span_among(span_of(name), g->scenarios) >= 0;
}

// G19.1: refuses a recording that could not be written; creates nothing yet (G1.5).
static void check_record(const struct env_options *o, const char *command)
{
    struct traj_path place;
    enum traj_format format = traj_format_of(o->record, TRAJ_JSON);
    if (format == TRAJ_JSON)
        app_refuse(command, "--record: '%s' does not end in .jsonl, .msgpack or .h5", o->record);
    enum traj_fault f = traj_path_resolve(&place, o->data_dir, span_of(o->record));
    if (f == TRAJ_FINE)
        f = traj_path_check(&place);
    traj_path_release(&place);
    if (f != TRAJ_FINE)
        app_refuse(command, "--record: '%s' must be %s", o->record, traj_fault_text(f));
}

void mcp_settings_check(struct mcp_settings *s, const char *command)
{
    const struct env_options *o = &s->serve.env;
    const struct game *g = o->pinned ? games_find(o->pinned)->game : NULL;
    if (!g && (o->scenario || o->seats || o->tables > 1))
        app_refuse(command, "--scenario, --seats and --tables need --game GAME");
    if (g && o->scenario && !has_scenario(g, o->scenario)) {
        char hint[HELP_HINT_ROOM];
        struct nearest n = nearest_to(o->scenario);
        for (int i = 0; g->scenarios[i]; i++)
            nearest_try(&n, g->scenarios[i]);
        app_refuse(command, "%s has no scenario '%s'; %s'agon games' lists the scenarios", g->name, o->scenario,
                   help_hint(&n, hint));
    }
    if (g && o->seats && (o->seats < g->min_seats || o->seats > g->max_seats))
        app_refuse(command, "%s has %u to %u seats, not %d", g->name, g->min_seats, g->max_seats, o->seats);
    if (o->record)
        check_record(o, command);
}

bool mcp_data_dir(char *out, size_t room)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int size = data && *data   ? snprintf(out, room, "%s/agon", data)
               : home && *home ? snprintf(out, room, "%s/.local/share/agon", home)
                               : -1;
    return size > 0 && (size_t)size < room;
}

void mcp_make_dir(const char *path)
{
    char copy[4096];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return;
    for (char *at = copy + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(copy, 0700);
            *at = '/';
        }
    mkdir(copy, 0700); // errors show when it is used
}
