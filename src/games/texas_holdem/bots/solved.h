// Where a hand between two is in the betting tree of the solved table, and what its moves are at the table.
#pragma once

#include "games/texas_holdem/bots/blueprint.h"
#include "games/texas_holdem/bots/line.h"
#include "games/texas_holdem/bots/ring.h"

enum {
    SOLVED_SCRATCH =
        sizeof(struct betting_tree) > sizeof(struct ring_work) ? sizeof(struct betting_tree) : sizeof(struct ring_work)
};

bool solved_table(struct blueprint *b); // the one in the program
// NULL: the betting has left the tree. Without dice a raise between two sizes is the likelier one.
const struct betting_node *solved_find(const struct betting_tree *t, const struct line_mind *m,
                                       const struct texas_holdem_view *v, struct rng_draw *dice);
struct game_action solved_answer(const struct texas_holdem_view *v, const struct betting_node *n, int index, int depth);
// Off the tree: pot odds against the equity less a margin, since who bets has something.
struct game_action solved_off_tree(const struct texas_holdem_view *v, float equity);
