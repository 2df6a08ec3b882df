// One match: a game, who sits where, who is awaited until when, and its log. Time and keys are arguments; nothing is
// allocated. Every protocol's answer comes through match_answer: this is the one place that decides who may speak.
#pragma once

#include "base/text.h"
#include "game/game.h"

enum { MATCH_NAME_ROOM = 32, MATCH_HASH_EVERY = 64, MATCH_COMMITMENT_BYTES = 32 };

// Where the streams of a match key lead (rng_split of the key).
enum match_stream { MATCH_CHANCE, MATCH_SEATS, MATCH_BOTS, MATCH_TESTS, MATCH_RANDOMISATION };

struct match_setup {
    const struct game *game;
    const void *rules;                          // of the game, complete; NULL: the defaults
    int seats;
    uint8_t key[RNG_KEY_BYTES];                 // made outside from a seed or by the system
    uint8_t commitment[MATCH_COMMITMENT_BYTES]; // SHA-256 of the key, made outside
    bool has_seed;                              // the key was made from `seed`, which the log then carries
    uint64_t seed;                              // also given to the rules of games that have a seed of their own
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM]; // who sits there; may be empty
};

struct match {
    const struct game *game;
    int seats;
    union game_rules rules;
    union game_state state;
    struct rng root;                  // of the key; bots and tests split from it
    seat_set leaving;                 // to be dropped at their next question (F6.2)
    uint8_t leave_reason[GAME_MAX_SEATS];
    int64_t due_ms[GAME_MAX_SEATS];   // when an awaited seat is late; INT64_MAX: never
    int64_t budget_ms;                // how long a question may take; 0: for ever
    uint64_t entries;                 // of the log so far, hashes not counted
    uint32_t since_hash;              // entries since the last one
    uint64_t pending_ticks;           // passed, not yet in the log as one entry
    struct text *log;                 // the replay as it grows; NULL: none is kept
};

// Starts the match and, when log is not NULL, begins its replay there. A refusal leaves nothing behind.
int match_start(struct match *m, const struct match_setup *setup, struct text *log, struct game_events *out);
void match_set_budget(struct match *m, int64_t budget_ms, int64_t now_ms); // of the running and all later questions

// A seat's answer to question `number` (game_turn.number; real-time games take any). ERR_STALE when that question is
// closed, ERR_SEAT, ERR_ACTION, ERR_OVER otherwise; then nothing has changed. `out` is appended to.
int match_answer(struct match *m, int seat, uint32_t number, struct game_action a, int64_t now_ms, struct game_events *out);
int match_oversee(struct match *m, struct game_action a, int64_t now_ms, struct game_events *out); // the master's
int match_drop(struct match *m, int seat, int reason, int64_t now_ms, struct game_events *out);    // now, or when asked
int match_stack(struct match *m, const uint8_t *items, int count);
void match_tick(struct match *m, int64_t now_ms, struct game_events *out);

int match_next_late(const struct match *m, int64_t now_ms); // a seat whose time is up, or -1
int64_t match_next_due(const struct match *m);              // the earliest deadline, INT64_MAX for none
int match_play_fallback(struct match *m, int seat, int64_t now_ms, struct game_events *out);

// The replay is complete: last hash, payoffs and, when reveal is set, the key.
void match_finish(struct match *m, const uint8_t key[RNG_KEY_BYTES], bool reveal);

bool match_is_over(const struct match *m);
struct rng match_bot_stream(const struct match *m, int seat);       // each house bot's own, by seat
uint32_t match_events_for(const struct game_events *e, int viewer,  // those that viewer may see, copied in order
                          struct game_event *out, uint32_t room);
