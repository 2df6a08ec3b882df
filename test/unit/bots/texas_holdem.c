// The house player of Texas Hold'em: plays legally, sensibly, and clearly better than chance.
#include "games/texas_holdem/bots/bots.h"

#include "games/texas_holdem/rules/texas_holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct game *const g = &texas_holdem_game;

static struct game_action ask(const struct bot *bot, const struct texas_holdem_state *s, float aggro, struct rng *dice)
{
    struct texas_holdem_view v;
    struct game_choice choices[GAME_MAX_CHOICES];
    g->view(s, s->actor, &v);
    struct bot_ask question = {.game = g,
                               .view = &v,
                               .seat = s->actor,
                               .seats = s->seats,
                               .choices = choices,
                               .count = g->choices(s, s->actor, choices),
                               .fallback = g->fallback(s, s->actor),
                               .aggro = aggro,
                               .dice = dice};
    struct game_action a = bot->choose(&question);
    assert_true(game_is_legal(g, s, s->actor, a));
    return a;
}

// The rules bot takes the seats of `seats_of_rules`, the others are random; its share of the final chips.
static double play(uint32_t seed, int seats, seat_set seats_of_rules, float aggro)
{
    struct rng root = {.key = {seed, 77}}, dice = rng_split(&root, 1);
    struct texas_holdem_rules rules;
    struct texas_holdem_state s;
    int32_t payoffs[GAME_MAX_SEATS];
    double own = 0;
    g->defaults(&rules);
    assert_int_equal(g->init(&s, &rules, seats, rng_split(&root, 0), NULL), OK);
    while (g->turn(&s).kind != TURN_OVER) {
        bool knows = seats_of_rules & SEAT(s.actor);
        struct game_action a = ask(knows ? &texas_holdem_rules_bot : &bot_random, &s, aggro, &dice);
        assert_int_equal(g->apply(&s, s.actor, a, NULL), OK);
    }
    g->payoffs(&s, payoffs);
    for (int i = 0; i < seats; i++)
        own += seats_of_rules & SEAT(i) ? payoffs[i] : 0;
    return own / s.all_chips;
}

static void test_beats_random_heads_up(void **state)
{
    (void)state;
    double sum = 0;
    for (uint32_t seed = 0; seed < 600; seed++)
        sum += play(seed, 2, SEAT(seed % 2), 0.5f);
    assert_true(sum / 600 > 0.57); // chance: 0.5
}

static void test_beats_random_at_six_seats(void **state)
{
    (void)state;
    double sum = 0;
    for (uint32_t seed = 0; seed < 400; seed++)
        sum += play(seed, 6, SEAT(seed % 6), 0.5f);
    assert_true(sum / 400 > 1.25 / 6);
}

static void test_all_tables_and_tempers(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 24; seed++)
        play(seed, 2 + (int)(seed % 8), (seat_set)(SEAT(2 + seed % 8) - 1), (float)(seed % 3) / 2);
}

// The same question and dice give the same answer.
static void test_is_deterministic(void **state)
{
    (void)state;
    assert_true(play(5, 4, 5, 0.5f) == play(5, 4, 5, 0.5f));
}

// Hands that decide themselves, heads-up on the button. Dealt: seat 1, seat 0, seat 1, seat 0.
static void test_clear_hands(void **state)
{
    (void)state;
    static const struct {
        uint8_t hole[2];
        bool folds;
    } cases[] = {{{51, 50}, false}, {{47, 46}, false}, {{51, 47}, false}, {{0, 21}, true}, {{1, 18}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct texas_holdem_rules r;
        struct texas_holdem_state s;
        struct rng dice = {.key = {3}};
        uint8_t next = 0;
        g->defaults(&r);
        r.has_deck = 1;
        r.deck[1] = cases[i].hole[0], r.deck[3] = cases[i].hole[1];
        for (int k = 0; k < CARDS_IN_DECK; k++) {
            if (k == 1 || k == 3)
                continue;
            while (next == cases[i].hole[0] || next == cases[i].hole[1])
                next++;
            r.deck[k] = next++;
        }
        assert_int_equal(g->init(&s, &r, 2, dice, NULL), OK);
        assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = HOLDEM_CALL}, NULL), OK);
        assert_int_equal(g->apply(&s, 1, (struct game_action){.kind = HOLDEM_RAISE, .amount = 2000}, NULL), OK);
        assert_int_equal(ask(&texas_holdem_rules_bot, &s, 0.5f, &dice).kind == HOLDEM_FOLD, cases[i].folds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beats_random_heads_up),
        cmocka_unit_test(test_beats_random_at_six_seats),
        cmocka_unit_test(test_all_tables_and_tempers),
        cmocka_unit_test(test_is_deterministic),
        cmocka_unit_test(test_clear_hands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
