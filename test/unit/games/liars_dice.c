// Liar's Dice, rule by rule (F6.L, G26).
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
typedef struct liars_dice_rules rules;

static rules usual(void)
{
    rules r;
    g->defaults(&r);
    return r;
}

static state start_with(const rules *r, int seats, uint32_t seed)
{
    state s;
    assert_int_equal(g->init(&s, r, seats, (struct rng){.key = {seed, 1}}, NULL), OK);
    assert_null(g->check(&s));
    return s;
}

// A match whose first round has these dice: "14426 33152 46614".
static state start_dice(const char *dice, bool wild, int starter)
{
    rules r = usual();
    int seat = 0, die = 0;
    r.wild_ones = wild;
    r.starter = (uint8_t)starter;
    for (; *dice; dice++)
        if (*dice == ' ')
            r.dice_counts[seat++] = (uint8_t)die, die = 0;
        else
            r.dice[seat][die++] = (uint8_t)(*dice - '0');
    r.dice_counts[seat++] = (uint8_t)die;
    return start_with(&r, seat, 7);
}

static struct game_action bid(int quantity, int face)
{
    return (struct game_action){.kind = LIARS_DICE_BID, .amount = liars_dice_rank(quantity, face)};
}

static const struct game_action challenge = {.kind = LIARS_DICE_CHALLENGE};

static void play(state *s, struct game_action a, struct game_events *out)
{
    assert_int_equal(g->apply(s, s->to_act, a, out), OK);
    assert_null(g->check(s));
}

static void drop(state *s, int seat, struct game_events *out)
{
    struct game_action a = {.kind = GAME_DROP, .arg = {(uint8_t)seat, 3}};
    assert_int_equal(g->apply(s, GAME_MASTER, a, out), OK);
    assert_null(g->check(s));
}

static void assert_kinds(const struct game_events *e, int count, const int *kinds)
{
    assert_int_equal(e->count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(e->at[i].kind, kinds[i]);
        assert_int_equal(e->at[i].to, EVERYONE);
    }
}

#define ASSERT_KINDS(e, ...)                                                                                           \
    assert_kinds(e, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (const int[]){__VA_ARGS__})

// F6.L2: the order of ranks is the order of bids.
static void ranks_are_ordered(void **unused)
{
    (void)unused;
    for (int a = 1; a <= 180; a++)
        for (int b = 1; b <= 180; b++) {
            int q = liars_dice_quantity(a), f = liars_dice_face(a);
            int more = liars_dice_quantity(b), face = liars_dice_face(b);
            assert_int_equal(b > a, more > q || (more == q && face > f));
            assert_int_equal(liars_dice_rank(q, f), a);
        }
}

// F6.L3
static void choices_list_the_range(void **unused)
{
    (void)unused;
    static const struct {
        int quantity, face, count, min_quantity, min_face;
    } cases[] = {
        {0, 0, 1, 1, 1},                     // no bid: only a bid, from 1x1
        {4, 3, 2, 4, 4},                     // the same quantity, next face
        {7, 6, 2, 8, 1},                     // F6.L11: after 7x6 the minimum is 8x1
        {14, 6, 2, 15, 1}, {15, 6, 1, 0, 0}, // (T, 6): only challenge
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rules r = usual();
        state s = start_with(&r, 3, 1);
        struct game_choice c[GAME_MAX_CHOICES];
        if (cases[i].quantity)
            play(&s, bid(cases[i].quantity, cases[i].face), NULL);
        assert_int_equal(g->choices(&s, s.to_act, c), cases[i].count);
        assert_int_equal(g->choices(&s, (s.to_act + 1) % 3, c + 2), 0);
        if (cases[i].quantity)
            assert_true(game_same_action(c[0].first, challenge));
        if (!cases[i].min_quantity)
            continue;
        const struct game_choice *b = &c[cases[i].count - 1];
        assert_true(game_same_action(b->first, bid(cases[i].min_quantity, cases[i].min_face)));
        assert_int_equal(b->max_amount, liars_dice_rank(15, 6));
    }
}

