// A seat of the arena behind an agent (G1.9).
#pragma once

#include "env/model.h"

// The table of an agent that asks for a queue, or of a connection that has one already: then only for the same agent.
bool env_arena_choose_table(struct env_conn *c, const char *id, struct span queue, struct env_table **table,
                            struct env_result *r);
bool env_arena_join(struct env_conn *c, struct span config, struct env_result *r); // the last of all checks
void env_arena_set_agent(struct env_agent *a);
void env_arena_leave(struct env_group *g);
bool env_arena_answer(struct env_group *g, struct game_action a); // false: too late
bool env_arena_is_unconfirmed(const struct env_group *g);         // an answer has not taken effect yet
int64_t env_arena_time_left_us(const struct env_group *g);        // time left for the question
