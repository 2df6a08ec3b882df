// Streamable HTTP (G7): sessions behind one address, POST for messages, GET for a stream of notifications, DELETE for
// the end. It sits on somebody's HTTP server and takes the requests that are for it.
#pragma once

#include "front/mcp/mcp_session.h"
#include "net/http.h"

struct mcp_http;

enum { MCP_HTTP_MAX_ORIGINS = 16 };

struct mcp_http_options {
    const char *host;                              // by which it may be called, besides the names of the loopback
    const char *public_url;                        // http(s)://host[:port], as seen from outside; NULL: none
    const char *origins[MCP_HTTP_MAX_ORIGINS + 1]; // allowed ones besides, ended by NULL
    const char *token;                             // that every request must bear; NULL: none
    int idle_s;                                    // a session that says nothing for so long ends [1800]
    int sessions_per_client;                       // of one client (net/admission.h); 0: no limit [0]
};

struct mcp_http_figures {
    int count;        // of sessions
    uint64_t refused; // sessions, for want of room or by the limit of a client
};

void mcp_http_defaults(struct mcp_http_options *o);
struct mcp_http *mcp_http_create(struct mcp_host *h, const struct mcp_http_options *o); // NULL: no memory
void mcp_http_destroy(struct mcp_http *w); // before the HTTP server: ends what is being streamed

// The largest body that a request may have, by its head: only one that names a session may be a large message.
size_t mcp_http_max_body(const struct mcp_http *w, const struct http_request *r);
void mcp_http_request(struct mcp_http *w, struct http_request *r); // takes it, answers now or later
void mcp_http_gone(struct mcp_http *w, struct http_request *r);    // its peer left before
int64_t mcp_http_advance(struct mcp_http *w, int64_t now_us);      // when to call again at the latest
void mcp_http_figures(const struct mcp_http *w, struct mcp_http_figures *f);
