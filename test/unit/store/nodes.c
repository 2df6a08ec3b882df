// Several nodes on one PostgreSQL store: epochs, takeovers, roles, presence, news. Without
// AGON_TEST_POSTGRES (test/support/with-postgres) there is nothing to test.
#include "store_kit.h"

#include "store/pg/internal.h"

enum { DEADLINE_MS = 40000, LEASE_MS = 2000 };

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

// --- two nodes and a third one

enum { NODES = 3 };
struct trio {
    struct kit *k;
    struct kit at[NODES]; // store NULL: it is not there, or stands still
};

static int trio_setup(void **state)
{
    static const char *const games[] = {"coup", NULL};
    struct trio *t = calloc(1, sizeof *t);
    void *kit = NULL;
    if (kit_setup(&kit) != 0)
        return -1;
    t->k = kit;
    kit_put_agents(t->k, 4);
    kit_close(t->k);
    t->k->options.lease_ms = LEASE_MS;
    t->k->options.takes_over = true;
    t->k->options.min_rated = 1;
    t->k->options.games = games;
    for (int i = 0; i < NODES; i++)
        t->at[i] = *t->k;
    static const char *const names[NODES] = {"north", "south", "west"};
    for (int i = 0; i < NODES; i++)
        t->at[i].options.node = names[i];
    *state = t;
    return 0;
}

static int trio_teardown(void **state)
{
    struct trio *t = *state;
    void *kit = t->k;
    for (int i = 0; i < NODES; i++)
        store_close(t->at[i].store);
    free(t);
    return kit_teardown(&kit);
}

#define TRIO_TEST(name) cmocka_unit_test_setup_teardown(name, trio_setup, trio_teardown)

static void open_two(struct trio *t)
{
    kit_open(&t->at[0]);
    kit_open(&t->at[1]);
}

static void turn_one(struct kit *k)
{
    store_ticket durable;
    if (!k->store)
        return;
    store_submit(k->store);
    store_collect(k->store, &durable);
}

static void turn(struct trio *t)
{
    for (int i = 0; i < NODES; i++)
        turn_one(&t->at[i]);
    poll(NULL, 0, 10);
}

// Turns all nodes until `k` hears news of this kind.
static struct store_news hear(struct trio *t, struct kit *k, enum store_news_kind kind)
{
    struct store_news news;
    for (int64_t until = pg_now_ms() + DEADLINE_MS; pg_now_ms() < until; turn(t))
        while (store_take_news(k->store, &news))
            if (news.kind == kind)
                return news;
    fail_msg("no news of kind %d", (int)kind);
    return (struct store_news){0};
}

static void settle(struct trio *t, struct kit *k)
{
    for (int64_t until = pg_now_ms() + DEADLINE_MS; store_durable(k->store) < store_last(k->store); turn(t))
        if (pg_now_ms() > until || store_fault(k->store)[0])
            fail_msg("not durable: %s", store_fault(k->store));
}

static struct store_refusal await_refusal(struct trio *t, struct kit *k)
{
    struct store_refusal r;
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_take_refusal(k->store, &r); turn(t))
        assert_true(pg_now_ms() < until);
    return r;
}

static void begin_one(struct kit *k, struct store_match *m, uint32_t n)
{
    *m = kit_match(n, "coup", 2);
    store_begin_match(k->store, m, NULL, SPAN("head"));
    store_append(k->store, m->id, m->created_ms + 1, SPAN("one"), (struct span){0});
}

// A node that is stopped: nothing of it moves, and its sockets stay open.
static struct kit stop(struct kit *k)
{
    struct kit stopped = *k;
    k->store = NULL;
    return stopped;
}

static void wake(struct trio *t, struct kit *stopped)
{
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_fault(stopped->store)[0]; turn(t)) {
        assert_true(pg_now_ms() < until);
        turn_one(stopped);
    }
    assert_true(store_is_fenced(stopped->store));
    store_close(stopped->store);
}

// --- who may be there (S10, S13, S17)

static void nodes_see_each_other_and_keep_others_out(void **state)
{
    struct trio *t = *state;
    struct store_node seen[NODES];
    char why[512] = "";
    struct store_options beside = t->at[0].options;
    beside.takes_over = false;
    kit_open(t->k); // alone
    assert_null(store_open(&beside, why, sizeof why));
    assert_non_null(strstr(why, "in use by server"));
    kit_close(t->k);
    open_two(t);
    hear(t, &t->at[0], STORE_NEWS_JOINED);
    for (int64_t until = pg_now_ms() + DEADLINE_MS; store_list_nodes(t->at[0].store, seen, NODES) < 2; turn(t))
        assert_true(pg_now_ms() < until);
    assert_string_equal(seen[0].name, "north");
    assert_string_equal(seen[1].name, "south");
    assert_true(store_is_live(t->at[0].store, store_my_epoch(t->at[1].store)));
    assert_false(uuid_is_none(store_arena_id(t->at[0].store)));
    t->k->options.takes_over = false;
    assert_null(store_open(&t->k->options, why, sizeof why)); // alone
    assert_non_null(strstr(why, "in use by server north"));
}

