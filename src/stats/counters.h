// What a game counts about how its players play: shares, ratios and means, as numerators and denominators.
//
// A game declares a list of counters and a function that follows a match step by step. counters_count plays a finished
// log again and gives the counts of every seat, so that the same log always gives the same counts: at the end of a
// match, when ratings are recomputed, in a test.
#pragma once

#include "base/span.h"
#include "game/game.h"

enum { COUNTERS_MAX = 12, COUNTERS_SCRATCH = 512 };

enum counter_kind {
    COUNTER_SHARE, // n of `of` cases
    COUNTER_RATIO, // n of one thing to `of` of another
    COUNTER_MEAN,  // the sum of `of` values, with the sum of their squares
};

struct counter {
    const char *name;
    const char *unit; // what scale * n / of is: "percent" (of 1), "number", "bb/100", "points"
    uint8_t kind;     // enum counter_kind
    double scale;
};

struct count {
    int64_t n, of;
    double squares; // of a mean
};

static inline bool count_equals(const struct count *a, const struct count *b)
{
    return a->n == b->n && a->of == b->of && a->squares == b->squares;
}

struct counts {
    struct count at[COUNTERS_MAX];
};

// One step: `before` is NULL at the beginning, where nobody has acted. `action` is the entry of the log, also a
// fallback or what GAME_MASTER does.
struct counters_step {
    const void *before, *after;
    int seat;
    struct game_action action;
    const struct game_events *happened;
};

struct game_counters {
    const struct counter *list; // at most COUNTERS_MAX, ended by a NULL name; stored by place, so new ones come last
    // `scratch` is COUNTERS_SCRATCH bytes of the match, zero at first.
    void (*follow)(void *scratch, const struct counters_step *step, struct counts seat[GAME_MAX_SEATS]);
};

// OK, or what replaying the log said; `out` is by seat. Needs about 20 kB of stack.
int counters_count(const struct game_counters *c, struct span log, const struct game *g, const uint8_t *key,
                   struct counts out[GAME_MAX_SEATS]);

static inline void count_case(struct counts *c, int counter, bool counts)
{
    c->at[counter].n += counts;
    c->at[counter].of++;
}

static inline void count_value(struct counts *c, int counter, int64_t value)
{
    c->at[counter].n += value;
    c->at[counter].of++;
    c->at[counter].squares += (double)value * (double)value;
}
