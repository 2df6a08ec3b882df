// Text lines over connections: splits received bytes into valid lines. Everything else is in net/conn.h.
//
// A web page can make a browser send an HTTP request to any port, with arbitrary lines in its body. So a connection
// whose first bytes look like an HTTP request or a TLS handshake is closed before any line is delivered.
#pragma once

#include "net/conn.h"

enum lines_fault { LINES_TOO_LONG, LINES_NOT_UTF8 };

struct lines {
    struct conn *conn;
    size_t max_bytes; // of a line, without its LF
    void *client;
    void (*on_line)(void *client, struct span line); // without CR and LF, never blank, valid UTF-8
    // The line is dropped; the connection is closed after this call.
    void (*on_fault)(void *client, enum lines_fault fault);
    bool opened; // the first bytes were checked
};

// To be called from on_bytes of a handler: delivers lines as long as the connection is listening. Returns how many
// bytes were used up.
size_t lines_cut(struct lines *l, struct span bytes, size_t seen);
