// Reads an arena's tables for `agon verify history` (S90): from one snapshot and without opening the arena, so that its
// servers may be running. All functions block.
#pragma once

#include "store/store.h"

struct audit;
struct audit *audit_open(const char *url, char *why, size_t room); // returns NULL and sets `why`
void audit_close(struct audit *p);

// Reports contradictions between the tables, as sentences. Returns false if the database did not answer (audit_error).
typedef void audit_report(void *owner, const char *rule, const char *sentence);
bool audit_check_tables(struct audit *p, audit_report *tell, void *owner);
const char *audit_error(const struct audit *p);

enum { AUDIT_END = 2 + sizeof(struct uuid) + 2 * sizeof(double), AUDIT_START = sizeof(struct uuid) + sizeof(int64_t) };

struct audit_match {
    int64_t row;
    int64_t finish_no; // 0: running
    struct store_match match;
    struct span log;                // as stored, all pieces
    int32_t seats;                  // number of its rows in the table of seats
    struct uuid agent[STORE_SEATS]; // the agents of these rows
    struct uuid id, replay;         // keys by which the tables find it
    int64_t finished_ms;            // time by which they list it; 0: running
    // AUDIT_END bytes for each of these seats: result (big endian), session, and rating and deviation after the match
    // (big endian; NaN: unrated).
    struct span ends;
    struct span starts;  // rows that the caps count: AUDIT_START bytes each, the agent and the time, big endian
    struct span sums;    // checksums of the pieces that still exist, 8 bytes each
    int64_t first_piece; // number of the first such piece; -1: none
};
typedef void audit_each_match(void *owner, const struct audit_match *m);
// First all finished matches, in the order in which their results were counted; then all running ones. Data passed to
// `each` is valid until it returns.
bool audit_list_matches(struct audit *p, audit_each_match *each, void *owner);
// Reads the pieces of m->log in order. ERR_FORMAT if one is missing, duplicate, misplaced or damaged; `*sound` is the
// number of pieces before it. `*same` is set to whether the pieces that still exist equal those of the log.
int audit_read_log(const struct audit_match *m, store_each *each, void *owner, uint32_t *sound, bool *same);

typedef void audit_each_rating(void *owner, const struct store_rating *stored, struct span body);
bool audit_list_ratings(struct audit *p, audit_each_rating *each, void *owner); // `version` is that of the row
bool audit_is_same_rating(struct span body, const struct store_rating *r);      // compares byte for byte

// Counters of how agents play, by agent and game.
typedef void audit_each_habits(void *owner, struct uuid agent, const struct store_counters *stored);
bool audit_list_habits(struct audit *p, audit_each_habits *each, void *owner);

typedef void audit_each_entry(void *owner, const struct store_entry *e);
bool audit_list_entries(struct audit *p, audit_each_entry *each, void *owner);
