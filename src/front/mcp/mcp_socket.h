// Sessions on a Unix socket (G18): mode 0600, peers of the same user only, a message is a line.
#pragma once

#include "front/mcp/mcp_session.h"
#include "net/conn.h"

struct mcp_socket;

struct mcp_socket_options {
    const char *path;
    size_t max_message;
    size_t max_waiting; // of output that a client does not read; more cuts it off (G21.1)
    int max_connections;
};

// NULL when the address cannot be had: errno says why. EADDRINUSE: somebody listens there. A file that nobody listens
// at is removed first if it is a socket of this user's.
struct mcp_socket *mcp_socket_open(struct mcp_host *h, struct loop *l, const struct mcp_socket_options *o);
void mcp_socket_close(struct mcp_socket *s); // and removes the file

// A connection to one, blocking: a descriptor, or -1 with errno (EPERM: the other side is another user's).
int mcp_socket_connect(const char *path);
