// The evaluator against a slow and obvious one.
#include "slow_eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CARDS = 52 };

// F6.T13: how often each category occurs among all hands of five cards.
static void test_slow_counts_five_cards(void **state)
{
    (void)state;
    static const int expected[EVAL_CATEGORIES] = {1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4};
    int count[EVAL_CATEGORIES] = {0};
    uint8_t c[5];
    for (c[0] = 0; c[0] < CARDS; c[0]++)
        for (c[1] = (uint8_t)(c[0] + 1); c[1] < CARDS; c[1]++)
            for (c[2] = (uint8_t)(c[1] + 1); c[2] < CARDS; c[2]++)
                for (c[3] = (uint8_t)(c[2] + 1); c[3] < CARDS; c[3]++)
                    for (c[4] = (uint8_t)(c[3] + 1); c[4] < CARDS; c[4]++)
                        count[slow5(c) >> 20]++;
    for (int i = 0; i < EVAL_CATEGORIES; i++)
        assert_int_equal(count[i], expected[i]);
}

// Both orders agree: strengths[i] is the fast one of a hand whose slow value is values[i].
static int value_of_strength[1 << 16];

static void agree(const uint8_t cards[7])
{
    int strength = eval7(cards), value = slow7(cards);
    assert_int_equal(eval_category(strength), value >> 20);
    if (value_of_strength[strength] == 0)
        value_of_strength[strength] = value + 1;
    assert_int_equal(value_of_strength[strength], value + 1);
}

static void agree_in_order(void)
{
    int last = 0;
    for (int i = 0; i < 1 << 16; i++)
        if (value_of_strength[i]) {
            assert_true(value_of_strength[i] > last);
            last = value_of_strength[i];
        }
}

// Every way to have seven ranks, with suits that never make five of one: card i of the hand takes the next free suit.
static int check_ranks(uint8_t hand[7], int n, int rank, int copies)
{
    if (n == 7) {
        agree(hand);
        return 1;
    }
    int checked = 0;
    for (int r = rank; r < 13; r++) {
        int had = r == rank ? copies : 0;
        if (had == 4)
            continue;
        // A rank met once alternates its suit with n; further copies take the other suits in turn.
        hand[n] = (uint8_t)(4 * r + (had ? (hand[n - 1] + 1) % 4 : n % 4));
        checked += check_ranks(hand, n + 1, r, had + 1);
    }
    return checked;
}

static void test_every_ranking_without_flush(void **state)
{
    (void)state;
    uint8_t hand[7];
    assert_int_equal(check_ranks(hand, 0, 0, 0), 49205);
}

// Every flush: all rank masks of five to seven cards of each suit, the rest from other suits.
static void test_every_flush(void **state)
{
    (void)state;
    int checked = 0;
    for (int suit = 0; suit < 4; suit++)
        for (unsigned mask = 0; mask < 1u << 13; mask++) {
            int size = __builtin_popcount(mask);
            if (size < 5 || size > 7)
                continue;
            uint8_t hand[7];
            int n = 0;
            for (int r = 0; r < 13; r++)
                if (mask >> r & 1)
                    hand[n++] = (uint8_t)(4 * r + suit);
            for (int r = (int)(mask % 13); n < 7; r = (r + 5) % 13)
                hand[n] = (uint8_t)(4 * r + (suit + 1) % 4), n++;
            agree(hand);
            checked++;
        }
    assert_int_equal(checked, 4 * (1287 + 1716 + 1716));
}

static void test_random_hands_in_any_order(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (int i = 0; i < 60000; i++) {
        uint8_t hand[7];
        uint64_t seen = 0;
        for (int n = 0; n < 7;) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            int card = (int)((seed >> 33) % CARDS);
            if (seen >> card & 1)
                continue;
            seen |= UINT64_C(1) << card;
            hand[n++] = (uint8_t)card;
        }
        agree(hand);
    }
    agree_in_order();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_counts_five_cards),
        cmocka_unit_test(test_every_ranking_without_flush),
        cmocka_unit_test(test_every_flush),
        cmocka_unit_test(test_random_hands_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
