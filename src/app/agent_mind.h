// What decides for an agent: a house bot, or a program that reads requests and writes actions, a line each.
#pragma once

#include "bots/bot.h"
#include "kit/kit.h"
#include "net/loop.h"

struct agent_mind;

// `on_action` gets the answer as JSON, {"type":...}; an empty one when the program has ended. Later, never inside a
// call of ours.
struct agent_mind *agent_mind_open(struct loop *l, const char *program,
                                   void (*on_action)(void *owner, struct span json), void *owner);
void agent_mind_ask(struct agent_mind *m, struct span request); // one line
void agent_mind_close(struct agent_mind *m);

void agent_mind_choose(const struct game_kit *k, const struct bot *bot, struct action_request *t, struct rng *dice,
                       struct text *out); // a house bot's answer
