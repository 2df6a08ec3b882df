// Value of a deal's outcome for a team: the probability to win the match from there.
#pragma once

#include "games/belote/rules/belote.h"

enum { EQUITY_CELLS = 40, EQUITY_CELL = 4 }; // cells of the race, and the match points of each

struct match_equity {
    const struct belote_view *v;
    int us;       // our team
    float shrink; // factor that fits a long way to the target into the cells; at most 1
    // Our chance to win, by the cells that we and they still need, from 1 on.
    float race[EQUITY_CELLS][EQUITY_CELLS];
};

struct contract {
    uint8_t mode, multiplier, team;
};

void match_equity_begin(struct match_equity *e, const struct belote_view *v, int us);

// 0..1. `value` is a solver's for the whole deal: our card points; SOLVE_SWEEP above all of them for a sweep of ours,
// SOLVE_SWEEP below 0 for one of theirs.
float match_equity_value(const struct match_equity *e, struct contract c, int value);

static inline int match_equity_all_points(int mode) // B4.2
{
    return mode == BELOTE_ALL_TRUMPS ? 258 : mode == BELOTE_NO_TRUMPS ? 130 : 162;
}
