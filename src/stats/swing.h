// How a match swings: how much the publicly known winning chances moved.
//
// A game estimates the chances of its seats from public information (chips, dice, cards left, points), never from
// hidden cards. Each step adds what it moved from some seats to others; the end gives everything to the winners.
#pragma once

#include "game/game.h"

// The chances of `seats` seats, from 0 to 1, which sum to 1; partners share theirs. Called while the match is running.
typedef void swing_chances(const void *state, double out[GAME_MAX_SEATS]);

struct swing {
    double chance[GAME_MAX_SEATS];
    uint32_t total;   // moved so far, in thousandths
    uint32_t largest; // largest single move
    bool begun;
};

// The state after a step, or the first one.
void swing_note(struct swing *s, const struct game *g, swing_chances *chances, const void *state, int seats);

// For games in which everybody owns a part of a whole, such as all chips.
void swing_shares(const double *part, int seats, double out[GAME_MAX_SEATS]);
// For two sides, seats 0, 2, ... and seats 1, 3, ...: the first is ahead by `lead`, and about `left` can still be won.
void swing_sides(double lead, double left, int seats, double out[GAME_MAX_SEATS]);
