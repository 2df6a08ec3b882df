// What agents are shown: steps, observations, spaces.
#pragma once

#include "env/model.h"

enum rl_look { RL_LOOK_STEP, RL_LOOK_ONLY, RL_LOOK_RESET }; // an answer; without consuming anything; after a reset
void rl_write_step(struct text *t, struct rl_agent *a, enum rl_look look);
void rl_write_notice(struct text *t, struct rl_agent *a);
void rl_put_reward(struct text *t, const char *key, double value);
// Of a record: what the agent is about to be told, if it has acted, or has ended and will be told some day.
void rl_put_outcome(struct text *t, struct rl_agent *a, bool acted);
void rl_write_spectator(struct text *t, struct rl_table *table);
void rl_write_observation(struct text *t, const struct rl_agent *a, enum rl_profile profile, uint64_t keys);
void rl_write_space(struct text *t, const struct rl_agent *a); // observation_space
void rl_write_action_space(struct text *t, const struct rl_kit *k, const struct game *g, enum rl_type type);
const struct rl_key *rl_key_at(const struct rl_kit *k, enum rl_type type, enum rl_profile profile, int i);
