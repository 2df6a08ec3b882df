// Rows for learners, straight from the state (part 5.2 of docs/spec/train.md). Nothing of the past is kept: the state
// has it all.
#include "games/tetris/rules/internal.h"
#include "games/tetris/rules/view.h"

#include "game/pen.h"

enum { KINDS = 7, NO_HOLD = KINDS, COMBO_CAP = 20, RISE_CAP = 1000, INTERVAL_CAP = 1000 };

// ---- Names ----------------------------------------------------------------------------------------------------------
// G24.5, and from `combo` on what vector 2 adds.
struct tetris_row {
    uint8_t cells[TETRIS_HEIGHT][TETRIS_WIDTH];
    uint8_t kind[KINDS], rotation[4];
    uint8_t column, row;
    uint8_t hold[KINDS + 1], can_hold;
    uint8_t next[TETRIS_NEXT][KINDS];
    uint8_t level, lines, lock;
    uint8_t combo, back_to_back, pending, rise, interval, goal;
};
_Static_assert(offsetof(struct tetris_row, combo) == TETRIS_VECTOR, "vector 2 begins with vector 1 (V31)");
_Static_assert(sizeof(struct tetris_row) == 266, "part 5.2");

#define AT(member)        ((int)offsetof(struct tetris_row, member))
#define ONE(member, ...)  GAME_ONE(struct tetris_row, member, __VA_ARGS__)
#define RUN(member, ...)  GAME_RUN(struct tetris_row, member, __VA_ARGS__)
#define GRID(member, ...) GAME_GRID(struct tetris_row, member, __VA_ARGS__)

static const char *const kinds[] = {"I", "O", "T", "S", "Z", "J", "L", "none"};
static const char *const rotations[] = {"north", "east", "south", "west"};

static const struct game_span spans[] = {
    GRID(cells, "cell.#.#", NULL, NULL, GAME_FLAG, 1),
    RUN(kind, "piece.#", kinds, GAME_FLAG, 1),
    RUN(rotation, "piece.#", rotations, GAME_FLAG, 1),
    ONE(column, "piece.column", 1.0f / TETRIS_WIDTH, 1),
    {
        .name = "piece.row", // above the field in guideline
        .group = "row",
        .low = -(float)TETRIS_HIDDEN / TETRIS_HEIGHT,
        .high = 1,
        .step = 1.0f / TETRIS_HEIGHT,
        .at = AT(row),
        .since = 1,
    },
    RUN(hold, "hold.#", kinds, GAME_FLAG, 1),
    ONE(can_hold, "can_hold", GAME_FLAG, 1),
    GRID(next, "next.#.#", NULL, kinds, GAME_FLAG, 1),
    ONE(level, "level", 1.0f / 20, 1),
    ONE(lines, "lines", 1.0f / 40, 1),
    ONE(lock, "lock_delay", GAME_SHARE, 1),
    ONE(combo, "combo", 1.0f / COMBO_CAP, 2),
    ONE(back_to_back, "back_to_back", GAME_FLAG, 2),
    ONE(pending, "garbage.pending", 1.0f / TETRIS_MAX_PENDING, 2),
    ONE(rise, "garbage.next", GAME_SHARE, 2),
    ONE(interval, "drop_interval", GAME_SHARE, 2),
    ONE(goal, "goal", GAME_SHARE, 2),
    {0},
};

// ---- Observations ---------------------------------------------------------------------------------------------------
static int at_most(uint32_t value, int cap)
{
    return value < (uint32_t)cap ? (int)value : cap;
}

