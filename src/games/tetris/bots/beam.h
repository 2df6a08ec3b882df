// What the searching player knows of a placement, for whoever explains it.
#pragma once

#include "games/tetris/bots/board.h"

// The field after a placement, and how many rows it clears; -1: the action is none.
int tetris_try_placement(const struct tetris_view *v, struct game_action a, struct board *after);
