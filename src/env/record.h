// What is recorded of a table, in memory and in files.
#pragma once

#include "env/plan.h"

void rl_put_hex(struct text *s, const char *key, const uint8_t *bytes, size_t size);
void rl_record_reset(struct rl_table *t, const struct rl_order *o);
void rl_record_step(struct rl_table *t, struct rl_item **items, int count, uint32_t ticks, enum rl_sync sync);
void rl_record_message(struct rl_agent *from, struct span to, struct span channel, struct span content, uint64_t id);
void rl_record_agent(struct rl_agent *a, bool comes);
void rl_record_streams(struct rl_agent *a);
void rl_record_return(struct rl_agent *a, const struct rl_order *o); // by a reset of this agent alone
// A playback has left the table: the recorded agents (of `shadow`) go, and those of the table come, where they differ.
void rl_record_cast(struct rl_table *t, const struct rl_group *shadow);
void rl_record_again(struct rl_table *t, enum traj_kind kind, struct span json); // as it was played from a file

void rl_traj_take(struct rl_table *t, enum traj_kind kind, struct span json);
void rl_traj_release(struct rl_table *t);
bool rl_traj_refuse(struct rl *rl, enum traj_fault fault, struct rl_result *r); // always true
// `by` saves it; NULL: nobody, it is the server's own.
void rl_traj_begin_header(struct text *s, const struct rl_table *t, bool partial, const char *by);
// A file that a client saves: whether it may be there, and how many bytes it may have. False: refused.
bool rl_traj_admit(struct rl_conn *c, const struct traj_place *p, bool overwrite, uint64_t *most, struct rl_result *r);
bool rl_traj_admit_size(struct rl_conn *c, const struct traj_place *p, uint64_t bytes, struct rl_result *r);
void rl_traj_put_manifest(struct text *s, struct rl_group *g); // its hash

int64_t rl_save_run(struct rl *rl, int64_t now_us);               // what is due; when to call again
bool rl_save_is_of(const struct rl *rl, const struct rl_conn *c); // a trajectory is being saved for it
bool rl_save_cancel(struct rl_conn *c, uint64_t call);
void rl_save_leave(struct rl_conn *c); // its connection goes
