// What an arena's tables tell of its past, for `agon verify history` (S90): read from one snapshot, without opening the
// arena, so its servers may run. Everything blocks.
#pragma once

#include "store/store.h"

struct past;
struct past *past_open(const char *url, char *why, size_t room); // NULL, and `why` says it
void past_close(struct past *p);

// What contradicts itself in the tables, as sentences. False: the database did not answer; `past_why` says it.
typedef void past_tell(void *owner, const char *rule, const char *sentence);
bool past_check_tables(struct past *p, past_tell *tell, void *owner);
const char *past_why(const struct past *p);

enum { PAST_END = 2 + sizeof(struct uuid) + 2 * sizeof(double), PAST_START = sizeof(struct uuid) + sizeof(int64_t) };

struct past_match {
    int64_t row;
    int64_t finish_no; // 0: it runs
    struct store_match match;
    struct span log;                // as stored, all pieces
    int32_t seats;                  // that the table of seats has of it
    struct uuid agent[STORE_SEATS]; // theirs
    struct uuid id, replay;         // by which the tables find it
    int64_t finished_ms;            // by which they list it; 0: it runs
    // PAST_END bytes of each seat of theirs: its result, big endian, its session, and what the match made of its
    // rating and deviation, big endian; not a number: it is not rated.
    struct span ends;
    struct span starts;  // by which the caps count it: PAST_START bytes of each, the agent and the time, big endian
    struct span sums;    // of the pieces that are still there, one after the other, 8 bytes each
    int64_t first_piece; // the number of the first one; -1: none is there
};
typedef void past_each(void *owner, const struct past_match *m);
// All that are over, in the order in which their results were counted; then all that run. What is told is valid until
// `each` returns.
bool past_list_matches(struct past *p, past_each *each, void *owner);
// The pieces of m->log in order. ERR_FORMAT: one is missing, doubled, out of place or damaged; `*sound` is how many
// were told before it. `sums` says whether those that are still there are the same.
int past_read_log(const struct past_match *m, store_each *each, void *owner, uint32_t *sound, bool *same);

typedef void past_rating(void *owner, const struct store_rating *stored, struct span body);
bool past_list_ratings(struct past *p, past_rating *each, void *owner); // `version` is the row's
bool past_is_rating(struct span body, const struct store_rating *r);    // byte for byte

// How agents play, by agent and game.
typedef void past_habits(void *owner, struct uuid agent, const struct store_counters *stored);
bool past_list_habits(struct past *p, past_habits *each, void *owner);

typedef void past_entry(void *owner, const struct store_entry *e);
bool past_list_entries(struct past *p, past_entry *each, void *owner);
