// How a match runs: who may bid or challenge, what that does, and what follows.
#include "games/liars_dice/rules/internal.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// F6.1: what chance gives a round depends on the key and the round alone. One section of the stream makes the hands of
// several rounds, five dice each; with fewer dice a seat takes the first of them.
static void draw_section(struct liars_dice_state *s, uint32_t section)
{
    struct rng stream = {.section = section};
    struct rng_draw d;
    uint16_t drawn[LIARS_DICE_AHEAD];
    memcpy(stream.key, s->key, sizeof stream.key);
    rng_begin(&d, &stream);
    for (int i = 0; i < LIARS_DICE_AHEAD; i++)
        drawn[i] = (uint16_t)rng_draw_below(&d, DICE_WAYS);
    for (int i = 0; i < LIARS_DICE_AHEAD; i++) // apart from drawing: eight at once
        s->ahead[i] = dice_of(drawn[i]);
}

// The hands of the next round are ahead.
static void reach_next_round(struct liars_dice_state *s)
{
    if (s->dealt + s->seats <= LIARS_DICE_AHEAD)
        return;
    draw_section(s, s->section++);
    s->dealt = 0;
}

// F6.L1
static void roll(struct liars_dice_state *s)
{
    reach_next_round(s);
    for (int seat = 0; seat < s->seats; seat++)
        s->hand[seat] = dice_first(s->ahead[s->dealt + seat], s->dice_counts[seat]);
    s->dealt = (uint8_t)(s->dealt + s->seats);
}

// The next roll has these faces first. A die beyond them, not known to be rolled when they were given, is rolled.
static void put_ahead(struct liars_dice_state *s, const liars_dice_hand given[LIARS_DICE_SEATS])
{
    for (int seat = 0; seat < s->seats; seat++) {
        liars_dice_hand *next = &s->ahead[s->dealt + seat];
        *next = (liars_dice_hand)((*next & ~dice_first(0xFFFF, dice_in(given[seat]))) | given[seat]);
    }
}

static bool dice_are_given(const struct liars_dice_rules *r)
{
    static const uint8_t none[sizeof r->dice];
    return memcmp(r->dice, none, sizeof none) != 0;
}

static bool rules_are_good(const struct liars_dice_rules *r, int seats)
{
    if (seats < 2 || seats > LIARS_DICE_SEATS || r->starter >= seats || r->wild_ones > 1)
        return false;
    for (int s = 0; s < LIARS_DICE_SEATS; s++)
        if (r->dice_counts[s] < (s < seats) || r->dice_counts[s] > LIARS_DICE_DICE)
            return false;
    if (!dice_are_given(r))
        return true;
    for (int s = 0; s < LIARS_DICE_SEATS; s++) {
        int hand = dice_from_faces(r->dice[s], LIARS_DICE_DICE);
        if (hand < 0 || dice_in((liars_dice_hand)hand) != (s < seats ? r->dice_counts[s] : 0))
            return false;
    }
    return true;
}

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    (void)out; // F6.L6: round 1 has no round_start
    struct liars_dice_state *s = state;
    const struct liars_dice_rules *r = rules;
    if (!rules_are_good(r, seats))
        return ERR_RULES;
    memset(s, 0, sizeof *s);
    memcpy(s->key, chance.key, sizeof s->key);
    s->seats = (uint8_t)seats;
    s->in_play = (uint8_t)(SEAT(seats) - 1);
    s->to_act = r->starter;
    s->wild_ones = r->wild_ones;
    s->round = 1;
    s->number = 1;
    s->dealt = LIARS_DICE_AHEAD;
    for (int seat = 0; seat < seats; seat++) {
        s->dice_counts[seat] = s->starting_dice[seat] = r->dice_counts[seat];
        s->total = (uint8_t)(s->total + r->dice_counts[seat]);
    }
    reach_next_round(s);
    if (dice_are_given(r)) {
        liars_dice_hand given[LIARS_DICE_SEATS];
        for (int seat = 0; seat < LIARS_DICE_SEATS; seat++)
            given[seat] = (liars_dice_hand)dice_from_faces(r->dice[seat], LIARS_DICE_DICE);
        put_ahead(s, given);
    }
    roll(s);
    return OK;
}

static struct game_turn turn(const void *state)
{
    const struct liars_dice_state *s = state;
    if (s->phase == LIARS_DICE_DONE)
        return (struct game_turn){.kind = TURN_OVER, .phase = LIARS_DICE_DONE, .number = s->number};
    return (struct game_turn){.kind = TURN_ONE, .seats = SEAT(s->to_act), .number = s->number};
}

static int highest_bid(const struct liars_dice_state *s)
{
    return LIARS_DICE_FACES * s->total;
}

// An action as one value of eight bytes. Whoever picks a choice copies the action at once, and would wait long for two
// stores of four bytes to meet.
static struct game_action action_of(uint8_t kind, int rank)
{
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "kind is the lowest byte");
    union {
        uint64_t bits;
        struct game_action action;
    } whole = {.bits = kind | (uint64_t)rank << 32};
    return whole.action;
}

