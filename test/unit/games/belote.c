// The game as a whole: deals, options, matches at random, refusals, numbers.
#include "games/belote/rules/belote.h"

#include "game/cards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct game *const g = &belote_game;
static struct game_events out;

static struct belote_rules standard(void)
{
    struct belote_rules rules;
    g->defaults(&rules);
    return rules;
}

static struct belote_state start(const struct belote_rules *rules, uint32_t seed)
{
    struct belote_state s;
    out.count = 0;
    assert_int_equal(g->init(&s, rules, 4, (struct rng){.key = {seed, 77}}, &out), OK);
    assert_null(g->check(&s));
    return s;
}

static struct game_action cut(int position, bool from_top)
{
    return (struct game_action){.kind = BELOTE_CUT, .arg = {from_top}, .amount = position};
}

static struct game_action announce(int mode)
{
    return (struct game_action){.kind = BELOTE_ANNOUNCE, .arg = {(uint8_t)mode}};
}

static const struct game_action accept = {.kind = BELOTE_ACCEPT};

static void act(struct belote_state *s, struct game_action a)
{
    out.count = 0;
    assert_int_equal(g->apply(s, s->turn, a, &out), OK);
    assert_null(g->check(s));
}

static struct game_action pick_random(const struct belote_state *s, struct rng_draw *dice)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(s, s->turn, list);
    const struct game_choice *c = &list[rng_draw_below(dice, (uint32_t)count)];
    struct game_action a = c->first;
    a.amount += (int32_t)rng_draw_below(dice, (uint32_t)(c->max_amount - a.amount + 1));
    return a;
}

static int card(const char *code)
{
    static const char ranks[] = "789TJQKA", suits[] = "CDHS";
    return 8 * (int)(strchr(suits, code[1]) - suits) + (int)(strchr(ranks, code[0]) - ranks);
}

static void assert_cards(const uint8_t *cards, const char *codes)
{
    for (; *codes; codes += strcspn(codes, " "), codes += strspn(codes, " "))
        assert_int_equal(*cards++, card(codes));
}

static void put_canonical_deck(struct belote_rules *rules)
{
    rules->has_deck = 1;
    for (int i = 0; i < BELOTE_CARDS; i++)
        rules->deck[i] = (uint8_t)i;
}

// The seat left of dealer 0 is dealt all clubs, the partner all spades, after a cut at 16 from the top.
static void put_sweeping_deck(struct belote_rules *rules)
{
    static const uint8_t suit_of[4] = {0, 1, 3, 2}; // of seats 1, 2, 3, 0
    rules->has_deck = 1;
    uint8_t given[4] = {0}, order[BELOTE_CARDS];
    int n = 0;
    for (int round = 0; round < 3; round++)
        for (int seat = 0; seat < 4; seat++)
            for (int i = 0; i < (round == 1 ? 2 : 3); i++)
                order[n++] = (uint8_t)(8 * suit_of[seat] + given[seat]++);
    for (int i = 0; i < BELOTE_CARDS; i++)
        rules->deck[(i + 16) % BELOTE_CARDS] = order[i];
}

// Left announces clubs with all of them and takes every trick.
static struct belote_state sweep_clubs(struct belote_rules rules, int doubles)
{
    put_sweeping_deck(&rules);
    rules.cut = 16;
    struct belote_state s = start(&rules, 1);
    act(&s, announce(BELOTE_CLUBS));
    if (doubles)
        act(&s, (struct game_action){.kind = BELOTE_DOUBLE, .arg = {BELOTE_CLUBS}});
    for (int i = 0; i < 3; i++)
        act(&s, accept);
    for (int i = 0; i < BELOTE_CARDS; i++)
        act(&s, g->fallback(&s, s.turn));
    return s;
}

