// The field, its shapes, and what a piece may do in it. Bits only: no score, no time.
#pragma once

#include "games/tetris/rules/tetris.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "rows are read four at a time, the topmost in the low bits");

enum {
    FIELD_ABOVE = 8, // taken[y + FIELD_ABOVE] is row y
    FIELD_LEFT = 3,  // bit x + FIELD_LEFT is column x
    FIELD_WALL = 0xFFFF & ~(0x3FF << FIELD_LEFT),
    FIELD_FULL = 0xFFFF,
};

// Four rows of a rotation box in the low four bits of each 16, for a kind and a rotation.
extern const uint64_t field_shapes[8][4];

// The same as the numbers of the four bits.
extern const uint8_t field_bits[8][4][4];

// The same for each cell: the byte where its row begins in four rows, and 8 shifted right by its column.
extern const uint8_t field_cell_rows[8][4][4], field_cell_factors[8][4][4];

// Where its cells lie in the box (T3.42).
struct field_extent {
    uint8_t left, top, width, height;
};
extern const struct field_extent field_extents[8][4];

// Five offsets for the turn clockwise [0] or back [1] from a rotation; I has a table of its own (T1.7).
struct field_kick {
    int8_t x, y;
};
extern const struct field_kick field_kicks[2][4][2][5];

void field_clear(struct tetris_field *f, int ruleset);
int field_cell(const struct tetris_field *f, int x, int y); // the code in row -4..19
void field_set(struct tetris_field *f, int x, int y, int code);
void field_write(struct tetris_field *f, const struct tetris_piece *p);
int field_remove_full(struct tetris_field *f, const struct tetris_piece *p, int top); // rows p completed; their number
bool field_raise(struct tetris_field *f, int hole, int top); // one garbage row; false: cells were pushed over the top
bool field_is_empty(const struct tetris_field *f);
int field_garbage_rows(const struct tetris_field *f);

static inline int field_top(int ruleset)
{
    return ruleset == TETRIS_GUIDELINE ? -TETRIS_HIDDEN : 0;
}

// Rows y..y+3. Every box that a move or a kick can reach from a place that fits lies within rows -8..23 and within
// the walls (the table of kicks is tried from every place in the tests).
static inline uint64_t field_rows(const struct tetris_field *f, int y)
{
    uint64_t rows;
    memcpy(&rows, &f->taken[y + FIELD_ABOVE], sizeof rows);
    return rows;
}

static inline bool field_fits(const struct tetris_field *f, uint64_t shape, int x, int y)
{
    return !(field_rows(f, y) & shape << (x + FIELD_LEFT));
}

static inline uint64_t piece_shape(const struct tetris_piece *p)
{
    return field_shapes[p->kind][p->rotation];
}

static inline const struct field_extent *piece_extent(const struct tetris_piece *p)
{
    return &field_extents[p->kind][p->rotation];
}

static inline bool piece_is_grounded(const struct tetris_field *f, const struct tetris_piece *p)
{
    return !field_fits(f, piece_shape(p), p->x, p->y + 1);
}

// Inputs, with their effect on lock delay, resets and rotation flag (T1.20, T1.38, T1.67, T1.68). False: nothing
// changed.
bool piece_shift(const struct tetris_field *f, struct tetris_piece *p, int dx, int ruleset);
bool piece_turn(const struct tetris_field *f, struct tetris_piece *p, bool back, int ruleset);
bool piece_lower(const struct tetris_field *f, struct tetris_piece *p, int ruleset); // one row, by gravity or input
// One of the inputs above by its name; a soft drop without its points and its time.
bool piece_press(const struct tetris_field *f, struct tetris_piece *p, int input, int ruleset);
int piece_drop(const struct tetris_field *f, struct tetris_piece *p, int ruleset);             // to rest; rows fallen
void piece_place(const struct tetris_field *f, struct tetris_piece *p, int kind, int ruleset); // at the spawn; must fit
int piece_spawn_row(int ruleset);
