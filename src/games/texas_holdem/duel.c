// Two players and nobody listening, which is how searches and benchmarks play most: what hand.c and settle.c do for any
// table, written straight. Every byte comes out the same; the tests play each move both ways.
#include "games/texas_holdem/eval.h"
#include "games/texas_holdem/hand.h"

#include <string.h>

enum { BOTH = 3 };

static int strength_of(uint64_t shared, const uint8_t *deck, int seat)
{
    uint8_t seven[7] = {deck[seat], deck[2 + seat]};
    int strength = eval_of_ranks(eval_add(shared, seven, 2));
    if (strength >= 0)
        return strength;
    memcpy(seven + 2, deck + 4, 5);
    return eval7(seven);
}

// F6.T4: the first card goes to the left of the button. By how much the hand of seat 1 is the better one.
static int show_down(struct texas_holdem_state *s)
{
    uint8_t deck[16];
    holdem_draw_two(s, deck);
    uint64_t shared = eval_add(0, deck + 4, 5);
    int first = strength_of(shared, deck, 0), second = strength_of(shared, deck, 1);
    bool button = s->button;
    s->last.strength[!button] = (uint16_t)first;
    s->last.strength[button] = (uint16_t)second;
    return button ? second - first : first - second;
}

static void pay(struct texas_holdem_state *s, int seat, int32_t amount)
{
    s->last.payout[seat] = amount;
    s->chips[seat] += amount;
}

static void pay_one(struct texas_holdem_state *s, int winner)
{
    struct holdem_last *last = &s->last;
    pay(s, winner, last->pot);
    pay(s, !winner, 0);
    last->winner[0] = (uint8_t)winner;
    last->winner[1] = 0;
    last->winners = 1;
}

// F6.T12: the better hand takes what both could match; the rest goes back to whoever put in more.
static void pay_better(struct texas_holdem_state *s, int better)
{
    struct holdem_last *last = &s->last;
    int32_t mine = s->total[better], other = s->total[!better];
    int32_t back = other > mine ? other - mine : 0;
    pay(s, better, last->pot - back);
    pay(s, !better, back);
    last->winner[0] = (uint8_t)better;
    last->winner[1] = (uint8_t)(back > 0 && !better);
    last->winners = (uint8_t)(1 + (back > 0));
}

// F6.T13: both halves are equal, so each takes back what it put in.
static void pay_both(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    for (int i = 0; i < 2; i++)
        pay(s, i, s->total[i]);
    last->winner[0] = !s->button;
    last->winner[1] = s->button;
    last->winners = 2;
}

static void settle(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    last->pot = s->total[0] + s->total[1];
    last->number = s->hand;
    last->dealt = s->dealt;
    last->live = s->live;
    last->button = s->button;
    if (holdem_is_one(s->live)) {
        last->strength[0] = last->strength[1] = 0;
        last->reason = HOLDEM_ALL_FOLDED;
        last->board_count = (uint8_t)holdem_board_count(s);
        pay_one(s, s->live >> 1);
        return;
    }
    last->reason = HOLDEM_SHOWN_DOWN;
    last->board_count = 5;
    int better = show_down(s);
    if (better == 0)
        pay_both(s);
    else
        pay_better(s, better > 0);
}

static void clear_bets(struct texas_holdem_state *s)
{
    s->bet[0] = s->bet[1] = s->total[0] = s->total[1] = s->current_bet = 0;
}

static void post_blind(struct texas_holdem_state *s, int seat, int32_t blind)
{
    int32_t amount = s->chips[seat] < blind ? s->chips[seat] : blind;
    s->chips[seat] -= amount;
    s->bet[seat] = s->total[seat] = amount;
}

// True when somebody is asked.
static bool start_hand(struct texas_holdem_state *s)
{
    if (s->hand + 1 == s->double_at || s->level_due || s->ante) {
        clear_bets(s);
        return holdem_find_actor(s, holdem_start_hand(s, NULL));
    }
    int small = s->button, big = !small; // F6.T2
    s->hand++;
    s->phase = HOLDEM_PREFLOP;
    s->live = BOTH;
    post_blind(s, small, s->small_blind);
    post_blind(s, big, s->big_blind);
    s->current_bet = s->last_raise = s->big_blind;
    s->short_all_in = 0;
    s->able = (seat_set)((s->chips[0] > 0) | (s->chips[1] > 0) << 1);
    s->pending = (seat_set)(s->able & (s->big_blind_option ? BOTH : 1 << small));
    if (__builtin_expect(s->able != BOTH, 0))
        return holdem_find_actor(s, big);
    s->actor = (uint8_t)small;
    return true;
}

static void finish_hands(struct texas_holdem_state *s)
{
    do {
        settle(s);
        if (s->chips[0] == 0 || s->chips[1] == 0 || s->hand == s->hands_total) {
            clear_bets(s);
            holdem_finish_match(s, NULL);
            return;
        }
        s->button ^= 1;
    } while (!start_hand(s));
}

void holdem_duel_start(struct texas_holdem_state *s)
{
    if (!start_hand(s))
        finish_hands(s);
}

void holdem_duel_on(struct texas_holdem_state *s)
{
    if (s->able != BOTH || s->phase == HOLDEM_RIVER) {
        finish_hands(s);
        return;
    }
    s->phase++;
    holdem_begin_round(s);
    s->actor = !s->button;
}
