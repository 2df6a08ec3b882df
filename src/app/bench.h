// Benchmarks: how fast is this machine, and how fast is a piece of work on it.
//
// Rates differ between machines and from hour to hour. Divided by the calibration rate, measured in the same run on the
// same core, they are comparable.
#pragma once

#include "app/games.h"

// A cheap random generator for benchmarks only: splitmix64.
struct bench_dice {
    uint64_t state;
};

static inline uint64_t bench_draw(struct bench_dice *d)
{
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t bench_draw_below(struct bench_dice *d, uint32_t n)
{
    return (uint32_t)((bench_draw(d) >> 32) * n >> 32);
}

struct bench_case;
typedef uint64_t bench_work(const struct bench_case *c, struct bench_dice *dice, uint64_t units);

// A piece of work: does about `units` of it and returns how many it did.
struct bench_case {
    const char *name;
    const struct game *game;
    int seats;
    double goal;      // in calibration units; 0: none
    const char *peer; // implementation to compare with; NULL: none
    double peer_units;
    bench_work *run;
    int threads; // threads that do it, whose CPU time is added up; 0: this one
    struct bench_batch {
        int vector;
        bool bytes, inputs;
    } batch; // for bench_step_batch
};

extern const struct bench_case bench_special[]; // ended by a NULL name

bench_work bench_play_steps, bench_tetris_frames, bench_tetris_placements, bench_eval_hands, bench_verify_replays,
    bench_render_frames, bench_step_batch;

int bench_pick_seat(struct bench_dice *dice, seat_set seats); // which of several asked seats answers first
void bench_start(const struct game *g, union game_state *s, union game_rules *rules, int seats,
                 struct bench_dice *dice);
struct game_action bench_pick_action(uint64_t drawn, const struct game_choice *choices, int count);

double bench_cpu_seconds(void);     // of this thread
double bench_all_cpu_seconds(void); // of all threads
double bench_calibrate(int rounds); // mixed integer operations per CPU second; 200,000 rounds take about 0.05 s

// Instructions of this thread in user mode. If the system does not allow counting them, fd is -1 and they are 0.
struct bench_counter {
    int fd;
};

struct bench_counter bench_counter_open(void);
uint64_t bench_counter_read(const struct bench_counter *c);
void bench_counter_close(struct bench_counter *c);
