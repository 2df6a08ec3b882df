#include "store/refusals.h"

#include <stdlib.h>

struct refusal *refusals_add(struct refusals *all, struct store_refusal told)
{
    struct refusal *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->told = told;
    TAILQ_INSERT_TAIL(all, r, link);
    return r;
}

store_ticket refusals_hold(struct refusals *all, store_ticket durable)
{
    for (struct refusal *r; (r = TAILQ_FIRST(all)) && r->told.ticket <= durable;) {
        if (!r->instead || r->instead > durable)
            return r->told.ticket - 1;
        TAILQ_REMOVE(all, r, link);
        free(r);
    }
    return durable;
}

bool refusals_take(struct refusals *all, store_ticket durable, struct store_refusal *out)
{
    struct refusal *r = TAILQ_FIRST(all);
    if (!r || r->taken || r->told.ticket > durable)
        return false;
    r->taken = true;
    *out = r->told;
    return true;
}

void refusals_settle(struct refusals *all, store_ticket refused, store_ticket instead)
{
    struct refusal *r;
    TAILQ_FOREACH(r, all, link)
        if (r->told.ticket == refused)
            r->instead = instead;
}

void refusals_release(struct refusals *all)
{
    for (struct refusal *r; (r = TAILQ_FIRST(all));) {
        TAILQ_REMOVE(all, r, link);
        free(r);
    }
}
