// The abstraction of a round of Liar's Dice between two players that solver and table use (N5): hands, the remembered
// part of the bidding, and the moves that are considered.
//
// A hand is a multiset of faces, numbered in order. What is remembered of the bids is a place; it depends on how many
// dice are on the table (enum round_memory). The bid that stands is the other's, the one before it was the own.
// A move is a number: 0 challenges, i bids i steps above the bid that stands.
#pragma once

#include "games/liars_dice/rules/liars_dice.h"

enum round_memory {
    ROUND_THREE, // the last three bids
    ROUND_TWO,   // the last two
};

enum {
    ROUND_HANDS = 252,
    ROUND_FACES = LIARS_DICE_FACES,
    ROUND_AHEAD = 18, // how far above the bid that stands the next one may lie,
    ROUND_OPEN = 36,  // and the first of a round
    ROUND_MOVES = ROUND_OPEN + 1,
    ROUND_FEW = 64,    // places of a stem, at most
    ROUND_SHAPES = 32, // more than there are dice
};

struct round_hands {
    int dice, count;
    uint8_t face[ROUND_HANDS][ROUND_FACES + 1]; // how many dice count for a bid on the face: ones included
    uint8_t ones[ROUND_HANDS];
    float chance[ROUND_HANDS]; // of a roll
};

void round_list_hands(struct round_hands *h, int dice);
int round_hand_of(const struct round_hands *h, const uint8_t faces[LIARS_DICE_DICE]); // of a list of dice, then zeros

// How many dice are on the table, and what is remembered.
static inline int round_shape(int own, int other)
{
    enum round_memory memory = own <= 2 && other <= 2 ? ROUND_THREE : ROUND_TWO;
    return own + other + (int)memory * ROUND_SHAPES;
}

static inline enum round_memory round_memory(int shape)
{
    return (enum round_memory)(shape / ROUND_SHAPES);
}

static inline int round_highest(int shape) // bid
{
    return LIARS_DICE_FACES * (shape % ROUND_SHAPES);
}

// Places. 0 is the beginning; `next` follows a bid, which is higher than the last one.
int round_places(int shape); // their numbers are below this; not all numbers are places
int round_next(int shape, int place, int bid);
int round_last(int shape, int place); // the bid that stands, 0: none
// Places with the same stem have the same next places. Stems of a higher bid have not always a higher number.
int round_stems(int shape);
int round_stem(int shape, int place);
int round_list(int shape, int stem, int place[ROUND_FEW]); // those of a stem, rising; how many

static inline int round_moves(int shape, int last) // how many, with the challenge, which needs a bid
{
    int ahead = last && round_memory(shape) != ROUND_THREE ? ROUND_AHEAD : ROUND_OPEN,
        left = round_highest(shape) - last;
    return 1 + (left < ahead ? left : ahead);
}
