#include "base/rng.h"
#include "base/rng_several.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

// ChaCha as its paper tells it, one word at a time: the second opinion.
static uint32_t left(uint32_t v, int n)
{
    return v << n | v >> (32 - n);
}

static void quarter(uint32_t x[16], int a, int b, int c, int d)
{
    static const int turn[] = {16, 12, 8, 7};
    for (int i = 0; i < 4; i += 2) {
        x[a] += x[b], x[d] = left(x[d] ^ x[a], turn[i]);
        x[c] += x[d], x[b] = left(x[b] ^ x[c], turn[i + 1]);
    }
}

static void slow_block(const uint32_t key[8], const uint32_t where[4], uint32_t out[16])
{
    static const int quarters[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                       {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
    uint32_t in[16], x[16];
    memcpy(in, "expand 32-byte k", 16);
    memcpy(in + 4, key, 32);
    memcpy(in + 12, where, 16);
    memcpy(x, in, sizeof x);
    for (int round = 0; round < 8; round++)
        for (int q = 0; q < 4; q++) {
            const int *i = quarters[round % 2 * 4 + q];
            quarter(x, i[0], i[1], i[2], i[3]);
        }
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + in[i];
}

static struct rng test_rng(void)
{
    uint8_t key[RNG_KEY_BYTES];
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        key[i] = (uint8_t)(7 * i + 1);
    return rng_from_key(key);
}

static void the_published_vector(void **unused)
{
    (void)unused;
    // ChaCha8, 256-bit key and nonce all zero: the first two blocks of the stream.
    static const uint8_t stream[128] = {
        0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6, 0x7f, 0x5b, 0xb8, 0xe8, 0x1f, 0x09, 0xa5, 0xa1,
        0x2c, 0x84, 0x0e, 0xc3, 0xce, 0x9a, 0x7f, 0x3b, 0x18, 0x1b, 0xe1, 0x88, 0xef, 0x71, 0x1a, 0x1e,
        0x98, 0x4c, 0xe1, 0x72, 0xb9, 0x21, 0x6f, 0x41, 0x9f, 0x44, 0x53, 0x67, 0x45, 0x6d, 0x56, 0x19,
        0x31, 0x4a, 0x42, 0xa3, 0xda, 0x86, 0xb0, 0x01, 0x38, 0x7b, 0xfd, 0xb8, 0x0e, 0x0c, 0xfe, 0x42,
        0xd2, 0xae, 0xfa, 0x0d, 0xea, 0xa5, 0xc1, 0x51, 0xbf, 0x0a, 0xdb, 0x6c, 0x01, 0xf2, 0xa5, 0xad,
        0xc0, 0xfd, 0x58, 0x12, 0x59, 0xf9, 0xa2, 0xaa, 0xdc, 0xf2, 0x0f, 0x8f, 0xd5, 0x66, 0xa2, 0x6b,
        0x50, 0x32, 0xec, 0x38, 0xbb, 0xc5, 0xda, 0x98, 0xee, 0x0c, 0x6f, 0x56, 0x8b, 0x87, 0x2a, 0x65,
        0xa0, 0x8a, 0xbf, 0x25, 0x1d, 0xeb, 0x21, 0xbb, 0x4b, 0x56, 0xe5, 0xd8, 0x82, 0x1e, 0x68, 0xaa,
    };
    static const uint8_t key[RNG_KEY_BYTES];
    struct rng r = rng_from_key(key);
    struct rng_draw d;
    rng_begin(&d, &r);
    for (int i = 0; i < 32; i++) {
        uint32_t word = rng_draw_u32(&d);
        for (int b = 0; b < 4; b++)
            assert_int_equal(word >> 8 * b & 255, stream[4 * i + b]);
    }
}

static void draws_are_the_blocks_of_the_slow_one(void **unused)
{
    (void)unused;
    struct rng root = test_rng();
    for (uint32_t section = 0; section < 5; section++) {
        struct rng r = rng_section(&root, section * 0x40000001u);
        struct rng_draw d;
        rng_begin(&d, &r);
        for (uint32_t block = 0; block < 5; block++) {
            uint32_t expected[16];
            slow_block(root.key, (uint32_t[]){block, section * 0x40000001u, 0, 0}, expected);
            for (int i = 0; i < 16; i++)
                assert_int_equal(rng_draw_u32(&d), expected[i]);
        }
        assert_int_equal(r.block, 5);
    }
}

static void children_are_blocks_that_are_never_drawn(void **unused)
{
    (void)unused;
    struct rng root = test_rng(), late = rng_section(&root, 3);
    late.block = 9; // where the parent stands in its section is nothing to the child
    const uint64_t streams[] = {0, 1, 0x100000000, UINT64_MAX};
    for (int i = 0; i < 4; i++)
        for (int s = 0; s < 2; s++) {
            struct rng child = rng_split(s ? &late : &root, streams[i]);
            uint32_t expected[16];
            slow_block(root.key,
                       (uint32_t[]){(uint32_t)streams[i], (uint32_t)(streams[i] >> 32), s ? 3 : 0, 0x74696c70},
                       expected);
            assert_memory_equal(child.key, expected, sizeof child.key);
            assert_true(child.section == 0 && child.block == 0);
        }
}

static void two_children_at_once_are_the_same(void **unused)
{
    (void)unused;
    struct rng root = test_rng(), parents[2] = {root, rng_section(&root, 5)}, children[2];
    const uint64_t streams[2] = {1, UINT64_C(0x200000003)};
    rng_split_two(parents, streams, children);
    for (int i = 0; i < 2; i++) {
        struct rng child = rng_split(&parents[i], streams[i]);
        assert_memory_equal(&children[i], &child, sizeof child);
    }
}

// Any number: they are made by fours, by twos and one by one.
static void several_children_at_once_are_the_same(void **unused)
{
    (void)unused;
    enum { MOST = 11 };
    struct rng root = test_rng(), parents[MOST], children[MOST];
    uint64_t streams[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        struct rng child = rng_split(&root, i);
        parents[i] = rng_section(&child, 5 * i);
        streams[i] = UINT64_C(0x200000003) * i + 1;
    }
    bool is_wide = false;
#ifdef __x86_64__
    is_wide = __builtin_cpu_supports("avx2");
#endif
    for (int way = 0; way <= is_wide; way++)
        for (int count = 1; count <= MOST; count++) {
            memset(children, 0xAA, sizeof children);
            rng_split_several(parents, streams, children, count, way);
            for (int i = 0; i < count; i++) {
                struct rng child = rng_split(&parents[i], streams[i]);
                assert_memory_equal(&children[i], &child, sizeof child);
            }
        }
}

static void single_draws_cost_a_block(void **unused)
{
    (void)unused;
    struct rng a = test_rng(), b = test_rng();
    struct rng_draw d;
    rng_begin(&d, &b);
    uint32_t low = rng_draw_u32(&d), high = rng_draw_u32(&d);
    assert_true(rng_u64(&a) == ((uint64_t)high << 32 | low));
    assert_int_equal(a.block, 1);
    rng_begin(&d, &b); // what was left of the block is dropped
    assert_int_equal(rng_u32(&a), rng_draw_u32(&d));
    assert_int_equal(a.block, b.block);
    rng_begin(&d, &b);
    assert_int_equal(rng_below(&a, 52), rng_draw_below(&d, 52));
}

static void sections_and_children_never_shift_each_other(void **unused)
{
    (void)unused;
    struct rng calm = test_rng(), busy = test_rng();
    for (int i = 0; i < 100; i++)
        rng_u32(&busy);
    struct rng a = rng_section(&calm, 7), b = rng_section(&busy, 7), c = rng_split(&calm, 7), d = rng_split(&busy, 7);
    for (int i = 0; i < 20; i++) {
        uint64_t of_section = rng_u64(&a), of_child = rng_u64(&c);
        assert_true(of_section == rng_u64(&b));
        assert_true(of_child == rng_u64(&d));
        assert_true(of_section != of_child);
    }
}

// First draws of many streams: all different, each bit set half the time.
static void streams_look_independent(void **unused)
{
    (void)unused;
    enum { STREAMS = 4096 };
    static uint64_t first[2 * STREAMS];
    struct rng root = test_rng();
    int ones[64] = {0};
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct rng section = rng_section(&root, i), child = rng_split(&root, i);
        first[2 * i] = rng_u64(&section);
        first[2 * i + 1] = rng_u64(&child);
    }
    for (int i = 0; i < 2 * STREAMS; i++)
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += (int)(first[i] >> bit & 1);
    for (int bit = 0; bit < 64; bit++) // mean 4096, deviation 45: five of them
        assert_in_range(ones[bit], 4096 - 226, 4096 + 226);
    for (int i = 0; i < 2 * STREAMS; i++)
        for (int k = 0; k < i && k < 64; k++)
            assert_true(first[i] != first[k]);
}

static void below_is_even(void **unused)
{
    (void)unused;
    // The bound of chi-square that a true one passes with 0.99999, by degrees of freedom.
    static const struct {
        uint32_t n;
        double bound;
    } cases[] = {{2, 19.5}, {3, 23.0}, {6, 30.9}, {7, 33.1}, {32, 81.0}, {52, 112.0}};
    struct rng r = test_rng();
    struct rng_draw d;
    rng_begin(&d, &r);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t n = cases[i].n, seen[52] = {0};
        const int draws = 20000 * (int)n;
        for (int k = 0; k < draws; k++) {
            uint32_t v = rng_draw_below(&d, n);
            assert_true(v < n);
            seen[v]++;
        }
        double chi = 0;
        for (uint32_t v = 0; v < n; v++) {
            double off = (double)seen[v] - 20000;
            chi += off * off / 20000;
        }
        assert_true(chi < cases[i].bound);
    }
}

