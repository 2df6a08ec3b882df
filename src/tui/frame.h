// A picture of the terminal: cells with a glyph, a colour and a style. It does not depend on a terminal;
// drawing is clipped at the edges.
#pragma once

#include <stdint.h>

// The largest picture that tetris_scene.c draws.
enum { FRAME_COLUMNS = 72, FRAME_ROWS = 24 };

// The first nine are the codes of cells (enum tetris_kind).
enum frame_colour {
    COLOUR_PLAIN,
    COLOUR_I,
    COLOUR_O,
    COLOUR_T,
    COLOUR_S,
    COLOUR_Z,
    COLOUR_J,
    COLOUR_L,
    COLOUR_GREY,
    COLOUR_WHITE,
    COLOUR_DIM,
    COLOUR_ALERT,
    COLOURS,
};

enum frame_style { STYLE_BOLD = 1, STYLE_SOLID = 2 }; // solid: the colour is behind the glyph

struct frame_cell {
    uint16_t glyph; // Unicode
    uint8_t colour;
    uint8_t style;
};

struct frame {
    int columns, rows; // in use
    struct frame_cell cell[FRAME_ROWS][FRAME_COLUMNS];
};

void frame_clear(struct frame *f, int columns, int rows); // all blank; the size is limited
void frame_put(struct frame *f, int row, int column, struct frame_cell cell);
void frame_puts(struct frame *f, int row, int column, int colour, int style, const char *ascii);
void frame_put_uint(struct frame *f, int row, int column, int colour, int style, uint64_t value);
void frame_box(struct frame *f, int row, int column, int rows, int columns, int colour); // the outline only
void frame_fill(struct frame *f, int row, int column, int rows, int columns, struct frame_cell cell);
