// The house players of belote (B15.1-B15.3): always legal, the same answer to the same question, and stronger than
// chance.
#include "games/belote/bots/bots.h"

#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct game *const g = &belote_game;

static struct belote_state start(uint32_t seed)
{
    struct belote_rules rules;
    struct belote_state s;
    g->defaults(&rules);
    rules.dealer = seed % 4;
    if (seed % 5 == 4)
        belote_set_classic(&rules);
    assert_int_equal(g->init(&s, &rules, 4, (struct rng){.key = {seed, 31}}, NULL), OK);
    return s;
}

static struct game_action ask(const struct bot *bot, const struct belote_state *s, float aggro, struct rng *dice)
{
    struct belote_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    g->view(s, s->turn, &v);
    struct bot_ask question = {
        .game = g,
        .view = &v,
        .seat = s->turn,
        .seats = 4,
        .choices = list,
        .count = g->choices(s, s->turn, list),
        .fallback = g->fallback(s, s->turn),
        .aggro = aggro,
        .dice = dice,
    };
    return bot->choose(&question);
}

// The team that wins when `first` sits at 0 and 2.
static int play(const struct bot *first, const struct bot *second, uint32_t seed)
{
    struct belote_state s = start(seed);
    struct rng dice = {.key = {seed, 32}};
    while (s.phase != BELOTE_DONE) {
        struct game_action a = ask(s.turn % 2 ? second : first, &s, 0.5f, &dice);
        assert_true(game_is_legal(g, &s, s.turn, a));
        assert_int_equal(g->apply(&s, s.turn, a, NULL), OK);
    }
    return s.winner;
}

// Matches won of 2 x pairs, each deal played from both sides.
static int duel(const struct bot *a, const struct bot *b, uint32_t pairs)
{
    int won = 0;
    for (uint32_t seed = 0; seed < pairs; seed++) {
        won += play(a, b, seed) == 0;
        won += play(b, a, seed) == 1;
    }
    return won;
}

static void beat_random(void **unused)
{
    (void)unused;
    assert_true(duel(&belote_rules_bot, &bot_random, 60) >= 105);
    assert_true(duel(&belote_calc_bot, &bot_random, 60) >= 100);
}

static void beat_calc(void **unused)
{
    (void)unused;
    assert_true(duel(&belote_rules_bot, &belote_calc_bot, 150) >= 165);
}

// No randomness: the same view, the same answer, whatever the dice and whatever is hidden.
static void repeat_answers(void **unused)
{
    (void)unused;
    static const struct bot *const bots[] = {&belote_rules_bot, &belote_calc_bot};
    struct rng dice = {.key = {1}}, other = {.key = {2}};
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct belote_state s = start(seed);
        while (s.phase != BELOTE_DONE) {
            struct belote_state hidden = s;
            g->resample(&hidden, s.turn, &dice);
            for (int i = 0; i < 2; i++)
                assert_true(game_same_action(ask(bots[i], &s, 0.5f, &dice), ask(bots[i], &hidden, 0.5f, &other)));
            assert_int_equal(g->apply(&s, s.turn, ask(&belote_rules_bot, &s, 0.5f, &dice), NULL), OK);
        }
    }
}

static struct belote_state deal(const char *hand)
{
    static const char ranks[] = "789TJQKA", suits[] = "CDHS";
    struct belote_state s = start(0);
    assert_int_equal(g->apply(&s, s.turn, g->fallback(&s, s.turn), NULL), OK);
    uint8_t cards[5];
    for (int i = 0; i < 5; i++)
        cards[i] = (uint8_t)(8 * (strchr(suits, hand[3 * i + 1]) - suits) + (strchr(ranks, hand[3 * i]) - ranks));
    memcpy(s.hand[s.turn], cards, sizeof cards); // its view shows nothing else
    s.held[s.turn] = 0;
    for (int i = 0; i < 5; i++)
        s.held[s.turn] |= 1u << cards[i];
    return s;
}

// B15.3: as opener its best-valued mode.
static void open_sensibly(void **unused)
{
    (void)unused;
    static const struct {
        const char *hand;
        int mode;
    } rows[] = {
        {"JH 9H AH TH KH", BELOTE_HEARTS},
        {"AC AD AH AS TS", BELOTE_NO_TRUMPS},
        {"JC JD JH JS 9S", BELOTE_ALL_TRUMPS},
    };
    struct rng dice = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_state s = deal(rows[i].hand);
        struct game_action a = ask(&belote_rules_bot, &s, 0.5f, &dice);
        assert_int_equal(a.kind, BELOTE_ANNOUNCE);
        assert_int_equal(a.arg[0], rows[i].mode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beat_random),
        cmocka_unit_test(beat_calc),
        cmocka_unit_test(repeat_answers),
        cmocka_unit_test(open_sensibly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
