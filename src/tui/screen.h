// Pages of text on a terminal: whole frames and single keys, without an event loop.
#pragma once

#include "tui/input.h"

enum { SCREEN_NOTHING = -1, SCREEN_GONE = -2, SCREEN_KEYS = 64 };

struct screen {
    int columns, rows;
    struct input input;
    int key[SCREEN_KEYS]; // read and not yet taken
    int first, count;
};

void screen_open(struct screen *s); // standard input and output are a terminal
void screen_close(struct screen *s);
void screen_measure(struct screen *s);
void screen_show(struct screen *s, struct span text); // lines, cut at the edges; what was there before goes
// A byte or enum input_code. SCREEN_NOTHING: timeout_ms (-1: none) has passed, or the window was resized. SCREEN_GONE:
// the terminal is closed, or a signal asked the program to stop.
int screen_wait_key(struct screen *s, int timeout_ms);
int screen_plain_width(void); // for text that does not go to a terminal: COLUMNS, or 120

// Helpers for text in columns; a character is one column wide.
struct span screen_line(struct span text, size_t *at); // without its newline; *at moves behind it
int screen_width(struct span line);
