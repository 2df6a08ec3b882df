#include "app/arena_options.h"

#include "app/app.h"
#include "app/arena_games.h"
#include "app/help.h"
#include "app/secrets.h"
#include "net/log.h"
#include "store/pg/pg.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PUBLIC_URL = 0x400,
    TLS_CERT,
    TLS_KEY,
    NODE,
    LEASE,
    REQUIRE_STANDBY,
    BUS,
    ROLES,
    REQUIRE_PROTOCOL,
    STRICT_COMPAT,
    DETERMINISTIC_WINDOWS,
    TURN_TIMEOUT,
    TRANSCRIPTS,
    NO_DEVICE_BINDING,
    LIMIT_LOOPBACK,
    NO_REVEAL_SEED,
    GOD_VIEW,
    HOUSE_BOTS,
    HOUSE,
    RATE_HOUSE,
    RATE_SAME_ADDRESS,
    DAMP_REPEATS,
    TABLE_MIN,
    TABLE_MAX,
    FILL_WAIT,
    HOUSE_WAIT,
    HOUSE_THINK,
    CONFIRM_TIMEOUT,
    STANDBY_SWEEP,
    HEALTH_EVERY,
    TOURNAMENTS,
    TOURNAMENT_GAMES,
    READINESS_TIMEOUT,
    CHALLENGE_TTL,
    SPECTATE_DELAY,
    STANDBY_CAP,
    MAX_CONCURRENT,
    AGENT_CONCURRENT,
    AGENT_PER_HOUR,
    AGENT_PER_DAY,
    AGENT_COOLDOWN,
    RENAME_COOLDOWN,
    CLAIM,
    ADMIN_TOKEN,
    ADMIN_TOKEN_FILE,
    ADMIN_ANYWHERE,
    ORIGIN,
    GAMES,
    GAME_RULES,
    DISK_MARGIN,
    STORE,
    CONNECT_RATE,
    MESSAGE_RATE,
    MESSAGE_BURST,
    LOG_LEVEL,
    LOG_JSON,
    BACKUP_FOLDER,
    TERMS_VERSION,
    PRIVACY_VERSION,
    BRIDGE_MINIMUM,
    BRIDGE_RECOMMENDED,
    BRIDGE_LATEST,
    BRIDGE_UPDATE,
};

