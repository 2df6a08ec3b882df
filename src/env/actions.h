// The actions of each type of agent: what they are, how they are read, and what systemic agents do.
#pragma once

#include "env/model.h"

extern const struct rl_initial rl_common_initial[]; // of every game
int rl_kit_key_count(const struct rl_kit *k);

// The actions a type has in a game, one after the other: row i, or NULL behind the last.
const struct rl_action *rl_action_at(const struct rl_kit *k, enum rl_type type, int i);
int rl_action_find(const struct rl_kit *k, enum rl_type type, const char *name);    // -1: none
bool rl_is_denied(enum rl_type type, const char *name);                             // G11.2
bool rl_is_of_scope(const char *name, enum rl_scope scope, const struct rl_kit *k); // G11.3: not of the other one

bool rl_action_read(struct rl *rl, struct rl_agent *a, struct span action, struct rl_deed *out, struct rl_result *r);
int rl_flat_mask(const struct rl_agent *a, int seat, char *mask); // "010..": its length; the table has an episode
void rl_write_available(struct text *t, const struct rl_agent *a, int seat); // of an agent's own seat, or of its team's
bool rl_is_asked(const struct rl_table *t, int seat);
bool rl_refuse_action(struct rl *rl, const struct rl_agent *a, struct span action, const char *reason, const char *say,
                      struct rl_result *r); // -32001; always false

bool rl_deed_check(struct rl *rl, struct rl_agent *a, struct rl_deed *d, struct rl_result *r);
void rl_deed_do(struct rl_agent *a, const struct rl_deed *d);