// B2.1, B2.5, B2.6, B2.10
static void deal_example(void **unused)
{
    (void)unused;
    static const char *const hands[] = {"TH JH QH JS QS AC 7D 8D", "9D TD JD KH AH KS AS 7C", "QD KD AD 7S 8S 8C 9C TC",
                                        "7H 8H 9H 9S TS JC QC KC"};
    struct belote_rules rules = standard();
    put_canonical_deck(&rules);
    struct belote_state s = start(&rules, 1);
    assert_int_equal(s.turn, 3); // B2.3
    act(&s, cut(10, true));
    for (int seat = 0; seat < 4; seat++) {
        struct belote_view v;
        g->view(&s, seat, &v);
        assert_int_equal(v.cards, 5);
        char five[15] = "";
        strncpy(five, hands[seat], 14);
        assert_cards(v.hand, five);
    }
    assert_int_equal(s.turn, 1); // B2.7
    act(&s, announce(BELOTE_ALL_TRUMPS));
    for (int i = 0; i < 3; i++)
        act(&s, accept);
    for (int seat = 0; seat < 4; seat++) {
        struct belote_view v;
        g->view(&s, seat, &v);
        assert_int_equal(v.cards, 8);
        assert_cards(v.hand, hands[seat]);
    }
    assert_int_equal(s.turn, 1);
}

// B2.4: every cut from the bottom is one from the top; nothing else is legal.
static void cut_both_ways(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    for (int n = -1; n <= 33; n++) {
        struct belote_state top = start(&rules, 5), bottom = top, before = top;
        bool legal = n >= 6 && n <= 26;
        assert_int_equal(game_is_legal(g, &top, 3, cut(n, true)), legal);
        assert_int_equal(game_is_legal(g, &top, 3, cut(32 - n, false)), legal);
        assert_int_equal(g->apply(&top, 3, cut(n, true), NULL), legal ? OK : ERR_ACTION);
        assert_int_equal(g->apply(&bottom, 3, cut(32 - n, false), NULL), legal ? OK : ERR_ACTION);
        assert_memory_equal(&top, &bottom, sizeof top);
        assert_int_equal(memcmp(&top, &before, sizeof top) != 0, legal);
    }
}

// B2.2, B9.3, B9.4: the deck is a function of key and number of the deal; 31 draws from the back.
static void shuffle_by_deal(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    struct belote_state s = start(&rules, 9);
    s.deal = 3;
    act(&s, cut(6, true));
    uint8_t deck[BELOTE_CARDS];
    for (int i = 0; i < BELOTE_CARDS; i++)
        deck[i] = (uint8_t)i;
    struct rng root = {.key = {9, 77}}, section = rng_section(&root, 3);
    struct rng_draw draw;
    rng_begin(&draw, &section);
    for (uint32_t i = 31; i > 0; i--) {
        uint32_t j = rng_draw_below(&draw, i + 1);
        uint8_t t = deck[i];
        deck[i] = deck[j];
        deck[j] = t;
    }
    assert_memory_equal(s.hand[1], deck + 6, 3);
    assert_memory_equal(s.hand[0] + 3, deck + 6 + 18, 2);
    assert_memory_equal(s.undealt, deck + 26, 6);
    assert_memory_equal(s.undealt + 6, deck, 6);
}

// B7.4, B7.5
static void sweep_colour(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    rules.points[0] = 140, rules.points[1] = 30;
    struct belote_state s = sweep_clubs(rules, 0);
    assert_int_equal(s.phase, BELOTE_DONE);
    assert_int_equal(s.winner, 1);
    assert_int_equal(s.points[0], 140);
    assert_int_equal(s.points[1], 30);
    assert_int_equal(s.target, 150);
    assert_int_equal(s.dealer, 1); // B2.8
    assert_int_equal(s.last.sweep, 1);
    int32_t payoffs[GAME_MAX_SEATS];
    g->payoffs(&s, payoffs); // B7.7, F6.B7
    assert_memory_equal(payoffs, ((int32_t[GAME_MAX_SEATS]){0, 1, 0, 1}), sizeof payoffs);

    rules.colour_sweep_points = 25;
    s = sweep_clubs(rules, 1);
    assert_int_equal(s.phase, BELOTE_CUT_PHASE);
    assert_int_equal(s.points[1], 30 + 25 * 2);
    assert_int_equal(s.last.match_points[1], 0); // the DealResult still says 0/0
    struct game_rewards r;
    g->rewards(&s, &out, &r);
    assert_float_equal(r.at[1][0], 50.0f / 150, 1e-6f); // G28.4
    assert_float_equal(r.at[0][0], -50.0f / 150, 1e-6f);
    assert_float_equal(r.at[3][1], 0, 0);
    rules.points[1] = 110;
    assert_int_equal(sweep_clubs(rules, 1).winner, 1);
}

