// A match of a Game-RL agent that another node plays (S43). The frames of that node, the match's host, only announce
// that something has happened; the details are read from the log in the store. The host sends a frame after the events
// that it announces are durable, so the log has them.
#pragma once

#include "env/arena.h"
#include "front/arena/relay.h"
#include "net/loop.h"

struct mcp_remote_match;

struct mcp_remote_match_owner {
    struct loop *loop;
    struct relay *relay;
    struct lobby *lobby;
    // Whether this match is the one that the agent is here for.
    bool (*is_own)(void *client, const struct store_match *m, struct uuid session);
    void (*on_news)(void *client, const struct env_arena_update *n,
                    const struct uuid *request); // request: of a question
    void (*on_gone)(void *client, enum lobby_gone why);
};

// `o` outlives it. NULL: no memory.
struct mcp_remote_match *mcp_remote_match_open(const struct mcp_remote_match_owner *o, struct lobby_agent *a,
                                               const struct store_arrival *arrival, void *client);
void mcp_remote_match_flush(struct mcp_remote_match *remote); // at the end of a turn
// Answers the newest question. Returns false if the host of the match is unknown.
bool mcp_remote_match_answer(struct mcp_remote_match *remote, struct uuid request, struct game_action a);
// The match is over, but its host ended before it could announce that.
void mcp_remote_match_end(struct mcp_remote_match *remote, struct uuid session);
void mcp_remote_match_close(struct mcp_remote_match *remote); // nothing is reported any more
