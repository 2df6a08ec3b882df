// What a viewer cannot know: nothing of it shows, and what is drawn in its place agrees with everything that was seen.
#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct game *const g = &belote_game;

static struct game_action pick_random(const struct belote_state *s, struct rng_draw *dice)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(s, s->turn, list);
    const struct game_choice *c = &list[rng_draw_below(dice, (uint32_t)count)];
    struct game_action a = c->first;
    a.amount += (int32_t)rng_draw_below(dice, (uint32_t)(c->max_amount - a.amount + 1));
    return a;
}

static struct belote_state start(uint32_t seed, struct rng *dice)
{
    struct belote_rules rules;
    struct belote_state s;
    g->defaults(&rules);
    if (seed % 3 == 2)
        belote_set_classic(&rules);
    assert_int_equal(g->init(&s, &rules, 4, (struct rng){.key = {seed, 5}}, NULL), OK);
    *dice = (struct rng){.key = {seed, 6}};
    return s;
}

static void assert_looks_same(const struct belote_state *a, const struct belote_state *b, int viewer)
{
    struct belote_view mine, theirs;
    memset(&mine, 0xAA, sizeof mine), memset(&theirs, 0x55, sizeof theirs); // every byte is set by view
    g->view(a, viewer, &mine), g->view(b, viewer, &theirs);
    assert_memory_equal(&mine, &theirs, sizeof mine);
    if (viewer == GAME_SPECTATOR)
        return;
    struct game_choice may[GAME_MAX_CHOICES] = {0}, might[GAME_MAX_CHOICES] = {0};
    assert_int_equal(g->choices(a, viewer, may), g->choices(b, viewer, might));
    assert_memory_equal(may, might, sizeof may);
}

// Every card played so far was legal from the hands of this world.
static void assert_possible(const struct belote_state *s)
{
    uint32_t hand[4];
    memcpy(hand, s->held, sizeof hand);
    for (int i = s->plays - 1; i >= 0; i--) {
        int first = i & ~3, best = first;
        int seat = ((s->leaders >> 2 * (i / 4) & 3) + i % 4) % 4;
        hand[seat] |= 1u << s->play[i];
        if (i == first)
            continue;
        for (int k = first + 1; k < i; k++)
            if (belote_beaten_by(s->mode, s->play[best]) >> s->play[k] & 1)
                best = k;
        uint32_t legal = belote_legal_cards(s->mode, hand[seat], s->play[first], s->play[best], (i - best) % 2 == 0);
        assert_true(legal >> s->play[i] & 1);
    }
}

// Views and choices do not depend on what is hidden, and neither do events as long as views do not.
static void hide_everything(void **unused)
{
    (void)unused;
    static struct game_events here, there;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct rng dice;
        struct belote_state s = start(seed, &dice);
        struct rng_draw draw;
        struct rng picks = {.key = {seed, 7}};
        rng_begin(&draw, &picks);
        while (s.phase != BELOTE_DONE) {
            struct game_action a = pick_random(&s, &draw);
            int seat = s.turn;
            for (int v = 0; v < 5; v++) {
                int viewer = v == 4 ? GAME_SPECTATOR : v;
                struct belote_state other = s, next = s;
                g->resample(&other, viewer, &dice);
                assert_null(g->check(&other));
                assert_memory_not_equal(other.key, s.key, sizeof s.key);
                assert_looks_same(&s, &other, viewer);
                assert_possible(&other);
                here.count = there.count = 0;
                assert_int_equal(g->apply(&next, seat, a, &here), OK);
                if (g->apply(&other, seat, a, &there) != OK)
                    continue;
                assert_int_equal(here.count, there.count); // all events are public here
                assert_memory_equal(here.at, there.at, here.count * sizeof *here.at);
            }
            assert_int_equal(g->apply(&s, seat, a, NULL), OK);
        }
    }
}

// A stacked deck is as hidden as a shuffled one, and stays a deck.
static void hide_stacked_deck(void **unused)
{
    (void)unused;
    struct rng dice;
    struct belote_state s = start(0, &dice);
    uint8_t deck[BELOTE_CARDS];
    for (int i = 0; i < BELOTE_CARDS; i++)
        deck[i] = (uint8_t)i;
    assert_int_equal(g->stack(&s, deck, BELOTE_CARDS), OK);
    struct belote_state other = s;
    g->resample(&other, 2, &dice);
    assert_null(g->check(&other));
    assert_memory_not_equal(other.stacked, s.stacked, sizeof s.stacked);
    assert_looks_same(&s, &other, 2);
}

// A state made from a view alone looks like the one the view was taken of.
static void imagine_from_views(void **unused)
{
    (void)unused;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct rng dice;
        struct belote_state s = start(seed, &dice);
        struct rng_draw draw;
        struct rng picks = {.key = {seed, 8}};
        rng_begin(&draw, &picks);
        while (s.phase != BELOTE_DONE) {
            for (int viewer = 0; viewer < 4; viewer++) {
                struct belote_view v;
                struct belote_state other;
                g->view(&s, viewer, &v);
                belote_imagine(&other, &v, &dice);
                assert_null(g->check(&other));
                assert_int_equal(other.turn, s.turn);
                assert_memory_equal(other.open, s.open, sizeof s.open);
                assert_possible(&other);
                struct belote_view again;
                g->view(&other, viewer, &again);
                assert_memory_equal(&again, &v, sizeof v);
                while (other.phase != BELOTE_DONE && other.deal == s.deal) // and can be played on
                    assert_int_equal(g->apply(&other, other.turn, g->fallback(&other, other.turn), NULL), OK);
            }
            assert_int_equal(g->apply(&s, s.turn, pick_random(&s, &draw), NULL), OK);
        }
    }
}

