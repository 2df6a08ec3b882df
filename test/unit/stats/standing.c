// Ratings fitted to all games at once, relative to an anchor (B14.18, B14.19), and pairings.
#include "stats/standing.h"

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

static void add_sets(struct standing *s, int a, int b, int wins, int losses)
{
    add_games(s, a, b, wins, losses);
    for (int i = 0; i < wins + losses; i++)
        stats_add(&s->sets[a][b].score, i < wins);
}

// One game is a set here, so the interval of the difference is that of the score, whoever is the anchor.
static void two_players_have_the_elo_of_their_score(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 2, .set_games = 1};
    struct standing_rating r[STANDING_ENTRANTS];
    add_sets(&s, 0, 1, 74, 26);
    struct stats_interval share = stats_share_interval(0.74, 100);
    standing_fit(&s, 1, r);
    is_near(r[0].elo, elo_of_score(0.74), 0.1);
    is_near(r[0].interval.low, elo_of_score(share.low), 0.1);
    is_near(r[0].interval.high, elo_of_score(share.high), 0.1);
    is_near(r[1].elo, 0, 0);
    assert_false(stats_is_interval(r[1].interval)); // the anchor is no estimate
    standing_fit(&s, 0, r);
    is_near(r[1].interval.low, -elo_of_score(share.high), 0.1);
}

// Differences along a chain add up, and so do the squares of their errors.
static void a_chain_is_rated_as_one(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 3, .set_games = 1};
    struct standing_rating r[STANDING_ENTRANTS];
    add_sets(&s, 0, 1, 3000, 1000);
    add_sets(&s, 1, 2, 3000, 1000);
    standing_fit(&s, 2, r);
    double link = 400 * log10(3), error = 1 / sqrt(4000 * 0.75 * 0.25) * 400 / M_LN10;
    is_near(r[1].elo, link, 0.1);
    is_near(r[0].elo, 2 * link, 0.1);
    is_near((r[1].interval.high - r[1].interval.low) / 2, 1.959963984540054 * error, 0.2);
    is_near((r[0].interval.high - r[0].interval.low) / 2, 1.959963984540054 * error * sqrt(2), 0.4);
}

// Who won or lost everything has a bound, not a number; who never met the anchor has neither.
static void one_sided_results_are_bounds(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 5, .set_games = 1};
    struct standing_rating r[STANDING_ENTRANTS];
    add_sets(&s, 0, 1, 20, 0);
    add_sets(&s, 1, 2, 12, 8);
    add_sets(&s, 1, 3, 20, 0);
    standing_fit(&s, 1, r);
    assert_true(isnan(r[0].elo) && isinf(r[0].interval.high));
    is_near(r[0].interval.low, elo_of_score(pow(0.025 / 0.6, 1.0 / 20)), 0.1); // 0.6 of the chance of 20 wins is 2.5 %
    assert_true(isnan(r[3].elo) && isinf(r[3].interval.low));
    is_near(r[3].interval.high, -r[0].interval.low, 1e-6);
    assert_true(r[2].interval.low < r[2].elo && r[2].elo < r[2].interval.high);
    assert_true(isnan(r[4].elo) && !stats_is_interval(r[4].interval));
    standing_fit(&s, 2, r); // 0 never met it
    assert_true(isnan(r[0].elo) && !stats_is_interval(r[0].interval));
}

// A lead of 1 over the second, of 3 over the third: as many deviations of a game.
static void leads_are_fitted(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 3, .set_games = 1};
    struct standing_rating r[STANDING_ENTRANTS];
    static const struct {
        int a, b;
        double lead;
    } pairs[] = {{0, 1, 1}, {1, 2, 2}, {0, 2, 3}};
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 100; i++) {
            double lead = pairs[p].lead + (i % 2 ? 10 : -10);
            standing_add(&s, pairs[p].a, pairs[p].b, lead > 0);
            stats_add(&s.sets[pairs[p].a][pairs[p].b].game_lead, lead);
            compare_add_unit(&s.sets[pairs[p].a][pairs[p].b].lead, lead, 1);
        }
    standing_fit_leads(&s, 2, r);
    double unit = 800 / M_LN10 / (10 * sqrt(100.0 / 99));
    is_near(r[0].elo, 3 * unit, 1e-3);
    is_near(r[1].elo, 2 * unit, 1e-3);
    assert_true(r[0].interval.low < r[0].elo && r[0].elo < r[0].interval.high);
    assert_false(stats_is_interval(r[2].interval));
}

static void strangers_are_unknown(void **unused)
{
    (void)unused;
    struct standing s = {.entrants = 3, .set_games = 1};
    struct standing_rating r[STANDING_ENTRANTS];
    standing_fit(&s, 0, r);
    assert_true(isnan(r[1].elo) && isnan(r[2].elo));
    standing_fit_leads(&s, 0, r);
    assert_true(isnan(r[1].elo) && isnan(r[2].elo));
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
        cmocka_unit_test(one_sided_results_are_bounds),
        cmocka_unit_test(leads_are_fitted),
        cmocka_unit_test(strangers_are_unknown),
        cmocka_unit_test(swiss_avoids_rematches),
        cmocka_unit_test(everyone_meets_everyone_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
