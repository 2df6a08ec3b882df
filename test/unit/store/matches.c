// Matches: from begin to end, their logs, and the lists they stand in.
#include "store_kit.h"

#include "store/internal.h"

static void same_match(const struct store_match *got, const struct store_match *want)
{
    assert_true(uuid_equals(got->id, want->id) && uuid_equals(got->replay, want->replay));
    assert_true(uuid_equals(got->live, want->live) && uuid_equals(got->challenge, want->challenge));
    assert_string_equal(got->game, want->game);
    assert_string_equal(got->mode, want->mode);
    assert_memory_equal(got->key, want->key, sizeof got->key);
    assert_memory_equal(got->commitment, want->commitment, sizeof got->commitment);
    assert_int_equal(got->created_ms, want->created_ms);
    assert_int_equal(got->started_ms, want->started_ms);
    assert_int_equal(got->finished_ms, want->finished_ms);
    assert_int_equal(got->seats, want->seats);
    assert_int_equal(got->teams, want->teams);
    assert_memory_equal(got->payoffs, want->payoffs, sizeof got->payoffs);
    assert_int_equal(got->events, want->events);
    assert_int_equal(got->status, want->status);
    assert_int_equal(got->rated, want->rated);
    assert_int_equal(got->is_draw, want->is_draw);
    assert_int_equal(got->winner, want->winner);
    assert_int_equal(got->forfeited_by, want->forfeited_by);
    assert_int_equal(got->forfeit_reason, want->forfeit_reason);
    assert_memory_equal(got->seat, want->seat, sizeof got->seat);
}

static void a_match_comes_back_running_and_finished(void **state)
{
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 4), got;
    int seat = -1;
    kit_put_agents(k, 4);
    m.challenge = kit_uuid('c', 1);
    m.teams = 2;
    m.seat[2].one_shot = true;
    assert_false(store_find_match(k->store, m.id, &got));
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    store_wait(k->store);
    assert_true(store_find_match(k->store, m.id, &got));
    same_match(&got, &m);
    kit_end(&m);
    m.payoffs[3] = -700;
    m.rated = m.is_draw = true;
    m.forfeited_by = 3;
    m.forfeit_reason = 9;
    m.seat[3].dropped = m.seat[1].delivered = true;
    store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    kit_reopen(k);
    assert_true(store_find_replay(k->store, m.replay, &got));
    same_match(&got, &m);
    assert_true(store_find_session(k->store, m.seat[2].session, &got, &seat));
    same_match(&got, &m);
    assert_int_equal(seat, 2);
    assert_false(store_find_session(k->store, kit_uuid('s', 1), &got, &seat));
    assert_false(store_find_session(k->store, (struct uuid){0}, &got, &seat));
    assert_false(store_find_replay(k->store, m.live, &got));
}

static void a_log_reads_the_same_before_and_after_the_end(void **state)
{
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 2), other = kit_match(2, "coup", 2);
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    assert_int_equal(kit_read_log(k, &m, &log), ERR_UNKNOWN);
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    store_begin_match(k->store, &other, NULL, SPAN("other"));
    store_append(k->store, m.id, m.created_ms + 7, SPAN("a"), SPAN("{\"x\":1}"));
    store_append(k->store, other.id, m.created_ms + 8, SPAN("b"), (struct span){0});
    store_append(k->store, m.id, m.created_ms + 5, (struct span){0}, SPAN("back in time")); // a clock that jumped
    assert_int_equal(kit_read_log(k, &m, &log), ERR_UNKNOWN);                               // not durable yet
    store_wait(k->store);
    static const char running[] = "0:head| 7:a|{\"x\":1} 5:|back in time ";
    for (int round = 0; round < 2; round++) {
        assert_int_equal(kit_read_log(k, &m, &log), OK);
        assert_string_equal(log.text, running);
        kit_reopen(k);
    }
    kit_end(&m);
    store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    assert_int_equal(kit_read_log(k, &m, &log), OK); // the end is not durable yet
    assert_string_equal(log.text, running);
    store_wait(k->store);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(kit_read_log(k, &m, &log), OK);
        assert_string_equal(log.text, "0:head| 7:a|{\"x\":1} 5:|back in time 500:end| ");
        assert_int_equal(kit_read_log(k, &other, &log), OK);
        kit_reopen(k);
    }
    log.stop_after = 2;
    assert_int_equal(kit_read_log(k, &m, &log), OK);
    assert_string_equal(log.text, "0:head| 7:a|{\"x\":1} ");
}

