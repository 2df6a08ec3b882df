#include "app/arena_options.h"

#include "app/app.h"
#include "app/arena_games.h"
#include "app/secrets.h"
#include "net/log.h"

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
    {"games", GAMES, "A,B,..", 0, "Games of the arena (all)", 5},
    {"rules", GAME_RULES, "GAME=JSON", 0, "Other rules, as texas_holdem={\"max_hands\":5}; may be given again", 5},
    {"public-url", PUBLIC_URL, "URL", 0, "How this server is called from outside, as https://host[:port]", 5},
    {"tls-cert", TLS_CERT, "FILE", 0, "Certificate chain, PEM: HTTP and WebSocket speak TLS", 5},
    {"tls-key", TLS_KEY, "FILE", 0, "Its key, PEM", 5},
    {"origin", ORIGIN, "ORIGIN", 0, "Only pages of this origin may connect; may be given again (any)", 5},
    {"require-protocol", REQUIRE_PROTOCOL, "1.2", 0, "Refuse agents that speak an older protocol", 5},
    {"strict-compat", STRICT_COMPAT, 0, 0, "Do as the original platform does where the two differ", 5},
    {"deterministic-windows", DETERMINISTIC_WINDOWS, 0, 0, "Windows of Coup close when all have answered", 5},
    {"transcripts", TRANSCRIPTS, "DIR", 0, "Write what is said on every connection of an agent", 5},
    {"message-rate", MESSAGE_RATE, "N", 0, "Messages a second that a connection may send (20)", 5},
    {"message-burst", MESSAGE_BURST, "N", 0, "Messages it may send at once (60)", 5},
    {"turn-timeout", TURN_TIMEOUT, "MS", 0, "Time for a decision (300000)", 6},
    {"table-min", TABLE_MIN, "[GAME=]N", 0, "Players a table needs, of every game or of one (2)", 6},
    {"table-max", TABLE_MAX, "[GAME=]N", 0, "Players a table takes, likewise (4)", 6},
    {"fill-wait", FILL_WAIT, "MS", 0, "How long a table waits for more than it needs (3000)", 6},
    {"confirm-timeout", CONFIRM_TIMEOUT, "MS", 0, "Time to confirm a match (30000)", 6},
    {"standby-sweep", STANDBY_SWEEP, "MS", 0, "How often agents on standby are seated (5000)", 6},
    {"readiness-timeout", READINESS_TIMEOUT, "MS", 0, "Time to say that one is ready (5000)", 6},
    {"challenge-ttl", CHALLENGE_TTL, "MS", 0, "How long a challenge stays open (86400000)", 6},
    {"spectate-delay", SPECTATE_DELAY, "MS", 0, "How late spectators see a match (60000)", 6},
    {"standby-default-cap", STANDBY_CAP, "N", 0, "Games a day of an agent that goes on standby without a cap (2)", 6},
    {"max-concurrent", MAX_CONCURRENT, "N", 0, "Most matches an agent may ask to play at once (8)", 6},
    {"agent-concurrent", AGENT_CONCURRENT, "N", 0, "Matches at once of a new agent, until it says otherwise (1)", 6},
    {"agent-games-per-hour", AGENT_PER_HOUR, "N", 0, "Its games an hour; 0: no limit (0)", 6},
    {"agent-games-per-day", AGENT_PER_DAY, "N", 0, "Its games a day; 0: no limit, and no standby (0)", 6},
    {"agent-cooldown", AGENT_COOLDOWN, "S", 0, "Its rest after a match, in seconds (0)", 6},
    {"house-bots", HOUSE_BOTS, "N", 0, "House bots of each game; 0: none (3)", 7},
    {"health-every", HEALTH_EVERY, "MS", 0, "How often remote bots are asked whether they are there (5000)", 7},
    {"house-wait", HOUSE_WAIT, "MS", 0, "How long a queue waits before house bots fill it (10000)", 7},
    {"house-think", HOUSE_THINK, "MS", 0, "How long a house bot's move takes, about; 0: no time (400)", 7},
    {"rate-house", RATE_HOUSE, 0, 0, "Matches with house bots are rated", 7},
    {"rate-same-address", RATE_SAME_ADDRESS, 0, 0, "Rate matches between agents behind one address", 7},
    {"damp-repeats", DAMP_REPEATS, 0, 0, "Meetings of the same pair count less from the fourth a day on", 7},
    {"tournaments", TOURNAMENTS, "N", 0, "Tournaments that may run at once; 0: none are made (4)", 7},
    {"tournament-games", TOURNAMENT_GAMES, "N", 0, "Most games of one tournament (10000)", 7},
    {"claim", CLAIM, "HOW", 0, "Agents are claimed by themselves (auto), by a token, or by the operator", 8},
    {"rename-cooldown", RENAME_COOLDOWN, "MS", 0, "Between two renames of an agent (60000)", 8},
    {"no-device-binding", NO_DEVICE_BINDING, 0, 0, "Keys may be used from any device and client", 8},
    {"limit-loopback", LIMIT_LOOPBACK, 0, 0, "Rate limits hold for this machine too", 8},
    {"no-reveal-seed", NO_REVEAL_SEED, 0, 0, "Keys of finished matches are not published", 8},
    {"god-view", GOD_VIEW, 0, 0, "Replays show hidden cards", 8},
    {"admin-token", ADMIN_TOKEN, "TOKEN", 0, "Token for operator requests; without it they are disabled", 8},
    {"admin-token-file", ADMIN_TOKEN_FILE, "FILE", 0, "Read that token from the first line of FILE", 8},
    {"admin-anywhere", ADMIN_ANYWHERE, 0, 0, "Operator calls need not come from this machine", 8},
    {"backup-folder", BACKUP_FOLDER, "DIR", 0, "Where backups go that the operator asks for (backups in --data)", 8},
    {"disk-margin", DISK_MARGIN, "MIB", 0, "With less free space no match begins (64)", 8},
    {"log-level", LOG_LEVEL, "LEVEL", 0, "debug, info, warning, error or off (info)", 8},
    {"log-json", LOG_JSON, 0, 0, "Log lines are JSON", 8},
    {"terms-version", TERMS_VERSION, "WORD", 0, "Terms of use in force (1)", 9},
    {"privacy-version", PRIVACY_VERSION, "WORD", 0, "Privacy policy in force (1)", 9},
    {"bridge-minimum", BRIDGE_MINIMUM, "VERSION", 0, "Oldest public client that is told to be good enough (0.0.0)", 9},
    {"bridge-recommended", BRIDGE_RECOMMENDED, "VERSION", 0, "The one it is told to use (0.0.0)", 9},
    {"bridge-latest", BRIDGE_LATEST, "VERSION", 0, "The newest (0.0.0)", 9},
    {"bridge-update", BRIDGE_UPDATE, "COMMAND", 0, "What it is told to update itself with (nothing)", 9},
    {0},
};

