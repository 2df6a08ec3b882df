// Many games between house bots, on many threads. The results depend on the plan only, not on the threads.
#pragma once

#include "app/game_setup.h"
#include "app/players.h"
#include "contest/contest.h"
#include "stats/stats.h"

#include <stdatomic.h>

struct simulate_plan {
    struct game_setup setup; // rules and seats; every game gets its own seed
    struct players entrants; // entrant k of game i sits at seat (k + i) mod seats
    uint64_t games;
    uint64_t seed;      // of the run
    uint64_t max_steps; // of a game; one that is not over then counts as it stands
    int threads;
    const char *replay_folder; // NULL: replays are not kept
};

struct simulate_result {
    int32_t payoffs[GAME_MAX_SEATS]; // by entrant
    uint32_t steps;
    bool done; // false: not played
    bool over; // false: stopped at max_steps
    uint64_t hash;
};

struct simulate_run {
    const struct simulate_plan *plan;
    struct simulate_result *results; // of every game, by number
    atomic_uint_least64_t next, finished;
    atomic_bool stop;
};

// One line of the report: all entrants with the same name; or a seat, if all are the same bot.
struct simulate_row {
    const char *name;
    int seats;                // its seats in a game
    struct stats_mean payoff; // by seat and game
    double wins;              // shared among ties
};

struct simulate_report {
    uint64_t games, cut;
    struct stats_mean steps;
    uint64_t hash; // of all final states, in order
    struct simulate_row row[GAME_MAX_SEATS];
    int rows;
};

void simulate_begin(struct simulate_run *run, const struct simulate_plan *plan);
void simulate_work(struct simulate_run *run); // one thread's part: plays until nothing is left or stop is set
// The same games as a contest that is not judged, and its results: for workers.
void simulate_make_contest(const struct simulate_plan *plan, struct contest_plan *out);
void simulate_take_results(struct simulate_run *run, const struct contest *c);
void simulate_report(const struct simulate_run *run, struct simulate_report *out);
void simulate_end(struct simulate_run *run);
