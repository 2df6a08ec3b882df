// Glicko-2 against the values of F7.6 and what follows from F7.3 to F7.5.
#include "stats/glicko.h"

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

static void the_example_of_the_paper(void **unused)
{
    (void)unused; // F7.6
    const struct glicko_result results[] = {
        {{1400, 30, 0.06}, 1, 1}, {{1550, 100, 0.06}, 0, 1}, {{1700, 300, 0.06}, 0, 1}};
    struct glicko g = glicko_update((struct glicko){1500, 200, 0.06}, results, 3);
    near(g.rating, 1464.05, 0.01);
    near(g.deviation, 151.52, 0.01);
    near(g.volatility, 0.05999, 0.00001);
}

#define FRESH                                                                                                          \
    {                                                                                                                  \
        1500, 350, 0.06                                                                                                \
    } // clang takes no struct for a constant in an initializer

static void matches_give_what_the_rules_say(void **unused)
{
    (void)unused;
    static const struct {
        int seats, teams;
        seat_set dropped;
        int32_t payoffs[4];
        struct glicko before[4];
        double after[4][2];
    } cases[] = {
        {3, 0, 0, {0, 1, 0}, {FRESH, FRESH, FRESH}, {{1376.34, 253.40}, {1747.32, 253.40}, {1376.34, 253.40}}}, // F7.6
        {3,
         0,
         0,
         {0, 0, 1},
         {{1620, 90, 0.06}, {1500, 120, 0.06}, {1430, 200, 0.06}},
         {{1587.57, 86.66}, {1476.05, 110.75}, {1622.94, 162.66}}}, // F7.6
        {3,
         0,
         SEAT(0) | SEAT(1),
         {900, 0, 100},
         {{1620, 90, 0.06}, {1500, 120, 0.06}, {1430, 200, 0.06}},
         {{1587.57, 86.66}, {1476.05, 110.75}, {1622.94, 162.66}}}, // F7.4: the dropped lose, and draw among themselves
        {2, 0, 0, {1, 0}, {FRESH, FRESH}, {{1662.31, 290.32}, {1337.69, 290.32}}},
        {4,
         2,
         0,
         {1, 0, 1, 0},
         {FRESH, FRESH, FRESH, FRESH}, // F7.4: two opponents each, both beaten
         {{1747.32, 253.40}, {1252.68, 253.40}, {1747.32, 253.40}, {1252.68, 253.40}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct glicko at[4];
        for (int seat = 0; seat < 4; seat++)
            at[seat] = cases[i].before[seat];
        glicko_match(at, cases[i].seats, cases[i].teams, cases[i].payoffs, cases[i].dropped);
        for (int seat = 0; seat < cases[i].seats; seat++) {
            near(at[seat].rating, cases[i].after[seat][0], 0.01);
            near(at[seat].deviation, cases[i].after[seat][1], 0.01);
        }
    }
}

static void a_draw_of_equals_moves_nobody(void **unused)
{
    (void)unused;
    struct glicko at[2] = {glicko_start(), glicko_start()};
    glicko_match(at, 2, 0, (int32_t[]){5, 5}, 0);
    near(at[0].rating, 1500, 1e-9);
    near(at[0].deviation, at[1].deviation, 0);
    assert_true(at[0].deviation < 350);
}

static void deviation_grows_with_idle_days(void **unused)
{
    (void)unused;
    static const struct {
        double deviation;
        int64_t days;
        double grown;
    } cases[] = {
        {80, 30, 98.28}, {80, 0, 80}, {80, -3, 80}, {80, 1, 80.68}, {80, 1000000, 350}, {350, 1, 350}, // F7.5, F7.6
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct glicko g = glicko_idle((struct glicko){1700, cases[i].deviation, 0.06}, cases[i].days);
        near(g.deviation, cases[i].grown, 0.01);
        near(glicko_display(g), 1700 - 2 * g.deviation, 1e-9); // F7.8
    }
}

static void repeated_meetings_weigh_less(void **unused)
{
    (void)unused; // F7.9
    static const double weights[] = {1, 1, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4};
    for (int k = 1; k <= 6; k++)
        near(glicko_damping(k), weights[k - 1], 0);
    struct glicko_result win = {glicko_start(), 1, 1}, half = {glicko_start(), 1, 0.5};
    double full = glicko_update(glicko_start(), &win, 1).rating,
           damped = glicko_update(glicko_start(), &half, 1).rating;
    assert_true(damped > 1500 && damped < full);
    // Two halves of a result are the result.
    struct glicko whole = glicko_update(glicko_start(), &win, 1);
    struct glicko halves = glicko_update(glicko_start(), (struct glicko_result[]){half, half}, 2);
    near(halves.rating, whole.rating, 1e-6);
    near(halves.deviation, whole.deviation, 1e-6);
}

static void deviation_stays_within_its_limits(void **unused)
{
    (void)unused; // F7.1
    struct glicko at[2] = {glicko_start(), glicko_start()};
    for (int i = 0; i < 5000; i++) {
        glicko_match(at, 2, 0, (int32_t[]){i % 2, (i + 1) % 2}, 0);
        assert_true(at[0].deviation >= 30 && at[0].deviation <= 350);
        assert_true(at[0].volatility > 0 && at[0].volatility < 1);
    }
    struct glicko alone = glicko_update((struct glicko){1500, 200, 0.06}, NULL, 0);
    near(alone.deviation, 200, 0);
}

static void surprises_do_not_hang_the_search(void **unused)
{
    (void)unused;
    struct glicko_result upset = {{3500, 30, 0.06}, 1, 1}, fall = {{100, 30, 0.06}, 0, 1};
    for (int deviation = 30; deviation <= 350; deviation += 10) {
        struct glicko up = glicko_update((struct glicko){100, deviation, 0.06}, &upset, 1);
        struct glicko down = glicko_update((struct glicko){3500, deviation, 0.06}, &fall, 1);
        assert_true(isfinite(up.rating) && up.rating > 100 && up.volatility >= 0.06);
        assert_true(isfinite(down.rating) && down.rating < 3500 && down.volatility >= 0.06);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_paper),         cmocka_unit_test(matches_give_what_the_rules_say),
        cmocka_unit_test(a_draw_of_equals_moves_nobody),    cmocka_unit_test(deviation_grows_with_idle_days),
        cmocka_unit_test(repeated_meetings_weigh_less),     cmocka_unit_test(deviation_stays_within_its_limits),
        cmocka_unit_test(surprises_do_not_hang_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
