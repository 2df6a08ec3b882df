// reader and glance of belote (N7): what they are made of. How they answer is tested with search (belote_search.c).
// Also that the yardsticks rules, calc and search play as they always did (N2.1).
#include "base/hash.h"
#include "games/belote/bots/bots.h"
#include "games/belote/bots/infer.h"
#include "games/belote/bots/playout.h"
#include "games/belote/bots/solve.h"
#include "games/belote/rules/belote.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct game *const g = &belote_game;

static struct belote_state start(uint32_t seed)
{
    struct belote_rules rules;
    struct belote_state s;
    g->defaults(&rules);
    rules.dealer = seed % 4;
    assert_int_equal(g->init(&s, &rules, 4, (struct rng){.key = {seed, 35}}, NULL), OK);
    return s;
}

static struct game_action answer(const struct bot *bot, const struct belote_state *s, uint32_t seed)
{
    struct belote_view view;
    struct game_choice list[GAME_MAX_CHOICES];
    struct rng dice = {.key = {seed, 36}};
    g->view(s, s->turn, &view);
    return bot->choose(&(struct bot_ask){
        .bot = bot,
        .game = g,
        .view = &view,
        .seat = s->turn,
        .seats = 4,
        .choices = list,
        .count = g->choices(s, s->turn, list),
        .fallback = g->fallback(s, s->turn),
        .aggro = 0.5f,
        .dice = &dice,
    });
}

static void step(struct belote_state *s, struct game_action a)
{
    assert_int_equal(g->apply(s, s->turn, a, NULL), OK);
}

static bool is_first_deal(const struct belote_state *s)
{
    return s->deal == 0 && s->phase != BELOTE_DONE;
}

// N2.1: every answer that a bot gives in its first deals, with itself at all seats.
static void yardsticks_stay(void **unused)
{
    (void)unused;
    static const struct {
        const struct bot *bot;
        uint32_t deals;
        uint64_t hash; // by the program before there was a reader
    } rows[] = {
        {&belote_rules_bot, 200, 0x849b1f3a9c6b581a},
        {&belote_calc_bot, 200, 0xf8ec20060d559a57},
        {&belote_search_bot, 4, 0x37813a552a66b98},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t hash = 0;
        for (uint32_t seed = 0; seed < rows[i].deals; seed++)
            for (struct belote_state s = start(seed); is_first_deal(&s);) {
                struct game_action a = answer(rows[i].bot, &s, seed << 8 | s.number);
                uint64_t link[2] = {hash, (uint64_t)a.kind << 40 | (uint64_t)a.arg[0] << 32 | (uint32_t)a.amount};
                hash = hash_bytes(link, sizeof link);
                step(&s, a);
            }
        assert_int_equal(hash, rows[i].hash);
    }
}

// Plays until the cards are dealt, and then so many.
static struct belote_state play_to(uint32_t seed, int plays)
{
    struct belote_state s = start(seed);
    while (s.phase != BELOTE_PLAY_PHASE || s.plays < plays)
        step(&s, answer(&belote_rules_bot, &s, 0));
    return s;
}

static void same_table(const struct table *a, const struct table *b)
{
    assert_int_equal(a->played, b->played);
    assert_memory_equal(a->cannot, b->cannot, sizeof a->cannot);
    assert_memory_equal(a->said, b->said, sizeof a->said);
    assert_memory_equal(a->held, b->held, sizeof a->held);
    assert_true(a->mode == b->mode && a->team == b->team && a->seat == b->seat && a->plays == b->plays);
    if (a->plays % 4)
        assert_true(a->led == b->led && a->best == b->best && a->taker == b->taker && a->lying == b->lying);
}

// N7.2: a table that is played on card by card is the one that a view tells of.
static void tables_follow_the_play(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct belote_state s = play_to(seed, 0);
        struct belote_view v;
        g->view(&s, s.turn, &v);
        struct table t = card_weight_table(&v);
        while (is_first_deal(&s)) {
            g->view(&s, s.turn, &v);
            struct table seen = card_weight_table(&v);
            same_table(&t, &seen);
            assert_int_equal(card_weight_list_legal(&t, s.held[s.turn]), s.may);
            struct game_action a = answer(&bot_random, &s, seed << 8 | s.plays);
            card_weight_play(&t, a.arg[0]);
            step(&s, a);
        }
    }
}

