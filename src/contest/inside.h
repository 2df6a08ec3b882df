// What the files of this room share.
#pragma once

#include "contest/contest.h"

// By seat: all that judging a game needs to know of it.
void contest_seat_players(const struct contest *c, uint64_t index, int8_t entrant[GAME_MAX_SEATS]);
