// What is PostgreSQL's own: the fence, a batch in doubt, refusals, partitions, a server that goes away and comes back.
// Without AGON_TEST_POSTGRES (test/support/with-postgres) there is nothing to test.
#include "store_kit.h"

#include "store/pg/internal.h"

#include <pthread.h>

enum { DEADLINE_MS = 40000 };

// The first number of the answer; -1: there is none.
static int64_t sql(const char *text)
{
    char command[2048], line[64] = "";
    snprintf(command, sizeof command, "psql -qAtX \"$AGON_TEST_POSTGRES\" -c \"%s\"", text);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    bool there = fgets(line, sizeof line, f) != NULL;
    assert_int_equal(pclose(f), 0);
    return there && line[0] != '\n' ? strtoll(line, NULL, 10) : -1;
}

static void wait_for(const char *text, int64_t want)
{
    for (int64_t until = pg_now_ms() + DEADLINE_MS; sql(text) != want; poll(NULL, 0, 20))
        if (pg_now_ms() > until)
            fail_msg("%s is not %lld", text, (long long)want);
}

static void turn(struct kit *k)
{
    store_ticket durable;
    struct pollfd fd = {store_descriptor(k->store), POLLIN, 0};
    store_submit(k->store);
    poll(&fd, 1, 50);
    store_collect(k->store, &durable);
}

static void turn_until_durable(struct kit *k, store_ticket ticket)
{
    for (int64_t until = pg_now_ms() + DEADLINE_MS; store_durable(k->store) < ticket; turn(k))
        if (pg_now_ms() > until || store_fault(k->store)[0])
            fail_msg("ticket %llu is not durable: %s", (unsigned long long)ticket, store_fault(k->store));
}

static void begin_one(struct kit *k, struct store_match *m, uint32_t n)
{
    *m = kit_match(n, "coup", 2);
    store_begin_match(k->store, m, NULL, SPAN("head"));
    store_append(k->store, m->id, m->created_ms + 1, SPAN("one"), (struct span){0});
}

