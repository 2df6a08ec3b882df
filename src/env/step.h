// Calls that step a table: single, batched or in sequence.
#pragma once

#include "env/model.h"

// One step of one agent. Returns true if `r` is the reply.
bool env_step_agent(struct env_conn *c, struct env_parked *p, struct env_agent *a, struct span action, uint32_t ticks,
                    struct env_result *r);
bool env_check_state(struct env *env, const struct env_agent *a, struct env_result *r);
void env_parked_sweep(struct env_group *g); // frees dropped ones
void env_parked_drop(struct env_group *g, const struct env_agent *a,
                     const struct env_conn *c); // unanswered calls of either
void env_try_advance(struct env_group *g);      // after a commit or a departure: advances if all have committed now
void env_try_soon(struct env_group *g);         // likewise, in a job of its own if this is none
int64_t env_step_deadlines(struct env_group *g, int64_t now_us);
void env_answer_parked(struct env_group *g, struct env_parked *p);
void env_answer_all(struct env_table *t);
void env_settle_cut(struct env_table *t); // after an advance: replies to what env_answer_all had to leave
struct env_agent *env_actor_of(const struct env_parked *p); // of the current step; the first, if all act
struct env_table *env_table_of(const struct env_parked *p); // its table
void env_keep_refusal(struct env_parked *p, struct env_item *item,
                      const struct env_result *r); // replies to single items
void env_keep_step(struct env_parked *p, struct env_item *item);

void env_sequence_run(struct env_parked *p);  // no other connection is awaited
bool env_sequence_next(struct env_parked *p); // whether a step waits for its advance now
// The step has had its ticks: continues with the rest; false: no sequence.
bool env_sequence_continue(struct env_parked *p);
