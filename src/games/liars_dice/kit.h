// Liar's Dice: what the files of this folder give to its descriptor.
#pragma once

#include "kit/kit.h"

extern const struct env_facts liars_dice_environment;
extern const struct render_picture liars_dice_picture;
extern const struct game_counters liars_dice_counters;
swing_chances liars_dice_chances;
extern const struct game_kit liars_dice_kit;
