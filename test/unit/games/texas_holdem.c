// Texas Hold'em rule by rule (F6.T, G25): the worked examples, and tables of small situations.
#include "games/texas_holdem/rules/texas_holdem.h"
#include "base/text.h"
#include "games/texas_holdem/rules/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const struct game *const g = &texas_holdem_game;
static struct game_events out;

static const struct rng chance = {.key = {1, 2, 3, 4, 5, 6, 7, 8}};

static uint8_t card(const char *name)
{
    static const char ranks[] = "23456789TJQKA", suits[] = "cdhs";
    return (uint8_t)(4 * (strchr(ranks, name[0]) - ranks) + (strchr(suits, name[1]) - suits));
}

// The named cards first ("As Kd ..."), the rest in order.
static void make_deck(uint8_t deck[CARDS_IN_DECK], const char *first)
{
    uint64_t seen = 0;
    int count = 0;
    for (const char *at = first; *at; at += at[2] ? 3 : 2) {
        deck[count++] = card(at);
        seen |= UINT64_C(1) << card(at);
    }
    for (uint8_t c = 0; c < CARDS_IN_DECK; c++)
        if (!(seen >> c & 1))
            deck[count++] = c;
    assert_int_equal(count, CARDS_IN_DECK);
}

static struct texas_holdem_rules usual(void)
{
    struct texas_holdem_rules r;
    g->defaults(&r);
    return r;
}

static struct texas_holdem_state start(const struct texas_holdem_rules *r, int seats)
{
    struct texas_holdem_state s;
    out.count = 0;
    assert_int_equal(g->init(&s, r, seats, chance, &out), OK);
    assert_null(g->check(&s));
    return s;
}

static void act(struct texas_holdem_state *s, int seat, int kind, int32_t amount)
{
    out.count = 0;
    assert_int_equal(s->actor, seat);
    struct game_action a = {.kind = (uint8_t)kind, .amount = kind == HOLDEM_RAISE ? amount : 0};
    assert_int_equal(g->apply(s, seat, a, &out), OK);
    assert_null(g->check(s));
}

// The choices of the asked seat as text: "fold call400 raise800-9000 allin".
static void expect_choices(const struct texas_holdem_state *s, const char *expected)
{
    static const char *const words[] = {"", "fold", "check", "call", "raise", "allin"};
    struct game_choice c[GAME_MAX_CHOICES];
    char text[128] = "";
    struct text t = text_on(text, sizeof text - 1);
    int count = g->choices(s, s->actor, c);
    for (int i = 0; i < count; i++) {
        char word[48];
        int kind = c[i].first.kind;
        if (kind == HOLDEM_CALL)
            snprintf(word, sizeof word, "call%d", c[i].first.amount);
        else if (kind == HOLDEM_RAISE)
            snprintf(word, sizeof word, "raise%d-%d", c[i].first.amount, c[i].max_amount);
        else
            snprintf(word, sizeof word, "%s", words[kind]);
        text_puts(&t, i ? " " : "");
        text_puts(&t, word);
    }
    assert_string_equal(text, expected);
}

// Event i of the last step is this action.
static void expect_action(uint32_t i, int seat, int action, int32_t amount, int32_t total_bet)
{
    assert_true(i < out.count);
    struct holdem_played p = holdem_played_of(&out.at[i]);
    assert_int_equal(out.at[i].kind, HOLDEM_EVENT_ACTION);
    assert_int_equal(out.at[i].to, EVERYONE);
    assert_int_equal(out.at[i].seat, seat);
    assert_int_equal(p.action, action);
    assert_int_equal(out.at[i].amount, amount);
    assert_int_equal(p.total_bet, total_bet);
}

static const struct game_event *find_event(int kind)
{
    for (uint32_t i = 0; i < out.count; i++)
        if (out.at[i].kind == kind)
            return &out.at[i];
    return NULL;
}

static struct holdem_result result(void)
{
    const struct game_event *e = find_event(HOLDEM_EVENT_RESULT);
    assert_non_null(e);
    return holdem_result_of(e);
}

// F6.T6, F6.T18
static void test_example_a(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    struct texas_holdem_state s = start(&r, 2);
    assert_int_equal(out.count, 3);
    struct holdem_new_hand h = holdem_new_hand_of(&out.at[0]);
    assert_int_equal(out.at[0].kind, HOLDEM_EVENT_NEW_HAND);
    assert_int_equal(out.at[0].amount, 1);
    assert_int_equal(out.at[0].seat, 0);
    assert_int_equal(h.chips[0], 10000);
    assert_int_equal(h.small_blind, 100);
    assert_int_equal(h.big_blind, 200);
    assert_int_equal(h.hands_total, 10);
    expect_action(1, 0, HOLDEM_POST_SMALL, 100, 100);
    expect_action(2, 1, HOLDEM_POST_BIG, 200, 200);
    expect_choices(&s, "fold call100 raise400-10000 allin");
    act(&s, 0, HOLDEM_RAISE, 600);
    expect_action(0, 0, HOLDEM_RAISE, 600, 600);
    assert_int_equal(s.last_raise, 400);
    expect_choices(&s, "fold call400 raise1000-10000 allin");
    act(&s, 1, HOLDEM_RAISE, 1500);
    assert_int_equal(s.last_raise, 900);
    expect_choices(&s, "fold call900 raise2400-10000 allin");
    act(&s, 0, HOLDEM_CALL, 0);
    assert_int_equal(out.count, 2);
    expect_action(0, 0, HOLDEM_CALL, 900, 1500);
    assert_int_equal(out.at[1].kind, HOLDEM_EVENT_COMMUNITY);
    assert_int_equal(holdem_street_of(&out.at[1]).count, 3);
    assert_int_equal(holdem_street_of(&out.at[1]).phase, HOLDEM_FLOP);
    struct texas_holdem_view v;
    g->view(&s, 1, &v);
    assert_int_equal(v.pot, 3000);
    assert_int_equal(s.actor, 1);
    expect_choices(&s, "check raise200-8500 allin");
}

