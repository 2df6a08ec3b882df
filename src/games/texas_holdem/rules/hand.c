#include "games/texas_holdem/rules/hand.h"

#include <string.h>

enum { EVENTS_OF_A_HAND = 32 }; // more than one hand and its successor's blinds can make

__attribute__((noinline, cold)) void holdem_record_action(const struct texas_holdem_state *s, int seat, int action,
                                                          int32_t amount, struct game_events *out)
{
    struct game_event *e = game_emit(out, HOLDEM_EVENT_ACTION, seat, EVERYONE);
    if (!e)
        return;
    e->amount = amount;
    memcpy(e->data, &(struct holdem_played){.total_bet = s->total[seat], .action = (uint8_t)action},
           sizeof(struct holdem_played));
}

static void emit_new_hand(const struct texas_holdem_state *s, struct game_events *out)
{
    struct game_event *e = game_emit(out, HOLDEM_EVENT_NEW_HAND, s->button, EVERYONE);
    if (!e)
        return;
    struct holdem_new_hand h = {
        .small_blind = s->small_blind, .big_blind = s->big_blind, .hands_total = s->hands_total};
    memcpy(h.chips, s->chips, sizeof h.chips);
    e->amount = (int32_t)s->hand;
    memcpy(e->data, &h, sizeof h);
}

static void emit_match(const struct texas_holdem_state *s, struct game_events *out)
{
    if (!out)
        return;
    seat_set winners = holdem_leaders(s);
    int winner = holdem_is_one(winners) ? __builtin_ctz(winners) : HOLDEM_NOBODY;
    struct game_event *e = game_emit(out, HOLDEM_EVENT_MATCH, winner, EVERYONE);
    if (!e)
        return;
    struct holdem_match m = {.hands = s->hand, .winners = winners, .ending = s->ending, .cash = s->cash};
    memcpy(m.chips, s->cash ? s->net : s->chips, sizeof m.chips);
    memcpy(e->data, &m, sizeof m);
}

// Of the seats dealt in; no other seat has any.
static seat_set with_chips(const struct texas_holdem_state *s)
{
    unsigned set = 0;
    for (unsigned rest = s->dealt; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        set |= (unsigned)(s->chips[seat] > 0) << seat;
    }
    return (seat_set)set;
}

// N12.3: a loss may be the best there is.
static seat_set net_leaders(const struct texas_holdem_state *s)
{
    int32_t most = s->net[0];
    seat_set set = 0;
    for (int i = 0; i < s->seats; i++)
        most = s->net[i] > most ? s->net[i] : most;
    for (int i = 0; i < s->seats; i++)
        set |= (seat_set)((unsigned)(s->net[i] == most) << i);
    return set;
}

seat_set holdem_leaders(const struct texas_holdem_state *s)
{
    if (s->cash)
        return net_leaders(s);
    int32_t most = 0;
    seat_set set = 0;
    for (int i = 0; i < s->seats; i++) {
        if (s->chips[i] > most)
            most = s->chips[i], set = 0;
        if (s->chips[i] == most && most > 0)
            set |= SEAT(i);
    }
    return set;
}

static void put_chips(struct texas_holdem_state *s, int seat, int32_t amount)
{
    s->chips[seat] -= amount;
    s->bet[seat] += amount;
    s->total[seat] += amount;
    s->able &= (seat_set) ~((unsigned)(s->chips[seat] == 0) << seat);
}

static int32_t post_blind(struct texas_holdem_state *s, int seat, int32_t blind)
{
    int32_t amount = s->chips[seat] < blind ? s->chips[seat] : blind;
    put_chips(s, seat, amount);
    return amount;
}

static void post_antes(struct texas_holdem_state *s)
{
    for (int i = 0; i < s->seats; i++)
        if (s->dealt & SEAT(i)) {
            post_blind(s, i, s->ante);
            s->bet[i] = 0; // F6.T5: in the pot, not in the round
        }
}

static int32_t scale(int32_t value, int32_t millionths)
{
    int64_t scaled = (int64_t)value * millionths / HOLDEM_MILLION;
    return scaled < HOLDEM_MAX_BLIND ? (int32_t)scaled : HOLDEM_MAX_BLIND;
}

// The level in force: doubled once (F6.T1), as the master set it (F6.T20), times his multiplier (G23.4). It stays as it
// is until one of them changes.
static void set_level(struct texas_holdem_state *s)
{
    if (s->hand == s->double_at) {
        s->base_small = scale(s->base_small, 2 * HOLDEM_MILLION);
        s->base_big = scale(s->base_big, 2 * HOLDEM_MILLION);
    }
    if (s->next_big) {
        s->base_small = s->next_small;
        s->base_big = s->next_big;
        s->next_small = s->next_big = 0;
    }
    s->small_blind = s->base_small;
    s->big_blind = s->base_big;
    if (s->level != HOLDEM_MILLION) {
        s->small_blind = scale(s->base_small, s->level);
        s->big_blind = scale(s->base_big, s->level);
        s->small_blind += s->small_blind == 0;
        s->big_blind += s->big_blind == 0;
    }
    s->ante = s->ante_fraction ? scale(s->big_blind, s->ante_fraction - 1) : s->base_ante;
    s->level_due = 0;
}

