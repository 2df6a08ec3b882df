// Observations straight from a state, and rewards by difference (V16-V34).
//
// Every row is written for nine seats whatever the table: stores are cheaper than loops whose end has to be guessed.
#include "games/texas_holdem/rules/rows.h"

#include "game/pen.h"

#include <string.h>

enum { ACTIONS = HOLDEM_ALLIN, STATUSES = HOLDEM_BUSTED + 1 };

// G25.4, and from `put` on part 5.2 of docs/spec/train.md. Seats are absolute; chips are shares of all chips.
struct holdem_row {
    uint8_t hole[CARDS_IN_DECK], board[CARDS_IN_DECK];
    struct {
        uint8_t chips, bet, status[STATUSES];
    } seat[HOLDEM_SEATS];
    uint8_t button[HOLDEM_SEATS], own[HOLDEM_SEATS], phase[HOLDEM_STREETS];
    uint8_t pot, to_call, progress;
    uint8_t put[HOLDEM_STREETS][HOLDEM_SEATS];
    uint8_t raises[HOLDEM_STREETS];
    uint8_t aggressor[HOLDEM_STREETS][HOLDEM_SEATS];
    uint8_t did[HOLDEM_SEATS][ACTIONS];
    uint8_t small_blind, big_blind, ante, current_bet, min_raise, max_raise;
    uint8_t habit[HOLDEM_SEATS][HOLDEM_HABITS];
};
_Static_assert(offsetof(struct holdem_row, put) == HOLDEM_VECTOR, "vector 2 begins with vector 1 (V31)");
_Static_assert(sizeof(struct holdem_row) == 346, "part 5.2");

#define AT(member)        ((int)offsetof(struct holdem_row, member))
#define BIT(member, from) (AT(member) - AT(from)) // in a word of flags that begins at `from`
#define ONE(member, ...)  GAME_ONE(struct holdem_row, member, __VA_ARGS__)
#define RUN(member, ...)  GAME_RUN(struct holdem_row, member, __VA_ARGS__)
#define GRID(member, ...) GAME_GRID(struct holdem_row, member, __VA_ARGS__)
#define RANK(letter)      letter "c", letter "d", letter "h", letter "s"

static const char *const cards[] = {RANK("2"), RANK("3"), RANK("4"), RANK("5"), RANK("6"), RANK("7"), RANK("8"),
                                    RANK("9"), RANK("T"), RANK("J"), RANK("Q"), RANK("K"), RANK("A")};
static const char *const statuses[] = {"active", "folded", "all_in", "busted"};
static const char *const streets[] = {"preflop", "flop", "turn", "river"};
static const char *const actions[] = {"fold", "check", "call", "raise", "all_in"};
static const char *const habits[] = {"paid", "raised", "raised_later", "showed"};

static const struct game_span spans[] = {
    RUN(hole, "hole.#", cards, GAME_FLAG, 1),
    RUN(board, "board.#", cards, GAME_FLAG, 1),
    GAME_FIELD(struct holdem_row, seat, chips, "seat.#.chips", GAME_SHARE, 1),
    GAME_FIELD(struct holdem_row, seat, bet, "seat.#.bet", GAME_SHARE, 1),
    GAME_FIELD_RUN(struct holdem_row, seat, status, "seat.#.#", statuses, GAME_FLAG, 1),
    RUN(button, "button.#", NULL, GAME_FLAG, 1),
    RUN(own, "own.#", NULL, GAME_FLAG, 1),
    RUN(phase, "phase.#", streets, GAME_FLAG, 1),
    ONE(pot, "pot", GAME_SHARE, 1),
    ONE(to_call, "to_call", GAME_SHARE, 1),
    ONE(progress, "progress", GAME_SHARE, 1),
    GRID(put, "put.#.#", streets, NULL, GAME_SHARE, 2),
    RUN(raises, "raises.#", streets, 1.0f / HOLDEM_MOST_RAISES, 2),
    GRID(aggressor, "aggressor.#.#", streets, NULL, GAME_FLAG, 2),
    GRID(did, "did.#.#", NULL, actions, GAME_FLAG, 2),
    ONE(small_blind, "small_blind", GAME_SHARE, 2),
    ONE(big_blind, "big_blind", GAME_SHARE, 2),
    ONE(ante, "ante", GAME_SHARE, 2),
    ONE(current_bet, "current_bet", GAME_SHARE, 2),
    ONE(min_raise, "min_raise", GAME_SHARE, 2),
    ONE(max_raise, "max_raise", GAME_SHARE, 2),
    GRID(habit, "habit.#.#", NULL, habits, GAME_SHARE, 2),
    {0},
};

