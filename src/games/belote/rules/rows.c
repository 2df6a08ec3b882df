// Observations straight from a state, rewards by difference, history and tokens (V16-V84).
//
// Everything but the shares of points is flags. They are gathered into words of bits with no branch that depends on the
// deal: whose turn it is and what lies on the table differs from one environment of a batch to the next.
#include "game/pen.h"
#include "games/belote/rules/internal.h"

#include <stddef.h>
#include <string.h>

enum { SAID = 6, MOST_POINTS = 258, LAST_POINTS = 162 };

// What everybody saw in the running deal, and the state would have to be searched for.
struct belote_history {
    uint32_t played[BELOTE_SEATS]; // cards by seat
    uint32_t facts[BELOTE_SEATS];  // cards a seat cannot hold by what it played (B15.6)
    uint32_t last, first;          // announcement of each seat, a set of modes each: six bits a seat
    uint8_t when[BELOTE_CARDS];    // number of the play, from 1; 0: not yet
    uint8_t best, taker;           // of the running trick
    uint8_t unused[6];
};

// G28.3, and from `by` on part 5.2 of docs/spec/train.md. Seats are relative to the viewer, teams are ours and theirs.
struct belote_row {
    uint8_t hand[BELOTE_CARDS], played[BELOTE_CARDS];
    uint8_t trick[BELOTE_SEATS][BELOTE_CARDS];
    uint8_t mode[BELOTE_MODES], team[2], multiplier[3], phase[BELOTE_DONE], dealer[BELOTE_SEATS], leader[BELOTE_SEATS];
    uint8_t said[BELOTE_SEATS][SAID];
    uint8_t locked, doubled[BELOTE_MODES], redoubled[BELOTE_MODES];
    uint8_t points[2], card_points[2];
    uint8_t by[BELOTE_SEATS][BELOTE_CARDS], when[BELOTE_CARDS], cannot[BELOTE_SEATS - 1][BELOTE_CARDS];
    uint8_t won[2], tricks;
    uint8_t first[BELOTE_SEATS][SAID], high[BELOTE_MODES], bidder[BELOTE_SEATS];
    uint8_t accepts, bids;
    uint8_t last_mode[BELOTE_MODES], last_multiplier[3], last_team[2];
    uint8_t last_points[2];
};
_Static_assert(offsetof(struct belote_row, by) == BELOTE_VECTOR_SIZE, "vector 2 begins with vector 1 (V31)");
_Static_assert(sizeof(struct belote_row) == 563, "part 5.2");

_Static_assert(sizeof(struct belote_history) % 8 == 0, "histories lie side by side");

#define AT(member)        ((int)offsetof(struct belote_row, member))
#define BIT(member, from) (AT(member) - AT(from)) // in a word of flags that begins at `from`
#define ONE(member, ...)  GAME_ONE(struct belote_row, member, __VA_ARGS__)
#define RUN(member, ...)  GAME_RUN(struct belote_row, member, __VA_ARGS__)
#define GRID(member, ...) GAME_GRID(struct belote_row, member, __VA_ARGS__)
#define SUIT(letter)      "7" letter, "8" letter, "9" letter, "T" letter, "J" letter, "Q" letter, "K" letter, "A" letter

static const char *const cards[] = {SUIT("C"), SUIT("D"), SUIT("H"), SUIT("S")};
static const char *const modes[] = {"clubs", "diamonds", "hearts", "spades", "no_trumps", "all_trumps"};
static const char *const teams[] = {"us", "them"};
static const char *const multipliers[] = {"1", "2", "4"};
static const char *const phases[] = {"cut", "bid", "play"};
static const char *const seats[] = {"me", "left", "partner", "right"};
static const char *const others[] = {"left", "partner", "right"};

