// A simple player who looks only at the own cards and the open ones. Used for playouts and by the bots `honest` and
// `novice`.
#pragma once

#include "games/coup/bots/claims.h"

// A fast random generator: playouts draw often and need no unpredictable numbers.
struct quick {
    uint64_t state;
};

static inline uint32_t quick_u32(struct quick *q)
{
    q->state += 0x9e3779b97f4a7c15u;
    uint64_t z = (q->state ^ q->state >> 30) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)((z ^ z >> 27) * 0x94d049bb133111ebu >> 32);
}

static inline float quick_unit(struct quick *q) // 0 or more, below 1
{
    return (float)(quick_u32(q) >> 8) * (1.0f / (1u << 24));
}

struct habits {
    float bluff; // 0: claims what is held; 1: as people do
    float doubt; // how readily claims are challenged; 1: as people do
    bool sharp;  // challenges what is more likely a lie, always, and nothing else
    // Above 0: remembers, and challenges claims that are less likely true, by all that the seat has claimed.
    float trust;
    const struct claims *recall; // where trust is above 0
};

// Players who rob each other, or pay for assassinations that are blocked, may go on for ever. A game of this length is
// several times as long as others: then a player saves for a coup, which cannot be blocked.
static inline bool habits_lead_nowhere(uint32_t turns, int seats)
{
    return turns >= 30u * (unsigned)seats;
}

// What the seat does, which is asked. It knows its own cards and those that are up, whatever the state holds.
struct game_action habits_choose(const struct coup_state *s, int seat, struct habits h, struct quick *dice);
