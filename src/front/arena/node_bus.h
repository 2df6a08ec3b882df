// Communication between the nodes of one arena over a bus (S50 to S57).
//
//     to one node    node_bus_put, node_bus_on_entry
//     to all nodes   node_bus_announce, node_bus_on_notice
//     to subscribers node_bus_publish, node_bus_subscribe
//
// Entries to one node arrive in order and once, or both ends hear of a reset. Everything else may be lost, so it is
// repeated or can be done without.
//
// Players on other nodes (relay.h) use the same entries. All functions are called on the loop's thread; handlers are
// called there too, and may put, announce and listen. What must be durable before another node may know of it (F8.1)
// has to be put when it is: the node bus does not wait for tickets.
//
// The bus itself is supplied by the caller (struct node_bus_transport): NATS in `agon serve`, a list in memory in
// tests.
#pragma once

#include "front/arena/relay.h"

// NODE_BUS_HELLO_MS: S54.
enum { NODE_BUS_SUBJECT = 96, NODE_BUS_NOTICE_MOST = 4096, NODE_BUS_HELLO_MS = 2000 };

struct node_bus;
struct node_bus_subscription;

struct node_bus_transport {
    // Subscribes; messages are passed to node_bus_receive. Returns false if it failed.
    bool (*listen)(void *owner, const char *subject);
    void (*ignore)(void *owner, const char *subject);                  // unsubscribes
    bool (*send)(void *owner, const char *subject, struct span bytes); // false: lost at once
};

struct node_bus_options {
    struct hub *hub;         // its lobby's store knows the live nodes and this node's epoch
    int64_t (*now_ms)(void); // monotonic
    const struct node_bus_transport *bus;
    void *owner; // of the bus
};

// Kinds of announcements. A node ignores kinds that it does not know.
enum node_bus_notice {
    NODE_BUS_HELLO,  // a node is there and listens: sent when it opens, when another joins and every NODE_BUS_HELLO_MS
    NODE_BUS_BYE,    // a node leaves
    NODE_BUS_TERM,   // a role has a new holder; the payload is the role's name
    NODE_BUS_CHANGE, // records were changed or matches handed over: look at the store soon
    NODE_BUS_HEAVY,  // addresses that exceed their share
    NODE_BUS_DRAIN,  // the node of this name has to drain (S60)
    NODE_BUS_NOTICES
};

// Returns NULL without memory, or if the bus refuses a subscription.
struct node_bus *node_bus_open(const struct node_bus_options *o);
void node_bus_close(struct node_bus *b); // before the hub is closed

// --- for parts of the arena

uint64_t node_bus_epoch(const struct node_bus *b); // epoch of this node
bool node_bus_is_away(const struct node_bus *b);   // the bus is unreachable: entries are kept, everything else is lost
// The node is live, and has recently said hello on the bus.
bool node_bus_is_connected(const struct node_bus *b, uint64_t epoch);
struct relay *node_bus_relay(const struct node_bus *b); // for relay_introduce, relay_request_connection
struct store *node_bus_store(const struct node_bus *b); // knows the live nodes

// The payload is valid during the call.
typedef void node_bus_entry_call(void *owner, uint64_t from, const struct entry *e);
typedef void node_bus_notice_call(void *owner, uint64_t from, struct span bytes);
typedef void node_bus_node_call(void *owner, uint64_t epoch);

// One handler for each kind. Only for kinds that the relay does not handle itself: ENTRY_JOIN to ENTRY_REFUSED.
void node_bus_on_entry(struct node_bus *b, enum entry_kind kind, node_bus_entry_call *call, void *owner);
// Returns false if no such node is live, or the link's buffer is full: then entries are lost, and on_reset follows.
bool node_bus_put(struct node_bus *b, uint64_t epoch, const struct entry *e);
// Called when entries from or to the node were lost (S53), or when it is gone: state sent to it must be sent again.
// Several handlers may be set.
void node_bus_on_reset(struct node_bus *b, node_bus_node_call *call, void *owner);
void node_bus_on_node_gone(struct node_bus *b, node_bus_node_call *call, void *owner);

void node_bus_announce(struct node_bus *b, enum node_bus_notice kind,
                       struct span bytes); // at most NODE_BUS_NOTICE_MOST bytes
// Not called for our own.
void node_bus_on_notice(struct node_bus *b, enum node_bus_notice kind, node_bus_notice_call *call, void *owner);

// `name` is the end of the subject agon.ARENA.1.NAME, for example "watch.MATCH"; without blanks and wildcards.
bool node_bus_publish(struct node_bus *b, const char *name, struct span bytes); // false: lost at once
struct node_bus_subscription *node_bus_subscribe(struct node_bus *b, const char *name, node_bus_notice_call *call,
                                                 void *owner); // NULL: failed
void node_bus_unsubscribe(struct node_bus_subscription *e);    // also from inside its handler

// --- for the owner of the loop and the bus

void node_bus_receive(struct node_bus *b, const char *subject, struct span bytes); // a message from the bus
void node_bus_set_away(struct node_bus *b, bool away);                    // the bus became unreachable, or came back
void node_bus_apply_news(struct node_bus *b, const struct store_news *n); // news about nodes
void node_bus_flush(struct node_bus *b);        // call it at the end of every turn, after hub_release
int64_t node_bus_due(const struct node_bus *b); // when to call node_bus_flush next, by its clock

struct node_bus_figures {
    struct relay_figures relay;
    uint64_t notices_out, notices_in, published, heard, refused; // refused: damaged, or from nodes that are gone
    uint64_t absences;                                           // how often the bus was unreachable
    int subscriptions, peers;                                    // peers: nodes that have recently said hello
};
void node_bus_figures(const struct node_bus *b, struct node_bus_figures *out);