// S12: what was committed and not told is told once, and not put again.
static void a_batch_in_doubt_that_happened_is_not_put_again(void **state)
{
    struct kit *k = *state;
    struct store_match m;
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    int64_t before = sql("SELECT batch FROM nodes");
    begin_one(k, &m, 1);
    store_submit(k->store);
    wait_for("SELECT batch FROM nodes", before + 1);
    link_lose(&pg_of(k->store)->writer, "cut by the test");
    turn(k);
    assert_true(store_durable(k->store) < store_last(k->store));
    turn_until_durable(k, store_last(k->store));
    assert_int_equal(kit_read_log(k, &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| ");
    assert_int_equal(sql("SELECT count(*) FROM running"), 1);
    assert_int_equal(sql("SELECT sum(active) FROM agent_state"), 2);
}

// S12: the connection breaks while the server still works on the batch; the same batch is put again behind it. One of
// the two is refused by the fence, and which one does not matter.
static void a_batch_in_doubt_that_is_under_way_happens_once(void **state)
{
    struct kit *k = *state;
    struct store_match m;
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    FILE *holder = popen("psql -qAtX \"$AGON_TEST_POSTGRES\"", "w");
    assert_non_null(holder);
    fputs("BEGIN; LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE;\n", holder);
    fflush(holder);
    wait_for("SELECT count(*) FROM pg_locks WHERE mode = 'ShareRowExclusiveLock' AND granted AND relation = "
             "'nodes'::regclass",
             1);
    begin_one(k, &m, 1);
    store_submit(k->store);
    wait_for("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'nodes'::regclass", 1);
    link_lose(&pg_of(k->store)->writer, "cut by the test");
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !pg_of(k->store)->sent_flight; turn(k)) // put again
        assert_true(pg_now_ms() < until);
    fputs("COMMIT;\n", holder);
    assert_int_equal(pclose(holder), 0);
    turn_until_durable(k, store_last(k->store));
    assert_int_equal(kit_read_log(k, &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| ");
    assert_int_equal(sql("SELECT count(*) FROM running"), 1);
    struct store_match next;
    begin_one(k, &next, 2); // and it goes on
    turn_until_durable(k, store_last(k->store));
}

// S10, S11, S13: a server that stands still for a lease is taken over; what it puts when it wakes does not happen.
static void whoever_was_taken_over_writes_nothing(void **state)
{
    struct kit *k = *state;
    struct store_match m;
    struct kit other = *k;
    kit_put_agents(k, 2);
    begin_one(k, &m, 1);
    turn_until_durable(k, store_last(k->store));
    char why[512] = "";
    assert_null(store_open(&other.options, why, sizeof why)); // a command does not put a server out that hangs
    assert_non_null(strstr(why, "in use by server"));
    other.options.takes_over = true;
    kit_open(&other); // the first one does nothing meanwhile
    assert_int_equal(sql("SELECT count(*) FROM nodes"), 1);
    assert_int_equal(sql("SELECT count(*) FROM running r JOIN nodes n ON n.epoch = r.host"), 1);
    store_append(k->store, m.id, m.created_ms + 2, SPAN("two"), (struct span){0});
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_fault(k->store)[0]; turn(k))
        assert_true(pg_now_ms() < until);
    assert_non_null(strstr(store_fault(k->store), "taken over"));
    assert_int_equal(sql("SELECT count(*) FROM pieces"), 2);
    store_append(other.store, m.id, m.created_ms + 3, SPAN("three"), (struct span){0});
    store_wait(other.store);
    struct kit_log log = {0};
    assert_int_equal(kit_read_log(&other, &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 3:three| ");
    kit_close(&other);
}

struct opener {
    struct store_options options;
    struct store *store;
    char why[512];
    atomic_bool done;
    const struct opener *other;
};

static void *open_and_work(void *arg)
{
    struct opener *o = arg;
    store_ticket durable;
    o->store = store_open(&o->options, o->why, sizeof o->why);
    atomic_store(&o->done, true);
    while (o->store && !atomic_load(&o->other->done)) {
        struct pollfd fd = {store_descriptor(o->store), POLLIN, 0};
        store_submit(o->store);
        poll(&fd, 1, 50);
        store_collect(o->store, &durable);
    }
    return NULL;
}

// S13
static void of_two_that_open_at_once_one_has_the_arena(void **state)
{
    struct kit *k = *state;
    kit_close(k);
    struct opener both[2] = {{.options = k->options}, {.options = k->options}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        both[i].other = &both[1 - i];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, open_and_work, &both[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_true(!both[0].store != !both[1].store);
    assert_non_null(strstr(both[both[0].store ? 1 : 0].why, "in use by server"));
    assert_int_equal(sql("SELECT count(*) FROM nodes"), 1);
    store_close(both[0].store);
    store_close(both[1].store);
}

// S13: a server without a session counted a batch between the look and the takeover.
static void a_server_that_moves_while_it_is_taken_over_is_left_alone(void **state)
{
    struct kit *k = *state;
    char why[512] = "";
    kit_close(k);
    sql("CREATE OR REPLACE FUNCTION take_over(dead bigint, seen bigint, targets bigint[]) RETURNS int LANGUAGE sql AS "
        "'SELECT 0'");
    sql("INSERT INTO nodes(name, address, program, rules, backend) VALUES('quick', '', 1, '{1}', 0)");
    assert_null(store_open(&k->options, why, sizeof why));
    assert_non_null(strstr(why, "in use by server quick"));
    assert_int_equal(sql("SELECT count(*) FROM nodes"), 1);
}

// What a connection that was given up waits for does not wait on: it would take one place after the other.
static void a_connection_that_was_given_up_ends(void **state)
{
    struct kit *k = *state;
    struct store_match m;
    char is_there[96];
    kit_put_agents(k, 2);
    FILE *holder = popen("psql -qAtX \"$AGON_TEST_POSTGRES\"", "w");
    assert_non_null(holder);
    fputs("BEGIN; LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE;\n", holder);
    fflush(holder);
    wait_for("SELECT count(*) FROM pg_locks WHERE mode = 'ShareRowExclusiveLock' AND granted AND relation = "
             "'nodes'::regclass",
             1);
    begin_one(k, &m, 1);
    store_submit(k->store);
    wait_for("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'nodes'::regclass", 1);
    snprintf(is_there, sizeof is_there, "SELECT count(*) FROM pg_stat_activity WHERE pid = %lld",
             (long long)sql("SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'nodes'::regclass"));
    link_lose(&pg_of(k->store)->writer, "cut by the test");
    wait_for(is_there, 0);
    fputs("COMMIT;\n", holder);
    assert_int_equal(pclose(holder), 0);
    turn_until_durable(k, store_last(k->store));
}

// S41: a node computes from its own results before they are confirmed. Another one's result brings the version that the
// second one of these names, so it must be refused with the first: in the same batch, in the next one, and until the
// lobby was told.
static void what_follows_a_refused_result_is_refused(void **state)
{
    struct kit *k = *state;
    struct store_match m[3];
    struct store_refusal refused;
    struct store_rating r = kit_rating(1, "coup", 1510, 90);
    kit_put_agents(k, 2);
    store_put_rating(k->store, &r, (struct uuid){0});
    for (int i = 0; i < 3; i++) {
        begin_one(k, &m[i], (uint32_t)i + 1);
        kit_end(&m[i]);
    }
    turn_until_durable(k, store_last(k->store));
    for (int apart = 0; apart < 2; apart++) {
        assert_int_equal(sql("UPDATE ratings SET version = 7 RETURNING version"), 7);
        for (int i = 0; i < 3; i++) {
            r.version = 6 + (uint64_t)i;
            store_finish_match(k->store, &m[i], NULL, m[i].finished_ms, SPAN("end"), &r, 1, NULL);
            if (apart && i == 0)
                store_submit(k->store);
        }
        for (int i = 0; i < 3; i++) {
            for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_take_refusal(k->store, &refused); turn(k))
                assert_true(pg_now_ms() < until);
            assert_int_equal(refused.reason, STORE_MOVED);
            assert_true(uuid_equals(refused.match, m[i].id));
            store_settle(k->store, refused.ticket, refused.ticket);
        }
        assert_int_equal(sql("SELECT count(*) FROM matches"), 0);
        assert_int_equal(sql("SELECT version FROM ratings"), 7);
    }
}

static struct store_match many_match(uint32_t n, uint32_t first)
{
    struct store_match m = kit_match(n, n % 2 ? "coup" : "belote", 2);
    for (int i = 0; i < 2; i++) {
        m.seat[i].agent = kit_uuid('a', first + (uint32_t)i);
        m.seat[i].places = 1;
    }
    return m;
}

static store_ticket end_rated(struct kit *k, struct store_match *m, uint32_t first, uint64_t one, uint64_t other)
{
    struct store_rating r[2];
    kit_end(m);
    m->rated = true;
    for (uint32_t i = 0; i < 2; i++) {
        r[i] = kit_rating(first + i, m->game, 1510, 90);
        r[i].version = i ? other : one;
    }
    return store_finish_match(k->store, m, NULL, m->finished_ms, SPAN("end"), r, 2, NULL);
}

static void expect_refusal(struct kit *k, const struct store_match *m, enum store_reason why, store_ticket *ticket)
{
    struct store_refusal refused;
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_take_refusal(k->store, &refused); turn(k))
        assert_true(pg_now_ms() < until);
    assert_int_equal(refused.reason, why);
    assert_true(uuid_equals(refused.match, m->id));
    *ticket = refused.ticket;
}

// S40 to S42: matches of a batch begin and end together; each is granted or refused by itself.
static void matches_of_one_batch_are_granted_one_by_one(void **state)
{
    enum { MANY = 40, MOVED = 7, AGENTS = 2 * MANY + 2 };
    struct kit *k = *state;
    struct store_match m[MANY], next[MANY], crowd, twice[2];
    struct store_rating moved = kit_rating(2 * MOVED + 2, "belote", 1510, 90);
    struct kit_log log = {0};
    store_ticket ticket;
    kit_put_agents(k, AGENTS);
    for (uint32_t i = 0; i < MANY; i++) {
        m[i] = many_match(i + 1, 2 * i + 1);
        store_begin_match(k->store, &m[i], NULL, SPAN("head"));
    }
    crowd = many_match(500, 1); // its agents have just begun another match
    store_begin_match(k->store, &crowd, NULL, SPAN("head"));
    expect_refusal(k, &crowd, STORE_NO_PLACE, &ticket);
    store_settle(k->store, ticket, ticket);
    assert_int_equal(sql("SELECT count(*) FROM running"), MANY);
    store_put_rating(k->store, &moved, (struct uuid){0});
    store_wait(k->store);

    for (uint32_t i = 0; i < MANY; i++) {
        store_append(k->store, m[i].id, m[i].created_ms + 1, SPAN("one"), (struct span){0});
        end_rated(k, &m[i], 2 * i + 1, 0, 0);
        next[i] = many_match(i + 101, 2 * i + 1);
        store_begin_match(k->store, &next[i], NULL, SPAN("head"));
    }
    for (uint32_t i = 0; i < 2; i++) { // begun and ended within the batch, one after the other
        twice[i] = many_match(201 + 2 * i, AGENTS - 1);
        store_begin_match(k->store, &twice[i], NULL, SPAN("head"));
        end_rated(k, &twice[i], AGENTS - 1, i, i);
    }
    expect_refusal(k, &m[MOVED], STORE_MOVED, &ticket);
    store_settle(k->store, ticket, ticket);
    expect_refusal(k, &next[MOVED], STORE_NO_PLACE, &ticket);
    store_settle(k->store, ticket, ticket);
    assert_int_equal(sql("SELECT count(*) FROM matches"), MANY - 1 + 2);
    assert_int_equal(sql("SELECT count(*) FROM running"), MANY);
    assert_int_equal(sql("SELECT sum(active) FROM agent_state"), 2 * MANY);
    assert_int_equal(sql("SELECT count(*) FROM ratings WHERE version = 1"), 2 * (MANY - 1));
    assert_int_equal(sql("SELECT count(*) FROM ratings WHERE version = 2"), 2);
    assert_int_equal(sql("SELECT count(*) FROM lists WHERE size = 1"), 4 * (MANY - 1));
    assert_int_equal(sql("SELECT count(*) FROM lists WHERE size = 2"), 4);
    assert_int_equal(sql("SELECT sum(games) FROM versus"), 2 * (MANY - 1 + 2));
    assert_int_equal(sql("SELECT sum(ended) FROM tallies WHERE hour = -1"), MANY - 1 + 2);
    assert_int_equal(sql("SELECT sum(listed) FROM tallies WHERE hour >= 0"), MANY - 1 + 2);
    assert_int_equal(sql("SELECT count(DISTINCT finish_no) FROM matches"), MANY - 1 + 2);
    assert_int_equal(
        sql("SELECT count(*) FROM seats s JOIN matches m USING (match) WHERE s.finished = m.finished AND s.game = "
            "m.game AND s.place IS NOT NULL AND (s.seat = 0) = (s.result = 119)"),
        2 * (MANY - 1 + 2));
    for (uint32_t i = 0; i < MANY; i++) {
        struct store_match found;
        assert_true(store_find_match(k->store, m[i].id, &found));
        assert_true(uuid_equals(found.seat[1].agent, kit_uuid('a', 2 * i + 2)));
        assert_int_equal(found.status, i == MOVED ? STORE_RUNNING : STORE_FINISHED);
        kit_read_log(k, &m[i], &log);
        assert_string_equal(log.text, i == MOVED ? "0:head| 1:one| " : "0:head| 1:one| 500:end| ");
    }
    turn_until_durable(k, end_rated(k, &m[MOVED], 2 * MOVED + 1, 0, moved.games));
    assert_int_equal(sql("SELECT count(*) FROM matches"), MANY + 2);
    assert_int_equal(sql("SELECT sum(active) FROM agent_state"), 2 * (MANY - 1));
}

// S41: a result that was computed from an older rating is refused, computed again and counts once.
static void a_result_from_an_older_rating_is_refused(void **state)
{
    struct kit *k = *state;
    struct store_match m;
    struct store_refusal refused;
    struct store_rating r[2] = {kit_rating(1, "coup", 1510, 90), kit_rating(2, "coup", 1490, 90)}, now[2];
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    store_put_rating(k->store, &r[0], (struct uuid){0});
    begin_one(k, &m, 1);
    kit_end(&m);
    m.rated = true;
    store_ticket first = store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), r, 2, NULL);
    for (int i = 0; i < 2; i++) { // the second time, what replaces it is refused
        for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_take_refusal(k->store, &refused); turn(k))
            assert_true(pg_now_ms() < until);
        assert_int_equal(refused.reason, STORE_MOVED);
        assert_int_equal(refused.ticket, first);
        assert_true(uuid_equals(refused.match, m.id));
        assert_true(store_durable(k->store) < first);
        assert_int_equal(sql("SELECT count(*) FROM matches"), 0);
        if (i == 0)
            store_settle(k->store, first,
                         store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), r, 2, NULL));
    }
    assert_int_equal(store_ratings(k->store, r[0].agent, now, 2), 1);
    r[0].version = now[0].version;
    store_ticket second = store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), r, 2, NULL);
    store_settle(k->store, first, second);
    turn_until_durable(k, second);
    assert_int_equal(sql("SELECT count(*) FROM matches"), 1);
    assert_int_equal(sql("SELECT max(size) FROM lists"), 1);
    assert_int_equal(sql("SELECT count(*) FROM running"), 0);
    assert_int_equal(sql("SELECT sum(active) FROM agent_state"), 0);
    assert_int_equal(kit_read_log(k, &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 500:end| ");
}

// S40: what has been begun is not begun again.
static void a_match_that_began_before_is_refused(void **state)
{
    struct kit *k = *state;
    struct store_refusal refused;
    struct store_match m = kit_match(1, "coup", 2), again = m;
    kit_put_agents(k, 2);
    kit_play(k, &m);
    store_wait(k->store);
    store_ticket ticket = store_begin_match(k->store, &again, NULL, SPAN("head"));
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_take_refusal(k->store, &refused); turn(k))
        assert_true(pg_now_ms() < until);
    assert_int_equal(refused.reason, STORE_BEGAN_BEFORE);
    store_settle(k->store, ticket, store_last(k->store));
    turn_until_durable(k, ticket);
    assert_int_equal(sql("SELECT count(*) FROM running"), 0);
    assert_int_equal(sql("SELECT sum(active) FROM agent_state"), 0);
}

