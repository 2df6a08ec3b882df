// Step objects: the reply to a step, a reset or an observation (G13.2).
#pragma once

#include "env/model.h"

enum env_step_purpose {
    ENV_OBSERVE_STEP,  // the reply to a step: the agent has been told everything in it
    ENV_OBSERVE_ONLY,  // nothing is consumed
    ENV_OBSERVE_RESET, // the first of an episode
};
void env_write_step(struct text *t, struct env_agent *a, enum env_step_purpose purpose);
void env_write_notice(struct text *t, struct env_agent *a); // the end of an earlier episode, if it is due
void env_write_spectator(struct text *t, struct env_table *table);
void env_put_reward(struct text *t, const char *key, double value);
// For a record: what the agent will be told next, if it has acted, or has ended and will be told later.
void env_put_outcome(struct text *t, struct env_agent *a, bool acted);
