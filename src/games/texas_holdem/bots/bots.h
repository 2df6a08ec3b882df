// The house players of Texas Hold'em, from a beginner to a solved strategy (N6).
#pragma once

#include "bots/bot.h"

extern const struct bot texas_holdem_rules_bot;  // a chart before the flop, estimated equity and pot odds after it
extern const struct bot texas_holdem_novice_bot; // pot odds, and a fifth of its answers is anything
extern const struct bot texas_holdem_plain_bot;  // pot odds alone
extern const struct bot
    texas_holdem_outline_bot; // the same table, but after the flop hands are good or bad, nothing between
extern const struct bot texas_holdem_solved_bot; // between two by a table, else by ranges
