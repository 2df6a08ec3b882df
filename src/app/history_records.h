// Reads the records of agents (agent_history.h): by session, the events that they received and the answers that they
// sent.
#pragma once

#include "base/span.h"
#include "base/uuid.h"

#include <stdint.h>

struct record_event {
    uint32_t seq;
    struct span text; // as received
};

// What one of an agent's connections received of a match. The first message after a reconnection repeats what happened
// before, so only what follows it shows that the server took the connection for the agent's at that time.
struct record_conn {
    uint64_t id;
    uint32_t first, last; // events of the match, by the highest number, as of its first message and at present
};

struct record_answer {
    uint32_t seen; // highest number of the events received before it, plus one
    uint64_t conn; // by which it was sent; 0: the record does not say
};

struct record_session {
    struct uuid id;
    const char *file;
    struct record_event *event; // in order of arrival, without duplicates
    uint32_t events, event_room;
    struct record_answer *answer; // in the order in which they were sent
    uint32_t answers, answer_room;
    struct record_conn *conn;
    uint32_t conns, conn_room;
    uint32_t seen;     // highest number of the events received so far, plus one
    bool started, met; // game_start was received; the checker has found the match
    bool over;
    struct uuid match; // from game_over
};

typedef void history_records_report(void *owner, const char *sentence);
struct history_records;
// Reads all .jsonl files of the folders. Returns NULL and sets `why` if one is unreadable. Reports contradictions.
struct history_records *history_records_open(const char *const *folders, int count, history_records_report *tell,
                                             void *owner, char *why, size_t room);
void history_records_close(struct history_records *n);                                             // NULL is allowed
struct record_session *history_records_find(const struct history_records *n, struct uuid session); // NULL: not recorded
uint32_t history_records_count(const struct history_records *n);
struct record_session *history_records_at(const struct history_records *n, uint32_t i);
uint32_t history_records_files(const struct history_records *n);
