// The house player of Tetris: looks at every placement and at what the next piece could do after it.
#pragma once

#include "bots/bot.h"

extern const struct bot tetris_rules_bot;
