// A link between two nodes (S52, S53): numbered entries in each direction. Entries arrive in order and exactly once
// even if bundles are lost, repeated or late; if that is impossible, the link reports that entries were lost.
//
// The link does no I/O: the caller passes time and received bytes, and asks for bytes to send. The functions must be
// called by one thread.
//
//     link_init(&l, me, peer, heap_text_grow, now_ms);
//     link_put(&l, &entry, now_ms);                       // for each entry to send
//     while (link_write_bundle(&l, now_ms, &out))         // at the end of a turn, and when link_due is reached
//         ...                                             // send `out`, which is one bundle for the peer
//     link_receive(&l, bytes, now_ms, &handler, owner);   // for each bundle received from the peer
//
// A receiver that finds a gap sends ENTRY_AGAIN. If the sender no longer keeps the entry, it sends ENTRY_RESET. Numbers
// only grow and are never reused, so a late or repeated bundle changes nothing. The two repair entries travel without a
// number: otherwise two nodes that wait for each other's missing entries could never receive them.
#pragma once

#include "cluster/bundle.h"

enum {
    LINK_KEPT = 8 << 20,    // most bytes of unacknowledged entries; one more resets the link
    LINK_MESSAGE = 2 << 20, // most bytes of a payload; a long one is split into several entries
    LINK_BEAT_MS = 500,   // a bundle is sent at least this often while the link is in use or entries are unacknowledged
    LINK_USED_MS = 10000, // a link is in use for so long after the last entry in either direction
    LINK_AGAIN_MS = 250,  // ENTRY_AGAIN is not repeated earlier for the same gap
    LINK_HANDLED_MOST = 512,     // so many handled entries are acknowledged at once, not with the next bundle
    LINK_HANDLED_BYTES = 1 << 20 // likewise for so many bytes
};

struct link_figures {
    uint64_t bundles, entries; // sent for the first time
    uint64_t repeated;         // entries sent again
    uint64_t gaps, resets;     // gaps found in what was received; resets of either direction
};

struct link {
    uint64_t me, peer; // epochs
    // first <= sent <= sent_most <= next. `kept` has the entries first..next-1, from `dead` on.
    // Sending.
    struct text kept;   // unacknowledged entries in wire format, behind the `dead` ones; the owner frees `at`
    size_t dead;        // bytes at the front of `kept` that are acknowledged already
    size_t sent_at;     // offset in `kept` of the next entry to send
    uint64_t first;     // number of the oldest unacknowledged entry
    uint64_t sent;      // number of the next entry to send; goes back when the peer asks for entries again
    uint64_t sent_most; // number of the next entry that was never sent
    uint64_t next;      // number of the next entry to be put
    // Receiving.
    struct text parts; // payload so far of a message in several entries; the owner frees `at`
    // Everything below was handed to the owner, in order and once, or was reported as lost.
    uint64_t expected;    // number of the next entry
    uint64_t acked;       // all below this number were acknowledged to the peer
    size_t unacked_bytes; // payload bytes handled since then
    uint64_t gap;         // the number that was last asked for with ENTRY_AGAIN; 0: none
    int64_t gap_ms;       // when it was asked for
    int64_t bundle_ms;    // when a bundle was last sent
    int64_t used_ms;      // when an entry was last put or received
    uint16_t minor;       // the peer's minor version
    // An ENTRY_AGAIN or ENTRY_RESET has to be sent.
    bool again_due, reset_due;
    bool skips; // the rest of a message is ignored, because it is longer than LINK_MESSAGE or memory is short
    struct link_figures figures;
};

struct link_handler {
    void (*on_entry)(void *owner, const struct entry *e); // may put entries on this link and on others
    void (*on_reset)(void *owner); // some of the peer's entries are lost; the entries after the loss follow
};

void link_init(struct link *l, uint64_t me, uint64_t peer, bool (*grow)(struct text *t, size_t more), int64_t now_ms);
// Returns false if that would exceed LINK_KEPT, or without memory. Then all unacknowledged entries are dropped, this
// one too, and the peer will receive ENTRY_RESET.
bool link_put(struct link *l, const struct entry *e, int64_t now_ms);
// Withdraws the unacknowledged entries of this kind. They may have arrived nevertheless (S53).
void link_withdraw(struct link *l, enum entry_kind kind);
// Returns OK, or why the bundle was dropped: ERR_UNKNOWN if it is not from this peer to this epoch or acknowledges
// entries never sent, or an error of bundle_open.
int link_receive(struct link *l, struct span bytes, int64_t now_ms, const struct link_handler *h, void *owner);
int64_t link_due(const struct link *l); // when to call link_write_bundle next; INT64_MIN: now, INT64_MAX: not needed
// Writes the next bundle to `out`, which has room for BUNDLE_MAX. Returns false if there is nothing to send.
bool link_write_bundle(struct link *l, int64_t now_ms, struct text *out);
void link_resume(
    struct link *l); // the bus was interrupted: sends the acknowledged position with the next link_write_bundle
