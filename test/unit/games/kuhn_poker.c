// Kuhn poker, rule by rule (K1, K2).
#include "games/kuhn_poker/rules/kuhn_poker.h"

#include "solve/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct game *const g = &kuhn_poker_game;

typedef struct kuhn_poker_state state;

enum { J = 39, Q = 43, K = 47 };

static const uint8_t deals[6][HANDS_CARDS] = {
    {J, Q, K, CARD_NONE, CARD_NONE, CARD_NONE}, {J, K, Q, CARD_NONE, CARD_NONE, CARD_NONE},
    {Q, J, K, CARD_NONE, CARD_NONE, CARD_NONE}, {Q, K, J, CARD_NONE, CARD_NONE, CARD_NONE},
    {K, J, Q, CARD_NONE, CARD_NONE, CARD_NONE}, {K, Q, J, CARD_NONE, CARD_NONE, CARD_NONE},
};

// A match whose first hand is dealt from this deck; NULL: shuffled.
static state start(const uint8_t *deck, int hands, int starter, struct game_events *out)
{
    state s;
    struct hands_rules r;
    g->defaults(&r);
    r.max_hands = (uint16_t)hands;
    r.starter = (uint8_t)starter;
    if (deck)
        memcpy(r.deck, deck, sizeof r.deck);
    assert_int_equal(g->init(&s, &r, 2, (struct rng){.key = {5}}, out), OK);
    assert_null(g->check(&s));
    return s;
}

// One letter an action: f k c b (fold, check, call, bet).
static void play(state *s, const char *actions, struct game_events *out)
{
    for (; *actions; actions++) {
        struct game_action a = {.kind = (uint8_t)(strchr(" fkcb", *actions) - " fkcb")};
        assert_int_equal(g->apply(s, s->hands.to_act, a, out), OK);
        assert_null(g->check(s));
    }
}

static void drop(state *s, int seat, struct game_events *out)
{
    struct game_action a = {.kind = GAME_DROP, .arg = {(uint8_t)seat, 3}};
    assert_int_equal(g->apply(s, GAME_MASTER, a, out), OK);
    assert_null(g->check(s));
}

static int to_call(const state *s)
{
    struct hands_view v;
    g->view(s, GAME_SPECTATOR, &v);
    return v.to_call;
}

// K1.3, K1.6, K1.7, K2.1, K2.2: every deal with every course of betting. Payoffs of the seat that acts first.
static void every_hand_pays(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int payoff[6]; // by deal: JQ JK QJ QK KJ KQ
    } cases[] = {
        {"kk", {-1, -1, 1, -1, 1, 1}}, {"kbf", {-1, -1, -1, -1, -1, -1}}, {"kbc", {-2, -2, 2, -2, 2, 2}},
        {"bf", {1, 1, 1, 1, 1, 1}},    {"bc", {-2, -2, 2, -2, 2, 2}},
    };
    for (int i = 0; i < 5; i++)
        for (int deal = 0; deal < 6; deal++)
            for (int first = 0; first < 2; first++) {
                int32_t payoffs[GAME_MAX_SEATS];
                state s = start(deals[deal], 1, first, NULL);
                play(&s, cases[i].actions, NULL);
                assert_int_equal(g->turn(&s).kind, TURN_OVER);
                assert_int_equal(g->turn(&s).phase, KUHN_POKER_DONE);
                g->payoffs(&s, payoffs);
                assert_int_equal(payoffs[first], cases[i].payoff[deal]);
                assert_int_equal(payoffs[!first], -cases[i].payoff[deal]);
                assert_int_equal(s.hands.shown[first], strchr(cases[i].actions, 'f') ? CARD_NONE : deals[deal][0]);
            }
}

// K1.5, K1.8, K2.3, K2.5: the choices at each point; the first is the fallback.
static void choices_follow_the_betting(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int seat, first, second;
    } cases[] = {
        {"", 0, HANDS_CHECK, HANDS_RAISE},
        {"k", 1, HANDS_CHECK, HANDS_RAISE},
        {"b", 1, HANDS_FOLD, HANDS_CALL},
        {"kb", 0, HANDS_FOLD, HANDS_CALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_choice list[GAME_MAX_CHOICES];
        struct game_action a;
        state s = start(NULL, 1, 0, NULL);
        play(&s, cases[i].actions, NULL);
        assert_int_equal(g->turn(&s).seats, SEAT(cases[i].seat));
        assert_int_equal(g->turn(&s).phase, KUHN_POKER_BETTING);
        assert_int_equal(g->choices(&s, !cases[i].seat, list), 0);
        assert_int_equal(g->choices(&s, cases[i].seat, list), 2);
        assert_int_equal(list[0].first.kind, cases[i].first);
        assert_int_equal(list[1].first.kind, cases[i].second);
        assert_int_equal(g->fallback(&s, cases[i].seat).kind, cases[i].first);
        for (int n = 0; n < (int)g->flat_size; n++)
            assert_int_equal(g->flat(&s, cases[i].seat, n, &a), n == cases[i].first || n == cases[i].second);
    }
}

