// A registration that a client asks for: checked, but not granted yet (G10, G11.7).
#pragma once

#include "env/access.h"
#include "env/arguments.h"
#include "env/host.h"

struct env_registration {
    char id[ENV_ID_ROOM];
    struct env_table *table;
    int type, scope, clock, profile, legal, vector, seat, team;
    bool guide, hash;
    bool queued; // into the arena (G1.9)
    struct env_access_request access;
    uint8_t capabilities;
    uint64_t keys, masked;
    double weight[GAME_MAX_REWARDS];
};

// False: refused, and `r` says why.
bool env_registration_read(struct env_conn *c, const struct env_arguments *arguments, struct env_registration *reg,
                           struct env_result *r);
bool env_registration_seat(struct env_conn *c, struct span config, struct env_registration *reg,
                           struct env_result *r); // or a team
