// One matchmaker a game for all nodes of an arena (lobby/mesh.h), over the store's roles and the wire between nodes.
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

// From now on; before the wire is closed, serve_mesh_close.
void serve_mesh_open(struct serve_mesh *m);
void serve_mesh_close(struct serve_mesh *m);
