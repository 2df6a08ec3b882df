// What a contest has shown, for people and for programs.
#pragma once

#include "contest/play.h"

#include <stdio.h>

// What a second run with the same seeds has shown (B14.7).
struct contest_repeat {
    bool asked, same;
    uint64_t games;                      // that both have
    uint64_t other;                      // the first that differs
    struct contest_result first, second; // what became of it
};
struct contest_repeat contest_compare(const struct contest *first, const struct contest *second);
void contest_print_repeat(FILE *to, const struct contest_repeat *r); // nothing when it was not asked for

void contest_print_table(struct contest_run *run, double seconds);
void contest_write_json(struct contest_run *run, struct text *t, const struct contest_repeat *again);
void contest_print_csv(struct contest *c);

struct contest_pace {
    const char *title;     // NULL: none
    uint64_t goal, played; // games in all; played now
    double seconds, left;  // in which these were played; until the end, below 0: unknown
};
void contest_print_progress(struct contest *c, const struct contest_pace *p); // one line, to standard error; locked
