// The dealbook of a contest: its transcript (B14.5). A line for every deal of belote, as B18 has it, with who played,
// the seed and how long each decision took. Games end in any order; their lines stand in the order of their numbers.
#pragma once

#include "contest/contest.h"

#include <stdio.h>

struct contest_times;

enum { DEALBOOK_AHEAD = 8192 }; // games that may be played before an earlier one has ended

struct dealbook {
    FILE *file;
    uint64_t lines; // in the file
    int failed;     // errno of the first write that did not work
    struct text held[DEALBOOK_AHEAD];
};

// A new file, or further lines for one that is there. False: errno says why.
bool dealbook_open(struct dealbook *t, const char *path, bool append);
// From any thread, before the result is handed in. Takes over the text, which is on the heap.
void dealbook_hold(struct dealbook *t, uint64_t index, struct text lines);
void dealbook_release(struct dealbook *t, uint64_t index); // in order: its lines may be written
// What is still held, from game `next` on, is written when `all` is set: the contest was interrupted. False: a write
// did not work, errno says why.
bool dealbook_close(struct dealbook *t, uint64_t next, bool all);

// The lines of one game, without their ids.
struct dealbook_game {
    struct span replay; // complete, with its key
    uint64_t match, seed;
    const char *bot[4];                // by seat
    const struct contest_times *times; // of its decisions, in their order; NULL: not known
};
int dealbook_write(struct text *out,
                   const struct dealbook_game *g); // OK, ERR_FULL, or what is wrong with the replay

const char *dealbook_game(void); // the one game that has such transcripts
// Plays a transcript again: OK, ERR_MISMATCH where it says something else, or ERR_FORMAT.
struct dealbook_check {
    uint64_t lines, matches, decisions;
    char why[512]; // what differs first, and where
};
int dealbook_verify(struct span file, struct dealbook_check *out);
