#include "games/texas_holdem/rules/texas_holdem.h"

#include "games/texas_holdem/rules/hand.h"

#include <stddef.h>

static const struct texas_holdem_rules usual = {
    .small_blind = 100,
    .big_blind = 200,
    .starting_chips = 10000,
    .max_hands = 10,
    .blinds_double_at = 6,
    .big_blind_option = 1,
};

static void defaults(void *rules)
{
    memcpy(rules, &usual, sizeof usual);
}

// G25.6. What a column leaves at 0 stays as it is.
static const struct {
    int32_t seats, starting_chips, max_hands;
} scenarios[] = {{6, 0, 0}, {2, 0, 0}, {9, 0, 0}, {6, 2000, 0}, {6, 0, 1}};
static const char *const scenario_names[] = {"six_max", "heads_up", "full_ring", "short_stack", "single_hand", NULL};
static const char *const reward_names[] = {"chips", "match", NULL};
enum { REWARD_CHIPS, REWARD_MATCH };

static int set_scenario(void *rules, int index)
{
    struct texas_holdem_rules *r = rules;
    if (scenarios[index].starting_chips)
        r->starting_chips = scenarios[index].starting_chips;
    if (scenarios[index].max_hands)
        r->max_hands = scenarios[index].max_hands;
    return scenarios[index].seats;
}

static bool is_deck(const uint8_t *cards)
{
    uint64_t seen = 0;
    for (int i = 0; i < CARDS_IN_DECK; i++)
        seen |= cards[i] < CARDS_IN_DECK ? UINT64_C(1) << cards[i] : 0;
    return seen == (UINT64_C(1) << CARDS_IN_DECK) - 1;
}

// The chips of the table, or 0 when they are out of range.
static int64_t count_stacks(const struct texas_holdem_rules *r, int seats)
{
    int32_t given = 0;
    int64_t sum = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        given |= r->stacks[i];
    if (!given)
        sum = (int64_t)seats * r->starting_chips;
    for (int i = 0; given && i < HOLDEM_SEATS; i++) {
        if (i < seats ? r->stacks[i] < 1 : r->stacks[i] != 0)
            return 0;
        sum += r->stacks[i];
    }
    return sum <= HOLDEM_MAX_CHIPS ? sum : 0;
}

// N12.1: no seat can win more than fits into a payoff, all have the same stack, and it is larger than ante and blinds:
// otherwise a match could play millions of hands without a decision.
static bool is_cash(const struct texas_holdem_rules *r, int seats)
{
    int64_t most = (int64_t)r->starting_chips * (seats - 1);
    return r->stacks[0] == 0 && r->max_hands <= INT32_MAX / most && r->starting_chips > (int64_t)r->ante + r->big_blind;
}

static bool are_rules(const struct texas_holdem_rules *r, int seats)
{
    return seats >= 2 && seats <= HOLDEM_SEATS && r->small_blind >= 1 && r->small_blind <= r->big_blind &&
           r->big_blind <= HOLDEM_MAX_BLIND && r->starting_chips >= 1 && r->max_hands >= 1 &&
           r->blinds_double_at >= 0 && r->ante >= 0 && r->ante <= HOLDEM_MAX_BLIND && r->button < seats &&
           r->big_blind_option <= 1 && r->has_deck <= 1 && (!r->has_deck || is_deck(r->deck)) &&
           r->format <= HOLDEM_CASH && (r->format != HOLDEM_CASH || is_cash(r, seats));
}

// Piece by piece: small ones are cleared by plain stores, the whole by an instruction that starts slowly.
static inline void clear_bytes(uint8_t *from, size_t size)
{
    enum { PIECE = 64 };
#pragma GCC unroll 8
    for (; size >= PIECE; size -= PIECE, from += PIECE)
        memset(from, 0, PIECE);
    memset(from, 0, size);
}

