// A blocking connection to a server of text lines: for agents, spectators, checks.
#pragma once

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct line_client {
    int fd; // -1: closed
    char *in;
    size_t start, size, room; // received, not read yet
    size_t max_line;
};

enum { LINE_CLOSED = -1, LINE_LATE = 0, LINE_READ = 1 };

// Returns 0 or an errno. `host` is a name or an address.
int line_client_open(struct line_client *c, const char *host, uint16_t port, int timeout_ms);
void line_client_close(struct line_client *c);
void line_client_reset(struct line_client *c); // closes like a crash: the peer sees a reset

bool line_client_send(struct line_client *c, struct span bytes); // all of it; false if the peer is gone
// The next line without its end, valid until the next call. LINE_LATE after timeout_ms; LINE_CLOSED at the end of the
// stream, on an error, and for a line longer than 1 MiB.
int line_client_read(struct line_client *c, struct span *line, int timeout_ms);

// "HOST:PORT", ":PORT" or "PORT" (127.0.0.1). Returns false for anything else.
bool line_client_split(const char *address, char host[256], uint16_t *port);
