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

// S46: somebody who spreads calls over all nodes gets at most a quarter of a burst more at each of the others, and what
// passes within a second.
static void heavy_callers_count_everywhere(void **state)
{
    enum { TABLES = 4, SECONDS = 60, TRIES = 40, EACH_MS = 100, BURST = 40 };
    static struct limits at[TABLES];
    struct limits_heavy told[8];
    int passed = 0;
    (void)state;
    for (int i = 0; i < TABLES; i++)
        limits_init(&at[i], 7);
    for (int second = 0; second < SECONDS; second++) {
        int64_t now_ms = 1000000 + second * 1000;
        for (int k = 0; k < TRIES; k++)
            for (int i = 0; i < TABLES; i++)
                passed += limits_take(&at[i], LIMIT_READ, SPAN("10.0.0.1"), now_ms) == 0;
        for (int i = 0; i < TABLES; i++) {
            limits_take(&at[i], LIMIT_READ, SPAN("10.0.0.2"), now_ms); // somebody who does no harm is not talked about
            limits_take(&at[i], LIMIT_JOIN, SPAN("10.0.0.1"), now_ms); // the store counts these
            int count = limits_take_report(&at[i], now_ms, told, 8);
            assert_true(count <= 1);
            for (int k = 0; k < TABLES; k++)
                for (int n = 0; n < count && k != i; n++)
                    limits_apply_report(&at[k], &told[n], now_ms);
        }
        assert_int_equal(limits_take(&at[second % TABLES], LIMIT_READ, SPAN("10.0.0.3"), now_ms), 0);
    }
    // One table: 40 at once and 10 a second.
    int one = BURST + (SECONDS - 1) * 1000 / EACH_MS;
    assert_true(passed >= one);
    assert_true(passed <= one + (TABLES - 1) * (BURST + BURST / 4));
}

static void what_is_heard_is_judged(void **state)
{
    struct limits_heavy told[4];
    (void)state;
    limits_init(&limits, 7);
    assert_int_equal(count_passing(LIMIT_READ, "a", 10, 1000), 10);
    assert_int_equal(limits_take_report(&limits, 1000, told, 4), 0); // a quarter, and no more
    assert_int_equal(count_passing(LIMIT_READ, "a", 5, 1000), 5);
    assert_int_equal(limits_take_report(&limits, 1000, told, 4), 1);
    assert_int_equal(told[0].ms, 1500);
    assert_int_equal(limits_take_report(&limits, 1000, told, 4), 0); // once
    for (int i = 0; i < 100; i++)
        limits_apply_report(&limits, &told[0], 1000);
    assert_int_equal(limits_take(&limits, LIMIT_READ, SPAN("a"), 1000), 8 * 4 + 1); // however much that was
    limits_apply_report(&limits, &(struct limits_heavy){.who = 5, .ms = 9, .kind = 200}, 1000);
    assert_int_equal(limits_take_report(&limits, 1000, told, 4), 0);
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
        cmocka_unit_test(heavy_callers_count_everywhere),
        cmocka_unit_test(what_is_heard_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
