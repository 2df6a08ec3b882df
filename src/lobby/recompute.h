// Recomputes all ratings from the logs: every finished match is replayed, in order of finishing.
#pragma once

#include "lobby/lobby.h"

struct recompute_result {
    uint64_t matches, rated;
    uint64_t damaged; // replays with another result: the recorded result counts
    uint64_t ratings; // rows written
    bool kept;        // false: the store failed or stopped answering; then nothing more may be put
};

// Writes in one transaction: all or nothing. No match may be running. What replays do not tell stays: which matches
// were rated, and decision times. Repeated meetings count less if the lobby's options say so (F7.9).
void recompute_ratings(struct lobby *l, struct recompute_result *out);