static const struct argp_option options[] = {
    {"games", GAMES, "A,B,..", 0, "Games of the arena (all)", HELP_PLAY},
    {"rules", GAME_RULES, "GAME=JSON", 0, "Change rules, as texas_holdem={\"max_hands\":5}; repeatable", HELP_PLAY},
    {"turn-timeout", TURN_TIMEOUT, "MS", 0, "Time for a decision (300000)", HELP_PLAY},
    {"table-min", TABLE_MIN, "[GAME=]N", HELP_RARE, "Fewest players at a table, for all games or for GAME (2)",
     HELP_PLAY},
    {"table-max", TABLE_MAX, "[GAME=]N", 0, "Most players at a table, for all games or for GAME (4)", HELP_PLAY},
    {"spectate-delay", SPECTATE_DELAY, "MS", HELP_RARE, "Delay of what spectators see (60000)", HELP_PLAY},
    {"no-reveal-seed", NO_REVEAL_SEED, NULL, HELP_RARE, "Do not publish the keys of finished matches", HELP_PLAY},
    {"god-view", GOD_VIEW, NULL, HELP_RARE, "Show hidden cards in replays", HELP_PLAY},
    {"house-bots", HOUSE_BOTS, "N", 0, "House bots for each game; 0: none (3)", HELP_BOTS},
    {"house", HOUSE, "NAME=llm:MODEL@URL", HELP_RARE,
     "Add a language model as house player; it fills tables before house bots do; repeatable", HELP_BOTS},
    {"house-wait", HOUSE_WAIT, "MS", 0, "Time in the queue before house bots fill a table (10000)", HELP_BOTS},
    {"house-think", HOUSE_THINK, "MS", HELP_RARE, "Average time of a house bot's move; 0: none (400)", HELP_BOTS},
    {"health-every", HEALTH_EVERY, "MS", HELP_RARE, "Interval of health checks of remote bots (5000)", HELP_BOTS},
    {"public-url", PUBLIC_URL, "URL", 0, "Public address of the server, as https://host[:port]", HELP_ACCESS},
    {"origin", ORIGIN, "ORIGIN", 0, "Accept WebSocket clients from this web origin only; repeatable (any)",
     HELP_ACCESS},
    {"claim", CLAIM, "HOW", 0,
     "How a new agent becomes active: auto (at once), token (with its claim token) or operator (when approved) (auto)",
     HELP_ACCESS},
    {"admin-token-file", ADMIN_TOKEN_FILE, "FILE", 0, "Read the operator token from the first line of FILE",
     HELP_ACCESS},
    {"admin-token", ADMIN_TOKEN, "TOKEN", HELP_RARE, "Token for operator requests; without it they are disabled",
     HELP_ACCESS},
    {"admin-anywhere", ADMIN_ANYWHERE, NULL, HELP_RARE, "Accept operator requests from other machines", HELP_ACCESS},
    {"no-device-binding", NO_DEVICE_BINDING, NULL, HELP_RARE, "Accept an agent's key from any device and client",
     HELP_ACCESS},
    {"rename-cooldown", RENAME_COOLDOWN, "MS", HELP_RARE, "Shortest time between two renames of an agent (60000)",
     HELP_ACCESS},
    {"tls-cert", TLS_CERT, "FILE", 0, "Certificate chain (PEM); enables HTTPS", HELP_TLS},
    {"tls-key", TLS_KEY, "FILE", 0, "Private key of the certificate (PEM)", HELP_TLS},
    {"limit-loopback", LIMIT_LOOPBACK, NULL, 0, "Apply rate limits to clients on this machine too", HELP_LIMITS},
    {"connect-rate", CONNECT_RATE, "N", HELP_RARE,
     "Agents accepted per second with --store; others wait; 0: no limit (500)", HELP_LIMITS},
    {"message-rate", MESSAGE_RATE, "N", HELP_RARE, "Messages per second on an agent's connection (20)", HELP_LIMITS},
    {"message-burst", MESSAGE_BURST, "N", HELP_RARE, "Messages at once on an agent's connection (60)", HELP_LIMITS},
    {"store", STORE, "URL", HELP_RARE,
     "Keep the data in PostgreSQL (postgresql://USER@HOST/DATABASE); give a password by AGON_STORE, --config or "
     ".pgpass",
     HELP_PORTS},
    {"node", NODE, "NAME", HELP_RARE,
     "Share the database of --store with other servers as one arena; NAME must be unique", HELP_PORTS},
    {"bus", BUS, "URL", HELP_RARE,
     "NATS server (nats://HOST:PORT) that connects the servers of one arena, so that agents of one match may be "
     "connected to different servers; needs --node",
     HELP_PORTS},
    {"roles", ROLES, "A,B,..", HELP_RARE,
     "Roles of this server in the arena: gateway, host, matchmaker, director, sweeper (all); needs --bus", HELP_PORTS},
    {"lease", LEASE, "MS", HELP_RARE, "Time without a sign of life after which a node is taken over (4000)",
     HELP_PORTS},
    {"require-standby", REQUIRE_STANDBY, NULL, HELP_RARE,
     "Accept nothing while the database of --store has no synchronous standby", HELP_PORTS},
    {"disk-margin", DISK_MARGIN, "MIB", HELP_RARE, "Start no match with less free disk space (64)", HELP_LIMITS},
    {"log-level", LOG_LEVEL, "LEVEL", 0, "debug, info, warning, error or off (info)", HELP_OUTPUT},
    {"log-json", LOG_JSON, NULL, HELP_RARE, "Log in JSON, one object per line", HELP_OUTPUT},
    {"transcripts", TRANSCRIPTS, "DIR", HELP_RARE, "Write the messages of every agent's connection to DIR",
     HELP_OUTPUT},
    {"backup-folder", BACKUP_FOLDER, "DIR", HELP_RARE, "Folder for backups (backups in --data)", HELP_OUTPUT},
    {"fill-wait", FILL_WAIT, "MS", HELP_RARE, "Time a table with --table-min players waits for more (3000)",
     HELP_MATCHMAKING},
    {"confirm-timeout", CONFIRM_TIMEOUT, "MS", HELP_RARE, "Time to confirm a match (30000)", HELP_MATCHMAKING},
    {"readiness-timeout", READINESS_TIMEOUT, "MS", HELP_RARE, "Time to answer a readiness check (5000)",
     HELP_MATCHMAKING},
    {"standby-sweep", STANDBY_SWEEP, "MS", HELP_RARE, "Interval at which agents on standby are seated (5000)",
     HELP_MATCHMAKING},
    {"standby-default-cap", STANDBY_CAP, "N", HELP_RARE, "Games per day of an agent on standby that sets no cap (2)",
     HELP_MATCHMAKING},
    {"challenge-ttl", CHALLENGE_TTL, "MS", HELP_RARE, "Time until an open challenge expires (86400000)",
     HELP_MATCHMAKING},
    {"max-concurrent", MAX_CONCURRENT, "N", HELP_RARE, "Most concurrent matches an agent may ask for (8)",
     HELP_MATCHMAKING},
    {"agent-concurrent", AGENT_CONCURRENT, "N", HELP_RARE, "Concurrent matches of a new agent (1)", HELP_MATCHMAKING},
    {"agent-games-per-hour", AGENT_PER_HOUR, "N", HELP_RARE, "Games per hour for a new agent; 0: no limit (0)",
     HELP_MATCHMAKING},
    {"agent-games-per-day", AGENT_PER_DAY, "N", HELP_RARE,
     "Games per day for a new agent; 0: no limit, and no standby (0)", HELP_MATCHMAKING},
    {"agent-cooldown", AGENT_COOLDOWN, "S", HELP_RARE, "Pause of a new agent after each match, in seconds (0)",
     HELP_MATCHMAKING},
    {"rate-house", RATE_HOUSE, NULL, HELP_RARE, "Rate matches with house bots", HELP_RATINGS},
    {"rate-same-address", RATE_SAME_ADDRESS, NULL, HELP_RARE, "Rate matches between agents of one client address",
     HELP_RATINGS},
    {"damp-repeats", DAMP_REPEATS, NULL, HELP_RARE, "Weight matches of the same pair less from the fourth a day on",
     HELP_RATINGS},
    {"tournaments", TOURNAMENTS, "N", HELP_RARE, "Most tournaments at once; 0: none (4)", HELP_RATINGS},
    {"tournament-games", TOURNAMENT_GAMES, "N", HELP_RARE, "Most games of a tournament (10000)", HELP_RATINGS},
    {"require-protocol", REQUIRE_PROTOCOL, "1.2", HELP_RARE, "Refuse agents with an older protocol version",
     HELP_COMPATIBILITY},
    {"strict-compat", STRICT_COMPAT, NULL, HELP_RARE, "Follow the original platform wherever agon differs from it",
     HELP_COMPATIBILITY},
    {"deterministic-windows", DETERMINISTIC_WINDOWS, NULL, HELP_RARE,
     "Close Coup's challenge and block windows only when everyone has answered", HELP_COMPATIBILITY},
    {"terms-version", TERMS_VERSION, "WORD", HELP_RARE, "Version of the terms of use (1)", HELP_COMPATIBILITY},
    {"privacy-version", PRIVACY_VERSION, "WORD", HELP_RARE, "Version of the privacy policy (1)", HELP_COMPATIBILITY},
    {"bridge-minimum", BRIDGE_MINIMUM, "VERSION", HELP_RARE, "Oldest version of the public client to accept (0.0.0)",
     HELP_COMPATIBILITY},
    {"bridge-recommended", BRIDGE_RECOMMENDED, "VERSION", HELP_RARE, "Version the public client should use (0.0.0)",
     HELP_COMPATIBILITY},
    {"bridge-latest", BRIDGE_LATEST, "VERSION", HELP_RARE, "Newest version of the public client (0.0.0)",
     HELP_COMPATIBILITY},
    {"bridge-update", BRIDGE_UPDATE, "COMMAND", HELP_RARE, "Update command to show to the public client (none)",
     HELP_COMPATIBILITY},
    {0},
};

