// From put to durable: tickets, a full queue, a crash at any moment, a full disk, somebody else's lock.
//
// A crash is a child killed by SIGKILL while it puts; it says through a pipe which tickets it was told are durable.
// AGON_STORE_CRASHES is how often; 20 unless told.
//
// Nothing here depends on how fast the machine is: where time must not pass it is an hour away, and a child is killed
// after a number of reports, not of milliseconds.
#include "store_kit.h"

#include "store/internal.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { HOUR_MS = 3600000, DEADLINE_S = 120 };

static void wait_readable(struct kit *k)
{
    struct pollfd p = {store_descriptor(k->store), POLLIN, 0};
    assert_int_equal(poll(&p, 1, DEADLINE_S * 1000), 1);
}

static void tickets_count_puts_and_become_durable(void **state)
{
    struct kit *k = *state;
    struct store_agent a = kit_agent(1), got;
    store_ticket durable = 99;
    struct pollfd p = {store_descriptor(k->store), POLLIN, 0};
    assert_int_equal(store_last(k->store), 0);
    assert_int_equal(store_put_agent(k->store, &a), 1);
    assert_int_equal(store_put_agent(k->store, &a), 2);
    bool has_clock = kit_is_elsewhere();           // there the descriptor is readable now and then without news
    assert_true(has_clock || poll(&p, 1, 0) == 0); // nothing is handed over before the submit
    assert_int_equal(store_collect(k->store, &durable), OK);
    assert_int_equal(durable, 0);
    assert_false(store_find_agent(k->store, a.id, &got));
    store_submit(k->store);
    do {
        wait_readable(k);
        assert_int_equal(store_collect(k->store, &durable), OK);
    } while (has_clock && durable == 0);
    assert_int_equal(durable, 2);
    assert_true(store_find_agent(k->store, a.id, &got));
    assert_true(has_clock || poll(&p, 1, 0) == 0); // collected
    assert_string_equal(store_fault(k->store), "");
}

static void a_full_queue_blocks_and_loses_nothing(void **state)
{
    struct kit *k = *state;
    struct store_agent got;
    k->options.max_waiting = 16384; // six agents or so
    kit_reopen(k);
    for (uint32_t n = 1; n <= 200; n++) {
        struct store_agent a = kit_agent(n);
        store_put_agent(k->store, &a);
        if (n % 5 == 0)
            store_submit(k->store);
    }
    store_wait(k->store);
    assert_true(store_find_agent(k->store, kit_uuid('a', 200), &got));
    assert_int_equal(store_list_agents(k->store, -1, 199, &got, 1, NULL), 1);
}

static void a_pace_gathers_and_a_wait_hurries(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    store_ticket durable;
    k->options.pace_ms = HOUR_MS;
    kit_reopen(k);
    kit_put_agents(k, 1); // after a rest: at once
    for (uint32_t n = 2; n <= 20; n++) {
        struct store_agent a = kit_agent(n);
        store_put_agent(k->store, &a);
        store_submit(k->store);
    }
    assert_int_equal(store_collect(k->store, &durable), OK);
    assert_int_equal(durable, 1); // the next transaction is an hour away
    alarm(DEADLINE_S);            // ends a wait that does not hurry
    store_wait(k->store);
    alarm(0);
    assert_int_equal(store_collect(k->store, &durable), OK);
    assert_int_equal(durable, 20);
}

// --- crashes

enum { SEATS = 2, CRASH_PIECES = 6 };

// Puts matches for ever, several at a time, and writes each ticket it collects into the pipe. Match n has tickets of
// its own: begin, CRASH_PIECES appends, finish with a rating.
static void put_for_ever(struct kit *k, uint32_t first, int out)
{
    store_ticket told = 0, durable;
    k->options.pace_ms = (int)(first % 3); // with and without pace
    k->options.max_waiting = 1 << 16;      // so that a slow disk does not leave thousands of matches to audit
    k->store = store_open(&k->options, (char[512]){0}, 512);
    if (!k->store)
        _exit(3);
    for (uint32_t n = first;; n++) {
        struct store_match m = kit_match(n, "coup", SEATS);
        store_begin_match(k->store, &m, NULL, SPAN("head"));
        for (int i = 0; i < CRASH_PIECES; i++) {
            store_append(k->store, m.id, m.created_ms + i, (struct span){&"abcdef"[i], 1}, SPAN("note"));
            if (i % 2)
                store_submit(k->store);
        }
        kit_end(&m);
        m.rated = true;
        struct store_rating r = kit_rating(1, "coup", n, 100);
        r.games = n;
        store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), &r, 1, NULL);
        store_submit(k->store);
        if (store_collect(k->store, &durable) != OK)
            _exit(4);
        if (durable != told && write(out, &durable, sizeof durable) != sizeof durable)
            _exit(5);
        told = durable;
    }
}

