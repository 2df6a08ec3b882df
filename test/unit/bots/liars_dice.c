// The rule-based player of Liar's Dice: sound in clear cases, and clearly better than chance.
#include "games/liars_dice/bots/bots.h"

#include "games/liars_dice/bots/odds.h"
#include "games/liars_dice/rules/liars_dice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct game *const g = &liars_dice_game;
typedef struct liars_dice_state state;

static struct game_action ask(const state *s, const struct bot *bot, float aggro, struct rng *dice)
{
    struct liars_dice_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    g->view(s, s->to_act, &v);
    struct bot_ask question = {
        .game = g,
        .view = &v,
        .seat = s->to_act,
        .seats = s->seats,
        .choices = list,
        .count = g->choices(s, s->to_act, list),
        .fallback = g->fallback(s, s->to_act),
        .aggro = aggro,
        .dice = dice,
    };
    return bot->choose(&question);
}

// The seat of the rules bot moves round the table; the rest are `others`.
static int wins(const struct bot *others, int seats, int matches)
{
    int won = 0;
    for (int i = 0; i < matches; i++) {
        struct liars_dice_rules r;
        state s;
        struct rng root = {.key = {(uint32_t)i, 11}}, dice = rng_split(&root, 1);
        int mine = i % seats;
        g->defaults(&r);
        assert_int_equal(g->init(&s, &r, seats, rng_split(&root, 0), NULL), OK);
        while (s.phase == LIARS_DICE_BIDDING) {
            const struct bot *bot = s.to_act == mine ? &liars_dice_rules_bot : others;
            assert_int_equal(g->apply(&s, s.to_act, ask(&s, bot, 0.5f, &dice), NULL), OK);
        }
        won += s.winner == mine;
    }
    return won;
}

static void it_beats_the_others(void **unused)
{
    (void)unused;
    assert_true(wins(&bot_random, 2, 300) > 280);
    assert_true(wins(&bot_random, 4, 300) > 270);
    assert_true(wins(&bot_random, 6, 200) > 170);
    assert_true(wins(&bot_fallback, 2, 300) > 270);
    assert_true(wins(&bot_fallback, 4, 300) > 200);
}

static state after(const char *dice0, const char *dice1, int quantity, int face)
{
    struct liars_dice_rules r;
    state s;
    g->defaults(&r);
    r.dice_counts[0] = (uint8_t)strlen(dice0), r.dice_counts[1] = (uint8_t)strlen(dice1);
    for (int i = 0; dice0[i]; i++)
        r.dice[0][i] = (uint8_t)(dice0[i] - '0');
    for (int i = 0; dice1[i]; i++)
        r.dice[1][i] = (uint8_t)(dice1[i] - '0');
    assert_int_equal(g->init(&s, &r, 2, (struct rng){0}, NULL), OK);
    struct game_action a = {.kind = LIARS_DICE_BID, .amount = liars_dice_rank(quantity, face)};
    assert_int_equal(g->apply(&s, 0, a, NULL), OK);
    return s;
}

static void clear_cases_are_seen(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {5}};
    for (int i = 0; i < 50; i++) {
        float aggro = (float)i / 49;
        state impossible = after("22222", "33333", 6, 4); // five hidden dice, none of mine
        state certain = after("22222", "44414", 5, 4);    // mine alone are enough
        state last = after("2", "3", 2, 6);               // no bid is left
        assert_int_equal(ask(&impossible, &liars_dice_rules_bot, aggro, &dice).kind, LIARS_DICE_CHALLENGE);
        assert_int_equal(ask(&certain, &liars_dice_rules_bot, aggro, &dice).kind, LIARS_DICE_BID);
        assert_int_equal(ask(&last, &liars_dice_rules_bot, aggro, &dice).kind, LIARS_DICE_CHALLENGE);
    }
}

// G22.10: aggro shifts bluffing: opening bids rise with it.
static void aggro_raises_bids(void **unused)
{
    (void)unused;
    int64_t sum[2] = {0};
    struct rng dice = {.key = {6}};
    for (uint32_t i = 0; i < 500; i++)
        for (int hot = 0; hot < 2; hot++) {
            struct liars_dice_rules r;
            state s;
            g->defaults(&r);
            assert_int_equal(g->init(&s, &r, 3, (struct rng){.key = {i}}, NULL), OK);
            sum[hot] += ask(&s, &liars_dice_rules_bot, (float)hot, &dice).amount;
        }
    assert_true(sum[1] > sum[0] + 500);
}

// To the bit: replays depend on what the house does. With one more die at least k count when k did before, or k - 1 did
// and this one does.
static void odds_are_binomial_tails(void **unused)
{
    static const struct {
        const float *odds;
        float each;
    } tables[] = {{plain_odds, 1.0f / 6}, {wild_odds, 1.0f / 3}};
    (void)unused;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        float tail[ODDS_DICE + 1] = {1};
        const float *row = tables[i].odds;
        for (int n = 1; n <= ODDS_DICE; row += n++) {
            for (int k = n; k > 0; k--)
                tail[k] += tables[i].each * (tail[k - 1] - tail[k]);
            assert_memory_equal(row, tail + 1, (size_t)n * sizeof *row);
        }
        assert_ptr_equal(row, tables[i].odds + ODDS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odds_are_binomial_tails),
        cmocka_unit_test(it_beats_the_others),
        cmocka_unit_test(clear_cases_are_seen),
        cmocka_unit_test(aggro_raises_bids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
