// agon admin COMMAND: the operator's tools, on a running server or on a data folder.
#include "app/admin_client.h"
#include "app/admin_print.h"
#include "app/app.h"
#include "app/help.h"
#include "app/mcp_options.h"
#include "app/secrets.h"
#include "base/json_write.h"
#include "front/arena/rest.h"
#include "heap/heap.h"
#include "lobby/recompute.h"
#include "store/pg/copy.h"
#include "store/pg/pg.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATA = 0x400, SERVER, TOKEN, TOKEN_FILE, INSECURE, DAMP, COPY_FROM, COPY_TO, STORE_URL, FIELD = 0x500 };

#define SERVICE_DATA "/var/lib/agon" // of the systemd unit

// Members of request bodies that are set by options.
static const struct field {
    const char *name; // of the member; the option has '-' instead of '_'
    enum { AS_TEXT, AS_NUMBER, AS_LIST } kind;
} fields[] = {
    {"name", AS_TEXT},
    {"model", AS_TEXT},
    {"description", AS_TEXT},
    {"bot_url", AS_TEXT},
    {"games", AS_LIST},
    {"runtime_type", AS_TEXT},
    {"max_games_per_day", AS_NUMBER},
    {"max_games_per_hour", AS_NUMBER},
    {"cooldown_seconds", AS_NUMBER},
    {"max_concurrent", AS_NUMBER},
    {"title", AS_TEXT},
    {"game", AS_TEXT},
    {"format", AS_TEXT},
    {"entrants", AS_LIST},
    {"games", AS_NUMBER},
    {"games_per_pair", AS_NUMBER},
    {"rounds", AS_NUMBER},
    {"wait_seconds", AS_NUMBER},
    {"entry_seconds", AS_NUMBER},
    {"entry_max", AS_NUMBER},
    {"seed", AS_NUMBER},
};
enum { FIELDS = sizeof fields / sizeof *fields };

struct call {
    const struct row *row;
    struct admin_target target;
    bool json, force;
    const char *to;           // of a copy
    const char *arg, *second; // `second` only for commands with two arguments
    const char *field[FIELDS];
};

struct row {
    const char *name;
    const char *args; // NULL: none
    const char *summary;
    const char *method, *path; // "%s" stands for the argument
    const char *body;          // fixed body; NULL: from the options
    const struct argp_option *options;
    const char *list, *columns; // what is printed: rows of a list, or one object
    int (*run)(struct call *c); // NULL: just the request
};

static int run_backup(struct call *c);
static int run_restore(struct call *c);
static int run_copy(struct call *c);
static int run_recompute(struct call *c);
static int run_match(struct call *c);
static int run_cluster(struct call *c);
static int run_drain(struct call *c);

