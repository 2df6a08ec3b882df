// A parser for server-sent events that arrive in pieces (L21): lines end in LF or CRLF, comments are keep-alives, a BOM
// is skipped. Pieces may end anywhere, even inside a character.
#pragma once

#include "base/text.h"

// As the longest body (HTTP_BODY): a whole answer may come as one event.
enum { SSE_LINE = 8 << 20 };

struct sse {
    struct text line, data;
    char event[64];
    bool begun;                                                         // the BOM was checked
    bool failed;                                                        // a line or an event is longer than SSE_LINE
    void (*on_event)(void *owner, const char *event, struct span data); // event: "" if it has no name
    void *owner;
};

void sse_init(struct sse *s, void (*on_event)(void *owner, const char *event, struct span data), void *owner);
void sse_release(struct sse *s);
void sse_reset(struct sse *s);
void sse_feed(struct sse *s, struct span bytes);
void sse_end(struct sse *s); // the stream has ended: a last event without its blank line counts
