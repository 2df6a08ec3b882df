// The deals of a match so far, as listed in a MatchState.
#pragma once

#include "botwire/wire.h"

enum { DEALBOOK_DEALS = 4096 }; // of a longer match the oldest are left out

struct dealbook_deals {
    uint32_t count;
    struct belote_deal at[DEALBOOK_DEALS];
};

static inline void dealbook_deals_add(struct dealbook_deals *d, const struct belote_deal *deal,
                                      struct wire_match *after)
{
    if (d->count == DEALBOOK_DEALS)
        memmove(d->at, d->at + 1, --d->count * sizeof *d->at);
    d->at[d->count++] = *deal;
    after->deals = d->at;
    after->count = d->count;
}