static int64_t ask(struct kit *k, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(k->store->reader.handle, sql, -1, &st, NULL), SQLITE_OK);
    int64_t answer = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
    sqlite3_finalize(st);
    return answer;
}

static void pieces_of_finished_matches_go_away(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    struct store_match old = kit_match(1000, "coup", 2);
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    store_begin_match(k->store, &old, NULL, SPAN("old"));
    for (uint32_t n = 1; n <= 400; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        kit_play(k, &m);
    }
    store_wait(k->store);
    assert_int_equal(ask(k, "SELECT count(*) FROM logs"), 400);
    assert_int_equal(ask(k, "SELECT count(*) FROM pieces"), 1 + 400 * 2); // held back by the oldest; an end is no piece
    kit_end(&old);
    store_finish_match(k->store, &old, NULL, old.finished_ms, SPAN("end"), NULL, 0, NULL);
    store_wait(k->store);
    assert_int_equal(ask(k, "SELECT count(*) FROM pieces"), 0);
    assert_int_equal(kit_read_log(k, &old, &log), OK);
    assert_string_equal(log.text, "0:old| 500:end| ");
    struct store_counts counts;
    store_count(k->store, &counts);
    assert_int_equal(counts.matches, 401);
    assert_int_equal(counts.actions, 400);
}

// More pieces than it takes to move the oldest match out of the way.
static void a_long_match_does_not_keep_the_pieces_of_others(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    struct store_match old = kit_match(1000, "coup", 2), busy = kit_match(1001, "coup", 2);
    struct kit_log log = {0};
    kit_put_agents(k, 2);
    store_begin_match(k->store, &old, NULL, SPAN("old"));
    store_append(k->store, old.id, old.created_ms + 1, SPAN("one"), (struct span){0});
    store_begin_match(k->store, &busy, NULL, SPAN("busy"));
    for (int i = 0; i < 140000; i++)
        store_append(k->store, busy.id, busy.created_ms + i, SPAN("."), (struct span){0});
    kit_end(&busy);
    store_finish_match(k->store, &busy, NULL, busy.finished_ms, SPAN("end"), NULL, 0, NULL); // moves the old one
    struct store_match m = kit_match(1, "coup", 2);
    kit_play(k, &m); // and sweeps
    store_append(k->store, old.id, old.created_ms + 2, SPAN("two"), (struct span){0});
    store_wait(k->store);
    assert_true(ask(k, "SELECT count(*) FROM pieces") <= 6);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(kit_read_log(k, &old, &log), OK);
        assert_string_equal(log.text, "0:old| 1:one| 2:two| ");
        kit_reopen(k);
    }
    kit_end(&old);
    store_finish_match(k->store, &old, NULL, old.finished_ms, SPAN("end"), NULL, 0, NULL);
    store_wait(k->store);
    assert_int_equal(kit_read_log(k, &old, &log), OK);
    assert_string_equal(log.text, "0:old| 1:one| 2:two| 500:end| ");
}

