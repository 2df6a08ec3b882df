#include "app/contest_options.h"

#include "contest/dealbook.h"
#include "games/belote/belote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEAT = 0x500,
    NO_MIRROR,
    SPRT,
    TABLES,
    ON_ERROR,
    JSON_OUT,
    CSV_OUT,
    REPLAYS,
    TRANSCRIPT,
    JOURNAL,
    PLOT,
    BOTS_DIR,
    PROFILE,
    NOTIFY,
    TIMEOUT,
    NO_SESSION_SEED,
    AGAIN,
    CA_FILE,
    TRUST,
    MAX_STEPS,
    UNIT,
    MAX_CONNS,
    EVENTS,
};

static const struct argp_option option_list[] = {
    {"seat", SEAT, "WHO", 0,
     "A player: house:NAME, http://HOST:PORT, https://..., cmd:'PROGRAM ARG..', person, or the name of a bot in "
     "--bots-dir. LABEL=WHO gives it a name of its own. Repeat it",
     1},
    {"games", 'n', "N", 0, "Play so many games, rounded up to whole mirrored sets (1000)", 1},
    {"seed", 'e', "S", 0, "Of the run; the same seed gives the same cards (1)", 1},
    {"no-mirror", NO_MIRROR, NULL, 0, "Every game has cards of its own; players move on by one seat instead", 1},
    {"sprt", SPRT, "ELO0,ELO1,ALPHA,BETA", 0, "Two players: stop as soon as a sequential test has decided", 1},
    {"unit", UNIT, "WHAT", 0, "Play whole 'match'es, or single 'deal's (hands) and compare points (match)", 1},
    {"max-steps", MAX_STEPS, "N", 0, "End a game after so many actions and ticks (1000000)", 1},
    {"threads", 'j', "T", 0, "Play house games on so many threads (one for each processor)", 2},
    {"tables", TABLES, "N", 0, "Play so many games at once when somebody is outside (16)", 2},
    {"max-conns", MAX_CONNS, "N", 0, "Connections to one bot server; calls above that wait their turn (256)", 2},
    {"on-error", ON_ERROR, "WHAT", 0,
     "When a player outside fails: abort, forfeit or fallback (a single game: abort, else forfeit)", 2},
    {"timeout", TIMEOUT, "MS", 0, "What a decision outside may take (30000)", 2},
    {"events", EVENTS, "LIST", 0,
     "What bots behind HTTP are told of: all, none, or names like card-played,deal-ended (all of API 1.0)", 2},
    {"notify", NOTIFY, "HOW", 0, "Tell players outside in 'order' of the seats or all in 'parallel' (order)", 2},
    {"profile", PROFILE, "NAME", 0, "Dialect of belote bots: api (API 1.0) or giretra (api)", 2},
    {"no-session-seed", NO_SESSION_SEED, NULL, 0, "Send no seed when a session is created", 2},
    {"bots-dir", BOTS_DIR, "DIR", 0, "Launch bots from the folders in DIR (external-bots)", 2},
    {"ca-file", CA_FILE, "FILE", 0, "Trust these certificates too", 2},
    {"insecure", TRUST, NULL, 0, "Check no certificate", 2},
    {"determinism", AGAIN, NULL, 0, "Play everything twice with the same seeds and compare game by game", 3},
    {"journal", JOURNAL, "FILE", 0, "Keep results here; an interrupted contest goes on from it", 3},
    {"replays", REPLAYS, "DIR", 0, "Write the replay of game i to DIR/NNNNNN.agon", 3},
    {"transcript", TRANSCRIPT, "FILE", 0,
     "Belote: write every deal with all choices and times, a line each; 'agon replay verify FILE' plays it again", 3},
    {"plot", PLOT, "FILE", 0, "Draw the ratings over the games, a PNG", 3},
    {"json", JSON_OUT, NULL, 0, "Print one JSON object", 3},
    {"csv", CSV_OUT, NULL, 0, "Print a row for every game", 3},
    {"verbose", 'v', NULL, 0, "Say every fault of a player outside as it happens", 3},
    {0},
};

void contest_options_init(struct contest_options *o, enum contest_format format)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct contest_options){.format = format, .games = 1000, .rounds = 10, .seed = 1, .max_steps = 1000000};
    o->threads = processors < 1 ? 1 : processors > 256 ? 256 : (int)processors;
    o->tables = 16;
    o->max_conns = 256;
    o->notices = SEAT_USUAL_NOTICES;
    o->mirrored = true;
}

