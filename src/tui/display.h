// Draws frames (frame.h) on a terminal. Only the changes since the last frame are written; an unchanged frame costs a
// comparison.
#pragma once

#include "base/text.h"
#include "tui/terminfo.h"

#include <stdbool.h>

struct display_options {
    int in, out;
    const char *terminal; // NULL: what TERM says
    bool top;             // the frame stands at the top, not in the middle
};

// Bytes that are collected before they are written.
enum { DISPLAY_ROOM = 1 << 14 };

struct display {
    struct display_options options;
    struct terminfo info;
    int columns, rows; // of the terminal
    bool has_unicode;
    bool takes_requests; // for releases of keys and for focus
    bool fresh;          // what the terminal shows is unknown: draw everything
    int row, column;     // of the frame
    struct frame shown;
    struct text out; // bytes to be written
    char bytes[DISPLAY_ROOM];
};

// Returns NULL, or an error message; then nothing has changed. Only one display can be open. The terminal is also
// restored when the process exits or crashes.
const char *display_open(struct display *d, const struct display_options *o);
void display_close(struct display *d);   // restores the terminal
void display_suspend(struct display *d); // likewise, until display_resume
void display_resume(struct display *d);
void display_measure(struct display *d); // reads the size of the window and draws everything anew
void display_show(struct display *d, const struct frame *f);
