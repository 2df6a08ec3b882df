// Trajectories that are being saved (save_trajectory, G19.2).
#pragma once

#include "env/model.h"

int64_t env_save_run(struct env *env, int64_t now_us);                // handles what is due; returns when to call next
bool env_save_is_of(const struct env *env, const struct env_conn *c); // a trajectory is being saved for it
bool env_save_cancel(struct env_conn *c, uint64_t call);
void env_save_leave(struct env_conn *c); // its connection ends
