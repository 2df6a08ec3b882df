// One match: a game, its seats and its log. Keys are arguments; nothing is allocated. Every protocol answers through
// match_answer, the one place that decides whose action counts. Deadlines belong to the caller: the lobby and the
// runners ask match_play_fallback or match_drop for a seat that is late.
//
// What a call accepts is in the log when it returns, before anyone can see its effect. When the log has no room and
// cannot grow, the call returns ERR_FULL and changes nothing (F8.6).
#pragma once

#include "base/text.h"
#include "game/rows.h"

enum { MATCH_NAME_ROOM = 32, MATCH_HASH_EVERY = 64, MATCH_COMMITMENT_BYTES = 32, MATCH_MAX_ITEMS = 128 };

// Where the streams of a match key lead (rng_split of the key).
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
    uint8_t key[RNG_KEY_BYTES];                 // made outside from a seed or by the system
    uint8_t commitment[MATCH_COMMITMENT_BYTES]; // SHA-256 of the key, made outside
    bool has_seed;                              // the key was made from `seed`, which the log then carries
    bool open_key;                              // nothing to hide: the log carries the key from the start
    uint64_t seed;                              // also given to the rules of games that have a seed of their own
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM]; // who sits there; may be empty
};

// An event of a running match: its number, its time, and the entries it is made of.
struct match_event {
    int64_t at_ms;
    uint32_t seq;
    uint32_t count;              // entries: the event and its parts
    const struct game_event *at; // a viewer may see those whose `to` holds it
};

struct match;

// Is told of every step in order: after each action, drop and tick, with what that alone has told.
struct match_listener {
    void (*heard)(struct match_listener *l, const struct match *m, const struct game_events *e);
    struct game_events *events; // its own, where the events of a step are kept
};

struct match {
    const struct game *game;
    int seats;
    uint32_t source; // who sent what comes next, as the owner numbers them; noted in the log, 0: not said
    union game_rules rules;
    union game_state state;
    struct rng root;  // of the key; bots and tests split from it
    seat_set leaving; // to be dropped at their next question (F6.2)
    uint8_t leave_reason[GAME_MAX_SEATS];
    uint64_t steps;         // actions, stacks and ticks so far
    uint32_t since_hash;    // of them, since the log had its last hash
    uint32_t pending_ticks; // of them, not yet in the log: they become one entry
    void *history;          // beside the state (game/rows.h), the owner's: begun by him, kept here; NULL: none is
    struct match_listener *listener; // the owner's, set after the start; NULL: none
    struct text *log;                // the replay as it grows, whole until match_finish; NULL: none is kept
};

// Starts the match and, when log is not NULL, begins its replay there: an empty text. A refusal (ERR_RULES, ERR_FULL)
// leaves nothing behind in the log. `out` may be NULL here and below; otherwise it is appended to.
int match_start(struct match *m, const struct match_setup *setup, struct text *log, struct game_events *out);

// Goes on where the prefix of a replay stops (F8.5): `run` has been stepped as far as wanted and `log`, empty, gets
// what it has done. ERR_OVER when the replay has its end.
struct replay_run;
int match_resume(struct match *m, const struct replay_run *run, struct text *log, struct game_events *out);

// A seat's answer to question `number` (game_turn.number; real-time games take any). ERR_STALE when that question is
// closed, ERR_SEAT, ERR_ACTION, ERR_OVER, ERR_FULL otherwise; then nothing has changed.
int match_answer(struct match *m, int seat, uint32_t number, struct game_action a, struct game_events *out);
int match_oversee(struct match *m, struct game_action a, struct game_events *out); // the master's
int match_drop(struct match *m, int seat, int reason, struct game_events *out);    // now, or when asked
int match_stack(struct match *m, const uint8_t *items, int count);
int match_tick(struct match *m, struct game_events *out); // games with a tick only

int match_play_fallback(struct match *m, int seat, struct game_events *out); // marked so in the log

// What is still to be written (ticks) goes into the log, with a hash: before the log is put away unfinished.
int match_checkpoint(struct match *m);

// The replay is complete: last hash, payoffs and, when reveal is set, the key. Nothing is logged after it.
int match_finish(struct match *m, const uint8_t key[RNG_KEY_BYTES], bool reveal);

bool match_is_over(const struct match *m);
struct rng match_bot_stream(const struct match *m, int seat);      // each house bot's own, by seat
uint32_t match_events_for(const struct game_events *e, int viewer, // those that viewer may see, copied in order
                          struct game_event *out, uint32_t room);
