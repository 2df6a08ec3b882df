// A shared host on an event loop (G1.2): sessions over a Unix socket and over HTTP, one Game-RL behind them all.
#pragma once

#include "front/mcp/mcp_http.h"
#include "front/mcp/mcp_socket.h"

struct mcp_serve_options {
    struct env_options env;
    struct mcp_options host;
    struct mcp_http_options http;
    const char *socket; // path; NULL: none
    int linger_s;       // without a session for so long, the loop is stopped; 0: never
};

struct mcp_serve {
    struct loop *loop;
    struct env *env;
    struct mcp_host *host;
    struct mcp_http *http;
    struct mcp_socket *socket; // NULL: none
    struct event *timer;
    int64_t linger_us, alone_us; // alone_us: since when nobody is there; INT64_MAX: somebody is
};

enum { MCP_MAX_WAITING = 16 << 20 }; // G21.1: bytes unsent

// 0, or an errno: then nothing is left behind. Before conn_listen and http_listen on the same loop, so that what it
// makes at the end of a turn leaves in that turn.
int mcp_serve_open(struct mcp_serve *s, struct loop *l, const struct mcp_serve_options *o);
// To be called first when the loop has ended, then the HTTP server's own end, then mcp_serve_close.
void mcp_serve_end_sessions(struct mcp_serve *s);
void mcp_serve_close(struct mcp_serve *s);
