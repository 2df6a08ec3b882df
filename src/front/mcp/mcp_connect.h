// The connector (G18): copies lines between a client on standard input and output and a shared host at a Unix socket.
// It adds what the client cannot say (which table, which game), registers an agent on request, and cleans up.
#pragma once

#include "front/mcp/mcp_message.h"

struct mcp_connect_options {
    int in, out, host; // descriptors; closes `host`
    size_t max_message;
    const char *table, *game; // for _meta of initialize; NULL: none
    const char *role;         // agent type to register, NULL: none (G18.4)
    const char *entity;       // its avatar, or NULL
    const char *agent_id;     // its id; NULL: made from the client's name and the role
};

// Returns true if the client has left; false if the host was lost.
bool mcp_connect_run(const struct mcp_connect_options *o);
