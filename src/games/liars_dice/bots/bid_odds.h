// How likely bids are to hold, by the odds of the hidden dice, and what the bot `rules` (rules.c) bids by them. Bots
// that simulate other players use it too.
#pragma once

#include "games/liars_dice/rules/liars_dice.h"

struct bid_odds {
    int own[LIARS_DICE_FACES + 1]; // dice in hand that count for a bid on the face
    int hidden;                    // dice of the others
    int total;
    int bid;                   // that stands
    const float *plain, *wild; // odds of those for a bid that ones do not help, and for one that they do
};

// `faces`: how many dice of each face are in hand, from 1.
struct bid_odds bid_odds_of(const uint8_t faces[LIARS_DICE_FACES + 1], int hidden, int total, int bid, bool wild_ones);
float bid_odds_chance(const struct bid_odds *o, int rank); // that a bid holds
// How careful a player is.
struct bid_manner {
    float wish;  // how likely an own bid should be to hold
    float trust; // share of others' bids that are believed whatever the odds
};
extern const struct bid_manner bid_manner_usual; // of `rules`
// The bid of `rules`, or 0: challenge. A bluff bids with a smaller wish.
int bid_odds_decide(const struct bid_odds *o, struct bid_manner manner, bool bluffs);