// All but the key and the lots, which are written at once.
static void clear_state(struct texas_holdem_state *s)
{
    enum { KEPT = offsetof(struct texas_holdem_state, chance), REST = offsetof(struct texas_holdem_state, runout) };
    clear_bytes((uint8_t *)s, KEPT);
    clear_bytes((uint8_t *)s + REST, sizeof *s - REST);
}

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    const struct texas_holdem_rules *r = rules;
    struct texas_holdem_state *s = state;
    if (!are_rules(r, seats))
        return ERR_RULES;
    int64_t all_chips = count_stacks(r, seats);
    if (all_chips == 0)
        return ERR_RULES;
    clear_state(s);
    s->small_blind = s->base_small = r->small_blind;
    s->big_blind = s->base_big = r->big_blind;
    s->ante = s->base_ante = r->ante;
    s->level = HOLDEM_MILLION;
    s->all_chips = (int32_t)all_chips;
    s->hands_total = (uint32_t)r->max_hands;
    s->double_at = r->format == HOLDEM_CASH ? 0 : (uint32_t)r->blinds_double_at;
    s->cash = r->format == HOLDEM_CASH;
    if (s->cash)
        memset(s->net, 0, sizeof s->net);
    s->question = 1;
    s->seats = (uint8_t)seats;
    s->button = r->button;
    s->big_blind_option = r->big_blind_option;
    s->dealt = (seat_set)(SEAT(seats) - 1);
    s->chance = chance;
    s->has_stacked = r->has_deck;
    for (int i = 0; i < seats; i++)
        s->chips[i] = r->stacks[i] ? r->stacks[i] : r->starting_chips;
    if (r->has_deck)
        memcpy(s->stacked, r->deck, sizeof s->stacked);
    holdem_start_match(s, out);
    return OK;
}

// Put together as one word, like an action.
static struct game_turn turn(const void *state)
{
    const struct texas_holdem_state *s = state;
    unsigned low = (unsigned)s->phase << 8;
    if (s->phase != HOLDEM_DONE)
        low |= 0x10000u << s->actor | TURN_ONE;
    uint64_t word = (uint64_t)s->question << 32 | low;
    struct game_turn t;
    _Static_assert(offsetof(struct game_turn, phase) == 1 && offsetof(struct game_turn, seats) == 2 &&
                       sizeof t == sizeof word,
                   "kind, phase, seats and number from the lowest byte up");
    memcpy(&t, &word, sizeof t);
    return t;
}

// In two stores: a caller that reads the action as one word right away would wait for many small ones.
static void put_choice(struct game_choice *c, unsigned kind, int32_t amount, int32_t max_amount)
{
    c->first = game_action_of((uint64_t)(uint32_t)amount << 32 | kind);
    c->max_amount = max_amount;
}

// F6.T7, in this order.
static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct texas_holdem_state *s = state;
    if (seat != s->actor)
        return 0;
    struct holdem_bounds b = holdem_bounds_of(s, seat);
    int n = 0;
    if (b.to_call > 0) {
        int32_t price = b.to_call < s->chips[seat] ? b.to_call : s->chips[seat];
        put_choice(&out[n++], HOLDEM_FOLD, 0, 0);
        put_choice(&out[n++], HOLDEM_CALL, price, price);
    } else {
        put_choice(&out[n++], HOLDEM_CHECK, 0, 0);
    }
    if (b.may_raise)
        put_choice(&out[n++], HOLDEM_RAISE, b.min, b.max);
    put_choice(&out[n++], HOLDEM_ALLIN, 0, 0);
    return n;
}

// F6.T8: a raise within its bounds; call takes any amount, the others have none.
static bool is_legal(struct game_action a, struct holdem_bounds b)
{
    if (a.arg[0] | a.arg[1] | a.arg[2])
        return false;
    switch (a.kind) {
    case HOLDEM_FOLD:
        return b.to_call > 0 && a.amount == 0;
    case HOLDEM_CHECK:
        return b.to_call == 0 && a.amount == 0;
    case HOLDEM_CALL:
        return b.to_call > 0;
    case HOLDEM_RAISE:
        return b.may_raise && a.amount >= b.min && a.amount <= b.max;
    case HOLDEM_ALLIN:
        return a.amount == 0;
    default:
        return false;
    }
}

static bool legal(const void *state, int seat, struct game_action a)
{
    const struct texas_holdem_state *s = state;
    return seat == s->actor && is_legal(a, holdem_bounds_of(s, seat));
}

// G25.2: numbers 5..9 raise, 5 by the least, 6..9 by a half, three quarters, once
// and twice the pot after calling. One that would take the
// whole stack, or is the same as a lower one, is 0: no action has that number.
enum { FLAT_RAISE = 5, FLAT_RAISES = HOLDEM_FLAT - FLAT_RAISE };

static const uint8_t raise_quarters[FLAT_RAISES] = {0, 2, 3, 4, 8}; // of the pot
static const uint8_t flat_kinds[] = {0, HOLDEM_FOLD, HOLDEM_CHECK, HOLDEM_CALL, HOLDEM_ALLIN};

