// A contest played by workers: splits it into units, distributes them, and collects the results.
//
// The coordinator has the plan, the journal and the judge; the bus only has units in transit (S80). Results are handed
// in strictly in the order of the games, so report, journal and early stops are the same as with one thread on one
// machine (S85). The first result of a game counts; every other one is compared with it (S84).
#pragma once

#include "bus/bus.h"
#include "contest/play.h"
#include "workers/plan.h"

struct coordinator_options {
    struct bus *bus;
    const char *url;         // for messages
    struct contest_run *run; // its contest, its settings for external players, its `stop`
    const char *journal; // identifies the contest on the bus, so that a resumed one finds its queue; NULL: a new one
    double verify_share; // share of units that a second worker plays too
    int unit_ms;         // 50 to 5000: how long a unit should take
    bool not_repeatable; // a second result may differ: counted, but does not stop the contest
    void (*tell)(const char *line);
};

struct coordinator_report {
    int workers;                   // that took part
    uint64_t units, repeated;      // given out, and of these not for the first time
    uint64_t verified, unverified; // units with a second result, and without one because there was no other worker
    uint64_t compared, differing;  // games with two results
    uint64_t refusals;
    uint64_t wasted; // games that were played and not needed: the contest had ended
};

// Runs until everything needed is judged, or run->stop is set. Returns false and sets `why` to one line if the contest
// had to stop: two workers disagree, nobody can play it, or the bus refuses.
bool coordinator_play(const struct coordinator_options *o, struct coordinator_report *out, char why[WORKERS_WHY]);
