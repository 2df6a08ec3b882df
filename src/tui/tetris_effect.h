// Visual effects: rows that vanish, and words for a good lock. They are found by comparing successive views; time is an
// argument.
#pragma once

#include "games/tetris/rules/tetris.h"

enum {
    TETRIS_EFFECT_NOTICES = 4,
    TETRIS_EFFECT_NOTICE_ROOM = 16,
    TETRIS_EFFECT_NOTICE_US = 2000000,
    TETRIS_EFFECT_CLEAR_MS = 180
};

struct tetris_effect {
    uint8_t cells[TETRIS_CELLS];  // of the view before
    uint8_t before[TETRIS_CELLS]; // the field with the rows that went, while `rows` is not 0
    uint32_t rows;                // bit y: row y went
    uint32_t episode_id, board_id;
    bool seen, back_to_back; // seen: there was a view before; back_to_back: of that view
    int notices;
    char notice[TETRIS_EFFECT_NOTICES][TETRIS_EFFECT_NOTICE_ROOM];
    int64_t notice_until_us;
};

void tetris_effect_update(struct tetris_effect *e, const struct tetris_view *v, int64_t now_us);
