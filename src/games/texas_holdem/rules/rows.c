// Observations straight from a state, and rewards by difference (V16-V34).
//
// Every row is written for nine seats whatever the table: stores are cheaper than loops whose end has to be guessed.
#include "games/texas_holdem/rules/rows.h"

#include "game/pen.h"

#include <string.h>

enum { ACTIONS = HOLDEM_ALLIN, STATUSES = HOLDEM_BUSTED + 1, MOST_RAISES = 4 };

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
    RUN(raises, "raises.#", streets, 1.0f / MOST_RAISES, 2),
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

PEN_INLINE void write_seats(struct game_pen p, const struct observer *o)
{
    enum { EACH = sizeof(((struct holdem_row *)0)->seat[0]) };
    float share[CHIPS_ROOM];
    unsigned in = o->in, live = o->s->live, able = o->s->able; // a byte that is written could be one of them
    int seats = o->s->seats;
    divide_chips(o->s, share);
    pen_zeros(p, AT(seat), EACH * HOLDEM_SEATS);
    for (int i = 0, at = AT(seat); i < seats; i++, at += EACH) {
        pen_share(p, at, share[i]);
        pen_share(p, at + 1, share[HOLDEM_SEATS + i]);
        write_status(p, at + 2, in >> i, live >> i, able >> i);
    }
}

PEN_INLINE int32_t sum_totals(const struct texas_holdem_state *s)
{
    int32_t pot = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        pot += s->total[i];
    return pot;
}

PEN_INLINE void write_first(struct game_pen p, const struct observer *o)
{
    const struct texas_holdem_state *s = o->s;
    float all = (float)s->all_chips;
    bool acts = ((s->able & o->viewer) != 0) & !o->done;
    write_cards(p, o);
    write_seats(p, o);
    uint64_t flags = UINT64_C(1) << s->button | (uint64_t)o->viewer << BIT(own, button);
    flags |= (uint64_t)(1u << s->phase & 0xF) << BIT(phase, button);
    pen_flags(p, AT(button), flags, AT(pot) - AT(button));
    pen_share(p, AT(pot), (float)sum_totals(s) / all);
    pen_share(p, AT(to_call), (float)pen_if(acts, s->current_bet - s->bet[o->seat]) / all);
    pen_share(p, AT(progress), (float)s->hand / (float)s->hands_total);
}

// What was put in on each street: the running one is the bet, which is 0 when the match is done.
PEN_INLINE void write_streets(struct game_pen p, const struct observer *o, float part)
{
    const int32_t *street[] = {o->h->street[0], o->h->street[1], o->h->street[2], o->h->street[3]};
    street[o->s->phase & (HOLDEM_STREETS - 1)] = o->s->bet;
#pragma GCC unroll 4
    for (int i = 0; i < HOLDEM_STREETS; i++) {
        const int32_t *put = street[i];
        int at = AT(put) + HOLDEM_SEATS * i;
        pen_shares(p, at, load_chips(put) * part);
        pen_shares(p, at + 4, load_chips(put + 4) * part);
        pen_share(p, at + 8, (float)put[8] * part);
    }
}

PEN_INLINE void write_bounds(struct game_pen p, const struct observer *o, float part)
{
    const struct texas_holdem_state *s = o->s;
    struct holdem_bounds b = holdem_bounds_of(s, o->seat);
    bool may = (o->viewer != 0) & (s->actor == o->seat) & b.may_raise;
    four_chips price = {s->small_blind, s->big_blind, s->ante, s->current_bet};
    pen_shares(p, AT(small_blind), pen_capped(__builtin_convertvector(price, pen_floats) * part));
    pen_share(p, AT(min_raise), (float)pen_if(may, b.min) * part);
    pen_share(p, AT(max_raise), (float)pen_if(may, b.max) * part);
}

PEN_INLINE void write_habits(struct game_pen p, const struct observer *o)
{
    uint32_t hands = o->s->hand < HOLDEM_COUNTED_HANDS ? o->s->hand : HOLDEM_COUNTED_HANDS;
    float part = 1 / (float)hands;
    int seats = o->s->seats;
    pen_zeros(p, AT(habit), HOLDEM_SEATS * HOLDEM_HABITS);
    for (int i = 0; i < seats; i++) {
        float own = (float)(o->in >> i & 1) * part;
        pen_shares(p, AT(habit) + HOLDEM_HABITS * i, pen_four_counts(o->h->habit[i]) * own);
    }
}

PEN_INLINE void write_second(struct game_pen p, const struct observer *o)
{
    float part = 1 / (float)o->s->all_chips;
    write_streets(p, o, part);
    for (int i = 0; i < HOLDEM_STREETS; i++) {
        int raises = o->h->raises[i];
        pen_count(p, AT(raises) + i, raises < MOST_RAISES ? raises : MOST_RAISES, MOST_RAISES);
    }
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
