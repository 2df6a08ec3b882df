// A fast path for two players without events, which is how searches and benchmarks mostly play: does what hand.c and
// settle.c do for any table. Every byte of the state comes out the same; the tests play each move both ways.
#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/hand.h"

#include <string.h>

enum { BOTH = 3 };

static unsigned card_of(struct holdem_nine nine, int at)
{
    return at == 8 ? (unsigned)nine.ninth : (uint8_t)(nine.eight >> 8 * at);
}

// Of the one who was dealt to first, 0, or second, 1: that card, the next but one and the board.
__attribute__((noinline, cold)) static int flush_of(struct holdem_nine nine, int who)
{
    uint8_t seven[7] = {(uint8_t)card_of(nine, who), (uint8_t)card_of(nine, 2 + who)};
    for (int i = 2; i < 7; i++)
        seven[i] = (uint8_t)card_of(nine, 2 + i);
    return eval7(seven);
}

static int strength_of(uint64_t board, struct holdem_nine nine, int who)
{
    uint64_t own = eval_card_worth[card_of(nine, who)] + eval_card_worth[card_of(nine, 2 + who)];
    int strength = eval_of_ranks(board + own);
    return strength >= 0 ? strength : flush_of(nine, who);
}

// F6.T4: the first card goes to the left of the button. By how much the hand of seat 1 is the better one.
static int show_down(struct texas_holdem_state *s)
{
    struct holdem_nine nine = holdem_draw_two(s);
    uint64_t board = 0;
    for (int i = 4; i < 9; i++)
        board += eval_card_worth[card_of(nine, i)];
    int first = strength_of(board, nine, 0), second = strength_of(board, nine, 1);
    bool button = s->button;
    s->last.strength[!button] = (uint16_t)first;
    s->last.strength[button] = (uint16_t)second;
    return button ? second - first : first - second;
}

static void pay_seats(struct texas_holdem_state *s, int32_t first, int32_t second)
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
    pay_seats(s, last->pot * !winner, last->pot * winner);
}

// F6.T12: the better hand takes what both could match; the rest goes back to the seat that put in more. F6.T13: two
// equal halves, so each takes back what it put in. Who wins cannot be foreseen, so it is counted with, not branched
// upon.
static void settle_shown(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    last->reason = HOLDEM_SHOWN_DOWN;
    last->board_count = 5;
    int32_t first = s->total[0], second = s->total[1], both = first < second ? first : second;
    int better = show_down(s);
    int32_t winner = better > 0, sign = -winner; // a mask, by which seat 1's gains are seat 0's losses
    int32_t won = (both ^ sign) - sign;          // by seat 0
    int32_t back = ((second - first) ^ sign) - sign > 0;
    last->winner[0] = (uint8_t)winner;
    last->winner[1] = (uint8_t)(back & ~winner);
    last->winners = (uint8_t)(1 + back);
    if (better == 0) {
        won = 0;
        last->winner[0] = !s->button;
        last->winner[1] = s->button;
        last->winners = 2;
    }
    pay_seats(s, first + won, second - won);
}

static void settle_hand(struct texas_holdem_state *s)
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

// True if a seat is asked.
static bool start_hand(struct texas_holdem_state *s)
{
    if (s->hand + 1 == s->double_at || s->level_due || s->ante) {
        clear_bets(s);
        return holdem_find_actor(s, holdem_start_hand(s, NULL));
    }
    int small = s->button, big = !small; // F6.T2
    holdem_count_hand(s);
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

__attribute__((noinline)) static int finish_hands(struct texas_holdem_state *s)
{
    do {
        settle_hand(s);
        if (is_last_hand(s)) {
            finish_match(s);
            return OK;
        }
        s->button ^= 1;
    } while (!start_hand(s));
    return OK;
}

void holdem_heads_up_start(struct texas_holdem_state *s)
{
    if (!start_hand(s))
        finish_hands(s);
}

int holdem_heads_up_play_on(struct texas_holdem_state *s)
{
    if (s->able != BOTH || s->phase == HOLDEM_RIVER)
        return finish_hands(s);
    s->phase++;
    s->bet[0] = s->bet[1] = s->current_bet = 0;
    s->last_raise = s->big_blind;
    s->short_all_in = 0;
    s->pending = BOTH;
    s->actor = !s->button;
    return OK;
}

// Puts chips in until the bet is `to`, of at most `max`.
static void bet_to(struct texas_holdem_state *s, int seat, int32_t to, int32_t max)
{
    s->total[seat] += to - s->bet[seat];
    s->bet[seat] = to;
    s->chips[seat] = max - to;
    s->able &= (seat_set) ~((unsigned)(to == max) << seat);
    s->question++;
}

static int ask_other(struct texas_holdem_state *s, int seat)
{
    s->actor = (uint8_t)(seat ^ 1);
    return OK;
}

// F6.T9: the other one must act again, with chips to do it with. After a short all-in both must only match.
__attribute__((noinline)) static int raise_to(struct texas_holdem_state *s, int seat, int32_t to, int32_t max)
{
    int32_t more = to - s->current_bet;
    bet_to(s, seat, to, max);
    s->pending = s->able & (seat_set)(2 >> seat);
    s->short_all_in = more < s->last_raise;
    s->last_raise = more < s->last_raise ? s->last_raise : more;
    s->current_bet = to;
    return s->pending ? ask_other(s, seat) : holdem_heads_up_play_on(s);
}

// F6.T10. A check is a call of nothing.
static int match_bet(struct texas_holdem_state *s, int seat, int32_t max)
{
    bet_to(s, seat, s->current_bet < max ? s->current_bet : max, max);
    s->pending &= (seat_set)(2 >> seat);
    if (!s->pending || (s->able != BOTH && !holdem_find_actor(s, seat)))
        return holdem_heads_up_play_on(s);
    return ask_other(s, seat);
}

static int play_fold(struct texas_holdem_state *s, int seat)
{
    seat_set other = (seat_set)(2 >> seat);
    s->live &= other;
    s->able &= other;
    s->pending &= other;
    s->question++;
    return finish_hands(s);
}

// F6.T7, F6.T8. Which choice comes cannot be foreseen, so it is asked about no more than the course of the hand needs:
// fold, or the other's turn, or neither.
__attribute__((noinline)) int holdem_heads_up_step(struct texas_holdem_state *s, int seat, uint64_t action)
{
    uint32_t kind = (uint32_t)action; // with args it is none
    int32_t amount = (int32_t)(action >> 32), bet = s->bet[seat], max = bet + s->chips[seat];
    bool behind = s->current_bet > bet;
    if (kind == HOLDEM_FOLD)
        return behind && amount == 0 ? play_fold(s, seat) : ERR_ACTION;
    if (max <= s->current_bet) {
        bool may = (kind == HOLDEM_CALL) | ((kind == HOLDEM_ALLIN) & (amount == 0));
        return may ? match_bet(s, seat, max) : ERR_ACTION;
    }
    if (kind < HOLDEM_RAISE) {
        if (kind != (uint32_t)HOLDEM_CHECK + behind || (!behind && amount))
            return ERR_ACTION;
        return match_bet(s, seat, max);
    }
    int32_t raise = -(kind == HOLDEM_RAISE); // a mask
    int32_t least = (s->current_bet + s->last_raise) & raise, most = max & raise;
    if (kind > HOLDEM_ALLIN || amount < least || amount > most || (raise & s->short_all_in))
        return ERR_ACTION;
    return raise_to(s, seat, max + ((amount - max) & raise), max);
}
_Static_assert(HOLDEM_CALL == HOLDEM_CHECK + 1, "who is behind calls where others check");
