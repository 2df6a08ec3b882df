// The arena behind config.queue (G1.9), as seen by Game-RL: functions implemented by the owner of an arena, and its
// messages. A seat is the side of the agent, a player the side of the arena.
#pragma once

#include "base/span.h"
#include "game/game.h"

struct env_arena_seat;
struct env_arena_player;

enum { ENV_ARENA_ERROR_ROOM = 160 };

struct env_arena_request {
    struct span game, mode; // mode empty: the default
    struct span api_key;    // empty: a guest
    struct span entropy;    // for the deal, as hex; empty: none
};

struct env_arena {
    void *owner;
    // Returns the player for this seat; it gets no update before this has returned. NULL: refused; nothing has
    // changed, and `why` and `path` are set to the reason and the invalid argument.
    struct env_arena_player *(*join)(void *owner, struct env_arena_seat *seat, const struct env_arena_request *w,
                                     const char **path, char why[ENV_ARENA_ERROR_ROOM]);
    void (*leave)(struct env_arena_player *p); // a seat's clock keeps running (F4.11); nothing is reported any more
    bool (*answer)(struct env_arena_player *p, struct game_action a);   // to the newest question; false: it is closed
    void (*read_rules)(void *owner, const struct game *g, void *rules); // of its tables
};

// News about a player. Reported when it is durable (F8.1), and never inside a call of Game-RL.
struct env_arena_update {
    struct span log;    // of its match (match/replay.h), longer every time; empty: no match
    const uint8_t *key; // of the match
    int seat;
    bool asked; // there is a new question, until
    int64_t timeout_ms;
    bool over;        // the match is over, whatever the log says
    const char *left; // why the queue or the seat was lost; NULL: it was not
};

void env_arena_notify(struct env_arena_seat *p, const struct env_arena_update *n, int64_t now_us);
