// Whose move is next if house bots play all seats; house/ask.h chooses the moves.
#pragma once

#include "match/match.h"

enum { SELF_PLAY_PACE = 30 }; // ticks between two moves of a bot in a real-time game (G24.1)

// The seat whose move comes next, or -1 to let time pass. The match must not be over.
int self_play_next_seat(const struct match *m);