static void damage_to_a_log_concerns_one_match(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    struct kit_log log = {0};
    static const char *const harm[] = {
        "UPDATE pieces SET log = x'6f6e66' WHERE number = 1 AND match = 1",
        "UPDATE pieces SET at_ms = 1 WHERE match = 2",
        "UPDATE pieces SET number = 2 WHERE number = 1 AND match = 3",
        "DELETE FROM pieces WHERE match = 4",
        "UPDATE logs SET bytes = x'00' WHERE match = 6",
        "UPDATE logs SET pieces = 9 WHERE match = 7",
        "DELETE FROM logs WHERE match = 8",
        "DELETE FROM pieces WHERE match = 8",
    };
    kit_put_agents(k, 2);
    for (uint32_t n = 1; n <= 5; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        store_begin_match(k->store, &m, NULL, SPAN("head"));
        store_append(k->store, m.id, m.created_ms + 100, SPAN("one"), SPAN("note"));
    }
    for (uint32_t n = 6; n <= 9; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        kit_play(k, &m);
    }
    store_wait(k->store);
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++)
        assert_int_equal(sqlite3_exec(k->store->reader.handle, harm[i], NULL, NULL, NULL), SQLITE_OK);
    kit_reopen(k);
    for (uint32_t n = 1; n <= 9; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        assert_int_equal(kit_read_log(k, &m, &log), n == 5 || n == 9 ? OK : ERR_FORMAT);
    }
    for (uint32_t n = 1; n <= 5; n++) { // F8.6: a match that cannot be resumed is cancelled
        struct store_match m = kit_match(n, "coup", 2), got;
        kit_end(&m);
        m.status = n == 5 ? STORE_FINISHED : STORE_CANCELLED;
        store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
        store_wait(k->store);
        assert_true(store_find_match(k->store, m.id, &got));
        assert_int_equal(got.status, m.status);
        assert_int_equal(kit_read_log(k, &m, &log), n == 5 ? OK : ERR_FORMAT);
    }
    store_ticket durable;
    assert_int_equal(store_collect(k->store, &durable), OK);
    assert_int_equal(durable, store_last(k->store));
}

static void running_matches_are_listed_oldest_first(void **state)
{
    struct kit *k = *state;
    struct uuid got[4];
    int total;
    kit_put_agents(k, 2);
    for (uint32_t n = 9; n >= 5; n--) {
        struct store_match m = kit_match(n, "coup", 2);
        store_begin_match(k->store, &m, NULL, SPAN("head"));
    }
    assert_int_equal(store_list_running(k->store, got, 4, &total), 0); // reads answer from what is durable
    store_wait(k->store);
    struct store_match m = kit_match(8, "coup", 2);
    kit_end(&m);
    store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    kit_reopen(k);
    assert_int_equal(store_list_running(k->store, got, 3, &total), 3);
    assert_int_equal(total, 4);
    for (int i = 0; i < 3; i++)
        assert_true(uuid_equals(got[i], kit_uuid('m', (const uint32_t[]){9, 7, 6}[i])));
}

