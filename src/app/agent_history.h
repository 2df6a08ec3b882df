// What an agent notes of its own matches, for `agon verify history` (S90): a file of JSON lines, one for each thing
// that it was told or said, written before anything is done about it.
#pragma once

#include "base/span.h"

#include <stdbool.h>

struct agent_history;
// FOLDER/agent-NUMBER.jsonl, from its end on. NULL: it cannot be written, errno says why.
struct agent_history *agent_history_open(const char *folder, int number);
void agent_history_close(struct agent_history *h);

// All of these do nothing for NULL. `session` is the match's handle as the server names it.
void agent_history_start(struct agent_history *h, struct span session);
void agent_history_told(struct agent_history *h, struct span session, struct span events); // a JSON array; may be empty
void agent_history_asked(struct agent_history *h, struct span session, const char *request);
void agent_history_answered(struct agent_history *h, struct span session, const char *request, struct span action);
void agent_history_over(struct agent_history *h, struct span session, struct span match);
