// What the files of this room share.
#pragma once

#include "contest/contest.h"

void contest_add_round(struct contest *c); // a Swiss contest: the next round, from the figures so far
