// The arena behind config.queue (G1.9), as Game-RL sees it: functions that the owner of an arena fills in, and what it
// says back. A place is an agent's side of it, a player the arena's.
#pragma once

#include "base/span.h"
#include "game/game.h"

struct rl_place;
struct rl_player;

enum { RL_ARENA_SAY = 160 };

struct rl_arena_wish {
    struct span game, mode; // mode empty: the usual one
    struct span api_key;    // empty: a guest
    struct span entropy;    // for the deal, as hex; empty: none
};

struct rl_arena {
    void *owner;
    // Who plays for this place from now on; it is told of nothing before this has returned. NULL: refused, nothing has
    // changed, `say` gets why and `path` which member of the arguments is at fault.
    struct rl_player *(*join)(void *owner, struct rl_place *place, const struct rl_arena_wish *w, const char **path,
                              char say[RL_ARENA_SAY]);
    void (*leave)(struct rl_player *p); // a seat keeps its clock (F4.11); nothing is told any more
    bool (*answer)(struct rl_player *p, struct game_action a);          // to the newest question; false: it is closed
    void (*read_rules)(void *owner, const struct game *g, void *rules); // of its tables
};

// What became of a player. It is told when it lasts (F8.1), and from outside of all calls of Game-RL's.
struct rl_arena_news {
    struct span log;    // of its match (match/replay.h), longer every time; empty: there is no match to tell of
    const uint8_t *key; // of the match
    int seat;
    bool asked; // a new question, until
    int64_t timeout_ms;
    bool over;        // the match is, whatever the log says
    const char *left; // the queue or the seat is lost: why; NULL: it is not
};

void rl_place_tell(struct rl_place *p, const struct rl_arena_news *n, int64_t now_us);
