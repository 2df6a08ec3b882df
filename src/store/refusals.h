// Puts that were refused, until each is settled by another one (store.h).
#pragma once

#include "store/store.h"

#include <sys/queue.h>

struct refusal {
    TAILQ_ENTRY(refusal) link;
    struct store_refusal told;
    store_ticket instead; // 0: not settled
    bool taken, ends;     // ends: a finish
    int seats;
    struct uuid agent[STORE_SEATS];
};

TAILQ_HEAD(refusals, refusal); // by ticket

struct refusal *refusals_add(struct refusals *all, struct store_refusal told);
store_ticket refusals_hold(struct refusals *all, store_ticket durable); // what may be told as durable of it
bool refusals_take(struct refusals *all, store_ticket durable, struct store_refusal *out);
void refusals_settle(struct refusals *all, store_ticket refused, store_ticket instead);
void refusals_release(struct refusals *all);
