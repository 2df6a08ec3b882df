// A match of several hands between two seats that win chips from each other (K1): deck, score, and who acts first.
//
// The state of such a game has `hands`, a struct hands, where its entities end, and `deck`, a struct hands_deck, where
// chance begins; its view is a struct hands_view. The game adds the betting: it calls hands_acted for each action and
// hands_end when a hand is decided.
#pragma once

#include "game/cards.h"
#include "game/rows.h"

enum { HANDS_SEATS = 2, HANDS_CARDS = 6, HANDS_MAX = 1000, HANDS_NOBODY = 255 };
enum { HANDS_ROUNDS = 2, HANDS_ACTIONS = 4 }; // of betting in a hand, and of actions in one, at most

// Their numbers are also those of the numbered actions. A bet is the first raise.
enum hands_action { HANDS_FOLD = 1, HANDS_CHECK, HANDS_CALL, HANDS_RAISE };

// K1.12: all are public.
enum hands_event {
    HANDS_NEW = 1, // seat: acts first; amount: number of the hand
    HANDS_ACTED,   // seat; amount: chips added to the pot; data[0]: the action
    HANDS_RESULT,  // seat: the winner or HANDS_NOBODY; amount: chips won; data: the cards shown, by seat
    HANDS_LEFT,    // seat; data[0]: reason
    HANDS_OPENED,  // seat: acts first; data[0]: the public card that was turned up
};

// The rules of such a game (K1.2, K1.4).
struct hands_rules {
    uint16_t max_hands;
    uint8_t starter; // acts first in hand 1
    uint8_t unused;
    uint8_t deck[HANDS_CARDS]; // of hand 1, in dealing order; CARD_NONE after the last; none at all: shuffled
};

// Public information.
struct hands {
    int32_t payoff[HANDS_SEATS]; // of the finished hands
    int32_t last_chips;          // that the last hand paid
    uint32_t number;             // of the current question
    uint16_t hand, max_hands;
    uint8_t last_winner;        // HANDS_NOBODY: a split pot, or no hand has ended
    uint8_t shown[HANDS_SEATS]; // in the last hand, by seat; CARD_NONE without a showdown
    uint8_t first;              // acts first in this hand
    uint8_t to_act;             // HANDS_NOBODY if it is over
    uint8_t done;
    uint16_t unused;
};

struct hands_deck {
    struct rng chance;         // section h deals hand h
    uint64_t cards;            // the deck: bit c is card c
    uint8_t card[HANDS_CARDS]; // of this hand, as dealt: of the first seat, of the other, then public and undealt ones
    uint8_t stacked[HANDS_CARDS]; // of the next hand; CARD_NONE: shuffled
    uint8_t unused[4];
};

// What a viewer sees of such a game (K1.10).
struct hands_view {
    struct hands hands;
    uint8_t action[HANDS_ROUNDS][HANDS_ACTIONS]; // of this hand, in order; 0 behind the last
    uint8_t acted[HANDS_ROUNDS];                 // how many there are
    uint8_t round;                               // of betting, from 0
    uint8_t pot;
    uint8_t to_call;     // what the seat that is asked must pay to call
    uint8_t phase;       // game_turn.phase: the round, or their number when all is over
    uint8_t viewer;      // a seat or GAME_SPECTATOR
    uint8_t card;        // the viewer's own; CARD_NONE for spectators
    uint8_t public_card; // CARD_NONE: none is turned up
    uint8_t unused[3];
};

static inline uint8_t hands_card(const struct hands *h, const struct hands_deck *d, int seat)
{
    return d->card[seat != h->first];
}

static inline uint32_t hands_finished(const struct hands *h)
{
    return h->done ? h->hand : h->hand - 1U;
}

static inline const struct hands *hands_of(const struct game *g, const void *state)
{
    return (const struct hands *)((const uint8_t *)state + g->entities_end);
}

static inline struct hands_deck *hands_deck_of(const struct game *g, void *state)
{
    return (struct hands_deck *)((uint8_t *)state + g->world_end);
}

// K1.5: bit k is the action of number k.
static inline uint64_t hands_legal(bool faces_bet, bool may_raise)
{
    uint64_t answers = faces_bet ? 1u << HANDS_FOLD | 1u << HANDS_CALL : 1u << HANDS_CHECK;
    return answers | (uint64_t)may_raise << HANDS_RAISE;
}

