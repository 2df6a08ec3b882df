// N2.2, N6.7, N6.10: what the players of Hold'em win from fixed habits, in big blinds a hundred hands: single hands,
// each dealt once for every seat the player can have, less what the cards gave (N14.2). AGON_STRENGTH_GAMES plays so
// many hands of each row and demands what the strength gate demands; without it few hands show that nothing is badly
// wrong.
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/play.h"
#include "games/texas_holdem/luck.h"
#include "house/ask.h"
#include "house/mind_memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

// ---- Opponents of one habit -----------------------------------------------------------------------------------------

struct habit {
    float raises;      // equity from which it raises by `size` of the pot
    float size;        // 0: the smallest raise; 9: all-in
    float calls;       // equity beyond the pot odds with which it calls
    uint32_t anything; // of a hundred answers, a bet with any hand
    float shoves;      // equity from which it goes all-in, and folds the rest; 0: no such habit
    float probes;      // share of the pot that it bets with any hand when nobody has; 0: no such habit
};

static struct game_action play(const struct bot_ask *ask, const struct habit *h)
{
    const struct texas_holdem_view *v = ask->view;
    float equity = holdem_estimate_equity(v, holdem_count_opponents(v), 100, ask->dice);
    if (h->shoves > 0)
        return equity > h->shoves ? holdem_plain(HOLDEM_ALLIN) : holdem_pass(v);
    if (h->probes > 0 && v->current_bet <= (v->phase == HOLDEM_PREFLOP ? v->big_blind : 0))
        return holdem_raise_by(v, h->probes);
    if (equity > h->raises || rng_below(ask->dice, 100) < h->anything)
        return h->size > 8 ? holdem_plain(HOLDEM_ALLIN) : holdem_raise_by(v, h->size);
    if (v->to_call == 0)
        return holdem_plain(HOLDEM_CHECK);
    return equity > holdem_pot_odds(v) + h->calls ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
}

