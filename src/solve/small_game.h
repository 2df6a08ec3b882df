// Games that are walked whole: their trees, from the deals that solve_facts lists.
#pragma once

#include "solve/facts.h"
#include "solve/tree.h"

void small_game_build_tree(struct game_tree *t, const struct game *g,
                           const struct solve_facts *f); // every deal, by the usual rules

// Solves it as the job says: at most POLICY_SHARES choices a set. The last line of progress tells value and
// exploitability.
void small_game_solve(struct game_tree *t, const struct solve_facts *f, const struct solve_job *job, struct text *out);
int small_game_exploit(struct game_tree *t, const struct bot *bot, uint32_t times, struct solve_gap out[SOLVE_GAPS]);
