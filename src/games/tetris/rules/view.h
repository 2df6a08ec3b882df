// What is told about a game: views, numbers, rewards, invariants.
#pragma once

#include "games/tetris/rules/tetris.h"

extern const char *const tetris_rewarded[];

void tetris_observe(const void *state, int viewer, void *view);
void tetris_vector(const void *view, float *out);
void tetris_rewards(const void *state, const struct game_events *happened, struct game_rewards *out);
const char *tetris_check(const void *state);
