// The dealbook of a contest: its transcript (B14.5). One line for every deal of belote, in the format of B18, with the
// players, the seed and how long each decision took. Games end in any order; their lines are written in the order of
// their numbers.
#pragma once

#include "contest/contest.h"

#include <stdio.h>

struct contest_latencies;

enum { DEALBOOK_AHEAD = 8192 }; // how many games may be played before an earlier one has ended

struct dealbook {
    FILE *file;
    uint64_t lines; // in the file
    int failed;     // errno of the first failed write
    struct text held[DEALBOOK_AHEAD];
};

// Creates a file, or appends to an existing one. Returns false with errno set.
bool dealbook_open(struct dealbook *t, const char *path, bool append);
// From any thread, before the result is handed in. Takes ownership of the text, which is on the heap.
void dealbook_hold(struct dealbook *t, uint64_t index, struct text lines);
void dealbook_release(struct dealbook *t, uint64_t index); // writes the lines of a game; called in order
// With `all`, also writes the lines still held, from game `next` on: the contest was interrupted. Returns false with
// errno set if a write failed.
bool dealbook_close(struct dealbook *t, uint64_t next, bool all);

// The lines of one game, without their ids.
struct dealbook_game {
    struct span replay; // complete, with its key
    uint64_t match, seed;
    const char *bot[4];                    // by seat
    const struct contest_latencies *times; // of its decisions, in order; NULL: unknown
};
int dealbook_write(struct text *out,
                   const struct dealbook_game *g); // OK, ERR_FULL, or the error in the replay

const char *dealbook_game(void); // the name of the one game that has dealbooks
// Replays a transcript. Returns OK, ERR_MISMATCH if it says something else, or ERR_FORMAT.
struct dealbook_check {
    uint64_t lines, matches, decisions;
    char why[512]; // the first difference, and where it is
};
int dealbook_verify(struct span file, struct dealbook_check *out);
