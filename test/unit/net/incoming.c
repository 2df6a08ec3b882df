#include "net/incoming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { S = 1000000, ROOM = 1 << 20, BIG = 256 << 10 };

static struct incoming_request *ended[8];
static int ended_count;

static void end(struct incoming_request *i)
{
    ended[ended_count++] = i;
    assert_true(incoming_hold(i, 0, 0));
}

static void open_all(struct incoming_requests *all)
{
    static const struct incoming_options o = {.head_ms = 10000, .body_ms = 5000, .bytes_per_s = 1000};
    struct admission_options a;
    admission_defaults(&a);
    a.max_held = ROOM; // three quarters of it: three large ones
    ended_count = 0;
    incoming_open(all, &o, admission_open(&a), end);
}

static void heads_have_a_deadline_and_bodies_a_rate(void **unused)
{
    (void)unused;
    struct incoming_requests all;
    open_all(&all);
    struct incoming_request i = {.all = &all};
    incoming_wait(&i, 60 * (int64_t)S);
    assert_int_equal(i.due_us, 60 * (int64_t)S);
    incoming_begin(&i, 7 * S);
    assert_int_equal(i.due_us, 17 * S);
    incoming_add(&i, 1 << 20); // a head gets no time more, however much comes
    assert_int_equal(i.due_us, 17 * S);
    incoming_begin_body(&i, 8 * S);
    assert_int_equal(i.due_us, 13 * S);
    incoming_add(&i, 500);
    incoming_add(&i, 1500);
    assert_int_equal(i.due_us, 15 * S);
    incoming_end(&i);
    assert_int_equal(i.due_us, INT64_MAX);
    admission_close(all.admission);
}

// Receives a body of BIG bytes that began at `since_us`, of which `bytes` have come.
static void receive(struct incoming_requests *all, struct incoming_request *i, int64_t since_us, size_t bytes)
{
    *i = (struct incoming_request){.all = all};
    incoming_begin(i, since_us);
    incoming_begin_body(i, since_us);
    incoming_add(i, bytes);
    assert_true(incoming_hold(i, BIG, since_us));
}

static void the_slowest_are_ended_first(void **unused)
{
    (void)unused;
    struct incoming_requests all;
    struct incoming_request at[3], more = {.all = &all};
    open_all(&all);
    receive(&all, &at[0], 0, 90000);
    receive(&all, &at[1], 0, 10);
    receive(&all, &at[2], 9 * S, 0); // nothing has come of it, but it is young
    incoming_begin(&more, 9 * S + S / 2);
    assert_true(incoming_hold(&more, BIG, 9 * S + S / 2));
    assert_int_equal(ended_count, 1);
    assert_ptr_equal(ended[0], &at[1]);
    assert_true(incoming_hold(&more, 2 * BIG, 9 * S + S / 2));
    assert_ptr_equal(ended[1], &at[0]);
    assert_false(incoming_hold(&more, 3 * BIG, 9 * S + S / 2)); // nobody else is slow
    assert_int_equal(more.held, 2 * BIG);
    assert_int_equal(ended_count, 2);
    assert_false(incoming_can_hold(&more, 4 * BIG, 9 * S + S / 2)); // it never ends itself
    struct incoming_request small = {.all = &all}, operator= {.all = &all, .trusted = true};
    incoming_begin(&small, 9 * S);
    assert_true(incoming_hold(&small, INCOMING_SMALL, 9 * S)); // small ones have room of their own
    assert_true(incoming_hold(&operator, BIG, 9 * S));
    struct incoming_request *const rest[] = {&at[2], &more, &small, &operator};
    for (int k = 0; k < 4; k++) {
        incoming_end(rest[k]);
        assert_true(incoming_hold(rest[k], 0, 0));
    }
    admission_close(all.admission);
}

static void complete_requests_are_not_ended(void **unused)
{
    (void)unused;
    struct incoming_requests all;
    struct incoming_request at[3], more = {.all = &all};
    open_all(&all);
    for (int k = 0; k < 3; k++) {
        receive(&all, &at[k], 0, 10);
        incoming_end(&at[k]); // it is being answered
    }
    incoming_begin(&more, 9 * S);
    assert_false(incoming_hold(&more, BIG, 9 * S));
    assert_int_equal(ended_count, 0);
    for (int k = 0; k < 3; k++)
        assert_true(incoming_hold(&at[k], 0, 0));
    incoming_end(&more);
    admission_close(all.admission);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_have_a_deadline_and_bodies_a_rate),
        cmocka_unit_test(the_slowest_are_ended_first),
        cmocka_unit_test(complete_requests_are_not_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
