// Views read back from neutral JSON, for a bot server that gets its games as text (protocol/bot-api). What a house
// player looks at is read and checked; the rest of the view stays empty.
#pragma once

#include "codec/codec.h"

// The view of `table->viewer` in this phase (game_turn.phase) from the object ahead. False when something is missing
// or cannot be: then the view is not to be used. Belote has its own wire.
bool look_read(const struct codec *c, struct json_reader r, const struct codec_table *table, int phase, void *view);

// One choice of a legal list, range and all; false when it is none.
bool look_read_choice(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                      struct game_choice *choice);

int look_phase(const struct codec *c, const void *view); // game_turn.phase as the view has it
