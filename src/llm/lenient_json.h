// JSON as models write it: with raw control characters inside strings, and commas before a closing bracket (L63). The
// output is strict JSON.
#pragma once

#include "base/text.h"

// L69; the reader is recursive.
enum { LENIENT_JSON_DEPTH = 32 };

// Reads one object or array at the beginning of `s`. Returns how many bytes it has, 0: none. `work` limits how many
// bytes may still be examined, and is decreased. `out` gets strict JSON; 0 is returned if it gets full.
size_t lenient_json_read(struct span s, struct text *out, size_t *work);
