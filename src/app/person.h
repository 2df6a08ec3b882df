// A person at the terminal as a player of a contest: sees the seat's view in words, picks from a list.
#pragma once

#include "contest/contest.h"

bool person_is_needed(const struct contest_plan *p);
// Asks until something sensible is typed. `plan` is the contest's. The end of the input plays the fallback.
struct game_action person_ask(void *plan, const struct match *m, int seat);
