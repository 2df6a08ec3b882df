// AIVAT in hands of Hold'em (N14.5 to N14.8): the shares of a table are those that it plays by, and what luck gave has
// the mean 0, with the constants of reports and with bad ones.
#include "games/texas_holdem/aivat.h"

#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/play.h"
#include "games/texas_holdem/bots/solved.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "house/ask.h"
#include "house/mind_memory.h"
#include "house/scratch.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct game *const g = &texas_holdem_game;

static uint32_t hands_to_play(void) // more of them for a long count
{
    const char *given = getenv("AGON_KNOWN_HANDS");
    return given ? (uint32_t)strtoul(given, NULL, 10) : 120;
}

// Somebody that the table has not met: bets of any size with any hand, never folds cheaply.
static struct game_action choose_strangely(const struct bot_ask *ask)
{
    const struct texas_holdem_view *v = ask->view;
    uint32_t pick = rng_below(ask->dice, 10);
    if (pick < 4)
        return holdem_as_listed(ask, holdem_raise_by(v, 0.1f * (float)(1 + rng_below(ask->dice, 20))));
    if (pick == 4 && v->to_call > 4 * v->big_blind)
        return holdem_as_listed(ask, holdem_plain(HOLDEM_FOLD));
    return holdem_as_listed(ask, holdem_plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK));
}

static const struct bot stranger = {.name = "stranger", .game = "texas_holdem", .choose = choose_strangely};

struct hand {
    struct match match;
    struct match_setup setup;
    struct texas_holdem_rules rules;
    char bytes[16384];
    struct text log;
    struct mind_memory *minds;
};

static void begin(struct hand *h, uint32_t number, int32_t blinds, const struct bot *const bots[2])
{
    static struct game_events first;
    g->defaults(&h->rules);
    h->rules.format = HOLDEM_CASH;
    h->rules.max_hands = 1;
    h->rules.starting_chips = blinds * h->rules.big_blind;
    h->rules.button = number % 2;
    h->setup = (struct match_setup){.game = g, .rules = &h->rules, .seats = 2};
    memcpy(h->setup.key, &number, sizeof number);
    h->log = text_on(h->bytes, sizeof h->bytes);
    h->minds = NULL;
    first.count = 0;
    assert_int_equal(match_start(&h->match, &h->setup, &h->log, &first), OK);
    mind_memory_begin(&h->minds, &h->match, bots, &first);
}

static void step(struct hand *h, const struct bot *const bots[2])
{
    int seat = ((const struct texas_holdem_state *)&h->match.state)->actor;
    struct game_action a = house_ask(&h->match, bots[seat], seat, (uint32_t)h->match.steps, 0.5f);
    assert_int_equal(match_answer(&h->match, seat, g->turn(&h->match.state).number, a, NULL), OK);
}

// ---- Shares ---------------------------------------------------------------------------------------------------------

static struct bot_ask question(const struct hand *h, const struct bot *bot, int seat, struct texas_holdem_view *v,
                               struct game_choice *list, struct rng *dice)
{
    g->view(&h->match.state, seat, v);
    return (struct bot_ask){.bot = bot,
                            .game = g,
                            .view = v,
                            .seat = seat,
                            .seats = 2,
                            .choices = list,
                            .count = g->choices(&h->match.state, seat, list),
                            .fallback = g->fallback(&h->match.state, seat),
                            .aggro = 0.5f,
                            .dice = dice,
                            .mind = minds_find(&h->match, bot, seat),
                            .scratch = scratch_for(bot)};
}

static float share_of(const struct bot_mix *mix, int count, struct game_action a)
{
    for (int i = 0; i < count; i++)
        if (game_same_action(mix[i].action, a))
            return mix[i].share;
    return 0;
}

// The shares of one hand are those of all at once, and the bot plays by them.
static void compare_shares(const struct hand *h, const struct bot *bot, int seat)
{
    enum { ASKED = 200 };
    static struct solved_hands known;
    static struct solved_shares all;
    static double weight[BUCKET_HANDS];
    struct texas_holdem_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    struct bot_mix mix[BOT_MAX_MIX];
    struct rng dice, root = {.key = {(uint32_t)h->match.steps, 77}};
    int played[BOT_MAX_MIX] = {0};
    struct bot_ask ask = question(h, bot, seat, &v, list, &dice);
    int own = bucket_place(v.hole[0], v.hole[1]), count = bot->mix(&ask, mix);
    float sum = 0;
    for (int i = 0; i < BUCKET_HANDS; i++)
        weight[i] = i == own || i % 97 == 0;
    solved_know(&known, v.board, v.board_count);
    solved_list_shares(&ask, &known, weight, &all);
    for (int i = 0; i < all.count; i++) {
        assert_true(fabsf(all.share[i][own] - share_of(mix, count, all.action[i])) < 1e-5f);
        sum += all.share[i][own];
    }
    assert_true(fabsf(sum - 1) < 1e-5f);
    for (uint32_t k = 0; v.board_count != 3 && v.board_count != 4 && k < ASKED; k++) { // there it thinks for longer
        dice = rng_section(&root, k);
        struct game_action a = bot->choose(&ask);
        assert_true(share_of(mix, count, a) > 0);
        for (int i = 0; i < count; i++)
            played[i] += game_same_action(mix[i].action, a);
    }
    for (int i = 0; v.board_count != 3 && v.board_count != 4 && i < count; i++) {
        double share = (double)mix[i].share, error = sqrt(ASKED * share * (1 - share)) + 0.5;
        if (!(fabs(played[i] - ASKED * share) < 4.5 * error))
            fail_msg("%s plays %d of %d where the share is %.4f", bot->name, played[i], ASKED, share);
    }
}

