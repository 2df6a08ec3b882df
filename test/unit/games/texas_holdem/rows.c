// Rows of Hold'em against what the events and the view tell, element by element through their names (V31, V34); tokens
// of a hand (V80). That rows of vector 1 are those of the view, and that nothing hidden shows, is in
// property.conformance.
#include "games/texas_holdem/rules/texas_holdem.h"

#include "named_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { STREETS = 4, KINDS = 5, HABITS = 4 };
enum { PAID, RAISED, RAISED_LATER, SHOWED };

static const struct game *const g = &texas_holdem_game;
static const char *const streets[] = {"preflop", "flop", "turn", "river"};
static const char *const kinds[] = {"fold", "check", "call", "raise", "all_in"};
static const char *const habits[] = {"paid", "raised", "raised_later", "showed"};
static const char *const statuses[] = {"active", "folded", "all_in", "busted"};

// What somebody who hears every event knows, of the running hand unless it says otherwise.
struct listener {
    int32_t put[STREETS][HOLDEM_SEATS], total[HOLDEM_SEATS], top;
    int street;
    int raises[STREETS], aggressor[STREETS]; // or -1
    int did[HOLDEM_SEATS];                   // 0: nothing
    bool has[HOLDEM_SEATS][HABITS];
    int habit[HOLDEM_SEATS][HABITS]; // of the match
    int hands;                       // of the match
};

static void forget_hand(struct listener *l)
{
    memset(l->put, 0, sizeof l->put);
    memset(l->total, 0, sizeof l->total);
    memset(l->raises, 0, sizeof l->raises);
    memset(l->did, 0, sizeof l->did);
    memset(l->has, 0, sizeof l->has);
    for (int i = 0; i < STREETS; i++)
        l->aggressor[i] = -1;
    l->street = 0;
}

static void hear_new_hand(struct listener *l, const struct game_event *e, int32_t ante)
{
    struct holdem_new_hand hand = holdem_new_hand_of(e);
    forget_hand(l);
    l->hands++;
    l->top = hand.big_blind;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        l->total[i] = hand.chips[i] < ante ? hand.chips[i] : ante;
}

static void note_habit(struct listener *l, int seat, int habit)
{
    l->habit[seat][habit] += !l->has[seat][habit];
    l->has[seat][habit] = true;
}

static void hear_action(struct listener *l, int seat, struct holdem_played played)
{
    l->put[l->street][seat] += played.total_bet - l->total[seat];
    l->total[seat] = played.total_bet;
    if (played.action > HOLDEM_ALLIN)
        return; // a blind
    l->did[seat] = played.action;
    if (played.action >= HOLDEM_CALL && l->street == 0)
        note_habit(l, seat, PAID);
    if (l->put[l->street][seat] <= l->top)
        return;
    l->top = l->put[l->street][seat];
    l->raises[l->street]++;
    l->aggressor[l->street] = seat;
    note_habit(l, seat, l->street ? RAISED_LATER : RAISED);
}

static void hear(struct listener *l, const struct game_events *happened, int32_t ante)
{
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == HOLDEM_EVENT_NEW_HAND)
            hear_new_hand(l, e, ante);
        if (e->kind == HOLDEM_EVENT_ACTION)
            hear_action(l, e->seat, holdem_played_of(e));
        if (e->kind == HOLDEM_EVENT_COMMUNITY)
            l->street++, l->top = 0;
        if (e->kind == HOLDEM_EVENT_DROPPED)
            l->did[e->seat] = HOLDEM_FOLD;
        for (int k = 0; e->kind == HOLDEM_EVENT_HANDS && k < HOLDEM_SEATS; k++)
            l->habit[k][SHOWED] += holdem_hands_of(e).live >> k & 1;
        if (e->kind == HOLDEM_EVENT_MATCH)
            forget_hand(l);
    }
}

static bool is_in(const uint8_t *list, int count, int card)
{
    return count && memchr(list, card, (size_t)count);
}

static void put_table(struct named_row *r, const struct texas_holdem_view *v)
{
    double all = v->all_chips;
    for (int c = 0; c < CARDS_IN_DECK; c++) {
        char name[] = {"23456789TJQKA"[c / 4], "cdhs"[c % 4], 0};
        named_row_put(r, is_in(v->hole, 2, c), "hole.%s", name);
        named_row_put(r, is_in(v->board, v->board_count, c), "board.%s", name);
    }
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        named_row_put(r, v->chips[i] / all, "seat.%d.chips", i);
        named_row_put(r, v->bet[i] / all, "seat.%d.bet", i);
        for (int k = 0; k < 4; k++)
            named_row_put(r, i < v->seats && v->status[i] == k, "seat.%d.%s", i, statuses[k]);
        named_row_put(r, v->button == i, "button.%d", i);
        named_row_put(r, v->viewer == i, "own.%d", i);
    }
    named_row_put(r, v->pot / all, "pot");
    named_row_put(r, v->to_call / all, "to_call");
    named_row_put(r, (double)v->hand / v->hands_total, "progress");
}