// S31: pieces go with their partition. A match that lasts longer is folded first, and its log stays whole.
static void pieces_go_with_their_partition(void **state)
{
    struct kit *k = *state;
    struct store_match old;
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    begin_one(k, &old, 1);
    store_wait(k->store);
    assert_int_equal(sql("SELECT count(*) FROM pg_class WHERE relname = 'pieces_0'"), 1);
    sql("SELECT setval('row_blocks', 399)");
    sql("SELECT take_rows(epoch) FROM nodes");
    assert_int_equal(sql("SELECT count(*) FROM pg_class WHERE relname = 'pieces_0'"), 0);
    assert_int_equal(sql("SELECT count(*) FROM pieces"), 0);
    store_append(k->store, old.id, old.created_ms + 2, SPAN("two"), (struct span){0});
    store_wait(k->store);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(kit_read_log(k, &old, &log), OK);
        assert_string_equal(log.text, "0:head| 1:one| 2:two| ");
        kit_reopen(k);
    }
    store_append(k->store, old.id, old.created_ms + 3, SPAN("three"), (struct span){0});
    kit_end(&old);
    store_finish_match(k->store, &old, NULL, old.finished_ms, SPAN("end"), NULL, 0, NULL);
    store_wait(k->store);
    assert_int_equal(kit_read_log(k, &old, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 2:two| 3:three| 500:end| ");
    assert_int_equal(sql("SELECT count(*) FROM pieces_rest"), 0);
    struct store_counts counts;
    store_count(k->store, &counts);
    assert_int_equal(counts.actions, 3);
}

static void damage_to_a_log_is_noticed(void **state)
{
    struct kit *k = *state;
    struct kit_log log = {0};
    struct store_match m[4];
    static const char *const harm[] = {
        "UPDATE pieces SET body = set_byte(body, 9, 255) WHERE number = 1 AND match = (SELECT min(match) FROM pieces)",
        "UPDATE pieces SET number = 7 WHERE number = 0 AND match = (SELECT min(match) + 1 FROM pieces)",
        "DELETE FROM pieces WHERE match = (SELECT min(match) + 2 FROM pieces)",
    };
    kit_put_agents(k, 2);
    for (uint32_t n = 0; n < 4; n++)
        begin_one(k, &m[n], n + 1);
    store_wait(k->store);
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++)
        sql(harm[i]);
    for (int n = 0; n < 4; n++)
        assert_int_equal(kit_read_log(k, &m[n], &log), n < 3 ? ERR_FORMAT : OK);
}

