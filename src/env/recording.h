// Where records are kept: in memory, and in the file of --record; and what clients may save (G19.1, G19.10).
#pragma once

#include "env/model.h"

void env_recording_add(struct env_table *t, enum traj_kind kind, struct span json);
void env_recording_release(struct env_table *t);
// `by` saves it; NULL: the server itself.
void env_recording_begin_header(struct text *s, const struct env_table *t, bool partial, const char *by);
void env_recording_put_manifest_hash(struct text *s, struct env_group *g);

// Whether a client may save this file, and its maximum size. Returns false if refused.
bool env_recording_admit(struct env_conn *c, const struct traj_path *p, bool overwrite, uint64_t *most,
                         struct env_result *r);
bool env_recording_admit_size(struct env_conn *c, const struct traj_path *p, uint64_t bytes, struct env_result *r);
bool env_refuse_trajectory(struct env *env, enum traj_fault fault, struct env_result *r); // always true