// K1.2, K1.4: the seats take turns to act first, and a hand's cards do not depend on the hands before.
static void a_match_has_several_hands(void **unused)
{
    (void)unused;
    static const char *const scripts[2] = {"kk", "bf"};
    uint8_t cards[2][20][HANDS_CARDS];
    for (int way = 0; way < 2; way++) {
        state s = start(NULL, 20, 1, NULL);
        for (int hand = 1; hand <= 20; hand++) {
            assert_int_equal(s.hands.hand, hand);
            assert_int_equal(s.hands.first, hand % 2);
            memcpy(cards[way][hand - 1], s.deck.card, HANDS_CARDS);
            play(&s, scripts[way], NULL);
        }
        assert_true(s.hands.done);
    }
    assert_memory_equal(cards[0], cards[1], sizeof cards[0]);
    assert_memory_not_equal(cards[0][0], cards[0][1], 2 * HANDS_CARDS);
}

// K1.4: a stacked deck is the next hand's, and only the next one's.
static void a_stacked_deck_is_dealt(void **unused)
{
    (void)unused;
    static const uint8_t bad[][3] = {{J, Q, Q}, {J, Q, 46}, {J, Q, CARD_NONE}};
    state s = start(NULL, 3, 0, NULL), plain = start(NULL, 3, 0, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(g->stack(&s, bad[i], 3), ERR_RULES);
    assert_int_equal(g->stack(&s, deals[0], 2), ERR_RULES);
    assert_memory_equal(&s, &plain, sizeof s);
    assert_int_equal(g->stack(&s, deals[4], 3), OK);
    play(&s, "kk", NULL);
    play(&plain, "kk", NULL);
    assert_memory_equal(s.deck.card, deals[4], HANDS_CARDS);
    assert_int_equal(hands_card(&s.hands, &s.deck, 1), K); // seat 1 acts first in hand 2
    play(&s, "bf", NULL);
    play(&plain, "bf", NULL);
    assert_memory_equal(s.deck.card, plain.deck.card, HANDS_CARDS);
    play(&s, "kk", NULL);
    assert_int_equal(g->stack(&s, deals[0], 3), ERR_OVER);
}

// K1.12: order and content.
static void events_come_in_order(void **unused)
{
    (void)unused;
    static const struct {
        int kind, seat, amount;
        uint8_t data[2];
    } expected[] = {
        {HANDS_NEW, 0, 1, {0}},
        {HANDS_ACTED, 0, 0, {HANDS_CHECK}},
        {HANDS_ACTED, 1, 1, {HANDS_RAISE}},
        {HANDS_ACTED, 0, 1, {HANDS_CALL}},
        {HANDS_RESULT, 1, 2, {Q, K}},
        {HANDS_NEW, 1, 2, {0}},
        {HANDS_ACTED, 1, 1, {HANDS_RAISE}},
        {HANDS_ACTED, 0, 0, {HANDS_FOLD}},
        {HANDS_RESULT, 1, 1, {CARD_NONE, CARD_NONE}},
    };
    struct game_events e = {0};
    struct game_rewards r;
    state s = start(deals[3], 2, 0, &e);
    play(&s, "kbcbf", &e);
    assert_int_equal(e.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < e.count; i++) {
        assert_int_equal(e.at[i].kind, expected[i].kind);
        assert_int_equal(e.at[i].seat, expected[i].seat);
        assert_int_equal(e.at[i].amount, expected[i].amount);
        assert_int_equal(e.at[i].to, EVERYONE);
        assert_memory_equal(e.at[i].data, expected[i].data, 2);
    }
    g->rewards(&s, &e, &r); // K1.11
    assert_true(r.at[0][0] == -3 && r.at[1][0] == 3);
}

// K1.9, K1.10: a dropped seat loses the match, whatever it has won, and nobody is to call any more.
static void a_drop_ends_the_match(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions; // of hands that seat 0 begins with K against J
        int seat, payoff;    // of the seat that is dropped
        int to_call;         // before, by that seat
    } cases[] = {
        {"", 0, -1, 0},     // its ante
        {"kb", 0, -1, 1},   // behind a bet, which costs nothing
        {"bc", 1, -3, 0},   // behind by two
        {"bckk", 0, -1, 0}, // hand 2 is stacked so that seat 0 wins again: its three chips are void
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_events e = {0};
        struct game_rewards r;
        int32_t payoffs[GAME_MAX_SEATS];
        state s = start(deals[4], 9, 0, NULL);
        assert_int_equal(g->stack(&s, deals[0], 3), OK); // seat 1, who begins, has J
        play(&s, cases[i].actions, NULL);
        assert_int_equal(to_call(&s), cases[i].to_call);
        int32_t before = s.hands.payoff[cases[i].seat];
        struct game_action other = {.kind = GAME_DROP, .arg = {(uint8_t)!cases[i].seat}};
        assert_int_equal(g->apply(&s, GAME_MASTER, other, NULL), ERR_SEAT); // F6.2
        drop(&s, cases[i].seat, &e);
        assert_int_equal(g->turn(&s).kind, TURN_OVER);
        g->payoffs(&s, payoffs);
        assert_int_equal(payoffs[cases[i].seat], cases[i].payoff);
        assert_int_equal(payoffs[!cases[i].seat], -cases[i].payoff);
        assert_int_equal(to_call(&s), 0);
        assert_int_equal(e.count, 2);
        assert_int_equal(e.at[0].kind, HANDS_LEFT);
        assert_int_equal(e.at[0].data[0], 3);
        assert_int_equal(e.at[1].kind, HANDS_RESULT);
        g->rewards(&s, &e, &r);
        assert_true((int)r.at[cases[i].seat][0] == cases[i].payoff - before);
    }
}