static double share(double part, double whole)
{
    return part < whole ? part / whole : 1;
}

static void put_history(struct named_row *r, const struct texas_holdem_view *v, const struct listener *l)
{
    double all = v->all_chips;
    for (int k = 0; k < STREETS; k++) {
        named_row_put(r, v->phase == k, "phase.%s", streets[k]);
        named_row_put(r, share(l->raises[k], 4), "raises.%s", streets[k]);
        for (int i = 0; i < HOLDEM_SEATS; i++) {
            named_row_put(r, l->put[k][i] / all, "put.%s.%d", streets[k], i);
            named_row_put(r, l->aggressor[k] == i, "aggressor.%s.%d", streets[k], i);
        }
    }
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        for (int k = 0; k < KINDS; k++)
            named_row_put(r, l->did[i] == k + 1, "did.%d.%s", i, kinds[k]);
        for (int k = 0; k < HABITS; k++)
            named_row_put(r, v->status[i] == HOLDEM_BUSTED ? 0 : (double)l->habit[i][k] / l->hands, "habit.%d.%s", i,
                          habits[k]);
    }
    named_row_put(r, share(v->small_blind, all), "small_blind");
    named_row_put(r, share(v->big_blind, all), "big_blind");
    named_row_put(r, share(v->ante, all), "ante");
    named_row_put(r, share(v->current_bet, all), "current_bet");
    named_row_put(r, v->min_raise_to / all, "min_raise");
    named_row_put(r, v->max_raise_to / all, "max_raise");
}

static void compare_rows(const struct texas_holdem_state *s, const void *history, const struct listener *l)
{
    static struct named_row wanted;
    float row[GAME_MAX_VECTOR];
    for (int i = 0; i <= s->seats; i++) {
        int viewer = i < s->seats ? i : GAME_SPECTATOR;
        struct texas_holdem_view v;
        g->view(s, viewer, &v);
        named_row_begin(&wanted, g);
        put_table(&wanted, &v);
        put_history(&wanted, &v, l);
        game_observe(g, s, history, viewer, 2, GAME_F32, row);
        assert_true(named_row_matches(&wanted, row));
    }
}

// All-in often enough, and now and then a seat that leaves.
static struct game_action pick_random(const struct texas_holdem_state *s, struct rng_draw *dice, int *seat)
{
    struct game_choice list[GAME_MAX_CHOICES];
    *seat = s->actor;
    if (rng_draw_below(dice, 60) == 0) {
        *seat = GAME_MASTER;
        return (struct game_action){.kind = GAME_DROP, .arg = {s->actor}};
    }
    struct game_choice c = list[rng_draw_below(dice, (uint32_t)g->choices(s, s->actor, list))];
    if (c.max_amount > c.first.amount && rng_draw_below(dice, 2)) // mostly small raises, so that hands go on
        c.first.amount += (int32_t)rng_draw_below(dice, (uint32_t)(c.max_amount - c.first.amount + 1));
    return c.first;
}

static void play_match(const struct texas_holdem_rules *rules, int seats, uint32_t seed, bool *chained)
{
    static struct game_events happened;
    struct texas_holdem_state s;
    union game_history history;
    struct listener l = {0};
    struct rng chance = {.key = {seed, 8}}, picks = {.key = {seed, 9}};
    struct rng_draw dice;
    rng_begin(&dice, &picks);
    happened.count = 0;
    assert_int_equal(game_init_kept(g, &s, &history, rules, seats, chance, &happened, NULL), OK);
    hear(&l, &happened, rules->ante);
    while (s.phase != HOLDEM_DONE) {
        int seat;
        uint32_t hand = s.hand;
        compare_rows(&s, &history, &l);
        happened.count = 0;
        struct game_action a = pick_random(&s, &dice, &seat);
        assert_int_equal(game_apply_kept(g, &s, &history, seat, a, &happened, NULL), OK);
        hear(&l, &happened, rules->ante);
        *chained |= s.hand > hand + 1;
    }
    compare_rows(&s, &history, &l);
}

static void rows_are_what_the_events_told(void **unused) // V31, V34
{
    (void)unused;
    enum { MATCHES = 8 };
    static const struct {
        int32_t chips, ante, hands, option;
    } tables[] = {{10000, 0, 10, 1}, {2000, 50, 20, 1}, {300, 0, 40, 1}, {500, 90, 40, 0}};
    bool chained = false;
    for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int seats = 2; seats <= HOLDEM_SEATS; seats++)
            for (uint32_t seed = 0; seed < MATCHES; seed++) {
                struct texas_holdem_rules rules;
                g->defaults(&rules);
                rules.starting_chips = tables[t].chips;
                rules.ante = tables[t].ante;
                rules.max_hands = tables[t].hands;
                rules.big_blind_option = (uint8_t)tables[t].option;
                play_match(&rules, seats, seed, &chained);
            }
    assert_true(chained); // hands that ask nobody were among them
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------
struct line {
    struct game_tokens tokens;
    struct texas_holdem_state s;
    union game_history history;
};

