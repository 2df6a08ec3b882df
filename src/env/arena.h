// The arena behind config.queue (G1.9), as Game-RL sees it: functions that the owner of an arena fills in, and what it
// says back. A place is an agent's side of it, a player the arena's.
#pragma once

#include "base/span.h"
#include "game/game.h"

struct env_place;
struct env_player;

enum { ENV_ARENA_SAY = 160 };

struct env_arena_wish {
    struct span game, mode; // mode empty: the usual one
    struct span api_key;    // empty: a guest
    struct span entropy;    // for the deal, as hex; empty: none
};

struct env_arena {
    void *owner;
    // Who plays for this place from now on; it is told of nothing before this has returned. NULL: refused, nothing has
    // changed, `why` gets why and `path` which member of the arguments is at fault.
    struct env_player *(*join)(void *owner, struct env_place *place, const struct env_arena_wish *w, const char **path,
                               char why[ENV_ARENA_SAY]);
    void (*leave)(struct env_player *p); // a seat keeps its clock (F4.11); nothing is told any more
    bool (*answer)(struct env_player *p, struct game_action a);         // to the newest question; false: it is closed
    void (*read_rules)(void *owner, const struct game *g, void *rules); // of its tables
};

// What became of a player. It is told when it lasts (F8.1), and from outside of all calls of Game-RL's.
struct env_arena_news {
    struct span log;    // of its match (match/replay.h), longer every time; empty: there is no match to tell of
    const uint8_t *key; // of the match
    int seat;
    bool asked; // a new question, until
    int64_t timeout_ms;
    bool over;        // the match is, whatever the log says
    const char *left; // the queue or the seat is lost: why; NULL: it is not
};

void env_place_notify(struct env_place *p, const struct env_arena_news *n, int64_t now_us);
