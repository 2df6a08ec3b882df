// A lobby on a store that is elsewhere (S5): a match begins when it was granted, a result that was refused is computed
// again, and clocks stand while the store is away.
#include "lobby_kit.h"

#include "lobby/agent_cache.h"
#include "lobby/internal.h"
#include "lobby/recompute.h"
#include "lobby/rematch.h"
#include "store/mock_remote.h"
#include "work/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { DICE = 1 };

static struct kit k;
static struct kit_agent *player[2];

static int set_up(void **state)
{
    (void)state;
    kit_open(&k, NULL);
    struct lobby_options o = k.o;
    kit_close(&k);
    o.has_seed = true; // two runs play the same match
    o.seed = 7;
    kit_open(&k, &o);
    player[0] = kit_player(&k, "a");
    player[1] = kit_player(&k, "b");
    kit_settle(&k);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kit_close(&k);
    return 0;
}

// What the owner of a loop does when the store has news.
static void collect(void)
{
    kit_settle(&k);
    lobby_collect(k.lobby, k.now_ms);
}

static void join_both(void)
{
    assert_string_equal(kit_join(player[0], "liars_dice", "ranked", false), "");
    assert_string_equal(kit_join(player[1], "liars_dice", "ranked", false), "");
    kit_pass(&k, 5000); // the table waits for more, and begins
}

static int count_running(void)
{
    int total;
    store_list_running(k.store, NULL, 0, &total);
    return total;
}

static void a_match_begins_when_it_was_granted(void **state)
{
    (void)state;
    store_set_mock(k.store, &(struct store_mock){0});
    join_both();
    assert_false(kit_heard(player[0], "start"));
    assert_int_equal(lobby_agent_active(player[0]->agent), 1); // nobody seats it elsewhere meanwhile
    assert_null(player[0]->agent->seats);
    collect();
    assert_true(kit_heard(player[0], "start"));
    assert_true(kit_heard(player[1], "start"));
    assert_non_null(kit_awaited(&k));
    assert_int_equal(count_running(), 1);
}

static void who_comes_before_the_grant_is_told_once(void **state)
{
    (void)state;
    store_set_mock(k.store, &(struct store_mock){0});
    join_both();
    kit_go(player[0]);
    kit_come(player[0], "another");
    assert_false(kit_heard(player[0], "start"));
    collect();
    const char *said = strstr(kit_said(player[0]), "start");
    assert_non_null(said);
    assert_null(strstr(said + 1, "start"));
}

static void a_refused_beginning_leaves_nothing_but_a_closed_number(void **state)
{
    (void)state;
    store_set_mock(k.store, &(struct store_mock){.begins = 1});
    join_both();
    uint64_t number = k.lobby->deals.next - 1;
    assert_int_equal(lobby_games_today(k.lobby, player[0]->agent, k.now_ms), 1);
    collect();
    assert_true(kit_heard(player[0], "cancelled:opponent_not_ready/re_queued"));
    assert_true(kit_heard(player[1], "cancelled:opponent_not_ready/re_queued"));
    assert_false(kit_heard(player[0], "start"));
    assert_int_equal(count_running(), 0);
    assert_int_equal(lobby_agent_active(player[0]->agent), 0);
    assert_int_equal(lobby_games_today(k.lobby, player[0]->agent, k.now_ms), 0);
    kit_pass(&k, 5000); // they are in the queue again, and the next one is granted
    collect();
    assert_true(kit_heard(player[0], "start"));
    assert_int_equal(count_running(), 1);
    struct store_entry entry[STORE_ENTRIES_OF_NUMBER];
    collect();
    assert_int_equal(store_find_entries(k.store, number, entry), 3); // published, dealt, closed
    assert_int_equal(entry[2].kind, STORE_CLOSED);
    kit_restart(&k); // the list is whole, and the second match goes on
    assert_int_equal(count_running(), 1);
}

// F3.5: one entry. Whoever may play several matches joins again before it is known that this one is refused.
static void a_refused_beginning_leaves_a_newer_entry_alone(void **state)
{
    (void)state;
    lobby_agent_edit(player[0]->agent)->max_concurrent = 2;
    store_set_mock(k.store, &(struct store_mock){.begins = 1});
    join_both();
    assert_string_equal(kit_join(player[0], "coup", "ranked", false), "");
    assert_int_equal(k.lobby->figures.queued, 1);
    collect();
    assert_true(kit_heard(player[1], "cancelled:opponent_not_ready/re_queued"));
    assert_false(kit_heard(player[0], "cancelled"));
    assert_int_equal(k.lobby->figures.queued, 2);
    assert_string_equal(game_of(player[0]->agent->queue->game)->name, "coup");
    assert_true(lobby_quit(k.lobby, player[0]->agent, k.now_ms));
    assert_true(lobby_quit(k.lobby, player[1]->agent, k.now_ms));
    assert_int_equal(k.lobby->figures.queued, 0);
}

