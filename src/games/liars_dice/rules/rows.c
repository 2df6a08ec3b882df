// Rows for learners: straight from the state, and what the rounds have shown (part 5.2 of docs/spec/train.md).
#include "games/liars_dice/rules/internal.h"

#include "game/pen.h"

#include <assert.h>
#include <stddef.h>

enum { SEATS = LIARS_DICE_SEATS, FACES = LIARS_DICE_FACES, DICE = LIARS_DICE_DICE };
enum { ALL_DICE = SEATS * DICE, RANKS = FACES * ALL_DICE, HABIT_CAP = 8, BIDS_WHOLE = 10 };

struct said {
    uint8_t quantity;
    uint8_t face[FACES]; // one of them is 1
};

struct shown {
    uint8_t faces[SEATS][FACES]; // how many dice of each
    struct said bid;
    uint8_t challenger[SEATS], bidder[SEATS], loser[SEATS]; // one of them is 1
    uint8_t count;
};

enum habit { HABIT_RIGHT, HABIT_WRONG, HABIT_CAUGHT, HABIT_HAD_IT, HABITS };

// What vector 2 adds, in the order and the bytes of the row, so that to observe it is to copy it: public, the same for
// every viewer. What is of this round comes first.
struct liars_dice_history {
    uint8_t bids[RANKS];   // 1: this rank was bid
    uint8_t opener[SEATS]; // one of them is 1
    uint8_t count;
    struct said last[SEATS];
    uint8_t habit[SEATS][HABITS]; // at most HABIT_CAP
    struct shown shown;           // by the last challenge
};

// G26.3, and what is kept.
struct liars_dice_row {
    uint8_t own[FACES];
    uint8_t dice[SEATS];
    uint8_t quantity, face[FACES], bidder[SEATS];
    uint8_t seat[SEATS]; // the viewer
    uint8_t total;
    struct liars_dice_history kept;
};
static_assert(offsetof(struct liars_dice_row, kept) == LIARS_DICE_VECTOR, "vector 2 begins with vector 1 (V31)");
static_assert(sizeof(struct liars_dice_row) == 347, "part 5.2");

// ---- Names ----------------------------------------------------------------------------------------------------------
#define AT(member)            ((int)offsetof(struct liars_dice_row, member))
#define ONE(member, ...)      GAME_ONE(struct liars_dice_row, member, __VA_ARGS__)
#define RUN(member, ...)      GAME_RUN(struct liars_dice_row, member, __VA_ARGS__)
#define GRID(member, ...)     GAME_GRID(struct liars_dice_row, member, __VA_ARGS__)
#define FIELD(array, ...)     GAME_FIELD(struct liars_dice_row, array, __VA_ARGS__)
#define FIELD_RUN(array, ...) GAME_FIELD_RUN(struct liars_dice_row, array, __VA_ARGS__)
#define OF(whole)             (1.0f / (whole))

static const char *const faces[] = {"1", "2", "3", "4", "5", "6"};
static const char *const habits[] = {"right", "wrong", "caught", "had_it"};
static const char *const ranks[] = {
#define RANK(q) #q "x1", #q "x2", #q "x3", #q "x4", #q "x5", #q "x6"
    RANK(1),  RANK(2),  RANK(3),  RANK(4),  RANK(5),  RANK(6),  RANK(7),  RANK(8),  RANK(9),  RANK(10),
    RANK(11), RANK(12), RANK(13), RANK(14), RANK(15), RANK(16), RANK(17), RANK(18), RANK(19), RANK(20),
    RANK(21), RANK(22), RANK(23), RANK(24), RANK(25), RANK(26), RANK(27), RANK(28), RANK(29), RANK(30),
#undef RANK
};

static const struct game_span spans[] = {
    RUN(own, "own.face.#", faces, OF(DICE), 1),
    RUN(dice, "seat.#.dice", NULL, OF(DICE), 1),
    ONE(quantity, "bid.quantity", OF(ALL_DICE), 1),
    RUN(face, "bid.face.#", faces, GAME_FLAG, 1),
    RUN(bidder, "bid.seat.#", NULL, GAME_FLAG, 1),
    RUN(seat, "own.seat.#", NULL, GAME_FLAG, 1),
    ONE(total, "dice", OF(ALL_DICE), 1),
    RUN(kept.bids, "round.bid.#", ranks, GAME_FLAG, 2),
    RUN(kept.opener, "round.opener.#", NULL, GAME_FLAG, 2),
    {.name = "round.bids",
     .group = "kept.count",
     .high = OF(BIDS_WHOLE) * RANKS,
     .step = OF(BIDS_WHOLE),
     .at = AT(kept.count),
     .since = 2},
    FIELD(kept.last, quantity, "seat.#.bid.quantity", OF(ALL_DICE), 2),
    FIELD_RUN(kept.last, face, "seat.#.bid.face.#", faces, GAME_FLAG, 2),
    GRID(kept.habit, "seat.#.habit.#", NULL, habits, OF(HABIT_CAP), 2),
    GRID(kept.shown.faces, "shown.#.face.#", NULL, faces, OF(DICE), 2),
    ONE(kept.shown.bid.quantity, "shown.bid.quantity", OF(ALL_DICE), 2),
    RUN(kept.shown.bid.face, "shown.bid.face.#", faces, GAME_FLAG, 2),
    RUN(kept.shown.challenger, "shown.challenger.#", NULL, GAME_FLAG, 2),
    RUN(kept.shown.bidder, "shown.bidder.#", NULL, GAME_FLAG, 2),
    RUN(kept.shown.loser, "shown.loser.#", NULL, GAME_FLAG, 2),
    ONE(kept.shown.count, "shown.count", OF(ALL_DICE), 2),
    {0},
};

