// A rule-based player for Liar's Dice: weighs bids by what the hidden dice make likely.
#pragma once

#include "bots/bot.h"

extern const struct bot liars_dice_rules_bot;
