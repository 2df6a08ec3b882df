#include "net/loop.h"
#include "work/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

struct count {
    struct loop *loop;
    int hooks, events, stop_after;
};

static void on_ready(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct count *c = arg;
    c->events++;
    loop_end_turn(c->loop);
    if (c->events == 1000) { // far too late
        loop_stop(c->loop);
        event_base_loopbreak(c->loop->base);
    }
}

static void hook(void *owner)
{
    struct count *c = owner;
    if (++c->hooks == c->stop_after)
        loop_stop(c->loop);
}

static void ask_again(void *owner)
{
    struct count *c = owner;
    hook(owner);
    loop_end_turn(c->loop);
}

// A peer that never stops sending keeps its socket ready for ever: turns end all the same.
static void check_turns_end(void (*call)(void *owner))
{
    struct loop l;
    int pair[2];
    loop_init(&l);
    struct count c = {.loop = &l, .stop_after = 10};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(write(pair[0], "x", 1), 1);
    struct event *ready = event_new(l.base, pair[1], EV_READ | EV_PERSIST, on_ready, &c);
    event_add(ready, NULL);
    loop_add_hook(&l, call, &c);
    loop_run(&l);
    assert_int_equal(c.hooks, 10);
    assert_int_equal(c.events, 10);
    event_free(ready);
    close(pair[0]);
    close(pair[1]);
    loop_release(&l);
}

static void turns_end_although_something_is_always_ready(void **unused)
{
    (void)unused;
    check_turns_end(hook);
    check_turns_end(ask_again); // a turn that does not wait ends too
}

static void a_hook_may_ask_for_another_turn(void **unused)
{
    (void)unused;
    struct loop l;
    loop_init(&l);
    struct count c = {.loop = &l, .stop_after = 5};
    loop_add_hook(&l, ask_again, &c);
    loop_end_turn(&l); // before the loop runs
    loop_run(&l);
    assert_int_equal(c.hooks, 5);
    loop_remove_hook(&l, &c);
    loop_end_turn(&l);
    loop_run(&l); // nobody is left, nothing to wait for: it returns
    assert_int_equal(c.hooks, 5);
    loop_release(&l);
}

static int order[2], filled;

static void first(void *owner)
{
    (void)owner;
    order[filled++] = 1;
}

static void second(void *owner)
{
    (void)owner;
    order[filled++] = 2;
}

static void hooks_run_in_order_and_only_when_asked_for(void **unused)
{
    (void)unused;
    struct loop l;
    int a, b;
    loop_init(&l);
    loop_add_hook(&l, first, &a);
    loop_add_hook(&l, second, &b);
    assert_false(loop_turn(&l)); // nothing to wait for, nobody asked
    assert_int_equal(filled, 0);
    loop_end_turn(&l);
    loop_end_turn(&l);
    assert_true(loop_turn(&l));
    assert_int_equal(filled, 2);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 2);
    loop_release(&l);
}

// --- resting

struct quiet {
    struct loop *loop;
    int early[2], late[2]; // pairs: one that is listened to in a rest, one that is not
    int early_calls, late_calls, late_at_rest, hooks;
};

static void hear_early(void *owner)
{
    struct quiet *q = owner;
    char byte;
    assert_int_equal(read(q->early[1], &byte, 1), 1);
    q->early_calls++;
    q->late_at_rest = q->late_calls;
    loop_end_turn(q->loop);
}

static void hear_late(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct quiet *q = arg;
    char bytes[8];
    assert_true(read(fd, bytes, sizeof bytes) > 0);
    q->late_calls++;
    loop_end_turn(q->loop);
}

static void count_hook(void *owner)
{
    ((struct quiet *)owner)->hooks++;
}

