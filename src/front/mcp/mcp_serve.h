// A shared host on an event loop (G1.2): sessions over a Unix socket and over HTTP, with one Game-RL environment.
#pragma once

#include "front/mcp/mcp_http.h"
#include "front/mcp/mcp_socket.h"

struct mcp_serve_options {
    struct env_options env;
    struct mcp_options host;
    struct mcp_http_options http;
    const char *socket; // path; NULL: none
    int linger_s;       // without a session for so long, the loop stops; 0: never
};

struct mcp_serve {
    struct loop *loop;
    struct env *env;
    struct mcp_host *host;
    struct mcp_http *http;
    struct mcp_socket *socket; // NULL: none
    struct event *timer;
    int64_t linger_us, alone_us; // alone_us: since when there is no session; INT64_MAX: there is one
};

// Beyond it the client is disconnected, so one that never reads cannot take the memory of the others.
enum { MCP_MAX_WAITING = 16 << 20 }; // G21.1: unsent bytes

// Returns 0 or an errno; then nothing is left behind. Call it before conn_listen and http_listen on the same loop, so
// that what it produces at the end of a turn is sent in that turn.
int mcp_serve_open(struct mcp_serve *s, struct loop *l, const struct mcp_serve_options *o);
// Call it first when the loop has ended, then close the HTTP server, then mcp_serve_close.
void mcp_serve_end_sessions(struct mcp_serve *s);
void mcp_serve_close(struct mcp_serve *s);
