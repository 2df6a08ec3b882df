// Parts of the descriptor of Coup (kit.c) that other files of this folder define.
#pragma once

#include "kit/kit.h"

extern const struct env_facts coup_environment;
extern const struct render_picture coup_picture;
extern const struct game_counters coup_counters;
swing_chances coup_chances;
extern const struct game_kit coup_kit;
