// What the solved table makes of the bids of the other, between two.
#pragma once

#include "bots/bot.h"
#include "games/liars_dice/bots/round.h"

// How likely the other holds each hand of `h`, by what the table would have bid with it; weights, not a distribution.
// The mind of the question is that of the solved bot. False: more than two play, or the table does not know the rules.
bool liars_dice_range(const struct bot_ask *ask, struct round_hands *h, float weight[ROUND_HANDS]);
