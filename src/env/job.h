// Long calls give way to other clients (docs/decisions/012-work-budget.md).
#pragma once

#include "env/model.h"

bool rl_call_now(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                 struct rl_result *r); // rl_host.c
bool rl_may_be_long(const struct rl_conn *c, int tool, struct span arguments);
// A call as a job, or behind the one that holds its table; as rl_call.
bool rl_call_as_job(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                    struct rl_result *r);
bool rl_cancel_job(struct rl_conn *c, uint64_t call);
void rl_cut_job(struct rl_job *j);      // nobody waits for it any more
void rl_job_lose(struct rl_group *g);   // the group goes: whoever holds it shall not let go of it
bool rl_leave_later(struct rl_conn *c); // true: rl_disconnect is done when the job at its table has ended
int64_t rl_run_group(struct rl_group *g, int64_t now_us); // what time brings; when next
int64_t rl_run_saving(struct rl *rl, int64_t now_us);
void rl_run_waiting(struct rl *rl);
void rl_drop_waiting(struct rl *rl, const struct rl_conn *c);
void rl_spend(struct rl *rl, uint32_t units); // may give way: what others may change is not to be relied on afterwards
void rl_away(struct rl *rl, work_run *run, void *arg); // on a thread, if this is a job
bool rl_wait_for(struct rl_group *g); // in a job: true when it has given way because another one holds the group
bool rl_is_cut(const struct rl *rl);  // nobody waits for the running job any more
void rl_desk_release(struct rl_desk *d);
void rl_desk_init(struct rl_desk *d);
