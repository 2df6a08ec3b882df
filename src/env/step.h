// Calls that step a table, alone, together or in sequence.
#pragma once

#include "env/model.h"

// One step of one agent; true: `r` is the answer.
bool env_step_agent(struct env_conn *c, struct env_parked *p, struct env_agent *a, struct span action, uint32_t ticks,
                    struct env_result *r);
bool env_check_state(struct env *env, const struct env_agent *a, struct env_result *r);
void env_parked_sweep(struct env_group *g); // the dropped ones
void env_parked_drop(struct env_group *g, const struct env_agent *a,
                     const struct env_conn *c); // calls of either, unanswered
void env_try_advance(struct env_group *g);      // after a commit or a departure: whether all have committed now
void env_try_soon(struct env_group *g);         // likewise, as a job of its own where this is none
int64_t env_step_deadlines(struct env_group *g, int64_t now_us);
void env_answer_parked(struct env_group *g, struct env_parked *p);
void env_answer_all(struct env_table *t);
void env_settle_cut(struct env_table *t); // after an advance: answers what env_answer_all had to leave
struct env_agent *env_actor_of(const struct env_parked *p); // of the step that acts now; the first, if all do
struct env_table *env_table_of(const struct env_parked *p); // where that is
void env_keep_refusal(struct env_parked *p, struct env_item *item,
                      const struct env_result *r); // answers of single items
void env_keep_step(struct env_parked *p, struct env_item *item);

void env_sequence_run(struct env_parked *p);   // nobody else is waited for
bool env_sequence_next(struct env_parked *p);  // whether a step waits for its advance now
bool env_sequence_go_on(struct env_parked *p); // the step has had its ticks: likewise for the rest; false: no sequence
