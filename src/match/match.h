// One match: a game, its seats and its log. Keys are arguments; nothing is allocated. Every protocol answers through
// match_answer, the only place that decides whose action counts. Deadlines are up to the caller: the lobby and the
// runners call match_play_fallback or match_drop for a late seat.
//
// What a call accepts is in the log when it returns, before anyone can see its effect. If the log has no room and
// cannot grow, the call returns ERR_FULL and changes nothing (F8.6).
#pragma once

#include "base/text.h"
#include "game/rows.h"

enum { MATCH_NAME_ROOM = 32, MATCH_HASH_EVERY = 64, MATCH_COMMITMENT_BYTES = 32, MATCH_MAX_ITEMS = 128 };

// Streams derived from a match key (rng_split of the key).
enum match_stream {
    MATCH_CHANCE,
    MATCH_SEATS,
    MATCH_BOTS,
    MATCH_TESTS,
    MATCH_RANDOMISATION,
    MATCH_PICTURES,
    MATCH_LUCK
};

struct match_setup {
    const struct game *game;
    const void *rules; // of the game, complete; NULL: the defaults
    int seats;
    uint8_t key[RNG_KEY_BYTES];                 // made by the caller, from a seed or at random
    uint8_t commitment[MATCH_COMMITMENT_BYTES]; // SHA-256 of the key, computed by the caller
    bool has_seed;                              // the key was made from `seed`, which is then in the log
    bool open_key;                              // nothing to hide: the key is in the log from the start
    uint64_t seed;                              // also passed to the rules of games that have a seed of their own
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM]; // names of the players; may be empty
};

// An event of a running match: its number, its time, and its entries.
struct match_event {
    int64_t at_ms;
    uint32_t seq;
    uint32_t count;              // entries: the event and its parts
    const struct game_event *at; // a viewer may see those whose `to` contains it
};

struct match;

// Called for every step in order: after each action, drop and tick, with the events of that step.
struct match_listener {
    void (*heard)(struct match_listener *l, const struct match *m, const struct game_events *e);
    struct game_events *events; // owned by the listener; receives the events of a step
};

struct match {
    const struct game *game;
    int seats;
    uint32_t source; // sender of the next action, as numbered by the owner; written to the log, 0: unknown
    union game_rules rules;
    union game_state state;
    struct rng root;  // of the key; streams of bots and tests are split from it
    seat_set leaving; // to be dropped when they are asked next (F6.2)
    uint8_t leave_reason[GAME_MAX_SEATS];
    uint64_t steps;         // actions, stacks and ticks so far
    uint32_t since_hash;    // of these, since the last hash in the log
    uint32_t pending_ticks; // of these, not in the log yet: they become one entry
    void *history; // besides the state (game/rows.h); initialised and owned by the caller, updated here; NULL: none
    struct match_listener *listener; // the owner's, set after the start; NULL: none
    struct text *log;                // the growing replay, valid until match_finish; NULL: none
};

// Starts the match and, if log is not NULL, begins its replay there; the text must be empty. A refusal (ERR_RULES,
// ERR_FULL) leaves the log empty. `out` may be NULL here and below; otherwise events are appended.
int match_start(struct match *m, const struct match_setup *setup, struct text *log, struct game_events *out);

// Continues a replay without an end (F8.5): `run` was stepped as far as wanted, and `log`, which is empty, gets what it
// has done. ERR_OVER if the replay is complete.
struct replay_run;
int match_resume(struct match *m, const struct replay_run *run, struct text *log, struct game_events *out);

// A seat's answer to question `number` (game_turn.number; real-time games accept any). Returns ERR_STALE if that
// question is closed; ERR_SEAT, ERR_ACTION, ERR_OVER or ERR_FULL otherwise. Then nothing has changed.
int match_answer(struct match *m, int seat, uint32_t number, struct game_action a, struct game_events *out);
int match_oversee(struct match *m, struct game_action a, struct game_events *out); // an action of the master
int match_drop(struct match *m, int seat, int reason, struct game_events *out);    // now, or when the seat is asked
int match_stack(struct match *m, const uint8_t *items, int count);
int match_tick(struct match *m, struct game_events *out); // games with a tick only

int match_play_fallback(struct match *m, int seat, struct game_events *out); // marked in the log

// Writes pending ticks to the log, with a hash: call it before an unfinished log is stored.
int match_checkpoint(struct match *m);

// Completes the replay: last hash, payoffs and, if reveal is set, the key. Nothing is logged after it.
int match_finish(struct match *m, const uint8_t key[RNG_KEY_BYTES], bool reveal);

bool match_is_over(const struct match *m);
struct rng match_bot_stream(const struct match *m, int seat);      // the stream of each house bot, by seat
uint32_t match_events_for(const struct game_events *e, int viewer, // copies those that the viewer may see, in order
                          struct game_event *out, uint32_t room);