// S35: by numbers, however far down a page is.
static void finished_matches_are_listed_by_game_agent_and_page(void **state)
{
    struct kit *k = *state;
    struct store_match got[8];
    int total;
    kit_put_agents(k, 4);
    for (uint32_t n = 1; n <= 6; n++) {
        struct store_match m = kit_match(n, n % 3 ? "coup" : "belote", n % 2 ? 2 : 3);
        if (n == 5) {
            store_begin_match(k->store, &m, NULL, SPAN("head"));
            m.status = STORE_CANCELLED;
            store_finish_match(k->store, &m, NULL, m.created_ms, SPAN("end"), NULL, 0, NULL);
        } else {
            kit_play(k, &m);
        }
    }
    store_wait(k->store);
    static const struct {
        const char *game;
        uint32_t agent;
        int from, room, total;
        uint32_t list[8];
    } cases[] = {
        {NULL, 0, 0, 8, 5, {6, 4, 3, 2, 1}}, // newest first, without the cancelled one
        {NULL, 0, 1, 2, 5, {4, 3}},
        {NULL, 0, 5, 2, 5, {0}},
        {NULL, 0, 500, 2, 5, {0}},
        {"coup", 0, 0, 8, 3, {4, 2, 1}},
        {"belote", 0, 0, 8, 2, {6, 3}},
        {"chess", 0, 0, 8, 0, {0}},
        {NULL, 3, 0, 8, 3, {6, 4, 2}},
        {"coup", 3, 0, 8, 2, {4, 2}},
        {"coup", 3, 1, 8, 2, {2}},
        {NULL, 4, 0, 8, 0, {0}},
        {NULL, 77, 0, 8, 0, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct uuid agent = kit_uuid('a', cases[i].agent);
        int count = store_list_matches(k->store, cases[i].game, cases[i].agent ? &agent : NULL, cases[i].from, got,
                                       cases[i].room, &total);
        assert_int_equal(total, cases[i].total);
        for (int j = 0; j < count; j++)
            assert_true(uuid_equals(got[j].id, kit_uuid('m', cases[i].list[j])));
        assert_true(count == 8 || cases[i].list[count] == 0);
    }
}

// F7.12, S34: what a profile shows of a match is what the list of matches tells of it.
static void recent_matches_are_told_as_they_are_listed(void **state)
{
    struct kit *k = *state;
    struct store_match listed[8], got[8];
    struct uuid agent = kit_uuid('a', 2);
    int seat[8], total;
    kit_put_agents(k, 4);
    for (uint32_t n = 1; n <= 6; n++) {
        struct store_match m = kit_match(n, n % 2 ? "coup" : "belote", n % 2 ? 3 : 4);
        m.teams = n % 2 ? 0 : 2;
        m.seat[1].agent = kit_uuid('a', n < 5 ? 2 : 3); // the last two are of somebody else
        m.seat[2].agent = kit_uuid('a', n < 5 ? 3 : 2);
        snprintf(m.seat[0].name, sizeof m.seat[0].name, "\"\\ \x01 \xC3\xA9\xF0\x9F\x8E\xB2 %u", n);
        memset(m.seat[1].name, '\x02', STORE_NAME - 1); // the longest there is, when it is written
        store_begin_match(k->store, &m, NULL, SPAN("head"));
        kit_end(&m);
        m.payoffs[2] = -70000;
        m.seat[2].result = 'd';
        m.swing = 100 * n;
        m.largest_swing = n;
        if (n != 2)
            m.seat[0].before = (struct store_grade){1500.25, 350}, m.seat[0].after = (struct store_grade){-1.5, 61.75};
        if (n == 4)
            m.status = STORE_CANCELLED;
        store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    }
    kit_reopen(k);
    int count = store_list_matches(k->store, NULL, &agent, 0, listed, 8, &total);
    assert_int_equal(count, 5);
    assert_int_equal(store_list_recent(k->store, agent, got, seat, 8), count);
    for (int i = 0; i < count; i++) {
        assert_true(uuid_equals(listed[i].seat[seat[i]].agent, agent));
        for (int s = 0; s < STORE_SEATS; s++) { // what is not told of a seat
            listed[i].seat[s].agent = listed[i].seat[s].session = (struct uuid){0};
            assert_false(listed[i].seat[s].delivered || listed[i].seat[s].dropped || listed[i].seat[s].one_shot);
        }
        same_match(&got[i], &listed[i]);
        int n = (int)listed[i].largest_swing; // ratings in hundredths, as they were put
        assert_int_equal(listed[i].swing, 100 * n);
        assert_true(listed[i].seat[0].before.rating == (n == 2 ? 0 : 1500.25));
        assert_true(listed[i].seat[0].after.rating == (n == 2 ? 0 : -1.5));
        assert_true(listed[i].seat[0].after.deviation == (n == 2 ? 0 : 61.75));
    }
    assert_int_equal(store_list_recent(k->store, agent, got, seat, 2), 2);
    assert_int_equal(store_list_recent(k->store, kit_uuid('a', 99), got, seat, 8), 0);
}

static void players_that_cannot_be_read_have_no_names(void **state)
{
    static const struct {
        const char *players, *outcome;
        int seat;
        const char *name;
        int32_t payoff;
    } cases[] = {
        {"[[7,\"a\"],[8,\"b\"]]", "[[5,119],[-5,108]]", 1, "b", -5},
        {"[[7,\"a\",3],[8,\"b\",[]]]", "[[5,119,0],[-5,108,{}]]", 1, "b", -5}, // more than is known
        {"[[8,\"a\"],[9,7]]", "[]", 0, "a", 0},
        {"[[7,\"a\"],[8", "[[5,119],[-5", -1, "", -5},
        {"[[7,\"a\"],8]", "[1]", -1, "", 0},
        {"", "", -1, "", 0},
        {"{}", "null", -1, "", 0},
        {"[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[8]]", "[[1],[2],[3]]", -1, "", 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store_match m = {0};
        int seat = store_read_players(span_of(cases[i].players), span_of(cases[i].outcome), 8, &m);
        if (seat != cases[i].seat || strcmp(m.seat[seat < 0 ? 1 : seat].name, cases[i].name) != 0 ||
            m.payoffs[1] != cases[i].payoff)
            fail_msg("%s: seat %d, %s, %d", cases[i].players, seat, m.seat[1].name, m.payoffs[1]);
    }
}

static void game_over_waits_for_those_who_have_not_got_it(void **state)
{
    struct kit *k = *state;
    struct uuid got[8];
    kit_put_agents(k, 2);
    for (uint32_t n = 1; n <= 3; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        store_begin_match(k->store, &m, NULL, SPAN("head"));
        kit_end(&m);
        m.seat[1].delivered = n == 2;
        m.status = n == 3 ? STORE_CANCELLED : STORE_FINISHED; // F8.6: a cancelled one has a game_over too
        store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    }
    store_wait(k->store);
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 1), 0, got, 8), 3);
    assert_true(uuid_equals(got[0], kit_uuid('m', 1)) && uuid_equals(got[2], kit_uuid('m', 3)));
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 1), 0, got, 1), 1);
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 2), 0, got, 8), 2);
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 1), KIT_START + 2500, got, 8), 2);
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 1), KIT_START + 2501, got, 8), 1);
    store_mark_delivered(k->store, kit_uuid('m', 1), 0);
    store_mark_delivered(k->store, kit_uuid('m', 1), 0);
    kit_reopen(k);
    struct store_match m;
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 1), 0, got, 8), 2);
    assert_int_equal(store_list_undelivered(k->store, kit_uuid('a', 2), 0, got, 8), 2);
    assert_true(store_find_match(k->store, kit_uuid('m', 1), &m));
    assert_true(m.seat[0].delivered && !m.seat[1].delivered);
}

