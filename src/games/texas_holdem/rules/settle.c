#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/hand.h"

#include <string.h>

// Winners in the order in which they are found, each once.
static void add_winner(struct holdem_last *last, int seat, int32_t amount)
{
    if (last->payout[seat] == 0)
        last->winner[last->winners++] = (uint8_t)seat;
    last->payout[seat] += amount;
}

// F6.T13: split evenly; odd chips one by one clockwise from left of the button.
static void pay_pot(struct texas_holdem_state *s, seat_set winners, int32_t pot)
{
    struct holdem_last *last = &s->last;
    int seat = s->button;
    if (holdem_is_one(winners)) {
        add_winner(last, __builtin_ctz(winners), pot);
        return;
    }
    int count = __builtin_popcount(winners);
    int32_t share = pot / count, odd = pot % count;
    for (int i = 0; i < count; i++) {
        seat = game_next_seat(winners, seat);
        add_winner(last, seat, share + (i < odd));
    }
}

static seat_set best_hands(const struct holdem_last *last, seat_set eligible)
{
    unsigned best = 0;
    int most = 0;
    for (unsigned rest = eligible; rest; rest &= rest - 1) {
        int strength = last->strength[__builtin_ctz(rest)];
        most = strength > most ? strength : most;
    }
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        best |= (unsigned)(last->strength[__builtin_ctz(rest)] == most) << __builtin_ctz(rest);
    return (seat_set)best;
}

// What everybody put in up to a level, the folded too.
static int32_t sum_below(const struct texas_holdem_state *s, int32_t level)
{
    int32_t sum = 0;
    for (unsigned rest = s->dealt; rest; rest &= rest - 1) {
        int32_t total = s->total[__builtin_ctz(rest)];
        sum += total < level ? total : level;
    }
    return sum;
}

// F6.T12: level by level of what the live put in. What lies above the highest level joins the last pot.
static void pay_pots(struct texas_holdem_state *s, int32_t pot)
{
    int32_t paid = 0;
    for (seat_set eligible = s->live; eligible;) {
        seat_set above;
        int32_t level = holdem_pot_level(s->total, eligible, &above), sum = above ? sum_below(s, level) : pot;
        if (sum > paid)
            pay_pot(s, best_hands(&s->last, eligible), sum - paid);
        paid = sum;
        eligible = above;
    }
}

static void show_down(struct texas_holdem_state *s)
{
    struct holdem_cards cards = holdem_cards_of(s);
    for (unsigned rest = s->live; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        uint8_t seven[7];
        memcpy(seven, cards.board, 5);
        memcpy(seven + 5, cards.hole[seat], 2);
        s->last.strength[seat] = (uint16_t)eval7(seven);
    }
}

// F6.T14: shown hands are public, others go to their owners. A dropped seat still learns what it had.
static void emit_hands(const struct holdem_last *last, struct game_events *out)
{
    bool shown = last->reason == HOLDEM_SHOWN_DOWN;
    struct game_event *e;
    if (shown && (e = game_emit_part(out, HOLDEM_EVENT_HANDS, HOLDEM_NOBODY, EVERYONE))) {
        struct holdem_hands hands = {.dealt = last->dealt, .live = last->live};
        memcpy(hands.strength, last->strength, sizeof hands.strength);
        memset(hands.cards, CARD_NONE, sizeof hands.cards);
        for (unsigned rest = last->live; rest; rest &= rest - 1)
            memcpy(hands.cards[__builtin_ctz(rest)], last->cards[__builtin_ctz(rest)], 2);
        memcpy(e->data, &hands, sizeof hands);
    }
    for (unsigned rest = shown ? last->dealt & ~last->live : last->dealt; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        if (!(e = game_emit_part(out, HOLDEM_EVENT_OWN, seat, SEAT(seat))))
            return;
        struct holdem_own own = {.folded = !(last->live & SEAT(seat))};
        memcpy(own.cards, last->cards[seat], 2);
        memcpy(e->data, &own, sizeof own);
    }
}

static void emit_result(const struct texas_holdem_state *s, struct game_events *out)
{
    const struct holdem_last *last = &s->last;
    struct game_event *e = game_emit(out, HOLDEM_EVENT_RESULT, HOLDEM_NOBODY, EVERYONE);
    if (!e)
        return;
    struct holdem_result result = {.hand = s->hand, .winners = last->winners, .reason = last->reason};
    memcpy(result.payout, last->payout, sizeof result.payout);
    memcpy(result.winner, last->winner, sizeof result.winner);
    e->amount = last->pot;
    memcpy(e->data, &result, sizeof result);
    if ((e = game_emit_part(out, HOLDEM_EVENT_PAID, HOLDEM_NOBODY, EVERYONE)))
        memcpy(e->data, s->total, sizeof s->total);
    struct texas_holdem_state full = *s; // listening changes nothing: not even what is drawn
    holdem_draw_last(&full);
    emit_hands(&full.last, out);
}

// The cards of a hand that can be drawn again are not kept.
static void keep_cards(struct texas_holdem_state *s)
{
    struct holdem_last *last = &s->last;
    memcpy(last->cards, s->hole, sizeof last->cards);
    memset(last->board, s->drawn ? CARD_NONE : 0, sizeof last->board);
    if (s->drawn)
        memcpy(last->board, s->runout, last->board_count);
    last->drawn = s->drawn;
}

static void begin_result(struct texas_holdem_state *s, bool folded)
{
    struct holdem_last *last = &s->last;
    memset(last->payout, 0, sizeof last->payout);
    memset(last->strength, 0, sizeof last->strength);
    memset(last->winner, 0, sizeof last->winner);
    last->pot = holdem_pot(s);
    last->number = s->hand;
    last->dealt = s->dealt;
    last->live = s->live;
    last->winners = 0;
    last->board_count = (uint8_t)holdem_board_count(s);
    last->reason = folded ? HOLDEM_ALL_FOLDED : HOLDEM_SHOWN_DOWN;
    last->button = s->button;
    if (s->drawn | last->drawn)
        keep_cards(s);
}

void holdem_settle(struct texas_holdem_state *s, struct game_events *out)
{
    bool folded = holdem_is_one(s->live);
    begin_result(s, folded);
    if (folded) {
        pay_pot(s, s->live, s->last.pot);
    } else {
        show_down(s);
        pay_pots(s, s->last.pot);
    }
    emit_result(s, out);
    for (unsigned rest = s->dealt; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        s->chips[seat] += s->last.payout[seat];
        if (s->cash)
            s->net[seat] += s->last.payout[seat] - s->total[seat];
    }
    memset(s->bet, 0, sizeof s->bet);
    memset(s->total, 0, sizeof s->total);
    s->current_bet = 0;
}
