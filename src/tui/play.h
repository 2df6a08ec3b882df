// The game at the terminal. The adapter steps it, as it does without a terminal; keys and agents act on one game
// (T2.1).
#pragma once

#include "front/lines/serve.h"
#include "tui/config.h"

struct play_options {
    struct serve_options serve;
    struct config config;
    bool listen;      // for agents
    const char *note; // shown for the first seconds; NULL: none
    struct text *log; // the replay, or NULL
};

// NULL after an ordinary end, or why there was no game.
const char *play_run(const struct play_options *o);