// ---- History --------------------------------------------------------------------------------------------------------
// By two stores that overlap: seven, a byte each, take longer than the rest of a bid.
static void note_bid(struct said *said, int rank)
{
    uint64_t bytes = (unsigned)liars_dice_quantity(rank) | (uint64_t)1 << 8 * liars_dice_face(rank);
    uint32_t low = (uint32_t)bytes, high = (uint32_t)(bytes >> 24);
    static_assert(sizeof *said == 7, "quantity and six faces");
    memcpy(said, &low, sizeof low);
    memcpy(&said->face[2], &high, sizeof high);
}

static void add_habit(struct liars_dice_history *h, int seat, enum habit habit)
{
    if (h->habit[seat][habit] < HABIT_CAP)
        h->habit[seat][habit]++;
}

static void note_challenge(const struct liars_dice_state *s, struct liars_dice_history *h)
{
    bool right = s->last_loser == s->last_bidder;
    add_habit(h, s->last_challenger, right ? HABIT_RIGHT : HABIT_WRONG);
    add_habit(h, s->last_bidder, right ? HABIT_CAUGHT : HABIT_HAD_IT);
    h->shown = (struct shown){.count = s->last_count};
    note_bid(&h->shown.bid, s->last_bid);
    h->shown.challenger[s->last_challenger] = h->shown.bidder[s->last_bidder] = h->shown.loser[s->last_loser] = 1;
    for (int seat = 0; seat < s->seats; seat++)
        for (unsigned hand = s->shown[seat]; hand; hand >>= 3)
            h->shown.faces[seat][(hand & 7) - 1]++;
}

static void after(const void *state, void *history, int seat, struct game_action a, const struct game_mark *note)
{
    (void)note;
    const struct liars_dice_state *s = state;
    struct liars_dice_history *h = history;
    if (a.kind == LIARS_DICE_BID) {
        h->opener[seat] |= h->count == 0;
        h->count++;
        h->bids[a.amount - 1] = 1;
        note_bid(&h->last[seat], a.amount);
        return;
    }
    if (a.kind == LIARS_DICE_CHALLENGE)
        note_challenge(s, h);
    memset(h, 0, pen_size(offsetof(struct liars_dice_history, habit))); // a dropped seat ends the round too
}

// ---- Observations ---------------------------------------------------------------------------------------------------
// How many dice of each face, a byte each: face 1 in the lowest.
static uint64_t count_faces(liars_dice_hand hand)
{
    uint64_t counts = 0;
    for (int i = 0; i < DICE; i++)
        counts += (uint64_t)1 << 8 * (hand >> 3 * i & 7);
    return counts >> 8;
}

PEN_INLINE void write_now(struct game_pen p, const struct liars_dice_state *s, int viewer)
{
    uint64_t own = viewer < s->seats ? count_faces(s->hand[viewer]) : 0, dice;
    uint64_t bidder = (uint64_t)(s->bid > 0) << s->bidder;
    static_assert(AT(dice) == AT(own) + FACES && SEATS == 6, "twelve bytes in two registers");
    // One load of eight bytes, the last two of which are starting_dice: assembling six bytes in memory costs 5 ns.
    memcpy(&dice, (const uint8_t *)s + offsetof(struct liars_dice_state, dice_counts), sizeof dice);
    dice &= (UINT64_C(1) << 8 * SEATS) - 1;
    uint64_t first = own | dice << 48, rest = dice >> 16;
    pen_copy(p, AT(own), (const uint8_t *)&first, 8, OF(DICE)); // exact: at most five
    pen_copy(p, AT(own) + 8, (const uint8_t *)&rest, 4, OF(DICE));
    pen_count(p, AT(quantity), liars_dice_quantity(s->bid), ALL_DICE);
    uint64_t flags = pen_one_of((unsigned)liars_dice_face(s->bid) - 1) | bidder << FACES |
                     pen_one_of((unsigned)viewer) << (FACES + SEATS);
    pen_flags(p, AT(face), flags, FACES + SEATS + SEATS);
    pen_count(p, AT(total), s->total, ALL_DICE);
}