// float32 is made of the bits of rows, one row at a time: they were stored in one piece. The colours of a piece that
// has just locked were stored one by one, and a load of sixteen of them waits until they have left the store buffer,
// where they stand behind the floats of the row before.
PEN_INLINE void write_cells(struct game_pen p, const struct tetris_field *f)
{
    if (p.dtype == GAME_U8) {
        pen_taken(p, AT(cells), f->cells + TETRIS_HIDDEN * TETRIS_WIDTH, TETRIS_CELLS);
        return;
    }
    float *out = p.f32 + AT(cells);
#pragma GCC unroll 20
    for (int y = 0; y < TETRIS_HEIGHT; y++, out += TETRIS_WIDTH) {
        unsigned row = (unsigned)game_scalar(f->taken[y + FIELD_ABOVE]);
        pen_byte(out, (uint8_t)(row >> FIELD_LEFT));
        memcpy(out + 8, pen_eights[row >> (FIELD_LEFT + 8) & 3], 2 * sizeof *out);
    }
}

PEN_INLINE void write_piece(struct game_pen p, const struct tetris_piece *piece)
{
    bool there = piece->kind;
    const struct field_extent *e = piece_extent(piece);
    int column = there ? piece->x + e->left : 0, row = there ? piece->y + e->top : 0;
    if (there) {
        pen_flag(p, AT(kind) + piece->kind - TETRIS_I, true);
        pen_flag(p, AT(rotation) + piece->rotation, true);
    }
    pen_count(p, AT(column), column, TETRIS_WIDTH);
    if (p.dtype == GAME_F32)
        pen_count(p, AT(row), row, TETRIS_HEIGHT);
    else
        p.u8[AT(row)] = (uint8_t)(row + TETRIS_HIDDEN);
}

PEN_INLINE void write_pieces_to_come(struct game_pen p, const struct tetris_state *s)
{
    uint8_t room[TETRIS_NEXT];
    const uint8_t *next = bag_next(s, room);
#pragma GCC unroll 5
    for (int i = 0; i < TETRIS_NEXT; i++)
        if (i < s->rules.preview)
            pen_flag(p, AT(next) + KINDS * i + next[i] - TETRIS_I, true);
}

// Of the flags between cells and counts few are set: zeros first, which are wide stores, then each of those.
PEN_INLINE void write_now(struct game_pen p, const struct tetris_state *s)
{
    unsigned hold = s->facts.hold ? s->facts.hold : NO_HOLD + TETRIS_I;
    write_cells(p, &s->field);
    pen_zeros(p, AT(kind), AT(level) - AT(kind));
    write_piece(p, &s->piece);
    pen_flag(p, AT(hold) + (int)hold - TETRIS_I, true);
    pen_flag(p, AT(can_hold), s->facts.can_hold);
    write_pieces_to_come(p, s);
    pen_count(p, AT(level), at_most(s->facts.level, 20), 20);
    pen_count(p, AT(lines), at_most(s->facts.lines, 40), 40);
    pen_part(p, AT(lock), at_most(s->piece.lock_ms, 500), 500);
}

// Ticks until a garbage row comes by the clock; 0: none does.
static uint32_t next_rise(const struct tetris_facts *f)
{
    uint32_t evenly = f->rise_rate; // so many in 1000 ticks: see garbage_tick
    if (evenly)
        evenly = (1000 - (uint32_t)(f->ticks * (uint64_t)f->rise_rate % 1000) + f->rise_rate - 1) / f->rise_rate;
    if (!evenly || (f->rise_ticks && f->rise_ticks < evenly))
        return f->rise_ticks;
    return evenly;
}

static float goal_share(const struct tetris_state *s)
{
    uint32_t whole = s->rules.goal == TETRIS_GOAL_GARBAGE ? s->rules.garbage_rows : s->rules.goal_count;
    if (!s->rules.goal)
        return 0;
    whole = whole ? whole : TETRIS_HEIGHT; // garbage on a board that was given
    return (float)at_most(gameplay_goal_left(s), (int)whole) / (float)whole;
}

