// What agents observe, and their spaces (G22, G23).
#pragma once

#include "env/model.h"

void env_write_observation(struct text *t, const struct env_agent *a, enum env_profile profile, uint64_t keys);

// --- spaces.c

int env_vector_of(const struct env_agent *a); // the requested version, or the newest of the current game
void env_write_space(struct text *t, const struct env_agent *a); // observation_space
void env_write_action_space(struct text *t, const struct env_facts *k, const struct game *g, enum env_type type);
const struct env_key *env_key_at(const struct env_facts *k, enum env_type type, enum env_profile profile, int i);
