// Calls that step a table: single, batched or in sequence.
#pragma once

#include "env/model.h"

struct env_action_input;

// One step of one agent. `input`: the action, if it was read already; NULL: it was not. Returns true if `r` is the
// reply.
bool env_step_agent(struct env_conn *c, struct env_pending *p, struct env_agent *a, struct span action,
                    const struct env_action_input *input, uint32_t ticks, struct env_result *r);
bool env_check_state(struct env *env, const struct env_agent *a, struct env_result *r);
void env_try_advance(struct env_group *g);      // after a commit or a departure: advances if all have committed now
void env_try_advance_soon(struct env_group *g); // likewise, in a job of its own if this is none
int64_t env_step_deadlines(struct env_group *g, int64_t now_us);

// --- sequence.c

void env_sequence_run(struct env_pending *p);  // no other connection is awaited
bool env_sequence_next(struct env_pending *p); // whether a step waits for its advance now
// The step has had its ticks: continues with the rest; false: no sequence.
bool env_sequence_continue(struct env_pending *p);