static const struct argp_option create_options[] = {
    {"name", FIELD + 0, "NAME", 0, "Name of the agent, 2 to 50 characters", 0},
    {"model", FIELD + 1, "TEXT", 0, "Model that the agent uses, as free text", 0},
    {"description", FIELD + 2, "TEXT", 0, "Short description", 0},
    {"bot-url", FIELD + 3, "URL", 0, "Address of a remote bot, instead of an agent that connects", 0},
    {"games", FIELD + 4, "A,B,..", 0, "Games of the remote bot", 0},
    {0},
};
static const struct argp_option pairing_options[] = {
    {"runtime-type", FIELD + 5, "TYPE", 0, "direct or mock (direct)", 0},
    {0},
};
static const struct argp_option limit_options[] = {
    {"max-games-per-day", FIELD + 6, "N", 0, "Games per day, 0 to 10000; 0: no limit", 0},
    {"max-games-per-hour", FIELD + 7, "N", 0, "Games per hour, 0 to 10000; 0: no limit", 0},
    {"cooldown-seconds", FIELD + 8, "N", 0, "Pause after each match, 0 to 86400", 0},
    {"max-concurrent", FIELD + 9, "N", 0, "Concurrent matches, 1 to 8", 0},
    {0},
};
static const struct argp_option tournament_options[] = {
    {"game", FIELD + 11, "GAME", 0, "Game to play", 0},
    {"format", FIELD + 12, "FORMAT", 0, "round_robin, gauntlet or swiss", 0},
    {"entrants", FIELD + 13, "A,B,..", 0, "house:NAME, ids of agents, addresses of bots", 0},
    {"title", FIELD + 10, "TEXT", 0, "Title, up to 80 characters", 0},
    {"games", FIELD + 14, "N", 0, "Games in all", 0},
    {"games-per-pair", FIELD + 15, "N", 0, "Games of every two entrants that meet, instead of --games", 0},
    {"rounds", FIELD + 16, "N", 0, "Rounds of a Swiss tournament", 0},
    {"wait-seconds", FIELD + 17, "N", 0, "An agent that a game has waited for so long loses it (3600)", 0},
    {"entry-seconds", FIELD + 18, "N", 0, "Time in which agents may enter (none: it begins at once)", 0},
    {"entry-max", FIELD + 19, "N", 0, "Most entrants of such a tournament, 2 to 64 (64)", 0},
    {"seed", FIELD + 20, "N", 0, "Seed of the cards (random)", 0},
    {0},
};
static const struct argp_option restore_options[] = {
    {"force", 'f', NULL, 0, "Replace existing data; the old data is renamed and kept", 0},
    {0},
};

static const struct argp_option copy_options[] = {
    {"from", COPY_FROM, "sqlite:DIR", 0, "Data folder to copy (that of --data)", 0},
    {"to", COPY_TO, "URL", 0, "Empty database, postgresql://USER@HOST/DATABASE ($AGON_STORE)", 0},
    {0},
};

static const struct argp_option recompute_options[] = {
    {"damp-repeats", DAMP, NULL, 0,
     "Weight matches of the same pair less from the fourth a day on, as the server does with this option", 0},
    {0},
};

#define AGENT "/api/admin/agents/%s"

