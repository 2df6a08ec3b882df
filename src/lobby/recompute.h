// All ratings anew, from the logs: every finished match is played again, in order of finishing.
#pragma once

#include "lobby/lobby.h"

struct recompute_result {
    uint64_t matches, rated;
    uint64_t damaged; // do not reproduce: what was recorded counts
    uint64_t ratings; // rows set
    bool kept;        // false: the store stopped answering, or failed; then nothing more may be put
};

// One transaction: it is done, or nothing has changed. Nobody plays meanwhile. What replays do not tell stays: which
// matches were rated, and how long decisions took. Repeated meetings count less where the lobby's options say so
// (F7.9).
void recompute_ratings(struct lobby *l, struct recompute_result *out);