struct reading { // of a job that looks at the count whenever it goes on, as a request does
    struct store *store;
    struct work *work;
    uint64_t before, met;
    bool done;
};

static void on_switch(void *arg, bool enters)
{
    struct reading *r = arg;
    if (enters)
        r->before = store_damages(r->store);
}

static void read_as_job(void *arg)
{
    struct reading *r = arg;
    struct store_pairing pairing;
    work_watch(r->work, on_switch, r);
    assert_false(store_find_pairing(r->store, (const uint8_t[STORE_HASH]){1}, &pairing));
    r->met = store_damages(r->store) - r->before;
    r->done = true;
}

// Others read while a job waits: what it met is counted when it goes on.
static void damage_is_counted_for_the_job_that_met_it(void **state)
{
    struct kit *k = *state;
    kit_close(k);
    struct work *w = k->options.work = work_create();
    kit_open(k);
    struct reading r = {.store = k->store, .work = w};
    sql("ALTER TABLE pairings RENAME TO elsewhere");
    work_begin_turn(w);
    work_start(w, read_as_job, &r);
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !r.done; work_run_ready(w)) {
        assert_true(pg_now_ms() < until);
        turn(k);
        work_begin_turn(w);
    }
    assert_int_equal(r.met, 1);
    assert_int_equal(store_unanswered(k->store), 0);
    kit_close(k);
    work_destroy(w);
}

