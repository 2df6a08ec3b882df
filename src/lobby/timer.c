#include "lobby/internal.h"

static bool comes_before(const struct timer *a, const struct timer *b)
{
    return a->at_ms < b->at_ms || (a->at_ms == b->at_ms && a->at_order < b->at_order);
}

static void put_at(struct timers *h, uint32_t place, struct timer *t)
{
    h->at[place] = t;
    t->place = place;
}

static void sift_timer(struct timers *h, struct timer *t, uint32_t place)
{
    for (; place > 1 && comes_before(t, h->at[place / 2]); place /= 2)
        put_at(h, place, h->at[place / 2]);
    for (uint32_t child; (child = 2 * place) <= h->count; place = child) {
        child += child < h->count && comes_before(h->at[child + 1], h->at[child]);
        if (!comes_before(h->at[child], t))
            break;
        put_at(h, place, h->at[child]);
    }
    put_at(h, place, t);
}

static void place_timer(struct timers *h, struct timer *t, uint32_t place)
{
    t->at_ms = t->due_ms;
    t->at_order = t->order;
    sift_timer(h, t, place);
}

// A timer moved to a later time keeps its place, so an entry may be too near the top but never too far from it.
// Moves timers down whose time was changed since they were placed, until the top of the heap is really the next one.
static void settle_top(struct timers *h)
{
    while (h->count && h->at[1]->at_order != h->at[1]->order)
        place_timer(h, h->at[1], 1);
}

static void remove_timer(struct timers *h, struct timer *t)
{
    struct timer *last = h->at[h->count--];
    uint32_t place = t->place;
    t->place = 0;
    if (last != t)
        sift_timer(h, last, place);
}

void timer_clear(struct lobby *l, struct timer *t)
{
    if (!t->place)
        return;
    remove_timer(&l->timers, t);
    settle_top(&l->timers);
}

void timer_shift(struct lobby *l, int64_t ms)
{
    // All by the same time, so the heap stays in order.
    for (uint32_t i = 1; i <= l->timers.count; i++) {
        l->timers.at[i]->due_ms += ms;
        l->timers.at[i]->at_ms += ms;
    }
}

void timer_set(struct lobby *l, struct timer *t, int64_t due_ms)
{
    struct timers *h = &l->timers;
    if (due_ms == NEVER) {
        timer_clear(l, t);
        return;
    }
    if (t->place && t->due_ms == due_ms)
        return;
    if (!t->place && h->count + 1 >= h->room) {
        h->room = h->room ? 2 * h->room : 64;
        h->at = lobby_realloc(h->at, h->room * sizeof *h->at);
    }
    t->due_ms = due_ms;
    t->order = h->order++;
    if (!t->place)
        place_timer(h, t, ++h->count);
    else if (due_ms < t->at_ms)
        place_timer(h, t, t->place);
    settle_top(h);
}

bool timer_fire_next(struct lobby *l, int64_t now_ms)
{
    if (!l->timers.count || l->timers.at[1]->due_ms > now_ms)
        return false;
    struct timer *t = l->timers.at[1];
    timer_clear(l, t);
    t->fire(l, t, now_ms);
    return true;
}

int64_t timer_next_due(const struct lobby *l)
{
    return l->timers.count ? l->timers.at[1]->due_ms : NEVER;
}