// Kills it when it has reported `reports` times and the parent has counted to `spins`, which is anywhere in what
// follows.
static store_ticket run_and_kill(struct kit *k, uint32_t first, int reports, uint32_t spins)
{
    int pipes[2];
    store_ticket last = 0, told;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        put_for_ever(k, first, pipes[1]);
    }
    close(pipes[1]);
    for (int i = 0; i < reports; i++)
        assert_int_equal(read(pipes[0], &last, sizeof last), sizeof last);
    for (volatile uint32_t i = 0; i < spins; i++)
        ;
    kill(child, SIGKILL);
    while (read(pipes[0], &told, sizeof told) == sizeof told)
        last = told;
    close(pipes[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return last;
}

// One match after the crash: how many of its tickets are there.
static int tickets_of(struct kit *k, uint32_t n)
{
    struct store_match want = kit_match(n, "coup", SEATS), got;
    struct kit_log log = {0};
    if (!store_find_match(k->store, want.id, &got))
        return 0;
    assert_int_equal(kit_read_log(k, &want, &log), OK);
    int pieces = 0;
    for (const char *c = log.text; *c; c++)
        pieces += *c == ' ';
    for (int i = 0; i < got.seats; i++)
        assert_true(uuid_equals(got.seat[i].session, want.seat[i].session));
    assert_int_equal(pieces == CRASH_PIECES + 2, got.status == STORE_FINISHED);
    assert_int_equal(
        strncmp(log.text, "0:head| 0:a|note 1:b|note 2:c|note 3:d|note 4:e|note 5:f|note 500:end| ", strlen(log.text)),
        0);
    return pieces;
}

// What was durable is there, in order, and nothing has a hole. Ticket 1 of each life may be the game's name.
static uint32_t audit(struct kit *k, uint32_t first, store_ticket durable, bool first_life)
{
    uint64_t found = first_life;
    uint32_t n = first, finished = first - 1;
    for (int got = CRASH_PIECES + 2; got == CRASH_PIECES + 2; n++) {
        got = tickets_of(k, n);
        found += (uint64_t)got;
        finished += got == CRASH_PIECES + 2;
    }
    if (found < durable)
        fail_msg("%llu tickets were durable, %llu are there", (unsigned long long)durable, (unsigned long long)found);
    assert_int_equal(tickets_of(k, n), 0); // nothing beyond the first that is not whole
    struct store_rating r;
    struct uuid running[4];
    int total;
    if (store_ratings(k->store, kit_uuid('a', 1), &r, 1) == 1) // the rating goes with the result, once
        assert_int_equal(r.games, finished);
    store_list_matches(k->store, NULL, NULL, 0, &(struct store_match){0}, 1, &total);
    assert_int_equal(total, finished);
    for (int i = store_list_running(k->store, running, 4, NULL) - 1; i >= 0; i--) { // finish what was cut off
        struct store_match m;
        assert_true(store_find_match(k->store, running[i], &m));
        kit_end(&m);
        r = kit_rating(1, "coup", n, 100);
        r.games = ++finished;
        store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), &r, 1, NULL);
    }
    store_wait(k->store);
    return finished + 1;
}

static void a_crash_loses_nothing_that_was_durable(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    const char *told = getenv("AGON_STORE_CRASHES");
    int rounds = told ? atoi(told) : 20;
    uint32_t first = 1, seed = 1;
    kit_put_agents(k, SEATS);
    for (int round = 0; round < rounds; round++) {
        kit_close(k);
        seed = seed * 1664525u + 1013904223u;
        store_ticket durable = run_and_kill(k, first, 1 + (int)(seed >> 29), (seed >> 8) % 500000);
        kit_open(k);
        uint32_t next = audit(k, first, durable, round == 0);
        assert_true(next > first);
        first = next;
    }
    print_message("%d crashes, %u matches\n", rounds, first - 1);
}

