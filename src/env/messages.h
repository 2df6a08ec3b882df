// Messages and speech between agents (G16.1-G16.3, G23.6).
#pragma once

#include "env/model.h"

bool env_may_talk(struct env *env, struct env_agent *a, bool to_all, struct env_result *r); // G16.3
void env_speak(struct env_agent *a, const char *type, const char *key, struct span text, struct span to);
bool env_is_addressed(const struct env_agent *a, struct json_string to); // by id, seat or *
