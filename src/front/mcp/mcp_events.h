// Server-sent events of one HTTP session that may have to be sent again (G7.6, G7.7): the last 256, oldest dropped
// first. Streams have numbers; an event's number is unique in the session.
#pragma once

#include "base/text.h"

enum { MCP_EVENTS_KEPT = 256, MCP_EVENTS_BYTES = 16 << 20, MCP_EVENTS_US = 60000000 };

struct mcp_event {
    uint64_t stream, number;
    int64_t at_us;
    struct span text; // the JSON, owned; empty: a priming event
    uint64_t prime;   // makes the id of a priming event differ from that of the event before it; 0: none
};

struct mcp_events {
    struct mcp_event *ring; // NULL: nothing was ever added
    uint64_t first, next;   // ring[first..next) modulo its size
    size_t bytes;
    size_t *all; // bytes of all logs that share a limit; NULL: none
};

// Returns false, without adding, if there is no memory.
bool mcp_events_add(struct mcp_events *e, uint64_t stream, uint64_t number, struct span text, int64_t now_us);
// The first event of the stream after `number`, or NULL.
const struct mcp_event *mcp_events_after(const struct mcp_events *e, uint64_t stream, uint64_t number);
// Drops events older than 60 s, except those of stream 0 after `delivered`, which were not sent yet.
void mcp_events_expire(struct mcp_events *e, uint64_t delivered, int64_t now_us);
void mcp_events_drop(struct mcp_events *e); // the oldest, which must exist
void mcp_events_release(struct mcp_events *e);

void mcp_event_write(struct text *t, const struct mcp_event *event);         // in wire format
bool mcp_event_parse_id(struct span id, uint64_t *stream, uint64_t *number); // of Last-Event-ID
