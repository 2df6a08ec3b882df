// Writes trained strategies as the bytes of a table (N5.2), which bots/table.h reads.
#pragma once

#include "base/text.h"
#include "games/liars_dice/cfr.h"
#include "games/liars_dice/cfr_br.h"

// Appends the cell of one side. `out` must grow. Places that the side's own play never reaches are left out.
void table_write_cfr(struct text *out, const struct cfr *t, int side, int own, int other);
void table_write_cfr_br(struct text *out, const struct cfr_br *r, int own, int other);
