// Refused puts that are not settled yet (store_settle in store.h).
#pragma once

#include "store/store.h"

#include <sys/queue.h>

struct refusal {
    TAILQ_ENTRY(refusal) link;
    struct store_refusal refusal;
    store_ticket instead; // 0: not settled
    bool taken, ends;     // ends: it was the end of a match
    int seats;
    struct uuid agent[STORE_SEATS];
};

TAILQ_HEAD(refusals, refusal); // ordered by ticket

struct refusal *refusals_add(struct refusals *all, struct store_refusal refusal);
// Limits what may be reported as durable.
store_ticket refusals_limit_durable(struct refusals *all, store_ticket durable);
bool refusals_take(struct refusals *all, store_ticket durable, struct store_refusal *out);
void refusals_settle(struct refusals *all, store_ticket refused, store_ticket instead);
void refusals_release(struct refusals *all);
