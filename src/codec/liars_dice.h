// Liar's Dice in JSON and prose (G26).
#pragma once

#include "codec/codec.h"

extern const struct codec liars_dice_codec;
