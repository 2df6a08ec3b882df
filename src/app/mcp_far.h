// An agent of Game-RL whose match is played at another node (S43): its host's frames say that something has happened,
// and the log in the store says what. Frames leave the host when what they tell is durable, so the log has it.
#pragma once

#include "env/arena.h"
#include "front/arena/relay.h"
#include "net/loop.h"

struct mcp_far;

struct mcp_far_owner {
    struct loop *loop;
    struct relay *relay;
    struct lobby *lobby;
    // Whether this match is the one that the agent is here for.
    bool (*is_own)(void *client, const struct store_match *m, struct uuid session);
    void (*tell)(void *client, const struct env_arena_update *n, const struct uuid *request); // request: of a question
    void (*on_gone)(void *client, enum lobby_gone why);
};

// `o` outlives it. NULL: no memory.
struct mcp_far *mcp_far_open(const struct mcp_far_owner *o, struct lobby_agent *a, const struct store_arrival *arrival,
                             void *client);
void mcp_far_flush(struct mcp_far *f); // at the end of a turn
// To the newest question; false: nobody is known to have the match.
bool mcp_far_answer(struct mcp_far *f, struct uuid request, struct game_action a);
// A match is over that its host has stored and not told, because it is gone.
void mcp_far_end(struct mcp_far *f, struct uuid session);
void mcp_far_close(struct mcp_far *f); // nothing is reported any more
