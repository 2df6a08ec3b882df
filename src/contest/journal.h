// What was played so far, on disk: a contest that was interrupted goes on where it stopped.
//
// One JSON object a line: first the contest, then every result as it was handed in. A last line torn off by a crash is
// ignored. A journal of another plan is refused.
#pragma once

#include "contest/contest.h"

#include <stdio.h>

struct journal {
    FILE *file;
    struct contest *contest;
    pthread_mutex_t lock; // of what follows: the file's own is not seen by the thread sanitizer
    int failed;           // errno of the first write that did not work
    int64_t flushed_us;
};

// Lines of players that stand between the results (llm/models.h writes and reads them).
struct journal_notes {
    void (*take)(void *owner, struct span line);
    void *owner;
};

// Reads what is there into the contest, then stands ready to add. OK, ERR_MISMATCH (another contest), ERR_FORMAT,
// ERR_STORAGE (errno says why). `found` is how many results were read.
// Lines of players go to `notes`; NULL: nobody wants them.
int journal_open(struct journal *j, struct contest *c, const char *path, const struct journal_notes *notes,
                 uint64_t *found);
// The seed of the contest that was begun there; false when there is none.
bool journal_find_seed(const char *path, uint64_t *seed);
// From any thread, in any order. It outlives the process at once, or with the next when they come thick and fast.
void journal_add(struct journal *j, uint64_t index, const struct contest_result *r);
void journal_add_note(struct journal *j, struct span line); // a whole line; it outlives the process at once
bool journal_flush(struct journal *j);                      // what was added outlives the process; false as below
bool journal_close(struct journal *j);                      // false when something could not be written: errno says why
