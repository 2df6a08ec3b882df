#include "app/outside_options.h"

#include "app/app.h"

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
    {"tables", TABLES, "N", 0, "Play so many games at once when somebody is outside (16)", 2},
    {"max-conns", MAX_CONNS, "N", 0, "Connections to one bot server; calls above that wait their turn (256)", 2},
    {"on-error", ON_ERROR, "WHAT", 0,
     "When a player outside fails: abort, forfeit or fallback (a single game: abort, else forfeit)", 2},
    {"timeout", TIMEOUT, "MS", 0, "What a decision outside may take (30000)", 2},
    {"connect-timeout", CONNECT_TIMEOUT, "MS", 0, "What a connection may take of that (5000)", 2},
    {"create-timeout", CREATE_TIMEOUT, "MS", 0, "What the creation of a session may take (30000)", 2},
    {"notify-timeout", NOTIFY_TIMEOUT, "MS", 0, "What a notification may take (5000)", 2},
    {"delete-timeout", DELETE_TIMEOUT, "MS", 0, "What the end of a session may take (5000)", 2},
    {"retries", RETRIES, "N", 0, "Ask so often again after a lost connection or a 500, 502, 503 or 504 (2)", 2},
    {"events", EVENTS, "LIST", 0,
     "What bots behind HTTP are told of: all, none, or names like card-played,deal-ended (all of API 1.0)", 2},
    {"notify", NOTIFY, "HOW", 0, "Tell players outside in 'order' of the seats or all in 'parallel' (order)", 2},
    {"profile", PROFILE, "NAME", 0,
     "Dialect of belote bots: api (API 1.0), or giretra (nulls omit, result-timing last-card, all events, and a cut "
     "without a side is from the bottom) (api)",
     2},
    {"nulls", NULLS, "HOW", 0, "Write null fields ('explicit') or leave them out ('omit') (explicit)", 2},
    {"result-timing", RESULT_TIMING, "WHEN", 0,
     "The result of a deal is first shown by its 'deal-ended' or by its 'last-card' (deal-ended)", 2},
    {"no-session-seed", NO_SESSION_SEED, NULL, 0, "Send no seed when a session is created", 2},
    {"ca-file", CA_FILE, "FILE", 0, "Trust these certificates too", 2},
    {"insecure", TRUST, NULL, 0, "Check no certificate", 2},
    {0},
};

void outside_options_init(struct outside_options *o)
{
    *o = (struct outside_options){
        .tables = 16, .max_conns = 256, .retries = -1, .notices = -1, .omit_nulls = -1, .early_result = -1};
}

static int *number_of(struct outside_options *o, int key, const char **name, uint64_t *min, uint64_t *max)
{
    const struct {
        int key;
        const char *name;
        int *at;
        uint64_t min, max;
    } numbers[] = {
        {TABLES, "--tables", &o->tables, 1, 65536},
        {MAX_CONNS, "--max-conns", &o->max_conns, 1, 65536},
        {TIMEOUT, "--timeout", &o->budget_ms[SEAT_ACTION], 1, MAX_TIMEOUT_MS},
        {CONNECT_TIMEOUT, "--connect-timeout", &o->connect_ms, 1, MAX_TIMEOUT_MS},
        {CREATE_TIMEOUT, "--create-timeout", &o->budget_ms[SEAT_CREATE], 1, MAX_TIMEOUT_MS},
        {NOTIFY_TIMEOUT, "--notify-timeout", &o->budget_ms[SEAT_NOTIFICATION], 1, MAX_TIMEOUT_MS},
        {DELETE_TIMEOUT, "--delete-timeout", &o->budget_ms[SEAT_DELETE], 1, MAX_TIMEOUT_MS},
        {RETRIES, "--retries", &o->retries, 0, MAX_RETRIES},
    };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].key == key) {
            *name = numbers[i].name;
            *min = numbers[i].min;
            *max = numbers[i].max;
            return numbers[i].at;
        }
    return NULL;
}

