// Luck of the cards in hands of Texas Hold'em, which contests subtract from winnings (N14): all-in EV and the equity
// correction.
#pragma once

#include "game/game.h"

// How much chips follow a seat's equity: `dealt` for the hand dealt, in big blinds; `street` for changes by the board,
// in pots. The mean of winnings stays the same with any weights, because the mean of each term is 0.
struct holdem_luck_weights {
    double dealt, street[3];
};
extern const struct holdem_luck_weights holdem_luck_weights; // N14.3

enum { HOLDEM_LUCK_ALL_IN, HOLDEM_LUCK_EQUITY, HOLDEM_LUCKS };

// A hand being followed. All zero is a valid start.
struct holdem_luck {
    int32_t total[9];
    int32_t pot[4], big_blind; // in the middle when each street came; [0] is not used
    uint32_t hand;
    seat_set dealt, live[4], now; // who had not folded when each street came
    uint8_t cards[9][2], board[5];
    uint8_t board_count, last_action; // streets by phase: 0 preflop; where the last decision was made
    uint8_t settled, shown;
    int32_t payout[9];
};

// Follows all events of a step, also those that only one seat may see. Adds to out[k][seat] the chips that luck gave in
// hands that are over. `dice` samples what is too long to count, a section for each hand.
void holdem_luck_follow(struct holdem_luck *l, const struct game_events *e, struct rng dice,
                        const struct holdem_luck_weights *w, double out[HOLDEM_LUCKS][GAME_MAX_SEATS]);
// The share of a pot that each of the live can expect when the board is run out; exact with three cards or more.
void holdem_equity(const uint8_t cards[9][2], seat_set dealt, seat_set live, const uint8_t *board, int count,
                   struct rng_draw *draw, double out[9]);
// The chips that each of the live can expect: `total` is what everybody has put in, side pots apart (F6.T12).
void holdem_expect(const uint8_t cards[9][2], const int32_t *total, seat_set dealt, seat_set live, const uint8_t *board,
                   int count, struct rng_draw *draw, double out[9]);
