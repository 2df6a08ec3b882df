#include "games/tetris/rules/field.h"

// A box of four rows of four cells, the leftmost in the low bit.
#define BOX(a, b, c, d) ((uint64_t)(a) | (uint64_t)(b) << 16 | (uint64_t)(c) << 32 | (uint64_t)(d) << 48)
#define TRIO(a, b, c)   BOX(a, b, c, 0)

// T1.5: north, east, south, west.
const uint64_t field_shapes[8][4] = {
    [TETRIS_I] = {BOX(0, 15, 0, 0), BOX(4, 4, 4, 4), BOX(0, 0, 15, 0), BOX(2, 2, 2, 2)},
    [TETRIS_O] = {TRIO(6, 6, 0), TRIO(6, 6, 0), TRIO(6, 6, 0), TRIO(6, 6, 0)},
    [TETRIS_T] = {TRIO(2, 7, 0), TRIO(2, 6, 2), TRIO(0, 7, 2), TRIO(2, 3, 2)},
    [TETRIS_S] = {TRIO(6, 3, 0), TRIO(2, 6, 4), TRIO(0, 6, 3), TRIO(1, 3, 2)},
    [TETRIS_Z] = {TRIO(3, 6, 0), TRIO(4, 6, 2), TRIO(0, 3, 6), TRIO(2, 3, 1)},
    [TETRIS_J] = {TRIO(1, 7, 0), TRIO(6, 2, 2), TRIO(0, 7, 4), TRIO(2, 2, 3)},
    [TETRIS_L] = {TRIO(4, 7, 0), TRIO(2, 2, 6), TRIO(0, 7, 1), TRIO(3, 2, 2)},
};

// The same as four cells each: where they lie in the box, and in `cells` counted from the origin of the box.
// clang-format off
#define CELLS(X)                                                                                                       \
    [TETRIS_I] = {{X(0, 1), X(1, 1), X(2, 1), X(3, 1)}, {X(2, 0), X(2, 1), X(2, 2), X(2, 3)},                          \
                  {X(0, 2), X(1, 2), X(2, 2), X(3, 2)}, {X(1, 0), X(1, 1), X(1, 2), X(1, 3)}},                         \
    [TETRIS_O] = {{X(1, 0), X(2, 0), X(1, 1), X(2, 1)}, {X(1, 0), X(2, 0), X(1, 1), X(2, 1)},                          \
                  {X(1, 0), X(2, 0), X(1, 1), X(2, 1)}, {X(1, 0), X(2, 0), X(1, 1), X(2, 1)}},                         \
    [TETRIS_T] = {{X(1, 0), X(0, 1), X(1, 1), X(2, 1)}, {X(1, 0), X(1, 1), X(2, 1), X(1, 2)},                          \
                  {X(0, 1), X(1, 1), X(2, 1), X(1, 2)}, {X(1, 0), X(0, 1), X(1, 1), X(1, 2)}},                         \
    [TETRIS_S] = {{X(1, 0), X(2, 0), X(0, 1), X(1, 1)}, {X(1, 0), X(1, 1), X(2, 1), X(2, 2)},                          \
                  {X(1, 1), X(2, 1), X(0, 2), X(1, 2)}, {X(0, 0), X(0, 1), X(1, 1), X(1, 2)}},                         \
    [TETRIS_Z] = {{X(0, 0), X(1, 0), X(1, 1), X(2, 1)}, {X(2, 0), X(1, 1), X(2, 1), X(1, 2)},                          \
                  {X(0, 1), X(1, 1), X(1, 2), X(2, 2)}, {X(1, 0), X(0, 1), X(1, 1), X(0, 2)}},                         \
    [TETRIS_J] = {{X(0, 0), X(0, 1), X(1, 1), X(2, 1)}, {X(1, 0), X(2, 0), X(1, 1), X(1, 2)},                          \
                  {X(0, 1), X(1, 1), X(2, 1), X(2, 2)}, {X(1, 0), X(1, 1), X(0, 2), X(1, 2)}},                         \
    [TETRIS_L] = {{X(2, 0), X(0, 1), X(1, 1), X(2, 1)}, {X(1, 0), X(1, 1), X(1, 2), X(2, 2)},                          \
                  {X(0, 1), X(1, 1), X(2, 1), X(0, 2)}, {X(0, 0), X(1, 0), X(1, 1), X(1, 2)}}
#define PLACE(x, y) {x, y}
#define STEP(x, y)  ((y) * TETRIS_WIDTH + (x))
#define BIT(x, y)   ((y) * 16 + (x))
#define ROW(x, y)   ((y) * 2)
#define FACTOR(x, y) (8 >> (x))
// clang-format on

static const struct tetris_cell cells[8][4][4] = {CELLS(PLACE)};
static const int8_t steps[8][4][4] = {CELLS(STEP)};
const uint8_t field_bits[8][4][4] = {CELLS(BIT)};
const uint8_t field_cell_rows[8][4][4] = {CELLS(ROW)};
const uint8_t field_cell_factors[8][4][4] = {CELLS(FACTOR)};

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
    int first = field_top(ruleset) + FIELD_ABOVE, end = TETRIS_HEIGHT + FIELD_ABOVE;
    for (int i = 0; i < 32; i++)
        f->taken[i] = i >= first && i < end ? FIELD_WALL : FIELD_FULL;
}

static int index_of(int x, int y)
{
    return (y + TETRIS_HIDDEN) * TETRIS_WIDTH + x;
}

int field_cell(const struct tetris_field *f, int x, int y)
{
    return f->cells[index_of(x, y)];
}

void field_set(struct tetris_field *f, int x, int y, int code)
{
    f->cells[index_of(x, y)] = (uint8_t)code;
    uint16_t bit = (uint16_t)(1 << (x + FIELD_LEFT)), *row = &f->taken[y + FIELD_ABOVE];
    *row = (uint16_t)(code ? *row | bit : *row & ~bit);
}

void field_write(struct tetris_field *f, const struct tetris_piece *p)
{
    uint64_t rows = field_rows(f, p->y) | piece_shape(p) << (p->x + FIELD_LEFT);
    memcpy(&f->taken[p->y + FIELD_ABOVE], &rows, sizeof rows);
    const int8_t *step = steps[p->kind][p->rotation];
    const uint8_t kind = p->kind; // a store to a cell may not touch it
    int origin = index_of(p->x, p->y);
    for (int i = 0; i < 4; i++)
        f->cells[origin + step[i]] = kind;
}

static __attribute__((noinline)) void remove_row(struct tetris_field *f, int y, int top)
{
    size_t above = (size_t)(y - top);
    uint8_t *cell = &f->cells[index_of(0, top)];
    memmove(cell + TETRIS_WIDTH, cell, above * TETRIS_WIDTH);
    memset(cell, TETRIS_NONE, TETRIS_WIDTH);
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
    uint8_t *cell = &f->cells[index_of(0, top)];
    memmove(cell, cell + TETRIS_WIDTH, rows * TETRIS_WIDTH);
    memset(cell + rows * TETRIS_WIDTH, TETRIS_GREY, TETRIS_WIDTH);
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
    for (int y = -TETRIS_HIDDEN; y < TETRIS_HEIGHT; y++)
        rows += memchr(&f->cells[index_of(0, y)], TETRIS_GREY, TETRIS_WIDTH) != NULL;
    return rows;
}
