// A worker: takes units from the bus, plays them on its threads, and puts the results on the bus (S83).
//
// It stores nothing. A unit is acknowledged when its result is on the bus, so if the worker dies, another one plays the
// unit. It refuses what it cannot play with a sentence (S86).
#pragma once

#include "bus/bus.h"
#include "workers/message.h"
#include "workers/plan.h"

#include <stdatomic.h>

struct worker_options {
    struct bus *bus;
    char name[WORKERS_NAME]; // unique among workers
    int threads;
    const struct workers_programs *programs; // that it may start
    const atomic_bool *stop;                 // set by a signal: current units are given back
    void (*tell)(const char *line);
    void (*change)(struct workers_outcome *o); // for tests of a faulty worker; NULL
};

// Runs until `stop` is set. Returns false and sets `why` if it could not begin.
bool worker_run(const struct worker_options *o, char why[BUS_WHY]);
