#include "app/contest_options.h"

#include "app/help.h"
#include "contest/dealbook.h"
#include "contest/journal.h"
#include "crypto/crypto.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SEAT = 0x500,
    NO_MIRROR,
    SPRT,
    JSON_OUT,
    CSV_OUT,
    REPLAYS,
    PARTNER,
    TRANSCRIPT,
    JOURNAL,
    PLOT,
    BOTS_DIR,
    AGAIN,
    MAX_STEPS,
    UNIT,
    BY,
    DEALS,
    CLOCK,
    PROGRESS,
    PROGRAMS,
    AIVAT,
};

// A game for one may have no other end; in 100,000 steps a good player places some 3,000 pieces.
enum { USUAL_STEPS = 1000000, SOLO_STEPS = 100000 };

static const struct argp_option option_list[] = {
    {"seat", SEAT, "WHO", 0,
     "A player; give it once for each. WHO is house:NAME, http://HOST:PORT, https://..., cmd:'PROGRAM ARG..', "
     "tbp:'PROGRAM ARG..', llm:MODEL@URL, person, program:NAME, or a bot in --bots-dir; LABEL=WHO names it in the "
     "report",
     0},
    {"partner", PARTNER, "WHO", HELP_RARE,
     "Belote: partner of a person: a house bot, or person for a second person (house:3)", 0},
    {"games", 'n', "N", 0, "Number of games, rounded up to whole mirrored sets (1000)", 0},
    {"seed", 'e', "S", 0, "Seed of the run; the same seed gives the same cards (that of --journal, or random)", 0},
    {"deals", DEALS, "FILE", HELP_RARE,
     "Play the deals in FILE: one seed per line, as --csv prints them. Every pairing plays them in this order; all of "
     "them without --games",
     0},
    {"no-mirror", NO_MIRROR, NULL, HELP_RARE, "Deal new cards for every game instead of mirrored sets", 0},
    {"sprt", SPRT, "ELO0,ELO1,ALPHA,BETA", 0,
     "Two players: stop when a sequential probability ratio test has decided (in normalised Elo where points decide)",
     0},
    {"unit", UNIT, "WHAT", 0, "Play whole matches ('match'), or single deals compared by points ('deal') (match)", 0},
    {"aivat", AIVAT, NULL, HELP_RARE,
     "Hold'em: also reduce luck with the known strategy of house:5 or house:4 (AIVAT); needs fewer hands, but about 2 "
     "ms more for each",
     0},
    {"by", BY, "WHAT", HELP_RARE, "Tetris: compare 'score' or 'lines' (score)", 0},
    {"max-steps", MAX_STEPS, "N", HELP_RARE, "End a game after N actions and ticks (1000000; tetris 100000)", 0},
    {"threads", 'j', "T", 0, "Threads for games between house bots (one per processor)", 0},
    {"determinism", AGAIN, NULL, HELP_RARE, "Play everything twice with the same seeds and compare", 0},
    {"clock", CLOCK, "S+INC", HELP_RARE,
     "Clock of a remote player: S seconds for all its decisions of a game, and INC more after each (60+0.5). Whoever "
     "overruns it forfeits",
     HELP_REMOTE},
    {"bots-dir", BOTS_DIR, "DIR", 0, "Folder of bots to launch, one folder per bot (external-bots)", HELP_REMOTE},
    {"programs", PROGRAMS, "FILE", HELP_RARE, "Programs for program:NAME: a file of lines NAME = COMMAND", HELP_REMOTE},
    {"journal", JOURNAL, "FILE", 0, "Save results to FILE, and continue an interrupted run from it", HELP_OUTPUT},
    {"replays", REPLAYS, "DIR", 0, "Write the replay of every game to DIR/NNNNNN.agon", HELP_OUTPUT},
    {"transcript", TRANSCRIPT, "FILE", HELP_RARE,
     "Belote: write every deal with its decisions and times to FILE; 'agon replay verify FILE' checks it", HELP_OUTPUT},
    {"plot", PLOT, "FILE", HELP_RARE, "Draw the ratings over the games to FILE (PNG)", HELP_OUTPUT},
    {"json", JSON_OUT, NULL, 0, "Print a JSON object", HELP_OUTPUT},
    {"csv", CSV_OUT, NULL, 0, "Print one row per game", HELP_OUTPUT},
    {"progress", PROGRESS, "S", HELP_RARE,
     "Seconds between progress lines if there is no terminal; 0: no progress at all (60)", HELP_OUTPUT},
    {"verbose", 'v', NULL, 0, "Print every error of a remote player as it happens", HELP_OUTPUT},
    {0},
};

