// Spectators of a match that is played on another node (S48): the messages between host and gateways, and the position
// of a gateway in the stream of frames.
//
// The host numbers the frames that it publishes for a match. A gateway that misses a frame asks for the events after
// the last one that it has shown. It does the same when the match has moved to another host, which counts anew. The
// functions do no I/O and keep no state: the caller passes the bytes.
#pragma once

#include "base/span.h"
#include "base/text.h"
#include "base/uuid.h"

#include <stdbool.h>

enum feed_kind {
    FEED_ASK = 1, // gateway to host, once a second: somebody watches here
    FEED_FRAME,   // host to all gateways: an event, another frame (FEED_ASIDE) or the end of the match
    FEED_PICTURE, // host to all: the state for new spectators; includes all frames up to `number`
    FEED_MORE,    // host to one gateway: the events from `first` on, and whose turn it is
    FEED_HERE,    // host to all: `number` frames have been published
    FEED_NONE,    // this node does not host the match, or no longer: ask the store
    FEED_KINDS
};
enum feed_type { FEED_ASIDE, FEED_EVENT, FEED_END }; // type of a frame
// Flags of a message: what a FEED_ASK asks for; FEED_MORE has only a part of the events.
enum { FEED_WANTS_PICTURE = 1, FEED_WANTS_MORE = 2, FEED_PARTIAL = 4 };

struct feed_message {
    uint8_t kind;      // enum feed_kind
    uint8_t type;      // of FEED_FRAME: enum feed_type
    uint8_t flags;     // of FEED_ASK: what is wanted; of FEED_MORE: FEED_PARTIAL if there are more events
    struct uuid live;  // the match, by its live id
    struct uuid owner; // of FEED_ASK: the agent that watches its own match; zero: anybody else
    uint64_t to;       // of FEED_MORE and FEED_NONE: epoch of the gateway; FEED_NONE may have 0 for all
    uint64_t number;   // of FEED_FRAME: its number, from 1; else the number of the last frame that was published
    uint32_t first;    // of FEED_MORE: seq of its first event; of FEED_ASK: of the first missing one
    uint32_t seq;      // events so far, this one included
    uint32_t watchers; // of FEED_ASK: number of spectators at the gateway
    struct span body;  // a frame; of FEED_MORE several, to be read with feed_next
};

void feed_put_number(struct text *t, uint64_t value, int size); // little endian, in `size` bytes
uint64_t feed_take_number(struct span *from, int size); // removes `size` bytes from the front; they must be there

void feed_put(struct text *t, const struct feed_message *m);
// Returns false if the bytes are no feed message. The body points into `bytes`.
bool feed_read(struct span bytes, struct feed_message *out);
void feed_put_frame(struct text *t, struct span frame); // appends to the body of FEED_MORE
bool feed_next(struct span *body, struct span *frame);  // Returns false if no frame is left.

// The position of a gateway in the stream of one match.
struct feed_place {
    uint64_t host;   // epoch of the host that it follows
    uint64_t number; // number of the last frame taken
    uint32_t seq;    // events shown so far
    bool begun;      // something was shown, so `seq` is valid
    bool synced;     // `number` is valid: the gateway is at the host's position
};
enum feed_verdict {
    FEED_DROP, // a duplicate, or not for this gateway
    FEED_TAKE, // show it; the position has been moved
    FEED_GAP,  // frames are missing: ask for the events after `seq`
};
// Decides what to do with a message and moves the position. Sets `skip` to the number of frames of a FEED_MORE that
// were shown before.
enum feed_verdict feed_judge(struct feed_place *p, uint64_t me, uint64_t from, const struct feed_message *m,
                             uint32_t *skip);
