// What the files of the games draw with: things, made of boxes, discs and characters, on the square of a list.
#pragma once

#include "render/render.h"

// Forms of a shape; a character of the font is its own form.
enum render_form { RENDER_BOX, RENDER_DISC, RENDER_SUIT /* clubs, and the next three */ };

// Depths, in tenths of a millimetre (G29.4).
enum {
    DEPTH_FELT = 20000,
    DEPTH_CARD = 20, // one card lies so much higher
    DEPTH_CHIP = 40,
    DEPTH_DIE = 160,
    DEPTH_CUP = 1000,
    DEPTH_COIN = 20,
};

enum {
    COLOUR_ROOM = 0x14181c,
    COLOUR_RIM = 0x5a3a22,
    COLOUR_FELT = 0x1f6b43,
    COLOUR_PLATE = 0x12422a,
    COLOUR_WHITE = 0xf4f1e8,
    COLOUR_BLACK = 0x101014,
    COLOUR_RED = 0xc8202c,
    COLOUR_GOLD = 0xf0c030,
    COLOUR_GREY = 0x8a9096,
    COLOUR_BACK = 0x2a4a9c,
    COLOUR_BACK_EDGE = 0xd8dcec,
    COLOUR_BLUE = 0x3a6fd0,
};

enum { NOBODY = -1 };

// From here on shapes belong to a new thing; owner is a seat or NOBODY, `above` how high it lies over the felt.
void canvas_thing(struct render_list *l, enum render_class class, int owner, int above);
void canvas_box(struct render_list *l, int x, int y, int width, int height, uint32_t colour);
void canvas_disc(struct render_list *l, int x, int y, int radius, uint32_t colour); // x, y: the middle
void canvas_glyph(struct render_list *l, int x, int y, int height, int glyph, uint32_t colour);

// Things made of these. Text stands around x, its top at y.
void canvas_text(struct render_list *l, int x, int y, int height, uint32_t colour, int owner, const char *text);
// Lines of text from the left, the first with its top at y; they are separated by newlines.
void canvas_lines(struct render_list *l, int x, int y, int height, uint32_t colour, const char *text);
void canvas_number(struct render_list *l, int x, int y, int height, uint32_t colour, int owner, const char *before,
                   int64_t value);
void canvas_face(struct render_list *l, int x, int y, int width, char rank, int suit, int owner, int below);
void canvas_back(struct render_list *l, int x, int y, int width, int owner, int below);
void canvas_die(struct render_list *l, int x, int y, int size, int face, int owner);
void canvas_cup(struct render_list *l, int x, int y, int size, int owner); // x, y: the middle
void canvas_pile(struct render_list *l, int x, int y, enum render_class class, int count, int owner); // chips or coins
void canvas_turn(struct render_list *l, int x, int y, int owner); // the marker of the seat to act

// Tables.
struct canvas_place {
    int x, y;       // the middle of a seat
    int in_x, in_y; // a point before it, towards the middle of the table
};
void canvas_table(struct render_list *l);
struct canvas_place canvas_seat(const struct render_eyes *e, int seat);
int canvas_card_height(int width);

const uint8_t *font_rows(int glyph); // seven rows of five bits, the left one highest; NULL: nothing to see