void contest_options_init(struct contest_options *o, enum contest_format format)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct contest_options){.format = format, .games = 1000, .progress_s = 60};
    o->threads = processors < 1 ? 1 : processors > 256 ? 256 : (int)processors;
    external_options_init(&o->external);
    workers_options_init(&o->workers);
    o->mirrored = true;
}

// "60+0.5", "60": seconds, to the millisecond.
static void read_clock(struct contest_options *o, const char *arg, struct argp_state *state)
{
    enum { MAX_S = 86400 };
    char *end;
    double base = strtod(arg, &end), more = 0;
    bool right = end != arg && *arg >= '0' && *arg <= '9';
    if (right && *end == '+') {
        const char *rest = end + 1;
        more = strtod(rest, &end);
        right = end != rest && *rest >= '0' && *rest <= '9';
    }
    if (!right || *end || !(base >= 0.001 && base <= MAX_S) || !(more >= 0 && more <= MAX_S))
        argp_failure(state, APP_USAGE, 0,
                     "--clock needs seconds and an increment, as 60+0.5: 0.001 to 86400 and 0 to 86400; not '%s'", arg);
    o->clock_us = llround(base * 1000) * 1000;
    o->increment_us = llround(more * 1000) * 1000;
}

static const struct app_value values[] = {
    APP_NUMBER('j', "--threads", struct contest_options, threads, 1, 256),
    APP_NUMBER(MAX_STEPS, "--max-steps", struct contest_options, max_steps, 1, UINT32_MAX),
    APP_NUMBER(PROGRESS, "--progress", struct contest_options, progress_s, 0, 86400),
    APP_VALUE(AGAIN, struct contest_options, again),
    APP_VALUE('v', struct contest_options, verbose),
    APP_VALUE(AIVAT, struct contest_options, aivat),
    APP_VALUE(SPRT, struct contest_options, sprt),
    APP_VALUE(PARTNER, struct contest_options, partner),
    APP_VALUE(REPLAYS, struct contest_options, replays),
    APP_VALUE(TRANSCRIPT, struct contest_options, transcript),
    APP_VALUE(JOURNAL, struct contest_options, journal),
    APP_VALUE(PLOT, struct contest_options, plot),
    APP_VALUE(BOTS_DIR, struct contest_options, bots_dir),
    APP_VALUE(DEALS, struct contest_options, deal_file),
    APP_VALUE(PROGRAMS, struct contest_options, programs),
    APP_NUMBER('n', "--games", struct contest_options, games, 1, CONTEST_MAX_GAMES),
    APP_VALUE('n', struct contest_options, has_games),
    APP_NUMBER('e', "--seed", struct contest_options, seed, 0, UINT64_MAX),
    APP_VALUE('e', struct contest_options, has_seed),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const units[] = {"match", "deal", NULL}, *const measures[] = {"score", "lines", NULL};
    struct contest_options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->setup;
        state->child_inputs[1] = &o->external;
        state->child_inputs[2] = &o->llm;
        state->child_inputs[3] = &o->workers;
        return 0;
    case SEAT:
        if (o->seats_given == CONTEST_ENTRANTS)
            argp_failure(state, APP_USAGE, 0, "--seat can be given at most %d times", CONTEST_ENTRANTS);
        o->seat[o->seats_given++] = arg;
        return 0;
    case NO_MIRROR:
        o->mirrored = false;
        return 0;
    case JSON_OUT:
    case CSV_OUT:
        o->output = key == JSON_OUT ? CONTEST_JSON : CONTEST_CSV;
        return 0;
    case UNIT:
        o->deals = app_read_word(state, "--unit", arg, units) == 1;
        return 0;
    case CLOCK:
        read_clock(o, arg, state);
        return 0;
    case BY:
        o->has_by = true;
        o->by_lines = app_read_word(state, "--by", arg, measures) == 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&game_setup_argp, 0, NULL, 0},
                                             {&external_argp, 0, NULL, 0},
                                             {&llm_argp, 0, NULL, 0},
                                             {&workers_argp, 0, NULL, 0},
                                             {0}};
