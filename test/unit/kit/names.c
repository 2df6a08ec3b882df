// N2: the names of house bots, with levels, styles and time.
#include "games/games.h"
#include "house/ask.h"
#include "house/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct game_action choose(const struct bot_ask *ask)
{
    return ask->fallback;
}

static const struct bot styled = {.name = "styled", .choose = choose, .knows = BOT_TIGHT | BOT_CALLER};
static uint32_t effort; // of the last question

static struct game_action search(const struct bot_ask *ask)
{
    effort = ask->effort;
    return ask->fallback;
}

static void weigh(const struct bot_ask *ask, struct action_values *w)
{
    (void)ask;
    (void)w;
}

static const struct bot searching = {.name = "searching", .choose = search, .weigh = weigh};
static const struct game_kit kit = {.bots = KIT_BOTS(&styled, &searching), .level = {NULL, &styled}};

// N2.1
static void levels(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (int level = 1; level <= KIT_LEVELS; level++) {
            char name[] = {'h', 'o', 'u', 's', 'e', ':', (char)('0' + level), 0};
            assert_ptr_equal(kit_find_bot(*k, name), kit_level(*k, level));
        }
    assert_ptr_equal(kit_find_bot(&kit, "house:2"), &styled);
    assert_ptr_equal(kit_find_bot(&kit, "house:styled"), &styled);
    assert_null(kit_find_bot(&kit, "house:6"));
}

// N1.11: in the program every bot has the table by which it plays, and "solved" says which that is.
static void tables(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (const struct bot *const *b = kit_bots(*k); *b; b++) {
            const struct bot_table *t = (*b)->table;
            assert_true(t || strcmp((*b)->name, "solved") != 0);
            assert_true(!t || (*t->size > 256 && memcmp(t->at, "AGON", 4) == 0));
        }
}

// N2.5, N2.6, N2.8
static void options(void **unused)
{
    (void)unused;
    const struct bot *b = kit_find_bot(&kit, "house:2+tight");
    assert_non_null(b);
    assert_string_equal(b->name, "styled+tight");
    assert_int_equal(b->styles, BOT_TIGHT);
    assert_int_equal(b->think_us, 0);
    assert_ptr_equal(kit_find_bot(&kit, "styled+tight"), b); // one bot of each kind
    b = kit_find_bot(&kit, "house:styled+caller+tight@50ms");
    assert_string_equal(b->name, "styled+tight+caller@50ms");
    assert_int_equal(b->think_us, 50000);
    assert_true(b->thinks && !styled.thinks); // so that no loop waits for it
    assert_ptr_equal(b->choose, styled.choose);
    b = kit_find_bot(&kit, "house:searching@4x"); // N2.8
    assert_string_equal(b->name, "searching@4x");
    assert_int_equal(b->think_us, 0);
    assert_true(b->thinks);
    assert_ptr_not_equal(kit_find_bot(&kit, "searching@5x"), b);
    static const char *const bad[] = {"styled@4x",     "searching@0x",    "searching@1001x", "searching@4x@50ms",
                                      "searching@4xs", "searching@x",     "styled+bluffer",  "styled+tight+tight",
                                      "styled@",       "styled@50",       "styled@0ms",      "styled@50ms@50ms",
                                      "styled+",       "styled@600001ms", "nobody@50ms",     "+tight"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(kit_find_bot(&kit, bad[i]));
}

static int64_t asked;

static int64_t now_us(void)
{
    return asked += 100;
}

static struct game_action choose_long(const struct bot_ask *ask)
{
    while (!ask->out_of_time(ask->clock))
        continue;
    return ask->fallback;
}

// N1.9: a bot with time has a clock, and one without has none.
static void clocks(void **unused)
{
    (void)unused;
    struct bot b = {.name = "long", .choose = choose_long, .think_us = 1000, .now_us = now_us};
    struct bot_ask ask = {.fallback = {.kind = 7}};
    assert_int_equal(house_choose(&b, &ask).kind, 7);
    assert_int_equal(asked, 1100);
    ask = (struct bot_ask){.fallback = {.kind = 8}};
    assert_int_equal(house_choose(&styled, &ask).kind, 8);
    assert_true(!ask.out_of_time && !ask.scratch && ask.bot == &styled);
}

// N2.8
static void efforts(void **unused)
{
    (void)unused;
    struct bot_ask ask = {.fallback = {.kind = 9}};
    assert_int_equal(house_choose(kit_find_bot(&kit, "searching@4x"), &ask).kind, 9);
    assert_int_equal(effort, 4);
    house_choose(kit_find_bot(&kit, "searching"), &ask);
    assert_int_equal(effort, 0);
    ask.effort = 1; // as those say who wish nothing
    house_choose(kit_find_bot(&kit, "searching@4x"), &ask);
    assert_int_equal(effort, 4);
    ask.effort = 2; // who asks knows better
    house_choose(kit_find_bot(&kit, "searching@4x"), &ask);
    assert_int_equal(effort, 2);
}

// N1.8: one block a thread, which grows and is kept.
static void work_space(void **unused)
{
    (void)unused;
    const struct bot small = {.scratch_size = 1000}, large = {.scratch_size = 1 << 20};
    assert_null(scratch_for(&styled));
    assert_non_null(scratch_for(&small));
    char *at = scratch_for(&large);
    memset(at, 1, large.scratch_size);
    assert_ptr_equal(scratch_for(&large), at);
    assert_ptr_equal(scratch_for(&small), at);
    assert_int_equal((uintptr_t)at % 64, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels),  cmocka_unit_test(tables),
                                       cmocka_unit_test(options), cmocka_unit_test(clocks),
                                       cmocka_unit_test(efforts), cmocka_unit_test(work_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
