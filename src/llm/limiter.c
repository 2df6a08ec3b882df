// How many requests a model's server gets at once: half as many after "too many", one more after twenty good answers
// (L101).
#include "llm/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { GOOD_ENOUGH = 20 }; // L101: halved at once, raised slowly, so that a limit is met seldom

static void start_waiters(struct limiter *l)
{
    int64_t left = l->paused_us - loop_now_us();
    if (left > 0 && !TAILQ_EMPTY(&l->waiting)) {
        event_add(l->timer, &(struct timeval){left / 1000000, left % 1000000 + 1});
        return;
    }
    for (struct waiter *w; l->active < l->limit && (w = TAILQ_FIRST(&l->waiting));) {
        TAILQ_REMOVE(&l->waiting, w, next);
        w->queued = false;
        l->active++;
        // May ask for a place again or leave; the list is read anew each time.
        w->go(w->owner);
    }
}

static void on_time(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    start_waiters(owner);
}

struct limiter *limiter_find(struct llm_models *m, const char *model, const char *host, int most)
{
    struct limiter *l;
    LIST_FOREACH(l, &m->limiters, next)
        if (strcmp(l->model, model) == 0 && strcmp(l->host, host) == 0) {
            l->limit = l->most = most > l->most ? most : l->most;
            return l;
        }
    if (!(l = calloc(1, sizeof *l)))
        abort();
    snprintf(l->model, sizeof l->model, "%s", model);
    snprintf(l->host, sizeof l->host, "%s", host);
    l->most = l->limit = most;
    TAILQ_INIT(&l->waiting);
    l->timer = evtimer_new(m->loop->base, on_time, l);
    LIST_INSERT_HEAD(&m->limiters, l, next);
    return l;
}

void limiter_close(struct limiter *l)
{
    LIST_REMOVE(l, next);
    event_free(l->timer);
    free(l);
}

// By way of the loop, so that `go` is never called inside this call.
void limiter_wait(struct limiter *l, struct waiter *w)
{
    w->queued = true;
    TAILQ_INSERT_TAIL(&l->waiting, w, next);
    event_active(l->timer, EV_TIMEOUT, 0);
}

void limiter_leave(struct limiter *l, struct waiter *w)
{
    if (w->queued)
        TAILQ_REMOVE(&l->waiting, w, next);
    w->queued = false;
}

void limiter_done(struct limiter *l, bool too_many, int64_t pause_ms)
{
    l->active--;
    l->good = too_many ? 0 : l->good + 1;
    if (too_many && l->limit > 1)
        l->limit /= 2;
    if (l->good >= GOOD_ENOUGH && l->limit < l->most) {
        l->limit++;
        l->good = 0;
    }
    if (pause_ms > 0 && loop_now_us() + pause_ms * 1000 > l->paused_us)
        l->paused_us = loop_now_us() + pause_ms * 1000;
    event_active(l->timer, EV_TIMEOUT, 0);
}
