// WebSocket on a connection that HTTP has handed over or that was dialled (net/http_client.h). Messages are delivered
// whole.
#pragma once

#include "net/http.h"

struct ws;

struct ws_handler {
    void (*on_message)(void *client, struct span text); // valid UTF-8
    bool takes_binary;                                  // binary messages are delivered by on_message too
    void (*on_drained)(void *client);                   // may be NULL
    void (*on_close)(void *client);                     // the last call
    // All of these may be NULL.
    void (*on_binary)(void *client);    // a binary message was received and dropped; NULL: closes with 1003
    void (*on_too_large)(void *client); // a message longer than max_bytes was skipped; NULL: closes with 1009
    void (*on_pong)(void *client, struct span payload);    // reply to ws_ping
    void (*on_heard)(void *client);                        // something was received; before any other callback
    void (*on_end)(void *client, int code, struct span w); // the peer closes, with this reason; 1005: none given
};

enum {
    WS_NORMAL = 1000,
    WS_GOING_AWAY = 1001,
    WS_BREACH = 1002,
    WS_UNSUPPORTED = 1003,
    WS_NO_CODE = 1005,
    WS_NOT_UTF8 = 1007,
    WS_POLICY = 1008,
    WS_TOO_BIG = 1009,
    WS_RESTART = 1012,
    WS_OVERLOAD = 1013,
    WS_FRONT = 14,          // most bytes of a frame's header, before the text
    WS_MAX_FRAME = 1 << 20, // a frame that declares more closes the connection with 1009 in any case
};

// Replies to the upgrade request and takes the connection. Returns NULL, after replying 400 or 426, if r is not a valid
// upgrade. r is invalid in either case. `protocol` is for Sec-WebSocket-Protocol, or NULL.
struct ws *ws_accept(struct http_request *r, const struct ws_handler *h, void *client, size_t max_bytes,
                     const char *protocol);
bool ws_is_upgrade(const struct http_request *r);

// At once if nothing else waits, else as ws_send. Overwrites the WS_FRONT bytes before the text.
void ws_send_soon(struct ws *w, char *text, size_t length);
void ws_prefetch(const struct ws *w); // as conn_prefetch

void ws_send(struct ws *w, struct span text);                 // reliable; sent at the end of the turn
bool ws_send_now(struct ws *w, struct span text);             // false if output is waiting: nothing was added
void ws_ping(struct ws *w, struct span payload);              // up to 125 bytes; the peer replies with on_pong
void ws_end(struct ws *w, uint16_t code, const char *reason); // sends a close frame, then closes
struct conn *ws_conn(struct ws *w);

// For a client that requested the upgrade itself: from the next bytes on the connection is a WebSocket client, whose
// frames are masked. Returns NULL without memory.
struct ws *ws_begin(struct conn *c, const struct ws_handler *h, void *client, size_t max_bytes);
// Keepalive: drops the connection (on_close) when the peer has sent nothing for `silence_ms`, or up to a third longer.
// An idle peer is pinged first, and its pong counts. Nothing else notices a peer that vanished without closing. Returns
// false without memory.
bool ws_watch(struct ws *w, struct loop *l, int silence_ms);
