// The progress of a running contest, on standard error: a table that is drawn again and again on a terminal, a line now
// and then elsewhere (N11.4).
#pragma once

#include "contest/contest.h"

#include <stdatomic.h>

struct contest_live {
    struct contest *contest;
    double begin_s;
    uint64_t found; // games that were there before this run
    int every_s;    // between lines where there is no terminal
    bool table, runs;
    atomic_bool over;
    pthread_t thread;
};

// Nothing is shown when every_s is 0.
void contest_live_start(struct contest_live *l, struct contest *c, int every_s);
double contest_live_stop(struct contest_live *l); // clears the table; how many seconds it took
