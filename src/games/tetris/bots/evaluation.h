// Evaluation of a field for the searching bot, by the goal of the table.
#pragma once

#include "games/tetris/bots/board.h"

// Hundredths of a point; all but `lines` and `garbage` are costs.
struct weights {
    int16_t lines[5];  // by number of rows cleared at once
    int16_t garbage;   // for each row of garbage that goes
    int16_t piece;     // each
    int16_t input;     // each, beyond what the columns of the piece cost anyway
    int16_t hole;      // an empty cell below a taken one
    int16_t hole_row;  // a row with such cells
    int16_t cover;     // a taken cell above the topmost hole of its column, up to `cover_most` of them
    int16_t row_turns; // changes between taken and empty along rows
    int16_t column_turns;
    int16_t bump;       // difference of neighbouring columns
    int16_t well;       // a cell of a well, times its depth
    int16_t height;     // each row of the stack
    int16_t high;       // each row above `high_from`, squared
    int16_t high_from;  // rows
    int16_t lane;       // a taken cell in the column that is kept open
    int16_t lane_ready; // gain: a row that waits for that column alone, counted from below
    int16_t over_grey;  // a taken cell above a hole of the topmost garbage row
    int16_t over_next;  // the same for the rows below it
    int16_t grey_left;  // a row of garbage that is still there
    int16_t cells;      // a taken cell, where few must be left
    int16_t path;       // 64ths: weight of intermediate fields, so that good moves are not delayed for ever
    int8_t kept;        // column that is kept open; -1: none
    uint8_t cover_most;
    uint8_t race; // 1: inputs alone count, so pieces fall straight and cells above the last rows earn nothing
    uint8_t par[TETRIS_WIDTH]; // hundredths of an input that a cell of each column costs anyway
};

// The weights for the goal of this table. placed: pieces are placed by one action each, so a goal should take few
// pieces; otherwise by inputs, and it should take few inputs.
const struct weights *evaluation_weights(const struct tetris_view *v, const struct board *b, bool placed);

// What the inputs to this end cost beyond par.
int evaluate_inputs(const struct weights *w, int kind, struct board_end e, int inputs);

// What cells above the `left` rows that remain to be cleared have earned in vain.
int evaluate_waste(const struct board *b, const struct weights *w, int left);

int evaluate_board(const struct board *b, const struct weights *w);
