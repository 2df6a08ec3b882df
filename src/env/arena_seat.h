// A seat of the arena behind an agent (G1.9).
#pragma once

#include "env/model.h"

// The table of an agent that wants a queue, or of a connection that has one already: then of the same agent only.
bool rl_arena_sit(struct rl_conn *c, const char *id, struct span queue, struct rl_table **table, struct rl_result *r);
bool rl_arena_join(struct rl_conn *c, struct span config, struct rl_result *r); // last of all checks
void rl_arena_seat(struct rl_agent *a);
void rl_arena_leave(struct rl_group *g);
bool rl_arena_answer(struct rl_group *g, struct game_action a); // false: too late
bool rl_arena_is_owed(const struct rl_group *g);                // an answer that has not taken effect
int64_t rl_arena_left_us(const struct rl_group *g);             // of the question's time