// Seats 0..3 by F6.T19: p0 and p3 tie, p1 is worse. Dealt from left of the button: p1 p2 p3 p0, twice.
static void test_example_b(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    r.small_blind = 200, r.big_blind = 400;
    r.stacks[0] = 1201, r.stacks[1] = 1351, r.stacks[2] = 8000, r.stacks[3] = 9000;
    make_deck(r.deck, "2c 3c Ac Ad 2d 4c 8c 8d Ah Ks Qd 9h 4h");
    r.has_deck = 1;
    struct texas_holdem_state s = start(&r, 4);
    expect_choices(&s, "fold call400 raise800-9000 allin");
    act(&s, 3, HOLDEM_RAISE, 1000);
    expect_action(0, 3, HOLDEM_RAISE, 1000, 1000);
    expect_choices(&s, "fold call1000 allin");
    act(&s, 0, HOLDEM_CALL, 0);
    expect_action(0, 0, HOLDEM_CALL, 1000, 1000);
    expect_choices(&s, "fold call800 allin");
    act(&s, 1, HOLDEM_ALLIN, 0);
    expect_action(0, 1, HOLDEM_ALLIN, 1351, 1351);
    assert_int_equal(s.short_all_in, 1);
    expect_choices(&s, "fold call951 allin");
    act(&s, 2, HOLDEM_FOLD, 0);
    expect_action(0, 2, HOLDEM_FOLD, 0, 400);
    expect_choices(&s, "fold call351 allin");
    act(&s, 3, HOLDEM_CALL, 0);
    expect_action(0, 3, HOLDEM_CALL, 351, 1351);
    expect_choices(&s, "fold call201 allin");
    act(&s, 0, HOLDEM_CALL, 0);
    expect_action(0, 0, HOLDEM_CALL, 201, 1201);
    for (uint32_t i = 1; i <= 3; i++)
        assert_int_equal(out.at[i].kind, HOLDEM_EVENT_COMMUNITY);
    struct holdem_result h = result();
    assert_int_equal(h.reason, HOLDEM_SHOWN_DOWN);
    assert_int_equal(h.winners, 2);
    assert_int_equal(h.winner[0], 3);
    assert_int_equal(h.winner[1], 0);
    assert_int_equal(find_event(HOLDEM_EVENT_RESULT)->amount, 4303);
    assert_int_equal(h.payout[3], 2302);
    assert_int_equal(h.payout[0], 2001);
    const struct game_event *next = find_event(HOLDEM_EVENT_NEW_HAND);
    const int32_t stacks[] = {2001, 0, 7600, 9951};
    for (int i = 0; i < 4; i++)
        assert_int_equal(holdem_new_hand_of(next).chips[i], stacks[i]);
    assert_int_equal(next->seat, 2); // F6.T2: the next seat that has chips
}

// How hands end (F6.T11), the order of events at a hand change (F6.T14), and who sees which hands.
static void test_hand_change(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    make_deck(r.deck, "Ac Kc Qc Ad Kd Qd 2h 3h 4h 9s Js");
    r.has_deck = 1;
    struct texas_holdem_state s = start(&r, 3);
    act(&s, 0, HOLDEM_FOLD, 0);
    act(&s, 1, HOLDEM_ALLIN, 0);
    act(&s, 2, HOLDEM_CALL, 0);
    static const struct {
        uint8_t kind, part;
        seat_set to;
    } expected[] = {
        {HOLDEM_EVENT_ACTION, 0, EVERYONE},    {HOLDEM_EVENT_COMMUNITY, 0, EVERYONE},
        {HOLDEM_EVENT_COMMUNITY, 0, EVERYONE}, {HOLDEM_EVENT_COMMUNITY, 0, EVERYONE},
        {HOLDEM_EVENT_RESULT, 0, EVERYONE},    {HOLDEM_EVENT_PAID, 1, EVERYONE},
        {HOLDEM_EVENT_HANDS, 1, EVERYONE},     {HOLDEM_EVENT_OWN, 1, SEAT(0)},
        {HOLDEM_EVENT_NEW_HAND, 0, EVERYONE},  {HOLDEM_EVENT_ACTION, 0, EVERYONE},
        {HOLDEM_EVENT_ACTION, 0, EVERYONE},
    };
    assert_int_equal(out.count, 11);
    for (uint32_t i = 0; i < out.count; i++) {
        assert_int_equal(out.at[i].kind, expected[i].kind);
        assert_int_equal(out.at[i].part, expected[i].part);
        assert_int_equal(out.at[i].to, expected[i].to);
    }
    struct holdem_hands hands = holdem_hands_of(&out.at[6]);
    assert_int_equal(hands.live, SEAT(1) | SEAT(2));
    assert_int_equal(hands.cards[0][0], CARD_NONE);
    assert_int_equal(hands.cards[1][0], card("Ac"));
    assert_int_equal(hands.cards[2][1], card("Kd"));
    assert_int_equal(eval_category(hands.strength[1]), EVAL_ONE_PAIR);
    assert_int_equal(holdem_own_of(&out.at[7]).cards[1], card("Qd"));
    assert_int_equal(holdem_own_of(&out.at[7]).folded, 1);
    assert_int_equal(result().payout[1], 20000);
}

