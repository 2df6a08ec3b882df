// The connector (G18): a client on standard input and output, a shared host at a Unix socket, lines copied between
// them. It adds what the client cannot say (which table, which game), registers an agent if asked, and cleans up.
#pragma once

#include "front/mcp/mcp_message.h"

struct mcp_connect_options {
    int in, out, host; // descriptors; host is closed by it
    size_t max_message;
    const char *table, *game; // for _meta of initialize; NULL: none
    const char *role;         // agent type to register, NULL: none (G18.4)
    const char *entity;       // its avatar, or NULL
    const char *agent_id;     // its id, or NULL: made of the client's name and the role
};

// True: the client has left; false: the host is lost.
bool mcp_connect_run(const struct mcp_connect_options *o);
