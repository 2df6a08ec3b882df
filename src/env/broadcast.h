// The standard events that are broadcast to everybody at a shared table (G16.5).
#pragma once

#include "env/model.h"

void env_broadcast_event(struct env_table *t, const struct game_event *e, int parts); // one of the game's own
// `visible`: the types of agents that get it, as bits (ENV_TO_...).
void env_broadcast(struct env_table *t, const char *type, unsigned visible, struct span details);
void env_broadcast_seat(struct env_table *t, int seat, const char *by); // was taken; by NULL: by its holder
