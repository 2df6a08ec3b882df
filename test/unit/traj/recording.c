// G19.1: a ceiling, and the oldest episodes go whole.
#include "traj/traj.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void add(struct traj_recording *k, enum traj_kind kind, int number, size_t size)
{
    char *json = malloc(size + 32);
    int n = snprintf(json, 32, "%d ", number);
    memset(json + n, 'a' + number % 26, size);
    traj_recording_add(k, kind, (struct span){json, (size_t)n + size});
    free(json);
}

// Everything in it, in order: whole episodes, the last `steps` of them up to `last`.
static void check(const struct traj_recording *k, int last)
{
    struct text out = {.grow = traj_text_grow};
    uint64_t at = traj_recording_first(k), steps = 0, episodes = 0;
    enum traj_kind kind;
    int expected = -1;
    while (traj_recording_next(k, &at, &out, &kind)) {
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
    assert_int_equal(steps, traj_recording_steps(k));
    assert_int_equal(episodes, traj_recording_episodes(k));
    free(out.at);
}

// Each test has a pool of its own, which finds it empty at the end.
static struct traj_pool *pool;

static int open_pool(void **state)
{
    (void)state;
    pool = traj_pool_create(64 << 20);
    return 0;
}

static int close_pool(void **state)
{
    (void)state;
    traj_pool_destroy(pool); // asserts that no block is left
    return 0;
}

static void test_ceiling(void **state)
{
    struct traj_recording *k = traj_recording_create(pool, 1 << 20, 1000000);
    int number = 0;
    (void)state;
    for (int e = 0; e < 400; e++) {
        add(k, TRAJ_RESET, number++, 500);
        for (int s = 0; s < 10 + e % 7; s++)
            add(k, TRAJ_STEP, number++, (size_t)(e * 37 + s * 101) % 3000);
        assert_true(traj_recording_bytes(k) <= 1 << 20);
        if (e % 50 == 49)
            check(k, number - 1);
    }
    assert_true(traj_recording_bytes(k) > 900 << 10);
    assert_false(traj_recording_is_lost(k));
    traj_recording_clear(k);
    assert_int_equal(traj_recording_bytes(k), 0);
    traj_recording_destroy(k);
}

static void test_steps(void **state)
{
    struct traj_recording *k = traj_recording_create(pool, 1 << 20, 100);
    int number = 0;
    (void)state;
    for (int e = 0; e < 30; e++) {
        add(k, TRAJ_RESET, number++, 1);
        for (int s = 0; s < 7; s++)
            add(k, TRAJ_STEP, number++, 1);
        assert_true(traj_recording_steps(k) <= 100);
    }
    assert_int_equal(traj_recording_steps(k), 98);
    check(k, number - 1);
    traj_recording_destroy(k);
}

static void test_too_large(void **state)
{
    struct traj_recording *k = traj_recording_create(pool, 64 << 10, 1000);
    (void)state;
    add(k, TRAJ_STEP, 0, 1); // outside of any episode
    assert_int_equal(traj_recording_bytes(k), 0);
    add(k, TRAJ_RESET, 0, 1);
    for (int i = 1; i < 100; i++)
        add(k, TRAJ_STEP, i, 1000);
    assert_true(traj_recording_is_lost(k)); // the only episode outgrew it
    assert_int_equal(traj_recording_episodes(k), 0);
    assert_int_equal(traj_recording_steps(k), 0);
    add(k, TRAJ_RESET, 0, 1);
    add(k, TRAJ_STEP, 1, 10);
    assert_false(traj_recording_is_lost(k));
    check(k, 1);
    add(k, TRAJ_STEP, 2, 70 << 10); // one record that is larger than all
    assert_true(traj_recording_is_lost(k));
    traj_recording_destroy(k);
}

static void test_copy(void **state)
{
    struct traj_recording *k = traj_recording_create(pool, 1 << 20, 1000);
    int number = 0;
    (void)state;
    for (int e = 0; e < 60; e++) { // around the ring, and more than once
        add(k, TRAJ_RESET, number++, 500);
        for (int s = 0; s < 9; s++)
            add(k, TRAJ_STEP, number++, 4000);
    }
    struct traj_recording *copy = traj_recording_copy(k);
    int last = number - 1;
    for (int s = 0; s < 300; s++) { // the one goes on, the other stays
        add(k, TRAJ_RESET, number++, 500);
        add(k, TRAJ_STEP, number++, 4000);
    }
    check(copy, last);
    check(k, number - 1);
    traj_recording_destroy(k);
    check(copy, last);
    traj_recording_destroy(copy);
}

// A save begins with a copy, on the loop's thread: no byte is copied, however long the recording is.
static void test_copy_is_shared(void **state)
{
    struct traj_recording *k = traj_recording_create(pool, 32 << 20, 1000000);
    (void)state;
    add(k, TRAJ_RESET, 0, 1);
    for (int i = 1; i < 20000; i++)
        add(k, TRAJ_STEP, i, 1000);
    size_t before = traj_pool_bytes(pool);
    struct traj_recording *copy[4];
    for (int i = 0; i < 4; i++)
        copy[i] = traj_recording_copy(k);
    assert_int_equal(traj_pool_bytes(pool), before);
    traj_recording_destroy(k);
    assert_int_equal(traj_pool_bytes(pool), before); // the copies hold it
    for (int i = 0; i < 4; i++) {
        check(copy[i], 19999);
        traj_recording_destroy(copy[i]);
    }
    assert_true(traj_pool_bytes(pool) <= 1 << 20); // a few blocks for the next recording
}

// However many recordings there are, and whatever copies hold: the pool's size is never exceeded. The largest pays.
static void test_pool(void **state)
{
    enum { KEEPS = 40, ALL = 8 << 20, SMALL = 3 };
    struct traj_pool *small = traj_pool_create(ALL);
    struct traj_recording *k[KEEPS], *copy;
    (void)state;
    for (int i = 0; i < KEEPS; i++)
        k[i] = traj_recording_create(small, 4 << 20, 1000000);
    for (int i = 0; i < SMALL; i++) {
        add(k[i], TRAJ_RESET, 0, 1);
        add(k[i], TRAJ_STEP, 1, 100 << 10);
    }
    for (int i = SMALL; i < 12; i++) // 36 MB are wanted
        for (int n = 0; n < 200; n++) {
            add(k[i], n % 20 ? TRAJ_STEP : TRAJ_RESET, n, 20000);
            assert_true(traj_pool_bytes(small) <= ALL);
        }
    check(k[11], 199);
    assert_true(traj_recording_bytes(k[11]) >= ALL / 12 / 2);
    for (int i = 0; i < SMALL; i++)
        check(k[i], 1); // never the largest
    copy = traj_recording_copy(k[11]);
    for (int i = 12; i < KEEPS; i++) { // more recordings than blocks
        add(k[i], TRAJ_RESET, 0, 200 << 10);
        assert_true(traj_pool_bytes(small) <= ALL);
    }
    check(k[KEEPS - 1], 0);
    check(copy, 199);
    for (int i = 0; i < KEEPS; i++)
        traj_recording_destroy(k[i]);
    check(copy, 199);
    traj_recording_destroy(copy);
    traj_pool_destroy(small);
}

// A copy that holds the whole pool: the recording loses its episode, and goes on when there is room again.
static void test_pool_held(void **state)
{
    struct traj_pool *small = traj_pool_create(1 << 20);
    struct traj_recording *k = traj_recording_create(small, 1 << 20, 1000), *copy;
    (void)state;
    add(k, TRAJ_RESET, 0, 1000 << 10);
    copy = traj_recording_copy(k);
    add(k, TRAJ_RESET, 0, 500 << 10);
    assert_true(traj_recording_is_lost(k));
    assert_int_equal(traj_pool_bytes(small), 1 << 20);
    check(copy, 0);
    traj_recording_destroy(copy);
    add(k, TRAJ_RESET, 0, 500 << 10);
    assert_false(traj_recording_is_lost(k));
    check(k, 0);
    traj_recording_destroy(k);
    traj_pool_destroy(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ceiling, open_pool, close_pool),
        cmocka_unit_test_setup_teardown(test_steps, open_pool, close_pool),
        cmocka_unit_test_setup_teardown(test_too_large, open_pool, close_pool),
        cmocka_unit_test_setup_teardown(test_copy, open_pool, close_pool),
        cmocka_unit_test_setup_teardown(test_copy_is_shared, open_pool, close_pool),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_pool_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
