// search of belote (B15.4, B15.5), reader and glance (N7.1): always legal, the same answer to the same question, blind
// to what is hidden, and strong.
#include "games/belote/bots/bid.h"
#include "games/belote/bots/bots.h"
#include "games/belote/bots/match_equity.h"
#include "games/belote/bots/solve.h"
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

// A question about a view, and what goes with it.
struct question {
    struct belote_view view;
    struct game_choice list[GAME_MAX_CHOICES];
    struct rng dice;
    struct bot_ask ask;
};

static void put(struct question *q, const struct belote_state *s, uint32_t seed)
{
    *q = (struct question){.dice = {.key = {seed, 33}}};
    g->view(s, s->turn, &q->view);
    q->ask = (struct bot_ask){
        .game = g,
        .view = &q->view,
        .seat = s->turn,
        .seats = 4,
        .choices = q->list,
        .count = g->choices(s, s->turn, q->list),
        .fallback = g->fallback(s, s->turn),
        .aggro = 0.5f,
        .dice = &q->dice,
    };
}

static struct game_action answer(const struct bot *bot, const struct belote_state *s, uint32_t seed)
{
    struct question q;
    put(&q, s, seed);
    return bot->choose(&q.ask);
}

// The view as a request tells it: what was said and played, the own cards, the match around them.
static struct belote_view tell(const struct belote_view *v)
{
    struct belote_view told = {
        .viewer = v->viewer,
        .phase = v->phase,
        .dealer = v->dealer,
        .cards = v->cards,
        .bids = v->bids,
        .plays = v->plays,
        .target = v->target,
        .points = {v->points[0], v->points[1]},
        .deal_number = v->deal_number,
        .clubs_base = v->clubs_base,
        .options = v->options,
    };
    memcpy(told.hand, v->hand, sizeof told.hand);
    memcpy(told.bid, v->bid, sizeof told.bid);
    memcpy(told.play, v->play, sizeof told.play);
    return told;
}

// B15.8, B15.10, and no peeping: the same dice give the same answer for the true cards, for others that look the same,
// and for a view rebuilt from a request; always a legal one.
static uint32_t answer_a_deal(const struct bot *bot, uint32_t seed, uint32_t asked)
{
    struct rng dice = {.key = {8, seed}};
    for (struct belote_state s = start(seed); s.deal == 0 && s.phase != BELOTE_DONE;) {
        struct belote_state hidden = s;
        struct question q;
        g->resample(&hidden, s.turn, &dice);
        struct game_action a = answer(bot, &s, asked);
        assert_true(game_is_legal(g, &s, s.turn, a));
        assert_true(game_same_action(a, answer(bot, &s, asked)));
        assert_true(game_same_action(a, answer(bot, &hidden, asked)));
        put(&q, &s, asked++);
        q.view = tell(&q.view);
        assert_int_equal(belote_rebuild_view(&q.view), OK);
        assert_true(game_same_action(a, bot->choose(&q.ask)));
        assert_int_equal(g->apply(&s, s.turn, a, NULL), OK);
    }
    return asked;
}

static void answer_what_is_seen(void **unused)
{
    (void)unused;
    uint32_t asked = 0;
    for (uint32_t seed = 0; seed < 5; seed++)
        asked = answer_a_deal(seed % 2 ? &belote_reader_bot : &belote_search_bot, seed, asked);
    asked = answer_a_deal(&belote_glance_bot, 9, asked);
    assert_true(asked > 180);
}

static bool count_down(void *clock)
{
    int *left = clock;
    return --*left < 0;
}

// B15.8: effort and time change how much is thought, never whether the answer is legal.
static void think_as_told(void **unused)
{
    (void)unused;
    struct question q;
    struct belote_state s = start(1);
    for (uint32_t asked = 0; s.deal == 0 && s.phase != BELOTE_DONE; asked++) {
        int worlds = (int)(asked % 3) * 20;
        put(&q, &s, asked);
        q.ask.effort = asked % 4;
        if (asked % 2) {
            q.ask.out_of_time = count_down;
            q.ask.clock = &worlds;
        }
        struct game_action a = (asked % 3 ? &belote_search_bot : &belote_reader_bot)->choose(&q.ask);
        assert_true(game_is_legal(g, &s, s.turn, a));
        if (asked % 2 && q.ask.count > 1 && s.phase != BELOTE_CUT_PHASE)
            assert_true(worlds < 0); // it asks, and stops when it is told to
        assert_int_equal(g->apply(&s, s.turn, a, NULL), OK);
    }
}

// The team that wins when `first` sits at 0 and 2.
static int play(const struct bot *first, const struct bot *second, uint32_t seed)
{
    struct belote_state s = start(seed);
    for (uint32_t asked = 0; s.phase != BELOTE_DONE; asked++)
        assert_int_equal(g->apply(&s, s.turn, answer(s.turn % 2 ? second : first, &s, seed << 16 | asked), NULL), OK);
    return s.winner;
}

static int duel(const struct bot *other, uint32_t pairs)
{
    int won = 0;
    for (uint32_t seed = 0; seed < pairs; seed++) {
        won += play(&belote_search_bot, other, seed) == 0;
        won += play(other, &belote_search_bot, seed) == 1;
    }
    return won;
}

// What B15.9 asks for takes a thousand pairs (docs/games/belote.md tells them); a handful shows that nothing broke.
static void win_matches(void **unused)
{
    (void)unused;
    assert_true(duel(&bot_random, 6) >= 10);
    assert_true(duel(&belote_calc_bot, 8) >= 7);
}

