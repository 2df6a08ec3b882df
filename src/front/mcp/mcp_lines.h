// Messages as lines (G2.1): splits bytes into lines. A line that is too long is reported once and its rest discarded;
// what follows is read as usual (G2.2).
#pragma once

#include "base/span.h"

struct mcp_lines {
    size_t max_bytes; // of a line
    void *client;
    void (*on_line)(void *client, struct span line); // without CR and LF, never blank
    void (*on_too_long)(void *client);
    bool (*go_on)(void *client); // called before each line
    bool skipping;               // inside a line that is too long
};

// Returns how many bytes are used up; the first `seen` were passed before.
size_t mcp_lines_split(struct mcp_lines *l, struct span bytes, size_t seen);