// After all others folded nobody shows anything; everyone gets the own cards back.
static void test_all_folded_shows_nothing(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    struct texas_holdem_state s = start(&r, 2);
    struct texas_holdem_view mine;
    g->view(&s, 0, &mine);
    act(&s, 0, HOLDEM_FOLD, 0);
    assert_null(find_event(HOLDEM_EVENT_HANDS));
    assert_int_equal(result().reason, HOLDEM_ALL_FOLDED);
    assert_int_equal(result().payout[1], 300);
    int own = 0;
    for (uint32_t i = 0; i < out.count; i++)
        if (out.at[i].kind == HOLDEM_EVENT_OWN) {
            assert_int_equal(out.at[i].to, SEAT(out.at[i].seat));
            if (out.at[i].seat == 0)
                assert_memory_equal(holdem_own_of(&out.at[i]).cards, mine.hole, 2);
            own++;
        }
    assert_int_equal(own, 2);
    struct texas_holdem_view v;
    g->view(&s, 0, &v);
    assert_memory_equal(v.last.cards[0], mine.hole, 2);
    assert_int_equal(v.last.cards[1][0], CARD_NONE);
}

// F6.T3
static void test_positions(void **state)
{
    (void)state;
    static const uint8_t expected[][HOLDEM_SEATS] = {
        {HOLDEM_BTN, HOLDEM_BB},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_CO},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_MP, HOLDEM_CO},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_MP, HOLDEM_HJ, HOLDEM_CO},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_UTG1, HOLDEM_MP, HOLDEM_HJ, HOLDEM_CO},
        {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_UTG1, HOLDEM_MP, HOLDEM_MP1, HOLDEM_HJ, HOLDEM_CO},
    };
    for (int seats = 2; seats <= HOLDEM_SEATS; seats++) {
        struct texas_holdem_rules r = usual();
        r.button = 1; // positions move with the button
        struct texas_holdem_state s = start(&r, seats);
        struct texas_holdem_view v;
        g->view(&s, 0, &v);
        for (int i = 0; i < HOLDEM_SEATS; i++)
            assert_int_equal(v.position[i], i < seats ? expected[seats - 2][(i - 1 + seats) % seats] : 0);
        assert_int_equal(v.order_count, seats);
        assert_int_equal(v.order[0], seats == 2 ? 1 : (1 + 3) % seats);
        assert_int_equal(s.actor, v.order[0]);
    }
}

