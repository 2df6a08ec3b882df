// Counterfactual regret minimisation (CFR) over rounds of Liar's Dice between two players (N5.1). Strategies stay the
// same during an iteration, so positions that look alike are walked once.
#pragma once

#include "games/liars_dice/bots/round.h"

// Both strategies of a pair of dice counts: side 0 has k dice against m, side 1 m against k, whoever opens. If k is m,
// there is only side 0.
struct cfr;
struct cfr *cfr_create(int k, int m);
void cfr_destroy(struct cfr *t);
void cfr_iterate(struct cfr *t);
double cfr_value(const struct cfr *t, int side); // chance to win of the side that opens, by the last iteration

// The average strategy of a hand at a place: probabilities of moves; false: play never gets there.
bool cfr_average(const struct cfr *t, int side, int place, int hand, float p[ROUND_MOVES]);
