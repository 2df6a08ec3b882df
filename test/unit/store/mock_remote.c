// A store that is elsewhere (S5): who waits for an answer, in which order answers come, and what happens without one.
#include "store/mock_remote.h"

#include "work/work.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "store_kit.h"

static struct work *work;
static char log_[64];

static struct store *open_with_jobs(struct kit *k)
{
    char why[512] = "";
    struct store_options o;
    store_close(k->store);
    store_defaults(&o);
    o.folder = k->folder;
    o.margin_bytes = 0;
    o.work = work = work_create();
    k->store = store_open(&o, why, sizeof why);
    assert_string_equal(why, "");
    memset(log_, 0, sizeof log_);
    return k->store;
}

static void close_jobs(struct kit *k)
{
    store_close(k->store);
    k->store = NULL;
    work_destroy(work);
}

struct asker {
    struct store *store;
    char name;
};

// A small letter asks, the same in capitals has found agent 1, '-' has not.
static void ask(void *arg)
{
    const struct asker *a = arg;
    struct store_agent found;
    size_t n = strlen(log_);
    log_[n] = a->name;
    bool has = store_find_agent(a->store, kit_uuid('a', 1), &found);
    n = strlen(log_);
    log_[n] = has && strcmp(found.name, "agent 1") == 0 ? (char)(a->name - 'a' + 'A') : '-';
}

static void turn(struct store *s)
{
    store_ticket durable;
    poll(&(struct pollfd){.fd = store_descriptor(s), .events = POLLIN}, 1, 20000);
    work_begin_turn(work);
    store_collect(s, &durable);
    work_run_ready(work);
}

static void jobs_wait_and_the_loop_does_not(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 1);
    struct store *s = open_with_jobs(k);
    store_set_mock(s, &(struct store_mock){.delay_ms = 600000});
    struct asker a = {s, 'a'}, b = {s, 'b'};
    assert_false(work_start(work, ask, &a));
    assert_false(work_start(work, ask, &b));
    assert_false(work_is_ready(work));
    assert_string_equal(log_, "ab");
    store_set_mock(s, &(struct store_mock){0});
    while (work_figures(work).jobs)
        turn(s);
    assert_string_equal(log_, "abAB");
    assert_int_equal(store_blocked(s), 0);
    assert_int_equal(store_unanswered(s), 0);
    close_jobs(k);
}

static void outside_a_job_a_read_blocks_and_is_counted(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 1);
    struct store *s = open_with_jobs(k);
    store_set_mock(s, &(struct store_mock){.delay_ms = 5});
    ask(&(struct asker){s, 'a'});
    assert_string_equal(log_, "aA");
    assert_int_equal(store_blocked(s), 1);
    close_jobs(k);
}

static void answers_come_in_another_order(void **state)
{
    enum { JOBS = 12 };
    struct kit *k = *state;
    kit_put_agents(k, 1);
    struct store *s = open_with_jobs(k);
    struct asker a[JOBS];
    char asked[JOBS + 1] = "";
    store_set_mock(s, &(struct store_mock){.delay_ms = 200, .mixed = true});
    for (int i = 0; i < JOBS; i++) {
        a[i] = (struct asker){s, (char)('a' + i)};
        asked[i] = (char)('A' + i);
        work_start(work, ask, &a[i]);
    }
    while (work_figures(work).jobs)
        turn(s);
    assert_int_equal(strlen(log_), 2 * JOBS);
    assert_string_not_equal(log_ + JOBS, asked);
    for (int i = 0; i < JOBS; i++)
        assert_non_null(strchr(log_ + JOBS, asked[i])); // each got its own answer
    close_jobs(k);
}

static void who_gives_up_gets_nothing_and_it_is_counted(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 1);
    struct store *s = open_with_jobs(k);
    store_set_mock(s, &(struct store_mock){.away = true});
    struct asker a = {s, 'a'};
    assert_false(work_start(work, ask, &a));
    store_give_up(s);
    work_drain(work);
    assert_string_equal(log_, "a-");
    assert_int_equal(store_unanswered(s), 1);
    ask(&(struct asker){s, 'b'}); // nor does anybody wait after it
    assert_string_equal(log_, "a-b-");
    close_jobs(k);
}

static void a_store_that_stays_away_is_waited_for_three_seconds(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 1);
    struct store *s = open_with_jobs(k);
    store_set_mock(s, &(struct store_mock){.away = true});
    struct asker a = {s, 'a'};
    assert_false(work_start(work, ask, &a));
    while (work_figures(work).jobs)
        turn(s);
    assert_string_equal(log_, "a-");
    assert_true(store_is_away(s));
    store_set_mock(s, &(struct store_mock){0});
    close_jobs(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(jobs_wait_and_the_loop_does_not),
        KIT_TEST(outside_a_job_a_read_blocks_and_is_counted),
        KIT_TEST(answers_come_in_another_order),
        KIT_TEST(who_gives_up_gets_nothing_and_it_is_counted),
        KIT_TEST(a_store_that_stays_away_is_waited_for_three_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
