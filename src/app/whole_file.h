// A file read or written in one call.
#pragma once

#include "base/err.h"
#include "base/span.h"

enum { WHOLE_FILE_MAX_BYTES = 1 << 30, WHOLE_FILE_WHY = 320 }; // most that is read; room for `why`

// "-" reads standard input. The bytes are on the heap; at is NULL and `why` is set if it fails.
struct span whole_file_read(const char *path, char *why, size_t room);
int whole_file_write(const char *path, struct span bytes); // NULL or "-": standard output; OK, or -1 with errno
