// What is recorded of a table, in memory and in files.
#pragma once

#include "env/new_episode.h"

void env_record_reset(struct env_table *t, const struct env_reset_request *request);
void env_record_step(struct env_table *t, struct env_item **items, int count, uint32_t ticks, enum env_sync sync);
void env_record_message(struct env_agent *from, struct span to, struct span channel, struct span content, uint64_t id);
void env_record_agent(struct env_agent *a, bool comes);
void env_record_streams(struct env_agent *a);
void env_record_agent_reset(struct env_agent *a,
                            const struct env_reset_request *request); // by a reset of this agent only
// A replay has left the table: the recorded agents (of `shadow`) leave, and those of the table come, if they differ.
void env_record_cast(struct env_table *t, const struct env_group *shadow);
void env_record_again(struct env_table *t, enum traj_kind kind, struct span json); // as it was replayed from a file

void env_traj_take(struct env_table *t, enum traj_kind kind, struct span json);
void env_traj_release(struct env_table *t);
bool env_traj_refuse(struct env *env, enum traj_fault fault, struct env_result *r); // always true
// `by` saves it; NULL: the server itself.
void env_traj_begin_header(struct text *s, const struct env_table *t, bool partial, const char *by);
// Whether a client may save this file, and its maximum size. Returns false if refused.
bool env_traj_admit(struct env_conn *c, const struct traj_path *p, bool overwrite, uint64_t *most,
                    struct env_result *r);
bool env_traj_admit_size(struct env_conn *c, const struct traj_path *p, uint64_t bytes, struct env_result *r);
void env_traj_put_manifest(struct text *s, struct env_group *g); // its hash

int64_t env_save_run(struct env *env, int64_t now_us);                // handles what is due; returns when to call again
bool env_save_is_of(const struct env *env, const struct env_conn *c); // a trajectory is being saved for it
bool env_save_cancel(struct env_conn *c, uint64_t call);
void env_save_leave(struct env_conn *c); // its connection ends
