// Communication between the nodes of one arena over a bus (S50 to S57).
//
//     numbered entries    wire_put, wire_on_entry         to one node: in order and once, or both ends hear of a reset
//     announcements       wire_announce, wire_on_notice   to all nodes: may be lost, so they are repeated or not needed
//     subjects of a part  wire_publish, wire_subscribe       to all listeners: may be lost
//
// Players on other nodes (relay.h) use the same entries. All functions are called on the loop's thread; handlers are
// called there too, and may put, announce and listen. What must be durable before another node may know of it (F8.1)
// has to be put when it is: the wire does not wait for tickets.
//
// The bus itself is supplied by the caller (struct wire_bus): NATS in `agon serve`, a list in memory in tests.
#pragma once

#include "front/arena/relay.h"

// WIRE_HELLO_MS: S54.
enum { WIRE_SUBJECT = 96, WIRE_NOTICE_MOST = 4096, WIRE_HELLO_MS = 2000 };

struct wire;
struct wire_subscription;

struct wire_bus {
    bool (*listen)(void *owner, const char *subject); // subscribes; messages are passed to wire_receive; false: failed
    void (*ignore)(void *owner, const char *subject); // unsubscribes
    bool (*send)(void *owner, const char *subject, struct span bytes); // false: lost at once
};

struct wire_options {
    struct hub *hub;         // its lobby's store knows the live nodes and this node's epoch
    int64_t (*now_ms)(void); // monotonic
    const struct wire_bus *bus;
    void *owner; // of the bus
};

// Kinds of announcements. A node ignores kinds that it does not know.
enum wire_about {
    WIRE_HELLO,  // a node is there and listens: sent when it opens, when another joins and every WIRE_HELLO_MS
    WIRE_BYE,    // a node leaves
    WIRE_TERM,   // a role has a new holder; the payload is the role's name
    WIRE_CHANGE, // records were changed or matches handed over: look at the store soon
    WIRE_HEAVY,  // addresses that exceed their share
    WIRE_DRAIN,  // the node of this name has to drain (S60)
    WIRE_NOTICES
};

struct wire *wire_open(const struct wire_options *o); // NULL without memory, or if the bus refuses a subscription
void wire_close(struct wire *w);                      // before the hub is closed

// --- for parts of the arena

uint64_t wire_me(const struct wire *w);  // epoch of this node
bool wire_is_away(const struct wire *w); // the bus is unreachable: entries are kept, everything else is lost
bool wire_is_connected(const struct wire *w, uint64_t epoch); // it is live, and has recently said hello on the bus
struct relay *wire_relay(const struct wire *w);               // for relay_introduce, relay_call
struct store *wire_store(const struct wire *w);               // knows the live nodes

typedef void wire_entry_call(void *owner, uint64_t from, const struct entry *e); // the payload is valid during the call
typedef void wire_notice_call(void *owner, uint64_t from, struct span bytes);
typedef void wire_node_call(void *owner, uint64_t epoch);

// One handler for each kind. Only for kinds that the relay does not handle itself: ENTRY_JOIN to ENTRY_REFUSED.
void wire_on_entry(struct wire *w, enum entry_kind kind, wire_entry_call *call, void *owner);
// Returns false if no such node is live, or the link's buffer is full: then entries are lost, and on_reset follows.
bool wire_put(struct wire *w, uint64_t epoch, const struct entry *e);
// Called when entries from or to the node were lost (S53), or when it is gone: state sent to it must be sent again.
// Several handlers may be set.
void wire_on_reset(struct wire *w, wire_node_call *call, void *owner);
void wire_on_node_gone(struct wire *w, wire_node_call *call, void *owner);

void wire_announce(struct wire *w, enum wire_about kind, struct span bytes); // at most WIRE_NOTICE_MOST bytes
// Not called for our own.
void wire_on_notice(struct wire *w, enum wire_about kind, wire_notice_call *call, void *owner);

// `name` is the end of the subject agon.ARENA.1.NAME, for example "watch.MATCH"; without blanks and wildcards.
bool wire_publish(struct wire *w, const char *name, struct span bytes); // false: lost at once
struct wire_subscription *wire_subscribe(struct wire *w, const char *name, wire_notice_call *call,
                                         void *owner); // NULL: failed
void wire_unsubscribe(struct wire_subscription *e);    // also from inside its handler

// --- for the owner of the loop and the bus

void wire_receive(struct wire *w, const char *subject, struct span bytes); // a message from the bus
void wire_set_away(struct wire *w, bool away);                             // the bus became unreachable, or came back
void wire_apply_news(struct wire *w, const struct store_news *n);          // news about nodes
void wire_flush(struct wire *w);        // call it at the end of every turn, after hub_release
int64_t wire_due(const struct wire *w); // when to call wire_flush next, by the wire's clock

struct wire_figures {
    struct relay_figures relay;
    uint64_t notices_out, notices_in, published, heard, refused; // refused: damaged, or from nodes that are gone
    uint64_t absences;                                           // how often the bus was unreachable
    int subscriptions, peers;                                    // peers: nodes that have recently said hello
};
void wire_figures(const struct wire *w, struct wire_figures *out);
