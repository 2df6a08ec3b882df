// Regret minimisation over the betting of two players (N6.4): external sampling, both roles in turn with the same deal.
//
// The player learns against an adversary, who learns against the player, and in TRAIN_HABITS of a hundred hands against
// somebody of plain habits (odds of the own hand alone, any hand bet, good hands only): a response that an adversary
// cannot use much, and that takes more from those who do not think of the other. The player's average is the table.
#pragma once

#include "base/text.h"
#include "games/texas_holdem/bots/betting.h"
#include "games/texas_holdem/deals.h"
#include "games/texas_holdem/push.h"

enum { TRAIN_BLOCK = 1000, TRAIN_EPOCH = 50, TRAIN_HABITS = 40 }; // iterations of a block, blocks of an epoch

struct train {
    struct betting_tree tree;
    int depth;
    uint64_t seed, blocks; // done
    const struct deals *deals;
    const struct push_odds *odds; // of showdowns before the flop
    float *regret[2];             // of the player and of the adversary, by slot
    float *sum;                   // of the player
};

struct train *train_create(int depth, uint64_t seed, const struct deals *deals, const struct push_odds *odds);
void train_destroy(struct train *t);
void train_block(struct train *t);                          // the next TRAIN_BLOCK iterations
double train_value(const struct train *t, uint64_t blocks); // of the button under the average strategy, bb, sampled

void train_save(const struct train *t, struct text *out); // all that it takes to go on
bool train_load(struct train *t, struct span bytes);      // false: it was not saved by a tree like this
void train_pack(const struct train *t, struct text *out); // the average as a table, four bits a share
