// Means, proportions and their intervals, against figures from tables.
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void near(double got, double want, double error)
{
    if (!(fabs(got - want) <= error))
        fail_msg("%.12g is not %.12g within %g", got, want, error);
}

static void a_mean_is_found_value_by_value(void **unused)
{
    (void)unused;
    struct stats_mean s = {0};
    near(stats_deviation(&s), 0, 0);
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    for (size_t i = 0; i < 8; i++)
        stats_add(&s, values[i]);
    assert_int_equal(s.count, 8);
    near(s.mean, 5, 1e-12);
    near(stats_deviation(&s), sqrt(32.0 / 7), 1e-12);
    struct stats_interval i = stats_mean_interval(&s);
    near(i.low, 5 - 2.364624252 * sqrt(32.0 / 7 / 8), 1e-8);
    near(i.high, 5 + 2.364624252 * sqrt(32.0 / 7 / 8), 1e-8);
}

static void large_means_lose_no_digits(void **unused)
{
    (void)unused;
    struct stats_mean s = {0};
    for (int i = 0; i < 1000; i++)
        stats_add(&s, 1e12 + i % 2);
    near(stats_deviation(&s), 0.500250187, 1e-6);
}

static void one_value_has_no_width(void **unused)
{
    (void)unused;
    struct stats_mean s = {0};
    stats_add(&s, 3);
    assert_false(stats_is_interval(stats_mean_interval(&s)));
}

static void students_points_are_those_of_the_tables(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t freedom;
        double point;
    } cases[] = {
        {1, 12.706204736}, {2, 4.302652730},  {5, 2.570581836},   {12, 2.178812830},   {13, 2.160368656},
        {20, 2.085963447}, {30, 2.042272456}, {120, 1.979930405}, {1000, 1.962339081}, {UINT64_MAX, 1.959963985},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        near(stats_student(cases[i].freedom), cases[i].point, 3e-6);
}

static void proportions_have_wilsons_interval(void **unused)
{
    (void)unused;
    static const struct {
        double successes;
        uint64_t tries;
        double low, high;
    } cases[] = {
        {0, 0, 0, 1},
        {0, 10, 0, 0.277532799}, // z^2 / (n + z^2)
        {10, 10, 0.722467201, 1},
        {81, 263, 0.255286, 0.366209}, // Newcombe 1998: 0.2553 to 0.3662
        {15, 148, 0.062386, 0.160502}, // 0.0624 to 0.1605
        {1, 29, 0.006113, 0.171755},   // 0.0061 to 0.1718
        {2.5, 5, 0.170424, 0.829576},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stats_interval w = stats_proportion_interval(cases[i].successes, cases[i].tries);
        near(w.low, cases[i].low, 5e-5);
        near(w.high, cases[i].high, 5e-5);
    }
}

static void sums_of_fractions_may_miss_the_whole_by_a_rounding(void **unused)
{
    (void)unused;
    double wins = 0;
    for (int i = 0; i < 1800; i++)
        wins += 1.0 / 9;
    assert_true(wins > 200); // the point of the test
    struct stats_interval w = stats_proportion_interval(wins, 200);
    near(w.high, 1, 0);
    near(w.low, 200 / (200 + 3.841458821), 1e-6);
    w = stats_proportion_interval(-1e-15, 200);
    near(w.low, 0, 0);
}

// Against another program (scipy): the beta function, Student's test, and where the tails of a binomial distribution
// reach 2.5 %.
static void shares_and_tests(void **unused)
{
    (void)unused;
    near(stats_beta(0.3, 2.5, 7.25), 0.6604822735819071, 1e-12);
    near(stats_student_test(2.5, 11), 0.029506374087364163, 1e-12);
    static const struct {
        double won, tries, low, high;
    } rows[] = {{60, 100, 0.500780313220, 0.693427470508},
                {3, 4, 0.229091833063, 0.989528123458},
                {4, 4, 0.451801001805, 1.000000000000},
                {0, 30, 0.000000000000, 0.100517002266},
                {1, 200, 0.000209812979, 0.025175943898}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stats_interval s = stats_share_interval(rows[i].won / rows[i].tries, rows[i].tries);
        near(s.low, rows[i].low, 1e-9);
        near(s.high, rows[i].high, 1e-9);
    }
    struct stats_interval nothing = stats_share_interval(0.5, 0), many = stats_share_interval(0.5, 40000);
    near(nothing.low, 0, 0);
    near(nothing.high, 1, 0);
    near(many.high - many.low, 2 * 1.959963984540054 * 0.5 / 200, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_and_tests),
        cmocka_unit_test(a_mean_is_found_value_by_value),
        cmocka_unit_test(large_means_lose_no_digits),
        cmocka_unit_test(one_value_has_no_width),
        cmocka_unit_test(students_points_are_those_of_the_tables),
        cmocka_unit_test(proportions_have_wilsons_interval),
        cmocka_unit_test(sums_of_fractions_may_miss_the_whole_by_a_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
