// S90: compares what an arena on PostgreSQL has stored with what agents recorded: nothing is lost, nothing happened
// twice, nothing was written by a node that had been taken over.
#pragma once

#include "app/history_records.h"
#include "store/pg/audit.h"

struct history_fault {
    const char *rule;
    char *text; // on the heap
};

struct history_report {
    uint64_t matches, running, pieces, actions, events, ratings, entries; // checked
    uint64_t files, sessions, told, answers;                              // of agents
    uint64_t reconnected; // sessions whose events came by more than one connection
    struct history_fault *fault;
    uint32_t faults, room;
};

struct history_options {
    bool damped; // the servers have --damp-repeats
};

// `before` was read before the snapshot was taken, so everything in it must be in the store. `behind` was read after
// it, so everything that the store has of these agents must be in it. Returns false if the store could not be read
// completely (audit_error).
bool history_check(struct audit *p, const struct history_records *before, const struct history_records *behind,
                   const struct history_options *o, struct history_report *out);
void history_report_add(struct history_report *r, const char *rule, const char *sentence);
void history_report_release(struct history_report *r);
