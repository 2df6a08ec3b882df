// The journal of a contest on disk: an interrupted contest continues where it stopped.
//
// One JSON object per line: first the contest, then every result as it was handed in. An incomplete last line, torn off
// by a crash, is ignored. A journal of another plan is refused.
#pragma once

#include "contest/contest.h"

#include <stdio.h>

struct journal {
    FILE *file;
    struct contest *contest;
    pthread_mutex_t lock; // guards what follows; the thread sanitizer does not see stdio's own lock
    int failed;           // errno of the first failed write
    int64_t flushed_us;
};

// Lines of players between the results (written and read by llm/models.h).
struct journal_notes {
    void (*take)(void *owner, struct span line);
    void *owner;
};

// Reads existing results into the contest and prepares for appending. Returns OK, ERR_MISMATCH (another contest),
// ERR_FORMAT, or ERR_STORAGE with errno set. `found`: number of results read. Lines of players go to `notes`, which may
// be NULL.
int journal_open(struct journal *j, struct contest *c, const char *path, const struct journal_notes *notes,
                 uint64_t *found);
// The seed of the contest in the journal. Returns false if there is none.
bool journal_find_seed(const char *path, uint64_t *seed);
// From any thread, in any order. Flushed at once, or together with the next ones if they come in quick succession.
void journal_add(struct journal *j, uint64_t index, const struct contest_result *r);
void journal_add_note(struct journal *j, struct span line); // a whole line; flushed at once
bool journal_flush(struct journal *j); // what was added survives a crash of the process; false as for journal_close
bool journal_close(struct journal *j); // false with errno set if something could not be written
