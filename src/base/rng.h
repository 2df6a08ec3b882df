// Random numbers: ChaCha8 as a keyed counter. The same key gives the same draws on every machine, and the key cannot be
// computed from the draws.
//
// A key is the root of a tree of independent streams. rng_split makes a child with its own key (the cost of one block):
// chance, each seat's bot, pairing. rng_section moves to a numbered section of the same stream at no cost: a hand, a
// deal, a round. Draws from one section or child never affect another.
#pragma once

#include <stdint.h>

struct rng {
    uint32_t key[8];
    uint32_t section;
    uint32_t block; // the next block to draw
};

enum { RNG_KEY_BYTES = 32, RNG_BLOCK_WORDS = 16 };

struct rng rng_from_key(const uint8_t key[RNG_KEY_BYTES]);
struct rng rng_split(const struct rng *parent, uint64_t stream);
// Two at once, in little more time than one: a block is one long dependency chain.
void rng_split_two(const struct rng parent[2], const uint64_t stream[2], struct rng child[2]);
struct rng rng_section(const struct rng *r, uint32_t number); // from the beginning of that section

// Single draws: each costs a whole block.
uint32_t rng_u32(struct rng *r);
uint64_t rng_u64(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n); // unbiased, 0..n-1; n > 0

// Block `number` of a section: its words from number x RNG_BLOCK_WORDS on.
void rng_block(const struct rng *r, uint32_t section, uint32_t number, uint32_t word[RNG_BLOCK_WORDS]);

// Draws in bulk: begin takes words from whole blocks of `from`, which advances by the blocks used.
struct rng_draw {
    struct rng *from;
    uint64_t used;
    uint32_t word[RNG_BLOCK_WORDS];
};

void rng_refill(struct rng_draw *d);

static inline void rng_begin(struct rng_draw *d, struct rng *from)
{
    d->from = from;
    d->used = RNG_BLOCK_WORDS;
}

static inline uint32_t rng_draw_u32(struct rng_draw *d)
{
    if (d->used == RNG_BLOCK_WORDS)
        rng_refill(d);
    return d->word[d->used++];
}

// Unbiased, 0..n-1; n > 0. Multiplies and keeps the high half; draws again in the rare case of bias.
static inline uint32_t rng_draw_below(struct rng_draw *d, uint32_t n)
{
    uint64_t wide = (uint64_t)rng_draw_u32(d) * n;
    if ((uint32_t)wide < n) {
        uint32_t uneven = -n % n;
        while ((uint32_t)wide < uneven)
            wide = (uint64_t)rng_draw_u32(d) * n;
    }
    return (uint32_t)(wide >> 32);
}
