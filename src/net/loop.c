#include "net/loop.h"

#include <assert.h>
#include <time.h>

enum { FIRST, LAST, PRIORITIES }; // what is ready comes first, the end of the turn last

static void end_turn(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct loop *l = arg;
    for (int i = 0; i < LOOP_MAX_HOOKS; i++)
        if (l->hooks[i].call)
            l->hooks[i].call(l->hooks[i].owner);
}

void loop_init(struct loop *l)
{
    struct event_config *config = event_config_new();
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    *l = (struct loop){.base = event_base_new_with_config(config)};
    event_config_free(config);
    assert(l->base);
    event_base_priority_init(l->base, PRIORITIES);
    l->turn = event_new(l->base, -1, 0, end_turn, l);
    event_priority_set(l->turn, LAST);
}

void loop_release(struct loop *l)
{
    event_free(l->turn);
    event_base_free(l->base);
    *l = (struct loop){0};
}

void loop_run(struct loop *l)
{
    event_base_dispatch(l->base);
}

void loop_stop(struct loop *l)
{
    event_base_loopbreak(l->base);
}

void loop_add_hook(struct loop *l, void (*call)(void *owner), void *owner)
{
    int i = 0;
    while (i < LOOP_MAX_HOOKS && l->hooks[i].call)
        i++;
    assert(i < LOOP_MAX_HOOKS);
    l->hooks[i] = (struct loop_hook){call, owner};
}

void loop_remove_hook(struct loop *l, void *owner)
{
    for (int i = 0; i < LOOP_MAX_HOOKS; i++)
        if (l->hooks[i].owner == owner)
            l->hooks[i] = (struct loop_hook){0};
}

void loop_end_turn(struct loop *l)
{
    event_active(l->turn, 0, 0);
}

static int64_t read_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t loop_now_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t loop_unix_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}