// ---- Observations ---------------------------------------------------------------------------------------------------
struct observer {
    const struct texas_holdem_state *s;
    const struct holdem_history *h;
    seat_set in;     // who plays this hand, or was not broke at the end
    seat_set viewer; // as a set; empty for the gallery
    uint8_t seat;    // of the viewer; any for the gallery
    bool done;
    uint8_t unused[2];
};

PEN_INLINE struct observer observer_of(const struct texas_holdem_state *s, const struct holdem_history *h, int viewer)
{
    return (struct observer){.s = s,
                             .h = h,
                             .in = s->dealt & (seat_set)~s->dropped,
                             .viewer = (seat_set)(viewer < HOLDEM_SEATS ? SEAT(viewer) : 0),
                             .seat = (uint8_t)(viewer < HOLDEM_SEATS ? viewer : 0),
                             .done = s->phase == HOLDEM_DONE};
}

// A card of a run of 52 that is all zeros. One that is not there goes where something else is written later.
PEN_INLINE void write_card(struct game_pen p, int at, bool there, uint8_t card)
{
    pen_flag(p, AT(button) + pen_if(there, at + card - AT(button)), true);
}

// The cards of the running hand, or of the last one when the match is done.
PEN_INLINE void write_cards(struct game_pen p, const struct observer *o)
{
    const struct texas_holdem_state *s = o->s;
    const uint8_t(*hole)[2] = o->h->hole;
    const uint8_t *board = o->h->board;
    if (o->done ? s->last.drawn : s->drawn) { // stacked or resampled
        hole = o->done ? s->last.cards : s->hole;
        board = o->done ? s->last.board : s->runout;
    }
    static const uint8_t open[] = {[HOLDEM_FLOP] = 3, 4, 5};
    int count = o->done ? s->last.board_count : open[s->phase];
    bool has = o->in & o->viewer;
    pen_zeros(p, AT(hole), AT(seat) - AT(hole));
    write_card(p, AT(hole), has, hole[o->seat][0]);
    write_card(p, AT(hole), has, hole[o->seat][1]);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        write_card(p, AT(board), i < count, board[i]);
}

typedef int32_t four_chips __attribute__((vector_size(16)));

PEN_INLINE pen_floats load_chips(const int32_t *at)
{
    four_chips four;
    memcpy(&four, at, sizeof four);
    return __builtin_convertvector(four, pen_floats);
}

// Chips and bets lie side by side in the state: eighteen numbers, divided four at a time.
enum { CHIPS_AND_BETS = 2 * HOLDEM_SEATS, CHIPS_ROOM = CHIPS_AND_BETS + 2 };
_Static_assert(offsetof(struct texas_holdem_state, chips) == 0 &&
                   offsetof(struct texas_holdem_state, bet) == HOLDEM_SEATS * sizeof(int32_t) &&
                   offsetof(struct texas_holdem_state, total) == CHIPS_AND_BETS * sizeof(int32_t),
               "one load goes over their borders");

PEN_INLINE void divide_chips(const struct texas_holdem_state *s, float out[CHIPS_ROOM])
{
    const int32_t *chips = (const int32_t *)s;
    pen_floats all = (float)s->all_chips - (pen_floats){0};
#pragma GCC unroll 5
    for (int i = 0; i < CHIPS_ROOM; i += 4)
        pen_shares(pen_f32(out), i, load_chips(chips + i) / all);
}

// Four flags, of which one is set, by three sets whose lowest bit is the seat.
PEN_INLINE void write_status(struct game_pen p, int at, unsigned in, unsigned live, unsigned able)
{
    static const uint8_t flags[8][STATUSES] = {
#define STATUS(sets, status) [sets] = {[status] = 1}
        STATUS(0, HOLDEM_BUSTED), STATUS(1, HOLDEM_FOLDED), STATUS(2, HOLDEM_BUSTED), STATUS(3, HOLDEM_ALL_IN),
        STATUS(4, HOLDEM_BUSTED), STATUS(5, HOLDEM_FOLDED), STATUS(6, HOLDEM_BUSTED), STATUS(7, HOLDEM_ACTIVE)};
#undef STATUS
    pen_copy(p, at, flags[(in & 1) | (live & 1) << 1 | (able & 1) << 2], STATUSES, 1);
}

