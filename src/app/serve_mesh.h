// One matchmaker for each game of an arena with several nodes (lobby/mesh.h), by roles of the store and the node bus
// between nodes.
#pragma once

#include "front/arena/node_bus.h"
#include "lobby/mesh.h"

struct serve_mesh {
    struct lobby_mesh mesh;
    struct lobby *lobby;
    struct store *store;
    struct node_bus *node_bus;
    int64_t (*now_ms)(void); // the lobby's clock
};

// Call serve_mesh_close before the node bus is closed.
void serve_mesh_open(struct serve_mesh *m);
void serve_mesh_close(struct serve_mesh *m);
