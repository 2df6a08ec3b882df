// What the command line says about players outside, and what a run makes of it.
#include "app/external_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct contest contest; // nobody plays: nothing is needed for them
static struct contest_run run;

static unsigned read_line(const char *const *words, bool single)
{
    struct external_options o;
    char *argv[16] = {(char *)"agon match"};
    int argc = 1;
    while (words[argc - 1]) {
        argv[argc] = (char *)words[argc - 1];
        argc++;
    }
    external_options_init(&o);
    assert_int_equal(argp_parse(&external_argp, argc, argv, 0, NULL, &o), 0);
    contest_run_defaults(&run, &contest);
    external_options_set_run(&o, "agon match", single, &run);
    return external_options_notices(&o);
}

static void test_dialects(void **state)
{
    (void)state;
    static const struct {
        const char *words[8];
        bool omit_nulls, early_result, lax_cut;
        unsigned notices;
    } rows[] = {
        {{NULL}, false, false, false, SEAT_USUAL_NOTICES},
        {{"--nulls", "explicit", "--result-timing", "deal-ended"}, false, false, false, SEAT_USUAL_NOTICES},
        {{"--nulls", "omit"}, true, false, false, SEAT_USUAL_NOTICES},              // B12.3
        {{"--result-timing", "last-card"}, false, true, false, SEAT_USUAL_NOTICES}, // B12.4
        {{"--profile", "giretra"}, true, true, true, SEAT_ALL_NOTICES},             // B12.5
        {{"--profile", "api", "--events", "all"}, false, false, false, SEAT_ALL_NOTICES},
        {{"--nulls", "explicit", "--profile", "giretra"}, false, true, true, SEAT_ALL_NOTICES}, // in any order
        {{"--profile", "giretra", "--events", "none", "--result-timing", "deal-ended"}, true, false, true, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(read_line(rows[i].words, false), rows[i].notices);
        assert_int_equal(run.dialect.omit_nulls, rows[i].omit_nulls);
        assert_int_equal(run.dialect.early_result, rows[i].early_result);
        assert_int_equal(run.dialect.lax_cut, rows[i].lax_cut);
    }
}

// B12.23 to B12.28: every value is an option, and one does not move another.
static void test_budgets(void **state)
{
    (void)state;
    struct seat_options usual;
    seat_options_init(&usual);
    static const struct {
        const char *words[3];
        size_t at;
    } rows[] = {
        {{"--timeout", "77"}, offsetof(struct seat_options, decide_ms)},
        {{"--connect-timeout", "77"}, offsetof(struct seat_options, connect_ms)},
        {{"--create-timeout", "77"}, offsetof(struct seat_options, create_ms)},
        {{"--notify-timeout", "77"}, offsetof(struct seat_options, notify_ms)},
        {{"--delete-timeout", "77"}, offsetof(struct seat_options, delete_ms)},
        {{"--max-conns", "77"}, offsetof(struct seat_options, max_conns)},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seat_options wanted = usual;
        *(int *)((char *)&wanted + rows[i].at) = 77;
        read_line(rows[i].words, false);
        assert_memory_equal(&run.seats, &wanted, sizeof wanted);
    }
    static const char *const never[] = {"--retries", "0", NULL};
    read_line(never, false);
    assert_int_equal(run.seats.retries, 0);
}

// B12.31: what a fault does when nobody said.
static void test_policies(void **state)
{
    (void)state;
    static const char *const nothing[] = {NULL}, *const said[] = {"--on-error", "fallback", NULL};
    read_line(nothing, true);
    assert_int_equal(run.policy, CONTEST_ABORT);
    read_line(nothing, false);
    assert_int_equal(run.policy, CONTEST_LOSE);
    read_line(said, true);
    assert_int_equal(run.policy, CONTEST_FALLBACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_policies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
