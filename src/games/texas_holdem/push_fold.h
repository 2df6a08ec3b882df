// Push or fold between two players (N6.5): the button goes all-in or folds, the big blind calls or folds. Solved by
// classes of hands.
#pragma once

#include "games/texas_holdem/bots/buckets.h"

enum {
    PUSH_FOLD_MOST = 10, // big blinds
    PUSH_FOLD_GRID = 8,  // steps of a big blind
    PUSH_FOLD_STACKS = PUSH_FOLD_MOST * PUSH_FOLD_GRID
};

struct push_fold_odds {
    float equity[BUCKET_CLASSES][BUCKET_CLASSES]; // of the row against the column
    float pairs[BUCKET_CLASSES][BUCKET_CLASSES];  // ways to deal both
};

// Sums over boards: at most a million sampled ones, or all. Sums of several threads can be added. Each pair of hands is
// counted once, in the row of either hand, or equally often in both rows.
struct push_fold_count {
    uint32_t score[BUCKET_CLASSES][BUCKET_CLASSES]; // 2 x won + tied of the row
    uint32_t pairs[BUCKET_CLASSES][BUCKET_CLASSES];
};

void push_fold_count_boards(struct push_fold_count *c, uint64_t seed, uint32_t from, uint32_t to);
// Exactly: every board whose lowest card is from `from` to below `to`, of 0 to PUSH_FOLD_LOWEST. Boards that differ in
// suits alone are counted once.
enum { PUSH_FOLD_LOWEST = 48 };
void push_fold_count_all(struct push_fold_count *c, uint8_t from, uint8_t to);
void push_fold_count_add(struct push_fold_count *c, const struct push_fold_count *more);
void push_fold_find_odds(struct push_fold_odds *o, const struct push_fold_count *c);

// The largest stack, in PUSH_FOLD_GRIDths of a big blind, with which a class is pushed and called; 0: never.
struct push_fold_lists {
    uint8_t push[BUCKET_CLASSES], call[BUCKET_CLASSES];
};
void push_fold_solve(const struct push_fold_odds *o, struct push_fold_lists *out);
// What best responses win from the lists with this stack in big blinds: mean of both roles, in big blinds per hand.
double push_fold_exploit(const struct push_fold_odds *o, const struct push_fold_lists *l, double stack);
