// What decides for agents in somebody's arena: a house bot, or a program or a language model, which sit at seats of
// ours (seats/seat.h) as in a match. The arena's messages are put into the neutral form and into words for them.
#pragma once

#include "app/agent_memory.h"
#include "bots/bot.h"
#include "kit/kit.h"
#include "llm/models.h"
#include "net/loop.h"

struct agent_minds; // of all agents of a run
struct agent_mind;  // of one

// `address` is cmd:PROGRAM or llm:MODEL@URL. What makes no sense ends the program with status 2; an error of a model
// that will never heal, or a limit, stops the loop, and is told.
struct agent_minds *agent_minds_open(struct loop *l, const char *address, const struct game_kit *game, int agents,
                                     const struct llm_options *o);
// An exit status: 2 after a final error of a model. Minds are closed before; runs the loop until programs have ended.
int agent_minds_close(struct agent_minds *m);

// An answer to the last question. Exactly one of both comes, later, never inside a call of ours.
struct agent_mind_handler {
    void (*on_action)(void *owner, struct span json,
                      const char *fault);          // fault: why it is the fallback; NULL: it is not
    void (*on_gone)(void *owner, const char *why); // the program has ended
};

struct agent_mind *agent_mind_open(struct agent_minds *m, const struct agent_mind_handler *handler, void *owner);
void agent_mind_start(struct agent_mind *m, struct span data); // the data of game_start
// `data` is that of the request `t`. An older question is not awaited any more.
void agent_mind_ask(struct agent_mind *m, const struct action_request *t, struct span data);
void agent_mind_end(struct agent_mind *m); // the match is over
void agent_mind_close(struct agent_mind *m);

// A house bot's answer; `memory` has heard the request.
void agent_mind_choose(const struct game_kit *k, const struct bot *bot, const struct agent_memory *memory,
                       struct action_request *t, struct rng *dice, struct text *out);
