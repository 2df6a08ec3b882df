// A person at the terminal as a player of a contest: the desk of `agon play` at the seats of an entrant.
#pragma once

#include "contest/play.h"
#include "kit/kit.h"

bool person_is_needed(const struct contest_plan *p);
// The person is asked and told from now on. Whoever leaves stops the run; the game under way has no result.
void person_open(struct contest_run *run, const struct game_kit *row);
void person_close(void); // the terminal is as it was