static void control(const char *what)
{
    char command[64];
    snprintf(command, sizeof command, "\"$AGON_TEST_POSTGRES_CTL\" %s", what);
    assert_int_equal(system(command), 0);
}

// The server is killed and started again: nothing is lost, nothing is doubled, and whoever reads meanwhile is told so.
static void a_server_that_goes_away_comes_back(void **state)
{
    struct kit *k = *state;
    struct store_match m;
    struct store_agent got;
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    begin_one(k, &m, 1);
    turn_until_durable(k, store_last(k->store));
    control("stop");
    store_append(k->store, m.id, m.created_ms + 2, SPAN("two"), (struct span){0});
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_is_away(k->store); turn(k))
        assert_true(pg_now_ms() < until);
    uint64_t unanswered = store_unanswered(k->store);
    assert_false(store_find_agent(k->store, kit_uuid('a', 1), &got));
    assert_int_equal(store_unanswered(k->store), unanswered + 1);
    store_append(k->store, m.id, m.created_ms + 3, SPAN("three"), (struct span){0});
    turn(k);
    assert_true(store_durable(k->store) < store_last(k->store) - 1);
    control("start");
    turn_until_durable(k, store_last(k->store));
    assert_false(store_is_away(k->store));
    assert_true(store_find_agent(k->store, kit_uuid('a', 1), &got));
    assert_int_equal(kit_read_log(k, &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 2:two| 3:three| ");
}

// The writer alone does not make a store: with no connection for reads every read would wait in vain.
static void a_store_without_readers_is_away(void **state)
{
    struct kit *k = *state;
    struct pg *p = pg_of(k->store);
    struct store_agent got;
    kit_put_agents(k, 1);
    turn_until_durable(k, store_last(k->store));
    for (int i = 0; i < PG_READERS; i++) {
        link_lose(&p->reader[i], "the test has closed it");
        p->reader[i].retry_ms = INT64_MAX;
        turn(k);
        assert_int_equal(store_is_away(k->store), i == PG_READERS - 1);
    }
    assert_string_equal(store_absence(k->store), "the test has closed it");
    p->reader[0].retry_ms = 0;
    for (int64_t until = pg_now_ms() + DEADLINE_MS; store_is_away(k->store); turn(k))
        assert_true(pg_now_ms() < until);
    assert_true(store_find_agent(k->store, kit_uuid('a', 1), &got));
}

// S14: a node that has nothing to do is seen to be alive.
static void a_node_without_work_renews_its_lease(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 1);
    int64_t before = sql("SELECT batch FROM nodes");
    for (int64_t until = pg_now_ms() + DEADLINE_MS; sql("SELECT batch FROM nodes") < before + 2; turn(k))
        assert_true(pg_now_ms() < until);
}

