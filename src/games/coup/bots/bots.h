// A house player for Coup.
#pragma once

#include "bots/bot.h"

// Counts copies, plays what it holds, bluffs and doubts by aggro, and goes for the leader.
extern const struct bot coup_rules_bot;
