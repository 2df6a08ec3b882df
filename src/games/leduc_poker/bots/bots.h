// The solved player of Leduc poker (N4): an equilibrium, from share/tables/leduc_poker.table.
#pragma once

#include "bots/bot.h"

extern const struct bot leduc_poker_solved_bot;

uint64_t leduc_poker_key(const void *view); // of the information set: suits do not count