// S42: another node locks the same agents in its own order; the batch waits for it, or is put again.
static void a_batch_waits_for_the_agents_of_another_node(void **state)
{
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 2);
    kit_put_agents(k, 2);
    kit_play(k, &m);
    store_wait(k->store);
    FILE *holder = popen("psql -qAtX \"$AGON_TEST_POSTGRES\"", "w");
    assert_non_null(holder);
    fputs("BEGIN; SELECT FROM agent_state WHERE agent = 2 FOR UPDATE;\n", holder);
    fflush(holder);
    wait_for(
        "SELECT count(*) FROM pg_locks WHERE mode = 'RowShareLock' AND granted AND relation = 'agent_state'::regclass",
        1);
    struct store_match next = kit_match(2, "coup", 2);
    kit_play(k, &next);
    store_submit(k->store);
    wait_for("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'", 1);
    fputs("SELECT FROM agent_state WHERE agent = 1 FOR UPDATE; COMMIT;\n", holder); // the other way round: a deadlock
    pclose(holder);
    turn_until_durable(k, store_last(k->store));
    assert_int_equal(sql("SELECT count(*) FROM matches"), 2);
    assert_int_equal(sql("SELECT max(size) FROM lists"), 2);
}

// S73: the store comes back from an older copy.
static void a_store_that_has_lost_a_batch_is_noticed(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 1);
    sql("UPDATE nodes SET batch = batch - 1");
    link_lose(&pg_of(k->store)->writer, "cut by the test");
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_fault(k->store)[0]; turn(k))
        assert_true(pg_now_ms() < until);
    assert_non_null(strstr(store_fault(k->store), "lost what it had confirmed"));
}

