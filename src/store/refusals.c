#include "store/refusals.h"

#include <stdlib.h>

static struct refusal *find_refusal(struct refusals *all, store_ticket ticket)
{
    struct refusal *r = TAILQ_FIRST(all);
    while (r && r->refusal.ticket != ticket)
        r = TAILQ_NEXT(r, link);
    return r;
}

// The put that replaces a refused one was refused, too. What waits for the first one must go on waiting, so that stays,
// and the second one is not listed.
static void reopen_refusal(struct refusal *first)
{
    first->instead = 0;
    first->taken = false;
}

struct refusal *refusals_add(struct refusals *all, struct store_refusal refusal)
{
    struct refusal *r;
    TAILQ_FOREACH(r, all, link)
        if (r->instead == refusal.ticket && uuid_equals(r->refusal.match, refusal.match)) {
            reopen_refusal(r);
            return r;
        }
    r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->refusal = refusal;
    TAILQ_INSERT_TAIL(all, r, link);
    return r;
}

store_ticket refusals_limit_durable(struct refusals *all, store_ticket durable)
{
    for (struct refusal *r; (r = TAILQ_FIRST(all)) && r->refusal.ticket <= durable;) {
        if (!r->instead || r->instead > durable)
            return r->refusal.ticket - 1;
        TAILQ_REMOVE(all, r, link);
        free(r);
    }
    return durable;
}

bool refusals_take(struct refusals *all, store_ticket durable, struct store_refusal *out)
{
    struct refusal *r = TAILQ_FIRST(all);
    while (r && r->taken)
        r = TAILQ_NEXT(r, link);
    if (!r || r->refusal.ticket > durable)
        return false;
    r->taken = true;
    *out = r->refusal;
    return true;
}

void refusals_settle(struct refusals *all, store_ticket refused, store_ticket instead)
{
    struct refusal *r = find_refusal(all, refused), *again = find_refusal(all, instead);
    if (!r)
        return;
    r->instead = instead;
    if (again && again != r && uuid_equals(again->refusal.match, r->refusal.match)) {
        reopen_refusal(r);
        TAILQ_REMOVE(all, again, link);
        free(again);
    }
}

void refusals_release(struct refusals *all)
{
    for (struct refusal *r; (r = TAILQ_FIRST(all));) {
        TAILQ_REMOVE(all, r, link);
        free(r);
    }
}
