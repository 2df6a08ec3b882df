// A list that knows places, against one that is sorted by hand.
#include "store/ranked_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5000, STEPS = 40000 };

static bool is_before(const void *owner, uint32_t a, uint32_t b)
{
    const uint32_t *worth = owner;
    return worth[a] != worth[b] ? worth[a] > worth[b] : a < b;
}

static int compare(const void *a, const void *b, void *owner)
{
    return is_before(owner, *(const uint32_t *)a, *(const uint32_t *)b) ? -1 : 1;
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static void check_all(const struct ranked_list *o, uint32_t *worth, const bool *in)
{
    static uint32_t want[MOST], got[MOST + 1];
    size_t count = 0;
    for (uint32_t i = 0; i < MOST; i++)
        if (in[i])
            want[count++] = i;
    qsort_r(want, count, sizeof *want, compare, worth);
    assert_int_equal(o->count, count);
    assert_int_equal(ranked_list_read(o, 0, got, MOST + 1), count);
    assert_memory_equal(got, want, count * sizeof *want);
    for (size_t i = 0; i < count; i += 37) {
        assert_int_equal(ranked_list_position(o, is_before, worth, want[i]), i);
        size_t n = ranked_list_read(o, i, got, 50);
        assert_int_equal(n, count - i < 50 ? count - i : 50);
        assert_memory_equal(got, want + i, n * sizeof *want);
    }
    assert_int_equal(ranked_list_read(o, count, got, 1), 0);
}

static void items_come_and_go(void **state)
{
    (void)state;
    static uint32_t worth[MOST];
    static bool in[MOST];
    uint32_t seed = 3;
    struct ranked_list o = {0};
    for (int step = 0; step < STEPS; step++) {
        uint32_t item = draw(&seed, MOST);
        bool shrinks = step > STEPS / 2; // grow, then shrink until lots vanish
        if (in[item]) {
            ranked_list_remove(&o, is_before, worth, item);
            in[item] = false;
        }
        if (!shrinks || draw(&seed, 8) == 0) {
            worth[item] = draw(&seed, 1000); // with ties
            ranked_list_insert(&o, is_before, worth, item);
            in[item] = true;
        }
        if (step % 4000 == 0 || step == STEPS - 1)
            check_all(&o, worth, in);
    }
    for (uint32_t i = 0; i < MOST; i++)
        if (in[i])
            ranked_list_remove(&o, is_before, worth, i), in[i] = false;
    check_all(&o, worth, in);
    ranked_list_clear(&o);
}

static void a_filled_one_goes_on(void **state)
{
    (void)state;
    static uint32_t worth[MOST], items[MOST];
    static bool in[MOST];
    struct ranked_list o = {0};
    for (uint32_t i = 0; i < MOST; i++) {
        worth[i] = MOST - i;
        items[i] = i;
        in[i] = i < MOST - 100;
    }
    ranked_list_fill(&o, items, MOST - 100);
    check_all(&o, worth, in);
    for (uint32_t i = MOST - 100; i < MOST; i++) {
        worth[i] = i * 7 % MOST;
        ranked_list_insert(&o, is_before, worth, i);
        in[i] = true;
    }
    check_all(&o, worth, in);
    ranked_list_clear(&o);
    assert_int_equal(o.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_and_go),
        cmocka_unit_test(a_filled_one_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