// F6.T5, F6.T10: short blinds and who is asked then.
static void test_short_blinds(void **state)
{
    (void)state;
    static const struct {
        int32_t stacks[3];
        int seats, actor; // -1: the hand is played without a question
        const char *choices;
    } cases[] = {
        {{10000, 150}, 2, 0, "fold call100 raise400-10000 allin"}, // the full big blind is the bet all the same
        {{10000, 80}, 2, -1, ""},                                  // the small blind covers it
        {{50, 10000}, 2, -1, ""},                                  // and so does the big blind
        {{10000, 60, 130}, 3, 0, "fold call200 raise400-10000 allin"},
        {{90, 10000, 10000}, 3, 0, "fold call90 allin"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct texas_holdem_rules r = usual();
        r.max_hands = 1;
        memcpy(r.stacks, cases[i].stacks, sizeof cases[i].stacks);
        struct texas_holdem_state s = start(&r, cases[i].seats);
        if (cases[i].actor < 0) {
            assert_int_equal(s.phase, HOLDEM_DONE);
            assert_int_equal(result().reason, HOLDEM_SHOWN_DOWN);
            continue;
        }
        assert_int_equal(s.current_bet, 200);
        assert_int_equal(s.actor, cases[i].actor);
        expect_choices(&s, cases[i].choices);
    }
}

static void test_big_blind_option(void **state)
{
    (void)state;
    for (int option = 0; option <= 1; option++) {
        struct texas_holdem_rules r = usual();
        r.big_blind_option = (uint8_t)option;
        struct texas_holdem_state s = start(&r, 3);
        act(&s, 0, HOLDEM_CALL, 0);
        act(&s, 1, HOLDEM_CALL, 0);
        assert_int_equal(s.phase, option ? HOLDEM_PREFLOP : HOLDEM_FLOP);
        assert_int_equal(s.actor, option ? 2 : 1);
        if (option)
            expect_choices(&s, "check raise400-10000 allin");
        s = start(&r, 3); // a raise gives the big blind a word in any case
        act(&s, 0, HOLDEM_RAISE, 400);
        act(&s, 1, HOLDEM_CALL, 0);
        assert_int_equal(s.actor, 2);
    }
}

// F6.T9: a full all-in re-opens, a short one does not, and a full one after it opens again.
static void test_reopening(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    r.stacks[0] = 10000, r.stacks[1] = 700, r.stacks[2] = 10000, r.stacks[3] = 10000;
    struct texas_holdem_state s = start(&r, 4);
    act(&s, 3, HOLDEM_RAISE, 500); // last raise 300
    act(&s, 0, HOLDEM_CALL, 0);
    act(&s, 1, HOLDEM_ALLIN, 0); // 700 < 800
    expect_choices(&s, "fold call500 allin");
    act(&s, 2, HOLDEM_CALL, 0);
    expect_choices(&s, "fold call200 allin");
    act(&s, 3, HOLDEM_ALLIN, 0); // 10000 >= 700 + 300
    assert_int_equal(s.short_all_in, 0);
    assert_int_equal(s.last_raise, 9300);
    expect_choices(&s, "fold call9500 allin");
    act(&s, 0, HOLDEM_FOLD, 0);
    assert_int_equal(s.actor, 2);
}

// F6.T5: the ante is in the pot, not in the round.
static void test_ante(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    r.ante = 50;
    r.stacks[0] = 10000, r.stacks[1] = 10000, r.stacks[2] = 30;
    struct texas_holdem_state s = start(&r, 3);
    expect_action(1, 1, HOLDEM_POST_SMALL, 100, 150);
    expect_action(2, 2, HOLDEM_POST_BIG, 0, 30);
    assert_int_equal(holdem_new_hand_of(&out.at[0]).chips[2], 30);
    assert_int_equal(s.bet[0], 0);
    assert_int_equal(s.total[0], 50);
    struct texas_holdem_view v;
    g->view(&s, 0, &v);
    assert_int_equal(v.pot, 50 + 150 + 30);
    assert_int_equal(v.status[2], HOLDEM_ALL_IN);
    expect_choices(&s, "fold call200 raise400-9950 allin");
}

// F6.T1, F6.T20, G23.3, G23.4, G25.1: what is in force in which hand.
static void test_levels(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    r.blinds_double_at = 3;
    struct texas_holdem_state s = start(&r, 2);
    static const struct {
        struct game_action before; // by the master, in the hand before
        int32_t small, big, ante;
    } hands[] = {
        {{0}, 100, 200, 0},
        {{0}, 200, 400, 0},
        {{.kind = HOLDEM_SET_BLIND_LEVEL, .amount = 1500000}, 300, 600, 0},
        {{.kind = HOLDEM_SET_ANTE, .amount = 100000}, 300, 600, 60},
        {{.kind = HOLDEM_SET_BLINDS, .arg = {50}, .amount = 90}, 75, 135, 13},
        {{.kind = HOLDEM_SET_ANTE}, 75, 135, 0},
        {{.kind = HOLDEM_SET_BLIND_LEVEL, .amount = 250000}, 12, 22, 0},
    };
    for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
        if (hands[i].before.kind) {
            struct texas_holdem_state same = s;
            out.count = 0;
            assert_int_equal(g->apply(&s, GAME_MASTER, hands[i].before, &out), OK);
            assert_int_equal(out.count, 0);
            assert_int_equal(s.big_blind, same.big_blind); // not in this hand
            assert_int_equal(g->turn(&s).number, g->turn(&same).number);
        }
        act(&s, s.actor, HOLDEM_FOLD, 0);
        const struct game_event *e = find_event(HOLDEM_EVENT_NEW_HAND);
        assert_int_equal(holdem_new_hand_of(e).small_blind, hands[i].small);
        assert_int_equal(holdem_new_hand_of(e).big_blind, hands[i].big);
        assert_int_equal(s.ante, hands[i].ante);
    }
    static const struct game_action refused[] = {
        {.kind = HOLDEM_SET_BLINDS, .arg = {50}, .amount = 49},
        {.kind = HOLDEM_SET_BLINDS, .amount = 49},
        {.kind = HOLDEM_SET_BLIND_LEVEL, .amount = 249999},
        {.kind = HOLDEM_SET_BLIND_LEVEL, .amount = 8000001},
        {.kind = HOLDEM_SET_ANTE, .amount = -1},
        {.kind = HOLDEM_SET_ANTE, .amount = 1000001},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct texas_holdem_state same = s;
        assert_int_equal(g->apply(&s, GAME_MASTER, refused[i], NULL), ERR_ACTION);
        assert_memory_equal(&s, &same, sizeof s);
    }
}

