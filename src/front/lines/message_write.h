// Writes the lines that a client of the Tetris AI Adapter sends; message.h parses them at the adapter.
#pragma once

#include "base/text.h"

// Every line is written with its LF.
struct hello_options {
    const char *name, *version, *role; // role NULL: none is named
    const char *table;                 // NULL: none is named
    bool stream, lockstep, place;
};
void message_write_hello(struct text *t, const struct hello_options *h);
void message_write_control(struct text *t, uint64_t seq, const char *action);
void message_write_actions(struct text *t, uint64_t seq, const char *const *actions, int count, const uint64_t *seed);
void message_write_place(struct text *t, uint64_t seq, int x, int rotation, bool hold);
