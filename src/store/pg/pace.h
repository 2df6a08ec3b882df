// How often a node begins a batch (S11).
//
// A batch costs the server about the same whatever is in it, and starts and ends of a batch share their statements. So
// above a certain rate of all nodes, which a node estimates from its own, it waits until a batch is worth sending: at
// most as many times longer as there are nodes, and at most twice as long when it is alone.
#pragma once

#include <stdint.h>

enum {
    PACE_BUSY = 2000, // puts a second of all nodes
    PACE_WORTHY = 64, // puts that make a batch worth sending
    PACE_ALONE = 2,   // a lone node waits at most that many times longer
    PACE_NODES = 8,   // likewise, of several nodes
};

// `usual_us`: below PACE_BUSY; `nodes`: 0 and 1 for a node that is alone; `rate`: puts a second of this node.
static inline int64_t pace_choose_us(int64_t usual_us, int nodes, uint32_t rate)
{
    int times = nodes < PACE_ALONE ? PACE_ALONE : nodes < PACE_NODES ? nodes : PACE_NODES;
    int64_t most_us = usual_us * times;
    if ((uint64_t)rate * (unsigned)(nodes > 1 ? nodes : 1) < PACE_BUSY)
        return usual_us;
    int64_t wanted_us = (int64_t)PACE_WORTHY * 1000000 / rate;
    return wanted_us < usual_us ? usual_us : wanted_us < most_us ? wanted_us : most_us;
}