// F6.T17: with two in play.
static void test_drop_heads_up(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    struct texas_holdem_state s = start(&r, 2);
    act(&s, 0, HOLDEM_RAISE, 600);
    out.count = 0;
    struct game_action drop = {.kind = GAME_DROP, .arg = {1, 2}};
    assert_int_equal(g->apply(&s, GAME_MASTER, drop, &out), OK);
    assert_int_equal(out.at[0].kind, HOLDEM_EVENT_DROPPED);
    assert_int_equal(out.at[0].seat, 1);
    assert_int_equal(out.at[0].amount, 9800);
    assert_int_equal(holdem_dropped_of(&out.at[0]).reason, 2);
    assert_int_equal(out.at[1].kind, HOLDEM_EVENT_RESULT);
    assert_int_equal(result().reason, HOLDEM_ALL_FOLDED);
    assert_int_equal(result().payout[0], 800);
    const struct game_event *e = find_event(HOLDEM_EVENT_MATCH);
    assert_non_null(e);
    assert_int_equal(e->seat, 0);
    assert_int_equal(holdem_match_of(e).ending, HOLDEM_ELIMINATED);
    assert_int_equal(holdem_match_of(e).hands, 1);
    int32_t payoffs[GAME_MAX_SEATS];
    g->payoffs(&s, payoffs);
    assert_int_equal(payoffs[0], 10200);
    assert_int_equal(payoffs[1], 0);
    assert_int_equal(payoffs[0] + s.removed, 20000);
    assert_int_equal(g->turn(&s).kind, TURN_OVER);
}

static void test_drop_at_a_larger_table(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    struct texas_holdem_state s = start(&r, 4);
    act(&s, 3, HOLDEM_RAISE, 400);
    act(&s, 0, HOLDEM_CALL, 0);
    struct game_action drop = {.kind = GAME_DROP, .arg = {1}};
    struct game_action early = {.kind = GAME_DROP, .arg = {2}};
    struct texas_holdem_state same = s;
    assert_int_equal(g->apply(&s, GAME_MASTER, early, NULL), ERR_SEAT);
    assert_memory_equal(&s, &same, sizeof s);
    out.count = 0;
    assert_int_equal(g->apply(&s, GAME_MASTER, drop, &out), OK);
    assert_int_equal(out.count, 1); // play goes on
    struct texas_holdem_view v;
    g->view(&s, 2, &v);
    assert_int_equal(v.status[1], HOLDEM_BUSTED);
    assert_int_equal(v.position[1], HOLDEM_NO_POSITION);
    assert_int_equal(v.position[2], HOLDEM_BB);
    assert_int_equal(v.total[1], 100); // stays in the pot
    assert_int_equal(v.chips[1], 0);
    assert_int_equal(v.order_count, 3);
    g->view(&s, 1, &v);
    assert_int_equal(v.hole[0], CARD_NONE);
    act(&s, 2, HOLDEM_CALL, 0);
    assert_int_equal(s.phase, HOLDEM_FLOP);
    assert_int_equal(s.actor, 2); // the first live seat left of the button
    for (int i = 0; i < 3; i++) {
        act(&s, 2, HOLDEM_CHECK, 0);
        act(&s, 3, HOLDEM_CHECK, 0);
        act(&s, 0, HOLDEM_CHECK, 0);
    }
    assert_int_equal(s.hand, 2);
    assert_int_equal(s.button, 2);
    assert_int_equal(s.dealt, SEAT(0) | SEAT(2) | SEAT(3));
    assert_int_equal(s.chips[0] + s.chips[2] + s.chips[3] + 300, 40000 - 9900);
}

// F6.T16: after max_hands; a tie for the largest stack is a draw.
static void test_match_results(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    r.max_hands = 1;
    make_deck(r.deck, "2c 3c 2d 3d As Ks Qs Js Ts");
    r.has_deck = 1;
    struct texas_holdem_state s = start(&r, 2);
    act(&s, 0, HOLDEM_CALL, 0);
    act(&s, 1, HOLDEM_CHECK, 0);
    for (int i = 0; i < 3; i++) {
        act(&s, 1, HOLDEM_CHECK, 0);
        act(&s, 0, HOLDEM_CHECK, 0);
    }
    assert_int_equal(eval_category(holdem_hands_of(find_event(HOLDEM_EVENT_HANDS)).strength[0]), EVAL_ROYAL_FLUSH);
    assert_null(find_event(HOLDEM_EVENT_NEW_HAND));
    const struct game_event *e = find_event(HOLDEM_EVENT_MATCH);
    assert_int_equal(e->seat, HOLDEM_NOBODY);
    assert_int_equal(holdem_match_of(e).winners, SEAT(0) | SEAT(1));
    assert_int_equal(holdem_match_of(e).ending, HOLDEM_MAX_HANDS);
    struct game_rewards rewards;
    g->rewards(&s, &out, &rewards);
    assert_true(rewards.at[0][0] == 0 && rewards.at[0][1] == 0.5f && rewards.at[1][1] == 0.5f);
    struct texas_holdem_view v;
    g->view(&s, GAME_SPECTATOR, &v);
    assert_int_equal(v.phase, HOLDEM_DONE);
    assert_int_equal(v.hands_completed, 1);
    assert_int_equal(v.champions, SEAT(0) | SEAT(1));
    assert_int_equal(v.shown[0][0], card("3c")); // seat 1 is left of the button and has the first card
    assert_int_equal(v.order_count, 0);
}

