#include "net/loop.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_end_although_something_is_always_ready),
        cmocka_unit_test(a_hook_may_ask_for_another_turn),
        cmocka_unit_test(hooks_run_in_order_and_only_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