// The same as a list, for choices of struct game: how many. The first is to check or to fold (K1.8). What may be done
// is unpredictable, so there is no branch: places behind the last are written too.
static inline int hands_choices(uint64_t legal, struct game_choice out[GAME_MAX_CHOICES])
{
    bool fold = legal >> HANDS_FOLD & 1, raise = legal >> HANDS_RAISE & 1;
    out[0] = (struct game_choice){.first.kind = fold ? HANDS_FOLD : HANDS_CHECK};
    out[1] = (struct game_choice){.first.kind = fold ? HANDS_CALL : HANDS_RAISE};
    out[2] = (struct game_choice){.first.kind = HANDS_RAISE};
    return 1 + fold + raise;
}

// Who wins a showdown: a pair with the public card (CARD_NONE: there is none), then the higher rank (K2.2, K3.4).
// HANDS_NOBODY: both.
static inline int hands_winner(const struct hands *h, const struct hands_deck *d, uint8_t public_card)
{
    int rank[HANDS_SEATS];
    for (int seat = 0; seat < HANDS_SEATS; seat++) {
        rank[seat] = card_rank(hands_card(h, d, seat));
        rank[seat] = rank[seat] == card_rank(public_card) ? CARDS_IN_DECK : rank[seat];
    }
    return rank[0] == rank[1] ? HANDS_NOBODY : rank[1] > rank[0];
}

// Number of cards before CARD_NONE.
static inline int hands_count(const uint8_t cards[HANDS_CARDS])
{
    const uint8_t *end = memchr(cards, CARD_NONE, HANDS_CARDS);
    return end ? (int)(end - cards) : HANDS_CARDS;
}

// Members of struct game: a match of one shuffled hand, the scenarios of K1.13, the one reward of K1.11.
void hands_defaults(void *rules);
extern const char *const hands_scenarios[];
int hands_scenario(void *rules, int index);
extern const char *const hands_rewarded[];
void hands_rewards(const void *state, const struct game_events *happened, struct game_rewards *out);
#define HANDS_GAME(state)                                                                                              \
    .state_size = sizeof(state), .entities_end = offsetof(state, hands), .world_end = offsetof(state, deck),           \
    .rules_size = sizeof(struct hands_rules), .view_size = sizeof(struct hands_view), .min_seats = HANDS_SEATS,        \
    .max_seats = HANDS_SEATS, .flat_size = HANDS_RAISE + 1, .scenarios = hands_scenarios, .rewarded = hands_rewarded,  \
    .defaults = hands_defaults, .scenario = hands_scenario, .rewards = hands_rewards

// The action of a number that is its kind: for struct game_rows.
struct game_action hands_action(const void *state, int seat, int number);

// Deals hand 1 from a set of cards. ERR_RULES: the rules or the number of seats are out of range.
int hands_start(struct hands *h, struct hands_deck *d, const struct hands_rules *r, int seats, uint64_t cards,
                struct rng chance, struct game_events *out);

struct game_turn hands_turn(const struct hands *h, int phase);

// Why apply must refuse the action, or OK. `legal`: bit k is an action of kind k without arguments, for the seat that
// is asked.
int hands_refusal(const struct hands *h, uint64_t legal, int seat, struct game_action action);

// The seat has acted and the other one is to act.
void hands_acted(struct hands *h, int seat, int action, int32_t chips, struct game_events *out);

// K1.7: pays the winner (HANDS_NOBODY: nobody) and deals the next hand, if there is one.
void hands_end(struct hands *h, struct hands_deck *d, int winner, int32_t chips, bool shown, struct game_events *out);

// K1.9: a GAME_DROP. `paid`: what the seat has put into this pot.
void hands_drop(struct hands *h, struct hands_deck *d, struct game_action drop, int32_t paid, struct game_events *out);

// Turns up the card at this position of the deck; the seat that acts first begins another betting round.
void hands_open(struct hands *h, const struct hands_deck *d, int place, struct game_events *out);

// Functions of struct game for the part of a state that is kept here. `open`: number of public cards turned up, 0 or 1.
// The view lacks the betting.
struct hands_view hands_see(const struct hands *h, const struct hands_deck *d, int viewer, int open);
int hands_stack(const struct hands *h, struct hands_deck *d, const uint8_t *items, int count);
void hands_payoffs(const struct hands *h, int32_t out[GAME_MAX_SEATS]);
// Gives the n-th card of the deck, in ascending order, to the seat in exchange for its own. Returns false if the other
// seat has it or it is one of the `open` ones.
bool hands_hold(const struct hands *h, struct hands_deck *d, int seat, int card, int open);
void hands_resample(const struct hands *h, struct hands_deck *d, int viewer, int open, struct rng *dice);
const char *hands_check(const struct hands *h, const struct hands_deck *d, int acted); // in this round of betting
