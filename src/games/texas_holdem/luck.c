#include "games/texas_holdem/luck.h"

#include "games/texas_holdem/kit.h"
#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/texas_holdem.h"

enum { SAMPLES = 400 }; // boards before the flop, where 1.7 million are too many

const struct holdem_luck_weights holdem_luck_weights = {9.5, {3.5, 2.4, 1.6}};

// --- boards that are run out

struct runout {
    const uint8_t (*cards)[2];
    const int32_t *total; // NULL: one pot of 1, and equal shares of it
    seat_set dealt, live;
    uint8_t board[5];
    double sum[HOLDEM_SEATS];
    uint64_t boards;
};

static void share_pot(struct runout *r, const int *strength, seat_set eligible, double pot)
{
    int best = -1, count = 0;
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        best = strength[__builtin_ctz(rest)] > best ? strength[__builtin_ctz(rest)] : best;
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        count += strength[__builtin_ctz(rest)] == best;
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        if (strength[__builtin_ctz(rest)] == best)
            r->sum[__builtin_ctz(rest)] += pot / count;
}

// F6.T12: level by level. An odd chip is shared: it is luck too.
static void share_pots(struct runout *r, const int *strength)
{
    int32_t paid = 0;
    for (seat_set eligible = r->live; eligible;) {
        int32_t level = INT32_MAX, sum = 0;
        unsigned above = 0;
        for (unsigned rest = eligible; rest; rest &= rest - 1) {
            int32_t total = r->total[__builtin_ctz(rest)];
            level = total < level ? total : level;
        }
        for (unsigned rest = eligible; rest; rest &= rest - 1)
            above |= (unsigned)(r->total[__builtin_ctz(rest)] > level) << __builtin_ctz(rest);
        for (unsigned rest = r->dealt; rest; rest &= rest - 1) {
            int32_t total = r->total[__builtin_ctz(rest)];
            sum += total < level || !above ? total : level;
        }
        share_pot(r, strength, eligible, sum - paid);
        paid = sum;
        eligible = (seat_set)above;
    }
}

static void count_board(struct runout *r)
{
    int strength[HOLDEM_SEATS] = {0};
    uint8_t seven[7];
    memcpy(seven, r->board, 5);
    for (unsigned rest = r->live; rest; rest &= rest - 1) {
        memcpy(seven + 5, r->cards[__builtin_ctz(rest)], 2);
        strength[__builtin_ctz(rest)] = eval7(seven);
    }
    if (r->total)
        share_pots(r, strength);
    else
        share_pot(r, strength, r->live, 1);
    r->boards++;
}

// The referee knows all hands: the folded ones are no part of the deck either.
static int fill_deck(const struct runout *r, int count, uint8_t deck[CARDS_IN_DECK])
{
    uint64_t known = 0;
    int size = 0;
    for (unsigned rest = r->dealt; rest; rest &= rest - 1)
        for (int k = 0; k < 2; k++)
            known |= UINT64_C(1) << r->cards[__builtin_ctz(rest)][k];
    for (int i = 0; i < count; i++)
        known |= UINT64_C(1) << r->board[i];
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(known >> card & 1))
            deck[size++] = card;
    return size;
}

static void run_out(struct runout *r, int count, struct rng_draw *draw)
{
    uint8_t deck[CARDS_IN_DECK];
    int size = fill_deck(r, count, deck);
    if (count == 5) {
        count_board(r);
    } else if (count == 4) {
        for (int i = 0; i < size; i++) {
            r->board[4] = deck[i];
            count_board(r);
        }
    } else if (count == 3) {
        for (int i = 0; i < size; i++)
            for (int j = i + 1; j < size; j++) {
                r->board[3] = deck[i];
                r->board[4] = deck[j];
                count_board(r);
            }
    } else {
        for (int i = 0; i < SAMPLES; i++) {
            cards_draw(deck, size, 0, 5 - count, draw);
            memcpy(r->board + count, deck, (size_t)(5 - count));
            count_board(r);
        }
    }
    for (int i = 0; i < HOLDEM_SEATS; i++)
        r->sum[i] /= (double)r->boards;
}

void holdem_equity(const uint8_t cards[HOLDEM_SEATS][2], seat_set dealt, seat_set live, const uint8_t *board, int count,
                   struct rng_draw *draw, double out[HOLDEM_SEATS])
{
    struct runout r = {.cards = cards, .dealt = dealt, .live = live};
    memcpy(r.board, board, (size_t)count);
    run_out(&r, count, draw);
    memcpy(out, r.sum, sizeof r.sum);
}

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
    struct runout r = {.cards = l->cards, .total = l->total, .dealt = l->dealt, .live = l->now};
    memcpy(r.board, l->board, sizeof r.board);
    run_out(&r, cards_of(l->last_action), draw);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        out[i] += l->payout[i] - r.sum[i];
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

static void settle(struct holdem_luck *l, struct rng dice, const struct holdem_luck_weights *w,
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

static void follow(struct holdem_luck *l, const struct game_event *e)
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
            settle(l, dice, w, out);
        follow(l, &e->at[i]);
    }
    if (l->settled)
        settle(l, dice, w, out);
}

static void follow_usual(void *scratch, const struct game_events *e, struct rng dice,
                         double out[CONTEST_LUCKS][GAME_MAX_SEATS])
{
    _Static_assert(sizeof(struct holdem_luck) <= CONTEST_LUCK_SCRATCH && (int)HOLDEM_LUCKS == CONTEST_LUCKS, "fits");
    holdem_luck_follow(scratch, e, dice, &holdem_luck_weights, out);
}

const struct contest_luck texas_holdem_luck = {
    .name = {"all-in EV", "equity correction"},
    .about = {"", "constants 9.5 bb, 3.5, 2.4, 1.6"},
    .follow = follow_usual,
};
