// A log of all protocol lines, written to a file by a separate thread, so that the game never waits for the disk
// (T3.90).
#pragma once

#include "base/span.h"

#include <stdint.h>

struct wire_log;

// Keeps each `every`th line, at most `max_lines` of them (0: all). NULL when the file cannot be opened.
struct wire_log *wire_log_open(const char *path, uint64_t every, uint64_t max_lines);
void wire_log_add(void *log, char direction, uint64_t client_id, struct span line); // dropped when 1024 wait already
void wire_log_close(struct wire_log *log);                                          // after writing what waits