// --- What it is made of

static struct belote_view score(int ours, int theirs, int target)
{
    return (struct belote_view){.points = {ours, theirs}, .target = target, .clubs_base = 32};
}

// Chances lie between 0 and 1, and those of both teams add up to it.
static void weigh_the_match(void **unused)
{
    (void)unused;
    static const struct {
        int ours, theirs, target;
        struct contract contract;
        int value;         // our card points, or a sweep
        float least, most; // of our chance to win the match
    } rows[] = {
        {0, 0, 150, {BELOTE_HEARTS, 1, 0}, 162 + SOLVE_SWEEP, 1, 1},            // B7.4
        {0, 140, 150, {BELOTE_CLUBS, 4, 1}, -SOLVE_SWEEP, 0, 0},                // by them
        {0, 0, 150, {BELOTE_HEARTS, 1, 0}, 81, 0.49f, 0.51f},                   // B6.2: 0-0
        {124, 0, 150, {BELOTE_ALL_TRUMPS, 1, 0}, 204, 1, 1},                    // B6.5: 26 is enough
        {123, 0, 150, {BELOTE_ALL_TRUMPS, 1, 0}, 204, 0.8f, 0.999f},            // 25 is not
        {0, 98, 150, {BELOTE_NO_TRUMPS, 1, 0}, 60, 0, 0},                       // 52 for them
        {0, 98, 150, {BELOTE_NO_TRUMPS, 1, 0}, 70, 0.2f, 0.45f},                // 52 for us
        {137, 138, 150, {BELOTE_ALL_TRUMPS, 1, 0}, 134, 0.4f, 0.6f},            // B7.2: both are there, it goes on
        {0, 0, 1000, {BELOTE_NO_TRUMPS, 2, 1}, 130 + SOLVE_SWEEP, 0.6f, 0.95f}, // 180 of a long way
    };
    static struct match_equity ours, theirs;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_view v = score(rows[i].ours, rows[i].theirs, rows[i].target);
        match_equity_begin(&ours, &v, 0);
        match_equity_begin(&theirs, &v, 1);
        float chance = match_equity_value(&ours, rows[i].contract, rows[i].value);
        int other = match_equity_all_points(rows[i].contract.mode) - rows[i].value;
        float sum = chance + match_equity_value(&theirs, rows[i].contract, other);
        assert_true(chance >= rows[i].least && chance <= rows[i].most);
        assert_true(sum > 0.999f && sum < 1.001f);
    }
}

static struct belote_state deal(const char *hand)
{
    static const char ranks[] = "789TJQKA", suits[] = "CDHS";
    struct belote_state s = start(0);
    assert_int_equal(g->apply(&s, s.turn, g->fallback(&s, s.turn), NULL), OK);
    s.held[s.turn] = 0;
    for (int i = 0; i < 5; i++) { // its view shows nothing else
        long card = 8 * (strchr(suits, hand[3 * i + 1]) - suits) + (strchr(ranks, hand[3 * i]) - ranks);
        s.hand[s.turn][i] = (uint8_t)card;
        s.held[s.turn] |= 1u << card;
    }
    return s;
}

// Hands that leave no doubt, as the opener.
static void open_sensibly(void **unused)
{
    (void)unused;
    static const struct {
        const char *hand;
        unsigned modes; // that will do
    } rows[] = {
        {"AC AD AH AS TS", 1 << BELOTE_NO_TRUMPS},
        {"JC JD JH JS 9S", 1 << BELOTE_ALL_TRUMPS},
        {"JH 9H AH TH AS", 1 << BELOTE_HEARTS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_state s = deal(rows[i].hand);
        struct game_action a = answer(&belote_search_bot, &s, 1);
        assert_int_equal(a.kind, BELOTE_ANNOUNCE);
        assert_true(rows[i].modes >> a.arg[0] & 1);
    }
}

// B15.7: words make hands more or less likely and exclude none.
static void believe_what_is_said(void **unused)
{
    (void)unused;
    static const uint8_t good[] = {20, 18, 23, 19, 31}, bad[] = {0, 1, 8, 9, 16}; // JH 9H AH TH AS, sevens and eights
    struct belote_state s = deal("JH 9H AH TH AS");
    struct outlook strong = bid_estimate(good, 5), weak = bid_estimate(bad, 5);
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        assert_true(bid_chance(&s, &weak, mode) > 0);
    assert_true(bid_chance(&s, &strong, BELOTE_HEARTS) > 2 * bid_chance(&s, &weak, BELOTE_HEARTS));
    assert_int_equal(g->apply(&s, s.turn, (struct game_action){BELOTE_ANNOUNCE, {BELOTE_HEARTS}, 0}, NULL), OK);
    int word = BELOTE_SAY_DOUBLE + BELOTE_HEARTS;
    assert_true(bid_chance(&s, &strong, word) > 2 * bid_chance(&s, &weak, word));
    assert_true(bid_chance(&s, &weak, BELOTE_SAY_ACCEPT) > bid_chance(&s, &strong, BELOTE_SAY_ACCEPT));
    assert_true(bid_chance(&s, &strong, BELOTE_SAY_ACCEPT) > 0);
    assert_int_equal(bid_say(&s, &weak), BELOTE_SAY_ACCEPT);
    assert_int_equal(bid_say(&s, &strong), word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_what_is_seen), cmocka_unit_test(think_as_told), cmocka_unit_test(win_matches),
        cmocka_unit_test(weigh_the_match),     cmocka_unit_test(open_sensibly), cmocka_unit_test(believe_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
