// One matchmaker a game for all nodes of an arena (S20 to S25): how a lobby speaks with those of other nodes.
//
// With a mesh, the node that holds the role of a game seats its players, wherever they are connected. A node's lobby is
// then three things at once: a gateway for agents that are connected to it (far.c), the matchmaker of some games (mm.c,
// and the queues as ever), and a host of matches that matchmakers order (order.c). Without a mesh every game is this
// node's, and nothing is sent.
//
// Entries travel over links (cluster/links.h) in order and once, or both ends hear of a reset: then gateways tell their
// matchmakers everything anew, as they do when a game has a new one. Nothing of it needs to be durable: a gateway's
// list is the truth, and it lives as long as the connections do.
#pragma once

#include "cluster/bundle.h"
#include "lobby/lobby.h"

struct lobby_peer {
    uint64_t epoch;
    int load;    // matches that it hosts
    bool serves; // it may be given another one
};

struct lobby_mesh {
    void *owner;
    uint64_t me; // epoch of this node
    // Who holds the role of the game, and since which term. False: nobody does, as far as is known.
    bool (*find_holder)(void *owner, const char *game, uint64_t *epoch, uint64_t *term);
    void (*want)(void *owner, const char *game, bool wanted);                     // to hold it
    int (*list_peers)(void *owner, struct lobby_peer out[STORE_NODES], int room); // that can be heard; this node too
    void (*send)(void *owner, uint64_t epoch, const struct entry *e);
    void (*introduce)(void *owner, struct uuid agent, uint64_t host); // a match of this agent is to begin there
};

// `m` outlives the lobby, or a call with NULL: from then on this node is alone.
void lobby_set_mesh(struct lobby *l, const struct lobby_mesh *m, int64_t now_ms);
void lobby_mesh_hear(struct lobby *l, uint64_t from, const struct entry *e, int64_t now_ms); // ENTRY_JOIN to _REFUSED
void lobby_mesh_reset(struct lobby *l, uint64_t peer, int64_t now_ms); // entries from or to it are lost
void lobby_mesh_gone(struct lobby *l, uint64_t peer, int64_t now_ms);  // the node is

// At the gateway: another node has told a player of this one that its match begins, that it is over.
void lobby_far_started(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms);
void lobby_far_over(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms);

struct lobby_mesh_figures {
    int ours, away, far; // games whose matchmaker this node is; agents of others here, and of this node elsewhere
};
void lobby_mesh_figures(const struct lobby *l, struct lobby_mesh_figures *out);
