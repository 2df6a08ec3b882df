#include "game/cards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void in_order(uint8_t *deck, int count)
{
    for (int i = 0; i < count; i++)
        deck[i] = (uint8_t)i;
}

static struct rng deal_rng(uint32_t number)
{
    const uint8_t key[RNG_KEY_BYTES] = {4, 2};
    struct rng r = rng_from_key(key);
    return rng_section(&r, number);
}

static void ranks_and_suits_make_a_card(void **unused)
{
    (void)unused;
    for (int rank = 0; rank < 13; rank++)
        for (int suit = 0; suit < 4; suit++) {
            uint8_t card = (uint8_t)(4 * rank + suit);
            assert_int_equal(card_rank(card), rank);
            assert_int_equal(card_suit(card), suit);
        }
}

// F6.1 to the letter, drawing with U(n) alone.
static void slow_front(uint8_t *deck, int k, struct rng_draw *d)
{
    for (int i = 0; i <= k - 2; i++) {
        int j = i + (int)rng_draw_below(d, (uint32_t)(k - i));
        uint8_t card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
}

static void a_shuffle_is_the_one_of_the_rules(void **unused)
{
    (void)unused;
    for (uint32_t deal = 0; deal < 100; deal++)
        for (int count = 0; count <= CARDS_IN_DECK; count += 13) {
            uint8_t ours[CARDS_IN_DECK], slow[CARDS_IN_DECK];
            struct rng a = deal_rng(deal), b = a;
            struct rng_draw d;
            in_order(ours, count);
            in_order(slow, count);
            rng_begin(&d, &a);
            cards_draw(ours, count, 0, count, &d);
            rng_begin(&d, &b);
            slow_front(slow, count, &d);
            assert_memory_equal(ours, slow, (size_t)count);
            assert_int_equal(a.block, b.block); // the last card costs no draw
        }
}

// F6.1: items may be drawn when they are needed, the order is the same.
static void drawing_by_and_by_is_shuffling_at_once(void **unused)
{
    (void)unused;
    static const int stops[] = {0, 4, 7, 8, 9, 52};
    for (uint32_t deal = 0; deal < 100; deal++) {
        uint8_t at_once[CARDS_IN_DECK], by_and_by[CARDS_IN_DECK];
        struct rng a = deal_rng(deal), b = a;
        struct rng_draw d;
        in_order(at_once, CARDS_IN_DECK);
        in_order(by_and_by, CARDS_IN_DECK);
        rng_begin(&d, &a);
        cards_draw(at_once, CARDS_IN_DECK, 0, CARDS_IN_DECK, &d);
        rng_begin(&d, &b);
        for (unsigned i = 0; i + 1 < sizeof stops / sizeof *stops; i++)
            cards_draw(by_and_by, CARDS_IN_DECK, stops[i], stops[i + 1], &d);
        assert_memory_equal(at_once, by_and_by, sizeof at_once);
    }
}

// B9.4: from the back, exactly 31 bounded draws for 32 cards.
static void belote_shuffles_from_the_back(void **unused)
{
    (void)unused;
    for (uint32_t deal = 0; deal < 100; deal++) {
        uint8_t ours[32], slow[32];
        struct rng a = deal_rng(deal), b = a;
        struct rng_draw d, e;
        in_order(ours, 32);
        in_order(slow, 32);
        rng_begin(&d, &a);
        cards_shuffle_back(ours, 32, &d);
        rng_begin(&e, &b);
        for (int i = 31; i >= 1; i--) {
            int j = (int)rng_draw_below(&e, (uint32_t)i + 1);
            uint8_t card = slow[i];
            slow[i] = slow[j];
            slow[j] = card;
        }
        assert_memory_equal(ours, slow, sizeof ours);
        assert_int_equal(rng_draw_u32(&d), rng_draw_u32(&e));
    }
}

static void assert_all_there(const uint8_t *deck, int count)
{
    uint64_t seen = 0;
    for (int i = 0; i < count; i++)
        seen |= (uint64_t)1 << deck[i];
    assert_true(seen == ((uint64_t)1 << count) - 1);
}

// Every card in every place equally often, by either shuffle: 52 x 52 counts of mean 400 within six deviations.
static void every_card_may_lie_anywhere(void **unused)
{
    (void)unused;
    enum { DEALS = 400 * CARDS_IN_DECK };
    for (int back = 0; back < 2; back++) {
        static uint16_t seen[2][CARDS_IN_DECK][CARDS_IN_DECK];
        for (uint32_t deal = 0; deal < DEALS; deal++) {
            uint8_t deck[CARDS_IN_DECK];
            struct rng r = deal_rng(deal);
            struct rng_draw d;
            in_order(deck, CARDS_IN_DECK);
            rng_begin(&d, &r);
            if (back)
                cards_shuffle_back(deck, CARDS_IN_DECK, &d);
            else
                cards_draw(deck, CARDS_IN_DECK, 0, CARDS_IN_DECK, &d);
            assert_all_there(deck, CARDS_IN_DECK);
            for (int i = 0; i < CARDS_IN_DECK; i++)
                seen[back][i][deck[i]]++;
        }
        for (int i = 0; i < CARDS_IN_DECK; i++)
            for (int c = 0; c < CARDS_IN_DECK; c++)
                assert_in_range(seen[back][i][c], 400 - 120, 400 + 120);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_and_suits_make_a_card),
        cmocka_unit_test(a_shuffle_is_the_one_of_the_rules),
        cmocka_unit_test(drawing_by_and_by_is_shuffling_at_once),
        cmocka_unit_test(belote_shuffles_from_the_back),
        cmocka_unit_test(every_card_may_lie_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
