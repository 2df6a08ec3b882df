// agon bench: the games in numbers that can be compared between machines.
#include "app/bench.h"
#include "app/help.h"

#include "base/json_write.h"
#include "game/rows.h"

#include <stdio.h>

// The best of many short repetitions: other programs only make a measurement slower.
enum { REPETITIONS = 23, CALIBRATION_ROUNDS = 200000, MAX_NAMED = 16, MAX_REPORT = 1 << 16, MAX_CASES = 128 };

struct cases {
    struct bench_case at[MAX_CASES];
    char name[MAX_CASES][64];
    int count;
};

struct options {
    bool json;
    double seconds;                      // of work per case
    const struct game *named[MAX_NAMED]; // none: all
    int named_count;
};

struct result {
    double per_s;        // the best of the repetitions
    double calib_per_s;  // the best of those between them
    double instructions; // per unit; 0: unknown
};

struct run {
    const struct options *options;
    struct cases cases;
    struct bench_counter counter;
    double calib_per_s; // the best of all
    struct result results[MAX_CASES];
};

static bool is_wanted(const struct options *o, const struct game *g)
{
    bool named = o->named_count == 0;
    for (int i = 0; i < o->named_count; i++)
        named |= o->named[i] == g;
    return named;
}

static int seats_of(const struct game *g)
{
    union game_rules rules;
    g->defaults(&rules);
    return g->scenario(&rules, 0);
}

static struct bench_case *add_case(struct cases *all, const struct game_kit *k, const char *what, bench_work *run)
{
    if (all->count == MAX_CASES)
        app_die("more than %d cases", MAX_CASES);
    const struct game *g = k->game;
    char *name = all->name[all->count];
    struct bench_case *c = &all->at[all->count++];
    snprintf(name, sizeof all->name[0], "%s.%s", g->name, what);
    *c = (struct bench_case){.name = name, .game = g, .seats = k->bench ? k->bench->seats : seats_of(g), .run = run};
    return c;
}

// Real-time games have cases of their own instead of steps.
static void add_steps(struct cases *all, const struct game_kit *k)
{
    if (k->game->tick)
        return;
    struct bench_case *c = add_case(all, k, "steps", bench_play_steps);
    if (!k->bench)
        return;
    c->goal = k->bench->goal;
    c->peer = k->bench->peer;
    c->peer_units = k->bench->peer_units;
}

// A batch in one configuration. The goals are for one thread and float32.
static void add_batch(struct cases *all, const struct game_kit *k, const struct kit_batch *b, const char *what,
                      double times, struct bench_case how)
{
    struct bench_case *c = add_case(all, k, what, bench_step_batch);
    char *name = all->name[all->count - 1];
    snprintf(name, sizeof all->name[0], "vec.%s.%s.%s", k->game->name, b->name, what);
    c->seats = b->seats;
    c->goal = b->goal[how.batch.vector - 1] * times;
    c->threads = how.threads;
    c->batch = how.batch;
    c->batch.inputs = b->inputs;
}

static void add_batches(struct cases *all, const struct game_kit *k)
{
    char seats[12];
    snprintf(seats, sizeof seats, "%d", seats_of(k->game));
    const struct kit_batch usual[] = {{.name = seats, .seats = seats_of(k->game)}, {0}};
    for (const struct kit_batch *b = k->batches ? k->batches : usual; b->name; b++) {
        add_batch(all, k, b, "v1", 1, (struct bench_case){.batch = {.vector = 1}});
        add_batch(all, k, b, "v1.bytes", 1.25, (struct bench_case){.batch = {.vector = 1, .bytes = true}});
        add_batch(all, k, b, "v1.threads2", 1.8, (struct bench_case){.batch = {.vector = 1}, .threads = 2});
        if (game_row_vectors(k->game) == 1)
            continue;
        add_batch(all, k, b, "v2", 1, (struct bench_case){.batch = {.vector = 2}});
        add_batch(all, k, b, "v2.bytes", 1.25, (struct bench_case){.batch = {.vector = 2, .bytes = true}});
    }
}

static void add_cases(struct cases *all, const struct options *o)
{
    for (const struct game_kit *const *at = game_kits, *row; (row = *at); at++) {
        if (!is_wanted(o, row->game))
            continue;
        for (const struct bench_case *c = bench_special; c->name; c++)
            if (c->game == row->game)
                *add_case(all, row, "", NULL) = *c;
        add_steps(all, row);
    }
    for (const struct game_kit *const *at = game_kits, *row; (row = *at); at++)
        if (is_wanted(o, row->game))
            add_case(all, row, "replay", bench_verify_replays);
    for (const struct game_kit *const *at = game_kits, *row; (row = *at); at++)
        if (is_wanted(o, row->game))
            add_case(all, row, "rgb224", bench_render_frames)->seats = seats_of(row->game);
    for (const struct game_kit *const *at = game_kits, *row; (row = *at); at++)
        if (is_wanted(o, row->game))
            add_batches(all, row);
}

static double max_of(double a, double b)
{
    return a > b ? a : b;
}

// The time of a case: with several threads, as if each had its own processor.
static double case_seconds(const struct bench_case *c)
{
    return c->threads ? bench_all_cpu_seconds() / c->threads : bench_cpu_seconds();
}