static int64_t raise_of(const struct texas_holdem_state *s, struct holdem_bounds b, int64_t pot, int i)
{
    int64_t to = s->current_bet + (raise_quarters[i] * pot >> 2);
    return to < b.min ? b.min : to;
}

static void list_raises(const struct texas_holdem_state *s, struct holdem_bounds b, int32_t out[FLAT_RAISES])
{
    int64_t pot = (int64_t)holdem_pot(s) + b.to_call, lower = 0;
#pragma GCC unroll 5
    for (int i = 0; i < FLAT_RAISES; i++) {
        int64_t to = raise_of(s, b, pot, i);
        out[i] = (int32_t)to & -(int32_t)((to < b.max) & (to > lower) & b.may_raise);
        lower = to;
    }
}

static int32_t call_of(const struct texas_holdem_state *s, struct holdem_bounds b, int seat)
{
    return b.to_call < s->chips[seat] ? b.to_call : s->chips[seat];
}

struct game_action holdem_action(const void *state, int seat, int number)
{
    const struct texas_holdem_state *s = state;
    struct holdem_bounds b = holdem_bounds_of(s, seat);
    if (number >= FLAT_RAISE) {
        int64_t to = raise_of(s, b, (int64_t)holdem_pot(s) + b.to_call, number - FLAT_RAISE);
        return game_action_of(HOLDEM_RAISE | (uint64_t)to << 32);
    }
    uint64_t amount = number == HOLDEM_CALL ? (uint32_t)call_of(s, b, seat) : 0;
    return game_action_of(flat_kinds[number] | amount << 32);
}

static bool flat(const void *state, int seat, int index, struct game_action *out)
{
    const struct texas_holdem_state *s = state;
    if (seat != s->actor || index < 1 || index >= HOLDEM_FLAT)
        return false;
    struct holdem_bounds b = holdem_bounds_of(s, seat);
    if (index >= FLAT_RAISE) {
        int32_t raises[FLAT_RAISES];
        list_raises(s, b, raises);
        *out = (struct game_action){.kind = HOLDEM_RAISE, .amount = raises[index - FLAT_RAISE]};
        return out->amount > 0;
    }
    *out = (struct game_action){.kind = flat_kinds[index]};
    if (index == HOLDEM_CALL)
        out->amount = call_of(s, b, seat);
    return is_legal(*out, b);
}

static void mask(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    enum { FOLD_OR_CALL = 1 << 1 | 1 << 3, CHECK = 1 << 2, ALL_IN = 1 << 4 };
    const struct texas_holdem_state *s = state;
    if (seat != s->actor)
        return;
    struct holdem_bounds b = holdem_bounds_of(s, seat);
    int32_t raises[FLAT_RAISES];
    list_raises(s, b, raises);
    unsigned legal = ALL_IN | (b.to_call > 0 ? FOLD_OR_CALL : CHECK);
    for (int i = 0; i < FLAT_RAISES; i++)
        legal |= (unsigned)(raises[i] > 0) << (FLAT_RAISE + i);
    out[0] = legal;
}

static struct game_action fallback(const void *state, int seat)
{
    const struct texas_holdem_state *s = state;
    return (struct game_action){.kind = s->current_bet > s->bet[seat] ? HOLDEM_FOLD : HOLDEM_CHECK};
}

static void leave_hand(struct texas_holdem_state *s, int seat)
{
    s->live &= (seat_set)~SEAT(seat);
    s->able &= (seat_set)~SEAT(seat);
    s->pending &= (seat_set)~SEAT(seat);
}

static void bet_to(struct texas_holdem_state *s, int seat, int32_t to, int32_t max)
{
    s->total[seat] += to - s->bet[seat];
    s->bet[seat] = to;
    s->chips[seat] = max - to;
    s->able &= (seat_set) ~((unsigned)(to == max) << seat);
    s->pending &= (seat_set)~SEAT(seat);
}

// F6.T9: everyone else must act again. After a short all-in, below the smallest raise, they must only match.
static void raise_to(struct texas_holdem_state *s, int seat, int32_t to, struct holdem_bounds b)
{
    bet_to(s, seat, to, b.max);
    s->pending = s->able & (seat_set)~SEAT(seat);
    s->short_all_in = to < b.min;
    s->last_raise = to < b.min ? s->last_raise : to - s->current_bet;
    s->current_bet = to;
}