// Plain numbers and switches: one row each.
static const struct {
    int key;
    enum { MS, INT } type;
    size_t field;
    uint64_t min, max;
} numbers[] = {
    {TURN_TIMEOUT, MS, offsetof(struct arena_settings, lobby.turn_timeout_ms), 100, 86400000},
    {FILL_WAIT, MS, offsetof(struct arena_settings, lobby.fill_wait_ms), 0, 86400000},
    {HOUSE_WAIT, MS, offsetof(struct arena_settings, lobby.house_wait_ms), 0, 86400000},
    {HOUSE_THINK, MS, offsetof(struct arena_settings, lobby.house_think_ms), 0, 60000},
    {CONFIRM_TIMEOUT, MS, offsetof(struct arena_settings, lobby.confirm_timeout_ms), 100, 86400000},
    {HEALTH_EVERY, MS, offsetof(struct arena_settings, health_every_ms), 100, 86400000},
    {STANDBY_SWEEP, MS, offsetof(struct arena_settings, lobby.standby_sweep_ms), 100, 86400000},
    {READINESS_TIMEOUT, MS, offsetof(struct arena_settings, lobby.readiness_timeout_ms), 100, 86400000},
    {CHALLENGE_TTL, MS, offsetof(struct arena_settings, lobby.challenge_ttl_ms), 1000, 31536000000},
    {SPECTATE_DELAY, MS, offsetof(struct arena_settings, lobby.spectate_delay_ms), 0, 86400000},
    {RENAME_COOLDOWN, MS, offsetof(struct arena_settings, rest.rename_cooldown_ms), 0, 31536000000},
    {TABLE_MIN, INT, offsetof(struct arena_settings, lobby.table_min), 2, 9},
    {TABLE_MAX, INT, offsetof(struct arena_settings, lobby.table_max), 2, 9},
    {AGENT_CONCURRENT, INT, offsetof(struct arena_settings, lobby.agent_concurrent), 1, 8},
    {AGENT_PER_HOUR, INT, offsetof(struct arena_settings, lobby.agent_per_hour), 0, 10000},
    {AGENT_PER_DAY, INT, offsetof(struct arena_settings, lobby.agent_per_day), 0, 10000},
    {AGENT_COOLDOWN, INT, offsetof(struct arena_settings, lobby.agent_cooldown_s), 0, 86400},
    {HOUSE_BOTS, INT, offsetof(struct arena_settings, lobby.house_bots), 0, 100},
    {TOURNAMENTS, INT, offsetof(struct arena_settings, tournaments), 0, 64},
    {TOURNAMENT_GAMES, INT, offsetof(struct arena_settings, tournament_games), 1, 1000000},
    {STANDBY_CAP, INT, offsetof(struct arena_settings, lobby.standby_default_cap), 0, 10000},
    {MESSAGE_RATE, INT, offsetof(struct arena_settings, hub.messages_per_second), 1, 100000},
    {MESSAGE_BURST, INT, offsetof(struct arena_settings, hub.messages_in_burst), 1, 100000},
    {MAX_CONCURRENT, INT, offsetof(struct arena_settings, lobby.max_concurrent_ceiling), 1, 8},
};