static void a_rest_hears_one_and_lets_the_others_wait(void **unused)
{
    (void)unused;
    struct loop l;
    loop_init(&l);
    struct quiet q = {.loop = &l};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, q.early), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, q.late), 0);
    struct event *late = event_new(l.base, q.late[1], EV_READ | EV_PERSIST, hear_late, &q);
    event_add(late, NULL);
    loop_add_hook(&l, count_hook, &q);
    assert_int_equal(write(q.early[0], "e", 1), 1);
    assert_int_equal(write(q.late[0], "l", 1), 1);
    int64_t until_us = loop_now_us() + 20000;
    loop_pause_until(&l, until_us, q.early[1], hear_early, &q);
    assert_true(loop_turn(&l));
    assert_true(loop_now_us() >= until_us);
    assert_int_equal(q.early_calls, 1);
    assert_int_equal(q.late_at_rest, 0);
    assert_int_equal(q.late_calls, 1);
    assert_int_equal(q.hooks, 2); // once in the rest, once after the turn
    assert_int_equal(write(q.late[0], "l", 1), 1);
    assert_true(loop_turn(&l)); // the next turn knows of no rest
    assert_int_equal(q.late_calls, 2);
    event_free(late);
    for (int i = 0; i < 2; i++) {
        close(q.early[i]);
        close(q.late[i]);
    }
    loop_release(&l);
}

static void stop_in_rest(void *owner)
{
    loop_stop(((struct quiet *)owner)->loop);
}

static void a_rest_ends_with_a_hook_that_asks_or_a_stop(void **unused)
{
    (void)unused;
    struct loop l;
    loop_init(&l);
    struct quiet q = {.loop = &l};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, q.early), 0);
    int64_t far_us = loop_now_us() + 3600000000;
    loop_end_turn(&l);
    loop_pause_until(&l, far_us, q.early[1], hear_early, &q);
    assert_true(loop_turn(&l)); // somebody asked for a turn: there is no rest
    assert_int_equal(write(q.early[0], "e", 1), 1);
    loop_pause_until(&l, far_us, q.early[1], stop_in_rest, &q);
    assert_true(loop_turn(&l));
    assert_true(l.stopped);
    close(q.early[0]);
    close(q.early[1]);
    loop_release(&l);
}

struct sleeper {
    struct quiet quiet;
    struct work_waiters line;
    bool went_on, waited;
};

static void sleep_once(void *arg)
{
    struct sleeper *s = arg;
    work_sleep(loop_work(s->quiet.loop), &s->line);
    s->went_on = true;
}

static void wake_in_rest(void *owner)
{
    struct sleeper *s = owner;
    hear_early(&s->quiet);
    work_wake(loop_work(s->quiet.loop), &s->line);
}

static void note_wait(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    ((struct sleeper *)arg)->waited = true;
}

static void a_job_that_is_woken_in_a_rest_goes_on_at_once(void **unused)
{
    (void)unused;
    struct loop l;
    loop_init(&l);
    struct sleeper s = {.quiet = {.loop = &l}};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s.quiet.early), 0);
    assert_false(work_start(loop_work(&l), sleep_once, &s));
    struct event *far = evtimer_new(l.base, note_wait, &s); // what the loop would wait for otherwise
    event_add(far, &(struct timeval){20, 0});
    assert_int_equal(write(s.quiet.early[0], "e", 1), 1);
    loop_pause_until(&l, loop_now_us() + 20000000, s.quiet.early[1], wake_in_rest, &s);
    assert_true(loop_turn(&l));
    assert_true(s.went_on);
    assert_false(s.waited);
    event_free(far);
    close(s.quiet.early[0]);
    close(s.quiet.early[1]);
    loop_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_end_although_something_is_always_ready),
        cmocka_unit_test(a_hook_may_ask_for_another_turn),
        cmocka_unit_test(hooks_run_in_order_and_only_when_asked_for),
        cmocka_unit_test(a_rest_hears_one_and_lets_the_others_wait),
        cmocka_unit_test(a_rest_ends_with_a_hook_that_asks_or_a_stop),
        cmocka_unit_test(a_job_that_is_woken_in_a_rest_goes_on_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