// F6.L3
static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct liars_dice_state *s = state;
    int n = 0;
    if (seat != s->to_act || s->phase == LIARS_DICE_DONE)
        return 0;
    if (s->bid)
        out[n++] = (struct game_choice){.first = action_of(LIARS_DICE_CHALLENGE, 0)};
    if (s->bid < highest_bid(s))
        out[n++] = (struct game_choice){.first = action_of(LIARS_DICE_BID, s->bid + 1), .max_amount = highest_bid(s)};
    return n;
}

static bool is_legal(const struct liars_dice_state *s, struct game_action a)
{
    if (a.arg[0] | a.arg[1] | a.arg[2])
        return false;
    if (a.kind == LIARS_DICE_BID)
        return a.amount > s->bid && a.amount <= highest_bid(s);
    return a.kind == LIARS_DICE_CHALLENGE && a.amount == 0 && s->bid;
}

// G26.1: 1 challenge, 2 + 6(q-1) + (f-1) bid; that is the rank plus one.
struct game_action liars_dice_action(const void *state, int seat, int number)
{
    (void)state, (void)seat;
    return action_of(number > 1 ? LIARS_DICE_BID : LIARS_DICE_CHALLENGE, number - 1);
}

static bool flat(const void *state, int seat, int index, struct game_action *out)
{
    const struct liars_dice_state *s = state;
    if (index < 1 || seat != s->to_act || s->phase == LIARS_DICE_DONE)
        return false;
    struct game_action a = liars_dice_action(s, seat, index);
    if (!is_legal(s, a))
        return false;
    *out = a;
    return true;
}

// The numbers of a word below `end`, where the word begins with 0.
static uint64_t numbers_below(int end)
{
    return end >= 64 ? ~(uint64_t)0 : end > 0 ? ((uint64_t)1 << end) - 1 : 0;
}

// Every bid above the last one up to the highest, so a run of numbers.
static void mask(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    const struct liars_dice_state *s = state;
    if (seat != s->to_act || s->phase == LIARS_DICE_DONE)
        return;
    int first = s->bid + 2, end = highest_bid(s) + 2;
    for (int i = 0; i < 3; i++)
        out[i] = numbers_below(end - 64 * i) & ~numbers_below(first - 64 * i);
    out[0] |= (uint64_t)(s->bid > 0) << 1;
}

static void lose_dice(struct liars_dice_state *s, int seat, int dice, struct game_events *out)
{
    s->dice_counts[seat] = (uint8_t)(s->dice_counts[seat] - dice);
    s->total = (uint8_t)(s->total - dice);
    if (s->dice_counts[seat])
        return;
    s->in_play &= (uint8_t)~SEAT(seat);
    s->hand[seat] = 0;
    if (out)
        game_emit(out, LIARS_DICE_ELIMINATED, seat, EVERYONE);
}

static void end_match(struct liars_dice_state *s, struct game_events *out)
{
    s->phase = LIARS_DICE_DONE;
    s->winner = (uint8_t)__builtin_ctz(s->in_play);
    s->to_act = 0;
    if (out)
        game_emit(out, LIARS_DICE_GAME_OVER, s->winner, EVERYONE);
}

// What follows when `seat` has lost dice: the end, or a round that it opens, if eliminated the next clockwise (F6.L5).
static void begin_next_round(struct liars_dice_state *s, int seat, struct game_events *out)
{
    s->bid = s->bidder = 0;
    if (!(s->in_play & (s->in_play - 1))) {
        end_match(s, out);
        return;
    }
    s->to_act = (uint8_t)(s->dice_counts[seat] ? seat : game_next_seat(s->in_play, seat));
    s->round++;
    roll(s);
    if (out)
        liars_dice_tell_round(s, out);
}

// F6.L4. Never inlined: a bid, the more frequent answer, would save and restore registers for it.
static __attribute__((noinline)) void challenge(struct liars_dice_state *s, struct game_events *out)
{
    int challenger = s->to_act, bidder = s->bidder;
    int count = dice_count(s->hand, s->seats, liars_dice_face(s->bid), s->wild_ones);
    int loser = count >= liars_dice_quantity(s->bid) ? challenger : bidder;
    memcpy(s->shown, s->hand, sizeof s->shown);
    s->last_challenger = (uint8_t)challenger;
    s->last_bidder = (uint8_t)bidder;
    s->last_bid = s->bid;
    s->last_count = (uint8_t)count;
    s->last_loser = (uint8_t)loser;
    s->last_round = s->round;
    if (out)
        liars_dice_describe_challenge(s, out);
    lose_dice(s, loser, 1, out);
    begin_next_round(s, loser, out);
}

static void bid(struct liars_dice_state *s, int rank, struct game_events *out)
{
    if (out)
        game_emit(out, LIARS_DICE_BADE, s->to_act, EVERYONE)->amount = rank;
    s->bid = (uint8_t)rank;
    s->bidder = s->to_act;
    s->to_act = (uint8_t)game_next_seat(s->in_play, s->to_act);
}

