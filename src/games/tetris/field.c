#include "games/tetris/field.h"

#include <stddef.h>

// T1.5 by the rows of the rotation box, the leftmost cell in the low bit: north, east, south, west.
#define SHAPES(X)                                                                                                      \
    [TETRIS_I] = {X(TETRIS_I, 0, 15, 0, 0), X(TETRIS_I, 4, 4, 4, 4), X(TETRIS_I, 0, 0, 15, 0),                         \
                  X(TETRIS_I, 2, 2, 2, 2)},                                                                            \
    [TETRIS_O] = {X(TETRIS_O, 6, 6, 0, 0), X(TETRIS_O, 6, 6, 0, 0), X(TETRIS_O, 6, 6, 0, 0), X(TETRIS_O, 6, 6, 0, 0)}, \
    [TETRIS_T] = {X(TETRIS_T, 2, 7, 0, 0), X(TETRIS_T, 2, 6, 2, 0), X(TETRIS_T, 0, 7, 2, 0), X(TETRIS_T, 2, 3, 2, 0)}, \
    [TETRIS_S] = {X(TETRIS_S, 6, 3, 0, 0), X(TETRIS_S, 2, 6, 4, 0), X(TETRIS_S, 0, 6, 3, 0), X(TETRIS_S, 1, 3, 2, 0)}, \
    [TETRIS_Z] = {X(TETRIS_Z, 3, 6, 0, 0), X(TETRIS_Z, 4, 6, 2, 0), X(TETRIS_Z, 0, 3, 6, 0), X(TETRIS_Z, 2, 3, 1, 0)}, \
    [TETRIS_J] = {X(TETRIS_J, 1, 7, 0, 0), X(TETRIS_J, 6, 2, 2, 0), X(TETRIS_J, 0, 7, 4, 0), X(TETRIS_J, 2, 2, 3, 0)}, \
    [TETRIS_L] = {X(TETRIS_L, 4, 7, 0, 0), X(TETRIS_L, 2, 2, 6, 0), X(TETRIS_L, 0, 7, 1, 0), X(TETRIS_L, 3, 2, 2, 0)}

#define BOX(kind, a, b, c, d) ((uint64_t)(a) | (uint64_t)(b) << 16 | (uint64_t)(c) << 32 | (uint64_t)(d) << 48)

const uint64_t field_shapes[8][4] = {SHAPES(BOX)};

// The same in colour, as it lies in `cells`: the upper two rows, and the lower two 80 bits further.
#define NIBBLES(row) ((uint64_t)(((row)&1) | ((row)&2) << 3 | ((row)&4) << 6 | ((row)&8) << 9))
#define INK(kind, a, b, c, d)                                                                                          \
    {                                                                                                                  \
        (kind) * (NIBBLES(a) | NIBBLES(b) << 40), (kind) * (NIBBLES(c) | NIBBLES(d) << 40)                             \
    }

static const uint64_t inks[8][4][2] = {SHAPES(INK)};

// And as four cells each.
static const struct tetris_cell cells[8][4][4] = {
    [TETRIS_I] = {{{0, 1}, {1, 1}, {2, 1}, {3, 1}},
                  {{2, 0}, {2, 1}, {2, 2}, {2, 3}},
                  {{0, 2}, {1, 2}, {2, 2}, {3, 2}},
                  {{1, 0}, {1, 1}, {1, 2}, {1, 3}}},
    [TETRIS_O] = {{{1, 0}, {2, 0}, {1, 1}, {2, 1}},
                  {{1, 0}, {2, 0}, {1, 1}, {2, 1}},
                  {{1, 0}, {2, 0}, {1, 1}, {2, 1}},
                  {{1, 0}, {2, 0}, {1, 1}, {2, 1}}},
    [TETRIS_T] = {{{1, 0}, {0, 1}, {1, 1}, {2, 1}},
                  {{1, 0}, {1, 1}, {2, 1}, {1, 2}},
                  {{0, 1}, {1, 1}, {2, 1}, {1, 2}},
                  {{1, 0}, {0, 1}, {1, 1}, {1, 2}}},
    [TETRIS_S] = {{{1, 0}, {2, 0}, {0, 1}, {1, 1}},
                  {{1, 0}, {1, 1}, {2, 1}, {2, 2}},
                  {{1, 1}, {2, 1}, {0, 2}, {1, 2}},
                  {{0, 0}, {0, 1}, {1, 1}, {1, 2}}},
    [TETRIS_Z] = {{{0, 0}, {1, 0}, {1, 1}, {2, 1}},
                  {{2, 0}, {1, 1}, {2, 1}, {1, 2}},
                  {{0, 1}, {1, 1}, {1, 2}, {2, 2}},
                  {{1, 0}, {0, 1}, {1, 1}, {0, 2}}},
    [TETRIS_J] = {{{0, 0}, {0, 1}, {1, 1}, {2, 1}},
                  {{1, 0}, {2, 0}, {1, 1}, {1, 2}},
                  {{0, 1}, {1, 1}, {2, 1}, {2, 2}},
                  {{1, 0}, {1, 1}, {0, 2}, {1, 2}}},
    [TETRIS_L] = {{{2, 0}, {0, 1}, {1, 1}, {2, 1}},
                  {{1, 0}, {1, 1}, {1, 2}, {2, 2}},
                  {{0, 1}, {1, 1}, {2, 1}, {0, 2}},
                  {{0, 0}, {1, 0}, {1, 1}, {1, 2}}},
};

