// A person at `agon tetris`: playing or watching, with settings from the command line, the environment and a file, in
// this order of precedence.
#pragma once

#include "app/adapter_options.h"

struct tetris_terminal {
    int das_ms, arr_ms; // -1: not given
    bool observe;
    char host[256];
    uint16_t port;
};

bool tetris_terminal_is_headless(void); // TUI_TETRIS_HEADLESS

// Returns the exit status. `log` gets the replay; may be NULL.
int tetris_terminal_play(const struct tetris_terminal *s, const struct adapter_settings *adapter, struct text *log);
int tetris_terminal_observe(const struct tetris_terminal *s);
