// A small game of two seats as a whole tree, over all its deals: to count it, and to play it exactly.
//
// Positions that look alike to the seat that is asked are one set (an information state); a strategy is the
// probability of each choice in each set. Payoffs are zero-sum.
#pragma once

#include "game/game.h"

enum { TREE_NODES = 20000, TREE_SETS = 1024, TREE_CHOICES = 3 };

struct tree_node {
    int32_t set;                 // -1: the game has ended
    int32_t payoff;              // of seat 0, when it has ended
    int32_t child[TREE_CHOICES]; // by choice
    int32_t next;                // of the same set; -1: none
    double value;                // tree_best: to the responder
    double reach;                // tree_best: by chance and the other seat
    bool valued;
};

struct tree_set {
    union game_view view;
    uint8_t kind[TREE_CHOICES]; // of the actions
    int32_t seat, count, nodes; // the first of its nodes
    int32_t best;               // tree_best: a choice; -1: not known yet
    double p[TREE_CHOICES];     // the strategy
    double regret[TREE_CHOICES], sum[TREE_CHOICES];
};

struct game_tree {
    const struct game *game;
    int32_t nodes, sets, roots, ends;
    int32_t iterations; // of tree_solve so far
    int32_t root[128];
    struct tree_node node[TREE_NODES];
    struct tree_set set[TREE_SETS];
};

// A deal: everything that can follow from this state. All deals are equally likely.
void tree_add(struct game_tree *t, const void *state);
double tree_value(const struct game_tree *t);    // that seat 0 can expect when both play their strategies
double tree_best(struct game_tree *t, int seat); // that `seat` can expect at most against the other's strategy
// An approximate equilibrium becomes the strategy: CFR+ with alternating updates and linear averages (N4.1). Goes on
// where the last call ended.
void tree_solve(struct game_tree *t, int iterations);
double tree_exploit(struct game_tree *t); // half of what best answers win from both seats together
// The strategy of a bot becomes that of both seats: by its mix, or by asking it `times`.
struct bot;
void tree_ask(struct game_tree *t, const struct bot *bot, uint32_t times);
