// The rounds of ChaCha8. Private to rng.c and rng_several.c.
#pragma once

#include "base/rng.h"

#include <string.h>

// Four lanes at once: one row of ChaCha's 4x4 matrix.
typedef uint32_t row __attribute__((vector_size(16)));

enum { ROUNDS = 8, DRAW = 0, SPLIT = 0x74696c70 }; // word 15 separates draws from children ("plit")

#define ROTATE(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define TURN(v, n)   __builtin_shufflevector(v, v, (n) % 4, ((n) + 1) % 4, ((n) + 2) % 4, ((n) + 3) % 4)

// Rotations by whole bytes: a single shuffle instruction on some machines, and a block is one long dependency chain of
// them.
#ifdef __SSSE3__
typedef uint8_t row_bytes __attribute__((vector_size(16)));
#define ROTATE_16(v)                                                                                                   \
    ((row)__builtin_shufflevector((row_bytes)(v), (row_bytes)(v), 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
#define ROTATE_8(v)                                                                                                    \
    ((row)__builtin_shufflevector((row_bytes)(v), (row_bytes)(v), 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14))
#else
#define ROTATE_16(v) ROTATE(v, 16)
#define ROTATE_8(v)  ROTATE(v, 8)
#endif

#define QUARTERS(m, BY_16, BY_8)                                                                                       \
    do {                                                                                                               \
        (m).a += (m).b, (m).d ^= (m).a, (m).d = BY_16((m).d);                                                          \
        (m).c += (m).d, (m).b ^= (m).c, (m).b = ROTATE((m).b, 12);                                                     \
        (m).a += (m).b, (m).d ^= (m).a, (m).d = BY_8((m).d);                                                           \
        (m).c += (m).d, (m).b ^= (m).c, (m).b = ROTATE((m).b, 7);                                                      \
    } while (0)

// Between columns and diagonals the rows are rotated against each other. b is ready last and needed first, so it is not
// moved.
#define ROUNDS_OF(m, TURN_BY, BY_16, BY_8)                                                                             \
    do {                                                                                                               \
        QUARTERS(m, BY_16, BY_8);                                                                                      \
        (m).a = TURN_BY((m).a, 3), (m).c = TURN_BY((m).c, 1), (m).d = TURN_BY((m).d, 2);                               \
        QUARTERS(m, BY_16, BY_8);                                                                                      \
        (m).a = TURN_BY((m).a, 1), (m).c = TURN_BY((m).c, 3), (m).d = TURN_BY((m).d, 2);                               \
    } while (0)
#define TWO_ROUNDS(m) ROUNDS_OF(m, TURN, ROTATE_16, ROTATE_8)

struct matrix {
    row a, b, c, d;
};

static inline __attribute__((always_inline)) struct matrix start(const uint32_t key[8], row where)
{
    struct matrix m = {.a = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, .d = where}; // "expand 32-byte k"
    memcpy(&m.b, key, sizeof m.b);
    memcpy(&m.c, key + 4, sizeof m.c);
    return m;
}

static inline row place_of_child(const struct rng *parent, uint64_t stream)
{
    return (row){(uint32_t)stream, (uint32_t)(stream >> 32), parent->section, SPLIT};
}
