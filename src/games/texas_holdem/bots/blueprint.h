// A solved strategy of hands between two, as bytes (N6.4). What `agon solve texas_holdem` writes is this.
//
// 256 bytes of head, with the command; the seed; the cuts of the buckets; the lists of push or fold; the equity of
// every class against any hand; then for each depth where its section is, how large, after how many iterations, and
// whether it is finished; then a hash of all that follows. A finished section has the number of slots of the betting
// tree, the size of the block of every BLUEPRINT_GROUP nodes, and the blocks: streams of bits with models of their own
// (solve/coder.h). An unfinished one has what it takes to go on.
#pragma once

#include "base/text.h"
#include "games/texas_holdem/bots/betting.h"
#include "games/texas_holdem/bots/buckets.h"

enum { BLUEPRINT_HEAD = 256, BLUEPRINT_GROUP = 128, BLUEPRINT_WHOLE = 15 };

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
    uint32_t none; // no hole: the bytes are written as they are
    uint64_t hash; // of what follows
};

struct blueprint {
    const uint8_t *bytes;
    size_t size;
    struct blueprint_facts facts;
};

// The shares of one node, in fifteenths, which need not sum to 15. All 0: the table was never there.
struct blueprint_page {
    uint8_t part[BUCKET_CLASSES][BETTING_MOVES];
};

// False: not a blueprint. Every decision opens it, so the sections are not checked; blueprint_is_sound does that.
bool blueprint_open(struct blueprint *b, const void *bytes, size_t size);
bool blueprint_is_sound(const struct blueprint *b); // the bytes are those that were written
// The section is finished and fits the tree.
bool blueprint_has(const struct blueprint *b, int depth, const struct betting_tree *t);
void blueprint_read(const struct blueprint *b, int depth, const struct betting_tree *t, const struct betting_node *n,
                    struct blueprint_page *out); // of a section that blueprint_has
// Shares of `moves` moves with this bucket, that sum to 1; false: the table was never there.
bool blueprint_mix(const struct blueprint_page *p, int moves, int bucket, float share[BETTING_MOVES]);

// A finished section from the fifteenths of every slot. Rare slots are omitted: most of them have not converged.
void blueprint_pack(const struct betting_tree *t, const uint8_t *slots, struct text *out);
