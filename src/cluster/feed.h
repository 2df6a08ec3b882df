// A match that is watched from another node (S48): what its host publishes, and where a gateway stands in it.
//
// The host counts the frames of a match that it publishes. A gateway that misses one asks for the events behind the
// last that it has shown; so it does when the match has got another host, whose count is another. Time and bytes are
// given, nothing is kept.
#pragma once

#include "base/span.h"
#include "base/text.h"
#include "base/uuid.h"

#include <stdbool.h>

enum feed_kind {
    FEED_ASK = 1, // gateway to host: somebody watches; every second
    FEED_FRAME,   // host to all gateways: an event, something beside it, the end
    FEED_PICTURE, // the state, for those who have nothing yet: it holds all frames up to its number
    FEED_MORE,    // to one gateway: the events from `first` on, and whose turn it is
    FEED_HERE,    // to all: so many frames have been published
    FEED_NONE,    // this node does not host it, or no longer: ask the store
    FEED_KINDS
};
enum feed_type { FEED_ASIDE, FEED_EVENT, FEED_END }; // of a frame
enum { FEED_WANTS_PICTURE = 1, FEED_WANTS_MORE = 2, FEED_PARTIAL = 4 };

struct feed_message {
    uint8_t kind;      // enum feed_kind
    uint8_t type;      // of a frame: enum feed_type
    uint8_t flags;     // of ASK: what it wants; of MORE: PARTIAL, there are more than these
    struct uuid live;  // the match
    struct uuid owner; // of ASK: who watches a match of its own; none: anybody
    uint64_t to;       // of MORE and NONE: the gateway's epoch; of NONE also 0, for all
    uint64_t number;   // of the frame, from 1; else of the last one that was published
    uint32_t first;    // of MORE: seq of its first event; of ASK: of the first that is missing
    uint32_t seq;      // events so far, with this one
    uint32_t watchers; // of ASK: how many
    struct span body;  // a frame; of MORE several, to be read with feed_next
};

void feed_put_number(struct text *t, uint64_t value, int size); // little endian, so many bytes
uint64_t feed_take_number(struct span *from, int size);         // which must be there

void feed_put(struct text *t, const struct feed_message *m);
bool feed_read(struct span bytes, struct feed_message *out); // false: it is none. The body is a part of it
void feed_put_frame(struct text *t, struct span frame);      // into the body of FEED_MORE
bool feed_next(struct span *body, struct span *frame);       // false: there is none left

// Where a gateway stands.
struct feed_place {
    uint64_t host;   // whom it follows, by epoch
    uint64_t number; // of the last frame
    uint32_t seq;    // events that were shown
    bool begun;      // somebody was shown something: seq counts
    bool synced;     // number does
};
enum feed_verdict {
    FEED_DROP, // known already, or not for it
    FEED_TAKE, // the place has moved on
    FEED_GAP,  // something is missing: ask for it, from seq on
};
// `skip`: of FEED_MORE, so many of its frames were shown before.
enum feed_verdict feed_judge(struct feed_place *p, uint64_t me, uint64_t from, const struct feed_message *m,
                             uint32_t *skip);
