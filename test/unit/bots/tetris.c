// The house player: strong, deterministic, and never refused.
#include "games/tetris/bots/bots.h"

#include "games/tetris/rules/tetris.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <string.h>
#include <cmocka.h>

static const struct game *const g = &tetris_game;

static struct tetris_state start(uint32_t seed, int ruleset, int listed)
{
    struct tetris_rules r;
    struct tetris_state s;
    g->defaults(&r);
    g->seed(&r, seed);
    r.ruleset = (uint8_t)ruleset;
    r.listed = (uint8_t)listed;
    assert_int_equal(g->init(&s, &r, 1, (struct rng){0}, NULL), OK);
    return s;
}

// One answer and one tick at a time, until the end, so many lines or so many answers.
static void play(struct tetris_state *s, const struct bot *bot, uint32_t lines, int answers)
{
    struct rng dice = {.key = {5}};
    while (!s->facts.end && s->facts.lines < lines && answers-- > 0) {
        struct tetris_view v;
        struct game_choice list[GAME_MAX_CHOICES];
        g->view(s, 0, &v);
        struct bot_ask ask = {
            .game = g, .view = &v, .seats = 1, .choices = list, .fallback = g->fallback(s, 0), .dice = &dice};
        ask.count = g->choices(s, 0, list);
        struct game_action a = bot->choose(&ask);
        assert_true(game_is_legal(g, s, 0, a));
        assert_int_equal(g->apply(s, 0, a, NULL), OK);
        g->tick(s, NULL);
    }
}

static void test_many_lines(void **unused)
{
    (void)unused;
    for (int ruleset = 0; ruleset < 2; ruleset++) {
        struct tetris_state s = start(3, ruleset, TETRIS_LIST_BOTH), again = start(3, ruleset, TETRIS_LIST_BOTH);
        play(&s, &tetris_rules_bot, 60, 1000);
        assert_true(s.facts.lines >= 60);
        play(&again, &tetris_rules_bot, 60, 1000);
        assert_memory_equal(&s, &again, sizeof s);
    }
}

static void test_inputs_only(void **unused)
{
    (void)unused;
    struct tetris_state s = start(4, TETRIS_STANDARD, TETRIS_LIST_INPUTS);
    play(&s, &tetris_rules_bot, 15, 2000);
    assert_true(s.facts.lines >= 15);
}

static void test_beats_random(void **unused)
{
    (void)unused;
    struct tetris_state s = start(5, TETRIS_STANDARD, TETRIS_LIST_BOTH);
    play(&s, &bot_random, 20, 5000);
    assert_true(s.facts.end && s.facts.lines < 5);
}

// With one piece shown, and a stack that leaves little room.
static void test_narrow(void **unused)
{
    (void)unused;
    struct tetris_rules r;
    struct tetris_state s;
    g->defaults(&r);
    g->seed(&r, 6);
    r.preview = 1;
    r.garbage_rows = 10;
    r.goal = TETRIS_GOAL_GARBAGE;
    assert_int_equal(g->init(&s, &r, 1, (struct rng){.key = {2}}, NULL), OK);
    play(&s, &tetris_rules_bot, 200, 1000);
    assert_int_equal(s.facts.end, TETRIS_GOAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_inputs_only),
        cmocka_unit_test(test_beats_random),
        cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