// B7.2: AllTrumps played once may take both teams over the target at the same time.
static void grow_target(void **unused)
{
    (void)unused;
    int grown = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        struct belote_rules rules = standard();
        rules.cut = 16;
        rules.points[0] = rules.points[1] = 149;
        struct belote_state s = start(&rules, seed);
        act(&s, announce(BELOTE_ALL_TRUMPS));
        for (int i = 0; i < 3; i++)
            act(&s, accept);
        for (int i = 0; i < BELOTE_CARDS; i++)
            act(&s, g->fallback(&s, s.turn));
        bool both = s.last.match_points[0] && s.last.match_points[1], none = s.points[0] == 149 && s.points[1] == 149;
        assert_int_equal(s.target, both ? 250 : 150);
        assert_int_equal(s.phase, both || none ? BELOTE_CUT_PHASE : BELOTE_DONE);
        assert_int_equal(s.winner == BELOTE_NONE, both || none);
        grown += both;
    }
    assert_true(grown > 0);
}

// G28.5: one deal; the higher match points win, the match may be tied.
static void play_single_deal(void **unused)
{
    (void)unused;
    int ties = 0;
    struct rng dice = {.key = {3}};
    struct rng_draw draw;
    rng_begin(&draw, &dice);
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct belote_rules rules = standard();
        assert_int_equal(g->scenario(&rules, 1), 4);
        struct belote_state s = start(&rules, seed);
        while (s.phase != BELOTE_DONE)
            act(&s, pick_random(&s, &draw));
        assert_int_equal(s.deal, 0);
        bool instant = s.last.sweep != BELOTE_NONE && s.last.mode < BELOTE_NO_TRUMPS;
        int winner = s.points[0] > s.points[1] ? 0 : s.points[1] > s.points[0] ? 1 : BELOTE_NONE;
        assert_int_equal(s.winner, instant ? s.last.sweep : winner);
        int32_t payoffs[GAME_MAX_SEATS];
        struct game_rewards r;
        g->payoffs(&s, payoffs);
        g->rewards(&s, &out, &r);
        assert_int_equal(payoffs[0], s.winner == 0);
        assert_float_equal(r.at[0][1], s.winner == BELOTE_NONE ? 0 : s.winner == 0 ? 1 : -1, 0);
        ties += s.winner == BELOTE_NONE;
    }
    assert_true(ties > 0);
}

// B8.3, B8.4, B8.5
static void gather_deck(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    belote_set_classic(&rules);
    assert_int_equal(rules.clubs_base, 16);
    struct belote_state s = start(&rules, 21);
    assert_int_equal(s.turn, 1); // B8.4: dealer + 1
    act(&s, cut(20, true));
    act(&s, announce(BELOTE_ALL_TRUMPS));
    for (int i = 0; i < 3; i++)
        act(&s, accept);
    uint8_t played[BELOTE_CARDS];
    for (int i = 0; i < BELOTE_CARDS; i++) {
        struct game_action a = g->fallback(&s, s.turn);
        played[i] = a.arg[0];
        act(&s, a);
    }
    assert_int_equal(s.dealer, 1);
    assert_int_equal(s.turn, 2);
    act(&s, cut(7, true));
    assert_memory_equal(s.hand[2], played + 7, 3); // first card of trick 1 on top
    assert_memory_equal(s.hand[1] + 3, played + 7 + 18, 2);
    assert_memory_equal(s.undealt + 5, played, 7);
}

