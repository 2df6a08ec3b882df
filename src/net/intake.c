#include "net/intake.h"

enum { GRACE_US = 1000000 }; // a request does not count as slow before that

void intake_open(struct intakes *all, const struct intake_options *o, struct admission *a, void (*end)(struct intake *))
{
    *all = (struct intakes){.options = *o, .admission = a, .end = end};
    TAILQ_INIT(&all->large);
}

void intake_wait(struct intake *i, int64_t due_us)
{
    intake_end(i);
    i->due_us = due_us;
    i->in_body = false;
}

static void start(struct intake *i, int64_t now_us, int ms)
{
    i->since_us = now_us;
    i->due_us = now_us + (int64_t)ms * 1000;
    i->bytes = 0;
}

void intake_begin(struct intake *i, int64_t now_us)
{
    start(i, now_us, i->all->options.head_ms);
}

void intake_begin_body(struct intake *i, int64_t now_us)
{
    start(i, now_us, i->all->options.body_ms);
    i->in_body = true;
}

void intake_add(struct intake *i, size_t bytes)
{
    const struct intake_options *o = &i->all->options;
    i->bytes += bytes;
    if (i->in_body && o->bytes_per_s)
        i->due_us = i->since_us + (int64_t)o->body_ms * 1000 + (int64_t)(i->bytes * 1000000 / (uint64_t)o->bytes_per_s);
}

static double rate_of(const struct intake *i, int64_t now_us)
{
    return (double)i->bytes / (double)(now_us - i->since_us + 1);
}

// Looks at all of them, which are few: each holds more than INTAKE_SMALL of max_held.
static bool end_slowest(struct intake *but, int64_t now_us)
{
    struct intakes *all = but->all;
    struct intake *i, *slowest = NULL;
    TAILQ_FOREACH(i, &all->large, link)
        if (i != but && now_us - i->since_us >= GRACE_US && (!slowest || rate_of(i, now_us) < rate_of(slowest, now_us)))
            slowest = i;
    if (!slowest)
        return false;
    intake_end(slowest);
    admission_count(all->admission, ADMISSION_SLOW);
    all->end(slowest);
    return true;
}

static enum admission_size size_of(const struct intake *i, size_t bytes)
{
    if (i->trusted)
        return ADMISSION_LOCAL;
    return bytes > INTAKE_SMALL ? ADMISSION_BIG : i->local ? ADMISSION_LOCAL : ADMISSION_SMALL;
}

bool intake_can_hold(struct intake *i, size_t bytes, int64_t now_us)
{
    struct admission *a = i->all->admission;
    if (bytes <= i->held)
        return true;
    while (!admission_has_room(a, bytes - i->held, size_of(i, bytes)))
        if (!end_slowest(i, now_us))
            return false;
    return true;
}

bool intake_hold(struct intake *i, size_t bytes, int64_t now_us)
{
    if (!intake_can_hold(i, bytes, now_us) || !admission_hold(i->all->admission, &i->held, bytes, size_of(i, bytes)))
        return false;
    // Without a deadline it is complete and being answered: such a request is never ended for others.
    if (bytes > INTAKE_SMALL && !i->is_large && i->due_us != INT64_MAX) {
        TAILQ_INSERT_TAIL(&i->all->large, i, link);
        i->is_large = true;
    }
    return true;
}

void intake_end(struct intake *i)
{
    i->due_us = INT64_MAX;
    if (i->is_large)
        TAILQ_REMOVE(&i->all->large, i, link);
    i->is_large = false;
}
