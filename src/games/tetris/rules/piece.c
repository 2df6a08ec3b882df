// What an input does to the active piece, in both rulesets.
#include "games/tetris/rules/field.h"

enum { RESETS = 15 }; // T1.31

// T1.7, as printed. T1.63: guideline negates y.
const struct field_kick field_kicks[2][4][2][5] = {
    {
        // J L S T Z: clockwise, back
        {{{0, 0}, {-1, 0}, {-1, 1}, {0, -2}, {-1, -2}}, {{0, 0}, {1, 0}, {1, 1}, {0, -2}, {1, -2}}},
        {{{0, 0}, {1, 0}, {1, -1}, {0, 2}, {1, 2}}, {{0, 0}, {1, 0}, {1, -1}, {0, 2}, {1, 2}}},
        {{{0, 0}, {1, 0}, {1, 1}, {0, -2}, {1, -2}}, {{0, 0}, {-1, 0}, {-1, 1}, {0, -2}, {-1, -2}}},
        {{{0, 0}, {-1, 0}, {-1, -1}, {0, 2}, {-1, 2}}, {{0, 0}, {-1, 0}, {-1, -1}, {0, 2}, {-1, 2}}},
    },
    {
        // I
        {{{0, 0}, {-2, 0}, {1, 0}, {-2, -1}, {1, 2}}, {{0, 0}, {-1, 0}, {2, 0}, {-1, 2}, {2, -1}}},
        {{{0, 0}, {-1, 0}, {2, 0}, {-1, 2}, {2, -1}}, {{0, 0}, {2, 0}, {-1, 0}, {2, 1}, {-1, -2}}},
        {{{0, 0}, {2, 0}, {-1, 0}, {2, 1}, {-1, -2}}, {{0, 0}, {1, 0}, {-2, 0}, {1, -2}, {-2, 1}}},
        {{{0, 0}, {1, 0}, {-2, 0}, {1, -2}, {-2, 1}}, {{0, 0}, {-2, 0}, {1, 0}, {-2, -1}, {1, 2}}},
    },
};

static void spend_reset(struct tetris_piece *p)
{
    if (p->resets < RESETS) {
        p->lock_ms = 0;
        p->resets++;
    }
}

// T1.38: on the ground a move spends one of the resets, in the air it gives all back.
static void check_reset(const struct tetris_field *f, struct tetris_piece *p)
{
    if (piece_is_grounded(f, p)) {
        spend_reset(p);
    } else {
        p->lock_ms = 0;
        p->resets = 0;
    }
}

// T1.67: a row deeper than any before gives all resets back.
static bool note_depth(struct tetris_piece *p)
{
    if (p->y <= p->deepest)
        return false;
    p->deepest = p->y;
    p->lock_ms = 0;
    p->resets = 0;
    return true;
}

bool piece_shift(const struct tetris_field *f, struct tetris_piece *p, int dx, int ruleset)
{
    if (!field_fits(f, piece_shape(p), p->x + dx, p->y))
        return false;
    bool grounded = ruleset == TETRIS_GUIDELINE && piece_is_grounded(f, p);
    p->x = (int8_t)(p->x + dx);
    p->turned = p->kicked = 0;
    if (ruleset == TETRIS_STANDARD)
        check_reset(f, p);
    else if (grounded || piece_is_grounded(f, p)) // T1.67
        spend_reset(p);
    return true;
}

bool piece_turn(const struct tetris_field *f, struct tetris_piece *p, bool back, int ruleset)
{
    if (p->kind == TETRIS_O) // T1.9
        return false;
    int to = (p->rotation + (back ? 3 : 1)) % 4, up = ruleset == TETRIS_GUIDELINE ? -1 : 1;
    const struct field_kick *kick = field_kicks[p->kind == TETRIS_I][p->rotation][back];
    uint64_t shape = field_shapes[p->kind][to];
    int i = 0;
    while (!field_fits(f, shape, p->x + kick[i].x, p->y + up * kick[i].y))
        if (++i == 5)
            return false;
    bool grounded = ruleset == TETRIS_GUIDELINE && piece_is_grounded(f, p);
    p->rotation = (uint8_t)to;
    p->x = (int8_t)(p->x + kick[i].x);
    p->y = (int8_t)(p->y + up * kick[i].y);
    p->turned = 1;
    if (ruleset == TETRIS_STANDARD) {
        check_reset(f, p);
        return true;
    }
    p->kicked = i == 4; // T1.69
    if (!note_depth(p) && (grounded || piece_is_grounded(f, p)))
        spend_reset(p);
    return true;
}

