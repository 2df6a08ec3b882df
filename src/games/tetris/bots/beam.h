// What the searching bot knows of a placement, for explanations (analysis.c).
#pragma once

#include "games/tetris/bots/board.h"

// The field after a placement, and how many rows it clears; -1: the action is no placement.
int tetris_try_placement(const struct tetris_view *v, struct game_action a, struct board *after);
