#include "games/texas_holdem/luck.h"

#include "games/texas_holdem/rules/texas_holdem.h"

const struct holdem_luck_weights holdem_luck_weights = {9.5, {3.5, 2.4, 1.6}};

// --- a hand

static int cards_of(int street)
{
    return street ? street + 2 : 0;
}

// N14.1: what the board paid beyond what could be expected when the last decision had been made.
static void add_all_in(const struct holdem_luck *l, struct rng_draw *draw, double out[GAME_MAX_SEATS])
{
    if (!l->shown || l->last_action == HOLDEM_RIVER)
        return;
    double expected[HOLDEM_SEATS];
    holdem_expect(l->cards, l->total, l->dealt, l->now, l->board, cards_of(l->last_action), draw, expected);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        out[i] += l->payout[i] - expected[i];
}

// N14.2: on each street that came while there was betting to follow, or after it, the step of a martingale.
static void add_equity(const struct holdem_luck *l, const struct holdem_luck_weights *w, struct rng_draw *draw,
                       double out[GAME_MAX_SEATS])
{
    double before[HOLDEM_SEATS], after[HOLDEM_SEATS];
    int players = __builtin_popcount(l->dealt);
    holdem_equity(l->cards, l->dealt, l->dealt, l->board, 0, draw, before);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (l->dealt & SEAT(i))
            out[i] += w->dealt * l->big_blind * (before[i] - 1.0 / players);
    for (int street = HOLDEM_FLOP; street <= l->last_action; street++) {
        seat_set live = l->live[street];
        if (street > HOLDEM_FLOP || live != l->dealt) // among those left, with the board as it was
            holdem_equity(l->cards, l->dealt, live, l->board, cards_of(street - 1), draw, before);
        holdem_equity(l->cards, l->dealt, live, l->board, cards_of(street), draw, after);
        for (int i = 0; i < HOLDEM_SEATS; i++)
            out[i] += w->street[street - 1] * l->pot[street] * (after[i] - before[i]);
    }
}

static void settle_hand(struct holdem_luck *l, struct rng dice, const struct holdem_luck_weights *w,
                        double out[HOLDEM_LUCKS][GAME_MAX_SEATS])
{
    struct rng section = rng_section(&dice, l->hand);
    struct rng_draw draw;
    double all_in[GAME_MAX_SEATS] = {0};
    rng_begin(&draw, &section);
    add_all_in(l, &draw, all_in);
    add_equity(l, w, &draw, out[HOLDEM_LUCK_EQUITY]);
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        out[HOLDEM_LUCK_ALL_IN][i] += all_in[i];
        out[HOLDEM_LUCK_EQUITY][i] += all_in[i];
    }
    l->settled = 0;
}

static void begin_hand(struct holdem_luck *l, const struct game_event *e)
{
    struct holdem_new_hand h = holdem_new_hand_of(e);
    *l = (struct holdem_luck){.hand = (uint32_t)e->amount, .big_blind = h.big_blind};
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (h.chips[i] > 0)
            l->dealt |= SEAT(i);
    l->now = l->dealt;
}

// Antes are no events of their own, but a bet tells what was put in over the whole hand. Those who put in nothing else
// are few and small.
static void follow_action(struct holdem_luck *l, const struct game_event *e)
{
    struct holdem_played p = holdem_played_of(e);
    l->total[e->seat] = p.total_bet;
    if (p.action == HOLDEM_FOLD)
        l->now &= (seat_set)~SEAT(e->seat);
    if (p.action < HOLDEM_POST_SMALL)
        l->last_action = l->board_count ? (uint8_t)(l->board_count - 2) : 0;
}

static void deal_street(struct holdem_luck *l, const struct game_event *e)
{
    struct holdem_street s = holdem_street_of(e);
    int32_t pot = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        pot += l->total[i];
    for (int i = 0; i < s.count && l->board_count < 5; i++)
        l->board[l->board_count++] = s.cards[i];
    if (s.phase <= HOLDEM_RIVER) {
        l->pot[s.phase] = pot;
        l->live[s.phase] = l->now;
    }
}

static void follow_event(struct holdem_luck *l, const struct game_event *e)
{
    struct holdem_hands hands;
    switch (e->kind) {
    case HOLDEM_EVENT_NEW_HAND:
        begin_hand(l, e);
        break;
    case HOLDEM_EVENT_ACTION:
        follow_action(l, e);
        break;
    case HOLDEM_EVENT_DROPPED:
        l->now &= (seat_set)~SEAT(e->seat);
        l->last_action = l->board_count ? (uint8_t)(l->board_count - 2) : 0;
        break;
    case HOLDEM_EVENT_COMMUNITY:
        deal_street(l, e);
        break;
    case HOLDEM_EVENT_RESULT:
        l->settled = l->hand == holdem_result_of(e).hand;
        l->shown = holdem_result_of(e).reason == HOLDEM_SHOWN_DOWN;
        memcpy(l->payout, holdem_result_of(e).payout, sizeof l->payout);
        break;
    case HOLDEM_EVENT_PAID:
        memcpy(l->total, holdem_paid_of(e).total, sizeof l->total);
        break;
    case HOLDEM_EVENT_HANDS:
        hands = holdem_hands_of(e);
        for (int i = 0; i < HOLDEM_SEATS; i++)
            if (hands.live & SEAT(i))
                memcpy(l->cards[i], hands.cards[i], 2);
        break;
    case HOLDEM_EVENT_OWN:
        memcpy(l->cards[e->seat], holdem_own_of(e).cards, 2);
        break;
    default:
        break;
    }
}

void holdem_luck_follow(struct holdem_luck *l, const struct game_events *e, struct rng dice,
                        const struct holdem_luck_weights *w, double out[HOLDEM_LUCKS][GAME_MAX_SEATS])
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (l->settled && !e->at[i].part) // a result is over with its last part
            settle_hand(l, dice, w, out);
        follow_event(l, &e->at[i]);
    }
    if (l->settled)
        settle_hand(l, dice, w, out);
}
