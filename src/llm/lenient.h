// JSON as models write it: raw control characters inside strings, commas before a closing bracket (L63). What is read
// comes out as strict JSON.
#pragma once

#include "base/text.h"

enum { LENIENT_DEPTH = 32 };

// Reads one object or array that begins at `s`; how many bytes it takes, 0: there is none. `work` is what may still be
// looked at, in bytes, and goes down. `out` gets it as strict JSON; it may be full, then the answer is 0.
size_t lenient_read(struct span s, struct text *out, size_t *work);
