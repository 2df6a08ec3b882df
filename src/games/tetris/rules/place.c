// Placements: one atomic action in place of the inputs that lead there (T3.50-T3.53).
#include "games/tetris/rules/internal.h"

#include <stddef.h>

enum tetris_refusal place_take(const struct tetris_state *s, bool hold, struct tetris_piece *p)
{
    if (!hold) {
        *p = s->piece;
        return TETRIS_PLACE_OK;
    }
    if (!s->facts.can_hold)
        return TETRIS_PLACE_NO_HOLD;
    int kind = s->facts.hold ? s->facts.hold : bag_peek(s), ruleset = s->rules.ruleset;
    if (!field_fits(&s->field, field_shapes[kind][TETRIS_NORTH], 3, piece_spawn_row(ruleset)))
        return s->facts.hold ? TETRIS_PLACE_NO_HOLD : TETRIS_PLACE_INVALID;
    p->soft_ms = s->piece.soft_ms; // and nothing else: a tick has just written parts of the piece
    piece_place(&s->field, p, kind, ruleset);
    if (!s->facts.hold && ruleset == TETRIS_GUIDELINE) // T1.74
        p->soft_ms = 0;
    return TETRIS_PLACE_OK;
}

static bool turn_times(const struct tetris_field *f, struct tetris_piece *p, int times, bool back, int ruleset)
{
    struct tetris_piece turned = *p;
    while (times-- > 0)
        if (!piece_turn(f, &turned, back, ruleset))
            return false;
    *p = turned;
    return true;
}

bool place_turn(const struct tetris_field *f, struct tetris_piece *p, int rotation, int ruleset)
{
    int ahead = (rotation - p->rotation) & 3;
    if (ahead == 0)
        return true;
    bool back = ahead == 3;
    return turn_times(f, p, back ? 1 : ahead, back, ruleset) || turn_times(f, p, back ? 3 : 4 - ahead, !back, ruleset);
}

// Column of the leftmost cell to box x, or INT8_MIN when cells would lie outside (T3.50.4).
static int box_of(const struct tetris_piece *p, int rotation, int column)
{
    const struct field_extent *e = &field_extents[p->kind][rotation];
    return column + e->width > TETRIS_WIDTH ? INT8_MIN : column - e->left;
}

// T3.51: O stays as it is, facing north.
static int wanted_rotation(const struct tetris_piece *p, int rotation)
{
    return rotation * (p->kind != TETRIS_O);
}

// What a shift passes over. Rows of a piece are runs of cells, so each row of it is a run again: from the lowest bit on
// the left up to, not including, the bit above the highest on the right.
static uint64_t sweep(uint64_t shape, int from, int to)
{
    int left = from < to ? from : to, right = from < to ? to : from;
    uint64_t low = shape & ~(shape << 1), high = shape << 1 & ~shape;
    return (high << (right + FIELD_LEFT)) - (low << (left + FIELD_LEFT));
}

// The shapes of the shorter way round, both ends included.
static uint64_t turn_over(const struct tetris_piece *p, int rotation)
{
    const uint64_t *shapes = field_shapes[p->kind];
    uint64_t half_way = -(uint64_t)(((rotation - p->rotation) & 3) == 2); // all ones, or nothing
    return shapes[p->rotation] | shapes[rotation] | (shapes[(p->rotation + 1) & 3] & half_way);
}

// T3.50.3, T3.50.5, input by input.
static __attribute__((noinline)) bool walk_stepwise(const struct tetris_field *f, struct tetris_piece *p, int rotation,
                                                    int x, int ruleset)
{
    struct tetris_piece moved = *p;
    if (!place_turn(f, &moved, rotation, ruleset) || (field_rows(f, moved.y) & sweep(piece_shape(&moved), moved.x, x)))
        return false;
    while (moved.x != x)
        piece_shift(f, &moved, x < moved.x ? -1 : 1, ruleset);
    *p = moved;
    return true;
}

// To the rotation and column, or false and nothing has changed. As a rule turning in place and shifting meet nothing,
// nor is there anything to rest on along the way: then one test answers for all inputs, and their effect is known.
static bool walk_to(const struct tetris_field *f, struct tetris_piece *p, int rotation, int x, int ruleset)
{
    uint64_t way = sweep(field_shapes[p->kind][rotation], p->x, x) | turn_over(p, rotation) << (p->x + FIELD_LEFT);
    if ((field_rows(f, p->y) | field_rows(f, p->y + 1)) & way)
        return walk_stepwise(f, p, rotation, x, ruleset);
    bool turn = p->rotation != rotation, shift = p->x != x;
    p->rotation = (uint8_t)rotation;
    p->x = (int8_t)x;
    p->turned = (p->turned | turn) & !shift;
    p->kicked &= !(turn | shift);
    if (ruleset == TETRIS_STANDARD && (turn | shift)) // T1.38
        p->lock_ms = p->resets = 0;
    return true;
}