// F6.L4, F6.L5, F6.L11, F6.L12
static void challenges_are_counted(void **unused)
{
    (void)unused;
    static const struct {
        const char *dice;
        bool wild;
        int quantity, face, count, loser, opener; // seat 0 bids, seat 1 challenges
    } cases[] = {
        {"14426 33152 46614", true, 7, 4, 7, 1, 1}, // F6.L11: four fours and three ones meet 7x4
        {"14426 33152 46614", true, 8, 4, 7, 0, 0},
        {"14426 33152 46614", true, 4, 1, 3, 0, 0}, // F6.L11: on ones only ones count
        {"14426 33152 46614", true, 3, 1, 3, 1, 1},
        {"14426 33152 46614", false, 4, 4, 4, 1, 1}, // F6.L12: without wild ones only fours
        {"14426 33152 46614", false, 5, 4, 4, 0, 0},
        {"6 6 6", true, 3, 6, 3, 1, 2}, // the loser is out: the next clockwise opens
        {"6 5 1", true, 3, 6, 2, 0, 1},
        {"66666 66666 11111 66666 66666 66666", true, 30, 6, 30, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        state s = start_dice(cases[i].dice, cases[i].wild, 0);
        struct liars_dice_view v;
        play(&s, bid(cases[i].quantity, cases[i].face), NULL);
        play(&s, challenge, NULL);
        g->view(&s, GAME_SPECTATOR, &v);
        assert_int_equal(v.last.count, cases[i].count);
        assert_int_equal(v.last.loser, cases[i].loser);
        assert_int_equal(v.last.challenger, 1);
        assert_int_equal(v.last.bidder, 0);
        assert_int_equal(v.to_act, cases[i].opener);
        assert_int_equal(v.round, 2);
        assert_int_equal(v.dice_counts[cases[i].loser], v.starting_dice[cases[i].loser] - 1);
        assert_int_equal(v.bid, 0);
    }
}

// F6.L6: order and content of events.
static void events_come_in_order(void **unused)
{
    (void)unused;
    struct game_events e = {0};
    state s = start_dice("6 52 1", true, 1);
    play(&s, bid(1, 6), &e);
    ASSERT_KINDS(&e, LIARS_DICE_BADE);
    assert_int_equal(e.at[0].seat, 1);
    assert_int_equal(e.at[0].amount, liars_dice_rank(1, 6));
    e.count = 0;
    play(&s, challenge, &e); // by seat 2, who is wrong and out
    ASSERT_KINDS(&e, LIARS_DICE_CHALLENGED, LIARS_DICE_ELIMINATED, LIARS_DICE_ROUND_START);
    struct liars_dice_challenge c;
    memcpy(&c, e.at[0].data, sizeof c);
    const uint8_t dice[LIARS_DICE_SEATS][LIARS_DICE_DICE] = {{6}, {5, 2}, {1}};
    assert_memory_equal(c.dice, dice, sizeof dice);
    assert_int_equal(e.at[0].amount, 2);
    assert_int_equal(c.loser, 2);
    assert_int_equal(c.round, 1);
    assert_int_equal(e.at[1].seat, 2);
    assert_int_equal(e.at[2].seat, 0);
    assert_int_equal(e.at[2].amount, 2);
    assert_memory_equal(e.at[2].data, ((uint8_t[6]){1, 2, 0}), 6);
    s = start_dice("6 5", true, 0);
    play(&s, bid(2, 6), NULL);
    e.count = 0;
    play(&s, challenge, &e);
    ASSERT_KINDS(&e, LIARS_DICE_CHALLENGED, LIARS_DICE_ELIMINATED, LIARS_DICE_GAME_OVER);
    assert_int_equal(e.at[2].seat, 1);
    int32_t payoffs[GAME_MAX_SEATS];
    g->payoffs(&s, payoffs); // F6.L8
    assert_int_equal(payoffs[0], 0);
    assert_int_equal(payoffs[1], 1);
    assert_int_equal(g->turn(&s).kind, TURN_OVER);
    assert_int_equal(g->apply(&s, 1, bid(1, 1), NULL), ERR_OVER);
}

// F6.L10
static void a_drop_starts_a_round_or_ends(void **unused)
{
    (void)unused;
    struct game_events e = {0};
    rules r = usual();
    state s = start_with(&r, 3, 5), before;
    play(&s, bid(2, 2), NULL);
    before = s;
    struct game_action wrong = {.kind = GAME_DROP, .arg = {2}};
    assert_int_equal(g->apply(&s, GAME_MASTER, wrong, &e), ERR_SEAT); // F6.2: only who is being asked
    assert_memory_equal(&s, &before, sizeof s);
    drop(&s, 1, &e);
    ASSERT_KINDS(&e, LIARS_DICE_DISCONNECTED, LIARS_DICE_ELIMINATED, LIARS_DICE_ROUND_START);
    assert_int_equal(s.to_act, 2);
    assert_int_equal(s.round, 2);
    assert_int_equal(s.bid, 0);
    assert_int_equal(s.total, 10);
    e.count = 0;
    drop(&s, 2, &e);
    ASSERT_KINDS(&e, LIARS_DICE_DISCONNECTED, LIARS_DICE_ELIMINATED, LIARS_DICE_GAME_OVER);
    assert_int_equal(s.winner, 0);
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP}, NULL), ERR_OVER);
}