enum { SEAT_SIZE = sizeof(((struct holdem_row *)0)->seat[0]) };

PEN_INLINE void write_seats_as_floats(struct game_pen p, const struct observer *o)
{
    float share[CHIPS_ROOM];
    unsigned in = o->in, live = o->s->live, able = o->s->able; // a byte that is written could be one of them
    int seats = o->s->seats;
    divide_chips(o->s, share);
    for (int i = 0, at = AT(seat); i < seats; i++, at += SEAT_SIZE) {
        pen_share(p, at, share[i]);
        pen_share(p, at + 1, share[HOLDEM_SEATS + i]);
        write_status(p, at + 2, in >> i, live >> i, able >> i);
    }
}

// Chips and bet of a seat side by side, one pair for each.
PEN_INLINE void pair_chips(const struct texas_holdem_state *s, uint8_t out[32])
{
    const int32_t *chips = (const int32_t *)s;
    pen_floats all = (float)s->all_chips - (pen_floats){0};
    pen_floats first = load_chips(chips) / all;
    if (s->seats <= 4) {
        pen_floats bets = load_chips(chips + HOLDEM_SEATS) / all;
        pen_bytes four = pen_floors(first, bets, bets, bets);
        four = __builtin_shufflevector(four, four, 0, 4, 1, 5, 2, 6, 3, 7, 0, 4, 1, 5, 2, 6, 3, 7);
        memcpy(out, &four, sizeof four);
        return;
    }
    pen_floats last = load_chips(chips + 16) / all;
    pen_bytes low =
        pen_floors(first, load_chips(chips + 4) / all, load_chips(chips + 8) / all, load_chips(chips + 12) / all);
    pen_bytes high = pen_floors(last, last, last, last);
    pen_bytes eight = __builtin_shufflevector(low, high, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7, 16);
    pen_bytes ninth = __builtin_shufflevector(low, high, 8, 17, 8, 17, 8, 17, 8, 17, 8, 17, 8, 17, 8, 17, 8, 17);
    memcpy(out, &eight, sizeof eight);
    memcpy(out + sizeof eight, &ninth, sizeof ninth);
}

// A seat is one store of eight bytes. What it writes beyond its six is of the next seat, or flags that come later.
PEN_INLINE void write_seats_as_bytes(uint8_t *row, const struct observer *o)
{
    static const uint64_t flags[8] = {
#define STATUS(sets, status) [sets] = UINT64_C(1) << 8 * (2 + (status))
        STATUS(0, HOLDEM_BUSTED), STATUS(1, HOLDEM_FOLDED), STATUS(2, HOLDEM_BUSTED), STATUS(3, HOLDEM_ALL_IN),
        STATUS(4, HOLDEM_BUSTED), STATUS(5, HOLDEM_FOLDED), STATUS(6, HOLDEM_BUSTED), STATUS(7, HOLDEM_ACTIVE)};
#undef STATUS
    uint8_t pairs[32];
    unsigned in = o->in, live = o->s->live, able = o->s->able;
    int seats = o->s->seats;
    pair_chips(o->s, pairs);
    for (int i = 0; i < seats; i++) {
        uint16_t pair;
        memcpy(&pair, pairs + 2 * i, sizeof pair);
        uint64_t seat = pair | flags[(in >> i & 1) | (live >> i & 1) << 1 | (able >> i & 1) << 2];
        memcpy(row + AT(seat) + SEAT_SIZE * i, &seat, sizeof seat);
    }
}

PEN_INLINE void write_seats(struct game_pen p, const struct observer *o)
{
    pen_zeros(p, AT(seat), SEAT_SIZE * HOLDEM_SEATS);
    if (p.dtype == GAME_F32)
        write_seats_as_floats(p, o);
    else
        write_seats_as_bytes(p.u8, o);
}

PEN_INLINE int32_t sum_totals(const struct texas_holdem_state *s)
{
    int32_t pot = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        pot += s->total[i];
    return pot;
}

// Pot, what the viewer must call, and how far the match has come. The four end where the row of vector 1 ends; the one
// in front is a flag that is written later.
PEN_INLINE void write_pot(struct game_pen p, const struct observer *o)
{
    const struct texas_holdem_state *s = o->s;
    bool acts = ((s->able & o->viewer) != 0) & !o->done;
    four_chips part = {0, sum_totals(s), pen_if(acts, s->current_bet - s->bet[o->seat]), (int32_t)s->hand};
    four_chips whole = {1, s->all_chips, s->all_chips, (int32_t)s->hands_total};
    pen_shares(p, AT(pot) - 1, __builtin_convertvector(part, pen_floats) / __builtin_convertvector(whole, pen_floats));
}

