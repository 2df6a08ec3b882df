// A solved strategy of hands between two, as bytes (N6.4). What `agon solve texas_holdem` writes is this.
//
// 256 bytes of head, with the command; the seed; the cuts of the buckets; the lists of push or fold; the equity of
// every class against any hand; then for each depth where its section is, how large, after how many iterations, and
// whether it is finished. A finished section has four bits for every slot of the betting tree, fifteenths; an
// unfinished one has what it takes to go on.
#pragma once

#include "games/texas_holdem/bots/betting.h"
#include "games/texas_holdem/bots/buckets.h"

#include <stddef.h>

enum { BLUEPRINT_HEAD = 256 };

struct blueprint_section {
    uint32_t at, size, iterations, finished;
};

struct blueprint_facts {
    uint64_t seed;
    struct bucket_cuts cuts;
    uint8_t push[BUCKET_CLASSES], call[BUCKET_CLASSES]; // largest stacks, in eighths of a big blind
    uint8_t equity[BUCKET_CLASSES];                     // in 255ths
    uint8_t unused[3];
    struct blueprint_section section[BETTING_DEPTHS];
};

struct blueprint {
    const uint8_t *bytes;
    size_t size;
    struct blueprint_facts facts;
};

bool blueprint_open(struct blueprint *b, const void *bytes, size_t size); // false: it is none
bool blueprint_has(const struct blueprint *b, int depth, uint32_t slots); // the section is finished and fits the tree

// Shares of the moves of a node with this bucket, that sum to 1; false: the table was never there.
bool blueprint_mix(const struct blueprint *b, int depth, const struct betting_node *n, int bucket,
                   float share[BETTING_MOVES]);