// F6.L9
static void fallback_challenges_the_unlikely(void **unused)
{
    (void)unused;
    static const struct {
        int quantity, face;
        struct game_action expected;
    } cases[] = {
        {0, 0, {.kind = LIARS_DICE_BID, .amount = 1}},
        {5, 3, {.kind = LIARS_DICE_BID, .amount = 6 * 4 + 4}}, // 2Q = T: not more
        {5, 6, {.kind = LIARS_DICE_BID, .amount = 6 * 5 + 1}},
        {6, 1, {.kind = LIARS_DICE_CHALLENGE}},
        {10, 6, {.kind = LIARS_DICE_CHALLENGE}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rules r = usual();
        state s = start_with(&r, 2, 5);
        if (cases[i].quantity)
            play(&s, bid(cases[i].quantity, cases[i].face), NULL);
        assert_true(game_same_action(g->fallback(&s, s.to_act), cases[i].expected));
    }
}

// G26.1: the mask is exact.
static void flat_numbers_are_those_of_the_table(void **unused)
{
    (void)unused;
    rules r = usual();
    state s = start_with(&r, 2, 5);
    struct game_action a;
    assert_int_equal(g->flat_size, 182);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 182; i++) {
            int quantity = (i - 2) / 6 + 1, face = (i - 2) % 6 + 1;
            bool legal = i == 1 ? turn == 1
                                : i > 1 && quantity <= 10 && (turn == 0 || quantity > 3 || (quantity == 3 && face > 4));
            assert_int_equal(g->flat(&s, s.to_act, i, &a), legal);
            assert_false(g->flat(&s, 1 - s.to_act, i, &a));
            if (legal)
                assert_true(game_same_action(a, i == 1 ? challenge : bid(quantity, face)));
        }
        if (turn == 0)
            play(&s, bid(3, 4), NULL);
    }
}

