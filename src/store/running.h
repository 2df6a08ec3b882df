// The matches under way, as the caller's thread knows them: which row each has, and where the pieces of its log lie.
//
// Pieces of all matches lie in one table in order of arrival, so a commit writes few pages however many matches play.
// Nothing in the table finds the pieces of one match again; this list does, eight bytes for each piece. The log itself
// is kept too, in the form in which it is stored at the end, so that the end reads nothing back.
#pragma once

#include "base/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNNING_KEEP = 64 << 10 }; // bytes of one log; of a longer one nothing is kept

struct running_match {
    struct uuid id;
    int64_t row;
    int64_t *piece; // ids, ascending: number 0 is the head of the replay
    uint32_t count, room;
    bool whole; // `log` has all pieces so far; not after a restart, and not when it is long
    char *log;
    size_t log_size, log_room;
    int64_t log_ms;                      // of the last piece
    struct running_match *older, *newer; // by the first piece
};

struct running {
    struct running_match **slot; // open addressing; a power of two
    size_t slots, count;
    struct running_match *oldest, *newest;
};

void running_release(struct running *r);
struct running_match *running_add(struct running *r, struct uuid id, int64_t row); // as the newest
struct running_match *running_find(const struct running *r, struct uuid id);
void running_add_piece(struct running_match *m, int64_t piece);
char *running_keep(struct running_match *m, size_t size); // room at the end of the log; NULL: it is not whole
void running_drop(struct running *r, struct running_match *m);
void running_make_newest(struct running *r, struct running_match *m);