// B14.6: whatever the cuts, deal by deal everybody gets the same cards.
static void deal_equally(void **unused)
{
    (void)unused;
    static const struct game_action cuts[] = {{BELOTE_CUT, {1}, 6}, {BELOTE_CUT, {1}, 20}, {BELOTE_CUT, {0}, 9}};
    struct belote_rules rules = standard();
    struct belote_state first = {0};
    rules.options = BELOTE_EQUAL_DEALS;
    for (int i = 0; i < 3; i++) {
        struct belote_state s = start(&rules, 5);
        for (int deal = 0; deal < 2; deal++) {
            act(&s, cuts[(i + deal) % 3]);
            while (s.phase != BELOTE_CUT_PHASE && deal == 0)
                act(&s, g->fallback(&s, s.turn));
        }
        if (i == 0)
            first = s;
        assert_memory_equal(s.hand, first.hand, sizeof s.hand);
        assert_memory_equal(s.undealt, first.undealt, sizeof s.undealt);
    }
    rules.options |= BELOTE_GATHER;
    struct belote_state s;
    assert_int_equal(g->init(&s, &rules, 4, (struct rng){0}, NULL), ERR_RULES);
}

// Each point of B8 alone changes nothing else.
static void set_options_alone(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    rules.options = BELOTE_CUTTER_LEFT;
    struct belote_state s = start(&rules, 2);
    assert_int_equal(s.turn, 1);
    rules.options = BELOTE_GATHER;
    s = start(&rules, 2);
    assert_int_equal(s.turn, 3);
    rules.options = BELOTE_NO_CLUBS_REDOUBLE;
    for (int on = 0; on < 2; on++) {
        rules.options = on ? BELOTE_NO_CLUBS_REDOUBLE : 0;
        rules.cut = 16;
        s = start(&rules, 2);
        act(&s, announce(BELOTE_CLUBS));
        act(&s, (struct game_action){.kind = BELOTE_DOUBLE, .arg = {BELOTE_CLUBS}});
        struct game_action redouble = {.kind = BELOTE_REDOUBLE, .arg = {BELOTE_CLUBS}};
        assert_int_equal(game_is_legal(g, &s, s.turn, redouble), !on);
    }
}

static void set_initial_state(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    put_canonical_deck(&rules);
    rules.dealer = 2, rules.target = 300, rules.points[0] = 20, rules.points[1] = 299;
    rules.cut = 22, rules.cut_from_bottom = 1; // the cut of B2.10
    struct belote_state s = start(&rules, 1);
    assert_int_equal(s.phase, BELOTE_BID_PHASE);
    assert_int_equal(s.turn, 3);
    assert_cards(s.hand[3], "9D TD JD KH AH");
    assert_int_equal(s.target, 300);
    assert_int_equal(s.points[1], 299);
    assert_int_equal(out.count, 2);
    assert_int_equal(out.at[0].kind, BELOTE_DEAL_STARTED);
    assert_int_equal(out.at[1].kind, BELOTE_CUT_DONE);
    assert_int_equal(out.at[1].amount, 22);
    assert_int_equal(out.at[1].data[0], 0);
}

static void set_scenarios(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        int target, sweep, options;
    } rows[] = {{"standard", 150, 0, 0},
                {"single_deal", 150, 0, BELOTE_SINGLE_DEAL},
                {"long", 500, 0, 0},
                {"tournament", 500, 25, 0}};
    for (int i = 0; i < 4; i++) {
        struct belote_rules rules = standard();
        assert_string_equal(g->scenarios[i], rows[i].name);
        assert_int_equal(g->scenario(&rules, i), 4);
        assert_int_equal(rules.target, rows[i].target);
        assert_int_equal(rules.colour_sweep_points, rows[i].sweep);
        assert_int_equal(rules.options, rows[i].options);
    }
    assert_null(g->scenarios[4]);
}

static void refuse_rules(void **unused)
{
    (void)unused;
    struct belote_state s;
    struct belote_rules bad[9];
    for (int i = 0; i < 9; i++)
        bad[i] = standard();
    bad[0].target = 0;
    bad[1].points[0] = 150;
    bad[2].points[1] = -1;
    bad[3].clubs_base = 20;
    bad[4].dealer = 4;
    bad[5].cut = 27;
    bad[6].has_deck = 1; // thirty-two sevens of clubs
    bad[7].options = 32;
    bad[8].colour_sweep_points = 1001;
    for (int i = 0; i < 9; i++)
        assert_int_equal(g->init(&s, &bad[i], 4, (struct rng){0}, NULL), ERR_RULES);
    struct belote_rules rules = standard();
    for (int seats = 0; seats < 12; seats++)
        assert_int_equal(g->init(&s, &rules, seats, (struct rng){0}, NULL), seats == 4 ? OK : ERR_RULES);
}