static void refusals_touch_nothing(void **unused)
{
    (void)unused;
    static const struct {
        int seat;
        struct game_action action;
        int err;
    } cases[] = {
        {0, {.kind = LIARS_DICE_BID, .amount = 20}, ERR_SEAT},
        {1, {.kind = LIARS_DICE_BID, .amount = 9}, ERR_ACTION}, // equal
        {1, {.kind = LIARS_DICE_BID, .amount = 8}, ERR_ACTION},
        {1, {.kind = LIARS_DICE_BID, .amount = 61}, ERR_ACTION},
        {1, {.kind = LIARS_DICE_BID, .amount = -1}, ERR_ACTION},
        {1, {.kind = LIARS_DICE_BID, .amount = INT32_MIN}, ERR_ACTION},
        {1, {.kind = LIARS_DICE_BID, .arg = {1}, .amount = 20}, ERR_ACTION},
        {1, {.kind = LIARS_DICE_CHALLENGE, .amount = 1}, ERR_ACTION},
        {1, {.kind = LIARS_DICE_CHALLENGE, .arg = {0, 0, 1}}, ERR_ACTION},
        {1, {.kind = 0}, ERR_ACTION},
        {1, {.kind = GAME_DROP, .arg = {1}}, ERR_ACTION},
        {-1, {.kind = LIARS_DICE_CHALLENGE}, ERR_SEAT},
        {GAME_SPECTATOR, {.kind = LIARS_DICE_CHALLENGE}, ERR_SEAT},
        {GAME_MASTER, {.kind = LIARS_DICE_CHALLENGE}, ERR_ACTION},
        {GAME_MASTER, {.kind = GAME_DROP, .arg = {200}}, ERR_SEAT},
    };
    rules r = usual();
    state s = start_with(&r, 2, 5);
    play(&s, bid(2, 3), NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        state before = s;
        struct game_events e = {0};
        assert_int_equal(g->apply(&s, cases[i].seat, cases[i].action, &e), cases[i].err);
        assert_memory_equal(&s, &before, sizeof s);
        assert_int_equal(e.count, 0);
    }
    s = start_with(&r, 2, 5); // no bid, no challenge
    assert_int_equal(g->apply(&s, 0, challenge, NULL), ERR_ACTION);
}

// F6.L12: what is out of range is refused.
static void rules_are_checked(void **unused)
{
    (void)unused;
    state s;
    struct rng chance = {0};
    static const struct {
        uint8_t offset, value;
    } bad[] = {
        {offsetof(rules, dice_counts), 0},     {offsetof(rules, dice_counts) + 1, 6},
        {offsetof(rules, dice_counts) + 2, 0}, {offsetof(rules, wild_ones), 2},
        {offsetof(rules, starter), 3},         {offsetof(rules, dice), 1}, // one face of fifteen
        {offsetof(rules, dice) + 29, 6},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rules r = usual();
        ((uint8_t *)&r)[bad[i].offset] = bad[i].value;
        assert_int_equal(g->init(&s, &r, 3, chance, NULL), ERR_RULES);
    }
    rules r = usual();
    for (int seats = -1; seats <= 12; seats++)
        assert_int_equal(g->init(&s, &r, seats, chance, NULL), seats >= 2 && seats <= 6 ? OK : ERR_RULES);
    memset(r.dice, 7, sizeof r.dice);
    assert_int_equal(g->init(&s, &r, 6, chance, NULL), ERR_RULES);
    r = usual();
    memset(r.dice_counts + 3, 0, 3); // a list for three
    for (int seats = 2; seats <= 6; seats++)
        assert_int_equal(g->init(&s, &r, seats, chance, NULL), seats <= 3 ? OK : ERR_RULES);
}

// G26.5
static void scenarios_are_those_of_the_list(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        int seats, dice, wild;
    } cases[] = {
        {"standard", 4, 5, 1}, {"duel", 2, 5, 1}, {"party", 6, 5, 1}, {"short", 4, 3, 1}, {"no_wilds", 4, 5, 0}};
    for (int i = 0; i < 5; i++) {
        rules r = usual();
        assert_string_equal(g->scenarios[i], cases[i].name);
        assert_int_equal(g->scenario(&r, i), cases[i].seats);
        assert_int_equal(r.dice_counts[0], cases[i].dice);
        assert_int_equal(r.wild_ones, cases[i].wild);
    }
    assert_null(g->scenarios[5]);
}

