#include "base/rng_several.h"

#include "base/chacha.h"

#ifdef __x86_64__
// Two matrices side by side where the processor has registers for them: four children take as long as two.
typedef uint32_t rows __attribute__((vector_size(32)));
typedef uint8_t rows_bytes __attribute__((vector_size(32)));

#define JOIN(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(v)     __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define HIGH(v)    __builtin_shufflevector(v, v, 4, 5, 6, 7)
#define TURN_BOTH(v, n)                                                                                                \
    __builtin_shufflevector(v, v, (n) % 4, ((n) + 1) % 4, ((n) + 2) % 4, ((n) + 3) % 4, 4 + (n) % 4,                   \
                            4 + ((n) + 1) % 4, 4 + ((n) + 2) % 4, 4 + ((n) + 3) % 4)
#define WORD_BYTES(i, n) 4 * (i) + (n) % 4, 4 * (i) + ((n) + 1) % 4, 4 * (i) + ((n) + 2) % 4, 4 * (i) + ((n) + 3) % 4
#define TURN_BYTES(v, n)                                                                                               \
    ((rows)__builtin_shufflevector((rows_bytes)(v), (rows_bytes)(v), WORD_BYTES(0, n), WORD_BYTES(1, n),               \
                                   WORD_BYTES(2, n), WORD_BYTES(3, n), WORD_BYTES(4, n), WORD_BYTES(5, n),             \
                                   WORD_BYTES(6, n), WORD_BYTES(7, n)))
#define BOTH_BY_16(v) TURN_BYTES(v, 2)
#define BOTH_BY_8(v)  TURN_BYTES(v, 3)

struct matrices {
    rows a, b, c, d;
};

__attribute__((target("avx2"))) static void start_both(const struct rng parent[2], const uint64_t stream[2],
                                                       struct matrices *out)
{
    struct matrix x = start(parent[0].key, place_of_child(&parent[0], stream[0]));
    struct matrix y = start(parent[1].key, place_of_child(&parent[1], stream[1]));
    *out = (struct matrices){JOIN(x.a, y.a), JOIN(x.b, y.b), JOIN(x.c, y.c), JOIN(x.d, y.d)};
}

// A child's key is the first half of the block.
__attribute__((target("avx2"))) static void write_both(const struct matrices *m, const struct matrices *from,
                                                       struct rng child[2])
{
    rows a = m->a + from->a, b = m->b + from->b;
    row half[2][2] = {{LOW(a), LOW(b)}, {HIGH(a), HIGH(b)}};
    for (int i = 0; i < 2; i++) {
        child[i] = (struct rng){0};
        memcpy(child[i].key, half[i], sizeof child[i].key);
    }
}

__attribute__((target("avx2"))) static void split_four(const struct rng parent[4], const uint64_t stream[4],
                                                       struct rng child[4])
{
    struct matrices first, second;
    start_both(parent, stream, &first);
    start_both(parent + 2, stream + 2, &second);
    struct matrices m = first, n = second;
    for (int i = 0; i < ROUNDS; i += 2) {
        ROUNDS_OF(m, TURN_BOTH, BOTH_BY_16, BOTH_BY_8);
        ROUNDS_OF(n, TURN_BOTH, BOTH_BY_16, BOTH_BY_8);
    }
    write_both(&m, &first, child);
    write_both(&n, &second, child + 2);
}

#endif

void rng_split_several(const struct rng parent[], const uint64_t stream[], struct rng child[], int count, bool is_wide)
{
    int i = 0;
    (void)is_wide;
#ifdef __x86_64__
    for (; is_wide && i + 4 <= count; i += 4)
        split_four(parent + i, stream + i, child + i);
#endif
    for (; i + 2 <= count; i += 2)
        rng_split_two(parent + i, stream + i, child + i);
    if (i < count)
        child[i] = rng_split(&parent[i], stream[i]);
}
