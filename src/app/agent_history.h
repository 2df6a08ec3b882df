// Records of an agent's own matches, for `agon verify history` (S90): a file of JSON lines, one for each message
// received or sent, written before anything else is done with it.
#pragma once

#include "base/span.h"

#include <stdbool.h>

struct agent_history;
// Appends to FOLDER/agent-NUMBER.jsonl. Returns NULL with errno set if it cannot be written.
struct agent_history *agent_history_open(const char *folder, int number);
void agent_history_close(struct agent_history *h);

// All of these accept NULL and do nothing. `session` is the server's name of the match.
void agent_history_connected(struct agent_history *h); // later messages belong to a new connection
void agent_history_start(struct agent_history *h, struct span session);
void agent_history_events(struct agent_history *h, struct span session,
                          struct span events); // a JSON array; may be empty
void agent_history_asked(struct agent_history *h, struct span session, const char *request);
void agent_history_answered(struct agent_history *h, struct span session, const char *request, struct span action);
void agent_history_over(struct agent_history *h, struct span session, struct span match);
