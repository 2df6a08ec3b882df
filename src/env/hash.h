// Hashes of a table's state.
#pragma once

#include "env/model.h"

struct rl_hashes {
    char all[RL_HASH_ROOM], entities[RL_HASH_ROOM], world[RL_HASH_ROOM], rng[RL_HASH_ROOM];
};
struct rl_digests *rl_digests_create(void);                           // NULL: no memory; released by free
void rl_hash_state(const struct rl_table *t, char out[RL_HASH_ROOM]); // as steps have it
void rl_hash_table(const struct rl_table *t, bool with_rng, struct rl_hashes *out);
void rl_hash_text(struct span bytes, char out[RL_HASH_ROOM]);