PEN_INLINE void write_first(struct game_pen p, const struct observer *o)
{
    const struct texas_holdem_state *s = o->s;
    write_cards(p, o);
    write_seats(p, o);
    write_pot(p, o);
    uint64_t flags = UINT64_C(1) << s->button | (uint64_t)o->viewer << BIT(own, button);
    flags |= (uint64_t)(1u << s->phase & 0xF) << BIT(phase, button);
    pen_flags(p, AT(button), flags, AT(pot) - AT(button));
}

// As bytes: four seats of four streets at once, or eight of two.
PEN_INLINE void write_streets_as_bytes(uint8_t *out, const int32_t *const street[], int seats, float part)
{
#define PUT(i, from) (load_chips(street[i] + (from)) * part)
    pen_zeros(pen_u8(out), 0, HOLDEM_STREETS * HOLDEM_SEATS);
    if (seats <= 4) {
        pen_bytes all = pen_floors(PUT(0, 0), PUT(1, 0), PUT(2, 0), PUT(3, 0));
        for (int i = 0; i < HOLDEM_STREETS; i++)
            memcpy(out + HOLDEM_SEATS * i, (const uint8_t *)&all + 4 * i, 4);
        return;
    }
    for (int i = 0; i < HOLDEM_STREETS; i += 2) {
        pen_bytes two = pen_floors(PUT(i, 0), PUT(i, 4), PUT(i + 1, 0), PUT(i + 1, 4));
        memcpy(out + HOLDEM_SEATS * i, &two, 8);
        memcpy(out + HOLDEM_SEATS * (i + 1), (const uint8_t *)&two + 8, 8);
    }
    for (int i = 0; i < HOLDEM_STREETS && seats == HOLDEM_SEATS; i++)
        pen_share(pen_u8(out), HOLDEM_SEATS * i + 8, (float)street[i][8] * part);
#undef PUT
}

// What was put in on each street: the running one is the bet, which is 0 when the match is done.
PEN_INLINE void write_streets(struct game_pen p, const struct observer *o, float part)
{
    const int32_t *street[] = {o->h->street[0], o->h->street[1], o->h->street[2], o->h->street[3]};
    street[o->s->phase & (HOLDEM_STREETS - 1)] = o->s->bet;
    if (p.dtype == GAME_U8) {
        write_streets_as_bytes(p.u8 + AT(put), street, o->s->seats, part);
        return;
    }
#pragma GCC unroll 4
    for (int i = 0; i < HOLDEM_STREETS; i++) {
        const int32_t *put = street[i];
        int at = AT(put) + HOLDEM_SEATS * i;
        pen_shares(p, at, load_chips(put) * part);
        pen_shares(p, at + 4, load_chips(put + 4) * part);
        pen_share(p, at + 8, (float)put[8] * part);
    }
}

// Two of the eight are the first of the habits, which are written later.
PEN_INLINE void write_bounds(struct game_pen p, const struct observer *o, float part)
{
    const struct texas_holdem_state *s = o->s;
    struct holdem_bounds b = holdem_bounds_of(s, o->seat);
    bool may = (o->viewer != 0) & (s->actor == o->seat) & b.may_raise;
    four_chips price = {s->small_blind, s->big_blind, s->ante, s->current_bet};
    four_chips raise = {pen_if(may, b.min), pen_if(may, b.max)};
    pen_shares(p, AT(small_blind), pen_capped(__builtin_convertvector(price, pen_floats) * part));
    pen_shares(p, AT(min_raise), __builtin_convertvector(raise, pen_floats) * part);
}

// As bytes: four seats at once. Those who are out have nothing.
PEN_INLINE void write_habits_as_bytes(uint8_t *out, const struct observer *o, float part)
{
    const pen_lanes places = {1, 2, 4, 8};
    int seats = o->s->seats, i = 0;
    for (; i < 8 && i < seats; i += 4) {
        const uint64_t *habit = o->h->habit + i;
        pen_lanes in = ((uint32_t)o->in >> i) - (pen_lanes){0};
        pen_bytes four = pen_floors(pen_four_counts(habit[0]) * part, pen_four_counts(habit[1]) * part,
                                    pen_four_counts(habit[2]) * part, pen_four_counts(habit[3]) * part);
        four &= (pen_bytes)((in & places) == places);
        memcpy(out + HOLDEM_HABITS * i, &four, sizeof four);
    }
    if (seats == HOLDEM_SEATS)
        pen_shares(pen_u8(out), HOLDEM_HABITS * i, pen_four_counts(o->h->habit[i]) * ((float)(o->in >> i & 1) * part));
}