static void stack_decks(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    struct belote_state s = start(&rules, 4), before = s;
    uint8_t deck[BELOTE_CARDS];
    for (int i = 0; i < BELOTE_CARDS; i++)
        deck[i] = (uint8_t)(31 - i);
    assert_int_equal(g->stack(&s, deck, 31), ERR_RULES);
    deck[4] = 32;
    assert_int_equal(g->stack(&s, deck, 32), ERR_RULES);
    deck[4] = deck[5];
    assert_int_equal(g->stack(&s, deck, 32), ERR_RULES);
    assert_memory_equal(&s, &before, sizeof s);
    deck[4] = 27;
    assert_int_equal(g->stack(&s, deck, 32), OK);
    act(&s, cut(6, true));
    assert_memory_equal(s.hand[1], deck + 6, 3);
    struct belote_state again = s;
    assert_int_equal(g->stack(&s, deck, 32), OK); // waits for the next deal
    assert_memory_equal(s.hand, again.hand, sizeof s.hand);
    assert_null(g->check(&s));
}

// The master drops whoever is asked, and moves the target.
static void oversee(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    struct belote_state s = start(&rules, 4), before = s;
    for (int seat = 0; seat < 6; seat++) {
        s = before;
        struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat, 9}};
        assert_int_equal(g->apply(&s, seat, drop, NULL), seat == 3 ? ERR_ACTION : ERR_SEAT);
        out.count = 0;
        assert_int_equal(g->apply(&s, GAME_MASTER, drop, &out), seat == 3 ? OK : ERR_SEAT);
        if (seat != 3)
            assert_memory_equal(&s, &before, sizeof s);
    }
    s = before;
    out.count = 0;
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {3, 9}}, &out), OK);
    assert_int_equal(s.phase, BELOTE_DONE); // B7.6
    assert_int_equal(s.winner, 0);
    assert_int_equal(s.left, 3);
    assert_int_equal(out.count, 2);
    assert_int_equal(out.at[0].kind, BELOTE_DISCONNECTED);
    assert_int_equal(out.at[0].data[0], 9);
    assert_int_equal(out.at[1].kind, BELOTE_MATCH_ENDED);
    assert_int_equal(g->turn(&s).kind, TURN_OVER);
    assert_int_equal(g->apply(&s, 3, cut(16, true), NULL), ERR_OVER);
    assert_null(g->check(&s));

    s = before; // whoever leaves while five are dealt leaves nobody with more
    act(&s, cut(16, true));
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {1, 9}}, NULL), OK);
    for (int seat = 0; seat < 4; seat++) {
        struct belote_view v;
        g->view(&s, seat, &v);
        assert_int_equal(v.cards, 5);
        assert_int_equal(v.held[seat], 5);
    }

    static const int targets[] = {49, 50, 2000, 2001};
    for (int i = 0; i < 4; i++) {
        s = before;
        struct game_action set = {.kind = BELOTE_SET_TARGET, .amount = targets[i]};
        bool ok = targets[i] >= 50 && targets[i] <= 2000;
        assert_int_equal(g->apply(&s, GAME_MASTER, set, NULL), ok ? OK : ERR_ACTION);
        assert_int_equal(s.target, ok ? targets[i] : 150);
        assert_int_equal(g->apply(&s, 3, set, NULL), ERR_ACTION);
        assert_int_equal(g->turn(&s).number, g->turn(&before).number); // the question stands
    }
}

