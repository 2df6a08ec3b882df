// Coup for 2 to 6 seats: claims, bluffs, challenges and blocks (F6.C).
#pragma once

#include "game/game.h"

#include <string.h>

enum {
    COUP_MAX_SEATS = 6,
    COUP_CARDS = 15,
    COUP_COPIES = 3, // of each role
    COUP_MAX_COINS = 12,
    COUP_TURN_CAP = 500,
    COUP_FLAT = 37,
    COUP_VECTOR = 98,
    COUP_NOBODY = 255, // the winner of a draw
};

enum coup_role { COUP_NO_ROLE, COUP_DUKE, COUP_ASSASSIN, COUP_CAPTAIN, COUP_AMBASSADOR, COUP_CONTESSA, COUP_ROLES = 5 };

// Actions. The first seven are what a turn may be (F6.C4).
enum coup_action {
    COUP_INCOME = 1,
    COUP_FOREIGN_AID,
    COUP_COUP, // arg[0]: target
    COUP_TAX,
    COUP_ASSASSINATE, // arg[0]: target
    COUP_STEAL,       // arg[0]: target
    COUP_EXCHANGE,
    COUP_CHALLENGE,
    COUP_PASS,
    COUP_BLOCK,        // arg[0]: the role claimed
    COUP_LOSE_CARD,    // arg[0]: slot 0 or 1
    COUP_RETURN_CARDS, // arg[0] < arg[1]: indices into own face-down cards in slot order, then the two drawn
    COUP_ACTIONS,
    COUP_TURN_ACTIONS = COUP_EXCHANGE,
};

enum coup_phase {
    COUP_PHASE_ACTION,
    COUP_PHASE_CHALLENGE_ACTION,
    COUP_PHASE_BLOCK,
    COUP_PHASE_CHALLENGE_BLOCK,
    COUP_PHASE_LOSE_INFLUENCE,
    COUP_PHASE_EXCHANGE_RETURN,
    COUP_PHASE_DONE,
    COUP_PHASES,
};

// F4.15. FIRST: the first challenge or block applied closes the window (TURN_ANY). DETERMINISTIC: all answers are
// awaited unseen (TURN_ALL), then the first challenge or block clockwise from the claimant counts.
enum coup_windows { COUP_WINDOWS_FIRST, COUP_WINDOWS_DETERMINISTIC };

// An answer in a deterministic window, as it is kept: a role is a block with it.
enum coup_answer { COUP_ANSWER_NONE, COUP_ANSWER_CHALLENGE = COUP_ROLES + 1, COUP_ANSWER_PASS };

// Of a challenge: FAIL, the claim was true; SUCCESS, it was a lie.
enum coup_result { COUP_UNCHALLENGED, COUP_FAIL, COUP_SUCCESS };

struct coup_rules {
    uint8_t windows;    // enum coup_windows
    uint8_t ask_single; // F6.C8: a loss of the only face-down card is asked all the same
    uint8_t starter;
    uint8_t coins[COUP_MAX_SEATS];    // at the start, 0..9
    uint8_t hands[COUP_MAX_SEATS][2]; // roles; both 0: dealt
    uint8_t deck[COUP_CARDS];         // the deal in place of the shuffle; all 0: shuffled. Not together with hands
};

struct coup_seat {
    uint8_t card[2]; // roles; in a view 0 where the viewer may not know it
    uint8_t up;      // bit i: slot i is revealed
    uint8_t coins;
};

// The running turn as far as it is known (F6.C12, turn_log). Only `actor` holds outside a turn: an action of 0 says
// that nothing is pending. A target is one where the action has one, a challenger where there is a result, a blocker
// where there is a block_role.
struct coup_log {
    uint8_t actor;
    uint8_t action; // enum coup_action
    uint8_t target;
    uint8_t challenger;
    uint8_t challenge_result; // enum coup_result
    uint8_t blocker;
    uint8_t block_role;
    uint8_t block_challenger;
    uint8_t block_challenge_result;
    uint8_t loser; // in lose_influence: the seat that must lose a card
};

struct coup_state {
    struct coup_seat seat[COUP_MAX_SEATS];
    uint8_t exchange[2]; // drawn by the actor, in exchange_return
    uint8_t seats;
    uint8_t in_play; // set: at least one face-down card

