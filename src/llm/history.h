// What a seat saw of a match, in words: by parts, with equal small events combined (L52), and as much of it as fits
// (L54).
#pragma once

#include "codec/speech.h"

// Writes events from `from` on. If they need more than `room` bytes, whole parts are left out, oldest first, and a line
// says so; the last part stays.
void history_write(struct text *t, const struct codec *c, const struct codec_table *table, uint32_t from, size_t room);