PEN_INLINE void write_habits(struct game_pen p, const struct observer *o)
{
    uint32_t hands = o->s->hand < HOLDEM_COUNTED_HANDS ? o->s->hand : HOLDEM_COUNTED_HANDS;
    float part = 1 / (float)hands;
    int seats = o->s->seats;
    pen_zeros(p, AT(habit), HOLDEM_SEATS * HOLDEM_HABITS);
    if (p.dtype == GAME_U8) {
        write_habits_as_bytes(p.u8 + AT(habit), o, part);
        return;
    }
    for (int i = 0; i < seats; i++) {
        float own = (float)(o->in >> i & 1) * part;
        pen_shares(p, AT(habit) + HOLDEM_HABITS * i, pen_four_counts(o->h->habit[i]) * own);
    }
}

PEN_INLINE void write_second(struct game_pen p, const struct observer *o)
{
    float part = 1 / (float)o->s->all_chips;
    write_streets(p, o, part);
    pen_copy(p, AT(raises), o->h->raises, HOLDEM_STREETS, 1.0f / HOLDEM_MOST_RAISES);
    pen_flags(p, AT(aggressor), o->h->aggressor, HOLDEM_STREETS * HOLDEM_SEATS);
    pen_flags(p, AT(did), o->h->did, HOLDEM_SEATS * ACTIONS);
    write_bounds(p, o, part);
    write_habits(p, o);
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    const struct observer o = observer_of(state, history, viewer);
    if (dtype == GAME_F32) {
        write_first(pen_f32(out), &o);
        if (version > 1)
            write_second(pen_f32(out), &o);
    } else {
        write_first(pen_u8(out), &o);
        if (version > 1)
            write_second(pen_u8(out), &o);
    }
}

// ---- Rewards (G25.5) ------------------------------------------------------------------------------------------------
// A hand moves chips between seats when it is settled, and a dropped seat takes its stack along; until then what was
// bet counts as the seat's own.
enum mark { OWNED, SETTLED = HOLDEM_SEATS, REMOVED, WAS_DONE };

static void mark(const void *state, struct game_mark *m)
{
    const struct texas_holdem_state *s = state;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        m->at[OWNED + i] = s->cash ? s->net[i] : s->chips[i] + s->total[i];
    m->at[SETTLED] = (int32_t)s->last.number;
    m->at[REMOVED] = s->removed;
    m->at[WAS_DONE] = s->phase == HOLDEM_DONE;
}

static void earned(const void *state, const struct game_mark *m, struct game_rewards *out)
{
    enum { CHIPS, MATCH };
    const struct texas_holdem_state *s = state;
    for (int i = 0; i < s->seats; i++)
        out->at[i][CHIPS] = out->at[i][MATCH] = 0;
    if (m->at[SETTLED] == (int32_t)s->last.number && m->at[REMOVED] == s->removed)
        return;
    float average = (float)s->all_chips / (float)s->seats;
    for (int i = 0; i < s->seats; i++)
        out->at[i][CHIPS] = (float)((s->cash ? s->net[i] : s->chips[i] + s->total[i]) - m->at[OWNED + i]) / average;
    if (s->phase != HOLDEM_DONE || m->at[WAS_DONE])
        return;
    seat_set winners = holdem_leaders(s);
    for (int i = 0; i < s->seats; i++)
        out->at[i][MATCH] = winners >> i & 1 ? 1.0f / (float)__builtin_popcount(winners) : 0;
}

const struct game_rows holdem_rows = {
    .size = {HOLDEM_VECTOR, sizeof(struct holdem_row)},
    .history_size = sizeof(struct holdem_history),
    .spans = spans,
    .token_kinds = holdem_token_kinds,
    .begin = holdem_begin_history,
    .before = holdem_before,
    .after = holdem_after,
    .after_brief = holdem_after_brief,
    .tell = holdem_tell,
    .observe = observe,
    .action = holdem_action,
    .mark = mark,
    .earned = earned,
};
