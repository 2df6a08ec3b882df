// Resets: who may end the episode of a table, and how one agent begins again (G14.2, G14.5).
#pragma once

#include "env/new_episode.h"

bool env_may_reset(struct env_conn *c, const struct env_table *t, struct env_result *r); // G14.2
bool env_restart_agent(struct env_agent *a, const struct env_reset_request *request);    // false: no place to return to
