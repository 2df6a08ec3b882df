// The interface that every game implements and every runner uses. docs/adding-a-game.md implements a small one.
//
// A state is a plain block of bytes: fixed size, no pointers, no padding. So it is cloned by copying, hashed by hashing
// its bytes, and saved by writing them. Nothing here allocates, reads a clock, or prints.
#pragma once

#include "base/err.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    GAME_MAX_SEATS = 10,
    GAME_MAX_CHOICES = 128,
    GAME_MAX_EVENTS = 256,
    GAME_MAX_REWARDS = 5,
    GAME_MAX_FLAT = 256,
    GAME_FLAT_WORDS = GAME_MAX_FLAT / 64,
    GAME_MAX_VECTOR = 640,
    GAME_MAX_STATE = 1024, // upper limits of the three sizes below, so that runners can store blocks in place
    GAME_MAX_RULES = 512,
    GAME_MAX_VIEW = 2048,
    GAME_SPECTATOR = GAME_MAX_SEATS,  // a viewer with no seat; bit 10 of a seat set
    GAME_MASTER = GAME_MAX_SEATS + 1, // not a player: acts on the table (drop a seat, blinds, target, garbage)
    GAME_DROP = 255,                  // an action of the master that every game knows: arg[0] seat, arg[1] reason
};

// A set of viewers: bit s is seat s, bit GAME_SPECTATOR is the public gallery.
typedef uint16_t seat_set;
#define SEAT(s)  ((seat_set)(1u << (s)))
#define EVERYONE ((seat_set)0x07FF)

// Room for any state, rules or view.
union game_state {
    uint64_t align;
    uint8_t byte[GAME_MAX_STATE];
};
union game_rules {
    uint64_t align;
    uint8_t byte[GAME_MAX_RULES];
};
union game_view {
    uint64_t align;
    uint8_t byte[GAME_MAX_VIEW];
};

// What a seat does. Unused fields are zero, so equal actions have equal bytes.
struct game_action {
    uint8_t kind;   // the game's own enum; 0 means no action
    uint8_t arg[3]; // seat, card, column...: the game's header names them
    int32_t amount; // chips, dice...
};

// What a seat may do: `first`, and every larger amount up to `max_amount` (equal to first.amount if there is only one).
struct game_choice {
    struct game_action first;
    int32_t max_amount;
};

// What happened, in 64 bytes. An event is completely visible or completely hidden to each viewer: what only some
// viewers may know (a shown hand inside a hand result) follows as a part.
struct game_event {
    uint8_t kind;
    uint8_t seat; // the seat it is about
    seat_set to;  // who may see it
    int32_t amount;
    uint8_t part; // 1: belongs to the event before it; both have one number in every protocol
    uint8_t data[55];
};

struct game_events {
    uint32_t count;
    uint32_t ticks; // number of ticks while these happened
    struct game_event at[GAME_MAX_EVENTS];
};

enum turn_kind {
    TURN_OVER, // the game has ended; apply refuses everything except what starts it again, which choices does not list
    TURN_ONE,  // the one seat in the set
    TURN_ALL,  // every seat in the set, in any order, before anything resolves
    TURN_ANY,  // any seat in the set may answer; the window closes by the rules
    TURN_FREE, // real time: any seat in the set at any time; tick advances the game
};

struct game_turn {
    uint8_t kind;
    uint8_t phase;  // the game's own enum: bidding, trick, reaction...
    seat_set seats; // who may act now
    // Of the current question, from 1; a pass inside a window keeps it, closing the window increases it.
    uint32_t number;
};

// Rewards of one step for each seat, by component; the game names the components.
struct game_rewards {
    float at[GAME_MAX_SEATS][GAME_MAX_REWARDS];
};

struct game_rows;

// A member that the browser modules (wasm/) never call: there it only tells whether the game has such a function, and
// the linker drops the function. Bots that search call a few more than the rules' module does.
#ifdef AGON_BROWSER
#define SPARED(type, name, ...)  bool name
#define SPARED_FACTS(type, name) bool name
#else
#define SPARED(type, name, ...)  type (*name)(__VA_ARGS__)
#define SPARED_FACTS(type, name) type *name
#endif
#ifdef AGON_BROWSER_RULES
#define SPARED_BY_RULES(type, name, ...) bool name
#else
#define SPARED_BY_RULES(type, name, ...) type (*name)(__VA_ARGS__)
#endif

// Every member is required, unless its comment says when it may be NULL or 0.
struct game {
    const char *name;      // lower case with underscores, like the folder
    uint32_t version;      // of the rules; written into every replay
    uint32_t rules_size;   // of struct <name>_rules; 1 without options, for a byte that is always 0
    uint32_t state_size;   // of struct <name>_state
    uint32_t view_size;    // of struct <name>_view
    uint32_t entities_end; // a state begins with what is on the table, up to here;
    // Then phase and counters, up to here; then chance: key, counter, undealt cards. A game without chance has a struct
    // rng too, so that `resample` always has something to redraw.
    uint32_t world_end;
    uint16_t tick_ms; // 0: not a real-time game
    uint16_t min_seats;
    uint16_t max_seats;
    uint16_t teams;       // 0: everybody alone; 2: seat s and s + 2 play together
    uint32_t flat_size;   // number of actions that have a number (flat, below); 0 is "wait"
    uint32_t vector_size; // number of elements in the vector of a view (vector, below)

