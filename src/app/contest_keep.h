// The journal of a contest that a command line plays, with the decisions of its models.
#pragma once

#include "app/llm_options.h"
#include "contest/journal.h"

struct contest_keep {
    struct journal journal;
    bool is_open, is_new;
    uint64_t found; // games that it had already
};

// What cannot be gone on with ends the program with status 2. `models` was opened, and gets its decisions back.
void contest_keep_open(struct contest_keep *k, struct contest *c, const char *path, struct llm_players *models,
                       const char *command);
void contest_keep_add(struct contest_keep *k, uint64_t index, const struct contest_result *r); // from any thread
bool contest_keep_close(struct contest_keep *k); // false when something could not be written: errno says why
