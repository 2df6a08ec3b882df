// A stored match, replayed from its log: its events with their numbers and times, and the state after each. Used by the
// REST replay pages, by recomputing ratings and by resuming matches.
#pragma once

#include "lobby/lobby.h"
#include "match/replay.h"

struct replayed_action { // an accepted action, or one played for a seat
    uint32_t seq;        // of the first event that it caused or would have caused
    bool tells;          // it caused an event
    bool silent;         // the seat's time had run out
    int seat;
};

struct replayed {
    const struct lobby_game *game;
    struct store_match match;
    struct game_event *event; // all entries, parts included
    uint32_t *first;          // index of the first entry, by seq; first[events] is the end
    int64_t *at_ms;           // by seq
    uint32_t events;
    int32_t payoffs[GAME_MAX_SEATS];
    struct text log; // the whole replay file, as `agon replay` reads it
    bool keeps_actions;
    struct replayed_action *action; // of the seats, in order; set by replayed_load_from only
    uint32_t actions, action_room;
};

// Returns OK, ERR_UNKNOWN (no such match), ERR_FORMAT, or ERR_MISMATCH (the log does not reproduce). Call
// replayed_release after OK.
int replayed_load(struct replayed *r, struct lobby *l, struct uuid match);
// The same from a log that is not in the store. Takes ownership of `log`, which is on the heap, in any case. Every
// event has the time of the record's end. ERR_UNKNOWN if the game is not played here.
int replayed_load_log(struct replayed *r, struct lobby *l, const struct store_match *m, struct text log);
// The same from a log that is delivered in pieces, with the players' actions. A running match is replayed as far as its
// log goes.
struct replayed_source {
    int (*read)(void *owner, store_each *each, void *to); // as store_read_log
    void *owner;
};
int replayed_load_from(struct replayed *r, const struct lobby_game *g, const struct store_match *m,
                       const struct replayed_source *from);
void replayed_release(struct replayed *r);
// Calls on_decision for every note that players gave with their decisions (F2.4), in order; `at_ms`, `events`, `seq`,
// `seat`, `latency_ms` and `note` are set. In a job, the calls come from a worker thread. OK or ERR_FORMAT.
struct replayed_listener {
    void (*on_decision)(void *owner, const struct lobby_aside *a);
    void *owner;
};
int replayed_decisions(const struct replayed *r, struct lobby *l, const struct replayed_listener *listener);
bool replayed_event(const struct replayed *r, uint32_t seq, struct match_event *out);
