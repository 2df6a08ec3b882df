#include "net/incoming.h"

enum { GRACE_US = 1000000 }; // a request does not count as slow before that

void incoming_open(struct incoming_requests *all, const struct incoming_options *o, struct admission *a,
                   void (*end)(struct incoming_request *))
{
    *all = (struct incoming_requests){.options = *o, .admission = a, .end = end};
    TAILQ_INIT(&all->large);
}

void incoming_wait(struct incoming_request *i, int64_t due_us)
{
    incoming_end(i);
    i->due_us = due_us;
    i->in_body = false;
}

static void start_phase(struct incoming_request *i, int64_t now_us, int ms)
{
    i->since_us = now_us;
    i->due_us = now_us + (int64_t)ms * 1000;
    i->bytes = 0;
}

void incoming_begin(struct incoming_request *i, int64_t now_us)
{
    start_phase(i, now_us, i->all->options.head_ms);
}

void incoming_begin_body(struct incoming_request *i, int64_t now_us)
{
    start_phase(i, now_us, i->all->options.body_ms);
    i->in_body = true;
}

void incoming_add(struct incoming_request *i, size_t bytes)
{
    const struct incoming_options *o = &i->all->options;
    i->bytes += bytes;
    if (i->in_body && o->bytes_per_s)
        i->due_us = i->since_us + (int64_t)o->body_ms * 1000 + (int64_t)(i->bytes * 1000000 / (uint64_t)o->bytes_per_s);
}

static double bytes_per_us(const struct incoming_request *i, int64_t now_us)
{
    return (double)i->bytes / (double)(now_us - i->since_us + 1);
}

// Looks at all of them, which are few: each holds more than INCOMING_SMALL of max_held.
static bool end_slowest(struct incoming_request *but, int64_t now_us)
{
    struct incoming_requests *all = but->all;
    struct incoming_request *i, *slowest = NULL;
    TAILQ_FOREACH(i, &all->large, link)
        if (i != but && now_us - i->since_us >= GRACE_US &&
            (!slowest || bytes_per_us(i, now_us) < bytes_per_us(slowest, now_us)))
            slowest = i;
    if (!slowest)
        return false;
    incoming_end(slowest);
    admission_count(all->admission, ADMISSION_SLOW);
    all->end(slowest);
    return true;
}

static enum admission_size admission_size_of(const struct incoming_request *i, size_t bytes)
{
    if (i->trusted)
        return ADMISSION_LOCAL;
    return bytes > INCOMING_SMALL ? ADMISSION_BIG : i->local ? ADMISSION_LOCAL : ADMISSION_SMALL;
}

bool incoming_can_hold(struct incoming_request *i, size_t bytes, int64_t now_us)
{
    struct admission *a = i->all->admission;
    if (bytes <= i->held)
        return true;
    while (!admission_has_room(a, bytes - i->held, admission_size_of(i, bytes)))
        if (!end_slowest(i, now_us))
            return false;
    return true;
}

bool incoming_hold(struct incoming_request *i, size_t bytes, int64_t now_us)
{
    if (!incoming_can_hold(i, bytes, now_us) ||
        !admission_hold(i->all->admission, &i->held, bytes, admission_size_of(i, bytes)))
        return false;
    // Without a deadline it is complete and being answered: such a request is never ended for others.
    if (bytes > INCOMING_SMALL && !i->is_large && i->due_us != INT64_MAX) {
        TAILQ_INSERT_TAIL(&i->all->large, i, link);
        i->is_large = true;
    }
    return true;
}

void incoming_end(struct incoming_request *i)
{
    i->due_us = INT64_MAX;
    if (i->is_large)
        TAILQ_REMOVE(&i->all->large, i, link);
    i->is_large = false;
}
