// A terminal taken over for a while: raw keys, whole frames, and everything as it was when it is given back.
#pragma once

#include "base/span.h"

#include <stdint.h>
#include <termios.h>

enum screen_key {
    SCREEN_NOTHING = -1, // the time is up, or the window has another size
    SCREEN_GONE = -2,    // the terminal is, or somebody asked us to stop
    SCREEN_BACKSPACE = 127,
    SCREEN_LEFT = 256,
    SCREEN_RIGHT,
    SCREEN_UP,
    SCREEN_DOWN,
    SCREEN_HOME,
    SCREEN_END,
};

struct screen {
    struct termios before;
    int columns, rows;
};

void screen_open(struct screen *s); // standard input and output are a terminal
void screen_close(struct screen *s);
void screen_measure(struct screen *s);
void screen_show(struct screen *s, struct span text);  // lines, cut at the edges; what was there before goes
int screen_wait_key(struct screen *s, int timeout_ms); // enum screen_key or a byte; -1 waits for ever
int64_t screen_now_us(void);                           // a clock that only goes forwards
int screen_plain_width(void);                          // for text that does not go to a terminal: COLUMNS, or 120

// Helpers for text in columns; a character is one column wide.
struct span screen_line(struct span text, size_t *at); // without its newline; *at moves behind it
int screen_width(struct span line);
