// Moves an arena from a folder (SQLite) to PostgreSQL (S37).
#pragma once

#include "store/store.h"

struct copy_figures {
    uint64_t agents, matches, running, actions, ratings, entries;
    double rating_sum;  // sum of all ratings
    uint64_t logs_hash; // hash of all logs, in order of matches
};

// Copies everything in one transaction into a database that has no arena yet or an empty one; then reads both sides and
// compares. Sets both figures, also if they differ (ERR_FORMAT). ERR_STORAGE: nothing was copied.
int copy_arena(const char *folder, const char *url, struct copy_figures *from, struct copy_figures *to, char *why,
               size_t room);
