// What the nodes of one arena say to each other over a bus (S50 to S57).
//
//     numbered entries    wire_put, wire_on_entry         to one node: in order and once, or both ends hear of a reset
//     announcements       wire_announce, wire_on_notice   to all nodes: may be lost, so they are repeated or not needed
//     subjects of a part  wire_publish, wire_listen       to whoever listens: may be lost
//
// Players on other nodes (relay.h) go by the same entries. The wire belongs to the loop's thread; handlers are called
// from there, and may put, announce and listen. What must be durable before another node may know of it (F8.1) is put
// when it is: the wire does not wait for a ticket.
//
// The bus itself is given (struct wire_bus): NATS in `agon serve`, a list in memory in tests.
#pragma once

#include "front/arena/relay.h"

enum { WIRE_SUBJECT = 96, WIRE_NOTICE_MOST = 4096, WIRE_HELLO_MS = 2000 };

struct wire;
struct wire_ear;

struct wire_bus {
    bool (*listen)(void *owner, const char *subject); // wire_hear follows for what comes; false: it cannot
    void (*ignore)(void *owner, const char *subject); // no longer
    bool (*send)(void *owner, const char *subject, struct span bytes); // false: lost at once
};

struct wire_options {
    struct hub *hub;         // its lobby's store says who lives, and who this node is
    int64_t (*now_ms)(void); // monotonic
    const struct wire_bus *bus;
    void *owner; // of the bus
};

// Announcements, by what they are about. A node skips kinds that it does not know.
enum wire_about {
    WIRE_HELLO,  // a node is there, and hears: told when it opens, when somebody joins and every WIRE_HELLO_MS
    WIRE_BYE,    // it leaves
    WIRE_TERM,   // a role has a new holder: the role's name
    WIRE_CHANGE, // records were changed: worth a look at the store
    WIRE_HEAVY,  // addresses that use more than their share
    WIRE_NOTICES
};

struct wire *wire_open(const struct wire_options *o); // NULL: without memory, or the bus does not take its subjects
void wire_close(struct wire *w);                      // before the hub

// --- for parts of the arena that use it

uint64_t wire_me(const struct wire *w);                // epoch of this node
bool wire_is_away(const struct wire *w);               // the bus is: entries are kept, the rest is lost
bool wire_hears(const struct wire *w, uint64_t epoch); // it lives, and has said hello over the bus lately
struct relay *wire_relay(const struct wire *w);        // relay_introduce, relay_call

typedef void wire_entry_call(void *owner, uint64_t from, const struct entry *e); // its payload is valid during the call
typedef void wire_notice_call(void *owner, uint64_t from, struct span bytes);
typedef void wire_node_call(void *owner, uint64_t epoch);

// One handler for each kind. Only kinds that the relay does not handle itself: ENTRY_JOIN to ENTRY_REFUSED.
void wire_on_entry(struct wire *w, enum entry_kind kind, wire_entry_call *call, void *owner);
// False: no node of this epoch lives, or the link's memory is full: it is lost, and on_reset follows.
bool wire_put(struct wire *w, uint64_t epoch, const struct entry *e);
// Entries from or to this node are lost (S53), or it is gone: whoever has told it something tells it anew. Several may
// ask for it.
void wire_on_reset(struct wire *w, wire_node_call *call, void *owner);
void wire_on_gone(struct wire *w, wire_node_call *call, void *owner);

void wire_announce(struct wire *w, enum wire_about kind, struct span bytes); // at most WIRE_NOTICE_MOST
void wire_on_notice(struct wire *w, enum wire_about kind, wire_notice_call *call, void *owner); // not of our own

// `name` is the end of the subject agon.ARENA.1.NAME, as "watch.MATCH"; no blanks and no wildcards in it.
bool wire_publish(struct wire *w, const char *name, struct span bytes); // false: lost at once
struct wire_ear *wire_listen(struct wire *w, const char *name, wire_notice_call *call, void *owner); // NULL: it cannot
void wire_ignore(struct wire_ear *e); // also from within its handler

// --- for whoever owns the loop and the bus

void wire_hear(struct wire *w, const char *subject, struct span bytes); // from the bus
void wire_set_away(struct wire *w, bool away);                          // the bus went, or came back
void wire_hear_news(struct wire *w, const struct store_news *n);        // of nodes
void wire_flush(struct wire *w);                                        // at the end of every turn, after hub_release
int64_t wire_due(const struct wire *w);                                 // when a turn is due for it, by its clock

struct wire_figures {
    struct relay_figures relay;
    uint64_t notices_out, notices_in, published, heard, refused; // refused: damaged, or of nodes that are gone
    uint64_t absences;                                           // of the bus
    int ears, peers;                                             // peers: that have said hello lately
};
void wire_figures(const struct wire *w, struct wire_figures *out);