static const struct game_span spans[] = {
    RUN(hand, "hand.#", cards, GAME_FLAG, 1),
    RUN(played, "played.#", cards, GAME_FLAG, 1),
    GRID(trick, "trick.#.#", seats, cards, GAME_FLAG, 1),
    RUN(mode, "mode.#", modes, GAME_FLAG, 1),
    RUN(team, "team.#", teams, GAME_FLAG, 1),
    RUN(multiplier, "multiplier.#", multipliers, GAME_FLAG, 1),
    RUN(phase, "phase.#", phases, GAME_FLAG, 1),
    RUN(dealer, "dealer.#", seats, GAME_FLAG, 1),
    RUN(leader, "leader.#", seats, GAME_FLAG, 1),
    GRID(said, "said.#.#", seats, modes, GAME_FLAG, 1),
    ONE(locked, "locked", GAME_FLAG, 1),
    RUN(doubled, "doubled.#", modes, GAME_FLAG, 1),
    RUN(redoubled, "redoubled.#", modes, GAME_FLAG, 1),
    RUN(points, "points.#", teams, GAME_SHARE, 1),
    RUN(card_points, "card_points.#", teams, GAME_SHARE, 1),
    GRID(by, "by.#.#", seats, cards, GAME_FLAG, 2),
    RUN(when, "when.#", cards, 1.0f / BELOTE_CARDS, 2),
    GRID(cannot, "cannot.#.#", others, cards, GAME_FLAG, 2),
    RUN(won, "won.#", teams, 1.0f / BELOTE_TRICKS, 2),
    ONE(tricks, "tricks", 1.0f / BELOTE_TRICKS, 2),
    GRID(first, "first.#.#", seats, modes, GAME_FLAG, 2),
    RUN(high, "high.#", modes, GAME_FLAG, 2),
    RUN(bidder, "bidder.#", seats, GAME_FLAG, 2),
    ONE(accepts, "accepts", 1.0f / 3, 2),
    ONE(bids, "bids", 1.0f / BELOTE_MAX_BIDS, 2),
    RUN(last_mode, "last.mode.#", modes, GAME_FLAG, 2),
    RUN(last_multiplier, "last.multiplier.#", multipliers, GAME_FLAG, 2),
    RUN(last_team, "last.team.#", teams, GAME_FLAG, 2),
    RUN(last_points, "last.points.#", teams, 1.0f / LAST_POINTS, 2),
    {0},
};

// ---- History --------------------------------------------------------------------------------------------------------
// The card is the last one that was played; h->best and h->taker are those before it.
static void keep_play(struct belote_history *h, const struct belote_state *s, int seat, int card)
{
    int place = s->plays - 1;
    h->played[seat] |= 1u << card;
    h->when[card] = s->plays;
    if (place % 4)
        h->facts[seat] |=
            belote_infer(s->mode, s->play[place & ~3], h->best, belote_team(seat) == belote_team(h->taker), card);
    h->best = s->best;
    h->taker = s->taker;
}

static void keep_announcement(struct belote_history *h, int seat, int mode)
{
    uint32_t own = (uint32_t)0x3F << SAID * seat, said = 1u << (SAID * seat + mode);
    h->last = (h->last & ~own) | said;
    h->first |= h->first & own ? 0 : said;
}

static void after(const void *state, void *history, int seat, struct game_action action, const struct game_mark *note)
{
    (void)note;
    const struct belote_state *s = state;
    struct belote_history *h = history;
    if (s->phase == BELOTE_CUT_PHASE)
        memset(h, 0, sizeof *h); // a new deal
    else if (action.kind == BELOTE_PLAY)
        keep_play(h, s, seat, action.arg[0]);
    else if (action.kind == BELOTE_ANNOUNCE)
        keep_announcement(h, seat, action.arg[0]);
}

// Vector 1 reads the last announcements alone. The highest bid is the last one of its bidder.
static void after_brief(const void *state, void *history)
{
    const struct belote_state *s = state;
    struct belote_history *h = history;
    if (s->phase == BELOTE_CUT_PHASE)
        h->last = 0;
    else if (s->phase == BELOTE_BID_PHASE && s->high != BELOTE_NONE)
        keep_announcement(h, s->bidder, s->high);
}

// ---- Observations ---------------------------------------------------------------------------------------------------
PEN_INLINE int relative_seat(int seat, int me)
{
    return (seat - me) & (BELOTE_SEATS - 1);
}

// Six bits for each seat, the viewer's first.
PEN_INLINE uint32_t turn_said(uint32_t said, int me)
{
    return (said >> SAID * me | said << SAID * (BELOTE_SEATS - me)) & 0xFFFFFF;
}

PEN_INLINE uint32_t whose(int team, int us)
{
    return (uint32_t)(team != BELOTE_NONE) << ((team ^ us) & 1);
}

// Who leads the running or coming trick; in the other phases who will open.
PEN_INLINE uint64_t leader_of(const struct belote_state *s, int me)
{
    int trick = s->plays % 4 ? trick_leader(s, s->plays / 4) : s->turn;
    int seat = s->phase == BELOTE_PLAY_PHASE ? trick : seat_after(s->dealer, 1);
    return (uint64_t)(s->phase != BELOTE_DONE) << relative_seat(seat, me);
}

// Of 128 flags three are set at most: zeros first, then each of those. A card that is not there goes to the first flag
// of the mode, which is written later.
PEN_INLINE void write_trick(struct game_pen p, const struct belote_state *s, int me)
{
    int lying = s->plays % 4, first = s->plays & (BELOTE_CARDS - 4), leader = s->leaders >> 2 * (s->plays / 4) & 3;
    pen_zeros(p, AT(trick), BELOTE_SEATS * BELOTE_CARDS);
#pragma GCC unroll 3
    for (int i = 0; i < BELOTE_SEATS - 1; i++) {
        int at = AT(trick) + BELOTE_CARDS * relative_seat(leader + i, me) + s->play[first + i];
        pen_flag(p, AT(mode) + pen_if(i < lying, at - AT(mode)), true);
    }
}