static void begin_round(struct texas_holdem_state *s)
{
    memset(s->bet, 0, sizeof s->bet);
    s->current_bet = 0;
    s->last_raise = s->big_blind;
    s->short_all_in = 0;
    s->pending = s->able;
}

int holdem_start_hand(struct texas_holdem_state *s, struct game_events *out)
{
    holdem_count_hand(s);
    s->phase = HOLDEM_PREFLOP;
    s->live = s->able = s->dealt;
    if (s->hand == s->double_at || s->level_due)
        set_level(s);
    emit_new_hand(s, out);
    if (s->drawn) {
        memset(s->hole, 0, sizeof s->hole);
        memset(s->runout, 0, sizeof s->runout);
        s->drawn = 0;
    }
    if (s->has_stacked)
        holdem_draw_stacked(s);
    begin_round(s);
    if (s->ante)
        post_antes(s);
    // F6.T2: heads-up the button has the small blind.
    bool heads_up = holdem_is_one((seat_set)(s->dealt & (s->dealt - 1u)));
    int small = heads_up ? s->button : game_next_seat(s->dealt, s->button), big = game_next_seat(s->dealt, small);
    holdem_emit_action(s, small, HOLDEM_POST_SMALL, post_blind(s, small, s->small_blind), out);
    holdem_emit_action(s, big, HOLDEM_POST_BIG, post_blind(s, big, s->big_blind), out);
    s->current_bet = s->big_blind;
    s->pending = s->able;
    if (!s->big_blind_option)
        s->pending &= (seat_set)~SEAT(big);
    return big;
}

static void deal_street(struct texas_holdem_state *s, struct game_events *out)
{
    int from = holdem_board_count(s);
    s->phase++;
    struct game_event *e = game_emit(out, HOLDEM_EVENT_COMMUNITY, HOLDEM_NOBODY, EVERYONE);
    if (!e)
        return;
    struct holdem_cards all = holdem_cards_of(s);
    struct holdem_street street = {.cards = {CARD_NONE, CARD_NONE, CARD_NONE}, .phase = s->phase};
    for (int i = from; i < holdem_board_count(s); i++)
        street.cards[street.count++] = all.board[i];
    memcpy(e->data, &street, sizeof street);
}

// N12.1, N12.4: everyone who has not left begins the next hand with the same stack.
static void deal_stacks(struct texas_holdem_state *s, seat_set next)
{
    int32_t stack = s->all_chips / s->seats;
    for (int i = 0; i < s->seats; i++)
        s->chips[i] = next & SEAT(i) ? stack : 0;
    s->removed = s->all_chips - stack * __builtin_popcount(next);
    s->dealt = s->live = s->able = next;
}

// Seats with chips play the next hand, from the next button on; in a cash match all seats present. Returns true when
// the match is over (F6.T16).
static bool finish_match(struct texas_holdem_state *s, struct game_events *out)
{
    seat_set rich = with_chips(s), next = rich;
    if (s->cash)
        next = (seat_set)((SEAT(s->seats) - 1) & ~s->dropped);
    bool alone = holdem_is_one(next);
    s->able = s->live & rich;
    if (!s->cash) {
        s->live &= rich;
        s->dealt = rich;
    }
    if (!alone && s->hand < s->hands_total) {
        if (s->cash)
            deal_stacks(s, next);
        s->button = (uint8_t)game_next_seat(next, s->button);
        return false;
    }
    s->ending = alone ? HOLDEM_ELIMINATED : HOLDEM_MAX_HANDS;
    s->phase = HOLDEM_DONE;
    s->actor = HOLDEM_NOBODY;
    s->pending = 0;
    emit_match(s, out);
    return true;
}

// Deals the next street; true when there is betting on it. F6.T10: not when at most one player could still bet.
static bool play_street(struct texas_holdem_state *s, struct game_events *out)
{
    deal_street(s, out);
    if (holdem_is_one(s->able))
        return false;
    begin_round(s);
    s->actor = (uint8_t)game_next_seat(s->pending, s->button);
    return true;
}

static void play_table(struct texas_holdem_state *s, struct game_events *out)
{
    struct game_events *heard = out;
    for (;;) {
        while (s->phase < HOLDEM_RIVER && !holdem_is_one(s->live))
            if (play_street(s, heard))
                return;
        holdem_settle(s, heard);
        if (finish_match(s, out))
            return;
        // Blinds or antes above all stacks can play many hands without a question. Nobody can listen to all of them.
        if (out && out->count > GAME_MAX_EVENTS - EVENTS_OF_A_HAND)
            heard = NULL;
        if (holdem_find_actor(s, holdem_start_hand(s, heard)))
            return;
    }
}

void holdem_play_on(struct texas_holdem_state *s, struct game_events *out)
{
    if (holdem_is_heads_up(s, out))
        holdem_heads_up_play_on(s);
    else
        play_table(s, out);
}

void holdem_start_match(struct texas_holdem_state *s, struct game_events *out)
{
    if (holdem_is_heads_up(s, out))
        holdem_heads_up_start(s);
    else if (!holdem_find_actor(s, holdem_start_hand(s, out)))
        play_table(s, out);
}
