// A frame on a terminal. ncurses knows the terminals; which cells have changed is decided here, so that an unchanged
// frame costs a comparison and writes nothing.
#pragma once

#include "tui/frame.h"

#include <stdbool.h>
#include <stdio.h>

struct display_options {
    FILE *in, *out;
    const char *terminal; // NULL: what TERM says
    bool top;             // the frame stands at the top, not in the middle
};

struct display {
    struct display_options options;
    int columns, rows; // of the terminal
    bool has_colour, has_unicode;
    bool fresh; // the terminal is blank: everything must be drawn
    int row, column;
    struct frame shown;
};

// NULL, or why there can be no display; then nothing has changed. One display at a time. While it is open, a crash of
// the process gives the terminal back as well.
const char *display_open(struct display *d, const struct display_options *o);
void display_close(struct display *d);   // the terminal is as it was
void display_suspend(struct display *d); // likewise, until display_resume
void display_resume(struct display *d);
void display_measure(struct display *d); // the window may have another size
void display_show(struct display *d, const struct frame *f);