static const struct app_value values[] = {
    APP_NUMBER(TURN_TIMEOUT, "--turn-timeout", struct arena_settings, lobby.turn_timeout_ms, 100, 86400000),
    APP_NUMBER(LEASE, "--lease", struct arena_settings, lease_ms, 2000, 60000),
    APP_NUMBER(FILL_WAIT, "--fill-wait", struct arena_settings, lobby.fill_wait_ms, 0, 86400000),
    APP_NUMBER(HOUSE_WAIT, "--house-wait", struct arena_settings, lobby.house_wait_ms, 0, 86400000),
    APP_NUMBER(HOUSE_THINK, "--house-think", struct arena_settings, lobby.house_think_ms, 0, 60000),
    APP_NUMBER(CONFIRM_TIMEOUT, "--confirm-timeout", struct arena_settings, lobby.confirm_timeout_ms, 100, 86400000),
    APP_NUMBER(HEALTH_EVERY, "--health-every", struct arena_settings, health_every_ms, 100, 86400000),
    APP_NUMBER(STANDBY_SWEEP, "--standby-sweep", struct arena_settings, lobby.standby_sweep_ms, 100, 86400000),
    APP_NUMBER(READINESS_TIMEOUT, "--readiness-timeout", struct arena_settings, lobby.readiness_timeout_ms, 100,
               86400000),
    APP_NUMBER(CHALLENGE_TTL, "--challenge-ttl", struct arena_settings, lobby.challenge_ttl_ms, 1000, 31536000000),
    APP_NUMBER(SPECTATE_DELAY, "--spectate-delay", struct arena_settings, lobby.spectate_delay_ms, 0, 86400000),
    APP_NUMBER(RENAME_COOLDOWN, "--rename-cooldown", struct arena_settings, rest.rename_cooldown_ms, 0, 31536000000),
    APP_NUMBER(TABLE_MIN, "--table-min", struct arena_settings, lobby.table_min, 2, 9),
    APP_NUMBER(TABLE_MAX, "--table-max", struct arena_settings, lobby.table_max, 2, 9),
    APP_NUMBER(AGENT_CONCURRENT, "--agent-concurrent", struct arena_settings, lobby.agent_concurrent, 1, 8),
    APP_NUMBER(AGENT_PER_HOUR, "--agent-games-per-hour", struct arena_settings, lobby.agent_per_hour, 0, 10000),
    APP_NUMBER(AGENT_PER_DAY, "--agent-games-per-day", struct arena_settings, lobby.agent_per_day, 0, 10000),
    APP_NUMBER(AGENT_COOLDOWN, "--agent-cooldown", struct arena_settings, lobby.agent_cooldown_s, 0, 86400),
    APP_NUMBER(HOUSE_BOTS, "--house-bots", struct arena_settings, lobby.house_bots, 0, 100),
    APP_NUMBER(TOURNAMENTS, "--tournaments", struct arena_settings, tournaments, 0, 64),
    APP_NUMBER(TOURNAMENT_GAMES, "--tournament-games", struct arena_settings, tournament_games, 1, 1000000),
    APP_NUMBER(STANDBY_CAP, "--standby-default-cap", struct arena_settings, lobby.standby_default_cap, 0, 10000),
    APP_NUMBER(CONNECT_RATE, "--connect-rate", struct arena_settings, hub.connects_per_second, 0, 100000),
    APP_NUMBER(MESSAGE_RATE, "--message-rate", struct arena_settings, hub.messages_per_second, 1, 100000),
    APP_NUMBER(MESSAGE_BURST, "--message-burst", struct arena_settings, hub.messages_in_burst, 1, 100000),
    APP_NUMBER(MAX_CONCURRENT, "--max-concurrent", struct arena_settings, lobby.max_concurrent_ceiling, 1, 8),
    APP_NUMBER(DISK_MARGIN, "--disk-margin", struct arena_settings, disk_margin_mib, 0, 1 << 20),
    APP_VALUE(STRICT_COMPAT, struct arena_settings, lobby.strict_compat),
    APP_VALUE(DETERMINISTIC_WINDOWS, struct arena_settings, lobby.deterministic_windows),
    APP_VALUE(RATE_HOUSE, struct arena_settings, lobby.rate_house),
    APP_VALUE(RATE_SAME_ADDRESS, struct arena_settings, lobby.rate_same_address),
    APP_VALUE(DAMP_REPEATS, struct arena_settings, lobby.damp_repeats),
    APP_VALUE(NO_REVEAL_SEED, struct arena_settings, lobby.hide_keys),
    APP_VALUE(NO_REVEAL_SEED, struct arena_settings, rest.hide_seed),
    APP_VALUE(NO_DEVICE_BINDING, struct arena_settings, hub.no_device_binding),
    APP_VALUE(NO_DEVICE_BINDING, struct arena_settings, rest.no_device_binding),
    APP_VALUE(LIMIT_LOOPBACK, struct arena_settings, rest.limit_loopback),
    APP_VALUE(GOD_VIEW, struct arena_settings, rest.god_view),
    APP_VALUE(ADMIN_ANYWHERE, struct arena_settings, rest.admin_anywhere),
    APP_VALUE(LOG_JSON, struct arena_settings, log_json),
    APP_VALUE(REQUIRE_STANDBY, struct arena_settings, require_standby),
    APP_VALUE(TLS_CERT, struct arena_settings, tls_cert),
    APP_VALUE(TLS_KEY, struct arena_settings, tls_key),
    APP_VALUE(TRANSCRIPTS, struct arena_settings, hub.transcripts),
    APP_VALUE(STORE, struct arena_settings, store),
    APP_VALUE(NODE, struct arena_settings, node),
    APP_VALUE(BUS, struct arena_settings, bus),
    {0},
};

