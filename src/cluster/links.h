// All links of one node, by the peer's epoch (S51). A link is opened when the first entry is put or received.
// links_flush, at the end of a turn, sends one bundle to each peer that there are entries for.
//
// The owner supplies how bundles are sent, which epochs are live, and what an entry means. Bundles from an epoch that
// is not live are dropped (S53), so nothing that a node sends after others have taken its role over has an effect. All
// functions are called by one thread.
#pragma once

#include "cluster/link.h"

// Peers at once; links to those that have ended are closed by links_end.
enum { LINKS_MOST = 64, LINKS_SUBJECT = 64 };

struct links_owner {
    void (*send)(void *owner, uint64_t peer, struct span bundle); // may lose the bundle: the link sends it again
    bool (*is_live)(void *owner, uint64_t epoch);
    void (*on_entry)(void *owner, uint64_t peer, const struct entry *e);
    // Entries were lost, ours or the peer's. The owner has to send again what depends on them.
    void (*on_reset)(void *owner, uint64_t peer, bool ours);
};

struct links {
    uint64_t me; // epoch
    const struct links_owner *call;
    void *owner;
    bool (*grow)(struct text *t, size_t more);
    // Links move when one is closed, so the handlers of a bundle name their peer by its epoch.
    uint64_t handled_peer; // epoch of the peer whose bundle is being handled
    struct text out;       // buffer for one bundle; `at` has BUNDLE_MAX bytes
    uint64_t lost; // bundles dropped because they were damaged, not for this node, or from an epoch that is not live
    uint64_t reset[LINKS_MOST]; // peers whose on_reset (ours) is called at the next flush
    int resets;
    int count;
    struct link at[LINKS_MOST];
};

// `out` has BUNDLE_MAX bytes. links_end returns the links whose kept.at and parts.at the owner frees.
void links_init(struct links *ls, uint64_t me, const struct links_owner *call, void *owner, char *out,
                bool (*grow)(struct text *t, size_t more));
// Returns false if this epoch is not live or there are LINKS_MOST links already. Also if entries were lost by this
// call; then on_reset follows at the next flush.
bool links_put(struct links *ls, uint64_t peer, const struct entry *e, int64_t now_ms);
// Bytes that can be put before the link is reset. A caller with much to send waits while there is little room.
size_t links_room(struct links *ls, uint64_t peer);
void links_withdraw(struct links *ls, uint64_t peer, enum entry_kind kind); // as link_withdraw
uint64_t links_last(struct links *ls, uint64_t peer);                       // number of the last entry put; 0: none
// the peer has acknowledged it, or there is no link
bool links_has_handled(struct links *ls, uint64_t peer, uint64_t number);
bool links_are_settled(const struct links *ls); // everything that was put is acknowledged
void links_receive(struct links *ls, struct span bundle, int64_t now_ms);
void links_flush(struct links *ls, int64_t now_ms);
void links_resume(struct links *ls); // the bus is back: as link_resume for every link
int64_t links_due(const struct links *ls);
// Closes the link to an epoch that has ended. Sets `out` to the link, whose memory the caller frees. Returns false if
// there was none.
bool links_end(struct links *ls, uint64_t peer, struct link *out);

// The subject that a node subscribes to, agon.ARENA.1.n.EPOCH (S51). ARENA is the first four bytes of the arena's id,
// in hex.
void links_subject(char out[LINKS_SUBJECT], const uint8_t arena[4], uint64_t epoch);
