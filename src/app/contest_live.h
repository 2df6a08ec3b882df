// The progress of a running contest, on standard error: a table that is drawn again and again on a terminal, a line now
// and then elsewhere (N11.4).
#pragma once

#include "contest/contest.h"

#include <stdatomic.h>

// Several contests in a row are one run: what a game takes in one of them is a weight beside that of the others.
struct contest_live {
    struct contest *contest;
    const char *title;  // before the line; NULL: nothing
    int every_s;        // between lines where there is no terminal; 0: nothing is shown at all
    double run_began_s; // by loop_now_seconds
    double weight;      // of a game
    double past, ahead; // weights of what was played before it, and of what comes after it
    // What follows is set by contest_live_start.
    double began_s;
    uint64_t found; // games that were there before it was played
    bool table, runs;
    atomic_bool over;
    pthread_t thread;
};

void contest_live_start(struct contest_live *l);
double contest_live_stop(struct contest_live *l); // clears the table; how many seconds the contest took
// Seconds until the run is over, if it goes on as it went; below 0: nobody knows yet. The contest is locked.
double contest_live_left(const struct contest_live *l, double run_s);