// A step of the asked seat: checks it, applies it, and continues. One function for each kind, chosen once: the choice
// cannot be foreseen, what follows from it can.
static int finish_step(struct texas_holdem_state *s, int seat, struct game_events *out)
{
    s->question++;
    if (!holdem_find_actor(s, seat))
        holdem_play_on(s, out);
    return OK;
}

static int play_fold(struct texas_holdem_state *s, int seat, int32_t amount, struct game_events *out)
{
    if (s->current_bet <= s->bet[seat] || amount)
        return ERR_ACTION;
    leave_hand(s, seat);
    holdem_emit_action(s, seat, HOLDEM_FOLD, 0, out);
    return finish_step(s, seat, out);
}

static int play_check(struct texas_holdem_state *s, int seat, int32_t amount, struct game_events *out)
{
    if (s->current_bet != s->bet[seat] || amount)
        return ERR_ACTION;
    s->pending &= (seat_set)~SEAT(seat);
    holdem_emit_action(s, seat, HOLDEM_CHECK, 0, out);
    return finish_step(s, seat, out);
}

// F6.T14: a call tells what it adds, a raise the total.
static int play_call(struct texas_holdem_state *s, int seat, struct game_events *out)
{
    int32_t before = s->bet[seat], max = before + s->chips[seat];
    if (s->current_bet <= before)
        return ERR_ACTION;
    bet_to(s, seat, s->current_bet < max ? s->current_bet : max, max);
    holdem_emit_action(s, seat, HOLDEM_CALL, s->bet[seat] - before, out);
    return finish_step(s, seat, out);
}

static int play_raise(struct texas_holdem_state *s, int seat, int32_t amount, struct game_events *out)
{
    struct holdem_bounds b = holdem_bounds_of(s, seat);
    if (!b.may_raise || amount < b.min || amount > b.max)
        return ERR_ACTION;
    raise_to(s, seat, amount, b);
    holdem_emit_action(s, seat, HOLDEM_RAISE, amount, out);
    return finish_step(s, seat, out);
}

static int play_allin(struct texas_holdem_state *s, int seat, int32_t amount, struct game_events *out)
{
    struct holdem_bounds b = holdem_bounds_of(s, seat);
    if (amount)
        return ERR_ACTION;
    if (b.max > s->current_bet)
        raise_to(s, seat, b.max, b);
    else
        bet_to(s, seat, b.max, b.max);
    holdem_emit_action(s, seat, HOLDEM_ALLIN, b.max, out);
    return finish_step(s, seat, out);
}

// F6.T17: the hand is folded, what was bet stays, the rest of the stack leaves play. N12.4: in a cash match it is not
// lost.
static int drop_seat(struct texas_holdem_state *s, struct game_action a, struct game_events *out)
{
    int seat = a.arg[0];
    if (seat != s->actor)
        return ERR_SEAT;
    struct game_event *e = game_emit(out, HOLDEM_EVENT_DROPPED, seat, EVERYONE);
    if (e) {
        e->amount = s->cash ? 0 : s->chips[seat];
        e->data[offsetof(struct holdem_dropped, reason)] = a.arg[1];
    }
    s->removed += s->chips[seat];
    s->chips[seat] = 0;
    s->dropped |= SEAT(seat);
    s->question++;
    leave_hand(s, seat);
    if (!holdem_find_actor(s, seat))
        holdem_play_on(s, out);
    return OK;
}

__attribute__((noinline, cold)) static int oversee(struct texas_holdem_state *s, struct game_action a,
                                                   struct game_events *out)
{
    int32_t small = holdem_small_blind_of(a);
    if (s->cash && a.kind != GAME_DROP) // N12.1: its stakes are fixed
        return ERR_ACTION;
    switch (a.kind) {
    case GAME_DROP:
        return drop_seat(s, a, out);
    case HOLDEM_SET_BLINDS:
        if (small < 1 || a.amount < small || a.amount > HOLDEM_MAX_BLIND)
            return ERR_ACTION;
        s->next_small = small;
        s->next_big = a.amount;
        s->level_due = 1;
        return OK;
    case HOLDEM_SET_BLIND_LEVEL:
        if (small || a.amount < HOLDEM_MILLION / 4 || a.amount > 8 * HOLDEM_MILLION)
            return ERR_ACTION;
        s->level = a.amount;
        s->level_due = 1;
        return OK;
    case HOLDEM_SET_ANTE:
        if (small || a.amount < 0 || a.amount > HOLDEM_MILLION)
            return ERR_ACTION;
        s->ante_fraction = a.amount + 1;
        s->level_due = 1;
        return OK;
    default:
        return ERR_ACTION;
    }
}