static void test_stack(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    struct texas_holdem_state s = start(&r, 2), same = s;
    uint8_t deck[CARDS_IN_DECK];
    make_deck(deck, "As Kd Ah Kc");
    assert_int_equal(g->stack(&s, deck, 51), ERR_RULES);
    deck[51] = deck[50];
    assert_int_equal(g->stack(&s, deck, CARDS_IN_DECK), ERR_RULES);
    assert_memory_equal(&s, &same, sizeof s);
    make_deck(deck, "As Kd Ah Kc");
    struct texas_holdem_view before, after; // the running hand stays as it was dealt
    g->view(&s, 0, &before);
    assert_int_equal(g->stack(&s, deck, CARDS_IN_DECK), OK);
    g->view(&s, 0, &after);
    assert_memory_equal(&before, &after, sizeof before);
    for (int hand = 2; hand <= 3; hand++) { // the next hand only
        struct texas_holdem_view v;
        act(&s, s.actor, HOLDEM_FOLD, 0);
        g->view(&s, 0, &v); // hand 2 has the button at seat 1, so seat 0 is dealt first
        assert_true((v.hole[0] == card("As") && v.hole[1] == card("Ah")) == (hand == 2));
    }
}

static void test_rules_are_checked(void **state)
{
    (void)state;
    struct texas_holdem_state s;
    const struct texas_holdem_rules fine = usual();
    struct texas_holdem_rules bad[12];
    for (int i = 0; i < 12; i++)
        bad[i] = fine;
    bad[0].small_blind = 0;
    bad[1].small_blind = 201;
    bad[2].starting_chips = 0;
    bad[3].starting_chips = (1 << 30) / 3 + 1;
    bad[4].max_hands = 0;
    bad[5].ante = -1;
    bad[6].button = 3;
    bad[7].stacks[0] = bad[7].stacks[1] = 5;
    for (int i = 0; i < 4; i++)
        bad[8].stacks[i] = 5;
    bad[9].has_deck = 1;
    bad[10].big_blind_option = 2;
    bad[11].blinds_double_at = -1;
    for (int i = 0; i < 12; i++)
        assert_int_equal(g->init(&s, &bad[i], 3, chance, NULL), ERR_RULES);
    assert_int_equal(g->init(&s, &fine, 1, chance, NULL), ERR_RULES);
    assert_int_equal(g->init(&s, &fine, 10, chance, NULL), ERR_RULES);
    assert_int_equal(g->init(&s, &fine, 9, chance, NULL), OK);
}

// The largest table: sums of two bets still fit.
static void test_largest_stacks(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    r.starting_chips = 1 << 29;
    r.small_blind = r.big_blind = (1 << 30) - 1;
    r.blinds_double_at = 1;
    struct texas_holdem_state s = start(&r, 2);
    assert_int_equal(s.phase, HOLDEM_DONE);
    r.small_blind = r.big_blind = 1;
    s = start(&r, 2);
    act(&s, 0, HOLDEM_RAISE, (1 << 29) - 1);
    expect_choices(&s, "fold call536870909 allin");
}

// G25.2: raises by half, three quarters, one and two times the pot after calling.
static void test_flat(void **state)
{
    (void)state;
    static const struct {
        int32_t stack;
        int32_t amount[HOLDEM_FLAT]; // -1: masked; of those without amount 0
    } cases[] = {
        // The pot is 300, after calling 400: 200 + 200, 300, 400, 800. Half the pot is the smallest raise.
        {10000, {-1, 0, -1, 100, 0, 400, -1, 500, 600, 1000}},
        {600, {-1, 0, -1, 100, 0, 400, -1, 500, -1, -1}}, // the whole stack is all-in
        {400, {-1, 0, -1, 100, 0, -1, -1, -1, -1, -1}},
        {150, {-1, 0, -1, 50, 0, -1, -1, -1, -1, -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct texas_holdem_rules r = usual();
        r.stacks[0] = cases[i].stack;
        r.stacks[1] = 10000;
        struct texas_holdem_state s = start(&r, 2);
        for (int k = 0; k < HOLDEM_FLAT; k++) {
            struct game_action a = {0};
            bool legal = g->flat(&s, 0, k, &a);
            assert_int_equal(legal, cases[i].amount[k] >= 0);
            if (legal)
                assert_int_equal(a.amount, cases[i].amount[k]);
        }
    }
}

// G25.4.
static void test_vector(void **state)
{
    (void)state;
    struct texas_holdem_rules r = usual();
    make_deck(r.deck, "As 3c 4c Ah 3d 4d");
    r.has_deck = 1;
    struct texas_holdem_state s = start(&r, 3);
    struct texas_holdem_view v;
    float x[HOLDEM_VECTOR];
    act(&s, 0, HOLDEM_FOLD, 0);
    g->view(&s, 1, &v);
    g->vector(&v, x);
    float sum = 0;
    for (int i = 0; i < 104; i++)
        sum += x[i];
    assert_true(sum == 2 && x[card("As")] == 1 && x[card("Ah")] == 1);
    assert_true(x[104] == 10000 / 30000.0f && x[105] == 0 && x[107] == 1);             // seat 0 has folded
    assert_true(x[110] == 9900 / 30000.0f && x[111] == 100 / 30000.0f && x[112] == 1); // seat 1 is active
    assert_true(x[122] == 0 && x[127] == 0);                                           // nobody beyond seat 2
    assert_true(x[158] == 1 && x[167 + 1] == 1 && x[176] == 1);
    assert_true(x[180] == 300 / 30000.0f && x[181] == 100 / 30000.0f && x[182] == 0.1f);
    g->view(&s, GAME_SPECTATOR, &v);
    g->vector(&v, x);
    for (int i = 167; i < 176; i++)
        assert_true(x[i] == 0);
    for (int i = 0; i < 104; i++)
        assert_true(x[i] == 0);
}

// G25.6.
static void test_scenarios(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int seats, chips, hands;
    } expected[] = {{"six_max", 6, 10000, 10},
                    {"heads_up", 2, 10000, 10},
                    {"full_ring", 9, 10000, 10},
                    {"short_stack", 6, 2000, 10},
                    {"single_hand", 6, 10000, 1}};
    for (int i = 0; i < 5; i++) {
        struct texas_holdem_rules r = usual();
        assert_string_equal(g->scenarios[i], expected[i].name);
        assert_int_equal(g->scenario(&r, i), expected[i].seats);
        assert_int_equal(r.starting_chips, expected[i].chips);
        assert_int_equal(r.max_hands, expected[i].hands);
    }
    assert_null(g->scenarios[5]);
}

// Antes above all stacks play hand after hand without a question; the events end in time.
static void test_hands_without_questions(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct texas_holdem_rules r = usual();
        struct texas_holdem_state s;
        struct rng key = {.key = {seed}};
        r.ante = 100000;
        r.max_hands = 100000;
        for (int i = 0; i < 9; i++)
            r.stacks[i] = 1000 + 317 * i * i;
        out.count = GAME_MAX_EVENTS - 70; // as if much had happened before
        assert_int_equal(g->init(&s, &r, 9, key, &out), OK);
        assert_int_equal(s.phase, HOLDEM_DONE);
        assert_null(g->check(&s));
        assert_int_equal(out.at[out.count - 1].kind, HOLDEM_EVENT_MATCH);
    }
}

