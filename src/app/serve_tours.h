// Tournaments of several nodes (S47): the store keeps their files and roles, the bus carries requests.
#pragma once

#include "tournaments/tournaments.h"

struct serve_tours {
    struct tournaments_nodes nodes;
    struct lobby *lobby;
    struct loop *loop;
};

// What tournaments_open needs; `t` must outlive the tournaments.
void serve_tours_open(struct serve_tours *t, struct lobby *l, struct loop *loop);
