// The heap of timers against a plain list of them.
#include "lobby/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TIMERS = 200, ROUNDS = 20000 };

static struct timer timer[TIMERS];
static struct timer *fired;

static void on_fire(struct lobby *l, struct timer *t, int64_t now_ms)
{
    (void)l;
    assert_true(t->due_ms <= now_ms);
    fired = t;
}

// The one that is due first; of two at the same time the one that was set first.
static struct timer *first(void)
{
    struct timer *best = NULL;
    for (int i = 0; i < TIMERS; i++) {
        struct timer *t = &timer[i];
        if (t->place && (!best || t->due_ms < best->due_ms || (t->due_ms == best->due_ms && t->order < best->order)))
            best = t;
    }
    return best;
}

static void fire_in_order(void **state)
{
    (void)state;
    struct lobby *l = lobby_alloc(sizeof *l);
    struct rng dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){3});
    struct rng_draw draw;
    rng_begin(&draw, &dice);
    for (int i = 0; i < TIMERS; i++)
        timer[i].fire = on_fire;
    for (int i = 0; i < ROUNDS; i++) {
        struct timer *t = &timer[rng_draw_below(&draw, TIMERS)];
        uint32_t what = rng_draw_below(&draw, 8);
        struct timer *next = first();
        assert_int_equal(timer_next_due(l), next ? next->due_ms : NEVER);
        if (what < 5) {
            timer_set(l, t, rng_draw_below(&draw, 100));
        } else if (what == 5) {
            timer_set(l, t, NEVER);
            assert_int_equal(t->place, 0);
        } else if (next) {
            assert_false(timer_fire_next(l, next->due_ms - 1));
            assert_true(timer_fire_next(l, next->due_ms));
            assert_ptr_equal(fired, next);
            assert_int_equal(next->place, 0);
        }
    }
    free(l->timers.at);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fire_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
