// Bytes of a terminal become keys: plain bytes, arrows as every terminal sends them, and the kitty keyboard protocol,
// which tells releases too.
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
    INPUT_HAS_RELEASES, // the terminal has said that it will tell them
};

struct input_event {
    uint32_t code;
    enum input_kind kind;
    bool control;
};

struct input {
    uint8_t size;   // of a sequence that has begun
    char bytes[32]; // without its ESC
    bool escape;    // one has begun,
    bool told;      // and its ESC was taken for the key, nothing having followed at once
};

// `bytes` is what one read gave. A sequence may be cut anywhere. An ESC that ends them is the key of that name; when
// the rest of a sequence follows after all, that is heard too.
void input_feed(struct input *in, struct span bytes, void (*take)(void *owner, struct input_event e), void *owner);