static const struct {
    int key;
    size_t field;
    size_t most; // bytes; 0: any
} texts[] = {
    {ADMIN_TOKEN, offsetof(struct arena_settings, rest.admin_token), 200},
    {BACKUP_FOLDER, offsetof(struct arena_settings, rest.backup_folder), 0},
    {TERMS_VERSION, offsetof(struct arena_settings, rest.terms_version), 15},
    {PRIVACY_VERSION, offsetof(struct arena_settings, rest.privacy_version), 15},
    {BRIDGE_MINIMUM, offsetof(struct arena_settings, rest.bridge_minimum), 32},
    {BRIDGE_RECOMMENDED, offsetof(struct arena_settings, rest.bridge_recommended), 32},
    {BRIDGE_LATEST, offsetof(struct arena_settings, rest.bridge_latest), 32},
    {BRIDGE_UPDATE, offsetof(struct arena_settings, rest.bridge_update), 200},
};

static const char *name_of(int key)
{
    for (const struct argp_option *o = options; o->name; o++)
        if (o->key == key)
            return o->name;
    return "";
}

static bool set_text(struct argp_state *state, struct arena_settings *s, int key, const char *arg)
{
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].key != key)
            continue;
        if (!arg[0] && !texts[i].most)
            argp_failure(state, APP_USAGE, 0, "--%s must not be empty", name_of(key));
        if (!arg[0] || (texts[i].most && strlen(arg) > texts[i].most))
            argp_failure(state, APP_USAGE, 0, "--%s needs 1 to %zu characters", name_of(key), texts[i].most);
        memcpy((char *)s + texts[i].field, &arg, sizeof arg);
        return true;
    }
    return false;
}