    // Names; each list ends with NULL.
    const char *const *scenarios; // the first is the default
    const char *const *rewarded;  // components of rewards
    const char *const *digests;   // hashes required by a protocol (digest, below); NULL: none

    void (*defaults)(void *rules);
    int (*scenario)(void *rules, int index);  // applies a scenario to the rules; returns its number of seats
    void (*seed)(void *rules, uint64_t seed); // for games whose protocol fixes a generator and its seed; else NULL

    // `out` may be NULL in init, apply and tick: then events are not recorded (searches, benchmarks). After a refusal
    // of init the state is undefined; apply and stack leave it unchanged.
    int (*init)(void *state, const void *rules, int seats, struct rng chance, struct game_events *out);
    struct game_turn (*turn)(const void *state);

    // A seat that is not asked has 0 choices. `legal` is NULL if choices lists every action; if that list would be too
    // long, legal decides.
    int (*choices)(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES]);
    bool (*legal)(const void *state, int seat, struct game_action action);

    // Sets the action of a number if it is legal for this seat now. Returns false otherwise, and for 0. Does not depend
    // on the number of seats (G22.7).
    SPARED_BY_RULES(bool, flat, const void *state, int seat, int index, struct game_action *out);
    // All numbers for which flat returns true: bit i of the words, which are zero before. NULL if flat is fast enough.
    SPARED(void, mask, const void *state, int seat, uint64_t out[GAME_FLAT_WORDS]);

    // Actions of GAME_MASTER also go through apply and are logged like all others, but are never listed and not in
    // turn.seats. GAME_DROP is legal for a seat that is being asked; to drop another seat, wait until it is asked
    // (F6.2).
    int (*apply)(void *state, int seat, struct game_action action, struct game_events *out);
    void (*tick)(void *state, struct game_events *out);          // NULL if tick_ms is 0
    struct game_action (*fallback)(const void *state, int seat); // played for a silent seat; only for asked seats

    // Makes the next shuffle or roll give these items (one slot, logged). ERR_RULES if they are not what would be
    // shuffled or rolled. NULL: chance cannot be chosen in this game.
    int (*stack)(void *state, const uint8_t *items, int count);

    void (*view)(const void *state, int viewer, void *view);         // sets every byte of it
    SPARED(void, vector, const void *view, float *out);              // the view as vector_size numbers (G22.6)
    void (*payoffs)(const void *state, int32_t out[GAME_MAX_SEATS]); // partners get the same
    SPARED(void, rewards, const void *state, const struct game_events *happened, struct game_rewards *out);
    // Redraws what is hidden from the viewer, including the key of chance: what is hidden now, and what comes later.
    // The viewer's view, choices and fallback stay the same.
    SPARED_BY_RULES(void, resample, void *state, int viewer, struct rng *dice);
    // Makes a state for this view, of a seat in a match that is not over: that seat's view and choices are the same,
    // and hidden information is drawn. Rules that no view tells are the defaults. NULL: bots cannot search.
    SPARED_BY_RULES(void, imagine, void *state, const void *view, struct rng *dice);
    SPARED(uint64_t, digest, const void *state, int which); // by index in digests; NULL without them
    SPARED(const char *, check, const void *state);         // NULL, or the invariant that was violated

    // Writes observations and rewards directly from states; NULL: by views and events.
    SPARED_FACTS(const struct game_rows, rows);
};

// Shared by all games.
bool game_can_begin(const struct game *g, const void *rules, int seats); // whether init accepts them
bool game_is_legal(const struct game *g, const void *state, int seat, struct game_action action);
// Why apply must refuse the action, or OK: for games whose only action of GAME_MASTER is GAME_DROP.
int game_refusal(const struct game *g, const void *state, int seat, struct game_action action);
// A `flat` for games whose actions are kinds without arguments: the number is the kind.
bool game_flat_kind(const struct game *g, const void *state, int seat, int index, struct game_action *out);
// A `fallback` for games that list the move of silent players first.
struct game_action game_first_choice(const struct game *g, const void *state, int seat);
bool game_has_choice(const struct game_choice *list, int count, struct game_action action);
void game_mask(const struct game *g, const void *state, int seat, uint64_t out[GAME_FLAT_WORDS]);
uint64_t game_hash(const struct game *g, const void *state);
float game_reward(const struct game *g, const struct game_rewards *r, int seat); // sum of the components

// An action in one register: kind, args and amount from the lowest byte up. Avoids going through memory where actions
// are made and used at once.
static inline uint64_t game_action_word(struct game_action a)
{
    uint64_t word;
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof a == sizeof word,
                   "the amount is the upper half");
    memcpy(&word, &a, sizeof word);
    return word;
}

static inline struct game_action game_action_of(uint64_t word)
{
    struct game_action a;
    memcpy(&a, &word, sizeof a);
    return a;
}

static inline bool game_same_action(struct game_action a, struct game_action b)
{
    return game_action_word(a) == game_action_word(b);
}

// The next free event, zeroed, or NULL if events are not recorded: `if ((e = game_emit(out, KIND, seat, to))) ...`.
struct game_event *game_emit(struct game_events *out, int kind, int seat, seat_set to);
struct game_event *game_emit_part(struct game_events *out, int kind, int seat, seat_set to);

// The next seat after `seat`, clockwise, that is in the set; `seat` itself comes last. The set must not be empty.
static inline int game_next_seat(seat_set set, int seat)
{
    unsigned after = set & ~((2u << seat) - 1u);
    return __builtin_ctz(after ? after : set);
}
