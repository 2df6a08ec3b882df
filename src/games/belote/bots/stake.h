// Value of a deal's outcome for a team: the probability to win the match from there.
#pragma once

#include "games/belote/rules/belote.h"

enum { STAKE_CELLS = 40, STAKE_CELL = 4 }; // of match points still wanted

struct stake {
    const struct belote_view *v;
    int us;                               // our team
    float shrink;                         // of a long way to the target
    float race[STAKE_CELLS][STAKE_CELLS]; // our chance by the cells that we and they still want, from 1 on
};

struct contract {
    uint8_t mode, multiplier, team;
};

void stake_begin(struct stake *s, const struct belote_view *v, int us);

// 0..1. `value` is as a solver gives it, for the whole deal: our card points, SOLVE_SWEEP beyond all of them or below
// nothing.
float stake_value(const struct stake *s, struct contract c, int value);

static inline int stake_card_points(int mode) // B4.2
{
    return mode == BELOTE_ALL_TRUMPS ? 258 : mode == BELOTE_NO_TRUMPS ? 130 : 162;
}
