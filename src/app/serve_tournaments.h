// Tournaments of several nodes (S47): the store keeps their files and roles, the bus carries requests.
#pragma once

#include "tournaments/tournaments.h"

struct serve_tournaments {
    struct tournaments_nodes nodes;
    struct lobby *lobby;
    struct loop *loop;
};

// What tournaments_open needs; `t` must outlive the tournaments.
void serve_tournaments_open(struct serve_tournaments *t, struct lobby *l, struct loop *loop);
