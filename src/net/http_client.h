// An HTTP/1.1 client: each request has its own connection, and is answered once or upgraded to WebSocket. For programs
// that call many servers, or one server many times at once; nothing blocks.
#pragma once

#include "net/ws.h"

struct http_client;

struct http_ask {
    const char *address; // numeric IPv4
    uint16_t port;
    const char *host;   // its name, for the Host header and TLS
    const char *method; // "GET"
    const char *path;   // with the query
    const char *lines;  // further header lines, each ended by CRLF; may be NULL
    struct span body;
    void *client;
    int timeout_ms; // for the reply; 0: the system's, which is none once it is connected
    // The reply; status 0: there was none. The last call, unless on_open was called.
    void (*on_answer)(void *client, int status, struct span body);
    // For an upgrade; NULL: none is requested. Called with the WebSocket instead of on_answer.
    void (*on_open)(void *client, struct ws *w);
    const struct ws_handler *handler;
    size_t max_message;
};

struct http_client *http_client_open(struct loop *l, struct tls *tls, int max_connections); // tls NULL: plain text
void http_client_close(struct http_client *c); // closes everything; calls on_close and on_answer(0)
int http_client_ask(struct http_client *c, const struct http_ask *ask); // 0, or an errno; then no callback follows

// "http://host:port/path" and the like: scheme, host, port (or the default of the scheme), path ("" if none).
struct http_url {
    bool secure; // https, wss
    char host[256];
    uint16_t port;
    char path[256];
};
bool http_url_read(struct http_url *u, const char *text);
// Numeric IPv4 address of a name; blocks; false if there is none.
bool http_find_address(const char *host, char out[64]);
