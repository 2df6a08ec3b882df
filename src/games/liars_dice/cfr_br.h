// Regret minimisation against a best response (CFR-BR, N5.7), which makes a solved strategy harder to exploit. In each
// pass a local best response (N5.6) with full memory plays against the strategy, and each hand of the strategy regrets
// what it should have played against that. Only moves that the table already has change their shares, so the table that
// is written again is not larger.
#pragma once

#include "games/liars_dice/bots/table.h"

struct cfr_br;
struct cfr_br *cfr_br_create(const struct dice_table *t, int own, int other); // its strategy with `own` dice
void cfr_br_destroy(struct cfr_br *r);
void cfr_br_pass(struct cfr_br *r);
// What the response won from the strategy in the last pass, as the one who opens or who answers.
double cfr_br_won(const struct cfr_br *r, bool opens);
// The average strategy of a hand at a place: probabilities of moves; false: the table does not list it there.
bool cfr_br_average(const struct cfr_br *r, int place, int hand, float p[ROUND_MOVES]);