static void a_namesake_that_is_gone_is_taken_over_at_once(void **state)
{
    struct trio *t = *state;
    struct store_match m;
    struct kit_log log = {0};
    open_two(t);
    begin_one(&t->at[0], &m, 1);
    settle(t, &t->at[0]);
    struct kit killed = stop(&t->at[0]);
    link_lose(&pg_of(killed.store)->writer, "killed"); // what was on its way is asked again by whoever wakes
    link_lose(&pg_of(killed.store)->async, "killed");
    int64_t began = pg_now_ms();
    kit_open(&t->at[0]);
    assert_true(uuid_equals(hear(t, &t->at[0], STORE_NEWS_ADOPT).match, m.id));
    assert_true(pg_now_ms() - began < DEADLINE_MS / 2);
    store_append(t->at[0].store, m.id, m.created_ms + 2, SPAN("two"), (struct span){0});
    store_mark_adopted(t->at[0].store, m.id);
    settle(t, &t->at[0]);
    assert_int_equal(kit_read_log(&t->at[0], &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 2:two| ");
    assert_int_equal(sql("SELECT count(*) FROM takeovers"), 0);
    wake(t, &killed);
}

// --- S13, S15: stopped between batches, and in the middle of one

static void expect_takeover(struct trio *t, const struct store_match *m)
{
    struct kit_log log = {0};
    struct store_news news = hear(t, &t->at[1], STORE_NEWS_TAKEOVER);
    assert_string_equal(news.name, "north");
    assert_int_equal(news.count, 1);
    assert_true(news.ms >= LEASE_MS);
    assert_true(uuid_equals(hear(t, &t->at[1], STORE_NEWS_ADOPT).match, m->id));
    store_mark_adopted(t->at[1].store, m->id);
    store_append(t->at[1].store, m->id, m->created_ms + 3, SPAN("three"), (struct span){0});
    settle(t, &t->at[1]);
    assert_int_equal(kit_read_log(&t->at[1], m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 3:three| ");
    assert_int_equal(sql("SELECT matches FROM takeovers"), 1);
}

static void a_node_that_was_stopped_between_batches_harms_nothing(void **state)
{
    struct trio *t = *state;
    struct store_match m;
    open_two(t);
    begin_one(&t->at[0], &m, 1);
    settle(t, &t->at[0]);
    struct kit stopped = stop(&t->at[0]);
    expect_takeover(t, &m);
    store_append(stopped.store, m.id, m.created_ms + 2, SPAN("two"), (struct span){0});
    wake(t, &stopped);
    assert_int_equal(sql("SELECT count(*) FROM pieces"), 3);
}

// The server has the first part of the batch, and holds the node's row for it.
static void a_node_that_was_stopped_in_a_batch_harms_nothing(void **state)
{
    struct trio *t = *state;
    struct store_match m;
    open_two(t);
    begin_one(&t->at[0], &m, 1);
    settle(t, &t->at[0]);
    struct kit stopped = stop(&t->at[0]);
    struct pg *p = pg_of(stopped.store);
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    args_int(&a, p->epoch);
    args_int(&a, p->number + 1);
    args_int(&a, STORE_SERVES);
    args_int(&a, 1);
    args_bool(&a, false);
    assert_true(args_send(p->writer.conn, PG_FENCE, bytes.at, a.count));
    assert_int_equal(PQsendFlushRequest(p->writer.conn), 1);
    assert_int_equal(PQflush(p->writer.conn), 0);
    free(bytes.at);
    expect_takeover(t, &m);
    store_append(stopped.store, m.id, m.created_ms + 2, SPAN("two"), (struct span){0});
    wake(t, &stopped);
    assert_int_equal(sql("SELECT count(*) FROM pieces"), 3);
}

// --- matches (S23, S24, S30, S40, S41)

static void a_player_without_a_place_is_not_seated_twice(void **state)
{
    struct trio *t = *state;
    struct store_match one = kit_match(1, "coup", 2), other = kit_match(2, "coup", 2);
    open_two(t);
    one.seat[0].places = one.seat[1].places = other.seat[0].places = 1;
    other.seat[1].agent = kit_uuid('a', 3);
    store_begin_match(t->at[0].store, &one, NULL, SPAN("head"));
    settle(t, &t->at[0]);
    store_ticket refused = store_begin_match(t->at[1].store, &other, NULL, SPAN("head"));
    struct store_refusal r = await_refusal(t, &t->at[1]);
    assert_int_equal(r.reason, STORE_NO_PLACE);
    store_settle(t->at[1].store, refused, store_last(t->at[1].store));
    assert_int_equal(store_count_places(t->at[1].store, one.seat[0].agent), 1);
    store_mark_dropped(t->at[0].store, one.id, 0); // F3.15
    settle(t, &t->at[0]);
    assert_int_equal(store_count_places(t->at[1].store, one.seat[0].agent), 0);
    store_begin_match(t->at[1].store, &other, NULL, SPAN("head"));
    settle(t, &t->at[1]);
    struct store_match *both[] = {&one, &other};
    for (int i = 0; i < 2; i++) {
        kit_end(both[i]);
        store_finish_match(t->at[i].store, both[i], NULL, both[i]->finished_ms, SPAN("end"), NULL, 0, NULL);
        settle(t, &t->at[i]);
    }
    assert_int_equal(sql("SELECT count(*) FROM agent_state WHERE active <> 0"), 0);
    // The first piece of the one that was refused went with the batch after it (S90).
    assert_int_equal(sql("SELECT count(*) FROM pieces WHERE match NOT IN (SELECT match FROM matches)"), 0);
    assert_int_equal(sql("SELECT count(*) FROM pieces WHERE epoch IS NULL OR batch IS NULL"), 0);
}

static void finish_rated(struct kit *k, struct store_match *m, const uint64_t version[2])
{
    struct store_rating r[2] = {kit_rating(1, "coup", 1510, 90), kit_rating(2, "coup", 1490, 90)};
    kit_end(m);
    m->rated = true;
    for (int i = 0; i < 2; i++)
        r[i].version = version[i];
    store_finish_match(k->store, m, NULL, m->finished_ms, SPAN("end"), r, 2, NULL);
}

// Two writers of the same ratings, twenty results: each counts once, whatever is refused on the way.
static void ratings_of_two_writers_count_once(void **state)
{
    enum { EACH = 10 };
    struct trio *t = *state;
    struct store_match m[2];
    struct store_rating now[2];
    int refusals = 0;
    open_two(t);
    for (uint32_t n = 0; n < EACH; n++) {
        uint64_t old[2] = {n * 2, n * 2};
        for (uint32_t i = 0; i < 2; i++) {
            begin_one(&t->at[i], &m[i], n * 2 + i + 1);
            finish_rated(&t->at[i], &m[i], old); // both from the same rows
        }
        for (int i = 0; i < 2; i++)
            store_submit(t->at[i].store);
        for (int64_t until = pg_now_ms() + DEADLINE_MS; store_durable(t->at[0].store) < store_last(t->at[0].store) ||
                                                        store_durable(t->at[1].store) < store_last(t->at[1].store);
             turn(t)) {
            assert_true(pg_now_ms() < until);
            struct store_refusal r;
            for (int i = 0; i < 2; i++)
                if (store_take_refusal(t->at[i].store, &r)) {
                    assert_int_equal(r.reason, STORE_MOVED);
                    assert_int_equal(store_ratings(t->at[i].store, kit_uuid('a', 1), now, 2), 1);
                    uint64_t fresh[2] = {now[0].version, now[0].version};
                    finish_rated(&t->at[i], &m[i], fresh);
                    store_settle(t->at[i].store, r.ticket, store_last(t->at[i].store));
                    refusals++;
                }
        }
    }
    assert_int_equal(refusals, EACH);
    assert_int_equal(sql("SELECT sum(version) FROM ratings"), 4 * EACH);
    assert_int_equal(sql("SELECT count(*) FROM matches"), 2 * EACH);
    assert_int_equal(sql("SELECT count(DISTINCT finish_no) FROM matches"), 2 * EACH);
    // S33: the boards of both have all of it, of the other's results within two looks.
    struct store_rank rank[4];
    int total = 0;
    for (int i = 0; i < 2; i++)
        for (int64_t until = pg_now_ms() + DEADLINE_MS;; turn(t)) {
            assert_true(pg_now_ms() < until);
            if (!store_has_boards(t->at[i].store) ||
                store_leaderboard(t->at[i].store, "coup", KIT_START, 0, rank, 4, &total) != 2)
                continue;
            break;
        }
}

// --- S20: roles

static uint64_t await_term(struct trio *t, struct kit *k, const char *role)
{
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_term(k->store, role); turn(t))
        assert_true(pg_now_ms() < until);
    return store_term(k->store, role);
}

// The claim succeeds after nobody here wants the role any more: it must not stay with this node, which would not know.
static void a_role_given_up_while_it_is_claimed_is_free(void **state)
{
    struct trio *t = *state;
    open_two(t);
    store_want_role(t->at[0].store, "tour:one");
    roles_claim(pg_of(t->at[0].store));
    store_give_role_up(t->at[0].store, "tour:one");
    store_want_role(t->at[0].store, "tour:two"); // which takes the place of the first
    assert_int_equal(await_term(t, &t->at[0], "tour:two"), 1);
    assert_int_equal(store_term(t->at[0].store, "tour:one"), 0);
    store_want_role(t->at[1].store, "tour:one");
    assert_int_equal(await_term(t, &t->at[1], "tour:one"), 2);
}

static void a_role_has_one_holder_and_passes_on(void **state)
{
    struct trio *t = *state;
    struct store_match m = kit_match(1, "coup", 2);
    struct store_role role;
    open_two(t);
    store_want_role(t->at[0].store, "mm:coup");
    assert_int_equal(await_term(t, &t->at[0], "mm:coup"), 1);
    store_want_role(t->at[1].store, "mm:coup");
    for (int i = 0; i < 300; i++)
        turn(t);
    assert_int_equal(store_term(t->at[1].store, "mm:coup"), 0);
    assert_true(store_find_role(t->at[1].store, "mm:coup", &role));
    assert_int_equal(role.epoch, store_my_epoch(t->at[0].store));
    store_give_role_up(t->at[0].store, "mm:coup");
    settle(t, &t->at[0]);
    assert_int_equal(await_term(t, &t->at[1], "mm:coup"), 2);
    // S24: what was ordered by the term before does not begin.
    snprintf(m.order_role, sizeof m.order_role, "mm:coup");
    m.order_term = 1;
    store_ticket refused = store_begin_match(t->at[0].store, &m, NULL, SPAN("head"));
    assert_int_equal(await_refusal(t, &t->at[0]).reason, STORE_TERM_OVER);
    store_settle(t->at[0].store, refused, store_last(t->at[0].store));
    m.order_term = 2;
    store_begin_match(t->at[0].store, &m, NULL, SPAN("head"));
    settle(t, &t->at[0]);
    // With its node it is free.
    struct kit stopped = stop(&t->at[1]);
    store_want_role(t->at[0].store, "mm:coup");
    assert_int_equal(await_term(t, &t->at[0], "mm:coup"), 3);
    wake(t, &stopped);
}

// --- S26, S27

static void a_change_is_news_for_the_others(void **state)
{
    struct trio *t = *state;
    struct store_agent a = kit_agent(2), b = a, got;
    uint32_t before[STORE_AGENT_MARKS];
    open_two(t);
    store_mark_agent(&a, before);
    a.disabled = true; // at one node
    store_change_agent(t->at[0].store, &a, before);
    assert_true(uuid_equals(hear(t, &t->at[1], STORE_NEWS_AGENT).agent, a.id));
    snprintf(b.name, sizeof b.name, "renamed"); // at the other, which has not read it anew
    store_change_agent(t->at[1].store, &b, before);
    settle(t, &t->at[1]);
    assert_true(store_find_agent(t->at[0].store, a.id, &got));
    assert_true(got.disabled);
    assert_string_equal(got.name, "renamed");
}

static void the_newest_connection_wins(void **state)
{
    struct trio *t = *state;
    struct store_arrival first, second;
    struct store_presence p;
    struct uuid agent = kit_uuid('a', 1);
    open_two(t);
    assert_true(store_arrive(t->at[0].store, agent, "one", 0, false, &first));
    assert_int_equal(first.before.epoch, 0);
    assert_true(store_arrive(t->at[1].store, agent, "two", 0, false, &second));
    assert_true(second.conn > first.conn);
    assert_int_equal(second.before.epoch, store_my_epoch(t->at[0].store));
    assert_int_equal(second.before.conn, first.conn);
    struct store_news news = hear(t, &t->at[0], STORE_NEWS_PRESENCE);
    assert_true(uuid_equals(news.agent, agent));
    assert_int_equal(news.count, second.conn);
    store_depart(t->at[0].store, agent, first.conn); // the older one ends: the newer one stays
    settle(t, &t->at[0]);
    store_put_agent(t->at[0].store, &(struct store_agent){.id = kit_uuid('a', 9), .public_no = 77});
    settle(t, &t->at[0]);
    assert_true(store_find_presence(t->at[0].store, agent, &p));
    assert_int_equal(p.conn, second.conn);
    assert_string_equal(p.instance, "two");
}

// S26: a crash makes the server forget the last arrivals, which do not wait for the disk, and with them where the
// sequence was; here it is set back by hand. Whoever connects again gets numbers above all that were given.
static void numbers_of_connections_never_repeat(void **state)
{
    struct trio *t = *state;
    struct store_arrival first, second;
    open_two(t);
    assert_true(store_arrive(t->at[0].store, kit_uuid('a', 1), "", 0, false, &first));
    sql("SELECT setval('conns', 1, false)");
    assert_true(
        sql("SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE application_name ~ '-reads'") >
        0);
    for (int64_t until = pg_now_ms() + DEADLINE_MS;
         !store_arrive(t->at[1].store, kit_uuid('a', 2), "", 0, false, &second); turn(t))
        assert_true(pg_now_ms() < until);
    assert_true(second.conn > first.conn);
}

// Until it has asked for roles that it wants.
static void look_twice(struct trio *t, const struct kit *k)
{
    const struct nodes *n = &pg_of(k->store)->nodes;
    for (int i = 0; i < 2; i++) {
        int64_t looked_ms = n->looked_ms, until = pg_now_ms() + DEADLINE_MS;
        for (; n->looked_ms == looked_ms; turn(t))
            assert_true(pg_now_ms() < until);
    }
}

// The database is made read-only for a while. Then an arrival and the request for a role are not answered; it is no
// damage, after which no match would begin any more.
static void a_read_only_database_is_away(void **state)
{
    struct trio *t = *state;
    struct store_arrival a;
    struct uuid agent = kit_uuid('a', 1);
    open_two(t);
    struct store *s = t->at[0].store;
    sql("ALTER SYSTEM SET default_transaction_read_only = on");
    sql("SELECT pg_reload_conf()");
    for (int64_t until = pg_now_ms() + DEADLINE_MS; store_arrive(s, agent, "", 0, false, &a); turn(t))
        assert_true(pg_now_ms() < until);
    store_want_role(s, "mm:coup");
    look_twice(t, &t->at[0]);
    assert_int_equal(store_damages(s), 0);
    sql("ALTER SYSTEM RESET default_transaction_read_only");
    sql("SELECT pg_reload_conf()");
    for (int64_t until = pg_now_ms() + DEADLINE_MS; !store_arrive(s, agent, "", 0, false, &a); turn(t))
        assert_true(pg_now_ms() < until);
    assert_int_equal(store_damages(s), 0);
}

// --- two first connections at once

static PGconn *begin_session(void)
{
    PGconn *c = PQconnectdb(getenv("AGON_TEST_POSTGRES"));
    PGresult *r = PQexec(c, "BEGIN");
    assert_int_equal(PQresultStatus(r), PGRES_COMMAND_OK);
    PQclear(r);
    return c;
}

static void send_arrival(PGconn *c, const struct kit *at)
{
    char text[256];
    snprintf(text, sizeof text,
             "SELECT b_epoch::text FROM arrive((SELECT id FROM agents ORDER BY row LIMIT 1), %llu, '', 0, false)",
             (unsigned long long)store_my_epoch(at->store));
    assert_int_equal(PQsendQuery(c, text), 1);
}

// Where the agent was before, as the arrival tells it.
static uint64_t end_arrival(PGconn *c)
{
    PGresult *r = PQgetResult(c);
    assert_int_equal(PQresultStatus(r), PGRES_TUPLES_OK);
    uint64_t before = strtoull(PQgetvalue(r, 0, 0), NULL, 10);
    PQclear(r);
    assert_null(PQgetResult(c));
    PQclear(PQexec(c, "COMMIT"));
    return before;
}

// S26: an agent that was nowhere comes to two nodes at once. The second arrival finds the first.
static void of_two_first_connections_one_is_replaced(void **state)
{
    struct trio *t = *state;
    open_two(t);
    PGconn *first = begin_session(), *second = begin_session();
    send_arrival(first, &t->at[0]);
    while (PQisBusy(first))
        assert_int_equal(PQconsumeInput(first), 1);
    send_arrival(second, &t->at[1]);
    for (int64_t until = pg_now_ms() + DEADLINE_MS;
         sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'arrive'") != 1; turn(t))
        assert_true(pg_now_ms() < until);
    assert_int_equal(end_arrival(first), 0);
    assert_int_equal(end_arrival(second), store_my_epoch(t->at[0].store));
    PQfinish(first);
    PQfinish(second);
    struct store_news news = hear(t, &t->at[0], STORE_NEWS_PRESENCE);
    assert_int_equal(news.count, sql("SELECT conn FROM presence"));
}

// S60 without questions: a match is handed over to the node where its players are.
static void a_match_is_wanted_and_handed_over(void **state)
{
    struct trio *t = *state;
    struct store_match m;
    struct store_arrival a;
    struct store_hosted host;
    struct kit_log log = {0};
    open_two(t);
    begin_one(&t->at[0], &m, 1);
    settle(t, &t->at[0]);
    assert_true(store_arrive(t->at[0].store, m.seat[1].agent, "", 0, true, &a));
    assert_true(a.conn > 0);
    assert_true(store_arrive(t->at[1].store, m.seat[0].agent, "", 0, true, &a));
    assert_int_equal(a.conn, 0); // the other one plays there
    assert_true(a.match[0].busy);
    assert_string_equal(a.match[0].node, "north");
    assert_int_equal(sql("SELECT count(*) FROM presence"), 1);
    sql("DELETE FROM presence");
    assert_true(store_arrive(t->at[1].store, m.seat[0].agent, "", 0, true, &a));
    assert_true(a.conn > 0);
    struct store_news news = hear(t, &t->at[0], STORE_NEWS_WANTED);
    assert_true(uuid_equals(news.match, m.id));
    assert_int_equal(news.epoch, store_my_epoch(t->at[1].store));
    store_append(t->at[0].store, m.id, m.created_ms + 2, SPAN("two"), (struct span){0});
    char bytes[STORE_HANDOVER];
    store_hand_over(t->at[0].store, m.id, news.epoch, SPAN("asked"));
    assert_true(uuid_equals(hear(t, &t->at[1], STORE_NEWS_ADOPT).match, m.id));
    assert_int_equal(store_find_handover(t->at[1].store, m.id, bytes), 5);
    assert_memory_equal(bytes, "asked", 5);
    store_mark_adopted(t->at[1].store, m.id);
    settle(t, &t->at[1]);
    assert_int_equal(store_find_handover(t->at[1].store, m.id, bytes), 0);
    store_append(t->at[1].store, m.id, m.created_ms + 3, SPAN("three"), (struct span){0});
    settle(t, &t->at[1]);
    assert_true(store_find_host(t->at[0].store, m.id, &host));
    assert_int_equal(host.epoch, store_my_epoch(t->at[1].store));
    assert_int_equal(kit_read_log(&t->at[0], &m, &log), OK);
    assert_string_equal(log.text, "0:head| 1:one| 2:two| 3:three| ");
}

// --- the list of commitments (S19): places without gaps, in whatever order two nodes add to it

#define LE64(value)                                                                                                    \
    "(SELECT string_agg(substr(b, i, 1), ''::bytea ORDER BY i DESC) FROM int8send(" value                              \
    ") b, generate_series(1, 8) i)"

static void assert_chain_holds(void)
{
    assert_int_equal(sql("SELECT count(*) FROM (SELECT link, sha256('agon.commitments.1'::bytea || lag(link, 1, "
                         "decode(repeat('00', 32), 'hex')) OVER (ORDER BY place) || " LE64(
                             "place") " || "
                                      "set_byte(decode('00', 'hex'), 0, kind::int) || " LE64("number") " || " LE64(
                                          "at_ms") " || body) "
                                                   "AS want FROM commitments) x WHERE link <> want"),
                     0);
}

static void the_list_of_two_nodes_is_one(void **state)
{
    struct trio *t = *state;
    open_two(t);
    assert_true(store_first_deal(t->at[0].store) != store_first_deal(t->at[1].store));
    for (uint64_t n = 0; n < 20; n++)
        for (int i = 0; i < 2; i++) {
            struct store_entry e = {.place = STORE_NEXT_PLACE,
                                    .number = store_first_deal(t->at[i].store) + n,
                                    .kind = STORE_PUBLISHED,
                                    .size = 1,
                                    .body = {(uint8_t)n}};
            store_put_entry(t->at[i].store, &e);
            turn(t);
        }
    settle(t, &t->at[0]);
    settle(t, &t->at[1]);
    assert_int_equal(sql("SELECT count(*) FROM commitments"), 40);
    assert_int_equal(sql("SELECT max(place) FROM commitments"), 39);
    assert_chain_holds();
    assert_int_equal(store_last_number_of(t->at[0].store, STORE_PUBLISHED, store_first_deal(t->at[1].store)),
                     store_first_deal(t->at[1].store) + 19);
    // A deal that a refused end has closed is closed again by whoever adopts the match: that counts once.
    struct store_entry end = {
        .place = STORE_NEXT_PLACE, .number = store_first_deal(t->at[0].store), .kind = STORE_CLOSED};
    for (int i = 0; i < 2; i++) {
        store_put_entry(t->at[i].store, &end);
        settle(t, &t->at[i]);
    }
    assert_int_equal(sql("SELECT count(*) FROM commitments"), 41);
    assert_int_equal(sql("SELECT max(place) FROM commitments"), 40);
    // So does one among others of a batch, and one that is there twice.
    for (int i = 0; i < 6; i++) {
        end.number = store_first_deal(t->at[0].store) + (uint64_t)(i / 2);
        store_put_entry(t->at[1].store, &end);
    }
    settle(t, &t->at[1]);
    assert_int_equal(sql("SELECT count(*) FROM commitments"), 43);
    assert_int_equal(sql("SELECT max(place) FROM commitments"), 42);
    assert_chain_holds();
}

// --- S45, S46: what is counted over all nodes

static void a_code_belongs_to_the_first_that_takes_it(void **state)
{
    struct trio *t = *state;
    struct store_pairing p = {.code_hash = {7}, .agent = kit_uuid('a', 1), .expires_ms = KIT_START};
    open_two(t);
    store_put_pairing(t->at[0].store, &p);
    settle(t, &t->at[0]);
    assert_true(store_take_pairing(t->at[1].store, p.code_hash));
    assert_false(store_take_pairing(t->at[0].store, p.code_hash));
    assert_true(store_take_pairing(t->at[1].store, p.code_hash)); // asked again, as after a lost answer
    // Gone before it could use it: then it is free.
    struct kit stopped = stop(&t->at[1]);
    hear(t, &t->at[0], STORE_NEWS_TAKEOVER);
    assert_true(store_take_pairing(t->at[0].store, p.code_hash));
    store_use_pairing(stopped.store, p.code_hash);
    wake(t, &stopped);
    assert_int_equal(sql("SELECT count(*) FROM pairings WHERE used"), 0);
    store_use_pairing(t->at[0].store, p.code_hash);
    settle(t, &t->at[0]);
    assert_false(store_take_pairing(t->at[0].store, p.code_hash));
}

static void calls_are_counted_over_all_nodes(void **state)
{
    enum { EACH_MS = 3600000, BURST = 5 };
    struct trio *t = *state;
    int passed = 0;
    open_two(t);
    for (int i = 0; i < 4 * BURST; i++)
        passed += store_take_call(t->at[i % 2].store, 1, SPAN("10.0.0.1"), EACH_MS, BURST) == 0;
    assert_int_equal(passed, BURST);
    int wait_s = store_take_call(t->at[0].store, 1, SPAN("10.0.0.1"), EACH_MS, BURST);
    assert_in_range(wait_s, 1, EACH_MS / 1000);
    assert_int_equal(store_take_call(t->at[0].store, 2, SPAN("10.0.0.1"), EACH_MS, BURST), 0); // another kind
    assert_int_equal(store_take_call(t->at[0].store, 1, SPAN("10.0.0.2"), EACH_MS, BURST), 0); // somebody else
    // A bucket that is full again makes room.
    assert_int_equal(sql("SELECT count(*) FROM calls"), 3);
    sql("UPDATE calls SET full_ms = 1 WHERE kind = 1");
    assert_int_equal(store_take_call(t->at[1].store, 2, SPAN("10.0.0.1"), EACH_MS, BURST), 0);
    assert_int_equal(sql("SELECT count(*) FROM calls"), 1);
    assert_int_equal(store_take_call(t->at[1].store, 1, SPAN("10.0.0.1"), EACH_MS, BURST), 0);
}

// Each node knows of its own beginnings; the store counts them all.
static void caps_count_the_games_of_all_nodes(void **state)
{
    struct trio *t = *state;
    struct store_agent capped = kit_agent(1);
    capped.max_games_per_hour = 2;
    open_two(t);
    store_put_agent(t->at[0].store, &capped);
    settle(t, &t->at[0]);
    for (uint32_t n = 1; n <= 4; n++) {
        struct kit *k = &t->at[n % 2];
        struct store_match m = kit_match(n, "coup", 2);
        m.seat[0].places = m.seat[1].places = 8;
        m.seat[0].one_shot = n == 3; // F3.6: it does not count, and is not counted
        store_ticket ticket = store_begin_match(k->store, &m, NULL, SPAN("head"));
        if (n == 4) {
            assert_int_equal(await_refusal(t, k).reason, STORE_NO_PLACE);
            store_settle(k->store, ticket, store_last(k->store));
        }
        settle(t, k);
    }
    assert_int_equal(sql("SELECT count(*) FROM running"), 3);
    // An hour later it may play again.
    struct store_match later = kit_match(4000, "coup", 2);
    later.seat[0].places = later.seat[1].places = 8;
    store_begin_match(t->at[0].store, &later, NULL, SPAN("head"));
    settle(t, &t->at[0]);
    assert_int_equal(sql("SELECT count(*) FROM running"), 4);
}

// --- S48, S49: what is played elsewhere

static void a_running_match_is_found_by_its_live_name(void **state)
{
    struct trio *t = *state;
    struct store_elsewhere found, list[4];
    int total = 0;
    open_two(t);
    for (uint32_t n = 1; n <= 3; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        m.live.byte[15] = (uint8_t)(n - 1); // names that end with zeros are kept without them
        m.replay.byte[15] = (uint8_t)(n == 2);
        store_begin_match(t->at[n == 3].store, &m, NULL, SPAN("head"));
        settle(t, &t->at[n == 3]);
        for (int i = 0; i < 2; i++) {
            assert_true(store_find_live(t->at[i].store, m.live, &found));
            assert_true(uuid_equals(found.match.id, m.id) && uuid_equals(found.at.match, m.id));
            assert_int_equal(found.at.epoch, store_my_epoch(t->at[n == 3].store));
            assert_string_equal(found.at.node, n == 3 ? "south" : "north");
            assert_string_equal(found.match.game, "coup");
            assert_false(found.house);
        }
    }
    assert_false(store_find_live(t->at[0].store, kit_uuid('x', 1), &found));
    assert_int_equal(store_list_elsewhere(t->at[1].store, list, 4, &total), 2);
    assert_int_equal(total, 2);
    assert_true(uuid_equals(list[0].match.id, kit_uuid('m', 2)));
    assert_int_equal(store_list_elsewhere(t->at[1].store, list, 1, &total), 1);
    assert_int_equal(total, 2);
    assert_int_equal(store_list_played(t->at[1].store, kit_uuid('a', 1), list, 4), 2);
    assert_int_equal(store_list_played(t->at[0].store, kit_uuid('a', 1), list, 4), 1);
    assert_int_equal(store_list_played(t->at[0].store, kit_uuid('a', 3), list, 4), 0);
}

static void nodes_tell_how_busy_they_are(void **state)
{
    struct trio *t = *state;
    struct store_arrival came;
    struct store_node seen[NODES];
    const struct uuid asked[] = {kit_uuid('a', 1), kit_uuid('a', 2), kit_uuid('a', 9)};
    bool there[3];
    open_two(t);
    assert_true(store_arrive(t->at[0].store, asked[1], "one", 0, false, &came));
    assert_int_equal(store_find_present(t->at[1].store, asked, 3, there), 1);
    assert_true(!there[0] && there[1] && !there[2]);
    for (int64_t until = pg_now_ms() + DEADLINE_MS;; turn(t)) {
        assert_true(pg_now_ms() < until);
        store_describe_load(t->at[0].store, &(struct store_load){5, 3, 2});
        if (store_list_nodes(t->at[1].store, seen, NODES) == 2 && seen[0].agents == 5)
            break;
    }
    assert_int_equal(seen[0].queued, 3);
    assert_int_equal(seen[0].spectators, 2);
    struct store_cluster *all = malloc(sizeof *all);
    assert_true(store_read_cluster(t->at[1].store, all));
    assert_int_equal(all->node[0].node.queued, 3);
    assert_int_equal(all->node[0].agents, 1); // connections that are counted
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRIO_TEST(nodes_see_each_other_and_keep_others_out),
        TRIO_TEST(a_namesake_that_is_gone_is_taken_over_at_once),
        TRIO_TEST(a_node_that_was_stopped_between_batches_harms_nothing),
        TRIO_TEST(a_node_that_was_stopped_in_a_batch_harms_nothing),
        TRIO_TEST(a_player_without_a_place_is_not_seated_twice),
        TRIO_TEST(ratings_of_two_writers_count_once),
        TRIO_TEST(a_role_has_one_holder_and_passes_on),
        TRIO_TEST(a_role_given_up_while_it_is_claimed_is_free),
        TRIO_TEST(a_change_is_news_for_the_others),
        TRIO_TEST(the_newest_connection_wins),
        TRIO_TEST(numbers_of_connections_never_repeat),
        TRIO_TEST(of_two_first_connections_one_is_replaced),
        TRIO_TEST(a_read_only_database_is_away),
        TRIO_TEST(a_match_is_wanted_and_handed_over),
        TRIO_TEST(the_list_of_two_nodes_is_one),
        TRIO_TEST(a_code_belongs_to_the_first_that_takes_it),
        TRIO_TEST(calls_are_counted_over_all_nodes),
        TRIO_TEST(caps_count_the_games_of_all_nodes),
        TRIO_TEST(a_running_match_is_found_by_its_live_name),
        TRIO_TEST(nodes_tell_how_busy_they_are),
    };
    return kit_is_elsewhere() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
