// agon bench: the games in numbers that can be compared between machines.
#include "app/bench.h"

#include "base/json_write.h"
#include "games/belote/belote.h"
#include "games/coup/coup.h"
#include "games/liars_dice/liars_dice.h"
#include "games/tetris/tetris.h"
#include "games/texas_holdem/texas_holdem.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPETITIONS = 7, CALIBRATION_ROUNDS = 200000, MAX_NAMED = 16, MAX_REPORT = 1 << 16 };

// Goals and peers are in calibration units, measured one thread, CPU time, random play, in one run with the peer.
static const struct bench_case cases[] = {
    {"tetris.frames", &tetris_game, 1, 4.5, "PufferLib", 2.98, bench_tetris_frames},
    {"tetris.placements", &tetris_game, 1, 2.7, "PufferLib", 1.33, bench_tetris_placements},
    {"texas_holdem.steps", &texas_holdem_game, 2, 6.1, "ACPC dealer", 3.06, bench_play_steps},
    {"eval7", &texas_holdem_game, 2, 50, "OMPEval", 62, bench_eval_hands},
    {"liars_dice.steps", &liars_dice_game, 2, 6.8, "OpenSpiel", 0.68, bench_play_steps},
    {"coup.steps", &coup_game, 4, 4, "OpenSpiel social_deduction", 1.39, bench_play_steps},
    {"belote.steps", &belote_game, 4, 6.7, "OpenSpiel skat", 0.67, bench_play_steps},
    {"tetris.replay", &tetris_game, 1, 0, NULL, 0, bench_verify_replays},
    {"texas_holdem.replay", &texas_holdem_game, 2, 0, NULL, 0, bench_verify_replays},
    {"liars_dice.replay", &liars_dice_game, 2, 0, NULL, 0, bench_verify_replays},
    {"coup.replay", &coup_game, 4, 0, NULL, 0, bench_verify_replays},
    {"belote.replay", &belote_game, 4, 0, NULL, 0, bench_verify_replays},
};
enum { CASES = sizeof cases / sizeof *cases };

struct options {
    bool json;
    double seconds;                      // of work per case
    const struct game *named[MAX_NAMED]; // none: all
    int named_count;
};

struct result {
    double per_s;        // the best of the repetitions
    double instructions; // per unit; 0: unknown
};

struct run {
    const struct options *options;
    struct bench_counter counter;
    double calib_per_s; // the best so far
    struct result results[CASES];
    bool ran[CASES];
};

static bool is_wanted(const struct options *o, const struct game *g)
{
    bool named = o->named_count == 0;
    for (int i = 0; i < o->named_count; i++)
        named |= o->named[i] == g;
    return named;
}

static void calibrate(struct run *run)
{
    double share = run->options->seconds < 1 ? run->options->seconds : 1; // a short look calibrates shortly
    double rate = bench_calibrate((int)(CALIBRATION_ROUNDS * share));
    if (rate > run->calib_per_s)
        run->calib_per_s = rate;
}

// How much work takes about `seconds`: doubled until it can be measured.
static uint64_t size_work(const struct bench_case *c, struct bench_dice *dice, double seconds)
{
    c->run(c, dice, 1); // what is prepared once is prepared
    for (uint64_t units = 64;; units *= 2) {
        double begin = bench_cpu_seconds();
        uint64_t done = c->run(c, dice, units);
        double spent = bench_cpu_seconds() - begin;
        if (spent > seconds / 8)
            return (uint64_t)((double)done * seconds / spent) + 1;
    }
}

// Work and calibration take turns, so that both see the same machine; the best of each counts.
static void measure(struct run *run, int index)
{
    const struct bench_case *c = &cases[index];
    struct result *best = &run->results[index];
    struct bench_dice dice = {(uint64_t)index + 1};
    uint64_t units = size_work(c, &dice, run->options->seconds / REPETITIONS);
    for (int i = 0; i < REPETITIONS; i++) {
        calibrate(run);
        uint64_t counted = bench_counter_read(&run->counter);
        double begin = bench_cpu_seconds();
        uint64_t done = c->run(c, &dice, units);
        double rate = (double)done / (bench_cpu_seconds() - begin);
        counted = bench_counter_read(&run->counter) - counted;
        if (rate > best->per_s)
            *best = (struct result){rate, (double)counted / (double)done};
    }
    run->ran[index] = true;
}

static void write_json(struct text *t, const struct run *run)
{
    json_begin_object(t);
    json_put_decimal(t, "calib_per_s", run->calib_per_s, 0);
    json_key(t, "results");
    json_begin_array(t);
    for (int i = 0; i < CASES; i++) {
        if (!run->ran[i])
            continue;
        const struct result *r = &run->results[i];
        json_begin_object(t);
        json_put_text(t, "name", cases[i].name);
        json_put_decimal(t, "per_s", r->per_s, 0);
        json_put_decimal(t, "calib_units", r->per_s / run->calib_per_s, 4);
        json_put_uint(t, "state_bytes", cases[i].game->state_size);
        if (r->instructions > 0)
            json_put_decimal(t, "instructions", r->instructions, 1);
        if (cases[i].goal > 0)
            json_put_decimal(t, "goal", cases[i].goal, 2);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
    text_put_char(t, '\n');
}

static void print_row(const struct bench_case *c, const struct result *r, double calib_per_s)
{
    double units = r->per_s / calib_per_s;
    char goal[16] = "", instructions[16] = "", peer[64] = "";
    if (c->goal > 0)
        snprintf(goal, sizeof goal, "%.1f", c->goal);
    if (r->instructions > 0)
        snprintf(instructions, sizeof instructions, "%.0f", r->instructions);
    if (c->peer)
        snprintf(peer, sizeof peer, "%s %.2f", c->peer, c->peer_units);
    const char *met = c->goal > 0 ? (units >= c->goal ? "met" : "missed") : "";
    printf("%-20s %10.2f M %8.1f %8.2f %6s %-6s %7s %6u  %s\n", c->name, r->per_s / 1e6, 1e9 / r->per_s, units, goal,
           met, instructions, c->game->state_size, peer);
}

static void print_table(const struct run *run)
{
    printf("calibration: %.2f M rounds per CPU second\n\n", run->calib_per_s / 1e6);
    printf("%-20s %12s %8s %8s %6s %-6s %7s %6s  %s\n", "", "per second", "ns each", "units", "goal", "", "instr.",
           "bytes", "peer, same unit");
    for (int i = 0; i < CASES; i++)
        if (run->ran[i])
            print_row(&cases[i], &run->results[i], run->calib_per_s);
}

static error_t parse(int key, char *arg, struct argp_state *state)
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
        {"json", 'j', NULL, 0, "Print one JSON object", 0},
        {"seconds", 's', "S", 0, "CPU seconds of work for each line, without calibration (1)", 0},
        {0},
    };
    static const struct argp argp = {
        list,
        parse,
        "[GAME...]",
        "Measure how fast the games are under uniform random legal play: one thread, CPU time, the best of several "
        "repetitions. A unit is the rate divided by that of a fixed piece of integer work measured in the same run, so "
        "that figures of different machines can be compared.",
        NULL,
        NULL,
        NULL,
    };
    struct options options = {.seconds = 1};
    argp_parse(&argp, argc, argv, 0, NULL, &options);

    struct run run = {.options = &options, .counter = bench_counter_open()};
    for (int i = 0; i < REPETITIONS; i++)
        calibrate(&run);
    for (int i = 0; i < CASES; i++)
        if (is_wanted(&options, cases[i].game))
            measure(&run, i);
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
