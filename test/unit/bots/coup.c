#include "games/coup/bots/bots.h"

#include "games/coup/rules/coup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static const struct game *const g = &coup_game;

static struct rng stream_of(uint32_t n)
{
    uint8_t key[RNG_KEY_BYTES] = {(uint8_t)n, (uint8_t)(n >> 8), 'b'};
    return rng_from_key(key);
}

static struct game_action ask_bot(const struct bot *b, const struct coup_state *s, int seat, float aggro,
                                  struct rng *dice)
{
    struct coup_view view;
    struct game_choice list[GAME_MAX_CHOICES];
    g->view(s, seat, &view);
    struct bot_ask ask = {.game = g,
                          .view = &view,
                          .seat = seat,
                          .seats = s->seats,
                          .choices = list,
                          .count = g->choices(s, seat, list),
                          .fallback = g->fallback(s, seat),
                          .aggro = aggro,
                          .dice = dice};
    struct game_action a = b->choose(&ask);
    assert_true(game_has_choice(list, ask.count, a)); // always legal
    return a;
}

// One match of `me` at seat `hero` against `others`; true when it won.
static bool wins(const struct bot *me, const struct bot *others, int seats, int hero, uint32_t match, float aggro)
{
    struct coup_state s;
    struct coup_rules r;
    struct rng chance = stream_of(match), dice = rng_split(&chance, 7);
    g->defaults(&r);
    r.windows = match & 1;
    r.ask_single = match >> 1 & 1;
    assert_int_equal(g->init(&s, &r, seats, chance, NULL), OK);
    while (s.phase != COUP_PHASE_DONE) {
        unsigned asked = s.asked;
        for (uint32_t skip = rng_below(&dice, (uint32_t)__builtin_popcount(asked)); skip; skip--)
            asked &= asked - 1;
        int seat = __builtin_ctz(asked);
        struct game_action a = ask_bot(seat == hero ? me : others, &s, seat, aggro, &dice);
        assert_int_equal(g->apply(&s, seat, a, NULL), OK);
    }
    return s.won == 1 << hero;
}

static int count_wins(const struct bot *me, const struct bot *others, int seats, int matches, float aggro)
{
    int won = 0;
    for (int i = 0; i < matches; i++)
        won += wins(me, others, seats, i % seats, (uint32_t)i, aggro);
    return won;
}

// Alone against one to five random players it wins three in four, whatever the fair share.
static void test_beats_random(void **state)
{
    (void)state;
    for (int seats = 2; seats <= COUP_MAX_SEATS; seats++)
        assert_true(count_wins(&coup_rules_bot, &bot_random, seats, 300, 0.5f) > 225);
}

static void test_beats_fallback(void **state)
{
    (void)state;
    for (int seats = 2; seats <= COUP_MAX_SEATS; seats++)
        assert_true(count_wins(&coup_rules_bot, &bot_fallback, seats, 100, 0.5f) * seats > 150);
}

static void test_plays_legally_at_every_aggro(void **state)
{
    (void)state;
    for (int step = 0; step <= 4; step++)
        for (int seats = 2; seats <= COUP_MAX_SEATS; seats++)
            count_wins(&coup_rules_bot, &coup_rules_bot, seats, 40, (float)step / 4);
}

// What it does where there is one sensible answer.
static void test_obvious_answers(void **state)
{
    (void)state;
    struct coup_state s;
    struct coup_rules r;
    struct rng dice = stream_of(1);
    g->defaults(&r);
    const uint8_t hands[3][2] = {{COUP_DUKE, COUP_CONTESSA}, {COUP_DUKE, COUP_DUKE}, {COUP_CAPTAIN, COUP_CAPTAIN}};
    memcpy(r.hands, hands, sizeof hands);
    assert_int_equal(g->init(&s, &r, 3, stream_of(2), NULL), OK);
    assert_int_equal(ask_bot(&coup_rules_bot, &s, 0, 0.5f, &dice).kind, COUP_TAX); // holds the Duke
    s.seat[0].coins = 7;
    s.seat[2].coins = 6;
    struct game_action a = ask_bot(&coup_rules_bot, &s, 0, 0.5f, &dice);
    assert_int_equal(a.kind, COUP_COUP);
    assert_int_equal(a.arg[0], 2); // the leader

    // Two Dukes in hand and one face up: a third Duke is a lie.
    struct coup_state lie = s;
    lie.seat[0].up = 1;
    assert_int_equal(g->apply(&lie, 0, (struct game_action){.kind = COUP_TAX}, NULL), OK);
    assert_int_equal(ask_bot(&coup_rules_bot, &lie, 1, 0, &dice).kind, COUP_CHALLENGE);

    // A Duke stops foreign aid, a Captain stops a theft.
    struct coup_state aid = s;
    assert_int_equal(g->apply(&aid, 0, (struct game_action){.kind = COUP_FOREIGN_AID}, NULL), OK);
    assert_int_equal(ask_bot(&coup_rules_bot, &aid, 1, 0, &dice).kind, COUP_BLOCK);
    assert_int_equal(ask_bot(&coup_rules_bot, &aid, 2, 0, &dice).kind, COUP_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beats_random),
        cmocka_unit_test(test_beats_fallback),
        cmocka_unit_test(test_plays_legally_at_every_aggro),
        cmocka_unit_test(test_obvious_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
