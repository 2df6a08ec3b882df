// Match logs of the Annual Computer Poker Competition from replays of cash matches (N16.6).
#pragma once

#include "base/text.h"
#include "match/replay.h"

struct acpc_counts {
    uint64_t hands;
    uint64_t unfinished; // not written
};

// The finished hands of a replay of texas_holdem, a line each, and the score when the match is over. `key` may be NULL
// when the replay has it. `seat` is who looks: hands that it was not shown are left out; -1: all are there. OK, what
// the replay fails with, or ERR_RULES: stacks differ from hand to hand, or there is an ante, which the format cannot
// tell.
int acpc_export(struct text *out, struct span replay, const uint8_t *key, int seat, struct acpc_counts *counts);
