// Broadcasts to everybody at a table (G16.5), and messages between agents.
#pragma once

#include "env/model.h"

void rl_broadcast_event(struct rl_table *t, const struct game_event *e, int parts); // of the game's own
void rl_broadcast(struct rl_table *t, const char *type, unsigned visible, struct span details);
void rl_broadcast_seat(struct rl_table *t, int seat, const char *by); // has been taken; by NULL: by its holder

bool rl_may_talk(struct rl *rl, struct rl_agent *a, bool to_all, struct rl_result *r); // G16.3
void rl_speak(struct rl_agent *a, const char *type, const char *key, struct span text, struct span to);
bool rl_is_addressed(const struct rl_agent *a, struct json_string to); // by id, seat or *