// Stacked faces are the next roll's, and only the next one's.
static void stacked_dice_are_rolled(void **unused)
{
    (void)unused;
    static const uint8_t full[15] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 2, 2, 2, 2, 2};
    static const uint8_t short_one[15] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 0, 2, 2, 2, 2, 2};
    uint8_t bad[15];
    rules r = usual();
    for (int i = 0; i < 2; i++) {
        state s = start_with(&r, 3, 9);
        assert_int_equal(g->stack(&s, i ? short_one : full, 15), OK);
        assert_null(g->check(&s));
        play(&s, bid(1, 1), NULL);
        play(&s, bid(15, 6), NULL);
        play(&s, challenge, NULL); // seat 1 has bid in vain: it rolls four
        assert_int_equal(s.hand[0], 054321);
        assert_int_equal(s.hand[1], 03456);
        assert_int_equal(s.hand[2], 022222);
        play(&s, bid(1, 1), NULL);
        play(&s, challenge, NULL);
        state plain = start_with(&r, 3, 9); // and the round after that as if nothing had been stacked
        for (int n = 0; n < 2; n++) {
            play(&plain, bid(1, 1), NULL);
            play(&plain, challenge, NULL);
        }
        assert_int_equal(s.hand[0] % 512, plain.hand[0] % 512);
    }
    state s = start_with(&r, 3, 9), before = s;
    memcpy(bad, full, sizeof bad), bad[3] = 7;
    assert_int_equal(g->stack(&s, bad, 15), ERR_RULES); // no such face
    memcpy(bad, full, sizeof bad), bad[3] = 0;
    assert_int_equal(g->stack(&s, bad, 15), ERR_RULES); // a gap
    memcpy(bad, full, sizeof bad), bad[4] = bad[9] = 0;
    assert_int_equal(g->stack(&s, bad, 15), ERR_RULES); // only one seat can lose a die
    assert_int_equal(g->stack(&s, full, 14), ERR_RULES);
    assert_int_equal(g->stack(&s, full, 0), ERR_RULES);
    assert_memory_equal(&s, &before, sizeof s);
}

// F6.1: what happens in one round never shifts the next.
static void rounds_do_not_shift_each_other(void **unused)
{
    (void)unused;
    rules r = usual();
    for (uint32_t seed = 0; seed < 50; seed++) {
        state quick = start_with(&r, 4, seed), slow = quick;
        for (int round = 1; round < 5; round++) {
            play(&quick, bid(1, 1), NULL);
            for (int i = 1; i <= slow.total; i++)
                play(&slow, bid(i, 6), NULL);
            play(&quick, challenge, NULL);
            play(&slow, challenge, NULL);
            for (int seat = 0; seat < 4; seat++) {
                int both =
                    quick.dice_counts[seat] < slow.dice_counts[seat] ? quick.dice_counts[seat] : slow.dice_counts[seat];
                assert_int_equal(quick.hand[seat] % (1 << 3 * both), slow.hand[seat] % (1 << 3 * both));
            }
        }
    }
}

// F6.L1: every face of every die, and every pair of neighbours, come alike: chi-square with a bound far out in the
// tail.
static void dice_are_fair(void **unused)
{
    (void)unused;
    enum { ROLLS = 20000 };
    static int faces[LIARS_DICE_SEATS * LIARS_DICE_DICE][6], pairs[36];
    rules r = usual();
    for (uint32_t seed = 0; seed < ROLLS; seed++) {
        state s;
        uint8_t f[LIARS_DICE_SEATS * LIARS_DICE_DICE];
        assert_int_equal(g->init(&s, &r, 6, (struct rng){.key = {seed, 2}}, NULL), OK);
        for (int seat = 0; seat < 6; seat++)
            liars_dice_faces(s.hand[seat], f + 5 * seat);
        for (int i = 0; i < 30; i++)
            faces[i][f[i] - 1]++;
        for (int i = 1; i < 30; i++)
            pairs[6 * (f[i - 1] - 1) + f[i] - 1]++;
    }
    for (int i = 0; i < 30; i++) {
        double chi = 0, expected = ROLLS / 6.0;
        for (int k = 0; k < 6; k++)
            chi += (faces[i][k] - expected) * (faces[i][k] - expected) / expected;
        assert_true(chi < 30); // five degrees of freedom: beyond 30 once in 70,000
    }
    double chi = 0, expected = ROLLS * 29 / 36.0;
    for (int k = 0; k < 36; k++)
        chi += (pairs[k] - expected) * (pairs[k] - expected) / expected;
    assert_true(chi < 90);
}