const struct argp contest_argp = {.options = option_list, .parser = parse_option, .children = children};

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
                   "--sprt needs ELO0,ELO1,ALPHA,BETA with ELO0 below ELO1 and error rates below 0.5, as "
                   "0,20,0.05,0.05; not '%s'",
                   text);
    plan->has_sprt = true;
}

static bool is_address(const char *who)
{
    return strncmp(who, "http://", 7) == 0 || strncmp(who, "https://", 8) == 0 || strncmp(who, "cmd:", 4) == 0 ||
           strncmp(who, "tbp:", 4) == 0 || strncmp(who, "llm:", 4) == 0 || workers_is_program(who);
}

static void read_entrant(const struct contest_options *o, const char *command, const struct game_kit *row,
                         const char *given, struct launched_bots *launched, struct contest_entrant *e)
{
    const char *who = contest_name_entrant(e, given);
    e->notices = external_options_notices(&o->external);
    if (strcmp(who, "person") == 0 || is_address(who)) {
        // Models are looked at when they are opened, programs when all are known.
        bool is_checked = is_address(who) && strncmp(who, "llm:", 4) != 0 && !workers_is_program(who);
        const char *wrong = is_checked ? seat_check_address(who) : NULL;
        if (wrong)
            app_refuse(command, "'%s': %s", who, wrong);
        if (strncmp(who, "tbp:", 4) == 0 && strcmp(row->game->name, "tetris") != 0)
            app_refuse(command, "'%s': bots of the Tetris Bot Protocol play tetris, not %s", who, row->game->name);
        if (strlen(who) >= CONTEST_ADDRESS)
            app_refuse(command, "the address is longer than %d bytes", CONTEST_ADDRESS - 1);
        memcpy(e->address, who, strlen(who) + 1);
        return;
    }
    if (strncmp(who, "house:", 6) != 0 && launched_bots_add(launched, who, row->game->name, e)) {
        if (kit_find_bot(row, who)) // B13.1
            fprintf(stderr, "%s: using '%s' from the folder of bots; the house bot is house:%s\n", command, who, who);
        return;
    }
    e->bot = kit_find_bot(row, who);
    if (!e->bot) {
        char why[512], folder[1024]; // B13.2
        const char *options;
        app_name_unknown_bot(row, who, why, sizeof why);
        if (kit_find_base(row, who, &options))
            app_refuse(command, "%s", why);
        launched_bots_list(launched, folder, sizeof folder);
        app_refuse(command, "%s%s%s; other players: http://HOST:PORT, cmd:'PROGRAM', llm:MODEL@URL, person", why,
                   *folder ? "; in the folder of bots:" : "", *folder ? folder + 1 : "");
    }
}

static void set_unit(const char *command, const struct game_kit *row, struct contest_plan *plan)
{
    if (!plan->facts || !plan->facts->unit_rules)
        app_refuse(command, "%s has no deals; leave out --unit deal", row->game->name);
    struct json_reader r = json_reader_of(span_of(plan->facts->unit_rules), 4);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        row->codec->read_rule(&r, key, &plan->rules);
}

// The games that have another measure.
static void name_measured(char *out, size_t room)
{
    struct text t = text_on(out, room - 1);
    for (const struct game_kit *const *k = game_kits; *k; k++)
        if ((*k)->contest && (*k)->contest->other) {
            text_puts(&t, t.size ? ", " : "");
            text_puts(&t, (*k)->game->name);
        }
    out[t.size] = 0;
}

