#include "app/external_options.h"

#include "app/app.h"
#include "app/help.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    TABLES = 0x540,
    MAX_CONNS,
    ON_ERROR,
    TIMEOUT,
    CONNECT_TIMEOUT,
    CREATE_TIMEOUT,
    NOTIFY_TIMEOUT,
    DELETE_TIMEOUT,
    RETRIES,
    EVENTS,
    NOTIFY,
    PROFILE,
    NULLS,
    RESULT_TIMING,
    NO_SESSION_SEED,
    CA_FILE,
    TRUST,
};

enum { MAX_TIMEOUT_MS = 3600000, MAX_RETRIES = 10 };

static const struct argp_option option_list[] = {
    {"tables", TABLES, "N", 0, "Games at once with remote players (16)", HELP_REMOTE},
    {"timeout", TIMEOUT, "MS", 0, "Time for a decision (30000)", HELP_REMOTE},
    {"on-error", ON_ERROR, "WHAT", 0,
     "When a remote player fails: abort, forfeit or fallback (forfeit; in a single game abort)", HELP_REMOTE},
    {"max-conns", MAX_CONNS, "N", HELP_RARE, "Connections to one bot server; further requests wait (256)", HELP_REMOTE},
    {"connect-timeout", CONNECT_TIMEOUT, "MS", HELP_RARE, "Longest time to connect, part of --timeout (5000)",
     HELP_REMOTE},
    {"create-timeout", CREATE_TIMEOUT, "MS", HELP_RARE, "Time to create a session (30000)", HELP_REMOTE},
    {"notify-timeout", NOTIFY_TIMEOUT, "MS", HELP_RARE, "Time for a notification (5000)", HELP_REMOTE},
    {"delete-timeout", DELETE_TIMEOUT, "MS", HELP_RARE, "Time to delete a session (5000)", HELP_REMOTE},
    {"retries", RETRIES, "N", HELP_RARE, "Retries after a lost connection or status 500, 502, 503 or 504 (2)",
     HELP_REMOTE},
    {"events", EVENTS, "LIST", HELP_RARE,
     "Notifications to HTTP bots: all, none, or names as card-played,deal-ended (those of API 1.0)", HELP_REMOTE},
    {"notify", NOTIFY, "HOW", HELP_RARE, "Notify players in the 'order' of the seats or in 'parallel' (order)",
     HELP_REMOTE},
    {"profile", PROFILE, "NAME", HELP_RARE,
     "Dialect of belote bots: api (API 1.0), or giretra (--nulls omit, --result-timing last-card, --events all, and a "
     "cut without a side is from the bottom) (api)",
     HELP_REMOTE},
    {"nulls", NULLS, "HOW", HELP_RARE, "Null fields: write them ('explicit') or leave them out ('omit') (explicit)",
     HELP_REMOTE},
    {"result-timing", RESULT_TIMING, "WHEN", HELP_RARE,
     "First notification with the result of a deal: 'deal-ended' or 'last-card' (deal-ended)", HELP_REMOTE},
    {"no-session-seed", NO_SESSION_SEED, NULL, HELP_RARE, "Create sessions without a seed", HELP_REMOTE},
    {"ca-file", CA_FILE, "FILE", HELP_RARE, "Trust the certificates in FILE too", HELP_REMOTE},
    {"insecure", TRUST, NULL, HELP_RARE, "Do not verify TLS certificates", HELP_REMOTE},
    {0},
};

void external_options_init(struct external_options *o)
{
    *o = (struct external_options){
        .tables = 16, .max_conns = 256, .retries = -1, .notices = -1, .omit_nulls = -1, .early_result = -1};
}

static const struct app_value values[] = {
    APP_NUMBER(TABLES, "--tables", struct external_options, tables, 1, 65536),
    APP_NUMBER(MAX_CONNS, "--max-conns", struct external_options, max_conns, 1, 65536),
    APP_NUMBER(TIMEOUT, "--timeout", struct external_options, budget_ms[SEAT_ACTION], 1, MAX_TIMEOUT_MS),
    APP_NUMBER(CONNECT_TIMEOUT, "--connect-timeout", struct external_options, connect_ms, 1, MAX_TIMEOUT_MS),
    APP_NUMBER(CREATE_TIMEOUT, "--create-timeout", struct external_options, budget_ms[SEAT_CREATE], 1, MAX_TIMEOUT_MS),
    APP_NUMBER(NOTIFY_TIMEOUT, "--notify-timeout", struct external_options, budget_ms[SEAT_NOTIFICATION], 1,
               MAX_TIMEOUT_MS),
    APP_NUMBER(DELETE_TIMEOUT, "--delete-timeout", struct external_options, budget_ms[SEAT_DELETE], 1, MAX_TIMEOUT_MS),
    APP_NUMBER(RETRIES, "--retries", struct external_options, retries, 0, MAX_RETRIES),
    APP_VALUE(NO_SESSION_SEED, struct external_options, no_seed),
    APP_VALUE(CA_FILE, struct external_options, ca_file),
    APP_VALUE(TRUST, struct external_options, trust_anyone),
    {0},
};

