// What other rooms learn about a game: views, numbers, rewards, invariants.
#pragma once

#include "games/tetris/rules/tetris.h"

// Components of rewards (G24.6).
enum { TETRIS_REWARD_LINES, TETRIS_REWARD_SCORE, TETRIS_REWARD_SURVIVAL, TETRIS_REWARD_TOP_OUT, TETRIS_REWARD_GOAL };
extern const char *const tetris_rewarded[];

void tetris_observe(const void *state, int viewer, void *view);
void tetris_vector(const void *view, float *out);
void tetris_rewards(const void *state, const struct game_events *happened, struct game_rewards *out);
extern const struct game_rows tetris_rows;
const char *tetris_check(const void *state);
