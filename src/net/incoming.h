// A request while it is being received: its deadline, and the memory that it uses.
//
// Deadlines. A head must arrive within `head_ms` of its first byte. A body must arrive within `body_ms` of the end of
// the head, plus one second for every `bytes_per_s` bytes received: a large body may take its time, a slow sender may
// not.
//
// Memory is counted by the server's admission (net/admission.h). If there is none left, requests that have been
// arriving for at least a second are ended, slowest first, until the new one fits; if that is not enough, the new one
// is refused.
#pragma once

#include "net/admission.h"

#include <sys/queue.h>

struct incoming_request;

struct incoming_options {
    int head_ms, body_ms;
    int bytes_per_s; // 0: body_ms is for the whole body
};

// Of one server: the incomplete requests that hold more than INCOMING_SMALL.
struct incoming_requests {
    struct incoming_options options;
    struct admission *admission;
    void (*end)(struct incoming_request *i); // replies to it and frees its memory (incoming_hold), at once
    TAILQ_HEAD(, incoming_request) large;
};

struct incoming_request {
    struct incoming_requests *all;
    int64_t since_us; // time of its first byte; of a body, of the end of the head
    int64_t due_us;   // INT64_MAX: none
    uint64_t bytes;   // received since then
    size_t held;
    bool local;   // the peer is on this machine
    bool trusted; // the operator's: counts as small whatever its size
    bool in_body, is_large;
    TAILQ_ENTRY(incoming_request) link;
};

enum { INCOMING_SMALL = 16384 };

void incoming_open(struct incoming_requests *all, const struct incoming_options *o, struct admission *a,
                   void (*end)(struct incoming_request *i));
void incoming_wait(struct incoming_request *i, int64_t due_us); // nothing was received yet, or it is being answered
void incoming_begin(struct incoming_request *i, int64_t now_us);
void incoming_begin_body(struct incoming_request *i, int64_t now_us);
void incoming_add(struct incoming_request *i, size_t bytes);
// Sets how many bytes it holds. Returns false, and changes nothing, if there is no room even without the slow requests.
bool incoming_hold(struct incoming_request *i, size_t bytes, int64_t now_us);
bool incoming_can_hold(struct incoming_request *i, size_t bytes, int64_t now_us); // the same, but holds nothing yet
void incoming_end(struct incoming_request *i); // it is complete or gone, and will not be ended
