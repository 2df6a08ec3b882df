#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// Known answers of XXH3 64 (seed 0), one for each of its ways by length. Replays hold these hashes: they never change.
static void known_answers(void **unused)
{
    (void)unused;
    static const struct {
        size_t size;
        uint64_t hash;
    } cases[] = {
        {0, 0x2d06800538d394c2},   {1, 0xc44bdff4074eecdb},   {6, 0x27b56a84cd2d7325},    {12, 0xa713daf0dfbb77e7},
        {24, 0xa3fe70bf9d3510eb},  {48, 0x397da259ecba1f11},  {80, 0xbcdefbbb2c47c90a},   {195, 0xcd94217ee362ec3a},
        {403, 0xcdeb804d65c6dea4}, {512, 0x617e49599013cb6b}, {2048, 0xdd59e2c3a5f038e0}, {2240, 0x6e73a90539cf2948},
    };
    // The buffer of XXH3's own test suite.
    static uint8_t buffer[2240];
    uint64_t generator = 2654435761u;
    for (size_t i = 0; i < sizeof buffer; i++) {
        buffer[i] = (uint8_t)(generator >> 56);
        generator *= 11400714785074694797u;
    }
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (hash_bytes(buffer, cases[i].size) != cases[i].hash)
            fail_msg("%zu bytes: %016llx", cases[i].size, (unsigned long long)hash_bytes(buffer, cases[i].size));
}

static void one_bit_makes_another_hash(void **unused)
{
    (void)unused;
    uint8_t bytes[64] = {0};
    const uint64_t zero = hash_bytes(bytes, sizeof bytes);
    for (unsigned bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(hash_bytes(bytes, sizeof bytes) != zero);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(hash_bytes(bytes, sizeof bytes) == zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(one_bit_makes_another_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
