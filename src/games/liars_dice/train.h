// Counterfactual regret minimisation over rounds of Liar's Dice between two (N5.1): strategies are held during an
// iteration, so that positions that look alike are walked once.
#pragma once

#include "games/liars_dice/bots/round.h"

// Both tables of a pair of dice counts: who has k against m, and m against k, whoever opens.
struct train;
struct train *train_create(int k, int m);
void train_destroy(struct train *t);
void train_iterate(struct train *t);
double train_value(const struct train *t, int side); // chance to win of the side that opens, by the last iteration

// The average strategy at a place: probabilities of the moves of a class; false: it was never there.
bool train_average(const struct train *t, int side, int place, int klass, float p[ROUND_MOVES]);
