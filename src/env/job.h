// Long calls run as jobs beside other clients (docs/decisions/012-work-budget.md).
#pragma once

#include "env/model.h"

bool env_call_now(struct env_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                  struct env_result *r); // host.c
bool env_may_be_long(const struct env_conn *c, int tool, struct span arguments);
// Runs a call as a job, or queues it behind the one that holds its table; returns like env_call.
bool env_call_as_job(struct env_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                     struct env_result *r);
bool env_cancel_job(struct env_conn *c, uint64_t call);
void env_cut_job(struct env_job *j);      // its client no longer waits for it
void env_job_lose(struct env_group *g);   // the group is being freed: the job that holds it must not release it
void env_job_hold(struct env_group *g);   // the running job moves to this group, which no other holds
bool env_leave_later(struct env_conn *c); // true: env_disconnect is completed when the job at its table has ended
int64_t env_run_group(struct env_group *g, int64_t now_us); // handles what is due; returns when to call next
int64_t env_run_saving(struct env *env, int64_t now_us);
void env_run_waiting(struct env *env);
void env_drop_waiting(struct env *env, const struct env_conn *c);
void env_spend(struct env *env,
               uint32_t units); // may suspend the job: shared data may have changed afterwards
void env_offload(struct env *env, work_run *run, void *arg); // on a worker thread, if called in a job
bool env_wait_for(struct env_group *g); // in a job: true if it was suspended because another one holds the group
bool env_is_cut(const struct env *env); // the client of the running job no longer waits for it
void env_buffers_release(struct env_buffers *d);
void env_buffers_init(struct env_buffers *d);
