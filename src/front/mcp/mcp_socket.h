// Sessions on a Unix socket (G18): mode 0600, peers of the same user only, a message is a line.
#pragma once

#include "front/mcp/mcp_session.h"
#include "net/conn.h"

struct mcp_socket;

struct mcp_socket_options {
    const char *path;
    size_t max_message;
    size_t max_waiting; // of output that a client does not read; beyond it the client is disconnected (G21.1)
    int max_connections;
};

// Returns NULL with errno set if it cannot listen. EADDRINUSE: another process does. A socket file of this user that
// nobody listens on is removed first.
struct mcp_socket *mcp_socket_open(struct mcp_host *h, struct loop *l, const struct mcp_socket_options *o);
void mcp_socket_close(struct mcp_socket *s); // and removes the file

// A blocking connection to one: a descriptor, or -1 with errno (EPERM: the server belongs to another user).
int mcp_socket_connect(const char *path);