static const struct {
    int key;
    size_t field, also; // also 0: nothing else
} switches[] = {
    {STRICT_COMPAT, offsetof(struct arena_settings, lobby.strict_compat), 0},
    {DETERMINISTIC_WINDOWS, offsetof(struct arena_settings, lobby.deterministic_windows), 0},
    {RATE_HOUSE, offsetof(struct arena_settings, lobby.rate_house), 0},
    {RATE_SAME_ADDRESS, offsetof(struct arena_settings, lobby.rate_same_address), 0},
    {DAMP_REPEATS, offsetof(struct arena_settings, lobby.damp_repeats), 0},
    {NO_REVEAL_SEED, offsetof(struct arena_settings, lobby.hide_keys), offsetof(struct arena_settings, rest.hide_seed)},
    {NO_DEVICE_BINDING, offsetof(struct arena_settings, hub.no_device_binding),
     offsetof(struct arena_settings, rest.no_device_binding)},
    {LIMIT_LOOPBACK, offsetof(struct arena_settings, rest.limit_loopback), 0},
    {GOD_VIEW, offsetof(struct arena_settings, rest.god_view), 0},
    {ADMIN_ANYWHERE, offsetof(struct arena_settings, rest.admin_anywhere), 0},
    {LOG_JSON, offsetof(struct arena_settings, log_json), 0},
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

static bool take_number(struct argp_state *state, struct arena_settings *s, int key, const char *arg)
{
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].key != key)
            continue;
        char option[64] = "--";
        strncat(option, name_of(key), sizeof option - 3);
        uint64_t value = app_read_uint(state, option, arg, numbers[i].min, numbers[i].max);
        void *field = (char *)s + numbers[i].field;
        if (numbers[i].type == MS)
            *(int64_t *)field = (int64_t)value;
        else
            *(int *)field = (int)value;
        return true;
    }
    return false;
}

static bool take_switch(struct arena_settings *s, int key)
{
    for (unsigned i = 0; i < sizeof switches / sizeof *switches; i++)
        if (switches[i].key == key) {
            *(bool *)((char *)s + switches[i].field) = true;
            if (switches[i].also)
                *(bool *)((char *)s + switches[i].also) = true;
            return true;
        }
    return false;
}

static bool take_text(struct argp_state *state, struct arena_settings *s, int key, const char *arg)
{
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].key != key)
            continue;
        if (!arg[0] && !texts[i].most)
            argp_failure(state, APP_USAGE, 0, "--%s must not be empty", name_of(key));
        if (!arg[0] || (texts[i].most && strlen(arg) > texts[i].most))
            argp_failure(state, APP_USAGE, 0, "--%s wants 1 to %zu characters", name_of(key), texts[i].most);
        memcpy((char *)s + texts[i].field, &arg, sizeof arg);
        return true;
    }
    return false;
}