static void start(struct line *l, int seats)
{
    struct texas_holdem_rules rules;
    g->defaults(&rules);
    l->tokens.count = 0;
    assert_int_equal(game_init_kept(g, &l->s, &l->history, &rules, seats, (struct rng){.key = {4}}, NULL, &l->tokens),
                     OK);
}

static void play(struct line *l, int kind, int32_t amount)
{
    struct game_action a = {.kind = (uint8_t)kind, .amount = amount};
    assert_int_equal(game_apply_kept(g, &l->s, &l->history, l->s.actor, a, NULL, &l->tokens), OK);
}

static void assert_tokens(const struct line *l, int seats, int viewer, const int16_t (*wanted)[4], uint32_t count)
{
    assert_int_equal(l->tokens.count, count);
    for (uint32_t i = 0; i < count; i++) {
        int16_t read[4];
        game_write_token(g, &l->tokens.at[i], seats, viewer, read);
        for (int k = 0; k < 4; k++)
            if (wanted[i][k] >= 0) // what the cards decide is not wanted
                assert_int_equal(read[k], wanted[i][k]);
    }
}

enum { HAND = 1, FOLD, CHECK, CALL, RAISE, ALL_IN, BOARD, SHOWN, WON, DROPPED };

static void a_hand_is_told_in_tokens(void **unused) // V80
{
    (void)unused;
    static struct line l;
    start(&l, 3); // seat 0 is the button and speaks first; the blinds are 100 and 200
    play(&l, HOLDEM_RAISE, 600);
    play(&l, HOLDEM_CALL, 0);
    play(&l, HOLDEM_FOLD, 0);
    play(&l, HOLDEM_CHECK, 0);
    play(&l, HOLDEM_ALLIN, 0);
    play(&l, HOLDEM_FOLD, 0);
    static const int16_t by_seat_1[][4] = {
        {HAND, 0, 1, 3},   {RAISE, 3, 16, 0}, {CALL, 1, 4, 0},    {FOLD, 2, 0, 0}, {BOARD, 0, -1, 1}, {BOARD, 0, -1, 1},
        {BOARD, 0, -1, 1}, {CHECK, 1, 0, 0},  {ALL_IN, 3, 53, 1}, {FOLD, 1, 0, 0}, {WON, 3, 64, 0},   {HAND, 0, 2, 1},
    };
    assert_tokens(&l, 3, 1, by_seat_1, sizeof by_seat_1 / sizeof *by_seat_1);
    struct holdem_last last;
    struct texas_holdem_view v;
    g->view(&l.s, GAME_SPECTATOR, &v);
    last = v.last;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(l.tokens.at[4 + i].arg[0], last.board[i] + 1);
}

static void a_showdown_shows_before_it_pays(void **unused) // V80, V81
{
    (void)unused;
    static struct line l;
    start(&l, 2);
    play(&l, HOLDEM_ALLIN, 0);
    play(&l, HOLDEM_CALL, 0);
    assert_int_equal(l.s.phase, HOLDEM_DONE);
    static const int16_t seen[][4] = {
        {HAND, 0, 1, 1},    {ALL_IN, 1, 127, 0}, {CALL, 2, 7, 0},   {BOARD, 0, -1, 1},
        {BOARD, 0, -1, 1},  {BOARD, 0, -1, 1},   {BOARD, 0, -1, 2}, {BOARD, 0, -1, 3},
        {SHOWN, 1, -1, -1}, {SHOWN, 2, -1, -1},  {WON, -1, 64, 0},
    };
    assert_tokens(&l, 2, GAME_SPECTATOR, seen, sizeof seen / sizeof *seen);
}

static void a_seat_that_leaves_is_told(void **unused) // V80
{
    (void)unused;
    static struct line l;
    start(&l, 2);
    struct game_action drop = {.kind = GAME_DROP, .arg = {l.s.actor}};
    assert_int_equal(game_apply_kept(g, &l.s, &l.history, GAME_MASTER, drop, NULL, &l.tokens), OK);
    static const int16_t seen[][4] = {{HAND, 0, 1, 1}, {DROPPED, 1, 0, 0}, {WON, 2, 64, 0}};
    assert_tokens(&l, 2, 0, seen, sizeof seen / sizeof *seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_the_events_told),
        cmocka_unit_test(a_hand_is_told_in_tokens),
        cmocka_unit_test(a_showdown_shows_before_it_pays),
        cmocka_unit_test(a_seat_that_leaves_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