// F1.15: paths are appended to it, so it must not have one.
static bool is_site(const char *url)
{
    const char *host = strstr(url, "://");
    if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) || strlen(url) > 255)
        return false;
    size_t size = strcspn(host += 3, "/?#@ \t\"<>\\");
    return size > 0 && (host[size] == 0 || strcmp(host + size, "/") == 0);
}

// F3.2: "coup=6" is for one game, "6" for all that have no number of their own.
static bool set_table(struct argp_state *state, int key, const char *arg)
{
    const char *mark = key == TABLE_MIN || key == TABLE_MAX ? strchr(arg, '=') : NULL;
    char bad[ARENA_GAMES_WHY], option[16];
    if (!mark)
        return false;
    snprintf(option, sizeof option, "--%s", name_of(key));
    int count = (int)app_read_uint(state, option, mark + 1, 2, 9);
    if (!arena_games_set_table((struct span){arg, (size_t)(mark - arg)}, key == TABLE_MAX, count, bad, sizeof bad))
        argp_failure(state, APP_USAGE, 0, "%s: %s", option, bad);
    return true;
}

static unsigned read_roles(const struct argp_state *state, const char *list)
{
    static const char *const names[] = {"gateway", "host", "matchmaker", "director", "sweeper"};
    unsigned roles = 0;
    for (const char *at = list; *at || !roles;) {
        size_t size = strcspn(at, ",");
        unsigned i = 0;
        while (i < sizeof names / sizeof *names && !span_is((struct span){at, size}, names[i]))
            i++;
        if (i == sizeof names / sizeof *names)
            argp_failure(state, APP_USAGE, 0,
                         "--roles: unknown role '%.*s'; known: gateway, host, matchmaker, director, sweeper", (int)size,
                         at);
        roles |= 1u << i;
        at += size + (at[size] == ',');
    }
    return roles;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const claims[] = {"auto", "token", "operator", NULL}, *const protocols[] = {"1.2", NULL};
    static const char *const log_levels[] = {"debug", "info", "warning", "error", "off", NULL};
    struct arena_settings *s = state->input;
    char bad[ARENA_GAMES_WHY];
    if (!s)
        return ARGP_ERR_UNKNOWN; // only its options are being listed
    switch (key) {
    case GAMES:
        if (!arena_games_choose(arg, bad, sizeof bad))
            argp_failure(state, APP_USAGE, 0, "--games: %s", bad);
        return 0;
    case GAME_RULES:
        if (!arena_games_set_rules(arg, bad, sizeof bad))
            argp_failure(state, APP_USAGE, 0, "--rules: %s", bad);
        return 0;
    case PUBLIC_URL:
        if (!is_site(arg))
            argp_failure(state, APP_USAGE, 0, "--public-url: '%s' is not https://host[:port]; leave out the path", arg);
        s->rest.public_url = arg;
        return 0;
    case ORIGIN:
        app_add_origin(state, "--origin", arg, s->origins, &s->origin_count, ARENA_ORIGINS);
        return 0;
    case HOUSE:
        if (s->house_count == LOBBY_MODELS)
            argp_failure(state, APP_USAGE, 0, "--house can be given at most %d times", LOBBY_MODELS);
        s->house[s->house_count++] = arg;
        return 0;
    case REQUIRE_PROTOCOL:
        app_read_word(state, "--require-protocol", arg, protocols);
        s->hub.require_protocol_1_2 = true;
        return 0;
    case CLAIM:
        s->lobby.claim = (enum lobby_claim)app_read_word(state, "--claim", arg, claims);
        return 0;
    case ADMIN_TOKEN_FILE:
        set_text(state, s, ADMIN_TOKEN, secrets_read_file("agon serve", "--admin-token-file", arg));
        return 0;
    case ROLES:
        s->roles = read_roles(state, arg);
        return 0;
    case LOG_LEVEL:
        s->log_level = log_find_level(log_levels[app_read_word(state, "--log-level", arg, log_levels)]);
        return 0;
    default:
        return set_table(state, key, arg) || app_take_value(state, values, key, arg, s) || set_text(state, s, key, arg)
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    }
}