// As `rules`, but of cards that weigh the same the lowest.
static struct game_action play_heaviest(const struct belote_state *s)
{
    struct belote_view v;
    g->view(s, s->turn, &v);
    struct table t = card_weight_table(&v);
    struct look l = card_weight_look(&t, s->held[s->turn]);
    int best = __builtin_ctz(s->may);
    for (int card = best + 1; card < BELOTE_CARDS; card++)
        if (s->may >> card & 1 && card_weight_of(&l, card) > card_weight_of(&l, best))
            best = card;
    return (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)best}};
}

// N7.3: a playout is what four players do who see their own cards, and what one team does not take the other does.
static void playouts_are_by_the_rules(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct belote_state s = play_to(seed, (int)(seed % 30));
        struct belote_view v;
        g->view(&s, s.turn, &v);
        struct table t = card_weight_table(&v);
        int card = __builtin_ctz(s.may), taken[2], bonus;
        unsigned sweep = (s.won[1] ? 0 : 1) | (s.won[0] ? 0 : 2);
        for (int us = 0; us < 2; us++)
            taken[us] = playout_value(t, s.held, card, sweep, us) + s.card_points[us];
        step(&s, (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)card}});
        while (is_first_deal(&s))
            step(&s, play_heaviest(&s));
        bonus = s.last.sweep == BELOTE_NONE ? 0 : s.last.sweep == 0 ? SOLVE_SWEEP : -SOLVE_SWEEP;
        assert_int_equal(taken[0], s.last.card_points[0] + bonus);
        assert_int_equal(taken[1], s.last.card_points[1] - bonus);
    }
}

// N7.2: cards tell of hands. The true ones are likelier than others that agree with what was seen, and none is
// excluded. Half of the deals are played by `calc`, which is not what is assumed.
static void cards_tell_of_hands(void **unused)
{
    (void)unused;
    enum { DEALS = 80, OTHERS = 24 };
    double gained[2] = {0};
    struct rng dice = {.key = {37}};
    for (uint32_t seed = 0; seed < DEALS; seed++) {
        struct belote_state s = play_to(seed, 0);
        while (s.plays < 13)
            step(&s, answer(seed % 2 ? &belote_calc_bot : &belote_rules_bot, &s, 0));
        struct belote_view v;
        struct inference in;
        g->view(&s, s.turn, &v);
        infer_begin(&in, &v);
        double truth = infer_chance(&in, s.held), sum = 0;
        for (int i = 0; i < OTHERS; i++) {
            g->resample(&s, v.viewer, &dice);
            float chance = infer_chance(&in, s.held);
            assert_true(chance > 0 && chance <= 1);
            sum += chance;
        }
        gained[seed % 2] += log(truth * OTHERS / sum);
    }
    assert_true(gained[0] > 0.5 * DEALS / 2); // of `rules`
    assert_true(gained[1] > 0);
}

static int duel(const struct bot *bot, const struct bot *other, uint32_t pairs)
{
    int won = 0;
    for (uint32_t i = 0; i < 2 * pairs; i++) {
        struct belote_state s = start(i / 2);
        for (uint32_t asked = 0; s.phase != BELOTE_DONE; asked++)
            step(&s, answer((s.turn + i) % 2 ? other : bot, &s, i << 16 | asked));
        won += s.winner == (int)(i % 2);
    }
    return won;
}

// N2.2, N2.3, N7.4: docs/strength.md has the contests; this shows that nothing broke.
static void levels_are_in_order(void **unused)
{
    (void)unused;
    assert_true(duel(&belote_novice_bot, &bot_random, 40) >= 48); // of 80
    assert_true(duel(&belote_calc_bot, &belote_novice_bot, 40) >= 44);
    assert_true(duel(&belote_rules_bot, &belote_calc_bot, 40) >= 44);
    assert_true(duel(&belote_glance_bot, &bot_random, 2) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yardsticks_stay),           cmocka_unit_test(tables_follow_the_play),
        cmocka_unit_test(playouts_are_by_the_rules), cmocka_unit_test(cards_tell_of_hands),
        cmocka_unit_test(levels_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