// B12.32
static void fall_back(void **unused)
{
    (void)unused;
    struct belote_rules rules = standard();
    struct belote_state s = start(&rules, 4);
    assert_true(game_same_action(g->fallback(&s, 3), cut(16, true)));
    act(&s, cut(16, true));
    assert_true(game_same_action(g->fallback(&s, 1), announce(BELOTE_CLUBS))); // the first: nothing to accept
    act(&s, announce(BELOTE_ALL_TRUMPS));
    assert_true(game_same_action(g->fallback(&s, 2), accept));
    for (int i = 0; i < 3; i++)
        act(&s, accept);
    struct game_choice list[GAME_MAX_CHOICES];
    g->choices(&s, 1, list);
    assert_true(game_same_action(g->fallback(&s, 1), list[0].first));
}

// G28.1: a number for every listed action, and no other.
static void number_actions(const struct belote_state *s)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int seat = s->turn, count = g->choices(s, seat, list), listed = 0, numbered = 0;
    for (int i = 0; i < count; i++)
        listed += list[i].max_amount - list[i].first.amount + 1;
    for (int i = -1; i <= BELOTE_FLAT_SIZE; i++) {
        struct game_action a = {0}, untouched = {0};
        bool legal = g->flat(s, seat, i, &a);
        assert_int_equal(legal, legal && game_is_legal(g, s, seat, a));
        assert_true(legal || game_same_action(a, untouched));
        assert_false(g->flat(s, (seat + 1) % 4, i, &a));
        numbered += legal;
        if (!legal)
            continue;
        assert_int_equal(a.kind == BELOTE_CUT        ? 1 + a.amount - 6
                         : a.kind == BELOTE_ANNOUNCE ? 22 + a.arg[0]
                         : a.kind == BELOTE_ACCEPT   ? 28
                         : a.kind == BELOTE_DOUBLE   ? 29 + a.arg[0]
                         : a.kind == BELOTE_REDOUBLE ? 35 + a.arg[0]
                                                     : 41 + a.arg[0],
                         i);
    }
    assert_int_equal(numbered, listed);
}

// What is not listed is refused and changes nothing: every kind with every first argument.
static void refuse_others(const struct belote_state *s)
{
    for (int kind = 0; kind < 9; kind++)
        for (int arg = 0; arg < 34; arg++) {
            struct game_action a = {.kind = (uint8_t)kind, .arg = {(uint8_t)arg}, .amount = kind == BELOTE_CUT ? 6 : 0};
            struct belote_state next = *s;
            int err = g->apply(&next, s->turn, a, NULL);
            assert_int_equal(err == OK, game_is_legal(g, s, s->turn, a));
            if (err != OK)
                assert_memory_equal(&next, s, sizeof next);
            a.arg[1] = 1;
            assert_int_equal(g->apply(&next, next.turn, a, NULL), next.phase == BELOTE_DONE ? ERR_OVER : ERR_ACTION);
        }
    for (int seat = 0; seat < GAME_MAX_SEATS + 1; seat++) {
        struct belote_state next = *s;
        struct game_choice list[GAME_MAX_CHOICES];
        if (seat == s->turn)
            continue;
        assert_int_equal(g->choices(s, seat, list), 0);
        assert_int_equal(g->apply(&next, seat, g->fallback(s, s->turn), NULL), ERR_SEAT);
        assert_memory_equal(&next, s, sizeof next);
    }
}

// The match kept a second time, from what was told.
struct ledger {
    int32_t points[2], target;
    int deals, cards, winner;
    bool over;
};

static void book(struct ledger *l, const struct game_event *e)
{
    struct belote_deal_ended end;
    if (e->kind == BELOTE_CARD_PLAYED)
        l->cards++;
    if (e->kind != BELOTE_DEAL_ENDED)
        return;
    memcpy(&end, e->data, sizeof end);
    assert_int_equal(l->cards, BELOTE_CARDS);
    assert_int_equal(end.target, l->target);
    const struct belote_deal *d = &end.deal;
    l->cards = 0;
    l->deals++;
    for (int team = 0; team < 2; team++)
        l->points[team] += d->match_points[team];
    if (d->sweep != BELOTE_NONE && d->mode < BELOTE_NO_TRUMPS) {
        l->over = true;
        l->winner = d->sweep;
    } else if (l->points[0] >= l->target && l->points[1] >= l->target) {
        l->target += 100;
    } else if (l->points[0] >= l->target || l->points[1] >= l->target) {
        l->over = true;
        l->winner = l->points[1] >= l->target;
    }
}

