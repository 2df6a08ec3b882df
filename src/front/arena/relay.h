// Players on other nodes: the hub's end of the links (cluster/links.h, S43 to S56).
//
// A node is a gateway for agents that are connected to it and a host for matches that it plays, mostly of its own
// agents. An agent of another gateway is a connection without a socket: the lobby tells it through the same link, the
// hub writes the same frames and keeps them until they are durable, and what would go to a socket goes into a bundle.
// Its gateway passes frames on as they are, and what the agent says of such a match to its host.
//
// The arena's store knows which node hosts a match and which connection of an agent is the newest: the owner of the
// relay reads it there and calls relay_arrived and relay_introduce.
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
void relay_close(struct relay *r);                       // before the hub is closed; players of other nodes leave
void relay_receive(struct relay *r, struct span bundle); // a bundle has arrived
void relay_flush(struct relay *r);                       // call it at the end of every turn, after hub_release
int64_t relay_due(const struct relay *r);                // when to call relay_flush next, by o->now_ms
void relay_resume_links(struct relay *r);                // the bus is reachable again
void relay_end_node(struct relay *r, uint64_t epoch);    // the node has ended, with its players and matches

bool relay_put(struct relay *r, uint64_t epoch, const struct entry *e); // as links_put
// A node has become known. It has not heard of agents that connected here before: introduces them.
void relay_note_joined(struct relay *r, uint64_t epoch);
// At the host: an agent with a match here is connected to another node. Asks that gateway to send ENTRY_COME.
void relay_request_connection(struct relay *r, struct uuid agent, uint64_t number, uint64_t gateway);

// S60, what lobby_peers asks for (lobby.h).
int relay_describe_player(struct relay *r, const struct lobby_presence *p, struct uuid session, char *out);
void relay_note_moved(struct relay *r, const struct lobby_presence *p, struct uuid session, uint64_t epoch);
bool relay_resume_player(struct relay *r, struct lobby_agent *a, struct uuid session, struct span connection);

// Another node has this match of an agent connected here, and tells what happens in it.
bool relay_is_hosted_elsewhere(struct relay *r, const struct lobby_presence *p, struct uuid session);

// All gateways send messages to the new hosts and have handled everything from this node, so that it may end.
bool relay_is_settled(const struct relay *r);

struct relay_match {
    struct uuid session; // zero: unknown until the host's first frame
    uint64_t host;       // epoch
};
// The agent's connection to this node has this number, which is greater than all earlier ones, and these matches run at
// other nodes. Without a number nothing is relayed. Returns false if the agent is not connected here.
bool relay_arrived(struct relay *r, struct uuid agent, uint64_t number, const struct relay_match *at, int count);
// Describes the agent to a node that will host its match, which then greets it. Returns false as above.
bool relay_introduce(struct relay *r, struct uuid agent, uint64_t host);
bool relay_introduce_once(struct relay *r, struct uuid agent, uint64_t host); // the same, unless it was done already

// Players of this node that use another front than the hub (relay_client.c). Their agent has connected with
// store_arrive and lobby_connect; `client` gets the frames of hosts at other nodes when they are durable.
enum relay_frame { RELAY_EVENT, RELAY_START, RELAY_ASK, RELAY_OVER };
struct relay_client_handler {
    void (*on_frame)(void *client, enum relay_frame kind, struct uuid session, struct span frame);
    void (*on_gone)(void *client, enum lobby_gone why); // replaced by a connection to another node
};
struct hub_conn;
struct hub_conn *relay_client_open(struct relay *r, struct lobby_agent *a, const struct store_arrival *arrival,
                                   const struct relay_client_handler *front, void *client); // NULL without memory
// Sends a message of the agent to the node that hosts the match. Returns false if no host is known.
bool relay_client_send(struct hub_conn *c, struct uuid session, struct span message);
// The client has received a start or an end, which counts as a pong (S44).
void relay_client_confirm(struct hub_conn *c, enum relay_frame kind, struct uuid session);
void relay_client_close(struct hub_conn *c); // not from within its callbacks

struct relay_figures {
    uint64_t players;          // of other nodes, here
    uint64_t frames_out, says; // to other gateways; from them
    uint64_t bundles, repeated, gaps, resets, lost;
};
void relay_figures(const struct relay *r, struct relay_figures *out);
