// One session on standard input and output, as long as the client keeps the input open (G1.2, G21.4).
#pragma once

#include "front/mcp/mcp_session.h"

struct mcp_stdio_options {
    int in, out; // descriptors
    size_t max_message;
    size_t max_waiting; // of output that the client does not read; beyond it the session ends (G21.1)
};

// Returns true if the input ended, or SIGINT or SIGTERM came; false if the client does not read, or writing failed.
bool mcp_stdio_run(struct mcp_host *h, const struct mcp_stdio_options *o);
