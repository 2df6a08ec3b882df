// A round of Liar's Dice between two as a solver and a table player see it (N5): hands, what of the bidding is
// remembered, and the moves that are weighed.
//
// A hand is a multiset of faces, numbered in order. What is remembered of the bids is a place:
//   up to ROUND_EXACT dice against as many   the last three bids
//   more                                     the last bid, and whether the one before it was on the same face
// A move is a number below ROUND_MOVES. In exact rounds it is how far the next bid lies above the last (0: challenge).
// In larger ones hands that play alike are one class, and a move is what it means to the hand: raise the face that was
// bid, go over to the own best face, to the second best, to the worst, to ones.
#pragma once

#include "games/liars_dice/rules/liars_dice.h"

enum {
    ROUND_EXACT = 2, // dice of each
    ROUND_LARGE = 32,
    ROUND_HANDS = 252,
    ROUND_FACES = LIARS_DICE_FACES,
    ROUND_MOVES = 25,            // 24 bids and a challenge, of an exact round
    ROUND_ROLES = 8,             // of a larger one
    ROUND_PLACES = 25 * 25 * 25, // numbers of them, at most
    ROUND_CLASSES = 256,
    ROUND_RELATIONS = 3, // of the last bid to the one before it: none, the same face, another one
};

struct round_hands {
    int dice, count;
    uint8_t face[ROUND_HANDS][ROUND_FACES + 1]; // how many dice count for a bid on the face: ones included
    uint8_t ones[ROUND_HANDS];
    float chance[ROUND_HANDS]; // of a roll
};

void round_list_hands(struct round_hands *h, int dice);
int round_hand_of(const struct round_hands *h, const uint8_t faces[LIARS_DICE_DICE]); // of a list of dice, then zeros

// How many dice are on the table, and which kind of round that is.
static inline int round_shape(int own, int other)
{
    return own + other + (own <= ROUND_EXACT && other <= ROUND_EXACT ? 0 : ROUND_LARGE);
}

static inline bool round_is_exact(int shape)
{
    return shape < ROUND_LARGE;
}

static inline int round_dice(int shape)
{
    return shape % ROUND_LARGE;
}

static inline int round_highest(int shape) // bid
{
    return LIARS_DICE_FACES * round_dice(shape);
}

// Places. 0 is the beginning; `next` follows a bid, which is higher than the last one.
int round_places(int shape);
int round_next(int shape, int place, int bid);
int round_last(int shape, int place);      // the bid that stands, 0: none
bool round_is_place(int shape, int place); // some numbers are none

// The class of a hand at a place, and what its moves are: ranks, 0: challenge, -1: not possible.
int round_class(int shape, int place, const struct round_hands *h, int hand);
int round_moves(int shape, int place, const struct round_hands *h, int hand, int rank[ROUND_MOVES]); // how many
