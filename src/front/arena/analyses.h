// Analyses of why finished matches were lost (N20), for a server: one match at a time, on a thread of low priority; the
// last results are kept. A client that asks is told the progress, and asks again. All functions are called on the
// loop's thread.
#pragma once

#include "base/span.h"
#include "base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ANALYSES_KEPT = 64,   // results kept in memory
    ANALYSES_WAITING = 8, // most analyses waiting or running
    ANALYSES_OF_ONE = 2,  // of these, requested from one address
};

struct analyses_match {
    struct uuid id;
    struct span log;     // the replay; copied
    const uint8_t *key;  // RNG_KEY_BYTES
    const char *address; // of the client; NULL: not limited
};

enum analyses_state {
    ANALYSES_DONE,
    ANALYSES_RUNNING,
    ANALYSES_BUSY,   // too many are waiting: nothing was begun
    ANALYSES_FAILED, // the match cannot be replayed
};

struct analyses_answer {
    enum analyses_state state;
    // ANALYSES_DONE: as printed by `agon replay analyse --json`, with seats named seat_0...; valid until the next call.
    struct span json;
    uint32_t done, all; // ANALYSES_RUNNING: decisions analysed; `all` is 0 while it waits for others
};

struct analyses *analyses_create(void);
void analyses_destroy(struct analyses *a);   // may be NULL
int analyses_bell(const struct analyses *a); // descriptor that becomes readable when one has ended
struct analyses_answer analyses_ask(struct analyses *a, const struct analyses_match *match); // begins it if necessary
