// Rows of a page: cells with a style, the meaning of words and brackets in a line, and frames of three rows. page.c
// decides which rows are shown.
#pragma once

#include "tui/page.h"

#include <stdint.h>

enum style {
    PLAIN,
    BOLD,
    DIM,
    TITLE,
    CHOSEN,
    NOTICE,
    CARD,     // a black suit, a role, a die
    CARD_RED, // hearts and diamonds
    HIDDEN,   // face down, or a place without a card
    GONE,     // face up and lost
    SEAT,     // the name of seat 0, then the others
    PIECE = SEAT + 10,
    STYLES = PIECE + 9,
};

struct cell {
    uint32_t glyph;
    uint8_t style;
};

struct row {
    int count;
    struct cell cell[PAGE_MOST_COLUMNS];
};

struct canvas {
    struct text *out;
    int columns, rows, colours;
    int used; // rows
};

int page_count_lines(struct span text);
uint32_t page_read_glyph(struct span s, size_t *at); // a blank in place of what is not to be drawn
struct row page_row_of(struct span line, int style);
struct row page_picture_row(struct span line, const struct page *p); // names, cards, dice and fields have their colours
void page_mark_names(struct row *r, const struct page *p);
// The picture with fewer blanks between its columns if it is wider than the window, written to `out`. If `out` is full,
// the picture itself.
struct span page_narrow(struct text *out, struct span picture, int columns);
void page_put_cell(struct row *r, int at, uint32_t glyph, int style); // behind the end too

enum { PAGE_SHOWN = 100 };
// How many cards of the row could have a frame; those that are seen count PAGE_SHOWN.
int page_frame_worth(const struct row *r);
bool page_is_bare(const struct row *r); // cards and blanks alone

void page_put_cells(struct text *t, const struct row *r, int columns, int colours);
void page_put_row(struct canvas *c, const struct row *r); // nothing where the canvas is full
void page_put_blank(struct canvas *c);
void page_put_framed(struct canvas *c, const struct row *r); // three rows
