// A language model that decides for agents in an arena. It sees what a request tells: the situation and what is legal;
// what happened before is not in it.
#pragma once

#include "kit/kit.h"
#include "net/loop.h"

struct agent_model;
struct agent_talk;

// `address` is llm:MODEL@URL. What makes no sense ends the program with status 2; an error that will never heal stops
// the loop, and is told.
struct agent_model *agent_model_open(struct loop *l, const char *address, const struct game_kit *game);
void agent_model_close(struct agent_model *m);
bool agent_model_has_failed(const struct agent_model *m);

// One agent's. `on_action` gets the answer as JSON, later, never inside a call of ours.
struct agent_talk *agent_talk_open(struct agent_model *m, void (*on_action)(void *owner, struct span json),
                                   void *owner);
void agent_talk_ask(struct agent_talk *k, const struct action_request *t);
void agent_talk_close(struct agent_talk *k);
