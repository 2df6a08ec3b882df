// The running matches, as the caller's thread knows them: the row of each, and where the pieces of its log are.
//
// Pieces of all matches are in one table in order of arrival, so that a commit writes few pages however many matches
// are running. The table has no index by match; this list takes its place, with eight bytes for each piece. The log
// itself is also kept, in the form that is stored at the end, so that the end need not read it back.
#pragma once

#include "base/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNNING_LOG_MAX = 64 << 10 }; // bytes; a longer log is not kept

struct running_match {
    struct uuid id;
    int64_t row;
    int64_t *piece; // ids, ascending; number 0 is the head of the replay
    uint32_t count, room;
    bool whole; // `log` has all pieces so far; false after a restart and for long logs
    char *log;
    size_t log_size, log_room;
    int64_t log_ms;                      // time of the last piece
    struct running_match *older, *newer; // ordered by first piece
};

struct running {
    struct running_match **slot; // hash table with open addressing; the size is a power of two
    size_t slots, count;
    struct running_match *oldest, *newest;
};

void running_release(struct running *r);
struct running_match *running_add(struct running *r, struct uuid id, int64_t row); // added as the newest
struct running_match *running_find(const struct running *r, struct uuid id);
void running_add_piece(struct running_match *m, int64_t piece);
char *running_append_log(struct running_match *m, size_t size); // room at the end of the log; NULL: it is not kept
void running_drop(struct running *r, struct running_match *m);
void running_make_newest(struct running *r, struct running_match *m);