static struct texas_holdem_rules cash_of(int32_t hands)
{
    struct texas_holdem_rules r = usual();
    r.format = HOLDEM_CASH;
    r.max_hands = hands;
    return r;
}

static int32_t sum_of(const int32_t *values, int count)
{
    int32_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

// N12.1 to N12.3: every hand with the same stacks, blinds that never double, a button that moves, nobody eliminated.
static void test_cash(void **state)
{
    (void)state;
    struct texas_holdem_rules r = cash_of(8);
    struct texas_holdem_state s = start(&r, 3);
    int32_t payoffs[GAME_MAX_SEATS], before[3] = {0};
    struct texas_holdem_view v;
    for (uint32_t hand = 1; hand <= 8; hand++) {
        assert_int_equal(s.hand, hand);
        assert_int_equal(s.button, (hand - 1) % 3);
        assert_true(s.big_blind == 200 && s.small_blind == 100);
        for (int i = 0; i < 3; i++)
            assert_int_equal(s.chips[i] + s.total[i], 10000);
        act(&s, s.button, HOLDEM_ALLIN, 0); // a whole stack changes hands, and the loser plays on
        act(&s, (s.button + 1) % 3, HOLDEM_ALLIN, 0);
        act(&s, (s.button + 2) % 3, HOLDEM_FOLD, 0);
        struct holdem_result won = result();
        const struct game_event *paid = find_event(HOLDEM_EVENT_PAID);
        g->payoffs(&s, payoffs);
        for (int i = 0; i < 3; i++)
            assert_int_equal(payoffs[i], before[i] += won.payout[i] - holdem_paid_of(paid).total[i]);
        assert_int_equal(sum_of(payoffs, 3), 0);
        g->view(&s, 1, &v);
        assert_true(v.cash && memcmp(v.net, before, sizeof before) == 0);
    }
    assert_int_equal(s.phase, HOLDEM_DONE);
    assert_int_equal(s.ending, HOLDEM_MAX_HANDS);
    struct holdem_match m = holdem_match_of(find_event(HOLDEM_EVENT_MATCH));
    assert_true(m.cash && memcmp(m.chips, before, sizeof before) == 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (m.winners & SEAT(i))
                assert_true(before[i] >= before[j]);
}

// N12.3: equal nets are a draw, though nobody has more than nothing.
static void test_cash_draw(void **state)
{
    (void)state;
    struct texas_holdem_rules r = cash_of(2);
    struct texas_holdem_state s = start(&r, 2);
    for (int hand = 0; hand < 2; hand++)
        act(&s, s.button, HOLDEM_FOLD, 0); // everyone loses the small blind once
    struct holdem_match m = holdem_match_of(find_event(HOLDEM_EVENT_MATCH));
    assert_int_equal(m.winners, 3);
    assert_int_equal(find_event(HOLDEM_EVENT_MATCH)->seat, HOLDEM_NOBODY);
}

// N12.4: who leaves keeps its net and is dealt in no more; when one is left the match is over.
static void test_cash_drop(void **state)
{
    (void)state;
    struct texas_holdem_rules r = cash_of(5);
    struct texas_holdem_state s = start(&r, 3);
    int32_t payoffs[GAME_MAX_SEATS];
    act(&s, 0, HOLDEM_RAISE, 600);
    act(&s, 1, HOLDEM_FOLD, 0);
    out.count = 0;
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {2}}, &out), OK);
    assert_int_equal(find_event(HOLDEM_EVENT_DROPPED)->amount, 0); // nothing is lost
    assert_null(g->check(&s));
    g->payoffs(&s, payoffs);
    assert_true(payoffs[0] == 300 && payoffs[1] == -100 && payoffs[2] == -200);
    assert_true(s.hand == 2 && s.dealt == 3 && s.chips[2] == 0);
    act(&s, s.actor, HOLDEM_CALL, 0);
    out.count = 0;
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {s.actor}}, &out), OK);
    assert_null(g->check(&s));
    assert_true(s.phase == HOLDEM_DONE && s.ending == HOLDEM_ELIMINATED);
    g->payoffs(&s, payoffs);
    assert_true(payoffs[2] == -200 && sum_of(payoffs, 3) == 0);
}