bool piece_lower(const struct tetris_field *f, struct tetris_piece *p, int ruleset)
{
    if (piece_is_grounded(f, p))
        return false;
    p->y++;
    if (ruleset == TETRIS_STANDARD) {
        check_reset(f, p);
    } else {
        note_depth(p);
        p->turned = p->kicked = 0; // T1.68
    }
    return true;
}

// Eight boxes one below the other, each in 16 bits.
typedef uint16_t eight __attribute__((vector_size(16)));

static inline eight load_rows(const uint16_t *rows, uint64_t shape)
{
    uint16_t s = (uint16_t)shape;
    eight r;
    memcpy(&r, rows, sizeof r);
    return r & (eight){s, s, s, s, s, s, s, s};
}

static inline eight free_boxes(const uint16_t *rows, uint64_t shape)
{
    return (eight)((load_rows(rows, shape) | load_rows(rows + 1, shape >> 16) | load_rows(rows + 2, shape >> 32) |
                    load_rows(rows + 3, shape >> 48)) == 0);
}

static inline uint32_t merge(eight bits)
{
    uint64_t half[2];
    memcpy(half, &bits, sizeof half);
    half[0] |= half[1];
    half[0] |= half[0] >> 32;
    return (uint16_t)(half[0] | half[0] >> 16);
}

// Box rows FIRST..20 where the shape meets nothing, FIRST in bit 0. Avoids a loop of unpredictable length.
enum { FIRST = -3 };

static uint32_t free_below(const struct tetris_field *f, uint64_t shape)
{
    const eight low = {1, 2, 4, 8, 16, 32, 64, 128}, high = low << 8;
    const uint16_t *rows = &f->taken[FIRST + FIELD_ABOVE];
    return merge((free_boxes(rows, shape) & low) | (free_boxes(rows + 8, shape) & high)) |
           merge(free_boxes(rows + 16, shape) & low) << 16;
}

static int landing_row(const struct tetris_field *f, const struct tetris_piece *p)
{
    uint64_t shape = piece_shape(p) << (p->x + FIELD_LEFT);
    int y = p->y;
    for (; y + 1 < FIRST; y++) // only where a kick lifted it above the hidden rows
        if (field_rows(f, y + 1) & shape)
            return y;
    return y + __builtin_ctz(~free_below(f, shape) >> (y + 1 - FIRST));
}

int piece_drop(const struct tetris_field *f, struct tetris_piece *p, int ruleset)
{
    int y = landing_row(f, p), rows = y - p->y;
    p->y = (int8_t)y;
    if (ruleset == TETRIS_STANDARD || rows > 0) // T1.20, T1.68
        p->turned = p->kicked = 0;
    if (ruleset == TETRIS_GUIDELINE)
        note_depth(p);
    return rows;
}

int piece_spawn_row(int ruleset)
{
    return ruleset == TETRIS_GUIDELINE ? -2 : 0; // T1.15, T1.62
}

void piece_place(const struct tetris_field *f, struct tetris_piece *p, int kind, int ruleset)
{
    *p = (struct tetris_piece){.kind = (uint8_t)kind, .x = 3, .soft_ms = p->soft_ms};
    if (ruleset == TETRIS_STANDARD)
        return;
    p->y = (int8_t)piece_spawn_row(ruleset);
    if (!piece_is_grounded(f, p)) // T1.62: at once one row lower
        p->y++;
    p->deepest = p->y;
}

bool piece_press(const struct tetris_field *f, struct tetris_piece *p, int input, int ruleset)
{
    switch (input) {
    case TETRIS_MOVE_LEFT:
        return piece_shift(f, p, -1, ruleset);
    case TETRIS_MOVE_RIGHT:
        return piece_shift(f, p, 1, ruleset);
    case TETRIS_SOFT_DROP:
        return piece_lower(f, p, ruleset);
    default:
        return piece_turn(f, p, input == TETRIS_ROTATE_CCW, ruleset);
    }
}
