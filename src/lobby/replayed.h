// A stored match, played again from its log: its events with their numbers and times, and the state after any of them.
// What the REST replay pages, the recomputation of ratings and the resuming of matches share.
#pragma once

#include "lobby/lobby.h"
#include "match/replay.h"

struct replayed_action { // accepted, or played for a seat
    uint32_t seq;        // of the first event that it caused, or would have
    bool tells;          // it caused one
    bool silent;         // the seat had let its time run out
    int seat;
};

struct replayed {
    const struct lobby_game *game;
    struct store_match match;
    struct game_event *event; // all entries, parts included
    uint32_t *first;          // by seq: index of its first entry; first[events] is the end
    int64_t *at_ms;           // by seq
    uint32_t events;
    int32_t payoffs[GAME_MAX_SEATS];
    struct text log; // the whole replay file, as `agon replay` reads it
    bool keeps_actions;
    struct replayed_action *action; // of the seats, in order; replayed_load_from alone
    uint32_t actions, action_room;
};

// OK, ERR_UNKNOWN (no such match), ERR_FORMAT, ERR_MISMATCH (it does not reproduce).
int replayed_load(struct replayed *r, struct lobby *l, struct uuid match);
// The same of a log that is not in the store: `log`, on the heap, is the replay's from here on, whatever comes of it.
// Every event has the time of the record's end. ERR_UNKNOWN: its game is not played here.
int replayed_load_log(struct replayed *r, struct lobby *l, const struct store_match *m, struct text log);
// The same of a log that comes from elsewhere in pieces, with what the players did. A match that runs is played as far
// as its log goes.
struct replayed_source {
    int (*read)(void *owner, store_each *each, void *to); // as store_read_log
    void *owner;
};
int replayed_load_from(struct replayed *r, const struct lobby_game *g, const struct store_match *m,
                       const struct replayed_source *from);
void replayed_release(struct replayed *r);
// Calls on_decision for everything that players said of their decisions (F2.4), in order; `at_ms`, `events`, `seq`,
// `seat`, `latency_ms` and `note` are set. Within a job a thread makes the calls. OK, ERR_FORMAT.
struct replayed_listener {
    void (*on_decision)(void *owner, const struct lobby_aside *a);
    void *owner;
};
int replayed_decisions(const struct replayed *r, struct lobby *l, const struct replayed_listener *listener);
bool replayed_event(const struct replayed *r, uint32_t seq, struct match_event *out);
