// The game at the terminal. The adapter steps it, as it does without a terminal; keys and agents act on one game
// (T2.1).
#pragma once

#include "front/lines/adapter_server.h"
#include "tui/config.h"

// The best games so far, kept by whoever runs the game.
enum { TETRIS_PLAY_BEST = 5 };
struct tetris_play_scores {
    uint32_t score[TETRIS_PLAY_BEST]; // best first; 0: none
    int place;                        // of the game that has just ended, from 0; -1: not among them
};

struct tetris_play_options {
    struct adapter_server_options serve;
    struct config config;
    bool listen;      // for agents
    const char *note; // shown for the first seconds; NULL: none
    struct text *log; // the replay, or NULL
    // Called when a game is over: adds it to the scores and sets `out` to them. NULL: none are kept.
    void (*on_over)(void *owner, const struct tetris_facts *f, struct tetris_play_scores *out);
    void *owner;
};

// NULL after an ordinary end, or why there was no game.
const char *tetris_play_run(const struct tetris_play_options *o);