const struct tetris_cell *tetris_cells(int kind, int rotation)
{
    return cells[kind][rotation];
}

// T3.42; O and the upright pieces differ only in where their cells begin.
#define FLAT                                                                                                           \
    {                                                                                                                  \
        0, 0, 3, 2                                                                                                     \
    }
#define RIGHT                                                                                                          \
    {                                                                                                                  \
        1, 0, 2, 3                                                                                                     \
    }
#define LOW                                                                                                            \
    {                                                                                                                  \
        0, 1, 3, 2                                                                                                     \
    }
#define LEFT                                                                                                           \
    {                                                                                                                  \
        0, 0, 2, 3                                                                                                     \
    }
#define ALIKE                                                                                                          \
    {                                                                                                                  \
        1, 0, 2, 2                                                                                                     \
    }

const struct field_extent field_extents[8][4] = {
    [TETRIS_I] = {{0, 1, 4, 1}, {2, 0, 1, 4}, {0, 2, 4, 1}, {1, 0, 1, 4}},
    [TETRIS_O] = {ALIKE, ALIKE, ALIKE, ALIKE},
    [TETRIS_T] = {FLAT, RIGHT, LOW, LEFT},
    [TETRIS_S] = {FLAT, RIGHT, LOW, LEFT},
    [TETRIS_Z] = {FLAT, RIGHT, LOW, LEFT},
    [TETRIS_J] = {FLAT, RIGHT, LOW, LEFT},
    [TETRIS_L] = {FLAT, RIGHT, LOW, LEFT},
};

int tetris_left(int kind, int rotation)
{
    return field_extents[kind][rotation].left;
}

int tetris_top(int kind, int rotation)
{
    return field_extents[kind][rotation].top;
}

int tetris_span(int kind, int rotation)
{
    return field_extents[kind][rotation].width;
}

void field_clear(struct tetris_field *f, int ruleset)
{
    memset(f->cells, 0, sizeof f->cells);
    memset(f->below, 0, sizeof f->below);
    int first = field_top(ruleset) + FIELD_ABOVE, end = TETRIS_HEIGHT + FIELD_ABOVE;
    for (int i = 0; i < 32; i++)
        f->taken[i] = i >= first && i < end ? FIELD_WALL : FIELD_FULL;
}

static unsigned nibble_at(int x, int y)
{
    return (unsigned)((y + TETRIS_HIDDEN) * TETRIS_WIDTH + x);
}

int field_cell(const struct tetris_field *f, int x, int y)
{
    unsigned at = nibble_at(x, y);
    return f->cells[at / 2] >> 4 * (at % 2) & 15;
}

void field_set(struct tetris_field *f, int x, int y, int code)
{
    unsigned at = nibble_at(x, y);
    f->cells[at / 2] = (uint8_t)((f->cells[at / 2] & 0xF0 >> 4 * (at % 2)) | code << 4 * (at % 2));
    uint16_t bit = (uint16_t)(1 << (x + FIELD_LEFT)), *row = &f->taken[y + FIELD_ABOVE];
    *row = (uint16_t)(code ? *row | bit : *row & ~bit);
}

