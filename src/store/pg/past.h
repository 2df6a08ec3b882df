// Reads an arena's tables for `agon verify history` (S90): from one snapshot and without opening the arena, so that its
// servers may be running. All functions block.
#pragma once

#include "store/store.h"

struct past;
struct past *past_open(const char *url, char *why, size_t room); // returns NULL and sets `why`
void past_close(struct past *p);

// Reports contradictions between the tables, as sentences. Returns false if the database did not answer (past_why).
typedef void past_tell(void *owner, const char *rule, const char *sentence);
bool past_check_tables(struct past *p, past_tell *tell, void *owner);
const char *past_why(const struct past *p);

enum { PAST_END = 2 + sizeof(struct uuid) + 2 * sizeof(double), PAST_START = sizeof(struct uuid) + sizeof(int64_t) };

struct past_match {
    int64_t row;
    int64_t finish_no; // 0: running
    struct store_match match;
    struct span log;                // as stored, all pieces
    int32_t seats;                  // number of its rows in the table of seats
    struct uuid agent[STORE_SEATS]; // the agents of these rows
    struct uuid id, replay;         // keys by which the tables find it
    int64_t finished_ms;            // time by which they list it; 0: running
    // PAST_END bytes for each of these seats: result (big endian), session, and rating and deviation after the match
    // (big endian; NaN: unrated).
    struct span ends;
    struct span starts;  // rows that the caps count: PAST_START bytes each, the agent and the time, big endian
    struct span sums;    // checksums of the pieces that still exist, 8 bytes each
    int64_t first_piece; // number of the first such piece; -1: none
};
typedef void past_each(void *owner, const struct past_match *m);
// First all finished matches, in the order in which their results were counted; then all running ones. Data passed to
// `each` is valid until it returns.
bool past_list_matches(struct past *p, past_each *each, void *owner);
// Reads the pieces of m->log in order. ERR_FORMAT if one is missing, duplicate, misplaced or damaged; `*sound` is the
// number of pieces before it. `*same` is set to whether the pieces that still exist equal those of the log.
int past_read_log(const struct past_match *m, store_each *each, void *owner, uint32_t *sound, bool *same);

typedef void past_rating(void *owner, const struct store_rating *stored, struct span body);
bool past_list_ratings(struct past *p, past_rating *each, void *owner); // `version` is that of the row
bool past_is_rating(struct span body, const struct store_rating *r);    // compares byte for byte

// Counters of how agents play, by agent and game.
typedef void past_habits(void *owner, struct uuid agent, const struct store_counters *stored);
bool past_list_habits(struct past *p, past_habits *each, void *owner);

typedef void past_entry(void *owner, const struct store_entry *e);
bool past_list_entries(struct past *p, past_entry *each, void *owner);
