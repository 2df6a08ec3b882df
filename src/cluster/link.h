// A link between two nodes (S52, S53): entries with numbers of their own in each direction, which arrive in order and
// once whatever happens to bundles on their way, or the link says that some are lost.
//
// A step function: time and bytes are given, bytes are asked for. Nothing is sent here.
//
//     link_init(&l, me, peer, heap_text_grow, now_ms);
//     link_put(&l, &entry, now_ms);                           // as often as there is something to say in a turn
//     while (link_say(&l, now_ms, &out))                      // at its end, and when link_due has come
//         ...                                                 // `out` is one bundle for the peer
//     link_hear(&l, bytes, now_ms, &handler, owner);          // one from the peer
//
// A gap is answered by ENTRY_AGAIN, a number that is no longer kept by ENTRY_RESET: numbers go on and are never used
// twice, so a bundle that comes late or twice changes nothing. The two travel without a number: two nodes that wait for
// each other's entries could not hear them otherwise.
#pragma once

#include "cluster/bundle.h"

enum {
    LINK_KEPT = 8 << 20,         // bytes of entries that are not acknowledged
    LINK_MESSAGE = 2 << 20,      // a payload, over several entries if it must be
    LINK_BEAT_MS = 500,          // something goes out while there is a reason
    LINK_USED_MS = 10000,        // after the last entry in either direction: a reason
    LINK_AGAIN_MS = 250,         // the same gap is told no sooner
    LINK_HANDLED_MOST = 512,     // entries handled and not acknowledged before that is said without waiting
    LINK_HANDLED_BYTES = 1 << 20 // likewise
};

struct link_figures {
    uint64_t bundles, entries; // sent the first time
    uint64_t repeated;         // entries sent again
    uint64_t gaps, resets;     // heard of; of either direction
};

struct link {
    uint64_t me, peer; // epochs
    // What is said.
    struct text kept;   // entries as they go out; the owner frees `at`
    size_t dead;        // of them, acknowledged
    size_t sent_at;     // where the next one begins that goes out
    uint64_t first;     // number of the oldest one that is not acknowledged
    uint64_t sent;      // of the next one that goes out
    uint64_t sent_most; // of the next one that goes out for the first time
    uint64_t next;      // of the next one that is put
    // What is heard.
    struct text parts;   // payload so far of a message in several entries; the owner frees `at`
    uint64_t expected;   // number of the next entry
    uint64_t told;       // the peer was told that all below are handled
    size_t untold_bytes; // of entries handled since then
    uint64_t gap;        // the entry that was asked for last; 0: none
    int64_t gap_ms;      // and when
    int64_t said_ms;     // when something went out last
    int64_t used_ms;     // the last entry of either direction
    uint16_t minor;      // the peer's
    bool again_due, reset_due;
    bool skips; // a message longer than LINK_MESSAGE is on its way
    struct link_figures figures;
};

struct link_handler {
    void (*on_entry)(void *owner, const struct entry *e); // may put entries on this link and on others
    void (*on_reset)(void *owner);                        // some of the peer's entries are lost; behind it others come
};

void link_init(struct link *l, uint64_t me, uint64_t peer, bool (*grow)(struct text *t, size_t more), int64_t now_ms);
// False: more than LINK_KEPT is not acknowledged. All of it is forgotten, and this one; the peer will be told so.
bool link_put(struct link *l, const struct entry *e, int64_t now_ms);
// What of this kind the peer has not acknowledged is taken back; it may have arrived (S53).
void link_forget(struct link *l, enum entry_kind kind);
// OK, or why the bundle was dropped: ERR_UNKNOWN when it is between other epochs, or as bundle_open has it.
int link_hear(struct link *l, struct span bytes, int64_t now_ms, const struct link_handler *h, void *owner);
int64_t link_due(const struct link *l); // when link_say may have something to say; INT64_MIN: now
bool link_say(struct link *l, int64_t now_ms, struct text *out); // false: nothing. `out` has room for BUNDLE_MAX
void link_wake(struct link *l); // the bus was away: the peer is told now how far we are
