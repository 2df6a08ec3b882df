// F5.11: how many calls pass, and what a table that is full forgets.
#include "front/arena/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct limits limits;

static int count_passing(enum limit_class c, const char *who, int tries, int64_t now_ms)
{
    int passed = 0;
    for (int i = 0; i < tries; i++)
        passed += limits_take(&limits, c, span_of(who), now_ms) == 0;
    return passed;
}

static void bursts_and_rates(void **state)
{
    static const struct {
        enum limit_class c;
        int burst, later_ms, then; // calls that pass at once; then after a pause
        int wait_s;                // what a refused one is told
    } rows[] = {
        {LIMIT_JOIN, 10, 3600000, 10, 360}, {LIMIT_JOIN, 10, 359999, 0, 360}, {LIMIT_FRAMES, 20, 3000, 3, 1},
        {LIMIT_READ, 40, 1000, 10, 1},      {LIMIT_KEYED, 30, 1000, 5, 1},    {LIMIT_NONE, 100, 0, 100, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        limits_init(&limits, 7);
        assert_int_equal(count_passing(rows[i].c, "10.0.0.1", 100, 1000), rows[i].burst);
        assert_int_equal(limits_take(&limits, rows[i].c, SPAN("10.0.0.1"), 1000), rows[i].wait_s);
        assert_int_equal(count_passing(rows[i].c, "10.0.0.1", 100, 1000 + rows[i].later_ms), rows[i].then);
    }
}

static void others_are_not_meant(void **state)
{
    (void)state;
    limits_init(&limits, 7);
    assert_int_equal(count_passing(LIMIT_JOIN, "10.0.0.1", 20, 0), 10);
    assert_int_equal(count_passing(LIMIT_JOIN, "10.0.0.2", 20, 0), 10); // another address
    assert_int_equal(count_passing(LIMIT_READ, "10.0.0.1", 50, 0), 40); // another class
}

static void a_clock_set_back_locks_nobody_out(void **state)
{
    (void)state;
    limits_init(&limits, 7);
    assert_int_equal(count_passing(LIMIT_KEYED, "a", 50, 1000000000), 30);
    assert_int_equal(count_passing(LIMIT_KEYED, "a", 50, 0), 0);
    assert_int_equal(count_passing(LIMIT_KEYED, "a", 50, 1000), 5);
}

// Looking counts nothing; who has used up all must wait as long as taking would say.
static void looking_is_free(void **state)
{
    static struct limits l;
    (void)state;
    limits_init(&l, 1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(limits_wait(&l, LIMIT_GUESS, SPAN("a"), 1000000), 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(limits_take(&l, LIMIT_GUESS, SPAN("a"), 1000000), 0);
    assert_int_equal(limits_wait(&l, LIMIT_GUESS, SPAN("a"), 1000000), 6);
    assert_int_equal(limits_take(&l, LIMIT_GUESS, SPAN("a"), 1000000), 6);
    assert_int_equal(limits_wait(&l, LIMIT_GUESS, SPAN("a"), 1006000), 0);
}

// Whoever floods the table with addresses does not get calls back for one that was used up a moment ago.
static void a_flood_of_addresses(void **state)
{
    char who[32];
    int64_t now = 1000;
    (void)state;
    limits_init(&limits, 7);
    for (int i = 0; i < 100000; i++) {
        snprintf(who, sizeof who, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        assert_int_equal(limits_take(&limits, LIMIT_READ, span_of(who), now + i / 1000), 0);
    }
    assert_int_equal(count_passing(LIMIT_JOIN, "192.0.2.1", 20, now), 10);
    for (int i = 0; i < 2000; i++) {
        snprintf(who, sizeof who, "11.0.%d.%d", i >> 8, i & 255);
        limits_take(&limits, LIMIT_READ, span_of(who), now);
    }
    assert_int_equal(count_passing(LIMIT_JOIN, "192.0.2.1", 20, now), 0);
}

static void addresses_have_names(void **state)
{
    static const struct {
        const char *address, *name;
    } rows[] = {
        {"192.0.2.7", "192.0.2.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"}, // one customer has 2^64 of them
        {"2001:db8:1:2::1", "2001:db8:1:2::"},
        {"local", "local"},
    };
    char out[64];
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(span_is(limits_name(span_of(rows[i].address), out), rows[i].name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_and_rates),
        cmocka_unit_test(others_are_not_meant),
        cmocka_unit_test(a_clock_set_back_locks_nobody_out),
        cmocka_unit_test(looking_is_free),
        cmocka_unit_test(a_flood_of_addresses),
        cmocka_unit_test(addresses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
