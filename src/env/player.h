// Players: agents whose answers are text (M52-M61).
#pragma once

#include "env/model.h"
#include "env/step_result.h"

void env_player_add_event(struct env_agent *a, const struct game_event *e, int count); // with the parts that it may see
void env_player_write(struct text *t, struct env_agent *a, enum env_step_purpose purpose, double reward);
void env_player_refuse(struct env *env, const struct env_agent *a, const char *why); // into env->message (M57)
void env_player_release(struct env_agent *a);