static const struct row rows[] = {
    {"agents", NULL, "List the agents", "GET", "/api/admin/agents", NULL, NULL, "agents",
     "id name kind claimed disabled online", NULL},
    {"agent", "ID", "Show an agent", "GET", AGENT, NULL, NULL, "agent", NULL, NULL},
    {"create", NULL, "Create an agent, or with --bot-url a remote bot", "POST", "/api/admin/agents", NULL,
     create_options, NULL, NULL, NULL},
    {"claim", "ID", "Approve an agent", "POST", AGENT "/claim", "{}", NULL, "agent", NULL, NULL},
    {"limits", "ID", "Set the limits of an agent", "PATCH", AGENT "/limits", NULL, limit_options, "agent", NULL, NULL},
    {"disable", "ID", "Disable an agent", "POST", AGENT "/disable", "{\"disabled\":true}", NULL, "agent", NULL, NULL},
    {"enable", "ID", "Enable a disabled agent", "POST", AGENT "/disable", "{\"disabled\":false}", NULL, "agent", NULL,
     NULL},
    {"ban", "ID", "Disable an agent and all others of its owner", "POST", AGENT "/disable",
     "{\"disabled\":true,\"owner\":true}", NULL, "agent", NULL, NULL},
    {"rotate-key", "ID", "Replace the key of an agent", "POST", AGENT "/key", "{}", NULL, NULL, NULL, NULL},
    {"pairing-code", "ID", "Create a pairing code, valid once and for ten minutes", "POST", AGENT "/pairing-code", NULL,
     pairing_options, NULL, NULL, NULL},
    {"matches", NULL, "List running matches and their players", "GET", "/api/admin/matches", NULL, NULL, "matches",
     "id game mode started_at players", NULL},
    {"history", NULL, "List finished matches, newest first", "GET", "/api/matches?limit=50", NULL, NULL, "matches",
     "id game mode finished_at players", NULL},
    {"match", "REPLAY | cancel MATCH", "Show a finished match, or cancel a running one", "GET", "/api/replays/%s", NULL,
     NULL, NULL, NULL, run_match},
    {"tournaments", NULL, "List tournaments, newest first", "GET", "/api/tournaments?limit=50", NULL, NULL,
     "tournaments", "id game format status entrants games_done games_total title", NULL},
    {"tournament", "ID", "Show the standings of a tournament", "GET", "/api/tournaments/%s", NULL, NULL, "standings",
     "rank entrant games wins losses draws score elo", NULL},
    {"create-tournament", NULL, "Create a tournament, with --entry-seconds one that agents may enter", "POST",
     "/api/tournaments", NULL, tournament_options, NULL, NULL, NULL},
    {"start-tournament", "ID", "Start a tournament that is still open for entries", "POST", "/api/tournaments/%s/start",
     "{}", NULL, NULL, NULL, NULL},
    {"cancel-tournament", "ID", "Cancel a tournament; games already played are kept", "DELETE", "/api/tournaments/%s",
     NULL, NULL, NULL, NULL, NULL},
    {"ratings", "ID", "Show the ratings of an agent", "GET", "/api/agents/%s/profile", NULL, NULL, "ratings",
     "game rating deviation display_rating rated_games_played wins losses draws", NULL},
    {"recompute", NULL, "Recompute all ratings from the replays (server stopped)", NULL, NULL, NULL, recompute_options,
     NULL, NULL, run_recompute},
    {"backup", "FILE", "Write a copy of all data", "POST", "/api/admin/backup", "{}", NULL, NULL, NULL, run_backup},
    {"restore", "FILE", "Restore a backup into the data folder (server stopped)", NULL, NULL, NULL, restore_options,
     NULL, NULL, run_restore},
    {"copy", NULL, "Copy a data folder into PostgreSQL and compare both (server stopped)", NULL, NULL, NULL,
     copy_options, NULL, NULL, run_copy},
    {"drain", "[NODE]",
     "Start no new matches; running ones continue. With NODE: hand its matches to other nodes and stop it", "POST",
     "/api/admin/drain", "{}", NULL, NULL, NULL, run_drain},
    {"resume", NULL, "Start new matches again", "DELETE", "/api/admin/drain", NULL, NULL, NULL, NULL, NULL},
    {"health", NULL, "Print the health of the server; exit with status 1 if it does not answer", "GET", "/api/health",
     NULL, NULL, NULL, NULL, NULL},
    {"cluster", NULL, "List the nodes of an arena on PostgreSQL", "GET", "/api/admin/cluster", NULL, NULL, "nodes",
     "name epoch state has_bus program matches agents queued spectators age_ms address", run_cluster},
    {"stats", NULL, "Print statistics", "GET", "/api/admin/stats", NULL, NULL, NULL, NULL, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

// --- the call

static void write_field(struct text *t, const struct field *f, const char *value)
{
    json_key(t, f->name);
    if (f->kind == AS_NUMBER) {
        json_write_int(t, strtoll(value, NULL, 10)); // app_read_uint has checked it
        return;
    }
    if (f->kind == AS_TEXT) {
        json_write_text(t, value);
        return;
    }
    json_begin_array(t);
    while (*value) {
        struct span word = {value, strcspn(value, ",")};
        json_write_string(t, word);
        value += word.size + (value[word.size] == ',');
    }
    json_end_array(t);
}

static struct span write_body(const struct call *c, struct text *t)
{
    if (c->row->body)
        return span_of(c->row->body);
    if (strcmp(c->row->method, "GET") == 0 || strcmp(c->row->method, "DELETE") == 0)
        return (struct span){0};
    json_begin_object(t);
    for (int i = 0; i < FIELDS; i++)
        if (c->field[i])
            write_field(t, &fields[i], c->field[i]);
    json_end_object(t);
    return text_span(t);
}

static struct admin_client *open_client(struct call *c)
{
    char error[512];
    struct admin_client *client = admin_client_open(&c->target, error, sizeof error);
    if (!client)
        app_refuse("agon admin", "%s%s", error,
                   c->target.server  ? ""
                   : c->target.store ? "; a running server is asked with --server http://HOST:PORT"
                                     : "; if a server uses this folder, use --server http://127.0.0.1:8080");
    return client;
}

static int run_call(struct call *c)
{
    char path[512], bytes[4096], error[512] = "";
    struct text t = text_on(bytes, sizeof bytes);
    struct span answer;
    struct admin_client *client = open_client(c);
    snprintf(path, sizeof path, c->row->path, c->arg ? c->arg : "");
    int status = admin_client_call(client, c->row->method, path, write_body(c, &t), &answer, error, sizeof error);
    bool done = status >= 200 && status < 300;
    if (done && !admin_print(answer, c->json ? NULL : c->row->list, c->row->columns, c->json)) {
        fprintf(stderr, "agon admin: the answer is not from agon: it has no '%s'\n", c->row->list);
        done = false;
    } else if (!done && status) {
        admin_print_error("agon admin", status, answer);
    } else if (!done) {
        fprintf(stderr, "agon admin: %s\n", error);
    }
    admin_client_close(client);
    return done ? APP_DONE : APP_FAILED;
}

// `match cancel MATCH`: the id is shown by `matches`.
static int run_match(struct call *c)
{
    static const struct row cancel = {.name = "match cancel",
                                      .args = "MATCH",
                                      .method = "POST",
                                      .path = "/api/admin/matches/%s/cancel",
                                      .body = "{}"};
    if (!c->second)
        return run_call(c);
    c->row = &cancel;
    c->arg = c->second;
    return run_call(c);
}

// S60. The node that gets the request forwards it over the bus, where messages may be lost. So it is repeated until the
// other node drains.
static int run_drain(struct call *c)
{
    enum { TRIES = 30 };
    char path[512], error[512] = "";
    struct span answer = {0};
    if (!c->arg)
        return run_call(c);
    if (c->arg[strspn(c->arg, STORE_NODE_LETTERS)])
        app_refuse("agon admin drain", "'%s' is not the name of a node; 'agon admin cluster' lists them", c->arg);
    if (!c->target.server)
        app_refuse("agon admin drain",
                   "nodes are drained while they run; give the address of any of them with --server");
    snprintf(path, sizeof path, "/api/admin/nodes/%s/drain", c->arg);
    struct admin_client *client = open_client(c);
    int status = 0;
    bool done = false, accepted = false;
    for (int i = 0; i < TRIES && !done; i++) {
        if (i)
            sleep(1);
        status = admin_client_call(client, "POST", path, SPAN("{}"), &answer, error, sizeof error);
        done = (status == 200 && span_is(answer, "{\"draining\":true}")) || (accepted && (status == 404 || !status));
        accepted |= status == 200;
        if (status != 200)
            break;
    }
    if (done)
        printf("%s gives its matches and agents to the other nodes, and ends\n", c->arg);
    else if (status == 404)
        fprintf(stderr, "agon admin: unknown node '%s'; 'agon admin cluster' lists them\n", c->arg);
    else if (status && status != 200)
        admin_print_error("agon admin", status, answer);
    else
        fprintf(stderr, "agon admin: %s\n", status ? "the node does not answer; is it on the bus?" : error);
    admin_client_close(client);
    return done ? APP_DONE : APP_FAILED;
}

// From the store alone: the arena is not opened, so its servers may be running.
static int run_cluster(struct call *c)
{
    static struct store_cluster all;
    char why[512];
    if (c->target.server)
        return run_call(c);
    if (!c->target.store)
        app_refuse("agon admin cluster", "an arena in a folder has no nodes; name its database with --store, or one of "
                                         "its nodes with --server");
    if (!pg_peek_cluster(c->target.store, &all, why, sizeof why))
        app_die("%s", why);
    struct text t = {.grow = heap_text_grow};
    arena_rest_write_cluster(&t, &all, 0);
    admin_print(text_span(&t), c->json ? NULL : c->row->list, c->row->columns, c->json);
    free(t.at);
    return APP_DONE;
}

// --- what needs the folder itself

static int run_backup(struct call *c)
{
    char why[512];
    if (c->target.server && c->arg)
        app_refuse("agon admin backup",
                   "a running server names its backups itself and writes them into its "
                   "--backup-folder; leave out '%s'",
                   c->arg);
    if (c->target.server)
        return run_call(c);
    if (!c->arg)
        app_refuse("agon admin backup", "which FILE?");
    struct store_options o;
    store_defaults(&o);
    o.folder = c->target.data;
    o.url = c->target.store;
    o.engine = o.url ? &store_pg : NULL;
    struct store *s = store_open(&o, why, sizeof why);
    if (!s)
        app_refuse("agon admin backup", "%s; if a server uses this folder, use --server http://127.0.0.1:8080", why);
    int err = store_backup(s, c->arg, why, sizeof why);
    store_close(s);
    if (err != OK)
        app_die("%s", why);
    printf("%s\n", c->arg);
    return APP_DONE;
}

static int run_restore(struct call *c)
{
    char why[512];
    if (c->target.server || c->target.store)
        app_refuse("agon admin restore", "stop the server and name its folder with --data");
    if (store_restore(c->arg, c->target.data, c->force, why, sizeof why) != OK)
        app_die("%s", why);
    printf("restored into %s\n", c->target.data);
    return APP_DONE;
}

static void print_copy(const struct call *c, const struct copy_figures *from, const struct copy_figures *to)
{
    const struct {
        const char *name;
        uint64_t from, to;
    } rows_of[] = {{"agents", from->agents, to->agents},    {"matches", from->matches, to->matches},
                   {"running", from->running, to->running}, {"actions", from->actions, to->actions},
                   {"ratings", from->ratings, to->ratings}, {"commitments", from->entries, to->entries}};
    if (!c->json)
        printf("%-14s %20s %20s\n", "", "folder", "PostgreSQL");
    for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++)
        printf(c->json ? "%s\"%s\":[%llu,%llu]" : "%.0s%-14s %20llu %20llu\n", i ? "," : "{", rows_of[i].name,
               (unsigned long long)rows_of[i].from, (unsigned long long)rows_of[i].to);
    printf(c->json ? ",\"rating_sum\":[%.17g,%.17g]" : "rating sum     %20.6f %20.6f\n", from->rating_sum,
           to->rating_sum);
    printf(c->json ? ",\"logs\":[\"%016llx\",\"%016llx\"]}\n" : "logs           %20.16llx %20.16llx\n",
           (unsigned long long)from->logs_hash, (unsigned long long)to->logs_hash);
}

static int run_copy(struct call *c)
{
    struct copy_figures from = {0}, to = {0};
    char why[512] = "";
    const char *url = c->to ? c->to : getenv("AGON_STORE");
    if (c->target.server || c->target.store)
        app_refuse("agon admin copy", "stop the server, then name its folder with --from sqlite:DIR");
    if (!url || !pg_is_url(url))
        app_refuse("agon admin copy",
                   "--to needs the address of a PostgreSQL database, as postgresql://USER@HOST/DATABASE");
    int err = copy_arena(c->target.data, url, &from, &to, why, sizeof why);
    if (err == OK || err == ERR_FORMAT)
        print_copy(c, &from, &to);
    if (err != OK)
        app_die("%s", why);
    if (!c->json)
        puts("both are equal");
    return APP_DONE;
}

static int run_recompute(struct call *c)
{
    struct recompute_result done;
    if (c->target.server)
        app_refuse("agon admin recompute", "stop the server and name its folder with --data");
    struct admin_client *client = open_client(c);
    recompute_ratings(admin_client_lobby(client), &done);
    if (!done.kept)
        app_die("the store stopped answering, or failed: the ratings are as they were, or all new; try again");
    admin_client_close(client);
    if (c->json)
        printf("{\"matches\":%llu,\"rated\":%llu,\"damaged\":%llu,\"ratings\":%llu}\n",
               (unsigned long long)done.matches, (unsigned long long)done.rated, (unsigned long long)done.damaged,
               (unsigned long long)done.ratings);
    else
        printf("replayed %llu matches, %llu of them rated; set %llu ratings\n", (unsigned long long)done.matches,
               (unsigned long long)done.rated, (unsigned long long)done.ratings);
    if (done.damaged)
        fprintf(stderr, "agon admin: %llu matches do not reproduce; their recorded results were used\n",
                (unsigned long long)done.damaged);
    return done.damaged ? APP_FAILED : APP_DONE;
}

// --- options

static const struct argp_option common_options[] = {
    {"data", DATA, "DIR", 0, "Data folder (that of agon serve, or of the system service)", HELP_SERVER},
    {"store", STORE_URL, "URL", 0, "PostgreSQL database of agon serve --store, instead of the folder ($AGON_STORE)",
     HELP_SERVER},
    {"server", SERVER, "URL", 0, "Running server, http://HOST:PORT or https://HOST:PORT, instead of the folder",
     HELP_SERVER},
    {"insecure", INSECURE, NULL, 0, "Do not verify the server's TLS certificate", HELP_SERVER},
    {"token", TOKEN, "TOKEN", 0, "Operator token ($AGON_ADMIN_TOKEN)", HELP_SERVER},
    {"token-file", TOKEN_FILE, "FILE", 0, "Read the token from the first line of FILE", HELP_SERVER},
    {"json", 'j', NULL, 0, "Print the JSON object that the server sent", HELP_SERVER},
    {0},
};

static const struct app_value common_values[] = {
    APP_VALUE(DATA, struct call, target.data),
    APP_VALUE(STORE_URL, struct call, target.store),
    APP_VALUE(SERVER, struct call, target.server),
    APP_VALUE(INSECURE, struct call, target.trust_anyone),
    APP_VALUE(TOKEN, struct call, target.token),
    APP_VALUE('j', struct call, json),
    {0},
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    struct call *c = state->input;
    if (app_take_value(state, common_values, key, arg, c))
        return 0;
    switch (key) {
    case TOKEN_FILE:
        c->target.token = secrets_read_file("agon admin", "--token-file", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool is_cancel(const struct call *c)
{
    return c->row->run == run_match && c->arg && strcmp(c->arg, "cancel") == 0;
}

// An option without which the request has no meaning; NULL: all are there.
static const char *find_missing(const struct call *c)
{
    static const struct {
        const char *command, *member, *option;
    } needed[] = {{"create", "name", "--name NAME"},
                  {"create-tournament", "game", "--game GAME"},
                  {"create-tournament", "format", "--format FORMAT"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        for (int k = 0; k < FIELDS && strcmp(c->row->name, needed[i].command) == 0; k++)
            if (strcmp(fields[k].name, needed[i].member) == 0 && !c->field[k])
                return needed[i].option;
    return NULL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *c = state->input;
    if (key >= FIELD && key < FIELD + FIELDS) {
        if (fields[key - FIELD].kind == AS_NUMBER)
            app_read_uint(state, state->argv[state->next - 1], arg, 0, UINT32_MAX); // the server knows the limits
        c->field[key - FIELD] = arg;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = c;
        return 0;
    case 'f':
        c->force = true;
        return 0;
    case COPY_FROM:
        if (strncmp(arg, "sqlite:", 7) != 0 || !arg[7])
            argp_error(state, "--from needs sqlite:DIR; data is copied from a folder into PostgreSQL");
        c->target.data = arg + 7;
        return 0;
    case COPY_TO:
        c->to = arg;
        return 0;
    case DAMP:
        c->target.damp_repeats = true;
        return 0;
    case ARGP_KEY_ARG:
        if (is_cancel(c) && !c->second) {
            c->second = arg;
            return 0;
        }
        if (!c->row->args || c->arg)
            argp_error(state, "unexpected argument '%s'", arg);
        c->arg = arg;
        return 0;
    case ARGP_KEY_END:
        if (c->row->args && !c->arg && c->row->args[0] != '[' && !(c->target.server && c->row->run == run_backup))
            argp_error(state, "which %s?", c->row->args);
        if (is_cancel(c) && !c->second)
            argp_error(state, "which MATCH?");
        if (find_missing(c))
            argp_error(state, "%s is needed", find_missing(c));
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void place_data(struct admin_target *target, bool needs_store)
{
    static char usual[PATH_MAX];
    char error[2 * PATH_MAX];
    bool has_usual = mcp_data_dir(usual, sizeof usual);
    if (!target->data && !target->server && !target->store && needs_store)
        target->store = getenv("AGON_STORE");
    if (target->store && !pg_is_url(target->store))
        app_refuse("agon admin",
                   "--store needs the address of a PostgreSQL database, as postgresql://USER@HOST/DATABASE");
    if (!target->data && !target->server && !target->store &&
        !admin_client_choose_data(has_usual ? usual : NULL, SERVICE_DATA, &target->data, error, sizeof error))
        app_refuse("agon admin", "%s", error);
    if (!target->token)
        target->token = getenv("AGON_ADMIN_TOKEN");
}

// Opening a store creates it. Without this check a mistyped folder would look like an empty arena, and be backed up.
static void check_data(const struct call *c)
{
    bool begins = c->row->run == run_restore || strcmp(c->row->name, "create") == 0;
    bool of_nodes =
        c->row->run == run_cluster || (c->row->run == run_drain && c->arg); // they say what they need instead
    if (c->target.data && !c->target.server && !c->target.store && !begins && !of_nodes &&
        !admin_client_has_data(c->target.data))
        app_refuse("agon admin",
                   "there is no arena in %s; name the folder of 'agon serve' with --data, or a running server with "
                   "--server http://HOST:PORT",
                   c->target.data);
    if (c->target.data && begins && !c->target.server && !c->target.store)
        mcp_make_dir(c->target.data);
}

// An id becomes part of a path, so it must be a single word.
static void check_id(const struct call *c)
{
    const char *id = c->second ? c->second : c->arg;
    if (id && c->row->path && strstr(c->row->path, "%s") && id[strspn(id, "0123456789abcdefABCDEF-")])
        app_refuse("agon admin", "'%s' is not an id; 'agon admin agents', 'matches' and 'history' list the ids", id);
}

static int run_row(int argc, char **argv)
{
    static const struct argp common = {.options = common_options, .parser = parse_common};
    static const struct argp_child children[] = {{&common, 0, NULL, 0}, {0}};
    struct call c = {0};
    const char *name = strrchr(argv[0], ' ') + 1;
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            c.row = &rows[i];
    const struct argp argp = {.options = c.row->options,
                              .parser = parse_option,
                              .args_doc = c.row->args,
                              .doc = c.row->summary,
                              .children = children};
    help_parse(&argp, argc, argv, 0, &c);
    place_data(&c.target, c.row->run != run_copy);
    check_id(&c);
    check_data(&c);
    return c.row->run ? c.row->run(&c) : run_call(&c);
}

int cmd_admin(int argc, char **argv)
{
    struct app_command commands[ROWS + 1] = {0};
    for (int i = 0; i < ROWS; i++)
        commands[i] = (struct app_command){rows[i].name, rows[i].summary, run_row};
    const struct app_menu menu = {
        .name = "agon admin",
        .args = "COMMAND [ARG...]",
        .doc =
            "Manage an arena. Commands work on a data folder while the server is stopped, or on a running server with "
            "--server.",
        .after = "'agon help admin COMMAND' describes a command.\n",
        .commands = commands,
    };
    return app_run_menu(&menu, argc, argv);
}
