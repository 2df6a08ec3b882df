// All links of one node: by the peer's epoch, opened when something is said or heard, flushed at the end of a turn as
// one bundle for each peer that there is something to say to (S51).
//
// Where bundles go, which epochs live and what an entry means are the owner's. An epoch that does not live is not
// heard (S53): what a node says that was taken over goes nowhere.
#pragma once

#include "cluster/link.h"

enum { LINKS_MOST = 64, LINKS_SUBJECT = 64 };

struct links_owner {
    void (*send)(void *owner, uint64_t peer, struct span bundle); // lost is lost: the link sends it again
    bool (*is_live)(void *owner, uint64_t epoch);
    void (*on_entry)(void *owner, uint64_t peer, const struct entry *e);
    // Entries are lost, ours or the peer's: what follows from them has to be told anew.
    void (*on_reset)(void *owner, uint64_t peer, bool ours);
};

struct links {
    uint64_t me; // epoch
    const struct links_owner *call;
    void *owner;
    bool (*grow)(struct text *t, size_t more);
    uint64_t hearing;           // whose bundle is being handled
    struct text out;            // a bundle on its way; `at` has BUNDLE_MAX bytes
    uint64_t lost;              // bundles that were damaged, or from and for nobody
    uint64_t reset[LINKS_MOST]; // peers whose reset is told at the end of the turn
    int resets;
    int count;
    struct link at[LINKS_MOST];
};

// `out` has BUNDLE_MAX bytes. The owner frees kept.at and parts.at of the links that links_end gives.
void links_init(struct links *ls, uint64_t me, const struct links_owner *call, void *owner, char *out,
                bool (*grow)(struct text *t, size_t more));
// False: nobody of this epoch lives, or there are too many; or entries were lost, and on_reset follows at the flush.
bool links_put(struct links *ls, uint64_t peer, const struct entry *e, int64_t now_ms);
// Bytes that can be put before the link is reset: whoever tells a peer much at once waits while there is little.
size_t links_room(struct links *ls, uint64_t peer);
void links_forget(struct links *ls, uint64_t peer, enum entry_kind kind); // as link_forget
uint64_t links_last(struct links *ls, uint64_t peer);                     // number of what was put last; 0: nothing
bool links_has_handled(struct links *ls, uint64_t peer, uint64_t number); // the peer has said so
void links_hear(struct links *ls, struct span bundle, int64_t now_ms);
void links_flush(struct links *ls, int64_t now_ms);
void links_wake(struct links *ls); // the bus is back
int64_t links_due(const struct links *ls);
// The epoch is gone. `out` gets the link, whose memory the caller frees; false: there was none.
bool links_end(struct links *ls, uint64_t peer, struct link *out);

// agon.ARENA.1.n.EPOCH: where a node listens (S51). ARENA is the first four bytes of the arena's id.
void links_subject(char out[LINKS_SUBJECT], const uint8_t arena[4], uint64_t epoch);
