// A table game as a page of a terminal: a title, the picture, what happened, what can be done, the line that is typed.
//
// Pictures are plain text (codec.h): what stands in brackets is a card, a die or a role. Here they get colour, and
// frames three rows high where the window has room. Long lines are folded, not cut. A page never has more rows or
// columns than its window, so nothing scrolls; a window that is too small says so instead.
#pragma once

#include "base/text.h"

enum { PAGE_LEAST_COLUMNS = 40, PAGE_MOST_COLUMNS = 240, PAGE_MOST_ROWS = 160 };

struct page {
    struct span title;       // one line
    struct span picture;     // lines
    struct span log;         // what happened, oldest first: the last lines are shown
    struct span list;        // what can be done, one a line, in columns where they fit
    int chosen;              // the marked line of the list; -1: none
    int reserved;            // rows that a list will need which is not there now, so that the picture stays as it is
    struct span notice;      // lines that must be seen: an error, a hint, a result
    struct span prompt;      // the line that is typed, with a cursor behind it; NULL: there is none
    struct span keys;        // the last row
    struct span text;        // long text in place of picture, log and list; NULL: none
    int scroll;              // its first line; set to one that exists
    const char *const *seat; // names that get a colour each
    int seats;
};

// Appends the bytes that draw the page over whatever is there. `colours`: how many the terminal has, 0: none. False:
// the window is too small.
bool page_put(struct text *out, struct page *p, int columns, int rows, int colours);
// The lines of a picture in colour, for a terminal that scrolls.
void page_put_picture(struct text *out, const struct page *p, int columns, int colours);

// One picture of several that differ only in what their viewers know, and have the same number of lines: hidden cards
// give way to those that somebody sees, lines that differ otherwise all stay. False: they differ more than that.
bool page_merge(struct text *out, const struct span *pictures, int count);
