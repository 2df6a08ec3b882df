// The queue from put to durable. Three buffers: the caller fills `open` without a lock; store_submit moves it to
// `handed`; the writer takes all of `handed` at once. Records are aligned to eight bytes, so both threads use them in
// place.
#include "store/internal.h"
#include "work/work.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void *store_put(struct store *s, enum record_kind kind, size_t size)
{
    size_t all = (sizeof(struct record) + size + 7) & ~(size_t)7;
    assert(all <= s->options.max_waiting);
    if (s->open.size + all > s->options.max_waiting)
        lite_submit(s);
    if (atomic_load(&s->failed))
        s->open.size = 0; // nothing will be durable any more, and nobody takes it
    struct record *r = store_grow(&s->open, all);
    *r = (struct record){(uint32_t)all, kind};
    s->last++;
    return r->body;
}

store_ticket lite_last(const struct store *s)
{
    return s->last;
}

store_ticket lite_durable(const struct store *s)
{
    return s->collected;
}

// Appends `open` to `handed`, or swaps the two buffers if `handed` is empty.
static void hand_over(struct store *s)
{
    if (s->handed.size == 0) {
        struct bytes empty = s->handed;
        s->handed = s->open;
        s->open = empty;
    } else {
        memcpy(store_grow(&s->handed, s->open.size), s->open.at, s->open.size);
        s->open.size = 0;
    }
    s->handed_last = s->last;
}

void lite_submit(struct store *s)
{
    if (s->open.size == 0 || s->away)
        return;
    pthread_mutex_lock(&s->lock);
    while (s->handed.size + s->taken_size + s->open.size > s->options.max_waiting && !atomic_load(&s->failed) &&
           s->handed.size + s->taken_size > 0) {
        s->hurry = s->handed.size > 0; // what the writer has taken is being written anyway
        pthread_cond_signal(&s->wake);
        pthread_cond_wait(&s->moved, &s->lock);
    }
    if (atomic_load(&s->failed)) {
        s->open.size = 0;
    } else {
        hand_over(s);
        if (s->idle) // a writer that waits for its pace wakes up by itself
            pthread_cond_signal(&s->wake);
    }
    pthread_mutex_unlock(&s->lock);
}

int lite_descriptor(const struct store *s)
{
    return s->event;
}

int lite_collect(struct store *s, store_ticket *durable)
{
    uint64_t news;
    while (read(s->event, &news, sizeof news) < 0 && errno == EINTR)
        ;
    bool failed = atomic_load(&s->failed);
    if (s->mock)
        store_collect_mock(s);
    if (!s->away)
        s->collected = s->mock ? store_limit_durable(s, atomic_load(&s->durable)) : atomic_load(&s->durable);
    *durable = s->collected;
    store_catch_up(s);
    return failed ? ERR_STORAGE : OK;
}

void lite_wait(struct store *s)
{
    if (s->mock && work_is_inside(s->options.work))
        store_await_answer(s); // a remote store suspends the job
    lite_submit(s);
    pthread_mutex_lock(&s->lock);
    while (atomic_load(&s->durable) < s->last && !atomic_load(&s->failed) && !s->away) {
        s->hurry = s->handed.size > 0; // what the writer has taken is being written anyway
        pthread_cond_signal(&s->wake);
        pthread_cond_wait(&s->moved, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

void store_fail(struct store *s, const char *what, const char *why)
{
    uint64_t one = 1;
    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->failed))
        snprintf(s->fault, sizeof s->fault, "%s: %s", what, why);
    atomic_store(&s->failed, true);
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    while (write(s->event, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

const char *lite_fault(const struct store *s)
{
    return atomic_load(&s->failed) ? s->fault : "";
}

void store_note_damage(struct store *s, const char *what)
{
    if (!s->damage[0])
        snprintf(s->damage, sizeof s->damage, "%s", what);
    s->damages++;
}

bool lite_is_away(const struct store *s)
{
    return s->away;
}

const char *lite_absence(const struct store *s)
{
    (void)s;
    return "";
}

bool lite_reach(struct store *s)
{
    return store_await(s);
}

bool lite_may_wait(const struct store *s)
{
    return s->mock != NULL;
}

uint64_t lite_unanswered(const struct store *s)
{
    return s->unanswered;
}

uint64_t lite_blocked(const struct store *s)
{
    return s->blocked;
}

uint64_t lite_damages(const struct store *s)
{
    return s->damages;
}

const char *lite_damage(const struct store *s)
{
    return s->damage;
}
