// S90: what an arena on PostgreSQL has stored, and what agents noted themselves, put side by side: nothing is lost,
// nothing happened twice, nothing was written by a node that had been taken over.
#pragma once

#include "app/history_notes.h"
#include "store/pg/past.h"

struct history_fault {
    const char *rule;
    char *text; // on the heap
};

struct history_report {
    uint64_t matches, running, pieces, actions, events, ratings, entries; // looked at
    uint64_t files, sessions, told, answers;                              // of agents
    struct history_fault *fault;
    uint32_t faults, room;
};

struct history_options {
    bool damped; // the servers have --damp-repeats
};

// `before` was read before the snapshot was taken: all that it tells is in the store. `behind` was read after: all that
// the store has of agents is in it. False: the store could not be read to its end; past_why says it.
bool history_check(struct past *p, const struct notes *before, const struct notes *behind,
                   const struct history_options *o, struct history_report *out);
void history_report_add(struct history_report *r, const char *rule, const char *sentence);
void history_report_release(struct history_report *r);