// How much work takes about `seconds`: doubled until it is measurable.
static uint64_t size_work(const struct bench_case *c, struct bench_dice *dice, double seconds)
{
    c->run(c, dice, 1); // so that one-time preparations are done
    for (uint64_t units = 64;; units *= 2) {
        double begin = case_seconds(c);
        uint64_t done = c->run(c, dice, units);
        double took = case_seconds(c) - begin;
        if (took > seconds / 8)
            return (uint64_t)((double)done * seconds / took) + 1;
    }
}

// Work and calibration alternate in slices of about the same length, so that both see the same machine state; the best
// of each counts.
static void measure_case(struct run *run, int index)
{
    const struct bench_case *c = &run->cases.at[index];
    struct result *best = &run->results[index];
    struct bench_dice dice = {(uint64_t)index + 1};
    double share = run->options->seconds < 1 ? run->options->seconds : 1; // a short run calibrates shortly
    uint64_t units = size_work(c, &dice, run->options->seconds / REPETITIONS);
    for (int i = 0; i < REPETITIONS; i++) {
        best->calib_per_s = max_of(best->calib_per_s, bench_calibrate((int)(CALIBRATION_ROUNDS * share)));
        uint64_t counted = bench_counter_read(&run->counter);
        double begin = case_seconds(c);
        uint64_t done = c->run(c, &dice, units);
        double rate = (double)done / (case_seconds(c) - begin);
        counted = bench_counter_read(&run->counter) - counted;
        if (rate <= best->per_s)
            continue;
        best->per_s = rate;
        best->instructions = (double)counted / (double)done;
    }
    run->calib_per_s = max_of(run->calib_per_s, best->calib_per_s);
}

static void write_json(struct text *t, const struct run *run)
{
    json_begin_object(t);
    json_put_decimal(t, "calib_per_s", run->calib_per_s, 0);
    json_begin_array_at(t, "results");
    for (int i = 0; i < run->cases.count; i++) {
        const struct result *r = &run->results[i];
        const struct bench_case *c = &run->cases.at[i];
        json_begin_object(t);
        json_put_text(t, "name", c->name);
        json_put_decimal(t, "per_s", r->per_s, 0);
        json_put_decimal(t, "calib_per_s", r->calib_per_s, 0);
        json_put_decimal(t, "calib_units", r->per_s / r->calib_per_s, 4);
        json_put_uint(t, "state_bytes", c->game->state_size);
        if (r->instructions > 0)
            json_put_decimal(t, "instructions", r->instructions, 1);
        if (c->goal > 0)
            json_put_decimal(t, "goal", c->goal, 2);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
    text_put_char(t, '\n');
}

static void print_row(const struct bench_case *c, const struct result *r)
{
    double units = r->per_s / r->calib_per_s;
    char goal[16] = "", instructions[16] = "", peer[64] = "";
    if (c->goal > 0)
        snprintf(goal, sizeof goal, "%.1f", c->goal);
    if (r->instructions > 0)
        snprintf(instructions, sizeof instructions, "%.0f", r->instructions);
    if (c->peer)
        snprintf(peer, sizeof peer, "%s %.2f", c->peer, c->peer_units);
    const char *met = c->goal > 0 ? (units >= c->goal ? "met" : "missed") : "";
    printf("%-34s %10.2f M %8.1f %8.2f %6s %-6s %7s %6u  %s\n", c->name, r->per_s / 1e6, 1e9 / r->per_s, units, goal,
           met, instructions, c->game->state_size, peer);
}

static void print_table(const struct run *run)
{
    printf("calibration: %.2f M rounds per CPU second\n\n", run->calib_per_s / 1e6);
    printf("%-34s %12s %8s %8s %6s %-6s %7s %6s  %s\n", "", "per second", "ns each", "units", "goal", "", "instr.",
           "bytes", "peer, same unit");
    for (int i = 0; i < run->cases.count; i++)
        print_row(&run->cases.at[i], &run->results[i]);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 's':
        o->seconds = app_read_real(state, "--seconds", arg, 0.01, 3600);
        return 0;
    case ARGP_KEY_ARG:
        if (o->named_count == MAX_NAMED)
            argp_error(state, "at most %d games at once", MAX_NAMED);
        o->named[o->named_count++] = app_get_game(state, arg)->game;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_bench(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"json", 'j', NULL, 0, "Print a JSON object", 0},
        {"seconds", 's', "S", 0, "CPU time per line in seconds, without calibration (1)", 0},
        {0},
    };
    static const struct argp argp = {
        list,
        parse_option,
        "[GAME...]",
        "Measure the speed of the games under uniformly random legal play: one thread, CPU time, the best of several "
        "repetitions. A unit is the rate divided by the rate of fixed integer work measured in the same run, so that "
        "figures of different machines can be compared.",
        NULL,
        NULL,
        NULL,
    };
    struct options options = {.seconds = 1};
    help_parse(&argp, argc, argv, 0, &options);

    static struct run run;
    run.options = &options;
    run.counter = bench_counter_open();
    add_cases(&run.cases, &options);
    for (int i = 0; i < run.cases.count; i++)
        measure_case(&run, i);
    bench_counter_close(&run.counter);
    if (!options.json) {
        print_table(&run);
        return APP_DONE;
    }
    static char report[MAX_REPORT];
    struct text t = text_on(report, sizeof report);
    write_json(&t, &run);
    fwrite(t.at, 1, t.size, stdout);
    return APP_DONE;
}