static void who_was_not_told_is_kept(void **state)
{
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 2), got;
    kit_put_agents(k, 2);
    m.unreported = 3;
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    kit_reopen(k);
    assert_true(store_find_match(k->store, m.id, &got));
    assert_int_equal(got.unreported, 3);
    store_mark_unreported(k->store, m.id, 2);
    store_append(k->store, m.id, KIT_START, SPAN("action"), SPAN(""));
    kit_reopen(k);
    assert_true(store_find_match(k->store, m.id, &got));
    assert_int_equal(got.unreported, 2);
}

static void started_matches_are_counted(void **state)
{
    struct kit *k = *state; // F3.4, F3.6
    kit_put_agents(k, 3);
    for (uint32_t n = 1; n <= 3; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        m.seat[1].one_shot = n == 2;
        kit_play(k, &m);
    }
    store_wait(k->store);
    int64_t at[8];
    assert_int_equal(store_list_starts(k->store, kit_uuid('a', 1), 0, at, 8), 3);
    assert_true(at[0] >= at[1] && at[1] >= at[2]);
    assert_int_equal(store_list_starts(k->store, kit_uuid('a', 1), 0, at, 2), 2); // the newest
    assert_int_equal(store_list_starts(k->store, kit_uuid('a', 1), KIT_START + 1010, at, 8),
                     2); // started then: not after
    assert_int_equal(store_list_starts(k->store, kit_uuid('a', 2), 0, at, 8), 2);
    assert_int_equal(store_list_starts(k->store, kit_uuid('a', 3), 0, at, 8), 0);
}

