// The solved player of Kuhn poker (N4): an equilibrium, from share/tables/kuhn_poker.table.
#pragma once

#include "bots/bot.h"

extern const struct bot kuhn_poker_solved_bot;

uint64_t kuhn_poker_key(const void *view); // of the information set: suits do not count
