// Rematches (F3.22): a friendly table of all players of a finished match. It begins when all have asked for it; house
// players always agree.
//
// Offers are kept in memory only and last a minute. No timer is needed.
#pragma once

#include "lobby/lobby.h"

enum {
    REMATCH_OFFER_MS = 60000, // from the first request to the last
    REMATCH_OPEN_MS = 600000, // from the end of the match to the first request
    REMATCH_MOST = 1024,      // most offers at once
    REMATCH_ERROR_ROOM = 256,
};

struct rematches;

enum rematch_status { REMATCH_OPEN, REMATCH_WAITING, REMATCH_IN_MATCH };
extern const char *const rematch_status_names[];

struct rematch {
    enum rematch_status status;
    int asked, of;       // players; house players are included
    int64_t expires_ms;  // while it is REMATCH_WAITING
    struct uuid session; // the caller's session in the new match; zero: it does not play there
};

struct rematches *rematches_open(struct lobby *l);
void rematches_close(struct rematches *r);

// `m` is a stored match in which the agent has this seat. Returns an HTTP status: 200 and sets `out`, or 409, 410, 429
// or 503 and sets `why`. If a player that asked cannot be seated now (offline, playing), the result is 409 and the
// offer stays.
int rematch_ask(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                char why[REMATCH_ERROR_ROOM]);
int rematch_read(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                 char why[REMATCH_ERROR_ROOM]);
int rematch_withdraw(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                     char why[REMATCH_ERROR_ROOM]);