static void set_measure(const struct contest_options *o, const char *command, struct contest_plan *plan)
{
    if (!plan->facts || !plan->facts->other) {
        char names[256];
        name_measured(names, sizeof names);
        app_refuse(command, "--by is for %s only; %s is compared by payoffs or wins", names, plan->codec->game->name);
    }
    plan->points = o->by_lines ? plan->facts->other_points : NULL;
    plan->stake = o->by_lines ? plan->facts->other : NULL;
}

// B9.2: the given seed, or that of the journal that is continued, or a random one. The report always has it.
static uint64_t find_seed(const struct contest_options *o)
{
    enum { SPARED_BITS = 11 }; // every reader of JSON keeps 53
    uint64_t seed = o->seed;
    if (o->has_seed || (o->journal && journal_find_seed(o->journal, &seed)))
        return seed;
    crypto_random(&seed, sizeof seed);
    return seed >> SPARED_BITS;
}

// N11.5: one seed a line; lines that are empty or begin with '#' are skipped.
static void read_deals(const char *path, const char *command, struct contest_plan *plan)
{
    enum { MAX_DEALS = 10000000, LINE_ROOM = 4096 };
    char line[LINE_ROOM], *end;
    uint64_t *list = NULL;
    size_t count = 0, room = 0, number = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        app_refuse(command, "cannot read the deals in %s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, f)) {
        number++;
        char *at = line + strspn(line, " \t\r\n");
        if (!*at || *at == '#')
            continue;
        errno = 0;
        uint64_t seed = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || end[strspn(end, " \t\r\n")] || errno || seed > INT64_MAX)
            app_refuse(command, "%s, line %zu: expected a seed, a whole number from 0 to 9223372036854775807", path,
                       number);
        if (count == MAX_DEALS)
            app_refuse(command, "%s has more than %d deals", path, MAX_DEALS);
        if (count == room) {
            room = room ? 2 * room : 1024;
            list = realloc(list, room * sizeof *list);
            if (!list)
                app_die("no memory for the deals in %s", path);
        }
        list[count++] = seed;
    }
    bool failed = ferror(f);
    fclose(f);
    if (failed)
        app_refuse(command, "cannot read the deals in %s: %s", path, strerror(errno));
    if (!count)
        app_refuse(command, "%s has no deals; write one seed a line", path);
    plan->deals = list;
    plan->deal_count = count;
}

static void set_clock(const struct contest_options *o, const char *command, struct contest_plan *plan)
{
    bool remote = false;
    for (int i = 0; i < plan->entrants; i++)
        remote |= !plan->entrant[i].bot && strcmp(plan->entrant[i].address, "person") != 0;
    if (o->clock_us && !remote)
        app_refuse(command, "--clock is for remote players; a house bot gets its time by its name, as house:5@50ms");
    plan->clock_us = o->clock_us;
    plan->increment_us = o->increment_us;
}

static void find_programs(const struct contest_options *o, const char *command, struct contest_plan *plan)
{
    char why[WORKERS_WHY];
    struct workers_programs programs = {0};
    if (o->programs && !workers_read_programs(&programs, o->programs, why))
        app_refuse(command, "--programs: %s", why);
    for (int i = 0; i < plan->entrants; i++)
        if (!o->programs && workers_is_program(plan->entrant[i].address))
            app_refuse(command, "%s: give --programs FILE, which says what is started", plan->entrant[i].address);
    if (!workers_find_programs(&programs, plan, why))
        app_refuse(command, "--programs: %s: %s", o->programs, why);
    workers_release_programs(&programs);
}

// What only this machine can do.
static void check_workers(const struct contest_options *o, const char *command, const struct contest_plan *plan,
                          const struct launched_bots *launched)
{
    const struct {
        bool given;
        const char *option;
    } local[] = {{o->replays, "--replays"}, {o->transcript, "--transcript"}, {o->again, "--determinism"}};
    for (unsigned i = 0; i < sizeof local / sizeof *local; i++)
        if (local[i].given)
            app_refuse(command, "%s does not work with --workers, which send results and no games; leave out one",
                       local[i].option);
    if (launched->count)
        app_refuse(command, "a bot of --bots-dir runs on this machine, where workers do not find it; start it and give "
                            "its http:// address");
    const char *wrong = workers_check_plan(plan);
    if (wrong)
        app_refuse(command, "--workers: %s", wrong);
}

