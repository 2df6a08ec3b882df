// The actions of each type of agent: definitions, parsing, and the actions of systemic agents.
#pragma once

#include "env/action_input.h"

extern const struct env_initial env_common_initial[]; // of every game
int env_facts_key_count(const struct env_facts *k);

void env_numbers_init(struct env *env);
void env_numbers_release(struct env *env);

// The actions of a type in a game: row i, or NULL after the last.
const struct env_action *env_action_at(const struct env_facts *k, enum env_type type, int i);
int env_action_find(const struct env_facts *k, enum env_type type, const char *name);    // -1: none
bool env_is_denied(enum env_type type, const char *name);                                // G11.2
bool env_is_of_scope(const char *name, enum env_scope scope, const struct env_facts *k); // G11.3: not of the other one

// Returns false if refused. The parameters are stored in env->merged, which must have room for them.
bool env_action_read(struct env *env, struct env_agent *a, struct span action, struct env_command *out,
                     struct env_result *r);
bool env_action_read_input(struct env *env, struct env_agent *a, const struct env_action_input *input,
                           struct env_command *out, struct env_result *r);
// "010..": returns its length; the table must have an episode.
int env_flat_mask(const struct env_agent *a, int seat, char *mask);
void env_write_available(struct text *t, const struct env_agent *a,
                         int seat); // of an agent's own seat, or of its team's
// Describes in words what an asked seat may do; false: it is not asked (M55).
bool env_write_moves(struct text *t, const struct env_agent *a, const char *between);
bool env_is_asked(const struct env_table *t, int seat);
bool env_refuse_action(struct env *env, const struct env_agent *a, struct span action, const char *reason,
                       const char *why,
                       struct env_result *r); // -32001; always false

bool env_command_check(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r);
void env_command_do(struct env_agent *a, const struct env_command *d);
