// The tools that agents call.
#pragma once

#include "env/model.h"

// True: `r` is the answer; false: parked.
typedef bool rl_tool_run(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r);
rl_tool_run rl_register, rl_deregister, rl_step, rl_reset, rl_state_hash, rl_batch, rl_message, rl_observe,
    rl_configure_streams, rl_save_trajectory, rl_load_trajectory;
