// Pictures of a table, drawn from views alone and with whole numbers, so that equal inputs give equal bytes on every
// machine (G29). Nothing here can show a hidden card: it was never given one.
//
// A picture comes in two steps. render_draw makes a list of flat shapes on a square of RENDER_SIDE units; render_paint
// turns the list into pixels of any type and size. One list serves all streams of a camera.
#pragma once

#include "game/game.h"

enum { RENDER_SIDE = 1024, RENDER_MAX_SHAPES = 1536, RENDER_MAX_SIZE = 4096 };

// Bytes of a pixel: rgb 3 (rgb8), depth 4 (r32f, metres), segmentation 4 (rgba8), flow 8 (rg32f, pixels).
enum render_type { RENDER_RGB, RENDER_DEPTH, RENDER_SEGMENTATION, RENDER_FLOW, RENDER_TYPES };

// What a pixel shows: the first byte of a segmentation (G29.5).
enum render_class {
    RENDER_BACKGROUND,
    RENDER_FELT, // or a board
    RENDER_LOCKED,
    RENDER_ACTIVE,
    RENDER_GHOST,
    RENDER_GARBAGE,
    RENDER_CARD_FACE,
    RENDER_CARD_BACK,
    RENDER_CHIP,
    RENDER_DIE,
    RENDER_CUP,
    RENDER_COIN,
    RENDER_MARKER,
    RENDER_TEXT,
    RENDER_CLASSES
};

struct render_list;
struct render_eyes;

// How the tables of one game are drawn.
struct render_picture {
    void (*draw)(struct render_list *l, const struct render_eyes *e);
    uint16_t far; // depth of what nothing covers (G29.4)
    bool flows;   // something in its pictures moves by itself
};

// What a camera sees (G29.2).
struct render_eyes {
    const struct render_picture *picture; // NULL: `text` on a plain table
    const char *text;                     // lines of plain text; NULL: none
    const void *view;                     // NULL: no episode
    // Views whose own cards or dice lie open at their seats; NULL: only what `view` shows everybody.
    const void *hand[GAME_MAX_SEATS];
    int seats;
    int bottom;      // the seat nearest to the camera
    seat_set to_act; // seats to act, for the marker of the turn
};

struct render_shape {
    int16_t x0, y0, x1, y1; // units
    uint32_t colour;        // 0xRRGGBB
    uint16_t depth;         // tenths of a millimetre from the camera
    uint8_t form;           // enum render_form, or a character
    uint8_t class;
    uint8_t instance; // in drawing order, from 1; 255: that or a later one
    uint8_t owner;    // seat + 1; 0: no seat
    uint8_t moves;    // with the mover of the list
    uint8_t unused;
};

struct render_list {
    struct render_shape at[RENDER_MAX_SHAPES];
    int count;
    uint32_t background;     // colour
    uint16_t far;            // depth of what nothing covers
    struct render_shape pen; // class, instance, owner and depth of what is being drawn
    uint32_t mover;          // the piece that moves by itself; 0: none
    int16_t mover_x, mover_y;
};

// Where things were in the last picture of a stream, for flow. All zero: there was none.
struct render_past {
    uint32_t mover;
    int16_t mover_x, mover_y;
    int32_t shift_x, shift_y;
    bool there;
};

struct render_frame {
    enum render_type type;
    int width, height;        // 1..RENDER_MAX_SIZE
    uint32_t light;           // brightness, in 1/65536
    int noise;                // largest change of an rgb byte, 0..32
    uint64_t grain;           // what the noise is drawn from
    int32_t shift_x, shift_y; // of the camera, in 1/65536 of width and height
    struct render_past *past; // read and renewed; NULL: nothing has moved
};

int render_pixel_size(enum render_type type);
void render_draw(struct render_list *l, const struct render_eyes *e);
void render_paint(const struct render_list *l, const struct render_frame *f, void *pixels); // rows are tight
