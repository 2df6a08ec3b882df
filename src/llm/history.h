// What a seat saw of a match, in words: part by part, equal small events joined (L52), and as much of it as there is
// room for (L54).
#pragma once

#include "codec/speech.h"

// Events from `from` on. When they take more than `room` bytes, whole parts are left out from the oldest, and a line
// says so; the last part stays.
void history_write(struct text *t, const struct codec *c, const struct codec_table *table, uint32_t from, size_t room);
