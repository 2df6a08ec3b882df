// Small games, solved and exploited exactly by their whole tree, from the deals that solve_facts lists.
#pragma once

#include "solve/facts.h"
#include "solve/tree.h"

void small_game_build_tree(struct game_tree *t, const struct game *g,
                           const struct solve_facts *f); // every deal, by the usual rules

// Solves the tree as the job says, with at most POLICY_SHARES choices per set. The last line of progress has value and
// exploitability.
void small_game_solve(struct game_tree *t, const struct solve_facts *f, const struct solve_job *job, struct text *out);
int small_game_exploit(struct game_tree *t, const struct bot *bot, uint32_t times, struct solve_gap out[SOLVE_GAPS]);