// G26.3
static void vector_has_its_places(void **unused)
{
    (void)unused;
    struct liars_dice_view v;
    float out[33] = {[32] = 9};
    state s = start_dice("14426 33152 466", true, 2);
    play(&s, bid(6, 4), NULL);
    g->view(&s, 0, &v);
    g->vector(&v, out);
    const float expected[32] = {.2f, .2f, 0, .4f, 0, .2f, 1, 1, .6f, 0, 0, 0, .2f, 0, 0, 0,
                                1,   0,   0, 0,   0, 1,   0, 0, 0,   1, 0, 0, 0,   0, 0, 13 / 30.0f};
    for (int i = 0; i < 32; i++)
        assert_float_equal(out[i], expected[i], 1e-6);
    assert_float_equal(out[32], 9, 0);
    assert_int_equal(g->vector_size, 32);
    g->view(&s, GAME_SPECTATOR, &v);
    g->vector(&v, out);
    assert_float_equal(out[0] + out[3] + out[25], 0, 0);
}

// G26.4
static void rewards_follow_the_dice(void **unused)
{
    (void)unused;
    struct game_events e = {0};
    struct game_rewards w;
    state s = start_dice("14426 331 4661", true, 0);
    play(&s, bid(12, 4), &e);
    g->rewards(&s, &e, &w);
    assert_float_equal(w.at[0][0], 0, 0);
    e.count = 0;
    play(&s, challenge, &e); // seat 0 loses one of five
    g->rewards(&s, &e, &w);
    assert_float_equal(w.at[0][0], -0.2, 1e-6);
    assert_float_equal(w.at[1][0], 0.1, 1e-6);
    assert_float_equal(w.at[2][0], 0.1, 1e-6);
    e.count = 0;
    drop(&s, 0, &e); // and the other four
    g->rewards(&s, &e, &w);
    assert_float_equal(w.at[0][0], -0.8, 1e-6);
    assert_float_equal(w.at[2][0], 0.4, 1e-6);
    e.count = 0;
    drop(&s, 1, &e);
    g->rewards(&s, &e, &w);
    assert_float_equal(w.at[1][0], -1, 1e-6);
    assert_float_equal(w.at[2][0], 0.5, 1e-6);
    assert_float_equal(w.at[2][1], 1, 0);
    assert_float_equal(game_reward(g, &w, 2), 1.5, 1e-6);
}

// A second implementation, slow and obvious: dice as faces, bids as pairs.
struct slow {
    int seats, dice[6][5], left[6], quantity, face, bidder, turn, round;
};

static int slow_count(const struct slow *w, bool wild)
{
    int n = 0;
    for (int s = 0; s < w->seats; s++)
        for (int i = 0; i < w->left[s]; i++)
            n += w->dice[s][i] == w->face || (wild && w->dice[s][i] == 1);
    return n;
}

static int slow_next(const struct slow *w, int seat)
{
    do
        seat = (seat + 1) % w->seats;
    while (!w->left[seat]);
    return seat;
}

static void slow_roll(struct slow *w, const state *s) // the faces that the fast one has drawn
{
    for (int seat = 0; seat < w->seats; seat++) {
        uint8_t f[5];
        liars_dice_faces(s->hand[seat], f);
        for (int i = 0; i < 5; i++) {
            w->dice[seat][i] = f[i];
            assert_int_equal(f[i] != 0, i < w->left[seat]);
        }
    }
}

static void slow_challenge(struct slow *w, bool wild)
{
    int loser = slow_count(w, wild) >= w->quantity ? w->turn : w->bidder;
    w->left[loser]--;
    w->turn = w->left[loser] ? loser : slow_next(w, loser);
    w->quantity = w->face = 0;
    w->round++;
}

