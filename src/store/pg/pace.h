// How often a node begins a batch (S11).
//
// A batch costs the server the same whatever is in it, so eight nodes with an eighth of the work each would make it
// work twice as much for the same. From a rate on, of all nodes as far as one can tell from its own, a node waits until
// a batch is worth it: at most so many times longer as there are nodes. Starts and ends of a batch share their
// statements, so larger batches save more than the commit.
#pragma once

#include <stdint.h>

enum {
    PACE_BUSY = 2000, // puts a second of all nodes
    PACE_WORTHY = 64, // puts of a batch
    PACE_NODES = 8,   // at most that many times
};

// `usual_us`: of a node that is alone; `rate`: puts a second of this node.
static inline int64_t pace_choose_us(int64_t usual_us, int nodes, uint32_t rate)
{
    int64_t most_us = usual_us * (nodes < PACE_NODES ? nodes : PACE_NODES);
    if (nodes < 2 || (uint64_t)rate * (unsigned)nodes < PACE_BUSY)
        return usual_us;
    int64_t wanted_us = (int64_t)PACE_WORTHY * 1000000 / rate;
    return wanted_us < usual_us ? usual_us : wanted_us < most_us ? wanted_us : most_us;
}
