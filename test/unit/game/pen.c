#include "game/pen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { ROOM = 80, GUARD = 7 };

// Every count of flags at every offset below four, against one bit after the other; the elements around stay.
static void flags_are_the_bits_and_touch_nothing_else(void **unused)
{
    (void)unused;
    static const uint64_t words[] = {0, UINT64_MAX, UINT64_C(0x8000000180000001), UINT64_C(0x5A3C96F00FA5C369)};
    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        for (int count = 0; count <= 64; count++)
            for (int at = 0; at < 4; at++) {
                float f32[ROOM];
                uint8_t u8[ROOM];
                for (int i = 0; i < ROOM; i++)
                    f32[i] = u8[i] = GUARD;
                pen_flags(pen_f32(f32), at, words[w], count);
                pen_flags(pen_u8(u8), at, words[w], count);
                for (int i = 0; i < ROOM; i++) {
                    int wanted = i < at || i >= at + count ? GUARD : (int)(words[w] >> (i - at) & 1);
                    assert_true(f32[i] == (float)wanted);
                    assert_int_equal(u8[i], wanted);
                }
            }
}

static void bytes_are_floors_of_shares_and_counts_themselves(void **unused) // V33
{
    (void)unused;
    float f32[2] = {-1, -1};
    uint8_t u8[2] = {0};
    for (int n = 0; n <= 200; n++) {
        pen_share(pen_f32(f32), 0, (float)n / 200);
        pen_share(pen_u8(u8), 0, (float)n / 200);
        pen_count(pen_f32(f32), 1, n, 200);
        pen_count(pen_u8(u8), 1, n, 200);
        assert_true(f32[0] == (float)n / 200 && f32[1] == f32[0]);
        assert_int_equal(u8[0], n * 255 / 200);
        assert_int_equal(u8[1], n);
    }
}

// Every fraction of whole numbers up to 1000: no division, and the byte that the float leads to.
static void parts_are_the_same_bytes_without_a_division(void **unused) // V33
{
    (void)unused;
    for (int whole = 1; whole <= 1000; whole++)
        for (int part = 0; part <= whole; part++) {
            float f32 = -1;
            uint8_t u8 = 0;
            pen_part(pen_f32(&f32), 0, part, whole);
            pen_part(pen_u8(&u8), 0, part, whole);
            if (u8 != (uint8_t)(int)(f32 * 255))
                fail_msg("%d of %d: %d, not %f", part, whole, u8, (double)(f32 * 255));
        }
}

static void sixteen_floors_are_those_of_single_shares(void **unused) // V33
{
    (void)unused;
    for (int n = 0; n < 4000; n += 16) { // up to more than 1
        pen_floats share[4];
        uint8_t one, four[4];
        for (int i = 0; i < 16; i++)
            share[i / 4][i % 4] = (float)(n + i) / 3000;
        pen_bytes sixteen = pen_floors(share[0], share[1], share[2], share[3]);
        for (int i = 0; i < 16; i++) {
            pen_share(pen_u8(&one), 0, share[i / 4][i % 4]);
            pen_shares(pen_u8(four), 0, share[i / 4]);
            assert_int_equal(sixteen[i], one);
            assert_int_equal(four[i % 4], one);
        }
    }
}

static void one_of_a_run_may_be_none(void **unused)
{
    (void)unused;
    assert_true(pen_one_of(0) == 1);
    assert_true(pen_one_of(63) == UINT64_C(1) << 63);
    assert_true(pen_one_of(64) == 0);
    assert_true(pen_one_of(255) == 0);
    assert_true(pen_one_of((unsigned)-1) == 0);
}

// Bytes of every count, at offsets that no vector divides.
static void bytes_become_elements_and_touch_nothing_else(void **unused)
{
    (void)unused;
    uint8_t bytes[ROOM];
    for (int i = 0; i < ROOM; i++)
        bytes[i] = (uint8_t)(i % 3 ? 37 * i % 256 : 0);
    for (int count = 0; count <= 70; count++)
        for (int at = 0; at < 4; at++) {
            float f32[ROOM], taken_f32[ROOM];
            uint8_t u8[ROOM], taken_u8[ROOM];
            for (int i = 0; i < ROOM; i++)
                f32[i] = taken_f32[i] = u8[i] = taken_u8[i] = GUARD;
            pen_copy(pen_f32(f32), at, bytes, count, 0.25f);
            pen_copy(pen_u8(u8), at, bytes, count, 0.25f);
            if (count >= 16) {
                pen_taken(pen_f32(taken_f32), at, bytes, count);
                pen_taken(pen_u8(taken_u8), at, bytes, count);
            }
            for (int i = 0; i < ROOM; i++) {
                bool inside = i >= at && i < at + count;
                int wanted = inside ? bytes[i - at] : GUARD, taken = inside && count >= 16 ? wanted != 0 : GUARD;
                assert_true(f32[i] == (inside ? 0.25f : 1.0f) * (float)wanted && taken_f32[i] == (float)taken);
                assert_int_equal(u8[i], wanted);
                assert_int_equal(taken_u8[i], taken);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_elements_and_touch_nothing_else),
        cmocka_unit_test(flags_are_the_bits_and_touch_nothing_else),
        cmocka_unit_test(bytes_are_floors_of_shares_and_counts_themselves),
        cmocka_unit_test(parts_are_the_same_bytes_without_a_division),
        cmocka_unit_test(sixteen_floors_are_those_of_single_shares),
        cmocka_unit_test(one_of_a_run_may_be_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