// --- a running server

static const int live[] = {
    TLS_CERT,           TLS_KEY,         CONNECT_RATE,     MESSAGE_RATE,      MESSAGE_BURST,   TURN_TIMEOUT,
    FILL_WAIT,          CONFIRM_TIMEOUT, STANDBY_SWEEP,    READINESS_TIMEOUT, CHALLENGE_TTL,   SPECTATE_DELAY,
    STANDBY_CAP,        MAX_CONCURRENT,  AGENT_CONCURRENT, AGENT_PER_HOUR,    AGENT_PER_DAY,   AGENT_COOLDOWN,
    HOUSE_WAIT,         HOUSE_THINK,     RATE_HOUSE,       RATE_SAME_ADDRESS, DAMP_REPEATS,    CLAIM,
    RENAME_COOLDOWN,    LIMIT_LOOPBACK,  GOD_VIEW,         NO_DEVICE_BINDING, ADMIN_TOKEN,     ADMIN_ANYWHERE,
    ADMIN_TOKEN_FILE,   LOG_LEVEL,       LOG_JSON,         TERMS_VERSION,     PRIVACY_VERSION, BRIDGE_MINIMUM,
    BRIDGE_RECOMMENDED, BRIDGE_LATEST,   BRIDGE_UPDATE,
};

static bool is_live(int key)
{
    for (unsigned i = 0; i < sizeof live / sizeof *live; i++)
        if (live[i] == key)
            return true;
    return false;
}

