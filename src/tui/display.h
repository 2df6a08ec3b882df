// A frame on a terminal. What has changed since the last one is found here, so that a frame costs the bytes of its
// changes, and an unchanged one a comparison.
#pragma once

#include "base/text.h"
#include "tui/terminfo.h"

#include <stdbool.h>

struct display_options {
    int in, out;
    const char *terminal; // NULL: what TERM says
    bool top;             // the frame stands at the top, not in the middle
};

enum { DISPLAY_ROOM = 1 << 14 };

struct display {
    struct display_options options;
    struct terminfo info;
    int columns, rows; // of the terminal
    bool has_unicode;
    bool takes_requests; // for releases of keys and for focus
    bool fresh;          // nothing is known of what the terminal shows
    int row, column;     // of the frame
    struct frame shown;
    struct text out; // on its way
    char bytes[DISPLAY_ROOM];
};

// NULL, or why there can be no display; then nothing has changed. One display at a time. While it is open, an exit or a
// crash of the process gives the terminal back as well.
const char *display_open(struct display *d, const struct display_options *o);
void display_close(struct display *d);   // the terminal is as it was
void display_suspend(struct display *d); // likewise, until display_resume
void display_resume(struct display *d);
void display_measure(struct display *d); // the window may have another size: all is drawn anew
void display_show(struct display *d, const struct frame *f);
