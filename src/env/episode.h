// An episode for learners that step: one match whose seats are played by clients or by house bots. For fronts without
// agents, ticks and recordings (OpenEnv): begin, act, observe. No protocol, no clock, no session.
//
//     episode_begin(&e, &setup, scratch);
//     while (!e.player[seat].done) {
//         episode_write(&out, &e, seat, &how);   // what the seat sees, what it may do, what it earned
//         episode_act(&e, seat, action);         // and everything after it that is not a client's
//     }
//
// episode_begin, episode_act, episode_pass and episode_forfeit count their work and may suspend the job that calls them
// (work/work.h): the owner must not let anybody else use the episode meanwhile. Results are repeatable: house bots draw
// from the key.
#pragma once

#include "kit/kit.h"
#include "match/decision_numbers.h"
#include "match/match.h"
#include "work/work.h"

enum { EPISODE_PAST = 256, EPISODE_NEWS = 256, EPISODE_MOST_TICKS = 2000 };

enum episode_end {
    EPISODE_GOES_ON,
    EPISODE_SUCCESS,
    EPISODE_FAILURE,
    EPISODE_DRAW,
    EPISODE_TIMEOUT,
    EPISODE_FORFEIT,
};
extern const char *const episode_end_names[]; // "success"..; NULL for EPISODE_GOES_ON

// Scratch space for all episodes of a host: used within calls, never while a job is suspended.
struct episode_scratch {
    struct work *work; // NULL: no other clients
    struct game_events happened;
    struct text prose;
};
void episode_scratch_init(struct episode_scratch *d, struct work *w);
void episode_scratch_release(struct episode_scratch *d);

struct episode_setup {
    const struct game_kit *kit;
    int scenario, seats;
    union game_rules rules;
    bool inputs;   // for real-time games: single inputs, one tick each, instead of placements (V5)
    bool has_seed; // false: the key is random and never revealed
    uint64_t seed;
    seat_set clients;                      // seats that are played by clients
    const struct bot *bot[GAME_MAX_SEATS]; // for the other seats, and for clients that are out
};
// Applies to the game's defaults: `scenario` (NULL: the first), then the members of `options` (an object or empty),
// then the rules of every environment of this game. `seats` 0: the scenario's. Returns false and sets `bad` (64 bytes)
// to what was wrong, "" for seats.
bool episode_read_rules(struct episode_setup *s, const char *scenario, struct span options, int seats, char bad[64]);

// A client's seat.
struct episode_player {
    bool done, truncated;
    uint8_t ending;                  // enum episode_end
    bool passed;                     // the fallback was played for it since its last observation
    double earned[GAME_MAX_REWARDS]; // since then
    struct text news;                // what it saw since then: JSON objects separated by commas
    uint32_t news_count, dropped;
};

struct mind_memory; // house/mind_memory.h

struct episode {
    struct episode_scratch *scratch;
    const struct game_kit *kit;
    const struct env_facts *facts;
    struct match match;
    int scenario;
    seat_set clients; // whose answers are awaited; without those that are out or have left
    bool over, inputs;
    uint64_t ticks;
    const struct bot *bot[GAME_MAX_SEATS];
    struct mind_memory *minds;         // of house bots
    struct rng stream[GAME_MAX_SEATS]; // of these bots
    seat_set known;                    // whose stream is initialised
    struct decision_numbers question;  // numbers their decisions
    struct game_event *past;           // public events, oldest first
    uint32_t past_count, past_room;
    struct episode_player player[GAME_MAX_SEATS];
};

// False: the rules were refused.
bool episode_begin(struct episode *e, const struct episode_setup *s, struct episode_scratch *d);
void episode_release(struct episode *e); // also for one that is all zero

seat_set episode_asked(const struct episode *e); // clients that must answer now; 0 if it is over
bool episode_is_legal(const struct episode *e, int seat, struct game_action a);
void episode_act(struct episode *e, int seat, struct game_action a); // must be legal, of an asked seat
void episode_pass(struct episode *e, int seat);                      // plays the game's move for silent players
void episode_forfeit(struct episode *e, int seat);                   // ends it for this seat, by the rules of the game
void episode_leave(struct episode *e, int seat);                     // from now on a house bot plays there

// The action of a number (G22.7) if it is legal now; else false.
bool episode_number(const struct episode *e, int seat, int64_t number, struct game_action *a);
struct codec_table episode_names(const struct episode *e, int seat);
// 2 x GAME_MAX_CHOICES elements, with exact ranges.
int episode_choices(const struct episode *e, int seat, struct game_choice *list);

struct episode_format {
    bool first;        // includes the rules in prose
    bool brief;        // prose in few words
    bool silent;       // no prose
    bool vector;       // numbers for policies that are not language models
    bool waits;        // other clients must act first: "wait" is listed
    struct span error; // JSON, or empty
};
// Members of an open object: game, scenario, seat, phase, your_turn, to_act, text, rules, legal, view, events, error,
// reward_components, truncated, termination_reason.
void episode_write(struct text *t, struct episode *e, int seat, const struct episode_format *how);
// Returns what was earned since the last call; then it and the news start again.
double episode_take_reward(struct episode *e, int seat);
// The legal actions in few words: "fold, call 200, raise 400-10000".
void episode_write_moves(struct text *t, const struct episode *e, int seat, const char *between);
void episode_write_rules(struct text *t, const struct game_kit *k, const void *rules, int seats);
