// A worker: takes units from the bus, plays them on its threads, and puts the results on the bus (S83).
//
// It keeps nothing. A unit is acknowledged when its result is on the bus, so one that dies with it is played by
// somebody else. What it cannot play it refuses with a sentence (S86).
#pragma once

#include "bus/bus.h"
#include "workers/message.h"
#include "workers/plan.h"

#include <stdatomic.h>

struct worker_options {
    struct bus *bus;
    char name[WORKERS_NAME]; // no two workers share one
    int threads;
    const struct workers_programs *programs; // that it may start
    const atomic_bool *stop;                 // set by a signal: units in hand are given back
    void (*tell)(const char *line);
    void (*change)(struct workers_outcome *o); // for tests of what a wrong worker does; NULL
};

// Until `stop` is set. False, and why, when it could not begin.
bool worker_run(const struct worker_options *o, char why[BUS_WHY]);
