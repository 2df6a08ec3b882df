// Reads or writes a file in one call.
#pragma once

#include "base/err.h"
#include "base/span.h"

enum { FILE_IO_MAX_BYTES = 1 << 30, FILE_IO_WHY = 320 }; // most that is read; room for `why`

// "-" reads standard input. The bytes are on the heap; at is NULL and `why` is set if it fails.
struct span file_io_read(const char *path, char *why, size_t room);
int file_io_write(const char *path, struct span bytes); // NULL or "-": standard output; OK, or -1 with errno