static void finish(struct kit *k, uint32_t n, const char *game, int seats, int teams, const int32_t *payoffs,
                   int dropped)
{
    struct store_match m = kit_match(n, game, seats);
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    kit_end(&m);
    m.teams = teams;
    for (int i = 0; i < seats; i++)
        m.payoffs[i] = payoffs[i];
    if (dropped >= 0)
        m.seat[dropped].dropped = true;
    store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
}

static void opponents_are_counted_by_pairs(void **state)
{
    struct kit *k = *state; // F5.13, F7.4
    struct store_versus v[8];
    kit_put_agents(k, 4);
    finish(k, 1, "coup", 3, 0, (int32_t[]){0, 1, 0}, -1);      // agents 1 and 3 draw
    finish(k, 2, "coup", 2, 0, (int32_t[]){1, 0}, -1);         // 1 beats 2
    finish(k, 3, "coup", 2, 0, (int32_t[]){900, 100}, 0);      // 1 was dropped
    finish(k, 4, "belote", 4, 2, (int32_t[]){1, 0, 1, 0}, -1); // 3 is a partner
    store_wait(k->store);
    static const struct {
        const char *game;
        uint32_t agent;
        struct {
            uint32_t opponent, games, wins, losses, draws;
        } rows[4];
    } cases[] = {
        {"coup", 1, {{2, 3, 1, 2, 0}, {3, 1, 0, 0, 1}}},
        {"coup", 3, {{1, 1, 0, 0, 1}, {2, 1, 0, 1, 0}}},
        {"belote", 1, {{2, 1, 1, 0, 0}, {4, 1, 1, 0, 0}}},
        {NULL, 1, {{2, 3, 1, 2, 0}, {2, 1, 1, 0, 0}, {3, 1, 0, 0, 1}, {4, 1, 1, 0, 0}}},
        {"tetris", 1, {{0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count = store_versus(k->store, kit_uuid('a', cases[i].agent), cases[i].game, v, 8);
        assert_true(count == 4 || cases[i].rows[count].opponent == 0);
        for (int j = 0; j < count; j++) {
            char name[32];
            snprintf(name, sizeof name, "agent %u", cases[i].rows[j].opponent);
            assert_string_equal(v[j].name, name);
            assert_int_equal(v[j].games, cases[i].rows[j].games);
            assert_int_equal(v[j].wins, cases[i].rows[j].wins);
            assert_int_equal(v[j].losses, cases[i].rows[j].losses);
            assert_int_equal(v[j].draws, cases[i].rows[j].draws);
        }
    }
    assert_int_equal(store_versus(k->store, kit_uuid('a', 1), NULL, v, 1), 1);
    assert_int_equal(v[0].games, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_match_comes_back_running_and_finished),
        KIT_TEST(a_log_reads_the_same_before_and_after_the_end),
        KIT_TEST(pieces_of_finished_matches_go_away),
        KIT_TEST(a_long_match_does_not_keep_the_pieces_of_others),
        KIT_TEST(damage_to_a_log_concerns_one_match),
        KIT_TEST(running_matches_are_listed_oldest_first),
        KIT_TEST(finished_matches_are_listed_by_game_agent_and_page),
        KIT_TEST(recent_matches_are_told_as_they_are_listed),
        KIT_TEST(players_that_cannot_be_read_have_no_names),
        KIT_TEST(game_over_waits_for_those_who_have_not_got_it),
        KIT_TEST(who_was_not_told_is_kept),
        KIT_TEST(started_matches_are_counted),
        KIT_TEST(opponents_are_counted_by_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
