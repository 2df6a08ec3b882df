// What training found, as the bytes of a table (N5.2).
#pragma once

#include "base/text.h"
#include "games/liars_dice/train.h"

// Appends the entries of one side, sorted. Left out: what the own play never leads to, and what the odds say anyway.
void pack_side(struct text *out, const struct train *t, int side, int own, int other);
