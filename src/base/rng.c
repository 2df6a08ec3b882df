#include "base/chacha.h"

static inline __attribute__((always_inline)) void write_sum(struct matrix m, struct matrix from,
                                                            uint32_t out[RNG_BLOCK_WORDS])
{
    m.a += from.a, m.b += from.b, m.c += from.c, m.d += from.d;
    memcpy(out, &m, sizeof m);
}

static inline void block(const uint32_t key[8], row where, uint32_t out[RNG_BLOCK_WORDS])
{
    struct matrix from = start(key, where), m = from;
    for (int i = 0; i < ROUNDS; i += 2)
        TWO_ROUNDS(m);
    write_sum(m, from, out);
}

struct rng rng_from_key(const uint8_t key[RNG_KEY_BYTES])
{
    struct rng r = {0};
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        r.key[i / 4] |= (uint32_t)key[i] << 8 * (i % 4);
    return r;
}

struct rng rng_split(const struct rng *parent, uint64_t stream)
{
    uint32_t word[RNG_BLOCK_WORDS];
    block(parent->key, place_of_child(parent, stream), word);
    struct rng child = {0};
    memcpy(child.key, word, sizeof child.key);
    return child;
}

void rng_split_two(const struct rng parent[2], const uint64_t stream[2], struct rng child[2])
{
    struct matrix first = start(parent[0].key, place_of_child(&parent[0], stream[0])), m = first;
    struct matrix second = start(parent[1].key, place_of_child(&parent[1], stream[1])), n = second;
    uint32_t word[2][RNG_BLOCK_WORDS];
    for (int i = 0; i < ROUNDS; i += 2) {
        TWO_ROUNDS(m);
        TWO_ROUNDS(n);
    }
    write_sum(m, first, word[0]);
    write_sum(n, second, word[1]);
    for (int i = 0; i < 2; i++) {
        child[i] = (struct rng){0};
        memcpy(child[i].key, word[i], sizeof child[i].key);
    }
}

struct rng rng_section(const struct rng *r, uint32_t number)
{
    struct rng s = *r;
    s.section = number;
    s.block = 0;
    return s;
}

void rng_refill(struct rng_draw *d)
{
    struct rng *r = d->from;
    block(r->key, (row){r->block++, r->section, 0, DRAW}, d->word);
    d->used = 0;
}

void rng_block(const struct rng *r, uint32_t section, uint32_t number, uint32_t word[RNG_BLOCK_WORDS])
{
    block(r->key, (row){number, section, 0, DRAW}, word);
}

uint32_t rng_u32(struct rng *r)
{
    struct rng_draw d;
    rng_begin(&d, r);
    return rng_draw_u32(&d);
}

uint64_t rng_u64(struct rng *r)
{
    struct rng_draw d;
    rng_begin(&d, r);
    uint64_t low = rng_draw_u32(&d);
    return low | (uint64_t)rng_draw_u32(&d) << 32;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    struct rng_draw d;
    rng_begin(&d, r);
    return rng_draw_below(&d, n);
}