// A number of games is rounded up to whole rounds, as in a tournament of a server.
static void set_rounds(const struct contest_options *o, const char *command, struct contest_plan *plan)
{
    enum { USUAL_ROUNDS = 10 };
    if (o->rounds && o->has_games)
        app_refuse(command, "--rounds and --games both say how long a Swiss tournament is; leave out one");
    uint64_t of_round = (uint64_t)(plan->entrants / 2) * (uint64_t)contest_pairing_games(plan);
    plan->games = o->rounds ? o->rounds : o->has_games ? (o->games + of_round - 1) / of_round : USUAL_ROUNDS;
}

void contest_options_apply(const struct contest_options *o, const char *command, struct contest_plan *plan,
                           struct launched_bots *launched)
{
    static struct game_setup setup;
    game_setup_from_options(&setup, &o->setup, command);
    contest_defaults(plan);
    plan->codec = setup.row->codec;
    plan->rules = setup.rules;
    plan->seats = setup.match.seats;
    plan->format = o->format;
    plan->games = o->games;
    plan->seed = find_seed(o);
    plan->mirrored = o->mirrored;
    plan->aivat = o->aivat;
    plan->max_steps = o->max_steps ? o->max_steps : contest_is_solo(plan) ? SOLO_STEPS : USUAL_STEPS;
    contest_set_facts(plan, setup.row->contest);
    if (o->deals)
        set_unit(command, setup.row, plan);
    if (o->has_by)
        set_measure(o, command, plan);
    plan->target = plan->facts && plan->facts->target ? plan->facts->target(&plan->rules) : 0;
    if (o->transcript && strcmp(setup.row->game->name, dealbook_game()) != 0)
        app_refuse(command, "--transcript is for %s only; --replays DIR records every game of %s", dealbook_game(),
                   setup.row->game->name);
    plan->ahead = o->transcript ? DEALBOOK_AHEAD : 0;
    for (int i = 0; i < o->seats_given; i++)
        read_entrant(o, command, setup.row, o->seat[i], launched, &plan->entrant[plan->entrants++]);
    if (plan->entrants < 2)
        app_refuse(command, "at least two players are needed, as --seat house:rules --seat house:random");
    if (!o->setup.seats)
        contest_fill_seats(plan);
    if (o->format == CONTEST_SWISS)
        set_rounds(o, command, plan);
    else if (o->rounds)
        app_refuse(command, "--rounds is for --format swiss; say how many games with --games");
    set_clock(o, command, plan);
    if (o->deal_file) {
        read_deals(o->deal_file, command, plan);
        if (!o->has_games && plan->format != CONTEST_SWISS)
            plan->games = contest_games_of_deals(plan);
    }
    contest_even_deals(plan, plan->facts ? plan->facts->mirror_rule : NULL);
    if (o->sprt)
        read_sprt(o->sprt, command, plan);
    const char *wrong = contest_check(plan);
    if (wrong)
        app_refuse(command, "%s", wrong);
    if (o->workers.url)
        check_workers(o, command, plan, launched);
    else
        find_programs(o, command, plan);
}

static void set_partner(const struct contest_options *o, const char *command, struct contest_run *run)
{
    const struct game_kit *row = o->setup.row;
    const char *name = o->partner ? o->partner : "house:3";
    if (o->partner && !row->game->teams)
        app_refuse(command, "--partner is for games in which two play together; in %s everybody plays alone",
                   row->game->name);
    run->partner = strcmp(name, "person") == 0 ? NULL : kit_find_bot(row, name);
    if (!run->partner && strcmp(name, "person") != 0) {
        char why[512];
        app_name_unknown_bot(row, name, why, sizeof why);
        app_refuse(command, "--partner: %s, or person", why);
    }
}

void contest_options_set_run(const struct contest_options *o, const char *command, struct contest_run *run)
{
    bool single = run->contest->plan.format == CONTEST_MATCH && run->contest->plan.games == 1;
    run->threads = o->threads;
    run->replay_folder = o->replays;
    set_partner(o, command, run);
    external_options_set_run(&o->external, command, single, run);
}
