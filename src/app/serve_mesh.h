// One matchmaker for each game of an arena with several nodes (lobby/mesh.h), by roles of the store and the wire
// between nodes.
#pragma once

#include "front/arena/wire.h"
#include "lobby/mesh.h"

struct serve_mesh {
    struct lobby_mesh mesh;
    struct lobby *lobby;
    struct store *store;
    struct wire *wire;
    int64_t (*now_ms)(void); // the lobby's clock
};

// Call serve_mesh_close before the wire is closed.
void serve_mesh_open(struct serve_mesh *m);
void serve_mesh_close(struct serve_mesh *m);
