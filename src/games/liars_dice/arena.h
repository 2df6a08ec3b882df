// Liar's Dice on the arena's wire, both sides.
#pragma once

#include "kit/action_request.h"

extern const struct arena_dialect liars_dice_arena;
extern const struct arena_reader liars_dice_arena_reader;
