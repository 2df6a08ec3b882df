// Match logs of the Annual Computer Poker Competition from replays of cash matches (N16.6).
#pragma once

#include "base/text.h"
#include "match/replay.h"

struct acpc_counts {
    uint64_t hands;
    uint64_t unfinished; // not written
};

// Writes the finished hands of a replay of texas_holdem, one line each, and the score if the match is over. `key` may
// be NULL if the replay has it. `seat` is the viewer: hands that it was not shown are left out; -1: all are included.
// Returns OK, the error of the replay, or ERR_RULES if stacks differ between hands or there is an ante, which the
// format cannot express.
int acpc_export(struct text *out, struct span replay, const uint8_t *key, int seat, struct acpc_counts *counts);
