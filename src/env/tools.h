// The tools that agents call.
#pragma once

#include "env/arguments.h"

// Returns true if `r` is the reply; false if the call is pending.
typedef bool env_tool_run(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                          struct env_result *r);
env_tool_run env_register, env_deregister, env_step, env_reset, env_state_hash, env_batch, env_message, env_observe,
    env_configure_streams, env_save_trajectory, env_load_trajectory, env_join, env_act, env_look, env_leave;
