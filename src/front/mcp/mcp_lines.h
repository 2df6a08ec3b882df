// Messages as lines (G2.1): cuts bytes into lines. Of an over-long line its owner is told once and its rest is thrown
// away as it comes; what follows is read as ever (G2.2).
#pragma once

#include "base/span.h"

struct mcp_lines {
    size_t max_bytes; // of a line
    void *client;
    void (*on_line)(void *client, struct span line); // without CR and LF, never blank
    void (*on_too_long)(void *client);
    bool (*go_on)(void *client); // asked before each line
    bool skipping;               // inside a line that is too long
};

// How many bytes are used up; the first `seen` were shown before.
size_t mcp_lines_cut(struct mcp_lines *l, struct span bytes, size_t seen);