// N14.6, with stacks that push or fold, that are too short for the tree, and deep ones.
static void shares(void **unused)
{
    (void)unused;
    static const int32_t stacks[] = {50, 8, 5, 20};
    static struct hand h;
    const struct bot *tables[] = {&texas_holdem_solved_bot, &texas_holdem_outline_bot};
    for (uint32_t i = 0; i < 24; i++) {
        const struct bot *bots[2] = {tables[i / 4 % 2], &stranger};
        begin(&h, 5000 + i, stacks[i % 4], bots);
        while (!match_is_over(&h.match)) {
            if (((const struct texas_holdem_state *)&h.match.state)->actor == 0)
                compare_shares(&h, bots[0], 0);
            step(&h, bots);
        }
        mind_memory_free(h.minds);
    }
}

// ---- Means ----------------------------------------------------------------------------------------------------------

static double luck_of(const struct hand *h, const struct aivat_facts *f, const struct bot *const bots[2])
{
    static void *work;
    double out[GAME_MAX_SEATS] = {0};
    if (!work && !(work = aligned_alloc(64, (f->size + 63) & ~(size_t)63)))
        abort();
    assert_int_equal(aivat_luck(f, g, text_span(&h->log), h->setup.key, bots, work, out), OK);
    double again[GAME_MAX_SEATS] = {0};
    assert_true(fabs(out[0] + out[1]) < 1e-6);
    if (h->setup.key[0] % 16 == 0) { // and again the same
        assert_int_equal(aivat_luck(f, g, text_span(&h->log), h->setup.key, bots, work, again), OK);
        assert_memory_equal(out, again, sizeof out);
    }
    return out[0] / h->rules.big_blind;
}

// N14.5, N14.7, N14.8: what was taken off has the mean 0 for any constants, against whoever does not look at the cards
// of the other; with those of reports hands differ less.
static void luck_has_no_mean(void **unused)
{
    (void)unused;
    static struct hand h;
    static double bad[AIVAT_TERMS];
    struct aivat_facts worse = texas_holdem_aivat;
    struct stats_mean won = {0}, less = {0}, luck[2] = {0};
    uint32_t hands = hands_to_play();
    const struct bot *bots[2] = {&texas_holdem_solved_bot, &stranger};
    for (int t = 0; t < AIVAT_TERMS; t++)
        bad[t] = (t % 3 - 1) * 3 + (t % 2 ? 1.5 : -1.5);
    worse.more = bad;
    for (uint32_t i = 0; i < hands; i++) {
        int32_t payoffs[GAME_MAX_SEATS];
        begin(&h, i, 50, bots);
        while (!match_is_over(&h.match))
            step(&h, bots);
        g->payoffs(&h.match.state, payoffs);
        double chips = (double)payoffs[0] / h.rules.big_blind, given = luck_of(&h, &texas_holdem_aivat, bots);
        stats_add(&won, chips);
        stats_add(&less, chips - given);
        stats_add(&luck[0], given);
        stats_add(&luck[1], luck_of(&h, &worse, bots));
        mind_memory_free(h.minds);
    }
    for (int k = 0; k < 2; k++) {
        double error = stats_deviation(&luck[k]) / sqrt(hands);
        if (!(fabs(luck[k].mean) < 4 * error))
            fail_msg("constants %d: %.4f +- %.4f in %u hands", k, luck[k].mean, error, hands);
    }
    double factor = pow(stats_deviation(&won) / stats_deviation(&less), 2);
    printf("%u hands: %+.3f +- %.3f bb, less luck %+.3f +- %.3f: factor %.2f\n", hands, won.mean,
           stats_deviation(&won) / sqrt(hands), less.mean, stats_deviation(&less) / sqrt(hands), factor);
    assert_true(factor > 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares), cmocka_unit_test(luck_has_no_mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