static void play_to_the_end(void)
{
    struct rng dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){3});
    assert_true(kit_play_out(&k, &dice, 2000));
}

static struct store_rating rating_of(int i)
{
    struct store_rating r[LOBBY_GAMES];
    assert_int_equal(store_ratings(k.store, player[i]->id, r, LOBBY_GAMES), 1);
    return r[0];
}

// S41
static void a_refused_end_is_computed_again(void **state)
{
    struct store_rating expected[2];
    join_both();
    play_to_the_end();
    collect();
    for (int i = 0; i < 2; i++)
        expected[i] = rating_of(i);
    tear_down(state);
    set_up(state);

    store_set_mock(k.store, &(struct store_mock){.finishes = 1});
    join_both();
    collect();
    play_to_the_end();
    store_ticket told = lobby_ticket(k.lobby); // what waits to be sent of the end
    kit_settle(&k);
    assert_true(store_durable(k.store) < told);                        // nothing of it leaves
    assert_int_equal(lobby_hand_over(k.lobby, 1, false, k.now_ms), 1); // nor does the node stop before it is stored
    struct store_rating none[LOBBY_GAMES];
    assert_int_equal(store_ratings(k.store, player[0]->id, none, LOBBY_GAMES), 0);
    lobby_collect(k.lobby, k.now_ms); // put again
    collect();
    assert_true(store_durable(k.store) >= told);
    assert_int_equal(lobby_hand_over(k.lobby, 1, false, k.now_ms), 0);
    assert_int_equal(count_running(), 0);
    for (int i = 0; i < 2; i++) {
        struct store_rating r = rating_of(i);
        assert_memory_equal(&r.rating, &expected[i].rating, sizeof r.rating); // once, and the same to the last bit
        assert_memory_equal(&r.deviation, &expected[i].deviation, sizeof r.deviation);
        assert_int_equal(r.games, 1);
        assert_int_equal(r.wins, expected[i].wins);
        assert_string_equal(r.form, expected[i].form);
    }
}

// S41: what was computed again may be refused again. Its players are not told of the end before it is stored.
static void an_end_that_is_refused_twice_is_not_sent_before_it_is_stored(void **state)
{
    (void)state;
    store_set_mock(k.store, &(struct store_mock){.finishes = 2});
    join_both();
    collect();
    play_to_the_end();
    store_ticket told = lobby_ticket(k.lobby);
    for (int i = 0; i < 4; i++) {
        kit_settle(&k);
        assert_true(store_durable(k.store) < told || count_running() == 0);
        lobby_collect(k.lobby, k.now_ms);
    }
    assert_true(store_durable(k.store) >= told);
    assert_int_equal(count_running(), 0);
    assert_int_equal(rating_of(0).games, 1);
}

// S41: results that were refused together are computed again together, and a rating that was read again for the first
// of them is right for the others: what was counted in it meanwhile is not lost, and not refused.
static void results_that_were_refused_together_are_put_again_together(void **state)
{
    (void)state;
    struct kit_agent *third = kit_player(&k, "c");
    lobby_agent_edit(player[0]->agent)->max_concurrent = 2;
    join_both();
    assert_string_equal(kit_join(player[0], "liars_dice", "ranked", false), "");
    assert_string_equal(kit_join(third, "liars_dice", "ranked", false), "");
    kit_pass(&k, 5000);
    collect();
    assert_int_equal(count_running(), 2);
    store_set_mock(k.store, &(struct store_mock){.finishes = 1}); // the second one is refused with it
    play_to_the_end();
    store_ticket told = lobby_ticket(k.lobby);
    kit_settle(&k);
    lobby_collect(k.lobby, k.now_ms);
    uint64_t reads = k.lobby->rating_reads;
    collect();
    assert_true(store_durable(k.store) >= told);
    assert_int_equal(k.lobby->rating_reads, reads);
    assert_int_equal(rating_of(0).games, 2);
    assert_int_equal(agents_rating(k.lobby, player[0]->agent, DICE)->games, 2);
    assert_int_equal(agents_rating(k.lobby, third->agent, DICE)->games, 1);
}