PEN_INLINE void write_more(struct game_pen p, const struct tetris_state *s)
{
    const struct tetris_facts *f = &s->facts;
    uint32_t interval = s->rules.zen ? INTERVAL_CAP : gameplay_interval(f);
    pen_count(p, AT(combo), at_most((uint32_t)(f->combo + 1), COMBO_CAP), COMBO_CAP); // -1: none
    pen_flag(p, AT(back_to_back), f->back_to_back);
    pen_count(p, AT(pending), f->pending, TETRIS_MAX_PENDING);
    pen_part(p, AT(rise), at_most(next_rise(f), RISE_CAP), RISE_CAP);
    pen_part(p, AT(interval), at_most(interval, INTERVAL_CAP), INTERVAL_CAP);
    pen_share(p, AT(goal), goal_share(s));
}

PEN_INLINE void write_row(struct game_pen p, const struct tetris_state *s, int version)
{
    write_now(p, s);
    if (version > 1)
        write_more(p, s);
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    (void)history, (void)viewer; // nothing is hidden
    if (dtype == GAME_F32)
        write_row(pen_f32(out), state, version);
    else
        write_row(pen_u8(out), state, version);
}

// ---- Rewards --------------------------------------------------------------------------------------------------------
enum { MARK_LINES, MARK_SCORE, MARK_TICKS, MARK_END, MARK_EPISODE };

static void mark(const void *state, struct game_mark *m)
{
    const struct tetris_facts *f = &((const struct tetris_state *)state)->facts;
    m->at[MARK_LINES] = (int32_t)f->lines;
    m->at[MARK_SCORE] = (int32_t)f->score;
    m->at[MARK_TICKS] = (int32_t)f->ticks;
    m->at[MARK_END] = f->end;
    m->at[MARK_EPISODE] = (int32_t)f->episode_id;
}

// V19: every tick that was made counts, the last one too. A new episode counts from nothing.
static void earned(const void *state, const struct game_mark *m, struct game_rewards *out)
{
    const struct tetris_facts *f = &((const struct tetris_state *)state)->facts;
    static const struct game_mark nothing;
    const int32_t *was = m->at[MARK_EPISODE] == (int32_t)f->episode_id ? m->at : nothing.at;
    float *r = out->at[0];
    bool ended = f->end && !was[MARK_END];
    r[TETRIS_REWARD_LINES] = (float)(f->lines - (uint32_t)was[MARK_LINES]);
    r[TETRIS_REWARD_SCORE] = (float)(f->score - (uint32_t)was[MARK_SCORE]) / 1000;
    r[TETRIS_REWARD_SURVIVAL] = 0.001f * (float)(f->ticks - (uint32_t)was[MARK_TICKS]);
    r[TETRIS_REWARD_TOP_OUT] = ended && f->end != TETRIS_GOAL ? -1.0f : 0.0f;
    r[TETRIS_REWARD_GOAL] = ended && f->end == TETRIS_GOAL ? 1.0f : 0.0f;
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------
enum { TOKEN_LOCKED = 1, TOKEN_LINES, TOKEN_HOLD, TOKEN_GARBAGE };

static const struct game_token_kind token_kinds[] = {{"locked", 0}, {"lines", 0}, {"hold", 0}, {"garbage", 0}, {0}};

static void tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out)
{
    (void)state, (void)history;
    for (const struct game_event *e = happened; e < happened + count; e++) {
        struct tetris_lock lock = tetris_event_lock(e);
        if (e->kind == TETRIS_PIECE_LOCKED)
            game_add_token(out, TOKEN_LOCKED, 1, lock.kind, lock.x);
        else if (e->kind == TETRIS_LINES_CLEARED)
            game_add_token(out, TOKEN_LINES, 1, lock.lines, lock.spin);
        else if (e->kind == TETRIS_HELD)
            game_add_token(out, TOKEN_HOLD, 1, 0, 0);
        else if (e->kind == TETRIS_GARBAGE_ROSE)
            game_add_token(out, TOKEN_GARBAGE, 1, e->amount, 0);
    }
}

const struct game_rows tetris_rows = {
    .size = {TETRIS_VECTOR, sizeof(struct tetris_row)},
    .spans = spans,
    .token_kinds = token_kinds,
    .tell = tell,
    .observe = observe,
    .mask = tetris_mask,
    .action = tetris_action,
    .mark = mark,
    .earned = earned,
};
