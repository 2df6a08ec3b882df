#include "games/texas_holdem/eval.h"
#include "games/texas_holdem/hand.h"

#include <string.h>

static void add_winner(struct holdem_last *last, int seat)
{
    for (int i = 0; i < last->winners; i++)
        if (last->winner[i] == seat)
            return;
    last->winner[last->winners++] = (uint8_t)seat;
}

// F6.T13: split evenly; odd chips one by one clockwise from left of the button.
static void pay_pot(struct texas_holdem_state *s, seat_set winners, int32_t pot)
{
    struct holdem_last *last = &s->last;
    int count = __builtin_popcount(winners), seat = s->button;
    int32_t share = pot / count, odd = pot % count;
    for (int i = 0; i < count; i++) {
        seat = game_next_seat(winners, seat);
        last->payout[seat] += share + (i < odd);
        add_winner(last, seat);
    }
}

static seat_set best_hands(const struct holdem_last *last, seat_set eligible)
{
    seat_set best = 0;
    int most = -1;
    for (unsigned rest = eligible; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        if (last->strength[seat] > most)
            most = last->strength[seat], best = 0;
        if (last->strength[seat] == most)
            best |= SEAT(seat);
    }
    return best;
}

// What everybody put in up to a level, the folded too.
static int32_t sum_below(const struct texas_holdem_state *s, int32_t level)
{
    int32_t sum = 0;
    for (int i = 0; i < s->seats; i++)
        sum += s->total[i] < level ? s->total[i] : level;
    return sum;
}

// F6.T12: level by level of what the live put in. What lies above the highest level joins the last pot.
static void pay_pots(struct texas_holdem_state *s, int32_t pot)
{
    int32_t paid = 0;
    for (seat_set eligible = s->live; eligible;) {
        int32_t level = INT32_MAX;
        for (unsigned rest = eligible; rest; rest &= rest - 1)
            if (s->total[__builtin_ctz(rest)] < level)
                level = s->total[__builtin_ctz(rest)];
        seat_set above = 0;
        for (unsigned rest = eligible; rest; rest &= rest - 1)
            if (s->total[__builtin_ctz(rest)] > level)
                above |= SEAT(__builtin_ctz(rest));
        int32_t sum = above ? sum_below(s, level) : pot;
        if (sum > paid)
            pay_pot(s, best_hands(&s->last, eligible), sum - paid);
        paid = sum;
        eligible = above;
    }
}

static void show_down(struct texas_holdem_state *s)
{
    uint8_t cards[7];
    memcpy(cards, s->board, 5);
    for (unsigned rest = s->live; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        memcpy(cards + 5, s->hole[seat], 2);
        s->last.strength[seat] = (uint16_t)eval7(cards);
    }
}

// F6.T14: shown hands are public, others go to their owners. A dropped seat still learns what it had.
static void emit_hands(const struct texas_holdem_state *s, struct game_events *out)
{
    const struct holdem_last *last = &s->last;
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
    e = game_emit_part(out, HOLDEM_EVENT_PAID, HOLDEM_NOBODY, EVERYONE);
    memcpy(e->data, s->total, sizeof s->total);
    emit_hands(s, out);
}

void holdem_settle(struct texas_holdem_state *s, struct game_events *out)
{
    struct holdem_last *last = &s->last;
    int32_t pot = holdem_pot(s);
    bool folded = holdem_is_one(s->live);
    *last = (struct holdem_last){.pot = pot,
                                 .number = s->hand,
                                 .dealt = s->dealt,
                                 .live = s->live,
                                 .board_count = s->board_count,
                                 .reason = folded ? HOLDEM_ALL_FOLDED : HOLDEM_SHOWN_DOWN};
    memcpy(last->cards, s->hole, sizeof last->cards);
    memcpy(last->board, s->board, sizeof last->board);
    if (folded) {
        pay_pot(s, s->live, pot);
    } else {
        show_down(s);
        pay_pots(s, pot);
    }
    if (out)
        emit_result(s, out);
    for (int i = 0; i < s->seats; i++) {
        s->chips[i] += last->payout[i];
        s->bet[i] = s->total[i] = 0;
    }
    s->current_bet = 0;
}
