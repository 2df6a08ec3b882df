// Players on other nodes: the hub's end of the links (cluster/links.h, S43 to S56).
//
// A node is a gateway for agents that are connected to it and a host for matches that it plays, mostly of its own
// agents. An agent of another gateway is a connection without a socket: the lobby tells it through the same link, the
// hub writes the same frames and keeps them until they are durable, and what would go to a socket goes into a bundle.
// Its gateway passes frames on as they are, and what the agent says of such a match to its host.
//
// Who hosts a match and which connection of an agent is the newest is the arena's store's to say: whoever owns the
// relay calls relay_arrived and relay_introduce with what it has read there.
#pragma once

#include "cluster/links.h"
#include "front/arena/hub.h"

struct relay;

struct relay_options {
    struct hub *hub;
    uint64_t epoch;          // of this node
    int64_t (*now_ms)(void); // monotonic: no clock of another node is compared with it
    void *owner;
    void (*send)(void *owner, uint64_t epoch, struct span bundle); // over the bus; lost is lost
    bool (*is_live)(void *owner, uint64_t epoch);
    void (*on_entry)(void *owner, uint64_t from,
                     const struct entry *e);      // of kinds that are not about players; may be NULL
    void (*on_reset)(void *owner, uint64_t peer); // entries of either direction are lost (S53); may be NULL
};

struct relay *relay_open(const struct relay_options *o); // NULL without memory
void relay_close(struct relay *r);                       // before the hub; players of other nodes leave
void relay_hear(struct relay *r, struct span bundle);    // one has come
void relay_flush(struct relay *r);                       // at the end of every turn, after hub_release
int64_t relay_due(const struct relay *r);                // when a turn is due for it, by its clock
void relay_wake(struct relay *r);                        // the bus is back
void relay_end(struct relay *r, uint64_t epoch);         // the node is gone: its players are, and its matches

bool relay_put(struct relay *r, uint64_t epoch, const struct entry *e); // as links_put
// A node is known from now on that was not: whoever came here while it was not has not been told to it.
void relay_joined(struct relay *r, uint64_t epoch);
// At the host: an agent with a match here is at another node. Its gateway is asked to say `come`.
void relay_call(struct relay *r, struct uuid agent, uint64_t number, uint64_t gateway);

// S60, what lobby_peers asks for (lobby.h).
int relay_describe(struct relay *r, const struct lobby_presence *p, struct uuid session, char *out);
void relay_moved(struct relay *r, const struct lobby_presence *p, struct uuid session, uint64_t epoch);
bool relay_resume(struct relay *r, struct lobby_agent *a, struct uuid session, struct span connection);

// Every gateway says what it hears to the new hosts, and has handled what it was told: this node may end.
bool relay_is_settled(const struct relay *r);

struct relay_match {
    struct uuid session; // none: not known; the host's first frame tells it
    uint64_t host;       // epoch
};
// The agent's connection to this node has this number, greater than all before it, and these matches run elsewhere.
// Without one nothing of it is relayed. False: the agent is not connected here.
bool relay_arrived(struct relay *r, struct uuid agent, uint64_t number, const struct relay_match *at, int count);
// Its host will have a match for it: it is told who the agent is, and greets it. False as above.
bool relay_introduce(struct relay *r, struct uuid agent, uint64_t host);
bool relay_acquaint(struct relay *r, struct uuid agent, uint64_t host); // unless the host was told already

// Players of this node by another front than the hub (relay_front.c). Their agent has come by store_arrive and
// lobby_come; `client` is told what hosts at other nodes write for it, when it is durable.
enum relay_frame { RELAY_EVENT, RELAY_START, RELAY_ASK, RELAY_OVER };
struct relay_front {
    void (*on_frame)(void *client, enum relay_frame kind, struct uuid session, struct span frame);
    void (*on_gone)(void *client, enum lobby_gone why); // another node says that it is replaced
};
struct hub_conn;
struct hub_conn *relay_let_in(struct relay *r, struct lobby_agent *a, const struct store_arrival *arrival,
                              const struct relay_front *front, void *client); // NULL without memory
// What the agent says of a match that is not here; false: nobody is known to have it.
bool relay_speak(struct hub_conn *c, struct uuid session, struct span message);
// It has heard a beginning or an end, which stands for a pong (S44).
void relay_heard(struct hub_conn *c, enum relay_frame kind, struct uuid session);
void relay_let_out(struct hub_conn *c); // not from within its calls

struct relay_figures {
    uint64_t players;          // of other nodes, here
    uint64_t frames_out, says; // to other gateways; from them
    uint64_t bundles, repeated, gaps, resets, lost;
};
void relay_figures(const struct relay *r, struct relay_figures *out);
