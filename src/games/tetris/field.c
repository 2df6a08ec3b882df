#include "games/tetris/field.h"

// A box of four rows of four cells, the leftmost in the low bit.
#define BOX(a, b, c, d) ((uint64_t)(a) | (uint64_t)(b) << 16 | (uint64_t)(c) << 32 | (uint64_t)(d) << 48)
#define TRIO(a, b, c)   BOX(a, b, c, 0)

// T1.5; a row of cells .123 is written 1 + 2 + 4 + 8 from the left.
const uint64_t field_shapes[8][4] = {
    [TETRIS_I] = {BOX(0, 15, 0, 0), BOX(4, 4, 4, 4), BOX(0, 0, 15, 0), BOX(2, 2, 2, 2)},
    [TETRIS_O] = {TRIO(6, 6, 0), TRIO(6, 6, 0), TRIO(6, 6, 0), TRIO(6, 6, 0)},
    [TETRIS_T] = {TRIO(2, 7, 0), TRIO(2, 6, 2), TRIO(0, 7, 2), TRIO(2, 3, 2)},
    [TETRIS_S] = {TRIO(6, 3, 0), TRIO(2, 6, 4), TRIO(0, 6, 3), TRIO(1, 3, 2)},
    [TETRIS_Z] = {TRIO(3, 6, 0), TRIO(4, 6, 2), TRIO(0, 3, 6), TRIO(2, 3, 1)},
    [TETRIS_J] = {TRIO(1, 7, 0), TRIO(6, 2, 2), TRIO(0, 7, 4), TRIO(2, 2, 3)},
    [TETRIS_L] = {TRIO(4, 7, 0), TRIO(2, 2, 6), TRIO(0, 7, 1), TRIO(3, 2, 2)},
};

// The same as four cells each, which is what is written into the field.
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

// T3.42, as it follows from the shapes: the lowest column and row with a cell, and the columns in use.
static int columns_of(int kind, int rotation)
{
    uint64_t s = field_shapes[kind][rotation];
    return (int)((s | s >> 16 | s >> 32 | s >> 48) & 15);
}

int tetris_left(int kind, int rotation)
{
    return __builtin_ctz((unsigned)columns_of(kind, rotation));
}

int tetris_span(int kind, int rotation)
{
    return __builtin_popcount((unsigned)columns_of(kind, rotation));
}

int tetris_top(int kind, int rotation)
{
    return __builtin_ctzll(field_shapes[kind][rotation]) / 16;
}

void field_clear(struct tetris_field *f, int ruleset)
{
    memset(f->cells, 0, sizeof f->cells);
    memset(f->taken, 0xFF, sizeof f->taken);
    for (int y = field_top(ruleset); y < TETRIS_HEIGHT; y++)
        f->taken[y + FIELD_ABOVE] = FIELD_WALL;
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

void field_write(struct tetris_field *f, const struct tetris_piece *p)
{
    uint64_t rows = field_rows(f, p->y) | piece_shape(p) << (p->x + FIELD_LEFT);
    memcpy(&f->taken[p->y + FIELD_ABOVE], &rows, sizeof rows);
    const struct tetris_cell *cell = cells[p->kind][p->rotation];
    for (int i = 0; i < 4; i++) {
        unsigned at = nibble_at(p->x + cell[i].x, p->y + cell[i].y);
        f->cells[at / 2] |= (uint8_t)(p->kind << 4 * (at % 2));
    }
}

static void remove_row(struct tetris_field *f, int y, int top)
{
    size_t above = (size_t)(y - top);
    uint8_t *cell = &f->cells[(top + TETRIS_HIDDEN) * TETRIS_WIDTH / 2];
    memmove(cell + TETRIS_WIDTH / 2, cell, above * TETRIS_WIDTH / 2);
    memset(cell, 0, TETRIS_WIDTH / 2);
    uint16_t *row = &f->taken[top + FIELD_ABOVE];
    memmove(row + 1, row, above * sizeof *row);
    *row = FIELD_WALL;
}

int field_remove_full(struct tetris_field *f, const struct tetris_piece *p, int top)
{
    // Only rows of the piece can be full; the floor is, but no piece has cells there.
    uint64_t rows = field_rows(f, p->y), shape = piece_shape(p);
    int removed = 0;
    for (int i = 0; i < 4; i++, rows >>= 16, shape >>= 16)
        if ((rows & FIELD_FULL) == FIELD_FULL && (shape & 15)) {
            remove_row(f, p->y + i, top);
            removed++;
        }
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
