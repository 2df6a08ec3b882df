// Parses the input of a terminal: plain bytes, the usual sequences for arrows, and the kitty keyboard protocol, which
// also reports key releases.
#pragma once

#include "base/span.h"

#include <stdint.h>

enum input_code { // beyond Unicode; letters come in lower case
    INPUT_LEFT = 0x110000,
    INPUT_RIGHT,
    INPUT_UP,
    INPUT_DOWN,
    INPUT_HOME,
    INPUT_END,
    INPUT_F1,
};

enum { INPUT_TAB = 9, INPUT_ENTER = 13, INPUT_ESCAPE = 27, INPUT_SPACE = 32, INPUT_BACKSPACE = 127 };

enum input_kind {
    INPUT_PRESS,
    INPUT_REPEAT,
    INPUT_RELEASE,
    INPUT_FOCUS_LOST,
    INPUT_HAS_RELEASES, // the terminal has announced that it reports releases
};

struct input_event {
    uint32_t code;
    enum input_kind kind;
    bool control;
};

struct input {
    uint8_t size;         // of a sequence that has begun
    char bytes[32];       // without its ESC
    bool escape;          // one has begun,
    bool escape_reported; // and its ESC was taken for the key, nothing having followed at once
};

// `bytes` is the result of one read; a sequence may be cut anywhere. A final ESC counts as the Escape key; if the rest
// of a sequence follows later, that key is reported as well.
void input_feed(struct input *in, struct span bytes, void (*take)(void *owner, struct input_event e), void *owner);
