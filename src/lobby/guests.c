// Removes guests that have not played for a long time: their key is in a browser that nobody opens any more.
#include "lobby/identity.h"
#include "lobby/internal.h"

#include "work/work.h"

enum {
    POLL_MS = 60000,
    LOOKED_AT = 32
}; // per minute: a thousand guests take half an hour, and one look takes far less than 1 ms

static bool is_stale(const struct store_guest *g, int64_t now_ms)
{
    int64_t last_ms = g->played_ms > g->created_ms ? g->played_ms : g->created_ms;
    return !g->disabled && last_ms + (int64_t)LOBBY_GUEST_DAYS * LOBBY_DAY_MS < now_ms;
}

// With several nodes, the guest may be connected or playing elsewhere.
static bool is_elsewhere(struct lobby *l, struct uuid id)
{
    bool present = false;
    uint64_t unanswered = store_unanswered(l->store);
    return store_is_shared(l->store) &&
           (store_find_present(l->store, &id, 1, &present) != 0 || store_count_places(l->store, id) != 0 ||
            store_unanswered(l->store) != unanswered);
}

static void remove_if_stale(struct lobby *l, const struct store_guest *g)
{
    char why[IDENTITY_ERROR_ROOM];
    // This read may suspend the job.
    struct lobby_agent *a = is_stale(g, l->now_ms) ? lobby_agent_by_id(l, g->id) : NULL;
    if (!a)
        return;
    lobby_agent_hold(a);
    if (!is_elsewhere(l, g->id) && !is_online(a) && !a->seats && !a->record.disabled && !l->closing)
        identity_remove(l, a, l->now_ms, why);
    lobby_agent_release(a);
}

// Runs in a job, because a remote store may make it wait.
static void remove_stale_guests(void *arg)
{
    struct lobby *l = arg;
    struct store_guest some[LOOKED_AT];
    int count = store_list_guests(l->store, &l->guests_after, some, LOOKED_AT);
    for (int i = 0; i < count && !l->closing; i++)
        remove_if_stale(l, &some[i]);
    if (!count)
        l->guests_after = 0; // starts over with the first guest
    if (!l->closing)
        timer_set(l, &l->guests, l->now_ms + POLL_MS);
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    (void)t;
    if (!store_term(l->store, "sweep")) { // one of several nodes does it
        timer_set(l, &l->guests, now_ms + POLL_MS);
        return;
    }
    work_start(store_may_wait(l->store) ? l->o.work : NULL, remove_stale_guests, l);
}

void guests_open(struct lobby *l, int64_t now_ms)
{
    l->guests.fire = on_time;
    timer_set(l, &l->guests, now_ms + POLL_MS);
}
