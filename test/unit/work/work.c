// Jobs: they give way, take turns, wait for threads, and keep within the budget of a turn.
#include "work/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct task {
    struct work *work;
    char name;
    int pieces;
    uint32_t cost;
    char *log; // a letter for each piece
    bool ended;
};

static void note(char *log, char c)
{
    size_t n = strlen(log);
    log[n] = c;
    log[n + 1] = 0;
}

static void run(void *arg)
{
    struct task *t = arg;
    for (int i = 0; i < t->pieces; i++) {
        note(t->log, t->name);
        work_spend(t->work, t->cost);
    }
    t->ended = true;
}

static int turns_until_idle(struct work *w)
{
    int turns = 0;
    for (; work_is_ready(w); turns++) {
        work_begin_turn(w);
        work_run_ready(w);
        assert_true(turns < 1000);
    }
    return turns;
}

struct guest {
    struct work *work;
    struct work_waiters wait;
    char name, *log;
};

static void wait_for_waking(void *arg)
{
    struct guest *g = arg;
    note(g->log, g->name);
    work_sleep(g->work, &g->wait);
    note(g->log, (char)(g->name - 'a' + 'A'));
}

static void parked_jobs_go_on_when_woken_in_that_order(void **state)
{
    (void)state;
    char log[64] = "";
    struct work *w = work_create();
    struct guest a = {.work = w, .name = 'a', .log = log}, b = {.work = w, .name = 'b', .log = log};
    assert_false(work_is_inside(w));
    assert_false(work_start(w, wait_for_waking, &a));
    assert_false(work_start(w, wait_for_waking, &b));
    assert_int_equal(turns_until_idle(w), 0); // parked jobs do not keep the loop busy
    work_wake(w, &b.wait);
    work_wake(w, &a.wait);
    assert_true(work_is_ready(w));
    turns_until_idle(w);
    assert_string_equal(log, "abBA");
    assert_int_equal(work_figures(w).jobs, 0);
    work_destroy(w);
}

static void short_jobs_end_at_once(void **state)
{
    (void)state;
    char log[64] = "";
    struct work *w = work_create();
    struct task t = {.work = w, .name = 'a', .pieces = 3, .cost = 10, .log = log};
    assert_true(work_start(w, run, &t));
    assert_true(t.ended);
    assert_string_equal(log, "aaa");
    assert_int_equal(work_figures(w).yields, 0);
    work_destroy(w);
}

static void without_a_loop_all_is_done_at_once(void **state)
{
    (void)state;
    char log[64] = "";
    struct task t = {.name = 'a', .pieces = 5, .cost = 1000000, .log = log};
    assert_true(work_start(NULL, run, &t));
    assert_true(t.ended);
    work_drain(NULL);
}

static void a_turn_keeps_its_budget(void **state)
{
    (void)state;
    char log[512] = "";
    struct work *w = work_create();
    struct task t = {.work = w, .name = 'a', .pieces = 100, .cost = 400, .log = log};
    assert_false(work_start(w, run, &t));
    int turns = turns_until_idle(w);
    assert_true(t.ended);
    assert_true(turns >= 100 * 400 / WORK_BUDGET);
    assert_true(work_figures(w).most <= WORK_TURN + 400);
    assert_int_equal(work_figures(w).jobs, 0);
    work_destroy(w);
}

static void jobs_take_turns(void **state)
{
    (void)state;
    char log[512] = "";
    struct work *w = work_create();
    struct task tasks[3];
    for (int i = 0; i < 3; i++) {
        tasks[i] = (struct task){.work = w, .name = (char)('a' + i), .pieces = 20, .cost = WORK_SHARE, .log = log};
        assert_false(work_start(w, run, &tasks[i]));
    }
    turns_until_idle(w);
    const char *c = strchr(log, 'c');
    assert_non_null(c);
    assert_true(c - log < 10); // the last one did not wait for the end of the first
    for (int i = 0; i < 3; i++)
        assert_true(tasks[i].ended);
    work_destroy(w);
}

// A turn that is used up by small requests lets no job begin.
static void a_spent_turn_begins_nothing(void **state)
{
    (void)state;
    char log[64] = "";
    struct work *w = work_create();
    struct task t = {.work = w, .name = 'a', .pieces = 1, .cost = 1, .log = log};
    work_begin_turn(w);
    work_count(w, WORK_TURN);
    assert_true(work_is_spent(w));
    assert_false(work_start(w, run, &t));
    assert_string_equal(log, "");
    work_run_ready(w);
    assert_string_equal(log, "");
    assert_int_equal(turns_until_idle(w), 1);
    assert_string_equal(log, "a");
    work_destroy(w);
}

// --- sleep

struct sleeper {
    struct work *work;
    struct work_waiters *line;
    bool *busy;
    char *log, name;
};

static void sleep_until_free(void *arg)
{
    struct sleeper *s = arg;
    while (*s->busy)
        work_sleep(s->work, s->line);
    note(s->log, s->name);
}