static void or_into(void *at, uint64_t bits)
{
    uint64_t old;
    memcpy(&old, at, sizeof old);
    old |= bits;
    memcpy(at, &old, sizeof old);
}

// Two words for the taken cells' four rows, two for the colours. Empty rows of the box may lie outside `cells`: what
// they touch there, above in `taken` or in `below`, stays as it is.
void field_write(struct tetris_field *f, const struct tetris_piece *p)
{
    or_into(&f->taken[p->y + FIELD_ABOVE], piece_shape(p) << (p->x + FIELD_LEFT));
    const uint64_t *ink = inks[p->kind][p->rotation];
    int nibble = (p->y + TETRIS_HIDDEN) * TETRIS_WIDTH + p->x, odd = nibble & 1;
    uint8_t *at = (uint8_t *)f + offsetof(struct tetris_field, cells) + (nibble - odd) / 2;
    or_into(at, ink[0] << 4 * odd);
    or_into(at + TETRIS_WIDTH, ink[1] << 4 * odd);
}

static __attribute__((noinline)) void remove_row(struct tetris_field *f, int y, int top)
{
    size_t above = (size_t)(y - top);
    uint8_t *cell = &f->cells[(top + TETRIS_HIDDEN) * TETRIS_WIDTH / 2];
    memmove(cell + TETRIS_WIDTH / 2, cell, above * TETRIS_WIDTH / 2);
    memset(cell, 0, TETRIS_WIDTH / 2);
    uint16_t *row = &f->taken[top + FIELD_ABOVE];
    memmove(row + 1, row, above * sizeof *row);
    *row = FIELD_WALL;
}

// In the low bit of each of four rows: does the piece have cells there, and is the row full?
static uint64_t completed_rows(uint64_t rows, uint64_t shape)
{
    rows &= rows >> 8;
    rows &= rows >> 4;
    rows &= rows >> 2;
    rows &= rows >> 1;
    shape |= shape >> 2;
    shape |= shape >> 1;
    return rows & shape & 0x0001000100010001u;
}

int field_remove_full(struct tetris_field *f, const struct tetris_piece *p, int top)
{
    uint64_t full = completed_rows(field_rows(f, p->y), piece_shape(p));
    int removed = 0;
    for (; full; full &= full - 1, removed++) // the upper first: it leaves the lower ones where they are
        remove_row(f, p->y + __builtin_ctzll(full) / 16, top);
    return removed;
}

bool field_raise(struct tetris_field *f, int hole, int top)
{
    bool kept = f->taken[top + FIELD_ABOVE] == FIELD_WALL;
    size_t rows = (size_t)(TETRIS_HEIGHT - 1 - top);
    uint8_t *cell = &f->cells[(top + TETRIS_HIDDEN) * TETRIS_WIDTH / 2];
    memmove(cell, cell + TETRIS_WIDTH / 2, rows * TETRIS_WIDTH / 2);
    memset(cell + rows * TETRIS_WIDTH / 2, TETRIS_GREY | TETRIS_GREY << 4, TETRIS_WIDTH / 2);
    uint16_t *row = &f->taken[top + FIELD_ABOVE];
    memmove(row, row + 1, rows * sizeof *row);
    row[rows] = FIELD_FULL;
    field_set(f, hole, TETRIS_HEIGHT - 1, TETRIS_NONE);
    return kept;
}

bool field_is_empty(const struct tetris_field *f)
{
    static const uint8_t none[sizeof f->cells];
    return memcmp(f->cells, none, sizeof none) == 0;
}

int field_garbage_rows(const struct tetris_field *f)
{
    int rows = 0;
    for (int y = -TETRIS_HIDDEN; y < TETRIS_HEIGHT; y++) {
        const uint8_t *row = &f->cells[(y + TETRIS_HIDDEN) * TETRIS_WIDTH / 2];
        unsigned grey = 0;
        for (int i = 0; i < TETRIS_WIDTH / 2; i++)
            grey |= row[i];
        rows += (grey & (TETRIS_GREY | TETRIS_GREY << 4)) != 0;
    }
    return rows;
}