static void play_beside(uint32_t seed)
{
    struct rng dice = {.key = {seed, 3}};
    int seats = 2 + (int)rng_below(&dice, 5);
    bool wild = rng_below(&dice, 4);
    rules r = usual();
    r.wild_ones = wild;
    struct slow w = {.seats = seats, .round = 1, .turn = r.starter = (uint8_t)rng_below(&dice, (uint32_t)seats)};
    for (int s = 0; s < seats; s++)
        w.left[s] = r.dice_counts[s] = (uint8_t)(1 + rng_below(&dice, 5));
    state s = start_with(&r, seats, seed);
    slow_roll(&w, &s);
    while (s.phase == LIARS_DICE_BIDDING) {
        assert_int_equal(s.to_act, w.turn);
        assert_int_equal(s.round, w.round);
        int rank = s.bid + 1 + (int)rng_below(&dice, 12);
        if (rank <= 6 * s.total && (!s.bid || rng_below(&dice, 3))) {
            play(&s, bid(liars_dice_quantity(rank), liars_dice_face(rank)), NULL);
            w.quantity = (rank + 5) / 6, w.face = (rank - 1) % 6 + 1, w.bidder = w.turn, w.turn = slow_next(&w, w.turn);
        } else if (s.bid) {
            play(&s, challenge, NULL);
            slow_challenge(&w, wild);
            if (s.phase == LIARS_DICE_BIDDING)
                slow_roll(&w, &s);
        }
    }
    for (int i = 0; i < seats; i++)
        assert_int_equal(w.left[i] > 0, i == s.winner);
}

static void plays_like_the_slow_one(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 2000; seed++)
        play_beside(seed);
}

// Other dice are hidden until the challenge, which shows them all; after a drop nobody's are shown.
static void views_hide_dice(void **unused)
{
    (void)unused;
    struct liars_dice_view v;
    state s = start_dice("14426 33152 46614", true, 0);
    g->view(&s, 1, &v);
    assert_memory_equal(v.dice, ((uint8_t[5]){3, 3, 1, 5, 2}), 5);
    assert_int_equal(v.last.round, 0);
    g->view(&s, GAME_SPECTATOR, &v);
    assert_memory_equal(v.dice, ((uint8_t[5]){0}), 5);
    drop(&s, 0, NULL);
    drop(&s, 1, NULL);
    g->view(&s, 0, &v);
    assert_int_equal(v.winner, 2);
    assert_int_equal(v.last.round, 0);
    state other = s;
    struct rng dice = {.key = {4}};
    for (int i = 0; i < 20 && other.hand[2] == s.hand[2]; i++)
        g->resample(&other, 0, &dice);
    assert_int_not_equal(other.hand[2], s.hand[2]); // the winner's dice stay hidden
}

static void state_is_small(void **unused)
{
    (void)unused;
    assert_true(g->state_size <= 128);
    assert_true(g->entities_end < g->world_end && g->world_end < g->state_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_ordered),
        cmocka_unit_test(choices_list_the_range),
        cmocka_unit_test(challenges_are_counted),
        cmocka_unit_test(events_come_in_order),
        cmocka_unit_test(a_drop_starts_a_round_or_ends),
        cmocka_unit_test(fallback_challenges_the_unlikely),
        cmocka_unit_test(flat_numbers_are_those_of_the_table),
        cmocka_unit_test(refusals_touch_nothing),
        cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(scenarios_are_those_of_the_list),
        cmocka_unit_test(stacked_dice_are_rolled),
        cmocka_unit_test(rounds_do_not_shift_each_other),
        cmocka_unit_test(dice_are_fair),
        cmocka_unit_test(vector_has_its_places),
        cmocka_unit_test(rewards_follow_the_dice),
        cmocka_unit_test(plays_like_the_slow_one),
        cmocka_unit_test(views_hide_dice),
        cmocka_unit_test(state_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