// S32: a match lies in the partition of the month in which it ended.
static void matches_lie_in_their_month(void **state)
{
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 2), early = kit_match(2, "coup", 2);
    kit_put_agents(k, 2);
    sql("SELECT make_month(1700000000000)"); // KIT_START
    kit_play(k, &m);
    early.created_ms = early.started_ms = 86400000; // of 1970: no month was made for it
    kit_play(k, &early);
    store_wait(k->store);
    assert_int_equal(sql("SELECT count(*) FROM matches_2023_11"), 1);
    assert_int_equal(sql("SELECT count(*) FROM seats_2023_11"), 2);
    assert_int_equal(sql("SELECT count(*) FROM logs_2023_11"), 1);
    assert_int_equal(sql("SELECT count(*) FROM matches_rest"), 1);
}

// On the 31st as well, though the next month is shorter.
static void the_months_to_come_are_made(void **state)
{
    struct kit *k = *state;
    kit_close(k);
    k->options.now_ms = 1769860800000; // 31 January 2026
    kit_open(k);
    assert_int_equal(sql("SELECT count(*) FROM pg_class WHERE relname IN ('matches_2026_01', 'matches_2026_02')"), 2);
}

// Names are Unicode.
static void a_database_of_another_encoding_is_refused(void **state)
{
    struct kit *k = *state;
    struct store_options o = k->options;
    char url[256], why[512] = "";
    const char *name = strstr(o.url, "/postgres?");
    assert_non_null(name);
    snprintf(url, sizeof url, "%.*s/latin?%s", (int)(name - o.url), o.url, name + strlen("/postgres?"));
    o.url = url;
    sql("DROP DATABASE IF EXISTS latin");
    sql("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    assert_null(store_open(&o, why, sizeof why));
    assert_non_null(strstr(why, "encoding is LATIN1"));
    sql("DROP DATABASE latin");
}

// S36: an arena whose tables a newer program made, which no longer fit this one.
static void an_arena_of_a_newer_program_is_refused(void **state)
{
    struct kit *k = *state;
    char why[512] = "", back[96];
    kit_close(k);
    snprintf(back, sizeof back, "UPDATE arena SET schema = %lld, oldest_reader = %lld",
             (long long)sql("SELECT schema FROM arena"), (long long)sql("SELECT oldest_reader FROM arena"));
    sql("UPDATE arena SET schema = 99, oldest_reader = 99");
    assert_null(store_open(&k->options, why, sizeof why));
    assert_non_null(strstr(why, "made by a newer version of agon"));
    sql(back);
    kit_open(k);
}

// S36: what later steps replaced is not made again, and a program that would call it is refused.
static void a_new_arena_has_each_function_once(void **state)
{
    (void)state;
    assert_int_equal(
        sql("SELECT count(*) - count(DISTINCT proname) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"), 0);
    assert_int_equal(sql("SELECT oldest_reader FROM arena"), 7);
}

static void an_address_is_told_from_others(void **state)
{
    (void)state;
    assert_true(pg_is_url("postgresql://a:b@h:5432/d"));
    assert_true(pg_is_url("postgres:///d?host=/tmp"));
    assert_false(pg_is_url("sqlite:/tmp"));
    assert_false(pg_is_url("postgresql:"));
}

static void an_address_that_cannot_be_read_is_not_quoted(void **state)
{
    (void)state;
    static const char *const addresses[] = {"postgresql://u:pass%word@127.0.0.1/d", "postgresql://u:password@[::1/d",
                                            "postgresql://127.0.0.1/d?password"};
    for (int i = 0; i < COUNT_OF(addresses); i++) {
        struct store_options o;
        char why[512] = "";
        store_defaults(&o);
        o.engine = &store_pg;
        o.url = addresses[i];
        assert_null(store_open(&o, why, sizeof why));
        assert_non_null(strstr(why, "the address of the store cannot be read"));
        assert_null(strstr(why, "pass%word"));
        assert_null(strstr(why, "u:pass"));
    }
}

int main(void)
{
    const struct CMUnitTest here[] = {cmocka_unit_test(an_address_is_told_from_others),
                                      cmocka_unit_test(an_address_that_cannot_be_read_is_not_quoted)};
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_batch_in_doubt_that_happened_is_not_put_again),
        KIT_TEST(a_batch_in_doubt_that_is_under_way_happens_once),
        KIT_TEST(whoever_was_taken_over_writes_nothing),
        KIT_TEST(of_two_that_open_at_once_one_has_the_arena),
        KIT_TEST(a_server_that_moves_while_it_is_taken_over_is_left_alone),
        KIT_TEST(a_connection_that_was_given_up_ends),
        KIT_TEST(what_follows_a_refused_result_is_refused),
        KIT_TEST(a_result_from_an_older_rating_is_refused),
        KIT_TEST(matches_of_one_batch_are_granted_one_by_one),
        KIT_TEST(a_match_that_began_before_is_refused),
        KIT_TEST(pieces_go_with_their_partition),
        KIT_TEST(damage_to_a_log_is_noticed),
        KIT_TEST(damage_is_counted_for_the_job_that_met_it),
        KIT_TEST(a_server_that_goes_away_comes_back),
        KIT_TEST(a_store_without_readers_is_away),
        KIT_TEST(a_node_without_work_renews_its_lease),
        KIT_TEST(a_batch_waits_for_the_agents_of_another_node),
        KIT_TEST(a_store_that_has_lost_a_batch_is_noticed),
        KIT_TEST(matches_lie_in_their_month),
        KIT_TEST(the_months_to_come_are_made),
        KIT_TEST(a_database_of_another_encoding_is_refused),
        KIT_TEST(a_new_arena_has_each_function_once),
        KIT_TEST(an_arena_of_a_newer_program_is_refused),
    };
    int failed = cmocka_run_group_tests(here, NULL, NULL);
    return kit_is_elsewhere() ? failed + cmocka_run_group_tests(tests, NULL, NULL) : failed;
}
