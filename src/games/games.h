// The games of this program. A game is a folder beside this file and a row in games.c; nothing else names it.
#pragma once

#include "kit/kit.h"

enum { GAMES_MAX = 32 }; // rows of the table: the arena has a bit for each in a set of 32

extern const struct game_kit *const game_kits[]; // ended by NULL

const struct game_kit *games_find(const char *name); // NULL: there is none of that name
