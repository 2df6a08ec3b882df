// Plain messages of a NATS server on the loop: everything happens on the loop's thread (S50).
//
//     struct post *p = post_open(&options, &handler, owner, why);
//     post_subscribe(p, "agon.8f3a21bc.1.n.7");
//     post_send(p, "agon.8f3a21bc.1.n.9", bytes);   // in a hook of the loop that was added before post_open
//     post_close(p);
//
// Messages are sent in a hook of its own: one write for everything of a turn. A caller outside of a hook calls
// loop_end_turn; one in a later hook calls post_flush afterwards.
//
// libnats keeps the connection through its hooks for event loops: its own threads only reconnect and send pings.
// Messages are taken from synchronous subscriptions when the loop has read them, so none of them changes threads. A
// message may be lost or late if the bus is unreachable, slow or broken: a sender that needs it numbers it
// (cluster/link.h).
#pragma once

#include "bus/bus.h"
#include "net/loop.h"

enum { POST_SUBJECTS = 1024, POST_BACKLOG = 32 << 20 };

struct post_options {
    struct bus_options bus;
    struct loop *loop;
    int64_t ping_ms; // 0: 2000. Without an answer for twice as long the bus counts as unreachable
    // Called by post_open whenever nobody has answered; then it tries again. NULL: gives up. Gives up in any case if
    // trying again cannot help, as with a wrong login.
    void (*wait)(void *owner, const char *why);
};

struct post_handler {
    void (*on_message)(void *owner, const char *subject, struct span bytes); // valid during the call
    void (*on_away)(void *owner);                                            // everything sent recently may be lost
    void (*on_back)(void *owner);                                            // reconnected, with all subscriptions
};

struct post;
// Connects, waiting up to 3 s for each attempt. Returns NULL and sets `why` to one line.
struct post *post_open(const struct post_options *o, const struct post_handler *h, void *owner, char why[BUS_WHY]);
bool post_subscribe(struct post *p, const char *subject);   // false: too many, or no memory
void post_unsubscribe(struct post *p, const char *subject); // no more messages; also from inside on_message
// Returns false if it is lost at once: the bus is unreachable or has not accepted POST_BACKLOG bytes.
bool post_send(struct post *p, const char *subject, struct span bytes);
void post_flush(struct post *p); // writes what was sent
bool post_is_away(const struct post *p);
void post_close(struct post *p);
