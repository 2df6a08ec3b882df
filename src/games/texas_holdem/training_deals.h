// Dealt cards for training (N6.3): for each deal the buckets of both hands on every street, and the result at showdown.
// Deals come in sets that share a board, because evaluating a board is most of the work.
#pragma once

#include "games/texas_holdem/bots/buckets.h"

enum { TRAINING_DEALS_IN_SET = 32, TRAINING_DEALS_MAX_SETS = 1 << 14, TRAINING_DEALS_CUT_SETS = 300 };

struct training_deal {
    uint8_t bucket[4][2]; // by street and role
    uint8_t equity[4][2]; // against any hand, in 255ths; [0] is before the flop
    int8_t result;        // 1: role 0 wins, 0: a tie, -1
};

struct training_deals {
    uint64_t seed;
    uint32_t sets, cut_sets; // dealt for training, and for the cuts (at most TRAINING_DEALS_CUT_SETS)
    struct bucket_cuts cuts;
    struct training_deal *at; // TRAINING_DEALS_IN_SET for each set
};

void training_deals_cut(struct training_deals *d); // makes the cuts, from hands of their own
void training_deals_fill(struct training_deals *d, uint32_t from,
                         uint32_t to); // the sets from..to-1; sets are independent

// The deal of an iteration: neighbours do not share a board.
static inline const struct training_deal *training_deals_get(const struct training_deals *d, uint64_t iteration)
{
    uint64_t round = iteration / d->sets;
    return &d->at[iteration % d->sets * TRAINING_DEALS_IN_SET + round % TRAINING_DEALS_IN_SET];
}
