// Which cards a key deals (F6.T4, F6.1): against the rule as it is written in docs/games/texas_holdem.md, with
// divisions and one swap after the other.
#include "games/texas_holdem/rules/texas_holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct game *const g = &texas_holdem_game;
static struct game_events heard;

enum { BY_LOT = 9 };

static uint32_t word_of(const struct rng *chance, uint32_t number)
{
    struct rng r = rng_section(chance, 0);
    struct rng_draw draw;
    uint32_t word = 0;
    rng_begin(&draw, &r);
    for (uint32_t i = 0; i <= number; i++)
        word = rng_draw_u32(&draw);
    return word;
}

// One combination of draws, below[0] x below[1] x .. of them, then its digits; false when the word is of the surplus.
static bool take_apart(uint32_t word, const uint32_t *below, int count, uint32_t *draw)
{
    uint64_t all = 1;
    for (int i = 0; i < count; i++)
        all *= below[i];
    uint64_t combination = word * all >> 32;
    for (int i = count; i-- > 0; combination /= below[i])
        draw[i] = (uint32_t)(combination % below[i]);
    return (uint32_t)(word * all) >= (UINT64_C(1) << 32) % all;
}

static void swap(uint8_t *a, uint8_t *b)
{
    uint8_t t = *a;
    *a = *b;
    *b = t;
}

// The whole deck of a hand; whether its lot was fair.
static bool shuffle(const struct rng *chance, uint32_t hand, uint8_t deck[CARDS_IN_DECK])
{
    static const uint32_t even[] = {52, 50, 48, 46, 44}, odd[] = {51, 49, 47, 45};
    uint32_t first[5], second[4];
    bool fair = take_apart(word_of(chance, 2 * hand - 2), even, 5, first);
    fair = take_apart(word_of(chance, 2 * hand - 1), odd, 4, second) && fair;
    for (uint8_t c = 0; c < CARDS_IN_DECK; c++)
        deck[c] = c;
    for (uint32_t i = 0; fair && i < BY_LOT; i++)
        swap(&deck[i], &deck[i + (i % 2 ? second : first)[i / 2]]);
    struct rng section = rng_section(chance, hand);
    struct rng_draw draw;
    rng_begin(&draw, &section);
    cards_draw(deck, CARDS_IN_DECK, fair ? BY_LOT : 0, CARDS_IN_DECK, &draw);
    return fair;
}

static void act(struct texas_holdem_state *s, int kind)
{
    heard.count = 0;
    assert_int_equal(g->apply(s, s->actor, (struct game_action){.kind = (uint8_t)kind}, &heard), OK);
    assert_null(g->check(s));
}

static void expect_hole(const struct texas_holdem_state *s, const uint8_t *deck)
{
    struct texas_holdem_view v;
    for (int i = 0; i < s->seats; i++) {
        g->view(s, (s->button + 1 + i) % s->seats, &v);
        assert_int_equal(v.hole[0], deck[i]);
        assert_int_equal(v.hole[1], deck[s->seats + i]);
    }
}

// F6.T4: one card each from left of the button, twice, then the board, no burns. Two seats need the lot alone, nine a
// good deal more; twenty hands need three blocks of lots.
static void every_hand_of_a_match(void **unused)
{
    (void)unused;
    for (int seats = 2; seats <= HOLDEM_SEATS; seats++) {
        const struct rng chance = {.key = {1, 2, 3, 4, 5, 6, 7, (uint32_t)seats}};
        struct texas_holdem_rules r;
        struct texas_holdem_state s;
        g->defaults(&r);
        r.max_hands = 20;
        r.blinds_double_at = 0;
        assert_int_equal(g->init(&s, &r, seats, chance, &heard), OK);
        for (uint32_t hand = 1; hand <= 20; hand++) {
            uint8_t deck[CARDS_IN_DECK];
            struct texas_holdem_view v;
            shuffle(&chance, hand, deck);
            assert_int_equal(s.hand, hand);
            expect_hole(&s, deck);
            while (s.hand == hand && s.phase != HOLDEM_DONE)
                act(&s, s.current_bet > s.bet[s.actor] ? HOLDEM_CALL : HOLDEM_CHECK);
            g->view(&s, 0, &v); // of the hand before, be its lot in this block or in the one before
            assert_int_equal(v.last.number, hand);
            assert_memory_equal(v.last.board, deck + 2 * seats, 5);
        }
    }
}

// A lot of the surplus is not used, or some cards would come more often; nobody listening, all the same.
static void unfair_lots_are_left_aside(void **unused)
{
    (void)unused;
    enum { KEYS = 6000 };
    int unfair = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        const struct rng chance = {.key = {key, 7}};
        uint8_t deck[CARDS_IN_DECK];
        struct texas_holdem_rules r;
        struct texas_holdem_state s, deaf;
        struct texas_holdem_view v;
        unfair += !shuffle(&chance, 1, deck);
        g->defaults(&r);
        r.max_hands = 1;
        assert_int_equal(g->init(&s, &r, 2, chance, &heard), OK);
        expect_hole(&s, deck);
        deaf = s;
        act(&s, HOLDEM_ALLIN);
        act(&s, HOLDEM_CALL);
        g->view(&s, 0, &v);
        assert_memory_equal(v.last.board, deck + 4, 5);
        assert_int_equal(g->apply(&deaf, 0, (struct game_action){.kind = HOLDEM_ALLIN}, NULL), OK);
        assert_int_equal(g->apply(&deaf, 1, (struct game_action){.kind = HOLDEM_CALL}, NULL), OK);
        assert_memory_equal(&deaf, &s, sizeof s);
    }
    assert_in_range(unfair, 1, 20); // 5.7 are to be expected
}

// Each card as often at each of the nine places.
static void all_cards_are_as_likely(void **unused)
{
    (void)unused;
    enum { KEYS = 20000 };
    static int seen[BY_LOT][CARDS_IN_DECK];
    for (uint32_t key = 0; key < KEYS; key++) {
        const struct rng chance = {.key = {key, 11}};
        struct texas_holdem_rules r;
        struct texas_holdem_state s;
        struct texas_holdem_view v;
        g->defaults(&r);
        r.max_hands = 1;
        assert_int_equal(g->init(&s, &r, 2, chance, NULL), OK);
        assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = HOLDEM_ALLIN}, NULL), OK);
        assert_int_equal(g->apply(&s, 1, (struct game_action){.kind = HOLDEM_CALL}, NULL), OK);
        g->view(&s, 0, &v);
        for (int i = 0; i < 4; i++)
            seen[i][v.last.cards[i % 2 ? 0 : 1][i / 2]]++; // seat 1 is left of the button
        for (int i = 0; i < 5; i++)
            seen[4 + i][v.last.board[i]]++;
    }
    for (int i = 0; i < BY_LOT; i++)
        for (int c = 0; c < CARDS_IN_DECK; c++)
            assert_in_range(seen[i][c], KEYS / CARDS_IN_DECK - 98, KEYS / CARDS_IN_DECK + 98); // five deviations
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hand_of_a_match),
        cmocka_unit_test(unfair_lots_are_left_aside),
        cmocka_unit_test(all_cards_are_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
