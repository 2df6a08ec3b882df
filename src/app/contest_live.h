// The progress of a running contest on standard error: on a terminal a table that is redrawn, elsewhere a line from
// time to time (N11.4).
#pragma once

#include "contest/contest.h"

#include <stdatomic.h>

// Several contests in a row are one run: `weight` is the expected cost of a game compared with the others.
struct contest_live {
    struct contest *contest;
    const char *title;   // before the line; NULL: none
    int every_s;         // seconds between lines without a terminal; 0: shows nothing at all
    double run_began_s;  // by loop_now_seconds
    double weight;       // of a game
    double played, left; // total weight of the games of earlier and of later contests
    // The following is set by contest_live_start.
    double began_s;
    uint64_t found; // games that existed before it was played
    bool table, runs;
    atomic_bool over;
    pthread_t thread;
};

void contest_live_start(struct contest_live *l);
double contest_live_stop(struct contest_live *l); // clears the table; returns how many seconds the contest took
// Estimated seconds until the run is over; negative: unknown yet. The contest must be locked.
double contest_live_left(const struct contest_live *l, double run_s);
