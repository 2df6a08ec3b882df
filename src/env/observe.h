// What agents observe: steps, observations, spaces.
#pragma once

#include "env/model.h"

enum env_look {
    ENV_OBSERVE_STEP,
    ENV_OBSERVE_ONLY,
    ENV_OBSERVE_RESET
}; // an answer; without consuming anything; after a reset
void env_write_step(struct text *t, struct env_agent *a, enum env_look look);
void env_write_notice(struct text *t, struct env_agent *a);
void env_put_reward(struct text *t, const char *key, double value);
// For a record: what the agent will be told next, if it has acted, or has ended and will be told later.
void env_put_outcome(struct text *t, struct env_agent *a, bool acted);
void env_write_spectator(struct text *t, struct env_table *table);
void env_write_observation(struct text *t, const struct env_agent *a, enum env_profile profile, uint64_t keys);
int env_vector_of(const struct env_agent *a); // the requested version, or the newest of the current game
void env_write_space(struct text *t, const struct env_agent *a); // observation_space
void env_write_action_space(struct text *t, const struct env_facts *k, const struct game *g, enum env_type type);
const struct env_key *env_key_at(const struct env_facts *k, enum env_type type, enum env_profile profile, int i);