static int read_word(struct argp_state *state, const char *option, const char *arg, const char *const *words)
{
    char known[256] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], arg) == 0)
            return i;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
    }
    argp_failure(state, APP_USAGE, 0, "%s knows no '%s'; known: %s", option, arg, known);
    return -1;
}

static error_t parse_more(int key, char *arg, struct argp_state *state);

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct contest_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->setup;
        return 0;
    case SEAT:
        if (o->seats_given == CONTEST_ENTRANTS)
            argp_failure(state, APP_USAGE, 0, "at most %d players", CONTEST_ENTRANTS);
        o->seat[o->seats_given++] = arg;
        return 0;
    case 'n':
        o->games = app_read_uint(state, "--games", arg, 1, CONTEST_MAX_GAMES);
        return 0;
    case 'e':
        o->seed = app_read_uint(state, "--seed", arg, 0, UINT64_MAX);
        return 0;
    case 'j':
        o->threads = (int)app_read_uint(state, "--threads", arg, 1, 256);
        return 0;
    case TABLES:
        o->tables = (int)app_read_uint(state, "--tables", arg, 1, 65536);
        return 0;
    case MAX_CONNS:
        o->max_conns = (int)app_read_uint(state, "--max-conns", arg, 1, 65536);
        return 0;
    case MAX_STEPS:
        o->max_steps = app_read_uint(state, "--max-steps", arg, 1, UINT32_MAX);
        return 0;
    case TIMEOUT:
        o->timeout_ms = app_read_uint(state, "--timeout", arg, 1, 3600000);
        return 0;
    default:
        return parse_more(key, arg, state);
    }
}

// Words and switches.
static error_t parse_more(int key, char *arg, struct argp_state *state)
{
    static const char *const orders[] = {"order", "parallel", NULL}, *const profiles[] = {"api", "giretra", NULL},
                             *const units[] = {"match", "deal", NULL};
    struct contest_options *o = state->input;
    const struct {
        bool *at;
        int key;
        bool value;
    } switches[] = {
        {&o->mirrored, NO_MIRROR, false}, {&o->no_seed, NO_SESSION_SEED, true},
        {&o->again, AGAIN, true},         {&o->trust_anyone, TRUST, true},
        {&o->verbose, 'v', true},
    };
    const struct {
        int key;
        const char **at;
    } texts[] = {
        {SPRT, &o->sprt}, {REPLAYS, &o->replays},   {TRANSCRIPT, &o->transcript}, {JOURNAL, &o->journal},
        {PLOT, &o->plot}, {BOTS_DIR, &o->bots_dir}, {CA_FILE, &o->ca_file},
    };
    for (unsigned i = 0; i < sizeof switches / sizeof *switches; i++)
        if (switches[i].key == key) {
            *switches[i].at = switches[i].value;
            return 0;
        }
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].key == key) {
            *texts[i].at = arg;
            return 0;
        }
    switch (key) {
    case JSON_OUT:
    case CSV_OUT:
        o->output = key == JSON_OUT ? CONTEST_JSON : CONTEST_CSV;
        return 0;
    case ON_ERROR:
        o->policy = (enum contest_policy)read_word(state, "--on-error", arg, contest_policy_names);
        o->has_policy = true;
        return 0;
    case UNIT:
        o->deals = read_word(state, "--unit", arg, units) == 1;
        return 0;
    case EVENTS:
        if ((o->notices = seat_read_notices(arg)) < 0)
            argp_failure(state, APP_USAGE, 0,
                         "--events knows all, none, deal-started, negotiation-completed, card-played, trick-completed, "
                         "deal-ended and match-ended, separated by commas; not '%s'",
                         arg);
        return 0;
    case NOTIFY:
        o->tell_at_once = read_word(state, "--notify", arg, orders) == 1;
        return 0;
    case PROFILE:
        o->profile = profiles[read_word(state, "--profile", arg, profiles)];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&setup_argp, 0, NULL, 0}, {0}};
const struct argp contest_argp = {.options = option_list, .parser = parse, .children = children};

// --- the plan

// "0,20,0.05,0.05": `count` of them, and nothing else.
static bool read_numbers(const char *text, double *out, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || *end != (i + 1 < count ? ',' : 0))
            return false;
        text = end + 1;
    }
    return true;
}

static void read_sprt(const char *text, const char *command, struct contest_plan *plan)
{
    double v[4];
    if (!read_numbers(text, v, 4) || !sprt_init(&plan->sprt, v[0], v[1], v[2], v[3]))
        app_refuse(command,
                   "--sprt wants ELO0,ELO1,ALPHA,BETA with ELO0 below ELO1 and errors below 0.5, like "
                   "0,20,0.05,0.05; not '%s'",
                   text);
    plan->has_sprt = true;
}

