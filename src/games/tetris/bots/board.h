// The field as a searching player keeps it, and where a piece can come to rest in it. Bits only, all columns at once.
#pragma once

#include "games/tetris/rules/field.h"

// Ends of one piece: 4 rotations x 10 columns x at most 12 rows, since there is something to rest on between two.
enum { BOARD_ENDS = 512 };

struct board {
    uint16_t row[32];  // as tetris_field.taken
    uint32_t garbage;  // bit y + FIELD_ABOVE: row y has grey cells
    int8_t top;        // the topmost row with a cell; TETRIS_HEIGHT when there is none
    int8_t first;      // the topmost row that exists
    uint8_t guideline; // 1: kicks and spawn of that ruleset
    uint8_t spare;
};

struct board_end {
    int8_t rotation, x, y; // of the box
};

void board_read(struct board *b, const struct tetris_view *v);
void board_field(const struct board *b, struct tetris_field *f); // for the inputs of piece.c; cells stay zero

// Where this piece rests after any inputs from its place (T3.53), each set of cells once: the box that faces north or
// east where two look the same. How many.
int board_ends(const struct board *b, const struct tetris_piece *from, struct board_end out[BOARD_ENDS]);

// The same by a straight fall alone, wherever it is open to the sky from where the piece comes in. How many; there may
// be none where board_ends finds some.
int board_drops(const struct board *b, const struct tetris_piece *from, struct board_end out[BOARD_ENDS]);

// Writes the piece and removes full rows; how many, and how many of them had grey cells.
int board_settle(struct board *b, int kind, struct board_end e, int *grey);

// The piece where it comes in.
struct tetris_piece board_spawn(const struct board *b, int kind);

static inline bool board_fits(const struct board *b, int kind, int rotation, int x, int y)
{
    uint64_t rows;
    memcpy(&rows, &b->row[y + FIELD_ABOVE], sizeof rows);
    return !(rows & field_shapes[kind][rotation] << (x + FIELD_LEFT));
}

// The box of the same cells that board_ends would name.
struct board_end board_usual(int kind, struct board_end e);
bool board_has_twins(int kind); // I, S and Z: two boxes have the same cells
