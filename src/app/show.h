// Text pictures on a terminal: redrawn in place, with colour where the terminal has it and the user wants it.
#pragma once

#include "base/text.h"

bool show_is_live(void);    // standard output is a terminal
void show_begin(void);      // another page of the terminal, without a cursor
void show_end(void);        // the page that was there before
void show_home(void);       // top left: what follows is drawn over what is there
void show_pause(double ms); // a signal ends it

// A whole page over what is there: the picture, and below it as many of the last lines as the window has room for.
// Lines are cut at the right edge, so nothing scrolls away. A window that is too small for the picture says so instead.
void show_page(const struct text *picture, const struct text *lines);
void show_lines(const struct text *t); // line by line over what is there, so that nothing flickers
void show_plain(const struct text *t); // as it is, with a line's end
void show_keep_last(struct text *t, int lines);
