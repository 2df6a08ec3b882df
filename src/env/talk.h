// Broadcasts to everybody at a table (G16.5), and messages between agents.
#pragma once

#include "env/model.h"

void env_broadcast_event(struct env_table *t, const struct game_event *e, int parts); // of the game's own events
void env_broadcast(struct env_table *t, const char *type, unsigned visible, struct span details);
void env_broadcast_seat(struct env_table *t, int seat, const char *by); // was taken; by NULL: by its holder

bool env_may_talk(struct env *env, struct env_agent *a, bool to_all, struct env_result *r); // G16.3
void env_speak(struct env_agent *a, const char *type, const char *key, struct span text, struct span to);
bool env_is_addressed(const struct env_agent *a, struct json_string to); // by id, seat or *
