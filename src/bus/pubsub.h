// Plain messages of a NATS server on the loop: everything happens on the loop's thread (S50).
//
//     struct pubsub *p = pubsub_open(&options, &handler, owner, why);
//     pubsub_subscribe(p, "agon.8f3a21bc.1.n.7");
//     pubsub_send(p, "agon.8f3a21bc.1.n.9", bytes);   // in a hook of the loop that was added before pubsub_open
//     pubsub_close(p);
//
// Messages are sent in a hook of its own: one write for everything of a turn. A caller outside of a hook calls
// loop_end_turn; one in a later hook calls pubsub_flush afterwards.
//
// libnats keeps the connection through its hooks for event loops: its own threads only reconnect and send pings.
// Messages are taken from synchronous subscriptions when the loop has read them, so none of them changes threads. A
// message may be lost or late if the bus is unreachable, slow or broken: a sender that needs it numbers it
// (cluster/link.h).
#pragma once

#include "bus/bus.h"
#include "net/loop.h"

enum { PUBSUB_SUBJECTS = 1024, PUBSUB_BACKLOG = 32 << 20 };

struct pubsub_options {
    struct bus_options bus;
    struct loop *loop;
    int64_t ping_ms; // 0: 2000. Without an answer for twice as long the bus counts as unreachable
    // Called by pubsub_open whenever nobody has answered; then it tries again. NULL: gives up. Gives up in any case if
    // trying again cannot help, as with a wrong login.
    void (*wait)(void *owner, const char *why);
};

struct pubsub_handler {
    void (*on_message)(void *owner, const char *subject, struct span bytes); // valid during the call
    void (*on_away)(void *owner);                                            // everything sent recently may be lost
    void (*on_back)(void *owner);                                            // reconnected, with all subscriptions
};

struct pubsub;
// Connects, waiting up to 3 s for each attempt. Returns NULL and sets `why` to one line.
struct pubsub *pubsub_open(const struct pubsub_options *o, const struct pubsub_handler *h, void *owner,
                           char why[BUS_WHY]);
bool pubsub_subscribe(struct pubsub *p, const char *subject);   // false: too many, or no memory
void pubsub_unsubscribe(struct pubsub *p, const char *subject); // no more messages; also from inside on_message
// Returns false if it is lost at once: the bus is unreachable or has not accepted PUBSUB_BACKLOG bytes.
bool pubsub_send(struct pubsub *p, const char *subject, struct span bytes);
void pubsub_flush(struct pubsub *p); // writes what was sent
bool pubsub_is_away(const struct pubsub *p);
void pubsub_close(struct pubsub *p);