static enum tetris_refusal plan_simple(const struct tetris_state *s, struct game_action a, struct tetris_piece *p)
{
    int ruleset = s->rules.ruleset, rotation = wanted_rotation(p, a.arg[1]), x = box_of(p, rotation, a.arg[0]);
    if (x == INT8_MIN || !walk_to(&s->field, p, rotation, x, ruleset))
        return TETRIS_PLACE_INVALID;
    if (!(a.arg[2] & TETRIS_PLACE_AT_ROW))
        return TETRIS_PLACE_OK;
    struct tetris_piece landed = *p;
    piece_drop(&s->field, &landed, ruleset);
    return landed.y + tetris_top(p->kind, p->rotation) == a.amount ? TETRIS_PLACE_OK : TETRIS_PLACE_INVALID;
}

// Breadth-first search over (rotation, x, y), time standing still (T3.53).
enum { PLACES = 2048, NOBODY = PLACES };

struct search {
    uint64_t seen[PLACES / 64];
    uint16_t from[PLACES]; // the place before
    uint8_t by[PLACES];    // the input that led here
    uint16_t queue[PLACES];
    size_t count;
};

static void search_visit(struct search *q, const struct tetris_piece *p, unsigned from, int by)
{
    unsigned at = (unsigned)(p->rotation << 9 | (p->y + FIELD_ABOVE) << 4 | (p->x + FIELD_LEFT));
    if (q->seen[at / 64] >> at % 64 & 1)
        return;
    q->seen[at / 64] |= (uint64_t)1 << at % 64;
    q->from[at] = (uint16_t)from;
    q->by[at] = (uint8_t)by;
    q->queue[q->count++] = (uint16_t)at;
}

static const uint8_t search_inputs[] = {TETRIS_MOVE_LEFT, TETRIS_MOVE_RIGHT, TETRIS_ROTATE_CW, TETRIS_ROTATE_CCW,
                                        TETRIS_SOFT_DROP};

// The place to be, or NOBODY: the first one found of those in the lowest row, or in the row asked for.
static unsigned search_goal(struct search *q, const struct tetris_state *s, struct game_action a, struct tetris_piece p)
{
    int rotation = p.kind == TETRIS_O ? p.rotation : a.arg[1], x = box_of(&p, rotation, a.arg[0]);
    bool at_row = a.arg[2] & TETRIS_PLACE_AT_ROW;
    int row = a.amount - tetris_top(p.kind, rotation), lowest = INT8_MIN;
    unsigned goal = NOBODY;
    memset(q->seen, 0, sizeof q->seen);
    q->count = 0;
    search_visit(q, &p, NOBODY, 0);
    for (size_t i = 0; i < q->count; i++) {
        unsigned at = q->queue[i];
        p.rotation = (uint8_t)(at >> 9);
        p.y = (int8_t)((int)(at >> 4 & 31) - FIELD_ABOVE);
        p.x = (int8_t)((int)(at & 15) - FIELD_LEFT);
        if (p.rotation == rotation && p.x == x && p.y > lowest && (!at_row || p.y == row) &&
            piece_is_grounded(&s->field, &p)) {
            lowest = p.y;
            goal = at;
        }
        for (size_t k = 0; k < sizeof search_inputs; k++) {
            struct tetris_piece next = p;
            if (piece_press(&s->field, &next, search_inputs[k], s->rules.ruleset))
                search_visit(q, &next, at, search_inputs[k]);
        }
    }
    return goal;
}

// The inputs that lead to a goal, without the soft drops at their end; their number.
static int search_path(const struct search *q, unsigned goal, uint8_t path[PLACES])
{
    int count = 0;
    for (unsigned at = goal; q->from[at] != NOBODY; at = q->from[at])
        if (count > 0 || q->by[at] != TETRIS_SOFT_DROP)
            path[count++] = q->by[at];
    for (int i = 0; i < count / 2; i++) {
        uint8_t input = path[i];
        path[i] = path[count - 1 - i];
        path[count - 1 - i] = input;
    }
    return count;
}

static bool is_well_formed(struct game_action a)
{
    if (a.arg[0] >= TETRIS_WIDTH || a.arg[1] > TETRIS_WEST || a.arg[2] > 7)
        return false;
    return a.arg[2] & TETRIS_PLACE_AT_ROW ? a.amount >= -TETRIS_HIDDEN && a.amount < TETRIS_HEIGHT : a.amount == 0;
}

// Finds the piece at the end of the inputs without touching the state (T3.50-T3.53).
// `p` is where a simple path ends, above its place of rest; of a full one it is the piece at the start.
static enum tetris_refusal place_plan(const struct tetris_state *s, struct game_action a, struct tetris_piece *p)
{
    if (!is_well_formed(a) || s->facts.paused || s->facts.end)
        return TETRIS_PLACE_INVALID;
    enum tetris_refusal refusal = place_take(s, a.arg[2] & TETRIS_PLACE_HOLD, p);
    if (refusal != TETRIS_PLACE_OK)
        return refusal;
    if (!(a.arg[2] & TETRIS_PLACE_FULL))
        return plan_simple(s, a, p);
    struct search q;
    return search_goal(&q, s, a, *p) == NOBODY ? TETRIS_PLACE_INVALID : TETRIS_PLACE_OK;
}

