// Two players and nobody listening, which is how searches and benchmarks play most: what hand.c and settle.c do for any
// table, written straight. Every byte comes out the same; the tests play each move both ways.
#include "games/texas_holdem/eval.h"
#include "games/texas_holdem/hand.h"

#include <string.h>

enum { BOTH = 3 };

__attribute__((noinline, cold)) static int flush_of(const uint8_t *deck, int seat)
{
    uint8_t seven[7] = {deck[seat], deck[2 + seat]};
    memcpy(seven + 2, deck + 4, 5);
    return eval7(seven);
}

static int strength_of(uint64_t shared, const uint8_t *deck, int seat)
{
    int strength = eval_of_ranks(shared + eval_card_worth[deck[seat]] + eval_card_worth[deck[2 + seat]]);
    return strength >= 0 ? strength : flush_of(deck, seat);
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

static void pay(struct texas_holdem_state *s, int32_t first, int32_t second)
{
    s->last.payout[0] = first;
    s->last.payout[1] = second;
    s->chips[0] += first;
    s->chips[1] += second;
}

static void settle_folded(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    int winner = s->live >> 1;
    last->strength[0] = last->strength[1] = 0;
    last->reason = HOLDEM_ALL_FOLDED;
    last->board_count = (uint8_t)holdem_board_count(s);
    last->winner[0] = (uint8_t)winner;
    last->winner[1] = 0;
    last->winners = 1;
    pay(s, last->pot * !winner, last->pot * winner);
}

// F6.T12: the better hand takes what both could match; the rest goes back to whoever put in more. F6.T13: two equal
// halves, so each takes back what it put in. Who wins cannot be foreseen, so it is counted with, not branched upon.
static void settle_shown(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    last->reason = HOLDEM_SHOWN_DOWN;
    last->board_count = 5;
    int better = show_down(s);
    int winner = better > 0, sign = 1 - 2 * winner;
    int32_t first = s->total[0], second = s->total[1], both = first < second ? first : second;
    int32_t won = sign * both; // by seat 0
    bool back = sign * (second - first) > 0;
    last->winner[0] = (uint8_t)winner;
    last->winner[1] = back & !winner;
    last->winners = (uint8_t)(1 + back);
    if (better == 0) {
        won = 0;
        last->winner[0] = !s->button;
        last->winner[1] = s->button;
        last->winners = 2;
    }
    pay(s, first + won, second - won);
}

static void settle(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    last->pot = s->total[0] + s->total[1];
    last->number = s->hand;
    last->dealt = s->dealt;
    last->live = s->live;
    last->button = s->button;
    if (holdem_is_one(s->live))
        settle_folded(s);
    else
        settle_shown(s);
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

// F6.T16. One question: which of the two is broke cannot be foreseen.
static bool is_last_hand(const struct texas_holdem_state *s)
{
    return (s->chips[0] == 0) | (s->chips[1] == 0) | (s->hand == s->hands_total);
}

static void finish_match(struct texas_holdem_state *s)
{
    seat_set rich = (seat_set)((s->chips[0] > 0) | (s->chips[1] > 0) << 1);
    clear_bets(s);
    s->live &= rich;
    s->able = s->live;
    s->dealt = rich;
    s->pending = 0;
    s->actor = HOLDEM_NOBODY;
    s->phase = HOLDEM_DONE;
    s->ending = rich == BOTH ? HOLDEM_MAX_HANDS : HOLDEM_ELIMINATED;
}

static void finish_hands(struct texas_holdem_state *s)
{
    do {
        settle(s);
        if (is_last_hand(s)) {
            finish_match(s);
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
