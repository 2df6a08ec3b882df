// Terminfo strings that a display needs, looked up once and then only copied.
#pragma once

#include "tui/frame.h"

#include <stdbool.h>
#include <stddef.h>

enum { TERMINFO_STYLES = 4, TERMINFO_ROOM = 64, TERMINFO_MOVE_ROOM = 32 };

struct terminfo {
    int colours;                                         // 0: none
    char enter[TERMINFO_ROOM], leave[TERMINFO_ROOM];     // the other page and no cursor; back
    char clear[TERMINFO_ROOM], plain[TERMINFO_ROOM];     // an empty page; no style
    char style[COLOURS][TERMINFO_STYLES][TERMINFO_ROOM]; // from any style to this one
};

// Returns NULL, or why this terminal cannot be used. `name` NULL: $TERM.
const char *terminfo_open(struct terminfo *t, const char *name, int fd);
void terminfo_close(void);
int terminfo_colours(int fd); // of the terminal that TERM names; 0: none. Not while another is open
size_t terminfo_move(char out[TERMINFO_MOVE_ROOM], int row, int column);
