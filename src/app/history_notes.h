// Reads the records of agents (agent_history.h): by session, the events that they received and the answers that they
// sent.
#pragma once

#include "base/span.h"
#include "base/uuid.h"

#include <stdint.h>

struct note_event {
    uint32_t seq;
    struct span text; // as received
};

// What one of an agent's connections received of a match. The first message after a reconnection repeats what happened
// before, so only what follows it shows that the server took the connection for the agent's at that time.
struct note_conn {
    uint64_t id;
    uint32_t first, last; // events of the match, by the highest number, as of its first message and at present
};

struct note_answer {
    uint32_t seen; // highest number of the events received before it, plus one
    uint64_t conn; // by which it was sent; 0: the record does not say
};

struct note_session {
    struct uuid id;
    const char *file;
    struct note_event *event; // in order of arrival, without duplicates
    uint32_t events, event_room;
    struct note_answer *answer; // in the order in which they were sent
    uint32_t answers, answer_room;
    struct note_conn *conn;
    uint32_t conns, conn_room;
    uint32_t seen;     // the same at present
    bool started, met; // game_start was received; the checker has found the match
    bool over;
    struct uuid match; // from game_over
};

typedef void notes_tell(void *owner, const char *sentence);
struct notes;
// Reads all .jsonl files of the folders. Returns NULL and sets `why` if one is unreadable. Reports contradictions.
struct notes *notes_read(const char *const *folders, int count, notes_tell *tell, void *owner, char *why, size_t room);
void notes_free(struct notes *n);                                            // NULL is allowed
struct note_session *notes_find(const struct notes *n, struct uuid session); // NULL: not recorded
uint32_t notes_count(const struct notes *n);
struct note_session *notes_at(const struct notes *n, uint32_t i);
uint32_t notes_files(const struct notes *n);
