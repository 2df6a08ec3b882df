// Kuhn and Leduc poker, weighed exactly: known values, and luck that sums to nothing (N20.4).
#include "analysis/analysis.h"
#include "game/hands.h"
#include "games/games.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"
#include "solve/facts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { J = 39, Q = 43, K = 47, FOLD = HANDS_FOLD, CHECK, CALL, BET };

// The first seat's card, the second's, what was done, and what the answer costs, in antes.
static const struct {
    uint8_t first, second, done[3], answer;
    double loss;
} rows[] = {
    {J, K, {BET}, FOLD, 3},        // a sure win of two thrown away with the ante
    {K, J, {BET}, CALL, 1},        // a sure loss
    {K, J, {BET}, FOLD, 0},        //
    {K, Q, {CHECK, BET}, FOLD, 3}, //
    {J, K, {CHECK, BET}, CALL, 1}, //
    {Q, K, {0}, BET, 1.0 / 6},     // only better hands call
    {Q, J, {0}, BET, 1.0 / 6},     // the same: the seat does not know the other's card
    {Q, J, {0}, CHECK, 0},         //
};

static void fill(struct analysis_question *p, const struct game_kit *k, const uint8_t cards[2], const uint8_t *done,
                 int starter)
{
    struct hands_rules rules;
    union game_state s;
    k->game->defaults(&rules);
    rules.starter = (uint8_t)starter;
    rules.deck[0] = cards[0];
    rules.deck[1] = cards[1];
    rules.deck[2] = (uint8_t)(J + Q + K - cards[0] - cards[1]);
    assert_int_equal(k->game->init(&s, &rules, 2, (struct rng){0}, NULL), OK);
    int n = 0;
    for (; n < 3 && done[n]; n++)
        assert_int_equal(k->game->apply(&s, (starter + n) % 2, (struct game_action){.kind = done[n]}, NULL), OK);
    analysis_question_fill(p, k, &s, (starter + n) % 2, 2);
    for (int i = 0; i < n; i++) {
        p->path[i].seat = (uint8_t)((starter + i) % 2);
        p->path[i].action = (struct game_action){.kind = done[i]};
    }
    p->path_count = n;
}

static void known_values(void **unused)
{
    (void)unused;
    const struct game_kit *k = games_find("kuhn_poker");
    static struct analysis_question p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int starter = 0; starter < 2; starter++) {
            uint8_t cards[2] = {rows[i].first, rows[i].second};
            fill(&p, k, cards, rows[i].done, starter);
            struct analysis_verdict v =
                analysis_evaluate(&p, kit_level(k, 5), (struct game_action){.kind = rows[i].answer}, 0,
                                  (struct rng){.key = {1}}, NULL, NULL);
            assert_true(v.exact);
            assert_true(v.error == 0);
            if (fabs(v.loss - rows[i].loss) > 0.004)
                fail_msg("row %zu: loss %f, expected %f", i, v.loss, rows[i].loss);
            assert_int_equal(v.mistake, rows[i].loss > 0);
        }
}

// N20.3: a jack bets first now and then, and what it plays so often costs nothing.
static void mixed_costs_nothing(void **unused)
{
    (void)unused;
    const struct game_kit *k = games_find("kuhn_poker");
    static struct analysis_question p;
    static const uint8_t cards[2] = {J, K}, none[3] = {0};
    int mixed = 0;
    fill(&p, k, cards, none, 0);
    for (uint8_t kind = CHECK; kind <= BET; kind += BET - CHECK) {
        struct analysis_verdict v =
            analysis_evaluate(&p, kit_level(k, 5), (struct game_action){.kind = kind}, 0, (struct rng){0}, NULL, NULL);
        if (v.share < 0.05f)
            continue;
        mixed++;
        assert_true(v.mixes);
        assert_true(v.loss == 0 && !v.mistake);
    }
    assert_true(mixed > 0);
}

// A king that does not bet after a check misses one chip from each queen that calls. How many do, and how many of those
// who check are jacks, follows from how often a jack bets: by the weights of the deals that the seat cannot see.
static void weighs_the_deals(void **unused)
{
    (void)unused;
    const struct game_kit *k = games_find("kuhn_poker");
    static struct analysis_question p;
    static const uint8_t cards[2] = {J, K}, none[3] = {0}, checked[3] = {CHECK};
    const struct game_action bet = {.kind = BET}, check = {.kind = CHECK};
    fill(&p, k, cards, none, 0);
    double jack = (double)analysis_evaluate(&p, kit_level(k, 5), bet, 0, (struct rng){0}, NULL, NULL).share;
    fill(&p, k, cards, checked, 0);
    struct analysis_verdict v = analysis_evaluate(&p, kit_level(k, 5), check, 0, (struct rng){0}, NULL, NULL);
    assert_true(jack > 0.05 && jack < 0.34);
    assert_true(fabs(v.loss - (jack + 1.0 / 3) / (2 - jack)) < 0.004);
    assert_true(v.mistake);
}

// N20.6, exactly: over all deals luck is nothing, and of each deal what one seat has the other has not.
static void luck_sums_to_nothing(void **unused)
{
    (void)unused;
    static const char *const games[] = {"kuhn_poker", "leduc_poker"};
    for (int i = 0; i < 2; i++) {
        const struct game_kit *k = games_find(games[i]);
        struct hands_rules rules;
        double sum = 0, most = 0;
        k->game->defaults(&rules);
        int deals = 0;
        for (; k->solve->deal(deals, &rules); deals += i ? 7 : 1) {
            union game_state s;
            double luck[GAME_MAX_SEATS], doubt[GAME_MAX_SEATS];
            assert_int_equal(k->game->init(&s, &rules, 2, (struct rng){0}, NULL), OK);
            analysis_deal_luck(k, &s, 2, 0, (struct rng){0}, luck, doubt);
            assert_true(fabs(luck[0] + luck[1]) < 1e-6);
            sum += luck[0];
            most = fabs(luck[0]) > most ? fabs(luck[0]) : most;
        }
        assert_true(most > 0.5);
        if (!i) // all deals
            assert_true(fabs(sum) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(mixed_costs_nothing),
        cmocka_unit_test(weighs_the_deals),
        cmocka_unit_test(luck_sums_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
