// Dealt cards to train with (N6.3): each deal as the buckets of both hands on every street, and who wins at showdown.
// Deals come in sets that share a board, whose count is most of the work.
#pragma once

#include "games/texas_holdem/bots/buckets.h"

enum { DEALS_IN_SET = 32, DEALS_MAX_SETS = 1 << 14, DEALS_CUT_SETS = 300 };

struct deal {
    uint8_t bucket[4][2]; // by street and role
    uint8_t equity[4][2]; // against any hand, in 255ths; [0] is for whoever knows the odds before the flop
    int8_t result;        // 1: role 0 wins, 0: a tie, -1
};

struct deals {
    uint64_t seed;
    uint32_t sets, cut_sets; // dealt for training, and for the cuts (at most DEALS_CUT_SETS)
    struct bucket_cuts cuts;
    struct deal *at; // DEALS_IN_SET for each set
};

void deals_cut(struct deals *d);                              // makes the cuts, from hands of their own
void deals_fill(struct deals *d, uint32_t from, uint32_t to); // the sets from..to-1; sets are independent

// The deal of an iteration: neighbours do not share a board.
static inline const struct deal *deals_get(const struct deals *d, uint64_t iteration)
{
    uint64_t round = iteration / d->sets;
    return &d->at[iteration % d->sets * DEALS_IN_SET + round % DEALS_IN_SET];
}
