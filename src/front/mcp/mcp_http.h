// Streamable HTTP (G7): sessions at one address, POST for messages, GET for a stream of notifications, DELETE to end a
// session. It handles its part of the requests of an HTTP server.
#pragma once

#include "front/mcp/mcp_session.h"
#include "net/http.h"

struct mcp_http;

enum { MCP_HTTP_MAX_ORIGINS = 16 };

struct mcp_http_options {
    const char *host;                              // allowed host name, besides those of the loopback
    const char *public_url;                        // http(s)://host[:port], as seen from outside; NULL: none
    const char *origins[MCP_HTTP_MAX_ORIGINS + 1]; // further allowed ones, ended by NULL
    const char *token;                             // required in every request; NULL: none
    int idle_s;                                    // a session ends after so much silence [1800]
    int sessions_per_client;                       // of one client (net/admission.h); 0: no limit [0]
};

struct mcp_http_figures {
    int count;        // number of sessions
    uint64_t refused; // sessions refused: no room, or the client's limit
};

void mcp_http_defaults(struct mcp_http_options *o);
struct mcp_http *mcp_http_create(struct mcp_host *h, const struct mcp_http_options *o); // NULL without memory
void mcp_http_destroy(struct mcp_http *w); // before the HTTP server: ends streams

// The largest body of a request, by its head: only one that names a session may be large.
size_t mcp_http_max_body(const struct mcp_http *w, const struct http_request *r);
void mcp_http_request(struct mcp_http *w, struct http_request *r);      // takes it, replies now or later
void mcp_http_disconnected(struct mcp_http *w, struct http_request *r); // its peer has disconnected
int64_t mcp_http_advance(struct mcp_http *w, int64_t now_us);           // returns when to call again at the latest
void mcp_http_figures(const struct mcp_http *w, struct mcp_http_figures *f);
