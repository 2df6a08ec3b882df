// The house player of Texas Hold'em: a chart before the flop, estimated equity and pot odds after it.
#pragma once

#include "bots/bot.h"

extern const struct bot texas_holdem_rules_bot;