__attribute__((noinline)) static int play(struct texas_holdem_state *s, int seat, uint64_t word,
                                          struct game_events *out)
{
    uint32_t kind = (uint32_t)word; // none of these with args
    int32_t amount = (int32_t)(word >> 32);
    if (kind == HOLDEM_ALLIN)
        return play_allin(s, seat, amount, out);
    if (kind == HOLDEM_CALL)
        return play_call(s, seat, out);
    if (kind == HOLDEM_FOLD)
        return play_fold(s, seat, amount, out);
    if (kind == HOLDEM_RAISE)
        return play_raise(s, seat, amount, out);
    if (kind == HOLDEM_CHECK)
        return play_check(s, seat, amount, out);
    return ERR_ACTION;
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct texas_holdem_state *s = state;
    uint64_t word = game_action_word(a);
    if (s->phase == HOLDEM_DONE)
        return ERR_OVER;
    if (seat != s->actor)
        return seat == GAME_MASTER ? oversee(s, game_action_of(word), out) : ERR_SEAT;
    if (holdem_is_heads_up(s, out))
        return holdem_heads_up_step(s, seat, word);
    return play(s, seat, word, out);
}

static int stack(void *state, const uint8_t *items, int count)
{
    struct texas_holdem_state *s = state;
    if (count != CARDS_IN_DECK || !is_deck(items))
        return ERR_RULES;
    if (s->phase == HOLDEM_DONE)
        return ERR_OVER;
    memcpy(s->stacked, items, sizeof s->stacked);
    s->has_stacked = 1;
    return OK;
}

static void payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    const struct texas_holdem_state *s = state;
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        out[i] = i >= HOLDEM_SEATS ? 0 : s->cash ? s->net[i] : s->chips[i];
}

// G25.5. A stack that leaves play with its seat is lost at that moment.
static void rewards(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    const struct texas_holdem_state *s = state;
    float average = (float)s->all_chips / (float)s->seats;
    struct holdem_result result = {0};
    *out = (struct game_rewards){0};
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == HOLDEM_EVENT_RESULT) {
            result = holdem_result_of(e);
        } else if (e->kind == HOLDEM_EVENT_PAID) {
            struct holdem_paid paid = holdem_paid_of(e);
            for (int k = 0; k < s->seats; k++)
                out->at[k][REWARD_CHIPS] += (float)(result.payout[k] - paid.total[k]) / average;
        } else if (e->kind == HOLDEM_EVENT_DROPPED) {
            out->at[e->seat][REWARD_CHIPS] -= (float)e->amount / average;
        } else if (e->kind == HOLDEM_EVENT_MATCH) {
            seat_set winners = holdem_match_of(e).winners;
            for (int k = 0; k < s->seats; k++)
                if (winners & SEAT(k))
                    out->at[k][REWARD_MATCH] = 1.0f / (float)__builtin_popcount(winners);
        }
    }
}

const struct game texas_holdem_game = {
    .name = "texas_holdem",
    .version = 2,
    .rules_size = sizeof(struct texas_holdem_rules),
    .state_size = sizeof(struct texas_holdem_state),
    .view_size = sizeof(struct texas_holdem_view),
    .entities_end = offsetof(struct texas_holdem_state, current_bet),
    .world_end = offsetof(struct texas_holdem_state, chance),
    .min_seats = 2,
    .max_seats = HOLDEM_SEATS,
    .flat_size = HOLDEM_FLAT,
    .vector_size = HOLDEM_VECTOR,
    .scenarios = scenario_names,
    .rewarded = reward_names,
    .defaults = defaults,
    .scenario = set_scenario,
    .init = init,
    .turn = turn,
    .choices = choices,
    .legal = legal,
    .flat = flat,
    .mask = mask,
    .apply = apply,
    .fallback = fallback,
    .stack = stack,
    .view = holdem_view,
    .vector = holdem_vector,
    .payoffs = payoffs,
    .rewards = rewards,
    .resample = holdem_resample,
    .imagine = holdem_imagine,
    .check = holdem_check,
    .rows = &holdem_rows,
};