static void add_origin(struct argp_state *state, struct arena_settings *s, const char *arg)
{
    if (s->origin_count == ARENA_ORIGINS)
        argp_failure(state, APP_USAGE, 0, "--origin may be given %d times", ARENA_ORIGINS);
    if (!strstr(arg, "://"))
        argp_failure(state, APP_USAGE, 0, "--origin is like https://example.org, not '%s'", arg);
    s->origins[s->origin_count++] = arg;
}

// F1.15: addresses are made by putting paths behind it, so it has none of its own.
static bool is_site(const char *url)
{
    const char *host = strstr(url, "://");
    if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) || strlen(url) > 255)
        return false;
    size_t size = strcspn(host += 3, "/?#@ \t\"<>\\");
    return size > 0 && (host[size] == 0 || strcmp(host + size, "/") == 0);
}

static void take_url(struct argp_state *state, struct arena_settings *s, const char *arg)
{
    if (!is_site(arg))
        argp_failure(state, APP_USAGE, 0, "--public-url is like https://host[:port], not '%s'", arg);
    s->rest.public_url = arg;
}

// F3.2: "coup=6" is for one game, "6" for all that have no number of their own.
static bool take_table(struct argp_state *state, int key, const char *arg)
{
    const char *mark = key == TABLE_MIN || key == TABLE_MAX ? strchr(arg, '=') : NULL;
    char bad[160], option[16];
    if (!mark)
        return false;
    snprintf(option, sizeof option, "--%s", name_of(key));
    int count = (int)app_read_uint(state, option, mark + 1, 2, 9);
    if (!arena_games_set_table((struct span){arg, (size_t)(mark - arg)}, key == TABLE_MAX, count, bad, sizeof bad))
        argp_failure(state, APP_USAGE, 0, "%s: %s", option, bad);
    return true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const claims[] = {"auto", "token", "operator", NULL}, *const protocols[] = {"1.2", NULL};
    struct arena_settings *s = state->input;
    char bad[160], known[256];
    if (!s)
        return ARGP_ERR_UNKNOWN; // only its options are being listed
    switch (key) {
    case GAMES:
        if (!arena_games_choose(arg, bad, sizeof bad)) {
            arena_games_name(known, sizeof known);
            argp_failure(state, APP_USAGE, 0, "--games: unknown game '%s'; known: %s", bad, known);
        }
        return 0;
    case GAME_RULES:
        if (!arena_games_set_rules(arg, bad, sizeof bad))
            argp_failure(state, APP_USAGE, 0, "--rules: %s", bad);
        return 0;
    case PUBLIC_URL:
        take_url(state, s, arg);
        return 0;
    case TLS_CERT:
        s->tls_cert = arg;
        return 0;
    case TLS_KEY:
        s->tls_key = arg;
        return 0;
    case ORIGIN:
        add_origin(state, s, arg);
        return 0;
    case REQUIRE_PROTOCOL:
        app_read_word(state, "--require-protocol", arg, protocols);
        s->hub.require_protocol_1_2 = true;
        return 0;
    case TRANSCRIPTS:
        s->hub.transcripts = arg;
        return 0;
    case CLAIM:
        s->lobby.claim = (enum lobby_claim)app_read_word(state, "--claim", arg, claims);
        return 0;
    case ADMIN_TOKEN_FILE:
        take_text(state, s, ADMIN_TOKEN, secrets_read_file("agon serve", "--admin-token-file", arg));
        return 0;
    case DISK_MARGIN:
        s->disk_margin_mib = app_read_uint(state, "--disk-margin", arg, 0, 1 << 20);
        return 0;
    case LOG_LEVEL:
        s->log_level = log_find_level(arg);
        if (s->log_level < 0)
            argp_failure(state, APP_USAGE, 0, "--log-level is debug, info, warning, error or off, not '%s'", arg);
        return 0;
    default:
        return take_switch(s, key) || take_table(state, key, arg) || take_number(state, s, key, arg) ||
                       take_text(state, s, key, arg)
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    }
}

