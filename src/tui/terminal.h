// The terminal of Tetris on an event loop: a display (display.h), keys, a new size, Ctrl-Z and the signals that end a
// program.
#pragma once

#include "net/loop.h"
#include "tui/display.h"
#include "tui/input.h"

enum { TERMINAL_STOPS = 4 }; // signals that end the loop

struct terminal_handler {
    void (*on_key)(void *owner, struct input_event e);
    void (*on_redraw)(void *owner); // another size, or back from a stop: draw anew
};

struct terminal {
    struct loop *loop;
    const struct terminal_handler *handler;
    void *owner;
    struct display display;
    struct input input;
    struct event *in, *resized, *stopped, *ended[TERMINAL_STOPS];
};

// NULL, or why it cannot be. The loop stops at SIGINT, SIGTERM, SIGHUP and SIGQUIT, at Ctrl-C, and when the terminal is
// gone.
const char *terminal_open(struct terminal *t, struct loop *l, bool top, const struct terminal_handler *handler,
                          void *owner);
void terminal_close(struct terminal *t);
