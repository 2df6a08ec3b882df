#include "net/loop.h"

#include "work/work.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

static void run_hooks(struct loop *l)
{
    l->asked = false; // a hook may request another call: then the next turn does not wait
    // In the order of loop_add_hook: hooks that write replies come before those of the connections, which send them.
    for (int i = 0; i < LOOP_MAX_HOOKS; i++)
        if (l->hooks[i].call)
            l->hooks[i].call(l->hooks[i].owner);
}

static void init_loop(struct loop *l, int flags)
{
    struct event_config *config = event_config_new();
    event_config_set_flag(config, flags);
    *l = (struct loop){.base = event_base_new_with_config(config)};
    event_config_free(config);
    assert(l->base);
}

void loop_init(struct loop *l)
{
    // NOLOCK: no other thread touches a loop. Threads report through descriptors (work_descriptor; the bus, decision
    // 053).
    init_loop(l, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
}

void loop_init_coarse(struct loop *l)
{
    init_loop(l, EVENT_BASE_FLAG_NOLOCK);
}

static void on_pieces_done(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct loop *l = arg;
    work_collect(l->work);
}

struct work *loop_work(struct loop *l)
{
    if (l->work)
        return l->work;
    l->work = work_create();
    l->pieces_done = event_new(l->base, work_descriptor(l->work), EV_READ | EV_PERSIST, on_pieces_done, l);
    event_add(l->pieces_done, NULL);
    return l->work;
}

bool loop_is_spent(const struct loop *l)
{
    return work_is_spent(l->work);
}

void loop_release(struct loop *l)
{
    if (l->work) {
        work_drain(l->work);
        event_free(l->pieces_done);
        work_destroy(l->work);
    }
    for (int i = 0; i < 2 && l->stop[i]; i++)
        event_free(l->stop[i]);
    event_base_free(l->base);
    *l = (struct loop){0};
}

static void on_stop_signal(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct loop *l = arg;
    if (!l->may_stop || l->may_stop(l->may_stop_owner, (int)fd))
        loop_stop(l);
}

void loop_ask_before_stop(struct loop *l, bool (*may_stop)(void *owner, int signal), void *owner)
{
    l->may_stop = may_stop;
    l->may_stop_owner = owner;
}

void loop_stop_on_signals(struct loop *l)
{
    static const int signals[2] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        l->stop[i] = evsignal_new(l->base, signals[i], on_stop_signal, l);
        event_add(l->stop[i], NULL);
    }
}

void loop_handle_signals(struct loop *l)
{
    event_base_loop(l->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static void on_alarm(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    loop_end_turn(arg);
}

struct event *loop_new_alarm(struct loop *l)
{
    return evtimer_new(l->base, on_alarm, l);
}

void loop_set_alarm(struct event *alarm, int64_t due_us)
{
    int64_t left = due_us - loop_now_us();
    if (due_us == INT64_MAX)
        event_del(alarm);
    else
        event_add(alarm, left > 0 ? &(struct timeval){left / 1000000, left % 1000000} : &(struct timeval){0});
}

static bool has_ready_job(const struct loop *l)
{
    return l->work && work_is_ready(l->work);
}

// Waits before the next turn, watching `fd` only. Ended early by a signal, a hook that requests a turn, or a job that
// is ready.
static void rest_until_due(struct loop *l)
{
    struct loop_rest r = l->rest;
    struct pollfd p = {.fd = r.fd, .events = POLLIN};
    int64_t left_us;
    l->rest = (struct loop_rest){0};
    while (!l->asked && !l->stopped && !has_ready_job(l) && (left_us = r.until_us - loop_now_us()) > 0) {
        if (ppoll(&p, 1, &(struct timespec){left_us / 1000000, left_us % 1000000 * 1000}, NULL) <= 0)
            return;
        r.hook.call(r.hook.owner);
        if (l->asked)
            run_hooks(l);
        l->rest = (struct loop_rest){0}; // this pause continues, not one that a hook has requested meanwhile
    }
}

// With libevent's priorities, or EVLOOP_NONBLOCK alone, hooks would wait as long as anything is ready: a peer that
// never stops sending would stop timers for all others. Here every turn ends.
bool loop_turn(struct loop *l)
{
    bool ready = has_ready_job(l);
    if (l->work)
        work_begin_turn(l->work);
    if (l->rest.until_us && !ready) {
        rest_until_due(l);
        if (l->stopped)
            return true;
        ready = has_ready_job(l); // a job that became ready during the pause waits for no event
    }
    int left = event_base_loop(l->base, EVLOOP_ONCE | (l->asked || ready ? EVLOOP_NONBLOCK : 0));
    if (has_ready_job(l)) {
        work_run_ready(l->work);
        l->asked = true; // what jobs have written is sent in this turn
    }
    bool asked = l->asked;
    if (asked)
        run_hooks(l);
    return left == 0 || asked;
}

void loop_run(struct loop *l)
{
    l->stopped = false;
    while (!l->stopped && loop_turn(l))
        continue;
}

void loop_stop(struct loop *l)
{
    l->stopped = true;
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

void loop_pause_until(struct loop *l, int64_t until_us, int fd, void (*call)(void *owner), void *owner)
{
    l->rest = (struct loop_rest){until_us, fd, {call, owner}};
}

void loop_end_turn(struct loop *l)
{
    l->asked = true;
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

int64_t loop_now_ms(void)
{
    return loop_now_us() / 1000;
}

double loop_now_seconds(void)
{
    return (double)loop_now_us() * 1e-6;
}

int64_t loop_unix_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}