// All flags from `mode` to `redoubled`, in one word.
PEN_INLINE uint64_t table_flags(const struct belote_state *s, const struct belote_history *h, int me)
{
    uint64_t flags = pen_one_of(s->mode);
    flags |= (uint64_t)whose(s->team, belote_team(me)) << BIT(team, mode);
    flags |= (uint64_t)s->multiplier << BIT(multiplier, mode); // 1, 2 and 4 are their own bits
    flags |= (uint64_t)(1u << s->phase & 7) << BIT(phase, mode);
    flags |= UINT64_C(1) << (BIT(dealer, mode) + relative_seat(s->dealer, me));
    flags |= leader_of(s, me) << BIT(leader, mode);
    flags |= (uint64_t)turn_said(h->last, me) << BIT(said, mode);
    flags |= (uint64_t)s->locked << BIT(locked, mode);
    flags |= (uint64_t)s->doubled << BIT(doubled, mode);
    return flags | (uint64_t)s->redoubled << BIT(redoubled, mode);
}

PEN_INLINE void write_first(struct game_pen p, const struct belote_state *s, const struct belote_history *h, int viewer)
{
    int me = viewer & (BELOTE_SEATS - 1), us = belote_team(me);
    uint32_t gone = s->mode == BELOTE_NONE ? 0 : ~(s->held[0] | s->held[1] | s->held[2] | s->held[3]);
    uint32_t held = viewer < BELOTE_SEATS ? s->held[me] : 0;
    pen_flags(p, AT(hand), held | (uint64_t)gone << BELOTE_CARDS, 2 * BELOTE_CARDS);
    write_trick(p, s, me);
    pen_flags(p, AT(mode), table_flags(s, h, me), AT(points) - AT(mode));
    const pen_floats whole = {(float)s->target, (float)s->target, MOST_POINTS, MOST_POINTS};
    pen_floats part = {(float)s->points[us], (float)s->points[us ^ 1], s->card_points[us], s->card_points[us ^ 1]};
    pen_shares(p, AT(points), pen_capped(part / whole));
}

PEN_INLINE void write_cards(struct game_pen p, const struct belote_history *h, int me)
{
    uint32_t gone = h->played[0] | h->played[1] | h->played[2] | h->played[3];
#pragma GCC unroll 4
    for (int i = 0; i < BELOTE_SEATS; i++)
        pen_flags(p, AT(by) + BELOTE_CARDS * i, h->played[seat_after(me, i)], BELOTE_CARDS);
    for (int i = 0; i < BELOTE_CARDS; i++)
        pen_count(p, AT(when) + i, h->when[i], BELOTE_CARDS);
#pragma GCC unroll 3
    for (int i = 1; i < BELOTE_SEATS; i++)
        pen_flags(p, AT(cannot) + BELOTE_CARDS * (i - 1), h->facts[seat_after(me, i)] | gone, BELOTE_CARDS);
}

// B10.1: the last deal, all zero before there was one.
PEN_INLINE void write_last(struct game_pen p, const struct belote_deal *last, int us)
{
    unsigned any = last->multiplier != 0;
    unsigned flags = any << last->mode | (unsigned)last->multiplier << BIT(last_multiplier, last_mode) |
                     any << (BIT(last_team, last_mode) + (last->team ^ us));
    pen_flags(p, AT(last_mode), flags, AT(last_points) - AT(last_mode));
    for (int i = 0; i < 2; i++) {
        int points = last->match_points[us ^ i];
        pen_count(p, AT(last_points) + i, points < LAST_POINTS ? points : LAST_POINTS, LAST_POINTS);
    }
}

PEN_INLINE void write_second(struct game_pen p, const struct belote_state *s, const struct belote_history *h,
                             int viewer)
{
    int me = viewer & (BELOTE_SEATS - 1), us = belote_team(me);
    write_cards(p, h, me);
    pen_count(p, AT(won), s->won[us], BELOTE_TRICKS);
    pen_count(p, AT(won) + 1, s->won[us ^ 1], BELOTE_TRICKS);
    pen_count(p, AT(tricks), s->plays / 4, BELOTE_TRICKS);
    uint64_t flags = turn_said(h->first, me) | pen_one_of(s->high) << BIT(high, first);
    flags |= (uint64_t)(s->bidder != BELOTE_NONE) << (BIT(bidder, first) + relative_seat(s->bidder, me));
    pen_flags(p, AT(first), flags, AT(accepts) - AT(first));
    pen_count(p, AT(accepts), s->accepts, 3);
    pen_count(p, AT(bids), s->bids, BELOTE_MAX_BIDS);
    write_last(p, &s->last, us);
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    viewer = viewer < BELOTE_SEATS ? viewer : BELOTE_SEATS; // the gallery looks from seat 0
    if (dtype == GAME_F32) {
        write_first(pen_f32(out), state, history, viewer);
        if (version > 1)
            write_second(pen_f32(out), state, history, viewer);
    } else {
        write_first(pen_u8(out), state, history, viewer);
        if (version > 1)
            write_second(pen_u8(out), state, history, viewer);
    }
}

