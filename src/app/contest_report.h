// Reports of a contest, for people and for programs.
#pragma once

#include "contest/play.h"

#include <stdio.h>

// Result of a second run with the same seeds (B14.7).
struct contest_repeat {
    bool asked, same;
    uint64_t games;                      // played in both runs
    uint64_t other;                      // the first that differs
    struct contest_result first, second; // its two results
};
struct contest_repeat contest_compare(const struct contest *first, const struct contest *second);
void contest_print_repeat(FILE *to, const struct contest_repeat *r); // prints nothing if no second run was requested

void contest_print_table(struct contest_run *run, double seconds);
void contest_write_json(struct contest_run *run, struct text *t, const struct contest_repeat *again);
void contest_print_csv(struct contest *c);

// A figure with an unbounded interval is shown as a bound: a player that won everything may be better by any amount.
// Returns `out`.
enum { CONTEST_CELL = 64 };
const char *contest_describe_bound(char out[CONTEST_CELL], double value, struct stats_interval i, const char *format);
