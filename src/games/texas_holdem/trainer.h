// Regret minimisation over the betting of two players (N6.4): external sampling, both roles in turn with the same deal.
//
// The player learns against an adversary, who learns against the player, and in TRAINER_HABITS of a hundred hands
// against a simple player (odds of the own hand alone, bets with any hand, good hands only). The result is hard to
// exploit, and wins more from players who ignore their opponent. The player's average strategy is the table.
#pragma once

#include "base/text.h"
#include "games/texas_holdem/bots/betting.h"
#include "games/texas_holdem/push_fold.h"
#include "games/texas_holdem/training_deals.h"

enum { TRAINER_BLOCK = 1000, TRAINER_EPOCH = 50, TRAINER_HABITS = 40 }; // iterations of a block, blocks of an epoch

struct trainer {
    struct betting_tree tree;
    int depth;
    uint64_t seed, blocks; // done
    const struct training_deals *deals;
    const struct push_fold_odds *odds; // of showdowns before the flop
    float *regret[2];                  // of the player and of the adversary, by slot
    float *sum;                        // of the player
};

struct trainer *trainer_create(int depth, uint64_t seed, const struct training_deals *deals,
                               const struct push_fold_odds *odds);
void trainer_destroy(struct trainer *t);
void trainer_block(struct trainer *t);                          // the next TRAINER_BLOCK iterations
double trainer_value(const struct trainer *t, uint64_t blocks); // of the button under the average strategy, bb, sampled

void trainer_save(const struct trainer *t, struct text *out); // the whole state of training, to continue later
bool trainer_load(struct trainer *t, struct span bytes);      // false: saved with another tree
void trainer_pack(const struct trainer *t, struct text *out); // the average as a section of the table
