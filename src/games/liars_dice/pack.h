// What training found, as the bytes of a table (N5.2).
#pragma once

#include "base/text.h"
#include "games/liars_dice/refine.h"
#include "games/liars_dice/train.h"

// Appends the cell of one side. `out` must grow. Left out: what the own play never leads to.
void pack_side(struct text *out, const struct train *t, int side, int own, int other);
void pack_refined(struct text *out, const struct refine *r, int own, int other);