// B15.6, fact by fact: what a play tells about the rest of that hand.
static void infer_from_plays(void **unused)
{
    (void)unused;
    enum { C7 = 0, CA = 7, DT = 11, H8 = 17, H9 = 18, HT = 19, HJ = 20, HQ = 21, HA = 23, S7 = 24, SQ = 29 };
    const uint32_t clubs = 0xFF, hearts = 0xFF0000, above_ten = 1u << H9 | 1u << HJ | 1u << HA;
    static const struct {
        uint8_t mode, play[4], plays, seat;
    } rows[] = {
        {BELOTE_NO_TRUMPS, {HT, C7}, 2, 2},          // no card of the led suit
        {BELOTE_HEARTS, {C7, S7}, 2, 2},             // nor a trump: the partner was not winning
        {BELOTE_HEARTS, {CA, C7, S7}, 3, 3},         // the partner was winning: trumps may be there
        {BELOTE_HEARTS, {C7, HT, HQ}, 3, 3},         // under-ruffed: no trump above the ten
        {BELOTE_HEARTS, {CA, HT, CA - 1, S7}, 4, 0}, // discarded on the partner's ruff: no trump
        {BELOTE_ALL_TRUMPS, {HT, HQ}, 2, 2},         // followed below: nothing above
        {BELOTE_HEARTS, {HT, HQ}, 2, 2},             // the same when trump is led
        {BELOTE_NO_TRUMPS, {HT, HQ}, 2, 2},          // tells nothing
    };
    const uint32_t cannot[] = {hearts,         clubs | hearts, clubs,     clubs | above_ten,
                               clubs | hearts, above_ten,      above_ten, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_state s = {.phase = BELOTE_PLAY_PHASE, .mode = rows[i].mode, .plays = rows[i].plays};
        s.leaders = 1;
        memcpy(s.play, rows[i].play, sizeof rows[i].play);
        struct belote_view v;
        uint32_t gone = 0;
        for (int k = 0; k < s.plays; k++)
            gone |= 1u << s.play[k];
        g->view(&s, GAME_SPECTATOR, &v);
        assert_int_equal(v.cannot[rows[i].seat], cannot[i] | gone);
    }
}

// --- Every possible world, counted.

enum { WORLDS = 4096 };

struct worlds {
    uint32_t hands[WORLDS][3];
    int times[WORLDS];
    int count;
};

static void find_worlds(struct worlds *w, uint32_t hidden, uint32_t hand[3], const int need[3],
                        const uint32_t cannot[3])
{
    if (!hidden) {
        assert_true(w->count < WORLDS);
        memcpy(w->hands[w->count++], hand, sizeof w->hands[0]);
        return;
    }
    uint32_t card = hidden & -hidden;
    for (int i = 0; i < 3; i++)
        if (!(cannot[i] & card) && __builtin_popcount(hand[i]) < need[i]) {
            hand[i] |= card;
            find_worlds(w, hidden & ~card, hand, need, cannot);
            hand[i] &= ~card;
        }
}

static void count_worlds(const struct belote_state *s, struct worlds *w)
{
    struct belote_view v;
    uint32_t hand[3] = {0}, cannot[3], hidden = s->held[1] | s->held[2] | s->held[3];
    int need[3];
    g->view(s, 0, &v);
    for (int i = 0; i < 3; i++) {
        cannot[i] = v.cannot[i + 1];
        need[i] = v.held[i + 1];
    }
    w->count = 0;
    memset(w->times, 0, sizeof w->times);
    find_worlds(w, hidden, hand, need, cannot);
}

// All worlds that are possible come, each about as often as the others.
static void draw_evenly(void **unused)
{
    (void)unused;
    static struct worlds w;
    int tried = 0;
    for (uint32_t seed = 0; seed < 400 && tried < 12; seed++) {
        struct rng dice;
        struct belote_state s = start(seed, &dice);
        struct rng_draw draw;
        struct rng picks = {.key = {seed, 9}};
        rng_begin(&draw, &picks);
        while (s.plays < 20 && s.phase != BELOTE_DONE)
            assert_int_equal(g->apply(&s, s.turn, pick_random(&s, &draw), NULL), OK);
        count_worlds(&s, &w);
        if (w.count < 20 || w.count > 60)
            continue;
        tried++;
        for (int n = 0; n < 100 * w.count; n++) {
            struct belote_state other = s;
            g->resample(&other, 0, &dice);
            int i = 0;
            while (i < w.count && memcmp(w.hands[i], &other.held[1], sizeof w.hands[i]) != 0)
                i++;
            assert_true(i < w.count);
            w.times[i]++;
        }
        double chi = 0;
        for (int i = 0; i < w.count; i++)
            chi += (w.times[i] - 100) * (w.times[i] - 100) / 100.0;
        assert_true(chi < 2.5 * w.count); // far beyond what chance gives for even draws
    }
    assert_int_equal(tried, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hide_everything),  cmocka_unit_test(hide_stacked_deck), cmocka_unit_test(imagine_from_views),
        cmocka_unit_test(infer_from_plays), cmocka_unit_test(draw_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
