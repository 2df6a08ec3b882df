// Calls that step a table, alone, together or in sequence.
#pragma once

#include "env/model.h"

bool rl_check_state(struct rl *rl, const struct rl_agent *a, struct rl_result *r);
void rl_parked_sweep(struct rl_group *g); // the dropped ones
void rl_parked_drop(struct rl_group *g, const struct rl_agent *a,
                    const struct rl_conn *c); // calls of either, unanswered
void rl_try_advance(struct rl_group *g);      // after a commit or a departure: whether all have committed now
void rl_try_soon(struct rl_group *g);         // likewise, as a job of its own where this is none
int64_t rl_step_deadlines(struct rl_group *g, int64_t now_us);
void rl_answer_parked(struct rl_group *g, struct rl_parked *p);
void rl_answer_all(struct rl_table *t);
void rl_settle_cut(struct rl_table *t);                  // after an advance: answers what rl_answer_all had to leave
struct rl_agent *rl_actor_of(const struct rl_parked *p); // of the step that acts now; the first, if all do
struct rl_table *rl_table_of(const struct rl_parked *p); // where that is
void rl_keep_refusal(struct rl_parked *p, struct rl_item *item, const struct rl_result *r); // answers of single items
void rl_keep_step(struct rl_parked *p, struct rl_item *item);

void rl_sequence_run(struct rl_parked *p);   // nobody else is waited for
bool rl_sequence_next(struct rl_parked *p);  // whether a step waits for its advance now
bool rl_sequence_go_on(struct rl_parked *p); // the step has had its ticks: likewise for the rest; false: no sequence