// N12.1: refused, and stakes that nobody changes.
static void test_cash_rules(void **state)
{
    (void)state;
    static const struct {
        int32_t chips, hands, ante;
        bool has_stacks;
        int seats, err;
    } cases[] = {
        {10000, 10, 0, false, 9, OK},
        {10000, 10, 0, true, 2, ERR_RULES}, // everyone has the same
        {200, 10, 0, false, 2, ERR_RULES},  // nothing is left behind the blind
        {250, 10, 50, false, 2, ERR_RULES}, // nor behind ante and blind
        {251, 10, 50, false, 2, OK},
        {10000, 214748, 0, false, 2, OK},        // 2^31 - 1 chips
        {10000, 214749, 0, false, 2, ERR_RULES}, // more than a payoff holds
        {10000, 214748, 0, false, 3, ERR_RULES},
    };
    struct texas_holdem_state s;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct texas_holdem_rules r = cash_of(cases[i].hands);
        r.starting_chips = cases[i].chips;
        r.ante = cases[i].ante;
        if (cases[i].has_stacks)
            r.stacks[0] = r.stacks[1] = 5000;
        assert_int_equal(g->init(&s, &r, cases[i].seats, chance, NULL), cases[i].err);
    }
    struct texas_holdem_rules r = cash_of(10), other = r;
    other.format = HOLDEM_CASH + 1;
    assert_int_equal(g->init(&s, &other, 2, chance, NULL), ERR_RULES);
    s = start(&r, 2);
    assert_int_equal(g->apply(&s, GAME_MASTER, holdem_set_blinds(100, 400), &out), ERR_ACTION);
}

// N12.5: the same cards as in a tournament, with and without listeners, resampled and imagined.
static void test_cash_cards(void **state)
{
    (void)state;
    for (int seats = 2; seats <= 6; seats += 2) {
        struct texas_holdem_rules r = cash_of(20), tournament = r;
        tournament.format = HOLDEM_TOURNAMENT;
        tournament.blinds_double_at = 0;
        struct texas_holdem_state s = start(&r, seats), t = start(&tournament, seats), silent;
        struct rng dice = {.key = {9}};
        assert_int_equal(g->init(&silent, &r, seats, chance, NULL), OK);
        while (s.phase != HOLDEM_DONE) {
            struct texas_holdem_view v, w;
            int actor = s.actor;
            g->view(&s, actor, &v);
            g->view(&t, actor, &w);
            assert_memory_equal(v.hole, w.hole, 2);
            union game_state imagined, resampled;
            struct texas_holdem_view again;
            g->imagine(&imagined, &v, &dice);
            g->view(&imagined, actor, &again);
            assert_memory_equal(&again, &v, sizeof v);
            memcpy(&resampled, &s, sizeof s);
            g->resample(&resampled, actor, &dice);
            g->view(&resampled, actor, &again);
            assert_memory_equal(&again, &v, sizeof v);
            assert_null(g->check(&resampled));
            int kind = s.current_bet > s.bet[actor] ? HOLDEM_FOLD : HOLDEM_CHECK;
            act(&s, actor, kind, 0);
            act(&t, actor, kind, 0);
            assert_int_equal(g->apply(&silent, actor, (struct game_action){.kind = (uint8_t)kind}, NULL), OK);
            assert_memory_equal(&silent, &s, sizeof s);
        }
    }
}

static void test_sizes(void **state)
{
    (void)state;
    assert_true(sizeof(struct texas_holdem_state) < 512);
    assert_true(g->entities_end < g->world_end && g->world_end < g->state_size);
    assert_true(g->rules_size <= GAME_MAX_RULES && g->view_size <= GAME_MAX_VIEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_a),
        cmocka_unit_test(test_cash),
        cmocka_unit_test(test_cash_draw),
        cmocka_unit_test(test_cash_drop),
        cmocka_unit_test(test_cash_rules),
        cmocka_unit_test(test_cash_cards),
        cmocka_unit_test(test_example_b),
        cmocka_unit_test(test_hand_change),
        cmocka_unit_test(test_all_folded_shows_nothing),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_short_blinds),
        cmocka_unit_test(test_big_blind_option),
        cmocka_unit_test(test_reopening),
        cmocka_unit_test(test_ante),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_drop_heads_up),
        cmocka_unit_test(test_drop_at_a_larger_table),
        cmocka_unit_test(test_match_results),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_rules_are_checked),
        cmocka_unit_test(test_largest_stacks),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_hands_without_questions),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