// S41: who has left the table may have been forgotten when its result is computed again, and nothing is read after
// this.
static void a_forgotten_rating_is_there_when_it_was_read_again(void **state)
{
    (void)state;
    struct lobby_agent *a = player[0]->agent;
    assert_int_equal(agents_rating(k.lobby, a, DICE)->games, 0);
    agent_cache_drop(a);
    assert_null(a->ratings);
    assert_true(agent_cache_reload_rating(k.lobby, a, DICE));
    assert_non_null(a->ratings);
    assert_true(uuid_equals(a->ratings[DICE].row.agent, player[0]->id));
}

// A house agent's rating is read when its first match ends. If the store does not answer then, an end without it would
// name nobody, and the store would take none any more.
static void an_end_whose_ratings_cannot_be_read_is_computed_again(void **state)
{
    (void)state;
    store_set_mock(k.store, &(struct store_mock){0});
    join_both();
    collect();
    agent_cache_drop(player[0]->agent);
    store_set_mock(k.store, &(struct store_mock){.away = true});
    play_to_the_end();
    assert_false(agent_cache_knows_rating(player[0]->agent, DICE));
    store_set_mock(k.store, &(struct store_mock){0});
    for (int i = 0; i < 3; i++)
        collect();
    assert_int_equal(count_running(), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(agent_cache_knows_rating(player[i]->agent, DICE));
        assert_int_equal(rating_of(i).games, 1);
        assert_true(uuid_equals(rating_of(i).agent, player[i]->id));
    }
}

static void clocks_stand_while_the_store_is_away(void **state)
{
    (void)state;
    store_set_mock(k.store, &(struct store_mock){0});
    join_both();
    collect();
    kit_written(&k);
    kit_said(player[0]), kit_said(player[1]);
    struct kit_agent *asked = kit_awaited(&k);
    int64_t due_ms = kit_asked(asked)->seat->due_ms;
    store_set_mock(k.store, &(struct store_mock){.away = true});
    collect();
    assert_true(store_is_away(k.store));
    assert_int_equal(lobby_next_due(k.lobby), INT64_MAX);
    k.now_ms += 10 * 300000; // ten times the time of a question
    lobby_tick(k.lobby, k.now_ms);
    assert_string_equal(kit_said(asked), "");
    store_set_mock(k.store, &(struct store_mock){0});
    collect();
    assert_int_equal(kit_asked(asked)->seat->due_ms, due_ms + 10 * 300000);
    lobby_tick(k.lobby, k.now_ms);
    assert_int_equal(kit_asked(asked)->seat->strikes, 0);
    play_to_the_end();
}

static void what_is_put_while_the_store_is_away_lasts_when_it_is_back(void **state)
{
    (void)state;
    struct store_agent found;
    store_set_mock(k.store, &(struct store_mock){.away = true});
    struct kit_agent *late = kit_add(&k, "late");
    store_ticket ticket = store_last(k.store);
    collect();
    assert_true(store_durable(k.store) < ticket);
    store_set_mock(k.store, &(struct store_mock){0});
    collect();
    collect();
    assert_true(store_durable(k.store) >= ticket);
    assert_true(store_find_agent(k.store, late->id, &found));
}

// What cannot be read must not be taken for no matches: then all ratings would go.
static void nothing_is_computed_anew_from_a_store_that_is_away(void **state)
{
    (void)state;
    struct recompute_result done;
    join_both();
    collect();
    play_to_the_end();
    collect();
    struct store_rating before = rating_of(0);
    assert_int_equal(before.games, 1);
    store_set_mock(k.store, &(struct store_mock){.away = true});
    recompute_ratings(k.lobby, &done);
    assert_false(done.kept);
    store_set_mock(k.store, &(struct store_mock){0});
    collect();
    collect();
    struct store_rating after = rating_of(0);
    assert_int_equal(after.games, before.games);
    assert_memory_equal(&after.rating, &before.rating, sizeof after.rating);
    recompute_ratings(k.lobby, &done);
    assert_true(done.kept);
    assert_int_equal(done.matches, 1);
}

// S26: two connections to two nodes at the same time; the later one is heard of while the earlier one is still being
// read.
static void a_connection_that_a_later_one_has_outrun_does_not_come_in(void **state)
{
    (void)state;
    struct lobby_agent *a = player[0]->agent;
    struct store_news news = {.kind = STORE_NEWS_PRESENCE, .agent = player[0]->id, .epoch = 2, .count = 6};
    kit_go(player[0]);
    assert_false(lobby_is_outrun(a, 5));
    lobby_apply_news(k.lobby, &news, k.now_ms);
    assert_true(lobby_is_outrun(a, 5));
    assert_false(lobby_is_outrun(a, 7));
    assert_false(lobby_is_outrun(a, 0)); // not counted
    news.count = 4;                      // what is told late changes nothing
    lobby_apply_news(k.lobby, &news, k.now_ms);
    assert_true(lobby_is_outrun(a, 5));
}

