// Shared by the files of this room.
#pragma once

#include "contest/contest.h"

// Sets the entrants by seat, which is all that judging a game needs to know of its plan.
void contest_seat_players(const struct contest *c, uint64_t index, int8_t entrant[GAME_MAX_SEATS]);
