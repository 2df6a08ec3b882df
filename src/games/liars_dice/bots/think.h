// How the rule-based player weighs bids: by what the hidden dice make likely. Players that imagine the others use it
// too.
#pragma once

#include "games/liars_dice/rules/liars_dice.h"

struct dice_thought {
    int own[LIARS_DICE_FACES + 1]; // dice in hand that count for a bid on the face
    int hidden;                    // dice of the others
    int total;
    int bid;                   // that stands
    const float *plain, *wild; // odds of those for a bid that ones do not help, and for one that they do
};

// `faces`: how many dice of each face are in hand, from 1.
struct dice_thought dice_think(const uint8_t faces[LIARS_DICE_FACES + 1], int hidden, int total, int bid,
                               bool wild_ones);
float dice_chance(const struct dice_thought *th, int rank); // that a bid holds
// How a player weighs what is likely; as the rules do: {0.65f, 0.2f}.
struct dice_manner {
    float wish;  // how likely a bid shall be
    float trust; // share of the bids of others that are believed whatever the odds
};
extern const struct dice_manner dice_as_usual;
// What the rules bid, or 0: challenge. Bluffing it bids as if less were wished.
int dice_decide(const struct dice_thought *th, struct dice_manner manner, bool bluffs);