// ---- Rewards (G28.4) ------------------------------------------------------------------------------------------------
enum mark { POINTS, TARGET = 2, WAS_DONE };

static void mark(const void *state, struct game_mark *m)
{
    const struct belote_state *s = state;
    m->at[POINTS] = s->points[0];
    m->at[POINTS + 1] = s->points[1];
    m->at[TARGET] = s->target;
    m->at[WAS_DONE] = s->phase == BELOTE_DONE;
}

static void earned(const void *state, const struct game_mark *m, struct game_rewards *out)
{
    const struct belote_state *s = state;
    float points = 0, match = 0; // of team 0
    int32_t gained = (s->points[0] - m->at[POINTS]) - (s->points[1] - m->at[POINTS + 1]);
    if (gained) {
        points = (float)gained / (float)m->at[TARGET];
        points = points > 1 ? 1 : points < -1 ? -1 : points;
    }
    if (s->phase == BELOTE_DONE && !m->at[WAS_DONE])
        match = s->winner == 0 ? 1 : s->winner == 1 ? -1 : 0;
    for (int seat = 0; seat < BELOTE_SEATS; seat++) {
        out->at[seat][0] = belote_team(seat) ? -points : points;
        out->at[seat][1] = belote_team(seat) ? -match : match;
    }
}

// ---- Tokens (V80) ---------------------------------------------------------------------------------------------------
enum token { TOKEN_DEAL = 1, TOKEN_CUT, TOKEN_SAID, TOKEN_CONTRACT, TOKEN_CARD, TOKEN_TRICK, TOKEN_ENDED };

static const struct game_token_kind token_kinds[] = {
    {"deal", GAME_ARG_SEAT_1}, // number, dealer
    {"cut", 0},                // position, 1: from the top
    {"said", 0},               // word + 1
    {"contract", 0},           // mode + 1, multiplier
    {"card", 0},               // card + 1, trick from 1
    {"trick", 0},              // points, number from 1; seat: who takes it
    {"ended", GAME_ARG_TEAMS}, // match points of this deal
    {0},
};

// The number of the trick that the last card went to. When that card ended a trick, the event after it says so.
static int trick_of(const struct belote_state *s, const struct game_event *card, const struct game_event *end)
{
    if (card + 1 < end && card[1].kind == BELOTE_TRICK_COMPLETED)
        return card[1].data[0];
    return (s->plays - 1) / 4 + 1;
}

static void tokenise_ended(const struct game_event *e, struct game_tokens *out)
{
    struct belote_deal_ended end;
    memcpy(&end, e->data, sizeof end);
    game_add_token(out, TOKEN_ENDED, 0, end.gained[0], end.gained[1]);
}

static void tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out)
{
    (void)history;
    for (const struct game_event *e = happened, *end = e + count; e < end; e++) {
        int seat = e->seat + 1;
        if (e->kind == BELOTE_DEAL_STARTED)
            game_add_token(out, TOKEN_DEAL, 0, e->amount, seat);
        else if (e->kind == BELOTE_CUT_DONE)
            game_add_token(out, TOKEN_CUT, seat, e->amount, e->data[0]);
        else if (e->kind == BELOTE_BID)
            game_add_token(out, TOKEN_SAID, seat, e->data[0] + 1, 0);
        else if (e->kind == BELOTE_NEGOTIATION_COMPLETED)
            game_add_token(out, TOKEN_CONTRACT, 0, e->data[0] + 1, e->data[2]);
        else if (e->kind == BELOTE_CARD_PLAYED)
            game_add_token(out, TOKEN_CARD, seat, e->data[0] + 1, trick_of(state, e, end));
        else if (e->kind == BELOTE_TRICK_COMPLETED)
            game_add_token(out, TOKEN_TRICK, seat, e->amount, e->data[0]);
        else if (e->kind == BELOTE_DEAL_ENDED)
            tokenise_ended(e, out);
    }
}

const struct game_rows belote_rows = {
    .size = {BELOTE_VECTOR_SIZE, sizeof(struct belote_row)},
    .history_size = sizeof(struct belote_history),
    .spans = spans,
    .token_kinds = token_kinds,
    .after = after,
    .after_brief = after_brief,
    .tell = tell,
    .observe = observe,
    .mark = mark,
    .earned = earned,
};
