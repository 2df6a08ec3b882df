// Counterfactual regret minimisation over rounds of Liar's Dice between two (N5.1): strategies are held during an
// iteration, so that positions that look alike are walked once.
#pragma once

#include "games/liars_dice/bots/round.h"

// Both strategies of a pair of dice counts: side 0 has k dice against m, side 1 m against k, whoever opens. Side 1 is
// side 0 where k is m.
struct train;
struct train *train_create(int k, int m);
void train_destroy(struct train *t);
void train_iterate(struct train *t);
double train_value(const struct train *t, int side); // chance to win of the side that opens, by the last iteration

// The average strategy of a hand at a place: probabilities of moves; false: nobody gets there.
bool train_average(const struct train *t, int side, int place, int hand, float p[ROUND_MOVES]);