// A job that sleeps is not ready, so that the loop rests; all who sleep go on in the order in which they came.
static void a_job_sleeps_until_it_is_woken(void **state)
{
    (void)state;
    char log[64] = "";
    bool busy = true;
    struct work *w = work_create();
    struct work_waiters line = {0};
    struct sleeper all[3];
    for (int i = 0; i < 3; i++) {
        all[i] = (struct sleeper){w, &line, &busy, log, (char)('a' + i)};
        assert_false(work_start(w, sleep_until_free, &all[i]));
    }
    assert_false(work_is_ready(w));
    assert_int_equal(work_figures(w).yields, 3);
    work_wake(w, &line); // too early: they sleep again
    assert_int_equal(turns_until_idle(w), 1);
    assert_int_equal(work_figures(w).yields, 6);
    busy = false;
    assert_false(work_is_ready(w));
    work_wake(w, &line);
    assert_null(line.first);
    turns_until_idle(w);
    assert_string_equal(log, "abc");
    assert_int_equal(work_figures(w).jobs, 0);
    work_wake(w, &line); // nobody
    work_destroy(w);
}

// --- threads

struct thought {
    struct work *work;
    int in, out;
    bool ended;
};

static void square(void *arg)
{
    struct thought *t = arg;
    t->out = t->in * t->in;
}

static void think(void *arg)
{
    struct thought *t = arg;
    work_offload(t->work, square, t);
    t->ended = true;
}

static void threads_do_what_cannot_be_cut(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static struct thought all[COUNT];
    struct work *w = work_create();
    for (int i = 0; i < COUNT; i++) { // more than there are stacks
        all[i] = (struct thought){.work = w, .in = i};
        assert_false(work_start(w, think, &all[i]));
    }
    work_drain(w);
    for (int i = 0; i < COUNT; i++) {
        assert_true(all[i].ended);
        assert_int_equal(all[i].out, i * i);
    }
    assert_int_equal(work_figures(w).away, COUNT);
    work_destroy(w);
}

static void outside_of_jobs_it_is_done_here(void **state)
{
    (void)state;
    struct work *w = work_create();
    struct thought t = {.work = w, .in = 7};
    work_offload(w, square, &t);
    assert_int_equal(t.out, 49);
    assert_int_equal(work_figures(w).away, 0);
    work_destroy(w);
}

struct watched {
    struct work *work;
    struct thought thought;
    char log[16];
};

static void on_switch(void *arg, bool enters)
{
    struct watched *t = arg;
    note(t->log, enters ? '>' : '<');
}

static void be_watched(void *arg)
{
    struct watched *t = arg;
    work_watch(t->work, on_switch, t);
    note(t->log, 'a');
    work_yield(t->work);
    note(t->log, 'b');
    work_offload(t->work, square, &t->thought);
    note(t->log, 'c');
}

static void a_job_is_told_when_others_run(void **state)
{
    (void)state;
    struct work *w = work_create();
    struct watched t = {.work = w};
    char log[16] = "";
    struct task other = {.work = w, .name = 'x', .pieces = 1, .cost = 2 * WORK_TURN, .log = log};
    assert_false(work_start(w, be_watched, &t));
    assert_string_equal(t.log, "a<");
    work_drain(w);
    assert_string_equal(t.log, "a<>b<>c");
    work_start(w, run, &other); // on the same stack, and watched by nobody
    work_drain(w);
    assert_true(other.ended);
    assert_string_equal(t.log, "a<>b<>c");
    work_destroy(w);
}

// --- jobs that begin others

struct parent {
    struct work *work;
    struct task child;
    bool began_inside;
};

static void raise(void *arg)
{
    struct parent *p = arg;
    p->began_inside = work_start(p->work, run, &p->child);
}

static void a_job_may_begin_another(void **state)
{
    (void)state;
    char log[16] = "";
    struct work *w = work_create();
    struct parent p = {.work = w, .child = {.work = w, .name = 'c', .pieces = 1, .cost = 1, .log = log}};
    assert_true(work_start(w, raise, &p));
    assert_false(p.began_inside); // it waits for its turn
    turns_until_idle(w);
    assert_string_equal(log, "c");
    work_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_jobs_end_at_once),
        cmocka_unit_test(without_a_loop_all_is_done_at_once),
        cmocka_unit_test(a_turn_keeps_its_budget),
        cmocka_unit_test(jobs_take_turns),
        cmocka_unit_test(a_spent_turn_begins_nothing),
        cmocka_unit_test(threads_do_what_cannot_be_cut),
        cmocka_unit_test(outside_of_jobs_it_is_done_here),
        cmocka_unit_test(a_job_may_begin_another),
        cmocka_unit_test(a_job_is_told_when_others_run),
        cmocka_unit_test(a_job_sleeps_until_it_is_woken),
        cmocka_unit_test(parked_jobs_go_on_when_woken_in_that_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