static void refusals_touch_nothing(void **unused)
{
    (void)unused;
    static const struct {
        int seat;
        struct game_action action;
        int err;
    } cases[] = {
        {0, {.kind = HANDS_CHECK}, ERR_SEAT},
        {1, {.kind = HANDS_CHECK}, ERR_ACTION}, // there is a bet
        {1, {.kind = HANDS_RAISE}, ERR_ACTION}, // K2.2: at most one
        {1, {.kind = HANDS_CALL, .amount = 1}, ERR_ACTION},
        {1, {.kind = HANDS_CALL, .arg = {0, 1}}, ERR_ACTION},
        {1, {.kind = 0}, ERR_ACTION},
        {1, {.kind = GAME_DROP, .arg = {1}}, ERR_ACTION},
        {-1, {.kind = HANDS_CALL}, ERR_SEAT},
        {GAME_SPECTATOR, {.kind = HANDS_CALL}, ERR_SEAT},
        {GAME_MASTER, {.kind = HANDS_CALL}, ERR_ACTION},
        {GAME_MASTER, {.kind = GAME_DROP, .arg = {200}}, ERR_SEAT},
    };
    state s = start(NULL, 1, 0, NULL);
    play(&s, "b", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        state before = s;
        struct game_events e = {0};
        assert_int_equal(g->apply(&s, cases[i].seat, cases[i].action, &e), cases[i].err);
        assert_memory_equal(&s, &before, sizeof s);
        assert_int_equal(e.count, 0);
    }
    play(&s, "f", NULL);
    assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = HANDS_CHECK}, NULL), ERR_OVER);
}

// K1.1, K1.2, K1.4
static void rules_are_checked(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t max_hands;
        uint8_t starter, deck[HANDS_CARDS];
        int err;
    } cases[] = {
        {1, 0, {J, K, Q, CARD_NONE, CARD_NONE, CARD_NONE}, OK},
        {1000, 1, {J, K, Q, CARD_NONE, CARD_NONE, CARD_NONE}, OK},
        {0, 0, {J, K, Q, CARD_NONE, CARD_NONE, CARD_NONE}, ERR_RULES},
        {1001, 0, {J, K, Q, CARD_NONE, CARD_NONE, CARD_NONE}, ERR_RULES},
        {1, 2, {J, K, Q, CARD_NONE, CARD_NONE, CARD_NONE}, ERR_RULES},
        {1, 0, {J, K, K, CARD_NONE, CARD_NONE, CARD_NONE}, ERR_RULES},
        {1, 0, {J, K, CARD_NONE, CARD_NONE, CARD_NONE, CARD_NONE}, ERR_RULES},
        {1, 0, {J, K, Q, 38, CARD_NONE, CARD_NONE}, ERR_RULES}, // a fourth card
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hands_rules r = {.max_hands = cases[i].max_hands, .starter = cases[i].starter};
        state s;
        memcpy(r.deck, cases[i].deck, sizeof r.deck);
        for (int seats = 1; seats <= 3; seats++)
            assert_int_equal(g->init(&s, &r, seats, (struct rng){0}, NULL), seats == 2 ? cases[i].err : ERR_RULES);
    }
}

