// Agents of Game-RL in the arena's queues (G1.9): implements the arena of front/mcp with the lobby.
//
// Messages of the lobby are formatted at once and reach the agent when they are durable (F8.1).
#pragma once

#include "env/arena.h"
#include "lobby/lobby.h"
#include "net/loop.h"

struct mcp_queue;
struct relay;

struct mcp_queue *mcp_queue_open(struct loop *l, struct lobby *lobby, int64_t (*now_ms)(void)); // NULL without memory
void mcp_queue_join_nodes(struct mcp_queue *q, struct relay *r); // its agents may play at other nodes (S43)
const struct env_arena *mcp_queue_arena(const struct mcp_queue *q);
void mcp_queue_release(struct mcp_queue *q, store_ticket durable);
void mcp_queue_flush(struct mcp_queue *q); // at the end of a turn: delivers what need not wait
void mcp_queue_close(struct mcp_queue *q); // after all its players have left