#define HABIT(label, ...)                                                                                              \
    static struct game_action choose_##label(const struct bot_ask *ask)                                                \
    {                                                                                                                  \
        return holdem_as_listed(ask, play(ask, &(struct habit){__VA_ARGS__}));                                         \
    }                                                                                                                  \
    static const struct bot label = {.name = #label, .game = "texas_holdem", .choose = choose_##label}

HABIT(pot_odds, .raises = 0.7f, .size = 1);
HABIT(pot_odds_careful, .raises = 0.8f, .size = 0.6f, .calls = 0.04f);
HABIT(always_call, .raises = 2, .calls = -2);
HABIT(all_in, .raises = -1, .size = 9);
HABIT(min_raise, .raises = -1, .size = 0);
HABIT(loose, .raises = 0.6f, .size = 0.7f, .calls = -0.1f, .anything = 70);
HABIT(looser, .raises = 0.5f, .size = 1, .calls = -0.2f, .anything = 95);
HABIT(shove_good, .shoves = 0.58f);
HABIT(shove_best, .shoves = 0.66f);
HABIT(small_bets, .probes = 0.33f, .raises = 0.85f, .size = 1, .calls = 0.25f);
HABIT(tiny_bets, .probes = 0.2f, .raises = 0.85f, .size = 1, .calls = 0.25f);

// ---- Contests -------------------------------------------------------------------------------------------------------

struct tally {
    int hands;
    double sum, squares; // of sets, in bb/100
    double slowest_ms, ms;
    long asked;
};

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void follow(struct holdem_luck *l, const struct game_events *e, struct rng dice, double *luck)
{
    double out[HOLDEM_LUCKS][GAME_MAX_SEATS] = {{0}};
    holdem_luck_follow(l, e, dice, &holdem_luck_weights, out);
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        luck[i] += out[HOLDEM_LUCK_EQUITY][i];
}

// What `best` wins in one hand at `place`, in big blinds.
static double play_hand(const struct bot *best, const struct bot *other, int seats, int place, uint64_t deal,
                        struct tally *t)
{
    static struct match m;
    static struct game_events events;
    struct mind_memory *minds = NULL;
    const struct bot *bots[GAME_MAX_SEATS] = {NULL};
    struct texas_holdem_rules rules;
    struct match_setup setup = {.game = &texas_holdem_game, .seats = seats, .rules = &rules};
    struct holdem_luck luck = {0};
    struct rng dice = {.key = {(uint32_t)deal, (uint32_t)(deal >> 32), 5}};
    double given[GAME_MAX_SEATS] = {0};
    int32_t payoffs[GAME_MAX_SEATS];
    texas_holdem_game.defaults(&rules);
    rules.format = HOLDEM_CASH;
    rules.max_hands = 1;
    memcpy(setup.key, &deal, sizeof deal);
    for (int i = 0; i < seats; i++)
        bots[i] = i == place ? best : other;
    events.count = 0;
    assert_int_equal(match_start(&m, &setup, NULL, &events), OK);
    follow(&luck, &events, dice, given);
    mind_memory_begin(&minds, &m, bots, &events);
    while (!match_is_over(&m)) {
        struct game_turn turn = m.game->turn(&m.state);
        int seat = __builtin_ctz(turn.seats);
        double begun = cpu_ms();
        struct game_action a = house_ask(&m, bots[seat], seat, (uint32_t)m.steps, 0.5f);
        double took = cpu_ms() - begun;
        if (seat == place) {
            t->asked++;
            t->ms += took;
            t->slowest_ms = took > t->slowest_ms ? took : t->slowest_ms;
        }
        events.count = 0;
        assert_int_equal(match_answer(&m, seat, turn.number, a, &events), OK);
        follow(&luck, &events, dice, given);
    }
    m.game->payoffs(&m.state, payoffs);
    mind_memory_free(minds);
    return (payoffs[place] - given[place]) / rules.big_blind;
}

static void contest(const struct bot *best, const struct bot *other, int seats, int hands, uint64_t seed,
                    struct tally *t)
{
    for (uint64_t deal = 0; t->hands < hands; deal++) {
        double mean = 0; // of the same cards at every seat
        for (int place = 0; place < seats; place++)
            mean += 100 * play_hand(best, other, seats, place, seed << 32 | deal, t) / seats;
        t->hands += seats;
        t->sum += mean;
        t->squares += mean * mean;
    }
}

static void is_as_strong_as_promised(void **state)
{
    (void)state;
    static const struct {
        const struct bot *best, *other;
        int seats;
        double least;
    } rows[] = {
        {&texas_holdem_solved_bot, &texas_holdem_rules_bot, 2, 40},
        {&texas_holdem_solved_bot, &pot_odds, 2, 40},
        {&texas_holdem_solved_bot, &pot_odds_careful, 2, 40},
        {&texas_holdem_solved_bot, &always_call, 2, 0},
        {&texas_holdem_solved_bot, &all_in, 2, 0},
        {&texas_holdem_solved_bot, &min_raise, 2, 0},
        {&texas_holdem_solved_bot, &loose, 2, 0},
        {&texas_holdem_solved_bot, &looser, 2, 0},
        {&texas_holdem_solved_bot, &shove_good, 2, 0},
        {&texas_holdem_solved_bot, &shove_best, 2, 0},
        {&texas_holdem_solved_bot, &texas_holdem_rules_bot, 6, 0},
        {&texas_holdem_solved_bot, &texas_holdem_outline_bot, 2, 0},
        {&texas_holdem_outline_bot, &texas_holdem_rules_bot, 2, 15},
        {&texas_holdem_rules_bot, &texas_holdem_plain_bot, 2, 15},
        {&texas_holdem_plain_bot, &texas_holdem_novice_bot, 2, 15},
        {&texas_holdem_novice_bot, &bot_random, 2, 15},
        {&texas_holdem_solved_bot, &small_bets, 2, -20},
        {&texas_holdem_solved_bot, &tiny_bets, 2, -20},
    };
    const char *wanted = getenv("AGON_STRENGTH_GAMES"), *only = getenv("AGON_STRENGTH_ROW");
    const char *seeded = getenv("AGON_STRENGTH_SEED");
    int hands = wanted ? atoi(wanted) : 24, failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tally t = {0};
        if (only && (size_t)atoi(only) != i)
            continue;
        contest(rows[i].best, rows[i].other, rows[i].seats, hands, seeded ? strtoull(seeded, NULL, 10) : 1, &t);
        double sets = (double)t.hands / rows[i].seats, mean = t.sum / sets;
        double half = 1.96 * sqrt((t.squares / sets - mean * mean) / sets);
        printf("strength: texas_holdem %d: %s v %s %+.1f +- %.1f bb/100 (at least %+.0f), %d hands, %.3f ms, at most "
               "%.2f\n",
               rows[i].seats, rows[i].best->name, rows[i].other->name, mean, half, rows[i].least, t.hands,
               t.ms / (double)t.asked, t.slowest_ms);
        fflush(stdout);
        failed += wanted ? mean - half < rows[i].least : mean < -3000;
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_as_strong_as_promised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