static bool is_address(const char *who)
{
    return strncmp(who, "http://", 7) == 0 || strncmp(who, "https://", 8) == 0 || strncmp(who, "cmd:", 4) == 0;
}

static void read_entrant(const struct contest_options *o, const char *command, const struct app_game *row,
                         const char *given, struct launched *launched, struct contest_entrant *e)
{
    const char *who = contest_name_entrant(e, given);
    e->notices = (unsigned)o->notices;
    if (strcmp(who, "person") == 0 || is_address(who)) {
        const char *wrong = is_address(who) ? seat_check_address(who) : NULL;
        if (wrong)
            app_refuse(command, "'%s': %s", who, wrong);
        if (strlen(who) >= CONTEST_ADDRESS)
            app_refuse(command, "the address is longer than %d bytes", CONTEST_ADDRESS - 1);
        memcpy(e->address, who, strlen(who) + 1);
        return;
    }
    if (strncmp(who, "house:", 6) != 0 && launched_add(launched, who, e))
        return;
    const char *name = strncmp(who, "house:", 6) == 0 ? who + 6 : who;
    e->bot = app_find_bot(row, name);
    if (!e->bot) {
        char known[256];
        app_name_bots(row, known, sizeof known);
        app_refuse(command, "no bot '%s' plays %s; house bots: %s; elsewhere: http://HOST:PORT, cmd:'PROGRAM', person",
                   name, row->game->name, known);
    }
}

static void set_unit(const char *command, const struct app_game *row, struct contest_plan *plan)
{
    if (!row->unit_rules)
        app_refuse(command, "%s is not made of deals; --unit deal is for texas_holdem and belote", row->game->name);
    struct json_reader r = json_reader_of(span_of(row->unit_rules), 4);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        row->codec->read_rule(&r, key, &plan->rules);
}

void contest_options_apply(const struct contest_options *o, const char *command, struct contest_plan *plan,
                           struct launched *launched)
{
    static struct setup setup;
    setup_from_options(&setup, &o->setup, command);
    contest_defaults(plan);
    plan->codec = setup.row->codec;
    plan->rules = setup.rules;
    plan->seats = setup.match.seats;
    plan->format = o->format;
    plan->games = o->format == CONTEST_SWISS ? o->rounds : o->games;
    plan->seed = o->seed;
    plan->mirrored = o->mirrored;
    plan->max_steps = o->max_steps;
    plan->first_rule = setup.row->first_rule;
    plan->points = setup.row->points;
    plan->feats = setup.row->feats;
    if (o->deals)
        set_unit(command, setup.row, plan);
    plan->target = setup.row->target ? setup.row->target(&plan->rules) : 0;
    if (o->transcript && setup.row->game != &belote_game)
        app_refuse(command, "--transcript is for belote; --replays DIR keeps every game of %s", setup.row->game->name);
    plan->ahead = o->transcript ? DEALBOOK_AHEAD : 0;
    for (int i = 0; i < o->seats_given; i++)
        read_entrant(o, command, setup.row, o->seat[i], launched, &plan->entrant[plan->entrants++]);
    if (plan->entrants < 2)
        app_refuse(command, "name two players at least: --seat house:rules --seat ...");
    if (!o->setup.seats)
        contest_fill_seats(plan);
    contest_even_deals(plan, setup.row->mirror_rule);
    if (o->sprt)
        read_sprt(o->sprt, command, plan);
    const char *wrong = contest_check(plan);
    if (wrong)
        app_refuse(command, "%s", wrong);
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

void contest_options_set_run(const struct contest_options *o, const char *command, struct contest_run *run)
{
    bool single = run->contest->plan.format == CONTEST_MATCH && run->contest->plan.games == 1;
    run->threads = o->threads;
    run->tables = o->tables;
    run->seats.max_conns = o->max_conns;
    run->policy = o->has_policy ? o->policy : single ? CONTEST_ABORT : CONTEST_LOSE; // B12.31
    run->tell_at_once = o->tell_at_once;
    run->sends_seed = !o->no_seed;
    run->replay_folder = o->replays;
    run->seats.ca_file = o->ca_file;
    run->seats.trust_anyone = o->trust_anyone;
    if (o->timeout_ms)
        run->seats.decide_ms = (int)o->timeout_ms;
    if (o->profile && strcmp(o->profile, "giretra") == 0)
        run->dialect = seat_giretra;
    if (o->ca_file && access(o->ca_file, R_OK) != 0)
        app_refuse(command, "cannot read the certificates in %s: %s", o->ca_file, strerror(errno));
    check_descriptors(run, command);
}
