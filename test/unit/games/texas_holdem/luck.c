// Luck taken off hands of Hold'em (N14): known equities, and means that stay whatever the weights are.
#include "games/texas_holdem/luck.h"

#include "games/texas_holdem/rules/texas_holdem.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const struct game *const g = &texas_holdem_game;

static uint8_t card(const char *name)
{
    static const char ranks[] = "23456789TJQKA", suits[] = "cdhs";
    return (uint8_t)(4 * (strchr(ranks, name[0]) - ranks) + (strchr(suits, name[1]) - suits));
}

static int read_cards(const char *text, uint8_t *out)
{
    int count = 0;
    for (; *text; text += 2)
        out[count++] = card(text);
    return count;
}

// Known figures: by hand on the turn and river, from tables before the flop (sampled: four errors of 400 boards).
static void equities(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *second, *board;
        double equity, error;
    } cases[] = {
        {"AsAd", "KsKd", "", 0.8236, 0.076}, // 82.4 % with ties shared
        {"AsKs", "QhQd", "", 0.4605, 0.1},
        {"AsAd", "KsKd", "2c7h9d4s", 42.0 / 44, 1e-12}, // two kings
        {"AsAd", "KsKd", "2c7h9dKh", 2.0 / 44, 1e-12},  // two aces
        {"2c3d", "4h5s", "AsKsQsJsTs", 0.5, 1e-12},     // the board plays
        {"AsKs", "2c2d", "3s8sJh4d", 15.0 / 44, 1e-12}, // nine spades, three aces, three kings
        {"AcAd", "KcKd", "AhAsKh", 1, 1e-12},
    };
    struct rng dice = {.key = {5}};
    struct rng_draw draw;
    rng_begin(&draw, &dice);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t cards[9][2] = {0}, board[5];
        double out[9];
        read_cards(cases[i].first, cards[0]);
        read_cards(cases[i].second, cards[1]);
        holdem_equity((const uint8_t(*)[2])cards, 3, 3, board, read_cards(cases[i].board, board), &draw, out);
        if (!(fabs(out[0] - cases[i].equity) <= cases[i].error) || !(fabs(out[0] + out[1] - 1) < 1e-9))
            fail_msg("%s against %s on %s: %.6f", cases[i].first, cases[i].second, cases[i].board, out[0]);
    }
}

// Plays a hand by dice: mostly calls, so that boards are seen.
static void play(struct texas_holdem_state *s, struct rng_draw *draw, struct game_events *out)
{
    while (s->phase != HOLDEM_DONE) {
        struct game_choice c[GAME_MAX_CHOICES];
        int seat = s->actor, count = g->choices(s, seat, c), pick = (int)rng_draw_below(draw, 10);
        struct game_action a = pick == 0 ? c[count - 1].first : pick == 1 ? c[0].first : c[pick < 8 && count > 2].first;
        assert_int_equal(g->apply(s, seat, a, out), OK);
    }
}

