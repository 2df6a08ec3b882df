// Kuhn and Leduc poker: solved again from their trees, and the shipped players measured.
#include "solve/small_game.h"
#include "games/games.h"
#include "heap/heap.h"
#include "solve/policy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const char embedded_kuhn_poker_table[], embedded_leduc_poker_table[];
extern const size_t embedded_kuhn_poker_table_size, embedded_leduc_poker_table_size;

static struct game_tree t;

static const struct {
    const char *game;
    const char *table;
    const size_t *size;
    double value;
    int sets;
} rows[] = {
    {"kuhn_poker", embedded_kuhn_poker_table, &embedded_kuhn_poker_table_size, -1.0 / 18, 12},
    {"leduc_poker", embedded_leduc_poker_table, &embedded_leduc_poker_table_size, -0.0856, 936},
};

// N4.1, N4.3: the command in the head of the file gives the file.
static void made_again(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct game_kit *k = games_find(rows[i].game);
        char command[100];
        struct text out = {.grow = heap_text_grow};
        snprintf(command, sizeof command, "agon solve %s --iterations 1000 --seed 1 --threads 1", rows[i].game);
        small_game_build_tree(&t, k->game, k->solve);
        assert_int_equal(t.sets, rows[i].sets);
        small_game_solve(&t, k->solve, &(struct solve_job){.iterations = 1000, .command = command}, &out);
        assert_true(fabs(tree_value(&t) - rows[i].value) < 3e-4);
        assert_true(tree_exploit(&t) < 1e-3);
        assert_int_equal(out.size, *rows[i].size);
        assert_memory_equal(out.at, rows[i].table, out.size);
        free(out.at);
    }
}

// N4.2
static void hard_to_beat(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct game_kit *k = games_find(rows[i].game);
        struct solve_gap gap[SOLVE_GAPS];
        small_game_build_tree(&t, k->game, k->solve);
        assert_int_equal(small_game_exploit(&t, kit_level(k, 5), 0, gap), 3);
        assert_true(gap[2].exact && gap[2].value >= 0 && gap[2].value < 1e-3);
        assert_true(small_game_exploit(&t, &bot_random, 2000, gap) == 3 && !gap[2].exact);
        assert_true(gap[2].value > 0.3); // whoever plays anything loses a lot
    }
}

static bool stop_at_once(void *owner, const char *line)
{
    if (!line)
        return true;
    ++*(int *)owner;
    assert_non_null(strstr(line, "exploitability"));
    return true;
}

// It stops when it is told to, and goes on where it ended.
static void slices(void **unused)
{
    (void)unused;
    const struct game_kit *k = games_find("kuhn_poker");
    int calls = 0;
    struct text out = {.grow = heap_text_grow};
    small_game_build_tree(&t, k->game, k->solve);
    small_game_solve(&t, k->solve, &(struct solve_job){.command = "", .progress = stop_at_once, .owner = &calls}, &out);
    assert_int_equal(calls, 1);
    double early = tree_exploit(&t);
    tree_solve(&t, 300);
    double late = tree_exploit(&t), p = t.set[0].p[0];
    assert_true(late < early);
    small_game_build_tree(&t, k->game, k->solve);
    tree_solve(&t, 350);
    assert_true(t.set[0].p[0] == p);
    free(out.at);
}

static void bad_tables(void **unused)
{
    (void)unused;
    struct policy p;
    char bytes[600];
    size_t size = *rows[0].size;
    memcpy(bytes, rows[0].table, size);
    assert_true(policy_open(&p, bytes, size));
    assert_false(policy_open(&p, bytes, size - 16));
    assert_false(policy_open(&p, bytes, 100));
    bytes[0] = 'X';
    assert_false(policy_open(&p, bytes, size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_again), cmocka_unit_test(hard_to_beat),
                                       cmocka_unit_test(slices), cmocka_unit_test(bad_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
