// An HTTP/1.1 server: one request at a time per connection, answered now or later, exactly once. All functions are
// called on the loop's thread.
#pragma once

#include "base/text.h"
#include "net/conn.h"

struct http;
struct http_request;

// What a request may do, decided by its head.
struct http_terms {
    size_t max_body;  // bytes; a larger body is refused (413), if declared before any of it is read
    bool is_operator; // may use the operator's reserve of connections and memory (net/admission.h)
};

struct http_handler {
    void (*on_request)(void *owner, struct http_request *r); // complete, with its body
    // The peer disconnected before r was answered, or while r was being streamed. r is invalid after this call. May be
    // NULL.
    void (*on_gone)(void *owner, struct http_request *r);
    // The head is complete, the body is not read yet: method, path, query and headers of r are known. `t` is preset to
    // max_body_bytes and no operator. May be NULL.
    void (*on_head)(void *owner, const struct http_request *r, struct http_terms *t);
    // For a request that is refused (400, 405, 408, 413, 414, 429, 431, 501, 503, 505): writes the JSON body and
    // returns the status, which may differ. Method, path and some headers of r may be known. The connection is closed
    // afterwards. May be NULL: no body.
    int (*on_refuse)(void *owner, struct http_request *r, int status, struct text *body);
};

struct http_options {
    struct conn_options conn;
    size_t max_target_bytes; // longest request target, beyond it 414; 0: only max_head_bytes counts
    size_t max_head_bytes;   // beyond it 431
    size_t max_body_bytes;   // beyond it 413; http_handler.on_head may change it
    int timeout_ms;          // to receive a head, from its first byte on, and to receive a body (net/incoming.h)
    int body_bytes_per_s;    // a body gets one second more for each so many bytes; 0: none
    int idle_ms;             // between requests; 0: timeout_ms
};

void http_defaults(struct http_options *o); // 127.0.0.1:8080, 16 KiB, 1 MiB, 60 s
// Returns NULL with errno set if it cannot listen on the address.
struct http *http_listen(struct loop *l, const struct http_options *o, const struct http_handler *h, void *owner);
struct conn_server *http_port(struct http *s);
void http_close(struct http *s);

// The request. Everything stays valid until the reply.
const char *http_method(const struct http_request *r); // "GET"; "" for a refused request: unknown
struct span http_path(const struct http_request *r);   // without query, percent-encoded as received
// The first header of that name, case-insensitive; at is NULL if absent. "Host" is that of an absolute target, if there
// is one.
struct span http_header(const struct http_request *r, const char *name);
struct span http_last_header(const struct http_request *r, const char *name); // the last header of that name
struct span http_body(const struct http_request *r);
// Returns false if the request comes from a web page whose origin is not among `origins`, which end with NULL. NULL:
// all are allowed.
bool http_is_origin_allowed(const struct http_request *r, const char *const *origins);
// Decodes a query parameter. Returns false if it is absent, not text, or longer than the room.
bool http_query(const struct http_request *r, const char *name, char *out, size_t room);
bool http_has_query(const struct http_request *r, const char *name);
void http_peer(const struct http_request *r, char out[64]); // address of the connection; see net/forwarded.h
bool http_is_proxied(const struct http_request *r);         // a trusted X-Forwarded-For names its client
bool http_is_reserved(const struct http_request *r);        // it came on a connection of the operator's reserve
uint64_t http_client(const struct http_request *r);         // client that the request is counted for (net/admission.h)
void http_drop_body(struct http_request *r);   // it has been read: frees its memory while r is being answered
void *http_data(const struct http_request *r); // set by the handler, NULL at first
void http_set_data(struct http_request *r, void *data);

// For a handler that replies later and still reads from r: r stays valid if the peer disconnects. on_gone is still
// called.
void http_retain(struct http_request *r);
bool http_release(struct http_request *r); // before the reply; false: the peer has disconnected, and r is invalid

// The reply.
void http_add_header(struct http_request *r, const char *name, const char *value); // before replying
void http_close_after(struct http_request *r); // before the reply: closes the connection after it
void http_reply(struct http_request *r, int status, const char *type, struct span body);
// A streamed reply (server-sent events): begin, write, end.
void http_stream_begin(struct http_request *r, int status, const char *type);
bool http_stream_write(struct http_request *r,
                       struct span bytes); // false: the peer reads too slowly, nothing was added
void http_stream_end(struct http_request *r);

// For the upgrade to WebSocket: takes the connection away from HTTP; r is invalid afterwards.
struct conn *http_take_over(struct http_request *r);