static void play_matches(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {42}};
    struct rng_draw draw;
    rng_begin(&draw, &dice);
    int deals = 0, bids = 0;
    for (uint32_t seed = 0; seed < 2000; seed++) {
        struct belote_rules rules = standard();
        if (seed % 4 == 3)
            belote_set_classic(&rules);
        rules.dealer = seed % 4;
        struct belote_state s = start(&rules, seed);
        struct ledger l = {.target = 150};
        for (uint32_t step = 0; s.phase != BELOTE_DONE; step++) {
            struct belote_state quiet = s;
            struct game_action a = pick_random(&s, &draw);
            assert_int_equal(g->turn(&s).number, step);
            if (seed % 50 == 0) {
                number_actions(&s);
                refuse_others(&s);
            }
            bids += s.phase == BELOTE_BID_PHASE;
            act(&s, a);
            assert_int_equal(g->apply(&quiet, g->turn(&quiet).seats == 0 ? 0 : quiet.turn, a, NULL), OK);
            assert_memory_equal(&quiet, &s, sizeof s); // listening changes nothing
            for (uint32_t i = 0; i < out.count; i++)
                book(&l, &out.at[i]);
        }
        assert_true(l.over);
        assert_int_equal(l.winner, s.winner);
        assert_memory_equal(l.points, s.points, sizeof s.points);
        assert_int_equal(l.target, s.target);
        assert_int_equal(s.dealer, (rules.dealer + (uint32_t)l.deals) % 4);
        deals += l.deals;
    }
    assert_in_range(deals, 2000 * 31 / 10, 2000 * 35 / 10); // B16.3: 3.2 deals a match, 7.5 words a deal
    assert_in_range(bids / (deals / 10), 70, 80);
}

static void repeat_exactly(void **unused)
{
    (void)unused;
    uint64_t hashes[2][50];
    for (int run = 0; run < 2; run++)
        for (uint32_t seed = 0; seed < 50; seed++) {
            struct rng dice = {.key = {seed, 8}};
            struct rng_draw draw;
            rng_begin(&draw, &dice);
            struct belote_rules rules = standard();
            struct belote_state s = start(&rules, seed);
            while (s.phase != BELOTE_DONE)
                act(&s, pick_random(&s, &draw));
            hashes[run][seed] = game_hash(g, &s);
        }
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    assert_int_not_equal(hashes[0][0], hashes[0][1]);
}

// G28.3
static void write_vector(void **unused)
{
    (void)unused;
    enum {
        PLAYED = 32,
        TRICK = 64,
        MODE = 192,
        TEAM = 198,
        TIMES = 200,
        PHASE = 203,
        DEALER = 206,
        LEADER = 210,
        SAID = 214,
        LOCKED = 238,
        DOUBLED = 239,
        REDOUBLED = 245,
        MATCH = 251,
        CARDS = 253
    };
    struct belote_rules rules = standard();
    put_canonical_deck(&rules);
    rules.cut = 10, rules.points[0] = 75, rules.points[1] = 30;
    struct belote_state s = start(&rules, 1);
    act(&s, announce(BELOTE_DIAMONDS));
    act(&s, (struct game_action){.kind = BELOTE_DOUBLE, .arg = {BELOTE_DIAMONDS}});
    for (int i = 0; i < 3; i++)
        act(&s, accept);
    act(&s, (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)card("KH")}});
    struct belote_view v;
    float x[BELOTE_VECTOR_SIZE], sum = 0;
    g->view(&s, 2, &v);
    g->vector(&v, x);
    for (int i = 0; i < BELOTE_VECTOR_SIZE; i++)
        sum += x[i];
    assert_float_equal(x[card("QD")], 1, 0);
    assert_float_equal(x[PLAYED + card("KH")], 1, 0);
    assert_float_equal(x[TRICK + 3 * 32 + card("KH")], 1, 0); // seat 1 is three after seat 2
    assert_float_equal(x[MODE + BELOTE_DIAMONDS], 1, 0);
    assert_float_equal(x[TEAM + 1], 1, 0); // theirs
    assert_float_equal(x[TIMES + 1], 1, 0);
    assert_float_equal(x[PHASE + 2], 1, 0);
    assert_float_equal(x[DEALER + 2], 1, 0);
    assert_float_equal(x[LEADER + 3], 1, 0);
    assert_float_equal(x[SAID + 3 * 6 + BELOTE_DIAMONDS], 1, 0);
    assert_float_equal(x[LOCKED], 1, 0);
    assert_float_equal(x[DOUBLED + BELOTE_DIAMONDS], 1, 0);
    assert_float_equal(x[REDOUBLED + BELOTE_DIAMONDS], 0, 0);
    assert_float_equal(x[MATCH], 0.5f, 1e-6f);
    assert_float_equal(x[MATCH + 1], 0.2f, 1e-6f);
    assert_float_equal(x[CARDS], 0, 0);
    assert_float_equal(sum, 8 + 11 + 0.7f, 1e-5f);
}