// --- a full disk

static void fill_the_disk(struct kit *k, int out)
{
    struct store_agent a = kit_agent(1);
    store_ticket durable = 0;
    struct rlimit limit = {1 << 20, 1 << 20};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || !(k->store = store_open(&k->options, (char[512]){0}, 512)))
        _exit(3);
    for (uint32_t n = 2; store_collect(k->store, &durable) == OK; n++) {
        a = kit_agent(n);
        memset(a.description, 'x', sizeof a.description - 1);
        store_put_agent(k->store, &a);
        store_submit(k->store);
        if (n % 4 == 0)
            store_wait(k->store);
    }
    bool said = strstr(store_fault(k->store), "cannot write the data") != NULL;
    store_put_agent(k->store, &a); // and from then on nothing happens, quickly
    store_wait(k->store);
    store_ticket after;
    bool stays = store_collect(k->store, &after) == ERR_STORAGE && after == durable;
    store_close(k->store);
    _exit(said && stays && write(out, &durable, sizeof durable) == sizeof durable ? 0 : 6);
}

static void a_full_disk_fails_for_ever_and_keeps_the_rest(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state; // F8.6
    int pipes[2], status, total;
    store_ticket durable = 0;
    struct store_agent got;
    kit_put_agents(k, 1);
    kit_close(k);
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0)
        fill_the_disk(k, pipes[1]);
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &durable, sizeof durable), sizeof durable);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(durable > 20);
    kit_open(k);
    store_list_agents(k->store, -1, 0, &got, 1, &total);
    assert_int_equal(total, durable + 1);
    assert_true(store_find_agent(k->store, kit_uuid('a', (uint32_t)durable + 1), &got));
    kit_put_agents(k, 3); // there is room again
}

// --- somebody else's lock

static void another_writer_is_waited_for_but_not_for_ever(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    char path[128];
    sqlite3 *other;
    struct store_agent a = kit_agent(1), got;
    store_ticket durable;
    k->options.busy_ms = HOUR_MS;
    kit_reopen(k);
    struct pollfd p = {store_descriptor(k->store), POLLIN, 0};
    snprintf(path, sizeof path, "%s/agon.db", k->folder);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    store_put_agent(k->store, &a);
    store_submit(k->store);
    assert_int_equal(poll(&p, 1, 20), 0); // it neither writes nor gives up
    assert_int_equal(store_collect(k->store, &durable), OK);
    assert_int_equal(durable, 0);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    store_wait(k->store);
    assert_true(store_find_agent(k->store, a.id, &got));

    k->options.busy_ms = 50;
    kit_reopen(k);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    store_put_agent(k->store, &a);
    store_submit(k->store);
    wait_readable(k);
    assert_int_equal(store_collect(k->store, &durable), ERR_STORAGE);
    assert_non_null(strstr(store_fault(k->store), "locked"));
    sqlite3_close(other);
}

// An agent that was never put cannot sit down: nothing of the batch is there.
static void a_batch_is_written_wholly_or_not_at_all(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 2), got;
    struct store_agent a = kit_agent(1), found;
    store_ticket durable;
    store_put_agent(k->store, &a);
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    store_wait(k->store);
    assert_int_equal(store_collect(k->store, &durable), ERR_STORAGE);
    assert_int_equal(durable, 0);
    assert_false(store_find_match(k->store, m.id, &got));
    kit_reopen(k);
    assert_false(store_find_agent(k->store, a.id, &found));
    assert_false(store_find_match(k->store, m.id, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(tickets_count_puts_and_become_durable),
        KIT_TEST(a_full_queue_blocks_and_loses_nothing),
        KIT_TEST(a_pace_gathers_and_a_wait_hurries),
        KIT_TEST(a_crash_loses_nothing_that_was_durable),
        KIT_TEST(a_full_disk_fails_for_ever_and_keeps_the_rest),
        KIT_TEST(another_writer_is_waited_for_but_not_for_ever),
        KIT_TEST(a_batch_is_written_wholly_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
