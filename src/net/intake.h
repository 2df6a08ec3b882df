// A request while it is being received: until when it must have come, and the memory that it holds meanwhile.
//
// Deadlines. A head has `head_ms` from its first byte on. A body has `body_ms` from the end of the head on, and a
// second more for every `bytes_per_s` that have come: a large body may take its time, a slow sender may not.
//
// Memory is counted at the server's admission (net/admission.h). When there is none left, requests are ended that have
// been coming for a second and more, the slowest first, until the new one fits; if that is not enough, it is refused.
#pragma once

#include "net/admission.h"

#include <sys/queue.h>

struct intake;

struct intake_options {
    int head_ms, body_ms;
    int bytes_per_s; // 0: body_ms is for all of it
};

// Of one server: its requests that are still coming and hold more than INTAKE_SMALL.
struct intakes {
    struct intake_options options;
    struct admission *admission;
    void (*end)(struct intake *i); // answers it and lets its memory go (intake_hold), now
    TAILQ_HEAD(, intake) large;
};

struct intake {
    struct intakes *all;
    int64_t since_us; // its first byte; of a body, the end of the head
    int64_t due_us;   // INT64_MAX: no deadline
    uint64_t bytes;   // since then
    size_t held;
    bool local;   // from a peer on this machine
    bool trusted; // the operator's: small whatever its size
    bool in_body, is_large;
    TAILQ_ENTRY(intake) link;
};

enum { INTAKE_SMALL = 16384 };

void intake_open(struct intakes *all, const struct intake_options *o, struct admission *a,
                 void (*end)(struct intake *i));
void intake_wait(struct intake *i, int64_t due_us); // nothing has come yet, or it is being answered
void intake_begin(struct intake *i, int64_t now_us);
void intake_begin_body(struct intake *i, int64_t now_us);
void intake_add(struct intake *i, size_t bytes);
// It holds so many bytes now. False: there is no room for more, even without the slow ones; nothing has changed.
bool intake_hold(struct intake *i, size_t bytes, int64_t now_us);
bool intake_can_hold(struct intake *i, size_t bytes, int64_t now_us); // the same, and nothing is held yet
void intake_end(struct intake *i);                                    // it is whole or gone: nobody ends it any more
