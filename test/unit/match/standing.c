// Ratings fitted to all games at once, and pairings.
#include "match/standing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void is_near(double got, double want, double error)
{
    if (!(fabs(got - want) <= error))
        fail_msg("%.12g is not %.12g within %g", got, want, error);
}

static void add_games(struct standing *s, int a, int b, int wins, int losses)
{
    for (int i = 0; i < wins + losses; i++)
        standing_add(s, a, b, i < wins);
}

static void two_players_have_the_elo_of_their_score(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 2};
    struct standing_rating r[STANDING_ENTRANTS];
    add_games(&s, 0, 1, 74, 25); // and a virtual draw: 74.5 of 100
    standing_fit(&s, r);
    is_near(r[0].elo - r[1].elo, 400 * log10(74.5 / 25.5), 1e-5);
    is_near(r[0].elo + r[1].elo, 0, 1e-6);
    // The information about the difference is n p q; each stands half of it from the mean.
    double error = 1 / sqrt(100 * 0.745 * 0.255) / 2 * 400 / M_LN10;
    is_near(r[0].interval.high - r[0].elo, 1.959963984540054 * error, 1e-3);
}

static void a_chain_is_rated_as_one(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 4};
    struct standing_rating r[STANDING_ENTRANTS];
    add_games(&s, 0, 1, 75, 25);
    add_games(&s, 1, 2, 75, 25);
    add_games(&s, 2, 3, 100, 0); // won everything: finite all the same
    standing_fit(&s, r);
    is_near(r[0].elo - r[1].elo, r[1].elo - r[2].elo, 1e-3);
    is_near(r[0].elo - r[1].elo, 400 * log10(75.5 / 25.5), 1e-3);
    is_near(r[2].elo - r[3].elo, 400 * log10(100.5 / 0.5), 1e-2);
    for (int i = 0; i < 4; i++)
        assert_true(r[i].interval.low < r[i].elo && r[i].elo < r[i].interval.high);
}

static void strangers_are_equal(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 3};
    struct standing_rating r[STANDING_ENTRANTS];
    standing_fit(&s, r);
    for (int i = 0; i < 3; i++)
        is_near(r[i].elo, 0, 1e-9);
}

static void swiss_avoids_rematches(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 7};
    const int order[] = {4, 2, 0, 1, 3, 6, 5};
    struct standing_pair p[STANDING_ENTRANTS];
    assert_int_equal(standing_pair_swiss(&s, order, 7, 5, p), 4);
    const struct standing_pair fresh[] = {{4, 2}, {0, 1}, {3, 6}, {5, -1}};
    assert_memory_equal(p, fresh, sizeof fresh);
    add_games(&s, 4, 2, 1, 1);
    add_games(&s, 4, 0, 1, 0);
    add_games(&s, 2, 0, 1, 0);
    assert_int_equal(standing_pair_swiss(&s, order, 7, 5, p), 4);
    const struct standing_pair again[] = {{4, 1}, {2, 3}, {0, 6}, {5, -1}}; // the highest placed of those not met
    assert_memory_equal(p, again, sizeof again);
    for (int i = 0; i < 5; i++) // all of the next four met: the one met least often
        add_games(&s, 4, (int[]){1, 3, 0, 2, 1}[i], 1, i < 3);
    assert_int_equal(standing_pair_swiss(&s, order, 7, 5, p), 4);
    assert_int_equal(p[0].second, 3);
}

static void everyone_meets_everyone_once(void **unused)
{
    (void)unused;
    for (int n = 2; n <= 9; n++) {
        int met[9][9] = {0};
        for (int round = 0; round < standing_rounds_round_robin(n); round++) {
            struct standing_pair p[STANDING_ENTRANTS];
            int count = standing_pair_round_robin(n, round, p), seen = 0;
            assert_int_equal(count, n / 2);
            for (int i = 0; i < count; i++) {
                met[p[i].first][p[i].second]++;
                assert_false(seen & (1 << p[i].first | 1 << p[i].second)); // nobody twice in a round
                seen |= 1 << p[i].first | 1 << p[i].second;
            }
        }
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                assert_int_equal(met[i][j], 1);
    }
    struct standing_pair p[STANDING_ENTRANTS];
    assert_int_equal(standing_pair_gauntlet(4, p), 3);
    assert_int_equal(p[2].second, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_players_have_the_elo_of_their_score),
        cmocka_unit_test(a_chain_is_rated_as_one),
        cmocka_unit_test(strangers_are_equal),
        cmocka_unit_test(swiss_avoids_rematches),
        cmocka_unit_test(everyone_meets_everyone_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
