// Finesse: the fewest inputs that bring a piece to rest in a place, the hard drop among them. Inputs are those of the
// rules and the adapter: one column, one turn, one row; a key that is held counts as often as it repeats.
#pragma once

#include "games/tetris/bots/board.h"

struct finesse_end {
    struct board_end end;  // as board_usual names it
    struct board_end lies; // the same cells, as the inputs leave the piece
    uint8_t inputs;        // with the hard drop; 255: at least so many
    uint8_t first;         // the first of them: enum tetris_action
};

// Every end that inputs reach from here, each set of cells once, by a shortest way. Time stands still. How many.
int finesse_find(const struct board *b, const struct tetris_piece *from, struct finesse_end out[BOARD_ENDS]);

// The fewest inputs to this end, at most `room`; how many, or -1: there is no such way.
int finesse_path(const struct board *b, const struct tetris_piece *from, struct board_end end, uint8_t *out, int room);

// The inputs to this end, as board_usual names it, from the spawn where nothing is in the way.
int finesse_guess(int kind, struct board_end end);
