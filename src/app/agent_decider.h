// Who decides for agents in a remote arena: a house bot, or a program or language model at a seat (seats/seat.h), as in
// a local match. The arena's messages are translated into neutral JSON and into words for them.
#pragma once

#include "app/agent_memory.h"
#include "bots/bot.h"
#include "kit/kit.h"
#include "llm/models.h"
#include "net/loop.h"

struct agent_deciders; // for all agents of a run
struct agent_decider;  // for one agent

// `address` is cmd:PROGRAM or llm:MODEL@URL. An invalid one ends the program with status 2. A permanent error of a
// model, or a limit, stops the loop and is reported.
struct agent_deciders *agent_deciders_open(struct loop *l, const char *address, const struct game_kit *game, int agents,
                                           const struct llm_options *o);
// Returns an exit status: 2 after a permanent error of a model. All deciders must be closed; runs the loop until
// programs have ended.
int agent_deciders_close(struct agent_deciders *m);

// The reply to the last question. Exactly one of the two is called, later, never inside a call of the owner.
struct agent_decider_handler {
    void (*on_action)(void *owner, struct span json,
                      const char *fault);          // fault: why the move is the fallback; NULL: it is not
    void (*on_gone)(void *owner, const char *why); // the program has ended
};

struct agent_decider *agent_decider_open(struct agent_deciders *m, const struct agent_decider_handler *handler,
                                         void *owner);
void agent_decider_start(struct agent_decider *m, struct span data); // the data of game_start
// `data` is that of the request `t`. Cancels an earlier question.
void agent_decider_ask(struct agent_decider *m, const struct action_request *t, struct span data);
void agent_decider_end(struct agent_decider *m); // the match is over
void agent_decider_close(struct agent_decider *m);

// A house bot's move; `memory` must have taken the request.
void agent_decider_choose(const struct game_kit *k, const struct bot *bot, const struct agent_memory *memory,
                          struct action_request *t, struct rng *dice, struct text *out);
