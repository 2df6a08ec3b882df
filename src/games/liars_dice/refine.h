// Learning against a player that knows the strategy (N5.7). In each pass a local best response (N5.6) with full memory
// answers the strategy, and each hand of the strategy regrets what it should have played against that. Only the shares
// of moves change that the table has already, so what is packed again is not larger.
#pragma once

#include "games/liars_dice/bots/table.h"

struct refine;
struct refine *refine_create(const struct dice_table *t, int own, int other); // its strategy with `own` dice
void refine_destroy(struct refine *r);
void refine_pass(struct refine *r);
// What the response won from the strategy in the last pass, as the one who opens or who answers.
double refine_won(const struct refine *r, bool opens);
// The average strategy of a hand at a place: probabilities of moves; false: the table does not list it there.
bool refine_average(const struct refine *r, int place, int hand, float p[ROUND_MOVES]);
