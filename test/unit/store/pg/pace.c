// How often nodes begin batches (S11): many of them make no more batches than one does, and nobody waits without need.
#include "store/pg/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { USUAL_US = 8000 };

static void usual_pace(void **state)
{
    (void)state;
    assert_int_equal(pace_choose_us(USUAL_US, 1, 100000), USUAL_US);
    assert_int_equal(pace_choose_us(USUAL_US, 8, 0), USUAL_US);
    assert_int_equal(pace_choose_us(USUAL_US, 8, 249), USUAL_US);   // the server has little to do
    assert_int_equal(pace_choose_us(USUAL_US, 24, 8400), USUAL_US); // batches are large already
}

// Of 4,000 puts a second in all.
static void the_same_work_by_more_nodes(void **state)
{
    (void)state;
    const int64_t alone = 1000000 / USUAL_US;
    for (int nodes = 2; nodes <= 8; nodes++) {
        int64_t us = pace_choose_us(USUAL_US, nodes, 4000u / (unsigned)nodes), batches = nodes * 1000000 / us;
        assert_true(us >= USUAL_US && us <= (int64_t)USUAL_US * nodes);
        assert_true(batches <= alone); // eight would have made 960
    }
}

static void longest_pace(void **state)
{
    (void)state;
    assert_int_equal(pace_choose_us(USUAL_US, 8, 250), 8 * USUAL_US);
    assert_int_equal(pace_choose_us(USUAL_US, 1000, 2), 8 * USUAL_US);
    assert_int_equal(pace_choose_us(USUAL_US, 2, 1000), 2 * USUAL_US);
}

// Batches of 64 puts, but nobody waits for longer than twice the usual pace.
static void alone(void **state)
{
    (void)state;
    for (int nodes = 0; nodes < 2; nodes++) { // 0: it has not looked yet
        assert_int_equal(pace_choose_us(USUAL_US, nodes, 1999), USUAL_US);
        assert_int_equal(pace_choose_us(USUAL_US, nodes, 2000), 2 * USUAL_US);
        assert_int_equal(pace_choose_us(USUAL_US, nodes, 5000), 12800);
        assert_int_equal(pace_choose_us(USUAL_US, nodes, 8000), USUAL_US);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(usual_pace), cmocka_unit_test(alone),
                                       cmocka_unit_test(the_same_work_by_more_nodes), cmocka_unit_test(longest_pace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
