// Parts of the descriptor of Liar's Dice (kit.c) that other files of this folder define.
#pragma once

#include "kit/kit.h"

extern const struct env_facts liars_dice_environment;
extern const struct render_picture liars_dice_picture;
extern const struct game_counters liars_dice_counters;
swing_chances liars_dice_chances;
extern const struct game_kit liars_dice_kit;
