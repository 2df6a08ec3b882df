// The journal of a contest on the command line, with the decisions of its models.
#pragma once

#include "app/llm_options.h"
#include "contest/journal.h"

struct contest_journal {
    struct journal journal;
    bool is_open, is_new;
    uint64_t found; // games that it had already
};

// A journal that cannot be continued ends the program with status 2. `models` is open, and gets its decisions back.
void contest_journal_open(struct contest_journal *k, struct contest *c, const char *path, struct llm_players *models,
                          const char *command);
void contest_journal_add(struct contest_journal *k, uint64_t index, const struct contest_result *r); // from any thread
bool contest_journal_close(struct contest_journal *k); // false with errno set if something could not be written