static void read_events(struct outside_options *o, const char *arg, struct argp_state *state)
{
    if ((o->notices = seat_read_notices(arg)) < 0)
        argp_failure(state, APP_USAGE, 0,
                     "--events knows all, none, deal-started, negotiation-completed, card-played, trick-completed, "
                     "deal-ended and match-ended, separated by commas; not '%s'",
                     arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const orders[] = {"order", "parallel", NULL}, *const profiles[] = {"api", "giretra", NULL},
                             *const nulls[] = {"explicit", "omit", NULL},
                             *const timings[] = {"deal-ended", "last-card", NULL};
    struct outside_options *o = state->input;
    const char *name;
    uint64_t min, max;
    int *number = number_of(o, key, &name, &min, &max);
    if (number) {
        *number = (int)app_read_uint(state, name, arg, min, max);
        return 0;
    }
    switch (key) {
    case ON_ERROR:
        o->policy = (enum contest_policy)app_read_word(state, "--on-error", arg, contest_policy_names);
        o->has_policy = true;
        return 0;
    case EVENTS:
        read_events(o, arg, state);
        return 0;
    case NOTIFY:
        o->tell_at_once = app_read_word(state, "--notify", arg, orders) == 1;
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
    case NO_SESSION_SEED:
        o->no_seed = true;
        return 0;
    case CA_FILE:
        o->ca_file = arg;
        return 0;
    case TRUST:
        o->trust_anyone = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp outside_argp = {.options = option_list, .parser = parse};

// --- the run

unsigned outside_options_notices(const struct outside_options *o)
{
    if (o->notices >= 0)
        return (unsigned)o->notices;
    return o->is_giretra ? SEAT_ALL_NOTICES : SEAT_USUAL_NOTICES; // B12.5, B12.19
}

static void set_dialect(const struct outside_options *o, struct seat_dialect *d)
{
    if (o->is_giretra)
        *d = seat_giretra;
    if (o->omit_nulls >= 0)
        d->omit_nulls = o->omit_nulls;
    if (o->early_result >= 0)
        d->early_result = o->early_result;
}

static void set_budgets(const struct outside_options *o, struct seat_options *s)
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

// B12.39: every origin may take its share of connections at the same time.
static void check_descriptors(const struct contest_run *run, const char *command)
{
    enum { SPARE = 64, PIPES = 3 };
    const struct contest_plan *p = &run->contest->plan;
    int64_t calls = (int64_t)run->tables * p->seats, most = run->seats.max_conns, wanted = SPARE;
    for (int i = 0; i < p->entrants; i++)
        if (strncmp(p->entrant[i].address, "http", 4) == 0)
            wanted += calls < most ? calls : most;
        else if (strncmp(p->entrant[i].address, "cmd:", 4) == 0)
            wanted += (int64_t)PIPES * run->seats.max_programs;
    int64_t limit = seat_raise_descriptors();
    if (wanted > limit)
        app_refuse(
            command,
            "%jd file descriptors may be needed and the limit is %jd; raise it (ulimit -n), or ask for less with "
            "--max-conns or --tables",
            (intmax_t)wanted, (intmax_t)limit);
}

void outside_options_set_run(const struct outside_options *o, const char *command, bool single, struct contest_run *run)
{
    run->tables = o->tables;
    run->seats.max_conns = o->max_conns;
    run->policy = o->has_policy ? o->policy : single ? CONTEST_ABORT : CONTEST_LOSE; // B12.31
    run->tell_at_once = o->tell_at_once;
    run->sends_seed = !o->no_seed;
    run->seats.ca_file = o->ca_file;
    run->seats.trust_anyone = o->trust_anyone;
    set_dialect(o, &run->dialect);
    set_budgets(o, &run->seats);
    if (o->ca_file && access(o->ca_file, R_OK) != 0)
        app_refuse(command, "cannot read the certificates in %s: %s", o->ca_file, strerror(errno));
    check_descriptors(run, command);
}
