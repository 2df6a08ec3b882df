// A decision of the searching player with weights of the caller's choice: for the players and for tuning.
#pragma once

#include "bots/bot.h"
#include "games/tetris/bots/weigh.h"

// `width` fields a ply; weights NULL: those of the table.
struct game_action beam_choose(const struct bot_ask *ask, int width, const struct weights *w);
