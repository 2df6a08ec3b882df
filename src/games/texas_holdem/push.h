// Push or fold between two (N6.5): the button goes all-in or folds, the big blind calls or folds. Solved by classes of
// hands.
#pragma once

#include "games/texas_holdem/bots/buckets.h"

enum { PUSH_MOST = 10, PUSH_GRID = 8, PUSH_STACKS = PUSH_MOST * PUSH_GRID }; // big blinds, and steps of one

struct push_odds {
    float equity[BUCKET_CLASSES][BUCKET_CLASSES]; // of the row against the column
    float pairs[BUCKET_CLASSES][BUCKET_CLASSES];  // ways to deal both
};

// Sums over boards: at most a million sampled ones, or all. Those of several threads can be added. Each pair of hands
// is counted once, in the row of either, or as often in both.
struct push_count {
    uint32_t score[BUCKET_CLASSES][BUCKET_CLASSES]; // 2 x won + tied of the row
    uint32_t pairs[BUCKET_CLASSES][BUCKET_CLASSES];
};

void push_count_boards(struct push_count *c, uint64_t seed, uint32_t from, uint32_t to);
// Exactly: every board whose lowest card is from `from` to below `to`, of 0 to PUSH_LOWEST. Boards that differ in suits
// alone are counted once.
enum { PUSH_LOWEST = 48 };
void push_count_all(struct push_count *c, uint8_t from, uint8_t to);
void push_count_add(struct push_count *c, const struct push_count *more);
void push_find_odds(struct push_odds *o, const struct push_count *c);

// The largest stack, in PUSH_GRIDths of a big blind, with which a class is pushed and called; 0: never.
struct push_lists {
    uint8_t push[BUCKET_CLASSES], call[BUCKET_CLASSES];
};
void push_solve(const struct push_odds *o, struct push_lists *out);
// What best answers win from the lists with this stack in big blinds, half of both roles, in big blinds a hand.
double push_exploit(const struct push_odds *o, const struct push_lists *l, double stack);
