// A person at the terminal as a player of a contest: the console of `agon play` at the seats of an entrant.
#pragma once

#include "contest/play.h"
#include "kit/kit.h"

bool person_is_needed(const struct contest_plan *p);
// Asks the person for moves and shows what happens, from now on. If the person leaves, the run stops, and the current
// game has no result.
void person_open(struct contest_run *run, const struct game_kit *row);
void person_close(void); // restores the terminal
