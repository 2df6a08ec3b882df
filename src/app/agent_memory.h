// The memory of a house bot that plays in a remote arena: its mind, fed by the events in the messages. Events come with
// questions, many steps at once and without the views between them. So a bot whose memory needs these views remembers
// less than at a local table (N1.7). No bot does at present.
#pragma once

#include "bots/bot.h"
#include "kit/kit.h"

struct agent_memory;

// Returns NULL if this bot has no memory; then every function below does nothing.
struct agent_memory *agent_memory_open(const struct game_kit *game, const struct bot *bot);
void agent_memory_close(struct agent_memory *m);
void agent_memory_start(struct agent_memory *m, struct span data); // the data of game_start
// Takes the data of the request `t`: what happened since the last one. A new match starts with an empty memory.
void agent_memory_update(struct agent_memory *m, const struct action_request *t, struct span data);
const void *agent_memory_mind(const struct agent_memory *m); // valid after the first question of a match

// The rules of a table, as far as the arena publishes them: the game's arena rules, changed by options in the config
// (F6.4) in the data of game_start, which may be empty.
void agent_read_rules(const struct game_kit *game, struct span data, union game_rules *rules);
