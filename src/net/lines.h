// Text lines over connections: cuts bytes into lines and judges them as lines. Everything else is net/conn.h's.
//
// A web page can make a browser send an HTTP request to any port, with lines of its choice in the body. So a connection
// whose first bytes look like an HTTP request, or like a TLS handshake, is closed before any line is delivered.
#pragma once

#include "net/conn.h"

enum lines_fault { LINES_TOO_LONG, LINES_NOT_UTF8 };

struct lines {
    struct conn *conn;
    size_t max_bytes; // of a line, without its LF
    void *client;
    void (*on_line)(void *client, struct span line);        // without CR and LF, never blank, valid UTF-8
    void (*on_fault)(void *client, enum lines_fault fault); // the line is dropped; the connection closes after this
    bool opened;                                            // the first bytes were checked
};

// For on_bytes of a handler: cuts as long as the connection listens; how many bytes were used up.
size_t lines_cut(struct lines *l, struct span bytes, size_t seen);
