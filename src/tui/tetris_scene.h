// Draws the game into a frame (frame.h): field, hold, next pieces, numbers, overlays and the panel.
#pragma once

#include "tui/frame.h"
#include "tui/tetris_effect.h"

enum {
    TETRIS_SCENE_PANEL_LINES = 6,
    TETRIS_SCENE_LINE_ROOM = 80,
    TETRIS_SCENE_OVER_LINES = 12,
    TETRIS_SCENE_KEY_LINES = 14
};

struct tetris_scene {
    bool has_view; // false: nothing to show yet, the panel says why
    bool prompt;   // a seed is being typed
    bool keys;     // the list of keys is shown
    struct tetris_view view;
    struct tetris_effect effect;
    char seed[12];                          // what is typed so far
    char resume_hint[20];                   // below PAUSED
    char over[TETRIS_SCENE_OVER_LINES][21]; // below GAME OVER: what can be done now, then the best scores
    int over_count;
    char key[TETRIS_SCENE_KEY_LINES][21]; // of the list of keys
    int key_count;
    char panel[TETRIS_SCENE_PANEL_LINES][TETRIS_SCENE_LINE_ROOM];    // the first line is its title
    char help[TETRIS_SCENE_LINE_ROOM], note[TETRIS_SCENE_LINE_ROOM]; // the last row: a note takes the place of the help
};

// Fills the frame for a terminal of that size: whole, narrow (field and pieces), or only words when it is too small.
void tetris_scene_draw(const struct tetris_scene *s, int columns, int rows, struct frame *f);