enum tetris_refusal tetris_try_place(const struct tetris_state *s, struct game_action place)
{
    struct tetris_piece p;
    return place_plan(s, place, &p);
}

static __attribute__((cold)) int play_full(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    struct tetris_piece p;
    if (place_take(s, a.arg[2] & TETRIS_PLACE_HOLD, &p) != TETRIS_PLACE_OK)
        return ERR_ACTION;
    struct search q;
    unsigned goal = search_goal(&q, s, a, p);
    if (goal == NOBODY)
        return ERR_ACTION;
    if (a.arg[2] & TETRIS_PLACE_HOLD)
        gameplay_hold(s, out);
    uint8_t path[PLACES];
    int count = search_path(&q, goal, path);
    for (int i = 0; i < count; i++)
        if (path[i] == TETRIS_SOFT_DROP)
            gameplay_soft_drop(s, out);
        else
            piece_press(&s->field, &s->piece, path[i], s->rules.ruleset);
    gameplay_hard_drop(s, out);
    return OK;
}

static __attribute__((noinline)) int play_planned(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    struct tetris_piece p;
    if (place_plan(s, a, &p) != TETRIS_PLACE_OK)
        return ERR_ACTION;
    if (a.arg[2] & TETRIS_PLACE_HOLD)
        gameplay_hold(s, out);
    s->piece = p;
    gameplay_hard_drop(s, out);
    return OK;
}

// What `hold` swaps for the piece in play, if there is no listener and a piece is in hold (T1.27): a word and a half,
// chosen without a branch, because whether a player holds is unpredictable.
struct swap {
    uint64_t word; // kind to soft_ms of a piece
    uint64_t rest; // resets to kicked
};
_Static_assert(offsetof(struct tetris_piece, resets) == sizeof(uint64_t) && sizeof(struct tetris_piece) == 12, "swap");

static struct swap piece_words(const struct tetris_piece *p)
{
    uint64_t word;
    uint32_t rest;
    memcpy(&word, p, sizeof word);
    memcpy(&rest, &p->resets, sizeof rest);
    return (struct swap){word, rest};
}

static void piece_set_words(struct tetris_piece *p, struct swap w)
{
    uint32_t rest = (uint32_t)w.rest;
    memcpy(p, &w.word, sizeof w.word);
    memcpy(&p->resets, &rest, sizeof rest);
}

static struct swap swap_if(bool hold, struct swap own, int kept)
{
    enum { X = 8 * offsetof(struct tetris_piece, x), SOFT = 8 * offsetof(struct tetris_piece, soft_ms) };
    uint64_t other = (uint64_t)kept | (uint64_t)3 << X | (own.word & (uint64_t)0xFFFF << SOFT); // soft_ms stays
    own.word ^= (own.word ^ other) & -(uint64_t)hold;
    own.rest &= (uint64_t)hold - 1;
    return own;
}

static void note_hold(struct tetris_facts *f, bool hold, int put)
{
    f->hold = hold ? (uint8_t)put : f->hold;
    f->can_hold &= !hold;
    f->turn += hold;
    f->step_in_piece &= (uint32_t)hold - 1;
}

// Without a row or a search, as one function and without a copy of the piece. Measured: a tenth of a placement.
static __attribute__((flatten)) int play_simple(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    bool hold = a.arg[2] & TETRIS_PLACE_HOLD;
    int kept = s->facts.hold, put = s->piece.kind, ruleset = s->rules.ruleset;
    if (hold & ((out != NULL) | !kept | (ruleset == TETRIS_GUIDELINE)))
        return play_planned(s, a, out);
    bool fits = field_fits(&s->field, field_shapes[kept][TETRIS_NORTH], 3, piece_spawn_row(ruleset));
    if (hold & !(fits & s->facts.can_hold))
        return ERR_ACTION;
    struct swap own = piece_words(&s->piece);
    piece_set_words(&s->piece, swap_if(hold, own, kept));
    int rotation = wanted_rotation(&s->piece, a.arg[1]), x = box_of(&s->piece, rotation, a.arg[0]);
    if (x == INT8_MIN || !walk_to(&s->field, &s->piece, rotation, x, ruleset)) {
        piece_set_words(&s->piece, own);
        return ERR_ACTION;
    }
    note_hold(&s->facts, hold, put);
    gameplay_hard_drop(s, out);
    return OK;
}

int place_play(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    if (!is_well_formed(a) || s->facts.paused)
        return ERR_ACTION;
    if (a.arg[2] <= TETRIS_PLACE_HOLD)
        return play_simple(s, a, out);
    return a.arg[2] & TETRIS_PLACE_FULL ? play_full(s, a, out) : play_planned(s, a, out);
}
