// The solver of belote with open cards: it finds what a slow and obvious search finds.
#include "games/belote/bots/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct game *const g = &belote_game;

// A deal with `cards` left in the hand of the seat in turn, reached by chance.
static struct belote_state reach(uint32_t seed, int cards)
{
    struct rng dice = {.key = {seed, 41}};
    struct belote_rules rules;
    struct belote_state s;
    g->defaults(&rules);
    rules.dealer = seed % 4;
    assert_int_equal(g->init(&s, &rules, 4, dice, NULL), OK);
    dice.section = 1;
    while (s.phase != BELOTE_PLAY_PHASE || __builtin_popcount(s.held[s.turn]) > cards) {
        struct game_choice list[GAME_MAX_CHOICES];
        int n = g->choices(&s, s.turn, list);
        assert_int_equal(g->apply(&s, s.turn, list[rng_below(&dice, (uint32_t)n)].first, NULL), OK);
    }
    for (uint32_t more = seed / 4 % 4; more; more--) { // also from the middle of a trick
        struct game_choice list[GAME_MAX_CHOICES];
        int n = g->choices(&s, s.turn, list);
        assert_int_equal(g->apply(&s, s.turn, list[rng_below(&dice, (uint32_t)n)].first, NULL), OK);
    }
    return s;
}

// What team 0 has at the end of the deal, a sweep counting as the solver counts it: every card tried, by the game's own
// rules.
static int search_slowly(const struct belote_state *s)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int n = g->choices(s, s->turn, list), best = belote_team(s->turn) ? SOLVE_HIGH : SOLVE_LOW;
    for (int i = 0; i < n; i++) {
        struct belote_state next = *s;
        int value;
        assert_int_equal(g->apply(&next, s->turn, list[i].first, NULL), OK);
        if (next.phase == BELOTE_PLAY_PHASE)
            value = search_slowly(&next);
        else
            value = next.last.card_points[0] + (next.last.sweep == BELOTE_NONE ? 0
                                                : next.last.sweep == 0         ? SOLVE_SWEEP
                                                                               : -SOLVE_SWEEP);
        if (belote_team(s->turn) ? value < best : value > best)
            best = value;
    }
    return best;
}

static struct solve_trick trick_of(const struct belote_state *s)
{
    return (struct solve_trick){
        .seat = s->turn,
        .lying = s->plays % 4,
        .led = s->play[s->plays & ~3],
        .best = s->best,
        .taker = s->taker,
        .points = s->trick_points,
        .sweep = (uint8_t)((s->won[1] == 0) | (s->won[0] == 0) << 1),
    };
}

static struct solver solver;

static void find_what_is_best(void **unused)
{
    (void)unused;
    int modes = 0, sweeps = 0;
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct belote_state s = reach(seed, seed % 8 ? 3 : 4);
        int wanted = search_slowly(&s);
        modes |= 1 << s.mode;
        sweeps += !s.won[0] || !s.won[1];
        for (int us = 0; us < 2; us++) {
            int all = s.mode == BELOTE_ALL_TRUMPS ? 258 : s.mode == BELOTE_NO_TRUMPS ? 130 : 162;
            solve_begin(&solver, us);
            solve_set_mode(&solver, s.mode);
            solve_set_hands(&solver, s.held, SOLVE_ALL);
            int value = s.card_points[us] + solve_trick(&solver, trick_of(&s), SOLVE_LOW, SOLVE_HIGH);
            assert_int_equal(us ? all - value : value, wanted);
        }
    }
    assert_int_equal(modes, (1 << BELOTE_MODES) - 1);
    assert_true(sweeps > 10);
}

// Each card, and with windows: the value inside, the right side of it outside.
static void keep_to_the_window(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 100; seed++) {
        struct belote_state s = reach(seed, 3);
        struct game_choice list[GAME_MAX_CHOICES];
        int n = g->choices(&s, s.turn, list);
        solve_begin(&solver, 0);
        solve_set_mode(&solver, s.mode);
        for (int i = 0; i < n; i++) {
            struct belote_state next = s;
            int card = list[i].first.arg[0];
            assert_int_equal(g->apply(&next, s.turn, list[i].first, NULL), OK);
            int wanted = search_slowly(&next) - s.card_points[0];
            for (int low = -40; low < 160; low += 20) {
                solve_set_hands(&solver, s.held, SOLVE_ALL);
                int value = solve_card(&solver, trick_of(&s), card, low, low + 20);
                if (wanted <= low)
                    assert_true(value <= low);
                else if (wanted >= low + 20)
                    assert_true(value >= low + 20);
                else
                    assert_int_equal(value, wanted);
            }
            assert_int_equal(solver.left, s.held[0] | s.held[1] | s.held[2] | s.held[3]);
            assert_memory_equal(solver.held, s.held, sizeof s.held);
        }
    }
}

// Guessed play is legal play: nobody takes more than there is, and what both teams take is all.
static void guess_within_reason(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct belote_state s = reach(seed & ~12u, 8);
        int value[2], all = s.mode == BELOTE_ALL_TRUMPS ? 258 : s.mode == BELOTE_NO_TRUMPS ? 130 : 162;
        for (int us = 0; us < 2; us++) {
            solve_begin(&solver, us);
            solve_set_mode(&solver, s.mode);
            solve_set_hands(&solver, s.held, SOLVE_NONE);
            value[us] = solve_trick(&solver, trick_of(&s), SOLVE_LOW, SOLVE_HIGH);
            assert_int_equal(solver.nodes, BELOTE_CARDS);
        }
        assert_int_equal(value[0] + value[1], all);
        assert_true(value[0] >= -SOLVE_SWEEP && value[0] <= all + SOLVE_SWEEP);
    }
}

// Of neighbours that count nothing one is tried; a card of others between them, in a hand or on the trick, parts them.
static void try_each_thing_once(void **unused)
{
    (void)unused;
    enum { C7 = 1, C8 = 2, C9 = 4, CA = 128 };
    static const struct {
        int mode;
        uint32_t own, others;
        int best; // on the trick, or -1
        uint32_t tried;
    } rows[] = {
        {BELOTE_NO_TRUMPS, C7 | C8 | CA, C9, -1, C7 | CA},            // neighbours
        {BELOTE_NO_TRUMPS, C7 | C8 | C9, CA, -1, C7},                 // three of them
        {BELOTE_NO_TRUMPS, C7 | C9, C8, -1, C7 | C9},                 // somebody holds the eight
        {BELOTE_NO_TRUMPS, C7 | C9, CA, -1, C7},                      // it is gone
        {BELOTE_NO_TRUMPS, C7 | C9, CA, 1, C7 | C9},                  // it lies there and wins
        {BELOTE_ALL_TRUMPS, C7 | C8 | C9, CA, -1, C7 | C9},           // the nine counts 14
        {BELOTE_CLUBS, C8 | C9 | C9 << 8, CA, -1, C8 | C9 | C9 << 8}, // suits are apart
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t held[BELOTE_SEATS] = {rows[i].own, rows[i].others};
        struct solve_trick t = {.lying = rows[i].best >= 0, .best = (uint8_t)rows[i].best};
        solve_begin(&solver, 0);
        solve_set_mode(&solver, rows[i].mode);
        solve_set_hands(&solver, held, SOLVE_ALL);
        assert_int_equal(solve_distinct(&solver, &t, rows[i].own), rows[i].tried);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_what_is_best),
        cmocka_unit_test(keep_to_the_window),
        cmocka_unit_test(guess_within_reason),
        cmocka_unit_test(try_each_thing_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