// --- a running server

static const int live[] = {
    TLS_CERT,        TLS_KEY,          MESSAGE_RATE,      MESSAGE_BURST,   TURN_TIMEOUT,   FILL_WAIT,
    CONFIRM_TIMEOUT, STANDBY_SWEEP,    READINESS_TIMEOUT, CHALLENGE_TTL,   SPECTATE_DELAY, STANDBY_CAP,
    MAX_CONCURRENT,  AGENT_CONCURRENT, AGENT_PER_HOUR,    AGENT_PER_DAY,   AGENT_COOLDOWN, HOUSE_WAIT,
    HOUSE_THINK,     RATE_HOUSE,       RATE_SAME_ADDRESS, DAMP_REPEATS,    CLAIM,          RENAME_COOLDOWN,
    LIMIT_LOOPBACK,  GOD_VIEW,         NO_DEVICE_BINDING, ADMIN_TOKEN,     ADMIN_ANYWHERE, ADMIN_TOKEN_FILE,
    LOG_LEVEL,       LOG_JSON,         TERMS_VERSION,     PRIVACY_VERSION, BRIDGE_MINIMUM, BRIDGE_RECOMMENDED,
    BRIDGE_LATEST,   BRIDGE_UPDATE,
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

static void take_over(struct arena_settings *to, const struct arena_settings *from, size_t field, size_t size)
{
    memcpy((char *)to + field, (const char *)from + field, size);
}

void arena_settings_take_live(struct arena_settings *to, const struct arena_settings *from)
{
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_live(numbers[i].key))
            take_over(to, from, numbers[i].field, numbers[i].type == MS ? sizeof(int64_t) : sizeof(int));
    for (unsigned i = 0; i < sizeof switches / sizeof *switches; i++)
        if (is_live(switches[i].key)) {
            take_over(to, from, switches[i].field, sizeof(bool));
            if (switches[i].also)
                take_over(to, from, switches[i].also, sizeof(bool));
        }
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_live(texts[i].key))
            take_over(to, from, texts[i].field, sizeof(char *));
    to->lobby.claim = from->lobby.claim;
    to->log_level = from->log_level;
    to->tls_cert = from->tls_cert;
    to->tls_key = from->tls_key;
}

const struct argp arena_argp = {.options = options, .parser = parse};

void arena_settings_init(struct arena_settings *s)
{
    *s = (struct arena_settings){.disk_margin_mib = 64,
                                 .health_every_ms = 5000,
                                 .log_level = LOG_LEVEL_INFO,
                                 .tournaments = 4,
                                 .tournament_games = 10000};
    lobby_defaults(&s->lobby);
    hub_defaults(&s->hub);
    arena_rest_defaults(&s->rest);
}

// F8.8: a transcript that cannot be written would be missed only when it is wanted.
static void check_transcripts(const char *folder, const char *command)
{
    struct stat found;
    if (stat(folder, &found) != 0)
        app_refuse(command, "--transcripts %s: %s; make the folder first", folder, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        app_refuse(command, "--transcripts %s is no folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        app_refuse(command, "--transcripts %s: %s; nothing can be written there", folder, strerror(errno));
}

const char *const *arena_settings_origins(const struct arena_settings *s)
{
    return s->origin_count ? s->origins : NULL;
}

void arena_settings_check(const struct arena_settings *s, const char *command)
{
    char bad[160];
    if (s->hub.transcripts)
        check_transcripts(s->hub.transcripts, command);
    if (!s->tls_cert != !s->tls_key)
        app_refuse(command, "--tls-cert and --tls-key go together");
    if (s->lobby.table_min > s->lobby.table_max)
        app_refuse(command, "--table-min %d is above --table-max %d", s->lobby.table_min, s->lobby.table_max);
    if (!arena_games_fit(s->lobby.table_min, s->lobby.table_max, bad, sizeof bad))
        app_refuse(command, "%s; --table-min and --table-max take GAME=N", bad);
    if (s->lobby.agent_concurrent > s->lobby.max_concurrent_ceiling)
        app_refuse(command, "--agent-concurrent %d is above --max-concurrent %d", s->lobby.agent_concurrent,
                   s->lobby.max_concurrent_ceiling);
}
