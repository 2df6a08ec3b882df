// Leduc poker, rule by rule (K1, K3). What it shares with Kuhn poker is tested there.
#include "games/leduc_poker/rules/leduc_poker.h"

#include "solve/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct game *const g = &leduc_poker_game;

typedef struct leduc_poker_state state;

static const uint8_t cards[HANDS_CARDS] = {38, 39, 42, 43, 46, 47}; // Jh Js Qh Qs Kh Ks

// A hand with these cards for seat 0, seat 1 and the table, each an index of `cards`. Seat 0 acts first.
static state start(int own, int other, int public, int hands)
{
    state s;
    struct hands_rules r;
    uint8_t left = 0x3F;
    g->defaults(&r);
    r.max_hands = (uint16_t)hands;
    for (int i = 0; i < HANDS_CARDS; i++) {
        int card = i == 0 ? own : i == 1 ? other : i == 2 ? public : __builtin_ctz(left);
        left &= (uint8_t) ~(1u << card);
        r.deck[i] = cards[card];
    }
    assert_int_equal(g->init(&s, &r, 2, (struct rng){.key = {5}}, NULL), OK);
    assert_null(g->check(&s));
    return s;
}

// One letter an action: f k c r (fold, check, call, raise).
static void play(state *s, const char *actions, struct game_events *out)
{
    for (; *actions; actions++) {
        struct game_action a = {.kind = (uint8_t)(strchr(" fkcr", *actions) - " fkcr")};
        assert_int_equal(g->apply(s, s->hands.to_act, a, out), OK);
        assert_null(g->check(s));
    }
}

enum { JH, JS, QH, QS, KH, KS };

// K3.2, K3.4
static void hands_pay(void **unused)
{
    (void)unused;
    static const struct {
        int own, other, public;
        const char *actions;
        int payoff; // of seat 0
    } cases[] = {
        {KH, QH, JH, "kkkk", 1},                                  // the higher rank
        {JH, QH, KH, "kkkk", -1},                                 //
        {JH, KH, JS, "kkkk", 1},                                  // a pair beats a king
        {KH, QH, QS, "kkkk", -1},                                 //
        {KH, KS, QS, "rrcrrc", 0},                                // equal ranks split the pot
        {KH, QH, JH, "rckk", 3},      {KH, QH, JH, "rrckk", 5},   // 2 a raise in the first round
        {KH, QH, JH, "kkrc", 5},      {KH, QH, JH, "kkrrc", 9},   // 4 in the second
        {KH, QH, JH, "krrckrrc", 13},                             // all of them
        {KH, QH, JH, "rf", 1},        {KH, QH, JH, "krf", -1},    // what the folding seat has put in
        {KH, QH, JH, "rrf", -3},      {KH, QH, JH, "krrf", 3},    //
        {KH, QH, JH, "rckrf", -3},    {KH, QH, JH, "rrcrrf", -9}, //
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t payoffs[GAME_MAX_SEATS];
        state s = start(cases[i].own, cases[i].other, cases[i].public, 1);
        play(&s, cases[i].actions, NULL);
        assert_int_equal(g->turn(&s).kind, TURN_OVER);
        g->payoffs(&s, payoffs);
        assert_int_equal(payoffs[0], cases[i].payoff);
        assert_int_equal(payoffs[1], -cases[i].payoff);
        assert_int_equal(s.hands.last_winner, cases[i].payoff > 0 ? 0 : cases[i].payoff ? 1 : HANDS_NOBODY);
    }
}

// K1.5, K1.8, K3.2, K3.5, K3.7: choices as letters; the first is the fallback.
static void choices_follow_the_betting(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions, *choices;
        int seat, phase;
    } cases[] = {
        {"", "kr", 0, LEDUC_POKER_FIRST},      {"k", "kr", 1, LEDUC_POKER_FIRST},
        {"r", "fcr", 1, LEDUC_POKER_FIRST},    {"kr", "fcr", 0, LEDUC_POKER_FIRST},
        {"rr", "fc", 0, LEDUC_POKER_FIRST},    {"krr", "fc", 1, LEDUC_POKER_FIRST},
        {"kk", "kr", 0, LEDUC_POKER_SECOND},   {"rc", "kr", 0, LEDUC_POKER_SECOND}, // K3.2: seat 0 begins again
        {"krc", "kr", 0, LEDUC_POKER_SECOND},  {"rrcr", "fcr", 1, LEDUC_POKER_SECOND},
        {"kkrr", "fc", 0, LEDUC_POKER_SECOND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_choice list[GAME_MAX_CHOICES];
        struct game_action a;
        state s = start(KH, QH, JH, 1);
        play(&s, cases[i].actions, NULL);
        struct game_turn turn = g->turn(&s);
        assert_int_equal(turn.seats, SEAT(cases[i].seat));
        assert_int_equal(turn.phase, cases[i].phase);
        assert_int_equal(g->choices(&s, !cases[i].seat, list), 0);
        assert_int_equal(g->choices(&s, cases[i].seat, list), strlen(cases[i].choices));
        for (int k = 0; cases[i].choices[k]; k++)
            assert_int_equal(" fkcr"[list[k].first.kind], cases[i].choices[k]);
        assert_int_equal(g->fallback(&s, cases[i].seat).kind, list[0].first.kind);
        for (int n = 1; n < (int)g->flat_size; n++)
            assert_int_equal(g->flat(&s, cases[i].seat, n, &a), strchr(cases[i].choices, " fkcr"[n]) != NULL);
    }
}

