// Parts of the descriptor of Tetris (kit.c) that other files of this folder define.
#pragma once

#include "kit/kit.h"

extern const struct env_facts tetris_environment;
extern const struct render_picture tetris_picture;
extern const struct contest_facts tetris_contest;
extern const struct game_kit tetris_kit;