// N14.1 to N14.3: what luck gave has the mean 0, with the weights of reports and with bad ones, at two seats and at
// more.
static void luck_has_no_mean(void **unused)
{
    (void)unused;
    static const struct holdem_luck_weights bad[] = {{-40, {-9, 7, -5}}, {0, {30, 0, 0}}, {0, {0, 0, 25}}};
    enum { HANDS = 400 };
    for (int seats = 2; seats <= 4; seats += 2)
        for (unsigned w = 0; w < 1 + sizeof bad / sizeof *bad; w++) {
            struct stats_mean luck[HOLDEM_LUCKS] = {0}, sums = {0};
            struct texas_holdem_rules r;
            g->defaults(&r);
            r.format = HOLDEM_CASH;
            r.max_hands = 1;
            for (uint32_t i = 0; i < HANDS; i++) {
                static struct game_events happened;
                struct texas_holdem_state s;
                struct holdem_luck l = {0};
                struct rng chance = {.key = {i, 77, w}}, dice = {.key = {i, 3}}, moves = {.key = {i, 9}};
                struct rng_draw draw;
                double out[HOLDEM_LUCKS][GAME_MAX_SEATS] = {0};
                happened.count = 0;
                rng_begin(&draw, &moves);
                assert_int_equal(g->init(&s, &r, seats, chance, &happened), OK);
                play(&s, &draw, &happened);
                holdem_luck_follow(&l, &happened, dice, w ? &bad[w - 1] : &holdem_luck_weights, out);
                double sum = 0;
                for (int k = 0; k < seats; k++)
                    sum += out[HOLDEM_LUCK_EQUITY][k];
                stats_add(&sums, sum);
                for (int k = 0; k < HOLDEM_LUCKS; k++)
                    stats_add(&luck[k], out[k][0] / r.big_blind);
            }
            assert_true(fabs(sums.mean) < 1e-6 && stats_deviation(&sums) < 1e-3); // what one gets others lose
            for (int k = 0; k < HOLDEM_LUCKS; k++) {
                double error = stats_deviation(&luck[k]) / sqrt(HANDS);
                if (!(fabs(luck[k].mean) < 4 * error) || !(error > 0))
                    fail_msg("%d seats, weights %u, measure %d: %.4f +- %.4f", seats, w, k, luck[k].mean, error);
            }
        }
}

// Every river of one hand that is checked down: the mean is exactly what it was, for any weight.
static void all_rivers_sum_to_nothing(void **unused)
{
    (void)unused;
    uint8_t first[52], used[8];
    int count = read_cards("AsKsQhQd3s8sJh4d", used); // seat 1, seat 0 by turns below
    double sum[HOLDEM_LUCKS] = {0};
    assert_int_equal(count, 8);
    for (uint8_t river = 0; river < CARDS_IN_DECK; river++) {
        static struct game_events happened;
        struct texas_holdem_rules r;
        struct texas_holdem_state s;
        struct holdem_luck l = {0};
        const struct holdem_luck_weights only_river = {0, {0, 0, 13}};
        double out[HOLDEM_LUCKS][GAME_MAX_SEATS] = {0};
        bool taken = false;
        int n = 0;
        for (int i = 0; i < 8; i++)
            taken |= used[i] == river;
        if (taken)
            continue;
        const uint8_t deck[] = {used[0], used[2], used[1], used[3], used[4], used[5], used[6], used[7], river};
        memcpy(first, deck, sizeof deck);
        n = sizeof deck;
        for (uint8_t c = 0; c < CARDS_IN_DECK; c++) {
            bool dealt = false;
            for (unsigned i = 0; i < sizeof deck; i++)
                dealt |= deck[i] == c;
            if (!dealt)
                first[n++] = c;
        }
        g->defaults(&r);
        r.format = HOLDEM_CASH;
        r.max_hands = 1;
        r.has_deck = 1;
        memcpy(r.deck, first, sizeof r.deck);
        happened.count = 0;
        assert_int_equal(g->init(&s, &r, 2, (struct rng){.key = {1}}, &happened), OK);
        while (s.phase != HOLDEM_DONE) {
            int kind = s.current_bet > s.bet[s.actor] ? HOLDEM_CALL : HOLDEM_CHECK;
            assert_int_equal(g->apply(&s, s.actor, (struct game_action){.kind = (uint8_t)kind}, &happened), OK);
        }
        holdem_luck_follow(&l, &happened, (struct rng){.key = {2}}, &only_river, out);
        for (int k = 0; k < HOLDEM_LUCKS; k++)
            sum[k] += out[k][0];
        assert_true(out[HOLDEM_LUCK_ALL_IN][0] == 0);
        assert_true(fabs(out[HOLDEM_LUCK_EQUITY][0]) > 1);
    }
    assert_true(fabs(sum[HOLDEM_LUCK_EQUITY]) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equities),
        cmocka_unit_test(luck_has_no_mean),
        cmocka_unit_test(all_rivers_sum_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
