// The same players once more (F3.22). A rematch is a friendly table of everybody who sat at a finished match; it begins
// when all have asked for it. House players always agree.
//
// Offers are kept in memory only: they last a minute. Nothing has to be called when time passes.
#pragma once

#include "lobby/lobby.h"

enum {
    REMATCH_OFFER_MS = 60000, // from the first who asks to the last
    REMATCH_OPEN_MS = 600000, // from the end of the match to the first who asks
    REMATCH_MOST = 1024,      // offers at once
    REMATCH_SAY = 256,
};

struct rematches;

enum rematch_status { REMATCH_OPEN, REMATCH_WAITING, REMATCH_IN_MATCH };
extern const char *const rematch_status_names[];

struct rematch {
    enum rematch_status status;
    int asked, of;       // players, those of the house included
    int64_t expires_ms;  // while it waits
    struct uuid session; // of the caller in the new match; none: it does not play there
};

struct rematches *rematches_open(struct lobby *l);
void rematches_close(struct rematches *r);

// `m` is a match of the store in which the agent has this seat. A status of HTTP: 200 and `out`, or 409, 410, 429 or
// 503 and `why`. A player who has asked and cannot be seated (offline, playing) makes it 409, and the offer stands.
int rematch_ask(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                char why[REMATCH_SAY]);
int rematch_look(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                 char why[REMATCH_SAY]);
int rematch_withdraw(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                     char why[REMATCH_SAY]);