    uint32_t number; // of the question
    uint32_t turns;  // ended so far
    struct coup_log log;
    uint8_t phase;
    uint8_t asked;                  // set: who may answer
    uint8_t then;                   // what follows the loss that is asked
    uint8_t passed;                 // set: who passed in the last window; deterministic: the last that has closed
    uint8_t answer[COUP_MAX_SEATS]; // deterministic windows: given, not yet seen by anyone else
    uint8_t dropped;                // set
    uint8_t won;                    // set, when done
    uint8_t windows;                // of the rules
    uint8_t ask_single;             // of the rules

    struct rng chance;           // its section is the number of the last shuffle; the deal is 0
    uint8_t deck[COUP_ROLES];    // how many of each role lie there, Dukes first
    uint8_t top[3];              // the front of the deck, drawn from chance early; 0: not drawn yet
    uint8_t stacked[COUP_CARDS]; // the order of the next shuffle; all 0: none
    uint8_t stack_count;
};

struct coup_view {
    struct coup_seat seat[COUP_MAX_SEATS];
    uint8_t exchange[2]; // to the exchanger
    uint8_t seats;
    uint8_t in_play;
    uint32_t number;
    uint32_t turns;
    struct coup_log log;
    uint8_t phase;
    uint8_t asked;
    uint8_t passed;
    uint8_t answer; // deterministic windows: the viewer's own, enum coup_answer
    uint8_t dropped;
    uint8_t won;
    uint8_t windows;
    uint8_t viewer;
    uint8_t deck_count;
    uint8_t capped; // it ended by the turn cap
};

// Events in the order of F6.C11; all are public. `seat` is the player of that table.
enum coup_event {
    COUP_EVENT_ACTION = 1,             // action, target, role
    COUP_EVENT_CHALLENGE_PASS,         //
    COUP_EVENT_BLOCK_PASS,             //
    COUP_EVENT_BLOCK_CHALLENGE_PASS,   //
    COUP_EVENT_CHALLENGE,              // other: the actor; role
    COUP_EVENT_CHALLENGE_RESULT,       // result, other: the challenger; card when it failed
    COUP_EVENT_BLOCK,                  // role, action
    COUP_EVENT_BLOCK_ACCEPTED,         //
    COUP_EVENT_CHALLENGE_BLOCK,        // other: the blocker; role
    COUP_EVENT_CHALLENGE_BLOCK_RESULT, // result, other: the challenger; card when it failed
    COUP_EVENT_INFLUENCE_LOST,         // card, slot
    COUP_EVENT_PLAYER_ELIMINATED,      //
    COUP_EVENT_PLAYER_DISCONNECTED,    // amount: how many face-down cards went with the seat
    COUP_EVENT_EXCHANGE_DRAW,          // action
    COUP_EVENT_EXCHANGE_COMPLETE,      //
    COUP_EVENT_ACTION_RESOLVED,        // action, target, stolen, coins: the actor's now
    COUP_EVENT_GAME_OVER,              // seat: the winner or COUP_NOBODY; won, capped
    COUP_EVENTS,
};

// What data[] of an event begins with; 0 where the kind does not use it.
struct coup_fact {
    uint8_t action;
    uint8_t target; // where the action has one
    uint8_t role;   // claimed
    uint8_t other;  // the other side of a challenge
    uint8_t result; // enum coup_result
    uint8_t card;
    uint8_t slot;
    uint8_t stolen;
    uint8_t coins;
    uint8_t won; // set of those with most influence
    uint8_t capped;
};

static inline struct coup_fact coup_event_fact(const struct game_event *e)
{
    struct coup_fact f;
    memcpy(&f, e->data, sizeof f);
    return f;
}

// What a turn's action is (F6.C3): one row each, by kind.
struct coup_act {
    uint8_t cost;
    uint8_t gain;
    uint8_t role;       // claimed; 0: none
    uint8_t targeted;   // has a target
    uint8_t blocked_by; // bit r: role r blocks it
    uint8_t open;       // enum coup_phase: the first window, or DONE where it is carried out at once
};
extern const struct coup_act coup_acts[COUP_TURN_ACTIONS + 1];

static inline int coup_influence(const struct coup_seat *seat)
{
    return 2 - (seat->up & 1) - (seat->up >> 1);
}

// Face down: a revealed card does not count.
static inline bool coup_has_role(const struct coup_seat *seat, int role)
{
    return (seat->card[0] == role && !(seat->up & 1)) || (seat->card[1] == role && !(seat->up & 2));
}

// F6.C9: own face-down roles in slot order, then the two drawn; how many.
int coup_combined(const struct coup_seat *seat, const uint8_t exchange[2], uint8_t out[4]);

extern const struct game coup_game;