// With n = 3 x 2^30 a plain high half gives every third value twice as often: the rest must be drawn again.
static void below_is_even_where_it_hurts(void **unused)
{
    (void)unused;
    enum { DRAWS = 300000 };
    struct rng r = test_rng();
    struct rng_draw d;
    rng_begin(&d, &r);
    int seen[3] = {0};
    for (int i = 0; i < DRAWS; i++)
        seen[rng_draw_below(&d, 3u << 30) % 3]++;
    for (int i = 0; i < 3; i++)
        assert_in_range(seen[i], DRAWS / 3 - 1300, DRAWS / 3 + 1300); // five deviations
    assert_int_equal(rng_draw_below(&d, 1), 0);
}

// Replays and published deals rest on these: they never change.
static void first_draws_are_fixed(void **unused)
{
    (void)unused;
    static const uint32_t below_52[] = {37, 13, 0, 2, 44, 21, 33, 13};
    struct rng root = test_rng(), r = root, child = rng_split(&root, 1), hand = rng_section(&child, 2);
    struct rng_draw d;
    assert_true(rng_u64(&r) == 0xee2d74ec9b277b9a);
    assert_true(rng_u64(&child) == 0x144abc5fec7dab5f);
    assert_true(rng_u64(&hand) == 0xf1779f8dab97a5ab);
    rng_begin(&d, &hand);
    for (unsigned i = 0; i < sizeof below_52 / sizeof *below_52; i++)
        assert_int_equal(rng_draw_below(&d, 52), below_52[i]);
}

static void an_rng_is_forty_plain_bytes(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(struct rng), 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vector),
        cmocka_unit_test(draws_are_the_blocks_of_the_slow_one),
        cmocka_unit_test(children_are_blocks_that_are_never_drawn),
        cmocka_unit_test(two_children_at_once_are_the_same),
        cmocka_unit_test(several_children_at_once_are_the_same),
        cmocka_unit_test(single_draws_cost_a_block),
        cmocka_unit_test(sections_and_children_never_shift_each_other),
        cmocka_unit_test(streams_look_independent),
        cmocka_unit_test(below_is_even),
        cmocka_unit_test(below_is_even_where_it_hurts),
        cmocka_unit_test(first_draws_are_fixed),
        cmocka_unit_test(an_rng_is_forty_plain_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