// K1.12, K3.3
static void the_public_card_is_told(void **unused)
{
    (void)unused;
    static const struct {
        int kind, seat, amount, data;
    } expected[] = {
        {HANDS_ACTED, 0, 2, HANDS_RAISE}, {HANDS_ACTED, 1, 4, HANDS_RAISE}, {HANDS_ACTED, 0, 2, HANDS_CALL},
        {HANDS_OPENED, 0, 0, 39},         {HANDS_ACTED, 0, 0, HANDS_CHECK}, {HANDS_ACTED, 1, 4, HANDS_RAISE},
        {HANDS_ACTED, 0, 0, HANDS_FOLD},  {HANDS_RESULT, 1, 5, CARD_NONE},  {HANDS_NEW, 1, 2, 0},
    };
    struct game_events e = {0};
    struct hands_view v;
    state s = start(KH, QH, JS, 2);
    g->view(&s, 0, &v);
    assert_int_equal(v.public_card, CARD_NONE);
    play(&s, "rrc", &e);
    g->view(&s, GAME_SPECTATOR, &v);
    assert_int_equal(v.public_card, 39);
    play(&s, "krf", &e);
    g->view(&s, 1, &v);
    assert_int_equal(v.public_card, CARD_NONE); // hand 2
    assert_int_equal(e.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < e.count; i++) {
        assert_int_equal(e.at[i].kind, expected[i].kind);
        assert_int_equal(e.at[i].seat, expected[i].seat);
        assert_int_equal(e.at[i].amount, expected[i].amount);
        assert_int_equal(e.at[i].data[0], expected[i].data);
    }
}

// K1.9, K1.10
static void a_drop_costs_what_was_paid(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int seat, payoff, to_call;
    } cases[] = {{"", 0, -1, 0},     {"r", 1, -1, 2},      {"rr", 0, -3, 2},
                 {"rrcr", 1, -5, 4}, {"kkrckk", 1, -6, 0}, {"kkrckkkrrfk", 1, -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t payoffs[GAME_MAX_SEATS];
        state s = start(KH, QH, JH, 3);
        struct hands_view v;
        play(&s, cases[i].actions, NULL);
        g->view(&s, GAME_SPECTATOR, &v);
        assert_int_equal(v.to_call, cases[i].to_call);
        struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)cases[i].seat}};
        assert_int_equal(g->apply(&s, GAME_MASTER, drop, NULL), OK);
        assert_null(g->check(&s));
        g->payoffs(&s, payoffs);
        assert_int_equal(g->turn(&s).kind, TURN_OVER);
        assert_int_equal(payoffs[cases[i].seat], cases[i].payoff);
        g->view(&s, GAME_SPECTATOR, &v);
        assert_int_equal(v.to_call, 0);
    }
}

// K1.14, K3.6
static void vector_has_its_places(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int viewer;
        uint8_t ones[9]; // places, in rising order; 0 behind the last
    } cases[] = {
        {"", 1, {1, 2 + QH}},
        {"krr", 1, {1, 2 + QH, 14, 17, 19}},
        {"krrckr", 1, {1, 2 + QH, 8 + JS, 14, 17, 19, 20, 22, 25}},
        {"kkr", GAME_SPECTATOR, {8 + JS, 14, 16, 23}},
        {"kkrf", GAME_SPECTATOR, {8 + JS, 14, 16, 23}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hands_view v;
        float out[30], expected[30] = {0};
        state s = start(KS, QH, JS, 1);
        play(&s, cases[i].actions, NULL);
        g->view(&s, cases[i].viewer, &v);
        g->vector(&v, out);
        for (int k = 0; k < 9 && cases[i].ones[k]; k++)
            expected[cases[i].ones[k]] = 1;
        assert_memory_equal(out, expected, sizeof out);
    }
}

// K3.1, K3.8: the size of the tree, and bounds of the value: against the strategy that CFR finds in some iterations the
// first seat can win at most `most`, and the second at most -`least`.
static void the_value_is_known(void **unused)
{
    (void)unused;
    static struct game_tree t;
    t = (struct game_tree){.game = g};
    for (int own = 0; own < HANDS_CARDS; own++)
        for (int other = 0; other < HANDS_CARDS; other++)
            for (int public = 0; public < HANDS_CARDS; public ++)
                if (own != other && own != public && other != public) {
                    state s = start(own, other, public, 1);
                    int32_t before = t.ends;
                    tree_add(&t, &s);
                    assert_int_equal(t.ends - before, 4 + 45);
                }
    assert_int_equal(t.sets, 936);
    tree_solve(&t, 1000);
    double least = -tree_best(&t, 1), most = tree_best(&t, 0);
    assert_true(least < -0.0856 && -0.0856 < most);
    assert_true(most - least < 0.001);
    assert_true(least <= tree_value(&t) && tree_value(&t) <= most);
    print_message("value between %.6f and %.6f\n", least, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_pay),
        cmocka_unit_test(choices_follow_the_betting),
        cmocka_unit_test(the_public_card_is_told),
        cmocka_unit_test(a_drop_costs_what_was_paid),
        cmocka_unit_test(vector_has_its_places),
        cmocka_unit_test(the_value_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
