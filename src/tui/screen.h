// The terminal of table games: whole pages (page.h) and single keys, without an event loop. Tetris has terminal.h.
#pragma once

#include "tui/input.h"

#include <signal.h>

enum { SCREEN_NOTHING = -1, SCREEN_GONE = -2, SCREEN_INTERRUPT = -3, SCREEN_KEYS = 64 };

struct screen {
    int columns, rows;
    int colours; // 0: none, or the user wants none (NO_COLOR)
    struct input input;
    int key[SCREEN_KEYS]; // read and not yet taken
    int first, count;
};

void screen_open(struct screen *s); // standard input and output are a terminal
void screen_close(struct screen *s);
void screen_measure(struct screen *s);
void screen_put(struct span bytes); // as they are, or in ASCII where the user's locale has no UTF-8
// A byte, enum input_code, or SCREEN_CONTROL of a letter. SCREEN_NOTHING: timeout_ms (-1: none) has passed, or the
// window was resized. SCREEN_INTERRUPT: Ctrl-C. SCREEN_GONE: the terminal is closed, or a signal asked the program to
// stop.
#define SCREEN_CONTROL(letter) ((letter)&0x1f)
int screen_wait_key(struct screen *s, int timeout_ms);
volatile sig_atomic_t *screen_interrupted(void); // set by Ctrl-C and by signals that end the program, for code that
                                                 // waits for something else; then screen_wait_key tells which
bool screen_is_there(void);                      // standard input and output are a terminal that can be drawn on
int screen_colours(void);                        // of a terminal at standard output, as `colours` above
int screen_plain_width(void);                    // for text that does not go to a terminal: COLUMNS, or 120

// Helpers for text in columns; a character is one column wide.
struct span screen_line(struct span text, size_t *at); // without its newline; *at moves behind it
int screen_width(struct span line);
