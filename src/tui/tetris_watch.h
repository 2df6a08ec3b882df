// Shows the game of any adapter of the standard at the terminal (T6.9).
#pragma once

#include "tui/config.h"

struct tetris_watch_options {
    struct config config;
    const char *host;
    uint16_t port;
    const char *note; // shown for the first seconds; NULL: none
};

enum { TETRIS_WATCH_ENDED, TETRIS_WATCH_LOST, TETRIS_WATCH_NEVER_BEGAN };

// Runs until the user leaves, or the adapter is gone or was never there; then sets `why_ended`.
int tetris_watch_run(const struct tetris_watch_options *o, char *why_ended, size_t room);
