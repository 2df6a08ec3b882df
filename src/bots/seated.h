// Whose move it is, where house bots play every seat in turn. What they do: house/ask.h.
#pragma once

#include "match/match.h"

enum { SEATED_PACE = 30 }; // ticks between two moves of a bot, where time moves the game (G24.1)

// Whose move comes next, where everybody is asked in turn: a seat, or -1: let time pass. The match is not over.
int seated_next(const struct match *m);