// The bytes that are no flags, once more, as floats.
PEN_INLINE void write_shares(float *out, const struct liars_dice_history *h)
{
    struct game_pen p = pen_f32(out);
    out[AT(kept.count)] = OF(BIDS_WHOLE) * (float)h->count;
    for (int i = 0; i < SEATS; i++)
        out[AT(kept.last) + i * (int)sizeof(struct said)] = OF(ALL_DICE) * (float)h->last[i].quantity;
    pen_copy(p, AT(kept.habit), &h->habit[0][0], sizeof h->habit, OF(HABIT_CAP));
    pen_copy(p, AT(kept.shown.faces), &h->shown.faces[0][0], sizeof h->shown.faces, OF(DICE));
    out[AT(kept.shown.bid.quantity)] = OF(ALL_DICE) * (float)h->shown.bid.quantity;
    out[AT(kept.shown.count)] = OF(ALL_DICE) * (float)h->shown.count;
}

PEN_INLINE void write_row(struct game_pen p, const struct liars_dice_state *s, const struct liars_dice_history *h,
                          int viewer, int version)
{
    write_now(p, s, viewer);
    if (version < 2)
        return;
    pen_copy(p, AT(kept), (const uint8_t *)h, sizeof *h, 1);
    if (p.dtype == GAME_F32)
        write_shares(p.f32, h);
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    if (dtype == GAME_F32)
        write_row(pen_f32(out), state, history, viewer, version);
    else
        write_row(pen_u8(out), state, history, viewer, version);
}

// ---- Rewards --------------------------------------------------------------------------------------------------------
enum { MARK_COUNTS, MARK_TOTAL = 2, MARK_PHASE };

static void mark(const void *state, struct game_mark *m)
{
    const struct liars_dice_state *s = state;
    memcpy(&m->at[MARK_COUNTS], s->dice_counts, sizeof s->dice_counts);
    m->at[MARK_TOTAL] = s->total;
    m->at[MARK_PHASE] = s->phase;
}

static void earned(const void *state, const struct game_mark *m, struct game_rewards *out)
{
    const struct liars_dice_state *s = state;
    uint8_t before[SEATS];
    for (int seat = 0; seat < SEATS; seat++)
        out->at[seat][0] = out->at[seat][1] = 0;
    if (m->at[MARK_TOTAL] == s->total)
        return;
    memcpy(before, &m->at[MARK_COUNTS], sizeof before);
    for (int seat = 0; seat < s->seats; seat++)
        if (before[seat] != s->dice_counts[seat])
            liars_dice_reward_loss(s, seat, before[seat] - s->dice_counts[seat], out);
    if (s->phase == LIARS_DICE_DONE && m->at[MARK_PHASE] != LIARS_DICE_DONE)
        out->at[s->winner][1] += 1;
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------
enum { TOKEN_ROUND = 1, TOKEN_BID, TOKEN_CHALLENGE, TOKEN_SHOWN, TOKEN_OUT };

static const struct game_token_kind token_kinds[] = {
    {"round", 0}, {"bid", 0}, {"challenge", GAME_ARG_SEAT_1}, {"shown", 0}, {"out", 0}, {0},
};

static void tokenise_round(struct game_tokens *out, int round, const uint8_t counts[SEATS])
{
    int dice = 0;
    for (int seat = 0; seat < SEATS; seat++)
        dice += counts[seat];
    game_add_token(out, TOKEN_ROUND, 0, round, dice);
}

static void tokenise_challenge(struct game_tokens *out, const struct game_event *e)
{
    struct liars_dice_challenge c = liars_dice_challenge_of(e);
    game_add_token(out, TOKEN_CHALLENGE, c.challenger + 1, c.count, c.loser + 1);
    for (int seat = 0; seat < SEATS; seat++)
        for (int i = 0; i < DICE && c.dice[seat][i]; i += 2)
            game_add_token(out, TOKEN_SHOWN, seat + 1, c.dice[seat][i], i + 1 < DICE ? c.dice[seat][i + 1] : 0);
}

static void tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out)
{
    (void)history;
    const struct liars_dice_state *s = state;
    if (count == 0) // only init tells nothing: F6.L6
        tokenise_round(out, s->round, s->dice_counts);
    for (const struct game_event *e = happened; e < happened + count; e++)
        if (e->kind == LIARS_DICE_BADE)
            game_add_token(out, TOKEN_BID, e->seat + 1, liars_dice_quantity(e->amount), liars_dice_face(e->amount));
        else if (e->kind == LIARS_DICE_CHALLENGED)
            tokenise_challenge(out, e);
        else if (e->kind == LIARS_DICE_ELIMINATED)
            game_add_token(out, TOKEN_OUT, e->seat + 1, 0, 0);
        else if (e->kind == LIARS_DICE_ROUND_START)
            tokenise_round(out, e->amount, e->data);
}

const struct game_rows liars_dice_rows = {
    .size = {LIARS_DICE_VECTOR, sizeof(struct liars_dice_row)},
    .history_size = (sizeof(struct liars_dice_history) + 7) / 8 * 8, // histories lie side by side
    .history_since = 2,
    .spans = spans,
    .token_kinds = token_kinds,
    .after = after,
    .tell = tell,
    .observe = observe,
    .action = liars_dice_action,
    .mark = mark,
    .earned = earned,
};
