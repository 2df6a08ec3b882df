// WebSocket on a connection that HTTP has handed over. Messages come whole, text only unless the handler wants more.
#pragma once

#include "net/http.h"

struct ws;

struct ws_handler {
    void (*on_message)(void *client, struct span text); // valid UTF-8
    bool takes_binary;                                  // false: a binary message ends the connection with 1003
    void (*on_drained)(void *client);                   // may be NULL
    void (*on_close)(void *client);                     // the last call
};

enum { WS_NORMAL = 1000, WS_GOING_AWAY = 1001, WS_UNSUPPORTED = 1003, WS_POLICY = 1008, WS_TOO_BIG = 1009 };

// Answers the upgrade and takes the connection; NULL, and 400 or 426 answered, when r is no proper upgrade. r is gone
// in either case. `protocol` is what Sec-WebSocket-Protocol shall say, or NULL.
struct ws *ws_accept(struct http_request *r, const struct ws_handler *h, void *client, size_t max_bytes,
                     const char *protocol);
bool ws_is_upgrade(const struct http_request *r);

void ws_send(struct ws *w, struct span text);                 // reliable, leaves at the end of the turn
bool ws_send_now(struct ws *w, struct span text);             // false when output is waiting: nothing was added
void ws_ping(struct ws *w);                                   // a sign of life is asked for
void ws_end(struct ws *w, uint16_t code, const char *reason); // says goodbye, then closes
struct conn *ws_conn(struct ws *w);
