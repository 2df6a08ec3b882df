// Hashes of a table's state.
#pragma once

#include "env/model.h"

struct env_hashes {
    char all[ENV_HASH_ROOM], entities[ENV_HASH_ROOM], world[ENV_HASH_ROOM], rng[ENV_HASH_ROOM];
};
struct env_digests *env_digests_create(void);                            // NULL: no memory; released by free
void env_hash_state(const struct env_table *t, char out[ENV_HASH_ROOM]); // as steps have it
void env_hash_table(const struct env_table *t, bool with_rng, struct env_hashes *out);
void env_hash_text(struct span bytes, char out[ENV_HASH_ROOM]);
