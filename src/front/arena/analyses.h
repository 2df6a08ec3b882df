// Why finished matches were lost (N20), for a server: analyses one match at a time, on a thread of its own that yields
// to the loop, and keeps the last results. A client gets the progress until the result is there, and asks again. All
// functions are called on the loop's thread.
#pragma once

#include "base/span.h"
#include "base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ANALYSES_KEPT = 64,        // results in memory
    ANALYSES_BYTES = 16 << 20, // of them together
    ANALYSES_WAITING = 8,      // waiting or running at once (N20.8)
    ANALYSES_OF_ONE = 2,       // of these, requested from one address
};

struct analyses_match {
    struct uuid id;
    struct span log;     // the replay; copied
    const uint8_t *key;  // RNG_KEY_BYTES
    const char *address; // of the client; NULL: it has no limit
};

enum analyses_state {
    ANALYSES_DONE,
    ANALYSES_RUNNING,
    ANALYSES_BUSY,   // too many wait or run: nothing was started
    ANALYSES_FAILED, // the replay cannot be played
};

struct analyses_answer {
    enum analyses_state state;
    struct span json;   // DONE: as `agon replay analyse --json` has it, seats called seat_0...; until the next call
    uint32_t done, all; // RUNNING: decisions analysed; `all` is 0 while it waits for others
};

// Keeps `most` bytes of results, and the last one asked for besides.
struct analyses *analyses_create(size_t most);
void analyses_destroy(struct analyses *a);         // may be NULL
int analyses_descriptor(const struct analyses *a); // a descriptor that is readable when one has ended
struct analyses_answer analyses_ask(struct analyses *a, const struct analyses_match *match); // starts it if necessary
