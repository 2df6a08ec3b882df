// The stored form of a piece of a log: milliseconds since the previous piece (the first: since 1970), size of the log,
// size of the note, each as a varint; then log and note.
#pragma once

#include "base/span.h"

#include <stdint.h>

enum { LOG_PIECE_HEAD = 30 }; // most bytes of the three numbers

size_t log_piece_write_head(char head[LOG_PIECE_HEAD], int64_t at_ms, int64_t before_ms, size_t log_size,
                            size_t note_size);
void log_piece_copy(char *to, struct span head, struct span log, struct span note);
// Removes one piece from the front of `bytes`. `at_ms` is the time of the previous piece, and is set to that of this
// one. Returns false if the bytes are damaged.
bool log_piece_read(struct span *bytes, int64_t *at_ms, struct span *log, struct span *note);
