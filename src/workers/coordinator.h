// A contest whose games are played by workers: cuts it into units, gives them out, takes what comes back.
//
// The coordinator has the plan, the journal and the judge; the bus has units on their way and nothing else (S80).
// Results are handed in strictly in the order of the games, so report, journal and early stops are those of one
// thread on one machine (S85). The first result of a game counts; every other one is compared with it (S84).
#pragma once

#include "bus/bus.h"
#include "contest/play.h"
#include "workers/plan.h"

struct coordinator_options {
    struct bus *bus;
    const char *url;         // for messages
    struct contest_run *run; // its contest, its settings for players outside, its `stop`
    const char *journal;     // names the contest on the bus, so that a continued one finds its place; NULL: a new one
    double verify_share;     // of the units, played a second time by another worker
    int unit_ms;             // 50 to 5000: how long a unit should take
    bool not_repeatable;     // a second result may differ: that is counted, and stops nothing
    void (*tell)(const char *line);
};

struct coordinator_report {
    int workers; // that played
    uint64_t units, repeated, verified, unverified, compared, differing, refusals, wasted;
};

// Until everything needed is judged, or run->stop is set. False, and one line in `why`, when the contest had to stop:
// two workers disagree, nobody can play it, or the bus refuses.
bool coordinator_play(const struct coordinator_options *o, struct coordinator_report *out, char why[WORKERS_WHY]);