// F6.L10
static __attribute__((noinline)) int drop(struct liars_dice_state *s, struct game_action a, struct game_events *out)
{
    int seat = a.arg[0];
    if (a.kind != GAME_DROP)
        return ERR_ACTION;
    if (seat != s->to_act)
        return ERR_SEAT;
    int dice = s->dice_counts[seat];
    struct game_event *e = game_emit(out, LIARS_DICE_DISCONNECTED, seat, EVERYONE);
    if (e)
        e->amount = dice, e->data[0] = a.arg[1];
    s->number++;
    lose_dice(s, seat, dice, out);
    begin_next_round(s, seat, out);
    return OK;
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct liars_dice_state *s = state;
    if (s->phase == LIARS_DICE_DONE)
        return ERR_OVER;
    if (seat == GAME_MASTER)
        return drop(s, a, out);
    if (seat != s->to_act)
        return ERR_SEAT;
    if (!is_legal(s, a))
        return ERR_ACTION;
    s->number++;
    if (a.kind == LIARS_DICE_BID)
        bid(s, a.amount, out);
    else
        challenge(s, out);
    return OK;
}

// F6.L9
static struct game_action fallback(const void *state, int seat)
{
    (void)seat;
    const struct liars_dice_state *s = state;
    if (2 * liars_dice_quantity(s->bid) > s->total || s->bid == highest_bid(s))
        return (struct game_action){.kind = LIARS_DICE_CHALLENGE};
    return (struct game_action){.kind = LIARS_DICE_BID, .amount = s->bid + 1};
}

// Five bytes a seat: its faces, then zeros. Before the next roll one seat may lose its last die, so one seat may have a
// face less than it has dice; whoever loses a die although all its faces are given loses the last of them.
static int stack(void *state, const uint8_t *items, int count)
{
    struct liars_dice_state *s = state;
    liars_dice_hand given[LIARS_DICE_SEATS] = {0};
    int missing = 0;
    if (s->phase == LIARS_DICE_DONE)
        return ERR_OVER;
    if (count != LIARS_DICE_DICE * s->seats)
        return ERR_RULES;
    for (int seat = 0; seat < s->seats; seat++) {
        int hand = dice_from_faces(items + LIARS_DICE_DICE * seat, LIARS_DICE_DICE);
        if (hand < 0 || dice_in((liars_dice_hand)hand) > s->dice_counts[seat])
            return ERR_RULES;
        given[seat] = (liars_dice_hand)hand;
        missing += s->dice_counts[seat] - dice_in(given[seat]);
    }
    if (missing > 1)
        return ERR_RULES;
    reach_next_round(s);
    draw_section(s, s->section - 1u); // what was stacked before is void
    put_ahead(s, given);
    return OK;
}

static void defaults(void *rules)
{
    struct liars_dice_rules *r = rules;
    memset(r, 0, sizeof *r);
    memset(r->dice_counts, LIARS_DICE_DICE, sizeof r->dice_counts);
    r->wild_ones = 1;
}

static const char *const scenarios[] = {"standard", "duel", "party", "short", "no_wilds", NULL};

// G26.5
static int scenario(void *rules, int index)
{
    static const struct {
        uint8_t seats, dice, wild_ones;
    } rows[] = {{4, 5, 1}, {2, 5, 1}, {6, 5, 1}, {4, 3, 1}, {4, 5, 0}};
    struct liars_dice_rules *r = rules;
    memset(r->dice_counts, rows[index].dice, sizeof r->dice_counts);
    r->wild_ones = rows[index].wild_ones;
    return rows[index].seats;
}

static const char *const rewarded[] = {"dice", "match", NULL};

const struct game liars_dice_game = {
    .name = "liars_dice",
    .version = 1,
    .rules_size = sizeof(struct liars_dice_rules),
    .state_size = sizeof(struct liars_dice_state),
    .view_size = sizeof(struct liars_dice_view),
    .entities_end = offsetof(struct liars_dice_state, number),
    .world_end = offsetof(struct liars_dice_state, key),
    .min_seats = 2,
    .max_seats = LIARS_DICE_SEATS,
    .flat_size = 2 + LIARS_DICE_FACES * LIARS_DICE_SEATS * LIARS_DICE_DICE,
    .vector_size = LIARS_DICE_VECTOR,
    .scenarios = scenarios,
    .rewarded = rewarded,
    .defaults = defaults,
    .scenario = scenario,
    .init = init,
    .turn = turn,
    .choices = choices,
    .flat = flat,
    .mask = mask,
    .apply = apply,
    .fallback = fallback,
    .stack = stack,
    .view = liars_dice_see,
    .vector = liars_dice_vector,
    .payoffs = liars_dice_payoffs,
    .rewards = liars_dice_rewards,
    .resample = liars_dice_resample,
    .imagine = liars_dice_imagine,
    .check = liars_dice_check,
    .rows = &liars_dice_rows,
};
