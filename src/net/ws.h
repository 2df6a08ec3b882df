// WebSocket on a connection that HTTP has handed over, or that was dialled (net/ws_client.h). Messages come whole.
#pragma once

#include "net/http.h"

struct ws;

struct ws_handler {
    void (*on_message)(void *client, struct span text); // valid UTF-8
    bool takes_binary;                                  // binary messages come through on_message too
    void (*on_drained)(void *client);                   // may be NULL
    void (*on_close)(void *client);                     // the last call
    // All of these may be NULL.
    void (*on_binary)(void *client);                       // one has come and is gone; NULL: it ends with 1003
    void (*on_too_large)(void *client);                    // one beyond max_bytes has been skipped; NULL: 1009
    void (*on_pong)(void *client, struct span payload);    // to ws_ping
    void (*on_heard)(void *client);                        // something came: before anything else is called
    void (*on_end)(void *client, int code, struct span w); // the peer said goodbye, why; 1005: it did not say
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
    WS_FRONT = 14,          // what stands before the text of a frame at most
    WS_MAX_FRAME = 1 << 20, // a frame that declares more ends with 1009 in any case
};

// Answers the upgrade and takes the connection; NULL, and 400 or 426 answered, when r is no proper upgrade. r is gone
// in either case. `protocol` is what Sec-WebSocket-Protocol shall say, or NULL.
struct ws *ws_accept(struct http_request *r, const struct ws_handler *h, void *client, size_t max_bytes,
                     const char *protocol);
bool ws_is_upgrade(const struct http_request *r);

// At once when nothing else waits, else as ws_send. The WS_FRONT bytes before the text are written over.
void ws_send_soon(struct ws *w, char *text, size_t length);
void ws_fetch(const struct ws *w); // as conn_fetch

void ws_send(struct ws *w, struct span text);                 // reliable, leaves at the end of the turn
bool ws_send_now(struct ws *w, struct span text);             // false when output is waiting: nothing was added
void ws_ping(struct ws *w, struct span payload);              // a sign of life is asked for; up to 125 bytes
void ws_end(struct ws *w, uint16_t code, const char *reason); // says goodbye, then closes
struct conn *ws_conn(struct ws *w);

// For those who asked for the upgrade themselves: from the next bytes on the connection speaks WebSocket, as a client,
// whose frames are masked. NULL without memory.
struct ws *ws_begin(struct conn *c, const struct ws_handler *h, void *client, size_t max_bytes);