bool arena_option_is_live(const char *name)
{
    for (const struct argp_option *o = options; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return is_live(o->key);
    return false;
}

static void copy_member(struct arena_settings *to, const struct arena_settings *from, size_t field, size_t size)
{
    memcpy((char *)to + field, (const char *)from + field, size);
}

void arena_settings_copy_live(struct arena_settings *to, const struct arena_settings *from)
{
    for (const struct app_value *v = values; v->type != APP_NONE; v++)
        if (is_live(v->key))
            copy_member(to, from, v->at, v->size);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_live(texts[i].key))
            copy_member(to, from, texts[i].field, sizeof(char *));
    to->lobby.claim = from->lobby.claim;
    to->log_level = from->log_level;
}

const struct argp arena_argp = {.options = options, .parser = parse_option};

void arena_settings_init(struct arena_settings *s)
{
    *s = (struct arena_settings){.disk_margin_mib = 64,
                                 .health_every_ms = 5000,
                                 .lease_ms = 4000,
                                 .roles = ROLE_ALL,
                                 .log_level = LOG_LEVEL_INFO,
                                 .tournaments = 4,
                                 .tournament_games = 10000};
    lobby_defaults(&s->lobby);
    hub_defaults(&s->hub);
    arena_rest_defaults(&s->rest);
}

// F8.8: checked at the start, because otherwise nobody would notice before the transcript is needed.
static void check_transcripts(const char *folder, const char *command)
{
    struct stat found;
    if (stat(folder, &found) != 0)
        app_refuse(command, "--transcripts %s: %s; create the folder first", folder, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        app_refuse(command, "--transcripts %s is not a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        app_refuse(command, "--transcripts %s: %s; the folder must be writable", folder, strerror(errno));
}

const char *const *arena_settings_origins(const struct arena_settings *s)
{
    return s->origin_count ? s->origins : NULL;
}

void arena_settings_check(const struct arena_settings *s, const char *command)
{
    char bad[ARENA_GAMES_WHY];
    if (s->hub.transcripts)
        check_transcripts(s->hub.transcripts, command);
    if (!s->tls_cert != !s->tls_key)
        app_refuse(command, "--tls-cert and --tls-key must be given together");
    if (s->store && !pg_is_url(s->store))
        app_refuse(command, "--store needs the address of a PostgreSQL database, as postgresql://USER@HOST/DATABASE");
    if (s->node && !s->store)
        app_refuse(command, "--node needs --store: several servers share a PostgreSQL database");
    if (s->node && (!s->node[0] || strlen(s->node) >= STORE_NODE_NAME))
        app_refuse(command, "--node needs a name of 1 to %d characters", STORE_NODE_NAME - 1);
    if (s->node && s->node[strspn(s->node, STORE_NODE_LETTERS)])
        app_refuse(command, "--node needs a name of letters, digits, '-', '_' and '.', not '%s'", s->node);
    if (s->require_standby && !s->store)
        app_refuse(command, "--require-standby needs --store: it is about the standbys of a PostgreSQL database");
    if (s->bus && !s->node)
        app_refuse(command, "--bus needs --store and --node: it joins the servers of one arena");
    if (s->roles != ROLE_ALL && !s->bus)
        app_refuse(command, "--roles needs --bus: without it a node cannot leave anything to others");
    if (!(s->roles & ROLE_HOST) && s->roles & (ROLE_MATCHMAKER | ROLE_SWEEPER | ROLE_DIRECTOR))
        app_refuse(command,
                   "--roles: a matchmaker, director or sweeper must be a host, too; matches that nobody else can take "
                   "are played by it");
    if (s->lobby.table_min > s->lobby.table_max)
        app_refuse(command, "--table-min %d is larger than --table-max %d", s->lobby.table_min, s->lobby.table_max);
    if (!arena_games_fit(s->lobby.table_min, s->lobby.table_max, bad, sizeof bad))
        app_refuse(command, "%s; change it for one game with --table-min GAME=N or --table-max GAME=N", bad);
    if (s->lobby.agent_concurrent > s->lobby.max_concurrent_ceiling)
        app_refuse(command, "--agent-concurrent %d is larger than --max-concurrent %d", s->lobby.agent_concurrent,
                   s->lobby.max_concurrent_ceiling);
}
