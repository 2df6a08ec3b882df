// Tetris: what the files of this folder give to its descriptor.
#pragma once

#include "kit/kit.h"

extern const struct env_facts tetris_environment;
extern const struct render_picture tetris_picture;
extern const struct contest_facts tetris_contest;
extern const struct game_kit tetris_kit;
