// A table game as a page of a terminal: a title, the picture, the log, the list of actions, the input line.
//
// Pictures are plain text (codec.h): text in brackets is a card, a die or a role. Here they get colours and, if the
// window has room, frames of three rows. Long lines are wrapped, not cut. A page never has more rows or columns than
// its window, so nothing scrolls; if the window is too small, a message is shown instead.
#pragma once

#include "base/text.h"

// Of the window: fewer columns get a message instead, columns and rows beyond the largest page stay empty.
enum { PAGE_LEAST_COLUMNS = 40, PAGE_MOST_COLUMNS = 240, PAGE_MOST_ROWS = 160 };

struct page {
    struct span title;       // one line
    struct span picture;     // lines
    struct span log;         // what happened, oldest first: the last lines are shown
    struct span list;        // what can be done, one a line, in columns where they fit
    int chosen;              // the marked line of the list; -1: none
    int reserved;            // rows kept free for a list that is not shown now, so that the picture does not move
    struct span notice;      // lines that must be seen: an error, a hint, a result
    struct span prompt;      // the line that is typed, with a cursor behind it; NULL: there is none
    struct span keys;        // the last row
    struct span text;        // long text in place of picture, log and list; NULL: none
    int scroll;              // its first line; set to one that exists
    const char *const *seat; // names that get a colour each
    int seats;
};

// Appends the bytes that draw the page over the present content. `colours`: how many the terminal has, 0: none. False:
// the window is too small.
bool page_put(struct text *out, struct page *p, int columns, int rows, int colours);
// The lines of a picture in colour, for a terminal that scrolls.
void page_put_picture(struct text *out, const struct page *p, int columns, int colours);

enum { PAGE_NAME_COLUMNS = 12, PAGE_NAME_BYTES = 4 * PAGE_NAME_COLUMNS + 1 };
// A name in the columns that pictures have for it: of a long one the first word, and the last one where that is short,
// because it tells players apart: "House .. 5".
void page_shorten_name(char to[PAGE_NAME_BYTES], const char *name);

// Merges pictures of several viewers, which have the same number of lines: hidden cards are replaced by those that some
// viewer sees; of lines that differ otherwise, all variants stay. Returns false if the pictures differ more than that.
bool page_merge(struct text *out, const struct span *pictures, int count);