// B10.4, B10.2: what later wires need of a view.
static void show_tricks(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {6}};
    struct rng_draw draw;
    rng_begin(&draw, &dice);
    struct belote_rules rules = standard();
    rules.target = 500;
    struct belote_state s = start(&rules, 3);
    int takers[BELOTE_TRICKS], tricks = 0, last = BELOTE_NONE, speakers[BELOTE_MAX_BIDS], spoken = 0;
    while (s.phase != BELOTE_DONE) {
        act(&s, pick_random(&s, &draw));
        for (uint32_t i = 0; i < out.count; i++) {
            const struct game_event *e = &out.at[i];
            if (e->kind == BELOTE_TRICK_COMPLETED)
                takers[tricks++] = last = e->seat;
            if (e->kind == BELOTE_BID)
                speakers[spoken++] = e->seat;
            if (e->kind == BELOTE_DEAL_STARTED)
                tricks = spoken = 0;
        }
        struct belote_view v;
        g->view(&s, 0, &v);
        assert_int_equal(v.last_taker, last);
        assert_int_equal(v.bids, spoken);
        for (int i = 0; i < spoken; i++)
            assert_int_equal((v.opener + i) % 4, speakers[i]); // when all is over too
        for (int t = 0; t < BELOTE_TRICKS; t++) {
            assert_int_equal(v.taken[t], t < tricks ? takers[t] : BELOTE_NONE);
            assert_int_equal(v.leader[t] == BELOTE_NONE, 4 * t >= v.plays);
        }
        assert_int_equal(v.won[0] + v.won[1], tricks);
    }
}

static void bound_sizes(void **unused)
{
    (void)unused;
    assert_true(g->state_size < 256);
    assert_true(g->view_size <= GAME_MAX_VIEW && g->rules_size <= GAME_MAX_RULES);
    assert_true(g->entities_end < g->world_end && g->world_end < g->state_size);
    assert_int_equal(g->flat_size, 73);
    assert_int_equal(g->vector_size, 255);
    assert_true(sizeof(struct belote_deal_ended) <= sizeof(((struct game_event *)NULL)->data));
    assert_true(sizeof(struct belote_match_ended) <= sizeof(((struct game_event *)NULL)->data));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deal_example),      cmocka_unit_test(cut_both_ways),  cmocka_unit_test(shuffle_by_deal),
        cmocka_unit_test(sweep_colour),      cmocka_unit_test(grow_target),    cmocka_unit_test(play_single_deal),
        cmocka_unit_test(deal_equally),      cmocka_unit_test(gather_deck),    cmocka_unit_test(set_options_alone),
        cmocka_unit_test(set_initial_state), cmocka_unit_test(set_scenarios),  cmocka_unit_test(refuse_rules),
        cmocka_unit_test(stack_decks),       cmocka_unit_test(oversee),        cmocka_unit_test(fall_back),
        cmocka_unit_test(play_matches),      cmocka_unit_test(repeat_exactly), cmocka_unit_test(write_vector),
        cmocka_unit_test(show_tricks),       cmocka_unit_test(bound_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