// S62: a host died after it had asked its first question, and the node that adopted the match hands it on before the
// players are back. They may have had the question, so its events do not come as new ones.
static void an_adopted_match_that_is_handed_on_is_not_told_as_new(void **state)
{
    (void)state;
    char bytes[STORE_HANDOVER];
    struct text t = text_on(bytes, sizeof bytes);
    join_both();
    struct kit_agent *asked = kit_awaited(&k);
    assert_non_null(asked);
    struct lobby_seat *s = kit_seat(asked)->seat;
    kit_go(asked);
    s->start_sent = s->begun = false;
    s->sent = s->fed = s->proven = 0;
    s->live->adopted = true;
    assert_true(handover_describe(k.lobby, s->live, true, &t));
    s->live->adopted = false; // as at the next node
    assert_true(handover_take(k.lobby, s->live, text_span(&t)));
    kit_said(asked);
    kit_come(asked, "same");
    assert_non_null(strstr(kit_said(asked), "/again"));
}

static int describe(void *owner, const struct lobby_presence *p, struct uuid session, char out[LOBBY_CONNECTION])
{
    (void)owner, (void)p, (void)session;
    out[0] = 'c';
    return 1;
}

static bool resume(void *owner, struct lobby_agent *a, struct uuid session, struct span connection)
{
    (void)owner, (void)a, (void)session;
    return span_is(connection, "c");
}

// S60: its answer may be on its way while the match moves. Asked again, it would be refused as stale.
static void whoever_answers_no_ping_is_not_asked_again(void **state)
{
    static const struct lobby_peers peers = {.describe = describe, .resume = resume};
    (void)state;
    char bytes[STORE_HANDOVER];
    struct text t = text_on(bytes, sizeof bytes);
    join_both();
    kit_settle(&k);
    for (int i = 0; i < 2; i++) {
        player[i]->agent->conn = (uint64_t)i + 1;
        kit_seat(player[i])->seat->start_due = true;
        kit_seat(player[i])->seat->start_ms = k.now_ms;
    }
    struct kit_agent *asked = kit_awaited(&k);
    struct lobby_seat *s = kit_seat(asked)->seat;
    struct uuid open = s->request;
    k.lobby->peers = &peers;
    lobby_asked(k.lobby, s, k.now_ms);
    assert_false(handover_describe(k.lobby, s->live, false, &t)); // the pong may still come
    k.lobby->now_ms += 5000;
    t.size = 0;
    assert_true(handover_describe(k.lobby, s->live, false, &t));
    s->request = (struct uuid){0}; // as at the next node
    s->start_sent = false;
    kit_said(asked);
    assert_true(handover_take(k.lobby, s->live, text_span(&t)));
    assert_string_equal(kit_said(asked), "start"); // for the receipt alone
    assert_true(uuid_equals(s->request, open));
    assert_int_equal(lobby_judge(s, &open, k.lobby->now_ms), LOBBY_AWAITED);
    k.lobby->peers = NULL;
}

static void dawdle(void *arg)
{
    for (int i = 0; i < 1000; i++)
        work_wait_turn(arg);
}

static void the_end_waits_for_nobody_where_reads_do_not_wait(void **state)
{
    (void)state;
    struct lobby_options o = k.o;
    kit_close(&k);
    struct work *w = o.work = work_create();
    kit_open(&k, &o);
    work_start(w, dawdle, w);
    lobby_end_waits(k.lobby);
    assert_int_equal(work_figures(w).jobs, 1); // its owner may still cut it short
    store_set_mock(k.store, &(struct store_mock){0});
    lobby_end_waits(k.lobby);
    assert_int_equal(work_figures(w).jobs, 0);
    kit_close(&k);
    work_destroy(w);
    kit_open(&k, NULL); // for tear_down
}

