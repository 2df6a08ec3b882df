// An HTTP/1.1 server on connections: one request at a time per connection, answered now or later, exactly once.
#pragma once

#include "base/text.h"
#include "net/conn.h"

struct http;
struct http_request;

// What a request may do, by its head.
struct http_terms {
    size_t max_body;  // bytes; a larger body is refused (413), a declared one before any of it is read
    bool is_operator; // it may use the operator's reserve: connections and memory (net/admission.h)
};

struct http_handler {
    void (*on_request)(void *owner, struct http_request *r); // complete, body included
    // The peer left before r was answered, or while it was being streamed to; r is gone after this. May be NULL.
    void (*on_gone)(void *owner, struct http_request *r);
    // The head is complete, the body is not read yet: method, path, query and headers of r are known. `t` is preset to
    // max_body_bytes and no operator. May be NULL.
    void (*on_head)(void *owner, const struct http_request *r, struct http_terms *t);
    // What cannot be taken (400, 405, 408, 413, 414, 429, 431, 501, 503, 505): writes the JSON body of the refusal and
    // returns the status, which may be another one. Of r the method, the path and some headers may be known. The
    // connection ends with it. May be NULL: no body.
    int (*on_refuse)(void *owner, struct http_request *r, int status, struct text *body);
};

struct http_options {
    struct conn_options conn;
    size_t max_target_bytes; // of the request line, beyond: 414; 0: only max_head_bytes counts
    size_t max_head_bytes;   // beyond: 431
    size_t max_body_bytes;   // beyond: 413; http_handler.on_head may say otherwise
    int timeout_ms;          // for a head to arrive, from its first byte on, and for a body (net/intake.h)
    int body_bytes_per_s;    // a second more for a body for every so many of its bytes; 0: no time more
    int idle_ms;             // between requests; 0: timeout_ms
};

void http_defaults(struct http_options *o); // 127.0.0.1:8080, 16 KiB, 1 MiB, 60 s
// NULL when the address cannot be had: errno says why.
struct http *http_listen(struct loop *l, const struct http_options *o, const struct http_handler *h, void *owner);
struct conn_server *http_port(struct http *s);
void http_close(struct http *s);

// What was asked. All of it stays valid until the answer.
const char *http_method(const struct http_request *r); // "GET"; "" of a refused one: unknown
struct span http_path(const struct http_request *r);   // without query, percent signs as they came
// The first of that name, in any case; empty at NULL when absent. "Host" is that of an absolute target, if it has one.
struct span http_header(const struct http_request *r, const char *name);
struct span http_last_header(const struct http_request *r, const char *name); // the last of that name
struct span http_body(const struct http_request *r);
// False when a web page asks whose origin is not among `origins`, which ends with NULL. NULL: every page may ask.
bool http_is_origin_allowed(const struct http_request *r, const char *const *origins);
// Unescaped; false when it is absent, no text, or longer than the room.
bool http_query(const struct http_request *r, const char *name, char *out, size_t room);
bool http_has_query(const struct http_request *r, const char *name);
void http_peer(const struct http_request *r, char out[64]); // the address of the connection; see net/forwarded.h
bool http_is_proxied(const struct http_request *r);         // X-Forwarded-For tells its client, and is believed
bool http_is_reserved(const struct http_request *r);        // it has come in the operator's reserve
uint64_t http_client(const struct http_request *r);         // whom the request is counted for (net/admission.h)
void http_drop_body(struct http_request *r);                // it has been read: its memory is free while r is answered
void *http_data(const struct http_request *r);              // the handler's own, NULL at first
void http_set_data(struct http_request *r, void *data);

// For whoever answers later and still reads from r meanwhile: r stays when the peer leaves. on_gone is called as ever.
void http_keep(struct http_request *r);
bool http_let_go(struct http_request *r); // before the answer; false: the peer has left, and r is gone

// The answer.
void http_add_header(struct http_request *r, const char *name, const char *value); // before replying
void http_close_after(struct http_request *r); // the connection ends with the answer; before replying
void http_reply(struct http_request *r, int status, const char *type, struct span body);
// An answer in pieces (server-sent events): begun, written to, ended.
void http_stream_begin(struct http_request *r, int status, const char *type);
bool http_stream_write(struct http_request *r,
                       struct span bytes); // false: the peer reads too slowly, nothing was added
void http_stream_end(struct http_request *r);

// For the upgrade to WebSocket: takes the connection away from HTTP; r is gone after this.
struct conn *http_take_over(struct http_request *r);
