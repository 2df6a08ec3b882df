// The matches under way, as the caller's thread knows them: which row each has, and where the pieces of its log lie.
//
// Pieces of all matches lie in one table in order of arrival, so a commit writes few pages however many matches play.
// Nothing in the table finds the pieces of one match again; this list does, eight bytes for each piece.
#pragma once

#include "base/uuid.h"

#include <stdint.h>

struct running_match {
    struct uuid id;
    int64_t row;
    int64_t *piece; // ids, ascending: number 0 is the head of the replay
    uint32_t count, room;
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
void running_drop(struct running *r, struct running_match *m);
void running_make_newest(struct running *r, struct running_match *m);