// S44: thousands of agents can have had matches at one node. Their reads leave room for those of others.
static void ends_of_a_dead_node_are_read_a_few_at_a_time(void **state)
{
    enum { AGENTS = 100, MOST = 8 };
    (void)state;
    struct lobby_options o = k.o;
    kit_close(&k);
    struct work *w = o.work = work_create();
    kit_open(&k, &o);
    struct kit_agent *p = kit_player(&k, "a");
    kit_settle(&k);
    store_set_mock(k.store, &(struct store_mock){0});
    for (int i = 0; i < AGENTS; i++)
        lobby_learn_ends(k.lobby, p->agent);
    assert_int_equal(work_figures(w).jobs, MOST);
    for (int turns = 0; work_figures(w).jobs > 0; turns++) {
        assert_true(turns < 10 * AGENTS);
        assert_true(work_figures(w).jobs <= MOST);
        collect();
        work_begin_turn(w);
        work_run_ready(w);
    }
    assert_true(STAILQ_EMPTY(&k.lobby->ends_due));
    lobby_learn_ends(k.lobby, p->agent); // and the next node that dies
    assert_int_equal(work_figures(w).jobs, 1);
    lobby_end_waits(k.lobby);
    assert_int_equal(work_figures(w).jobs, 0);
    kit_close(&k);
    work_destroy(w);
    kit_open(&k, NULL); // for tear_down
}

struct question {
    struct rematches *rematches;
    const struct store_match *match;
    int seat, status;
    struct rematch answer;
};

static void ask_again(void *arg)
{
    struct question *q = arg;
    char why[REMATCH_ERROR_ROOM];
    q->status = rematch_ask(q->rematches, q->match, q->seat, k.now_ms, &q->answer, why);
}

// F3.22: the job of the last request waits for the store when every published number is used.
static void a_rematch_that_is_beginning_is_left_alone(void **state)
{
    (void)state;
    struct lobby_options o = k.o;
    kit_close(&k);
    struct work *w = o.work = work_create();
    kit_open(&k, &o);
    for (int i = 0; i < 2; i++)
        player[i] = kit_player(&k, (char[]){(char)('a' + i), 0});
    struct lobby_agent *agents[] = {player[0]->agent, player[1]->agent};
    struct store_match m;
    struct uuid id;
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[DICE], "friendly", agents, 2, (struct uuid){0}, k.now_ms, &id), OK);
    assert_true(kit_play_out(&k, NULL, 100000));
    kit_settle(&k);
    assert_true(store_find_match(k.store, id, &m));

    struct rematches *r = rematches_open(k.lobby);
    struct question q[] = {{.rematches = r, .match = &m, .seat = 0},
                           {.rematches = r, .match = &m, .seat = 1},
                           {.rematches = r, .match = &m, .seat = 0}};
    char why[REMATCH_ERROR_ROOM];
    store_set_mock(k.store, &(struct store_mock){0});
    ask_again(&q[0]);
    k.lobby->deals.next = k.lobby->deals.published + 1; // all are used
    work_start(w, ask_again, &q[1]);
    assert_int_equal(work_figures(w).jobs, 1);
    work_start(w, ask_again, &q[2]);
    assert_int_equal(work_figures(w).jobs, 1);
    assert_int_equal(q[2].answer.status, REMATCH_WAITING);
    assert_int_equal(rematch_withdraw(r, &m, 0, k.now_ms, &q[2].answer, why), 200);
    assert_int_equal(rematch_read(r, &m, 0, k.now_ms + REMATCH_OPEN_MS, &q[2].answer, why), 200);
    assert_int_equal(q[2].answer.status, REMATCH_WAITING);
    assert_int_equal(q[2].answer.asked, 2);
    while (work_figures(w).jobs > 0) {
        collect();
        work_begin_turn(w);
        work_run_ready(w);
    }
    assert_int_equal(q[1].status, 200);
    assert_int_equal(q[1].answer.status, REMATCH_IN_MATCH);
    assert_int_equal(count_running(), 1);

    rematches_close(r);
    kit_close(&k);
    work_destroy(w);
    kit_open(&k, NULL); // for tear_down
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_match_begins_when_it_was_granted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_comes_before_the_grant_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_beginning_leaves_nothing_but_a_closed_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_beginning_leaves_a_newer_entry_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_end_is_computed_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_end_that_is_refused_twice_is_not_sent_before_it_is_stored, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(results_that_were_refused_together_are_put_again_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_forgotten_rating_is_there_when_it_was_read_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_end_whose_ratings_cannot_be_read_is_computed_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clocks_stand_while_the_store_is_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_put_while_the_store_is_away_lasts_when_it_is_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_computed_anew_from_a_store_that_is_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_connection_that_a_later_one_has_outrun_does_not_come_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_adopted_match_that_is_handed_on_is_not_told_as_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_answers_no_ping_is_not_asked_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_waits_for_nobody_where_reads_do_not_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rematch_that_is_beginning_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ends_of_a_dead_node_are_read_a_few_at_a_time, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
