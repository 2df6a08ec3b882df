// What the files of this room share.
#pragma once

#include "contest/contest.h"

void contest_make_game(const struct contest *c, uint64_t index, struct contest_game *out); // index < total
void contest_add_round(struct contest *c); // a Swiss contest: the next round, from the figures so far
