// How the lobbies of several nodes share one matchmaker for each game (S20 to S25).
//
// With a mesh, the node that holds a game's role seats its players, wherever they are connected. A lobby then has three
// roles at once: gateway for the agents connected to it (gateway.c), matchmaker of some games (matchmaker.c, with the
// usual queues), and host of matches that matchmakers order (match_order.c). Without a mesh, this node is the
// matchmaker of every game and sends nothing.
//
// Entries travel over links (cluster/links.h) in order and exactly once, or both ends are told of a reset. After a
// reset, gateways send their whole lists to the matchmakers again, as they do when a game gets a new one. Nothing of
// this is stored: a gateway's list is authoritative and lasts as long as its connections.
#pragma once

#include "cluster/bundle.h"
#include "lobby/lobby.h"

struct lobby_peer {
    uint64_t epoch;
    int load;    // number of matches that it hosts
    bool serves; // it accepts matches
};

struct lobby_mesh {
    void *owner;
    uint64_t me; // epoch of this node
    // Sets which node holds the game's role, and its term. Returns false if none is known.
    bool (*find_holder)(void *owner, const char *game, uint64_t *epoch, uint64_t *term);
    void (*want)(void *owner, const char *game, bool wanted); // claims the role for this node, or gives it up
    // Nodes that can be reached, this one included.
    int (*list_peers)(void *owner, struct lobby_peer out[STORE_NODES], int room);
    void (*send)(void *owner, uint64_t epoch, const struct entry *e);
    // A match of this agent will begin at `host`: tell it how the agent is connected.
    void (*introduce)(void *owner, struct uuid agent, uint64_t host);
};

// `m` must stay valid until lobby_close or a call with NULL, which makes this node work alone.
void lobby_set_mesh(struct lobby *l, const struct lobby_mesh *m, int64_t now_ms);
// Handles an entry of the kinds ENTRY_JOIN to ENTRY_REFUSED.
void lobby_mesh_receive(struct lobby *l, uint64_t from, const struct entry *e, int64_t now_ms);
void lobby_mesh_reset(struct lobby *l, uint64_t peer, int64_t now_ms);    // entries from or to the peer were lost
void lobby_mesh_end_node(struct lobby *l, uint64_t peer, int64_t now_ms); // the node has ended

// At the gateway: another node has sent a player connected here that its match has begun, or that it is over.
void lobby_remote_match_started(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms);
void lobby_remote_match_over(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms);

struct lobby_mesh_figures {
    // Games whose matchmaker this node is; agents of other nodes waiting here; agents of this node waiting elsewhere.
    int ours, remote, elsewhere;
};
void lobby_mesh_figures(const struct lobby *l, struct lobby_mesh_figures *out);
