// A piece of a log as bytes: milliseconds since the piece before (the first: since 1970), size of the log, size of the
// note, each as a varint; then log and note.
#pragma once

#include "base/span.h"

#include <stdint.h>

enum { PIECE_HEAD = 30 }; // bytes of the three numbers, at most

size_t piece_write_head(char head[PIECE_HEAD], int64_t at_ms, int64_t before_ms, size_t log_size, size_t note_size);
void piece_copy(char *to, struct span head, struct span log, struct span note);
// Takes one off the bytes; `at_ms` is of the piece before, and then of this one. False: they are damaged.
bool piece_read(struct span *bytes, int64_t *at_ms, struct span *log, struct span *note);