// K1.10
static void views_hide_the_other_card(void **unused)
{
    (void)unused;
    static const int viewers[] = {0, 1, GAME_SPECTATOR};
    for (int i = 0; i < 3; i++) {
        struct hands_view v;
        state s = start(deals[1], 1, 0, NULL);
        g->view(&s, viewers[i], &v);
        assert_int_equal(v.card, ((int[]){J, K, CARD_NONE})[i]);
        assert_int_equal(v.hands.shown[0], CARD_NONE);
        play(&s, "bf", NULL);
        g->view(&s, viewers[i], &v);
        assert_int_equal(v.hands.shown[1], CARD_NONE); // K1.6: a fold shows nothing
        s = start(deals[1], 1, 0, NULL);
        play(&s, "bc", NULL);
        g->view(&s, viewers[i], &v);
        assert_int_equal(v.hands.shown[0], J);
        assert_int_equal(v.hands.shown[1], K);
    }
}

// K1.14, K2.4
static void vector_has_its_places(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int viewer;
        float expected[11];
    } cases[] = {
        {"", 0, {1, 0, 0, 0, 1}},
        {"kb", 0, {1, 0, 0, 0, 1, 1, 0, 0, 1}},
        {"kbf", 1, {0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0}},
        {"bc", 1, {0, 1, 0, 1, 0, 0, 1, 0, 1}},
        {"b", GAME_SPECTATOR, {0, 0, 0, 0, 0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hands_view v;
        float out[11];
        state s = start(deals[5], 1, 0, NULL);
        play(&s, cases[i].actions, NULL);
        g->view(&s, cases[i].viewer, &v);
        g->vector(&v, out);
        assert_memory_equal(out, cases[i].expected, sizeof out);
    }
}

// K2.6: the probability of a bet or a call.
static double equilibrium(const struct hands_view *v, double a)
{
    int rank = (v->card - J) / 4;
    if (v->acted[0] == 0)
        return ((double[]){a, 0, 3 * a})[rank];
    if (v->acted[0] == 2)
        return ((double[]){0, a + 1.0 / 3, 1})[rank];
    if (v->action[0][0] == HANDS_CHECK)
        return ((double[]){1.0 / 3, 0, 1})[rank];
    return ((double[]){0, 1.0 / 3, 1})[rank];
}

// K2.6: neither seat can do better than the value of the game, and each can guarantee it.
static void the_value_is_known(void **unused)
{
    (void)unused;
    static struct game_tree t;
    t = (struct game_tree){.game = g};
    for (int i = 0; i < 6; i++) {
        state s = start(deals[i], 1, 0, NULL);
        tree_add(&t, &s);
    }
    assert_int_equal(t.ends, 30);
    assert_int_equal(t.sets, 12);
    for (int step = 0; step <= 3; step++) {
        for (int i = 0; i < t.sets; i++) {
            struct hands_view v;
            memcpy(&v, &t.set[i].view, sizeof v);
            t.set[i].p[1] = equilibrium(&v, step / 9.0);
            t.set[i].p[0] = 1 - t.set[i].p[1];
        }
        assert_true(fabs(tree_value(&t) + 1.0 / 18) < 1e-12);
        assert_true(fabs(tree_best(&t, 0) + 1.0 / 18) < 1e-12);
        assert_true(fabs(tree_best(&t, 1) - 1.0 / 18) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hand_pays),           cmocka_unit_test(choices_follow_the_betting),
        cmocka_unit_test(a_match_has_several_hands), cmocka_unit_test(a_stacked_deck_is_dealt),
        cmocka_unit_test(events_come_in_order),      cmocka_unit_test(a_drop_ends_the_match),
        cmocka_unit_test(refusals_touch_nothing),    cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(views_hide_the_other_card), cmocka_unit_test(vector_has_its_places),
        cmocka_unit_test(the_value_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
