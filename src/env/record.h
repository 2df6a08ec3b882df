// Records of a trajectory as they happen (G19.3, G19.4).
#pragma once

#include "env/new_episode.h"

void env_record_reset(struct env_table *t, const struct env_reset_request *request);
void env_record_step(struct env_table *t, struct env_item **items, int count, uint32_t ticks, enum env_sync sync);
void env_record_message(struct env_agent *from, struct span to, struct span channel, struct span content, uint64_t id);
void env_record_agent(struct env_agent *a, bool comes);
void env_record_streams(struct env_agent *a);
void env_record_agent_reset(struct env_agent *a, const struct env_reset_request *request); // of this agent only
// A replay has left the table: the recorded agents (of `shadow`) leave, and those of the table come, if they differ.
void env_record_agents_after_replay(struct env_table *t, const struct env_group *shadow);
void env_record_again(struct env_table *t, enum traj_kind kind, struct span json); // as it was replayed from a file