static void read_events(struct external_options *o, const char *arg, struct argp_state *state)
{
    if ((o->notices = seat_read_notices(arg)) < 0)
        argp_failure(state, APP_USAGE, 0,
                     "--events: unknown event in '%s'; known: all, none, or a comma-separated list of deal-started, "
                     "negotiation-completed, card-played, trick-completed, deal-ended, match-ended",
                     arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const orders[] = {"order", "parallel", NULL}, *const profiles[] = {"api", "giretra", NULL},
                             *const nulls[] = {"explicit", "omit", NULL},
                             *const timings[] = {"deal-ended", "last-card", NULL};
    struct external_options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ON_ERROR:
        o->policy = (enum contest_policy)app_read_word(state, "--on-error", arg, contest_policy_names);
        o->has_policy = true;
        return 0;
    case EVENTS:
        read_events(o, arg, state);
        return 0;
    case NOTIFY:
        o->describe_at_once = app_read_word(state, "--notify", arg, orders) == 1;
        return 0;
    case PROFILE:
        o->is_giretra = app_read_word(state, "--profile", arg, profiles) == 1;
        return 0;
    case NULLS:
        o->omit_nulls = app_read_word(state, "--nulls", arg, nulls);
        return 0;
    case RESULT_TIMING:
        o->early_result = app_read_word(state, "--result-timing", arg, timings);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp external_argp = {.options = option_list, .parser = parse_option};

// --- the run

unsigned external_options_notices(const struct external_options *o)
{
    if (o->notices >= 0)
        return (unsigned)o->notices;
    return o->is_giretra ? SEAT_ALL_NOTICES : SEAT_USUAL_NOTICES; // B12.5, B12.19
}

static void set_dialect(const struct external_options *o, struct seat_dialect *d)
{
    if (o->is_giretra)
        *d = seat_giretra;
    if (o->omit_nulls >= 0)
        d->omit_nulls = o->omit_nulls;
    if (o->early_result >= 0)
        d->early_result = o->early_result;
}

static void set_budgets(const struct external_options *o, struct seat_options *s)
{
    const struct {
        int given, *at;
    } budgets[] = {
        {o->budget_ms[SEAT_ACTION], &s->decide_ms},
        {o->budget_ms[SEAT_CREATE], &s->create_ms},
        {o->budget_ms[SEAT_DELETE], &s->delete_ms},
        {o->budget_ms[SEAT_NOTIFICATION], &s->notify_ms},
        {o->connect_ms, &s->connect_ms},
    };
    for (unsigned i = 0; i < sizeof budgets / sizeof *budgets; i++)
        if (budgets[i].given)
            *budgets[i].at = budgets[i].given;
    if (o->retries >= 0)
        s->retries = o->retries;
}

// B12.39: every origin may use its share of connections at the same time.
static void check_descriptors(const struct contest_run *run, const char *command)
{
    enum { SPARE = 64, PIPES = 3 };
    const struct contest_plan *p = &run->contest->plan;
    int64_t calls = (int64_t)run->tables * p->seats, most = run->seats.max_conns, wanted = SPARE;
    for (int i = 0; i < p->entrants; i++)
        if (strncmp(p->entrant[i].address, "http", 4) == 0)
            wanted += calls < most ? calls : most;
        else if (strncmp(p->entrant[i].address, "cmd:", 4) == 0 || strncmp(p->entrant[i].address, "tbp:", 4) == 0)
            wanted += (int64_t)PIPES * run->seats.max_programs;
    int64_t limit = seat_raise_descriptors();
    if (wanted > limit)
        app_refuse(
            command,
            "this run may need %jd file descriptors and the limit is %jd; raise it (ulimit -n), or lower --max-conns "
            "or --tables",
            (intmax_t)wanted, (intmax_t)limit);
}

void external_options_set_run(const struct external_options *o, const char *command, bool single,
                              struct contest_run *run)
{
    run->tables = o->tables;
    run->seats.max_conns = o->max_conns;
    run->policy = o->has_policy ? o->policy : single ? CONTEST_ABORT : CONTEST_LOSE; // B12.31
    run->describe_at_once = o->describe_at_once;
    run->sends_seed = !o->no_seed;
    run->seats.ca_file = o->ca_file;
    run->seats.trust_anyone = o->trust_anyone;
    set_dialect(o, &run->dialect);
    set_budgets(o, &run->seats);
    if (o->ca_file && access(o->ca_file, R_OK) != 0)
        app_refuse(command, "cannot read the certificates in %s: %s", o->ca_file, strerror(errno));
    check_descriptors(run, command);
}
