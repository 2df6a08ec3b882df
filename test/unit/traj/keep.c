// G19.1: a ceiling, and the oldest episodes go whole.
#include "traj/traj.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void add(struct traj_keep *k, enum traj_kind kind, int number, size_t size)
{
    char *json = malloc(size + 32);
    int n = snprintf(json, 32, "%d ", number);
    memset(json + n, 'a' + number % 26, size);
    traj_keep_add(k, kind, (struct span){json, (size_t)n + size});
    free(json);
}

// Everything in it, in order: whole episodes, the last `steps` of them up to `last`.
static void check(const struct traj_keep *k, int last)
{
    struct text out = {.grow = traj_text_grow};
    uint64_t at = traj_keep_first(k), steps = 0, episodes = 0;
    enum traj_kind kind;
    int expected = -1;
    while (traj_keep_next(k, &at, &out, &kind)) {
        text_put_char(&out, 0);
        int number = (int)strtol(out.at, NULL, 10);
        if (expected < 0)
            assert_int_equal(kind, TRAJ_RESET); // never the middle of an episode
        else
            assert_int_equal(number, expected);
        expected = number + 1;
        char fill = (char)('a' + number % 26);
        assert_true(out.at[out.size - 2] == fill || out.at[out.size - 2] == ' ');
        steps += kind == TRAJ_STEP;
        episodes += kind == TRAJ_RESET;
    }
    assert_int_equal(expected, last + 1);
    assert_int_equal(steps, traj_keep_steps(k));
    assert_int_equal(episodes, traj_keep_episodes(k));
    free(out.at);
}

static void test_ceiling(void **state)
{
    struct traj_keep *k = traj_keep_create(1 << 20, 1000000);
    int number = 0;
    (void)state;
    for (int e = 0; e < 400; e++) {
        add(k, TRAJ_RESET, number++, 500);
        for (int s = 0; s < 10 + e % 7; s++)
            add(k, TRAJ_STEP, number++, (size_t)(e * 37 + s * 101) % 3000);
        assert_true(traj_keep_bytes(k) <= 1 << 20);
        if (e % 50 == 49)
            check(k, number - 1);
    }
    assert_true(traj_keep_bytes(k) > 900 << 10);
    assert_false(traj_keep_lost(k));
    traj_keep_clear(k);
    assert_int_equal(traj_keep_bytes(k), 0);
    traj_keep_destroy(k);
}

static void test_steps(void **state)
{
    struct traj_keep *k = traj_keep_create(1 << 20, 100);
    int number = 0;
    (void)state;
    for (int e = 0; e < 30; e++) {
        add(k, TRAJ_RESET, number++, 1);
        for (int s = 0; s < 7; s++)
            add(k, TRAJ_STEP, number++, 1);
        assert_true(traj_keep_steps(k) <= 100);
    }
    assert_int_equal(traj_keep_steps(k), 98);
    check(k, number - 1);
    traj_keep_destroy(k);
}

static void test_too_large(void **state)
{
    struct traj_keep *k = traj_keep_create(64 << 10, 1000);
    (void)state;
    add(k, TRAJ_STEP, 0, 1); // outside of any episode
    assert_int_equal(traj_keep_bytes(k), 0);
    add(k, TRAJ_RESET, 0, 1);
    for (int i = 1; i < 100; i++)
        add(k, TRAJ_STEP, i, 1000);
    assert_true(traj_keep_lost(k)); // the only episode outgrew it
    assert_int_equal(traj_keep_episodes(k), 0);
    assert_int_equal(traj_keep_steps(k), 0);
    add(k, TRAJ_RESET, 0, 1);
    add(k, TRAJ_STEP, 1, 10);
    assert_false(traj_keep_lost(k));
    check(k, 1);
    add(k, TRAJ_STEP, 2, 70 << 10); // one record that is larger than all
    assert_true(traj_keep_lost(k));
    traj_keep_destroy(k);
}

static void test_copy(void **state)
{
    struct traj_keep *k = traj_keep_create(1 << 20, 1000);
    int number = 0;
    (void)state;
    for (int e = 0; e < 60; e++) { // around the ring, and more than once
        add(k, TRAJ_RESET, number++, 500);
        for (int s = 0; s < 9; s++)
            add(k, TRAJ_STEP, number++, 4000);
    }
    struct traj_keep *copy = traj_keep_copy(k);
    int last = number - 1;
    for (int s = 0; s < 300; s++) { // the one goes on, the other stays
        add(k, TRAJ_RESET, number++, 500);
        add(k, TRAJ_STEP, number++, 4000);
    }
    check(copy, last);
    check(k, number - 1);
    traj_keep_destroy(k);
    check(copy, last);
    traj_keep_destroy(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
