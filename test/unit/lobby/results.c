// Results and ratings of finished matches (F7.1 to F7.9), latency, spectators (F4.24), and rematches (F3.22).
#include "lobby_test.h"

#include "lobby/agent_cache.h"
#include "lobby/internal.h"
#include "lobby/latency.h"
#include "lobby/rematch.h"

#include <math.h>
#include <stdio.h>

enum { HOLDEM, DICE, COUP, BELOTE };

static struct kit_agent *player[6];

static void come(int count)
{
    for (int i = 0; i < count; i++)
        player[i] = kit_player(&k, (char[]){(char)('a' + i), 0});
}

static const struct store_match *begin(int game, const char *mode, int count)
{
    struct lobby_agent *agents[6] = {0};
    struct uuid match;
    for (int i = 0; i < count; i++)
        agents[i] = player[i]->agent;
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[game], mode, agents, count, (struct uuid){0}, k.now_ms, &match), OK);
    return lobby_seat_match(kit_seat(player[0])->seat);
}

static const struct store_match *play(int game, const char *mode, int count)
{
    const struct store_match *m = begin(game, mode, count);
    struct rng dice = rng_from_key(m->key);
    assert_true(kit_play_out(&k, &dice, 1000000));
    assert_int_equal(m->status, STORE_FINISHED);
    return m;
}

static const struct store_rating *rating_of(const struct store_match *m, int seat, int game)
{
    return agents_rating(k.lobby, lobby_agent_by_id(k.lobby, m->seat[seat].agent), game);
}

static void own_alike(struct store_agent *r)
{
    snprintf(r->owner, sizeof r->owner, "one@example.org");
}

// --- ratings

static void three_new_players_are_rated(void **state)
{
    (void)state;
    come(3);
    const struct store_match *m = play(DICE, "ranked", 3);
    assert_true(m->rated);
    for (int i = 0; i < 3; i++) { // F7.6
        const struct store_rating *r = rating_of(m, i, DICE);
        bool won = m->winner == i;
        assert_true(fabs(r->rating - (won ? 1747.32 : 1376.34)) < 0.006);
        assert_true(fabs(r->deviation - 253.40) < 0.006);
        assert_true(r->peak == (won ? r->rating : 1500));
        assert_int_equal(r->games, 1);
        assert_int_equal(r->rated_games, 1);
        assert_int_equal(r->wins, won);
        assert_int_equal(r->losses, !won);
        assert_int_equal(r->streak, won ? 1 : -1);
        assert_string_equal(r->form, won ? "w" : "l");
    }
}

static void some_matches_are_not_rated(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        bool same_owner, rated;
    } cases[] = {
        {"ranked", false, true},
        {"friendly", false, false},
        {"tournament", false, false},
        {"ranked", true, false}, // F7.2
    };
    come(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].same_owner)
            kit_edit(player[0], own_alike), kit_edit(player[1], own_alike);
        const struct store_match *m = play(DICE, cases[i].mode, 2);
        assert_int_equal(m->rated, cases[i].rated);
        assert_int_equal(rating_of(m, 0, DICE)->games, i + 1);
        assert_int_equal(rating_of(m, 0, DICE)->rated_games, 1);
    }
}

static void share_device(struct store_agent *r)
{
    memset(r->device_id, 'a', 64);
}

static void share_origin(struct store_agent *r)
{
    snprintf(r->origin, sizeof r->origin, "192.0.2.1");
}

static void share_lineage(struct store_agent *r)
{
    r->lineage.byte[0] = 7;
}

// F7.2: what shows that two agents have one owner where claims are automatic.
static void agents_of_one_owner_are_not_rated(void **state)
{
    (void)state;
    static const struct {
        void (*edit)(struct store_agent *r); // of both
        const char *address[2];              // of their connections
        bool rate_same_address, rated;
    } cases[] = {
        {NULL, {NULL, NULL}, false, true},
        {share_device, {NULL, NULL}, false, false},
        {share_device, {NULL, NULL}, true, false},
        {share_lineage, {NULL, NULL}, true, false},
        {share_origin, {NULL, NULL}, false, false},
        {share_origin, {NULL, NULL}, true, true},
        {NULL, {"192.0.2.7", "192.0.2.7"}, false, false},
        {NULL, {"192.0.2.7", "192.0.2.7"}, true, true},
        {NULL, {"192.0.2.7", "192.0.2.8"}, false, true},
        {NULL, {"", ""}, false, true}, // this machine
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lobby_options o = k.o;
        kit_close(&k);
        o.rate_same_address = cases[i].rate_same_address;
        kit_open(&k, &o);
        come(2);
        for (int p = 0; p < 2; p++) {
            player[p]->address = cases[i].address[p];
            kit_come(player[p], "p");
            if (cases[i].edit)
                kit_edit(player[p], cases[i].edit);
        }
        assert_int_equal(play(DICE, "ranked", 2)->rated, cases[i].rated);
    }
}

// The agent that registered another one, and the other one.
static void the_first_of_a_lineage_belongs_to_it(void **state)
{
    (void)state;
    come(2);
    lobby_agent_edit(player[1]->agent)->lineage = player[0]->id;
    lobby_agent_save(k.lobby, player[1]->agent);
    assert_false(play(DICE, "ranked", 2)->rated);
}

// Moving to another address in the middle of a match does not hide anything.
static void an_address_once_shared_stays_so(void **state)
{
    (void)state;
    come(2);
    const struct store_match *m = begin(DICE, "ranked", 2);
    static const char *const addresses[] = {"192.0.2.7", "192.0.2.7", "192.0.2.8"};
    for (int i = 0; i < 3; i++) {
        struct kit_agent *p = player[i ? 1 : 0];
        p->address = addresses[i];
        kit_come(p, "p");
    }
    struct rng dice = rng_from_key(m->key);
    assert_true(kit_play_out(&k, &dice, 1000000));
    assert_false(m->rated);
}

static void rate_house(struct lobby_options *o)
{
    o->house_bots = 1;
    o->rate_house = true;
}

static void matches_with_the_house_are_rated_on_demand(void **state)
{
    (void)state;
    reopen(rate_house);
    assert_true(agent_cache_knows_rating(k.lobby->house[COUP][0], COUP)); // before it plays
    come(1);
    kit_join(player[0], "coup", "", true);
    kit_pass(&k, k.o.house_wait_ms);
    assert_true(kit_play_out(&k, NULL, 1000000));
    assert_true(lobby_seat_match(kit_seat(player[0])->seat)->rated); // F7.15
    assert_int_equal(agents_rating(k.lobby, player[0]->agent, COUP)->rated_games, 1);
}

static struct game_action fallback_of(const struct lobby_seat *s)
{
    const struct match *m = s->live->match;
    return m->game->fallback(&m->state, s->index);
}

static void a_dropped_player_loses_to_the_others(void **state)
{
    (void)state;
    come(3);
    const struct store_match *m = begin(DICE, "ranked", 3);
    kit_go(kit_at(&k, 0)); // both strikes of seat 0
    for (int i = 0; i < 20 && !m->seat[0].dropped; i++) {
        struct kit_agent *a = kit_awaited(&k);
        if (!a)
            kit_pass(&k, k.o.turn_timeout_ms);
        else
            kit_answer(a, kit_asked(a), fallback_of(kit_asked(a)->seat));
    }
    assert_true(m->seat[0].dropped);
    assert_true(kit_play_out(&k, NULL, 1000000));
    int loser = 3 - m->winner;
    // F7.4: not dropped beats dropped, so the second is between the winner and the one who left.
    assert_true(rating_of(m, m->winner, DICE)->rating > rating_of(m, loser, DICE)->rating);
    assert_true(rating_of(m, loser, DICE)->rating > rating_of(m, 0, DICE)->rating);
}

static void partners_share_their_result(void **state)
{
    (void)state;
    come(4);
    const struct store_match *m = play(BELOTE, "ranked", 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m->seat[i].result, m->payoffs[i] == 1 ? 'w' : 'l');
        assert_true(rating_of(m, i, BELOTE)->rating == rating_of(m, (i + 2) % 4, BELOTE)->rating);
    }
    assert_int_equal(m->winner, -1);
    assert_false(m->is_draw);
}

static void idle_days_make_unsure(void **state)
{
    (void)state;
    come(2);
    play(DICE, "ranked", 2);
    double before = agents_rating(k.lobby, player[0]->agent, DICE)->deviation;
    for (int i = 0; i < 2; i++)
        kit_go(player[i]);
    k.now_ms += 200 * 86400000ll; // F7.5
    for (int i = 0; i < 2; i++)
        kit_come(player[i], "x");
    play(DICE, "ranked", 2);
    double after = agents_rating(k.lobby, player[0]->agent, DICE)->deviation;
    assert_true(after > before * 0.93); // without the growth it would have fallen by a tenth and more
}

static void damp(struct lobby_options *o)
{
    o->damp_repeats = true;
    o->has_seed = true; // the same winners every time
}

static void repeated_meetings_count_less(void **state)
{
    (void)state;
    double gained[8];
    reopen(damp);
    come(2);
    for (int i = 0; i < 8; i++) {
        double before = agents_rating(k.lobby, player[0]->agent, DICE)->deviation;
        play(DICE, "ranked", 2);
        if (i == 5)
            kit_settle(&k); // some are in the store, some only in memory, and some in both
        gained[i] = before - agents_rating(k.lobby, player[0]->agent, DICE)->deviation;
    }
    assert_true(gained[3] < 0.75 * gained[2]); // F7.9: the fourth counts half, what follows ever less
    assert_true(gained[7] < 0.35 * gained[2]);
}

static void read_again(struct lobby_agent *a)
{
    a->cache.has_meetings = a->cache.has_starts = false;
    a->cache.meetings = a->cache.starts = 0;
}

// F7.9: the rule counts by game, so many matches of another one hide nothing.
static void meetings_are_read_by_game(void **state)
{
    (void)state;
    enum { OTHERS = 258 };
    reopen(damp);
    come(3);
    for (int i = 0; i < 3; i++)
        play(DICE, "ranked", 2);
    struct store_match m = *play(DICE, "ranked", 2);
    kit_settle(&k);
    for (int i = 0; i < OTHERS; i++)
        play(COUP, "casual", 2);
    kit_settle(&k);
    read_again(player[0]->agent);
    assert_int_equal(agent_cache_count_meetings(k.lobby, player[0]->agent, &m, player[1]->agent->record.id), 4);
}

static void fill_with_two(struct lobby_options *o)
{
    o->table_max = 2;
}

// F3.4: what began in one millisecond is counted one by one, in memory and in the store.
static void starts_of_one_millisecond_are_two(void **state)
{
    (void)state;
    reopen(fill_with_two);
    come(2);
    for (int i = 0; i < 4; i++) // the table is full, and the match begins at once
        assert_string_equal(kit_join(player[i % 2], "liars_dice", "", false), "");
    read_again(player[0]->agent);
    assert_int_equal(lobby_games_today(k.lobby, player[0]->agent, k.now_ms), 2);
    kit_settle(&k);
    read_again(player[0]->agent);
    assert_int_equal(lobby_games_today(k.lobby, player[0]->agent, k.now_ms), 2);
}

static void results_are_counted_once(void **state)
{
    (void)state;
    come(2);
    play(DICE, "ranked", 2);
    struct store_rating before = *agents_rating(k.lobby, player[0]->agent, DICE);
    kit_restart(&k);
    struct store_rating after = *agents_rating(k.lobby, player[0]->agent, DICE);
    assert_int_equal(after.games, 1);
    assert_true(before.rating == after.rating && before.deviation == after.deviation);
    assert_memory_equal(before.latency, after.latency, sizeof before.latency);
    assert_string_equal(before.form, after.form);
}

static void a_cancelled_match_counts_for_nobody(void **state)
{
    (void)state;
    come(2);
    const struct store_match *m = begin(DICE, "ranked", 2);
    struct uuid match = m->id;
    kit_go(player[1]);
    kit_said(player[0]);
    kit_said(player[1]);
    assert_int_equal(lobby_cancel_match(k.lobby, (struct uuid){{1}}, k.now_ms), ERR_UNKNOWN);
    assert_int_equal(lobby_cancel_match(k.lobby, match, k.now_ms), OK);
    assert_string_equal(kit_said(player[0]), "over:-");
    assert_int_equal(lobby_cancel_match(k.lobby, match, k.now_ms), ERR_UNKNOWN); // it is over
    assert_int_equal(lobby_agent_active(player[0]->agent), 0);
    assert_true(m->status == STORE_CANCELLED && m->is_draw && !m->rated);
    assert_true(m->payoffs[0] == 0 && m->payoffs[1] == 0 && !m->forfeit_reason);
    assert_int_equal(agents_rating(k.lobby, player[0]->agent, DICE)->games, 0); // F7.2
    kit_restart(&k);
    struct lobby_figures f;
    lobby_figures(k.lobby, &f);
    assert_int_equal(f.matches_active, 0);
    kit_come(player[1], "b");
    assert_string_equal(kit_said(player[1]), "over:-"); // F4.19 (a)
}

static void a_streak_and_a_form_are_kept(void **state)
{
    (void)state;
    come(2);
    int wins = 0, streak = 0, best = 0;
    char form[STORE_FORM + 2] = "";
    for (int i = 0; i < 12; i++) {
        const struct store_match *m = play(DICE, "friendly", 2);
        bool won = uuid_equals(m->seat[m->winner].agent, player[0]->id);
        wins += won;
        streak = won ? (streak > 0 ? streak + 1 : 1) : streak < 0 ? streak - 1 : -1;
        best = streak > best ? streak : best;
        memmove(form + 1, form, STORE_FORM);
        form[0] = won ? 'w' : 'l';
        form[STORE_FORM] = 0;
    }
    const struct store_rating *r = agents_rating(k.lobby, player[0]->agent, DICE);
    assert_int_equal(r->wins, wins);
    assert_int_equal(r->streak, streak);
    assert_int_equal(r->best_streak, best);
    assert_string_equal(r->form, form);
}

// --- latency (F7.12)

static void buckets_grow_by_quarters(void **state)
{
    (void)state;
    for (int i = 0; i < STORE_LATENCY_BUCKETS; i++) {
        assert_int_equal(latency_bucket(latency_bound(i) - 1), i);
        if (i + 1 < STORE_LATENCY_BUCKETS)
            assert_int_equal(latency_bucket(latency_bound(i)), i + 1);
    }
    assert_int_equal(latency_bucket(INT64_MAX), STORE_LATENCY_BUCKETS - 1);
    assert_int_equal(latency_bucket(-1), 0);
    assert_true(latency_bound(STORE_LATENCY_BUCKETS - 1) > 300000);
    uint32_t at[STORE_LATENCY_BUCKETS] = {0};
    assert_int_equal(latency_percentile(at, 50), 0);
    at[latency_bucket(10)] = 98;
    at[latency_bucket(1000)] = 2;
    assert_int_equal(latency_percentile(at, 50), 12);
    assert_int_equal(latency_percentile(at, 98), 12);
    assert_int_equal(latency_percentile(at, 99), latency_bound(latency_bucket(1000)));
}

static void decisions_are_timed_from_the_request(void **state)
{
    (void)state;
    come(2);
    const struct store_match *m = begin(DICE, "friendly", 2);
    int decisions = 0;
    while (m->status == STORE_RUNNING) {
        struct kit_agent *a = kit_awaited(&k);
        kit_pass(&k, 50); // until it is written: does not count
        kit_written(&k);
        kit_pass(&k, 1000);
        decisions += a == player[0];
        assert_int_equal(kit_answer(a, kit_asked(a), kit_choose(kit_asked(a), NULL)), OK);
    }
    const struct store_rating *r = agents_rating(k.lobby, player[0]->agent, DICE);
    assert_int_equal(latency_count(r->latency), decisions);
    assert_int_equal(r->latency[latency_bucket(1000)], decisions);
}

// --- spectators

static struct {
    int begun, ended;
    uint32_t events;
    int64_t begun_ms, ended_ms;
    union game_view view;
} seen;

static void on_begin(void *client, struct lobby_watch *w, const union game_view *view, const struct lobby_aside *turn,
                     int64_t delay_ms)
{
    (void)client;
    (void)w;
    (void)delay_ms;
    assert_true(turn && turn->kind == LOBBY_TURN); // somebody is asked from the first moment on
    seen.begun++;
    seen.begun_ms = k.now_ms;
    seen.view = *view;
}

static void on_event(void *client, struct lobby_watch *w, const struct match_event *e)
{
    (void)client;
    (void)w;
    assert_true(seen.begun && !seen.ended);
    assert_true(e->at_ms + k.o.spectate_delay_ms <= k.now_ms || !k.o.spectate_delay_ms);
    seen.events++;
}

static void on_end(void *client, struct lobby_watch *w)
{
    (void)client;
    (void)w;
    seen.ended++;
    seen.ended_ms = k.now_ms;
}

static void on_aside(void *client, struct lobby_watch *w, const struct lobby_aside *a, uint32_t number)
{
    (void)client, (void)w, (void)a, (void)number;
}

static const struct lobby_watch_link watcher = {on_begin, on_event, on_aside, on_end, NULL};

static void spectators_see_what_was(void **state)
{
    (void)state;
    come(2);
    memset(&seen, 0, sizeof seen);
    const struct store_match *m = begin(DICE, "friendly", 2);
    struct lobby_live live[2];
    int total;
    kit_settle(&k); // a match is listed when it is durable
    assert_int_equal(lobby_list_live(k.lobby, k.now_ms, live, 2, &total), 1);
    assert_true(uuid_equals(live[0].live, m->live));
    union game_view first;
    const struct game *g = kit_games[DICE].codec->game;
    int64_t start_ms = k.now_ms;
    struct lobby_watch *w = lobby_watch_open(k.lobby, m->live, NULL, &watcher, NULL, k.now_ms);
    assert_non_null(w);
    assert_true(uuid_equals(lobby_watch_id(w), m->id));
    kit_pass(&k, 1000);
    struct rng dice = rng_from_key(m->key);
    assert_true(kit_play_out(&k, &dice, 100000));
    assert_int_equal(seen.begun, 0);
    kit_pass(&k, k.o.spectate_delay_ms - 1001);
    assert_int_equal(seen.begun, 0);
    kit_pass(&k, 1);
    assert_int_equal(seen.begun_ms, start_ms + k.o.spectate_delay_ms);
    assert_int_equal(seen.events, 0);
    struct rng chance = rng_from_key(m->key), sub = rng_split(&chance, 0);
    union game_state begun;
    union game_rules rules;
    g->defaults(&rules);
    assert_int_equal(g->init(&begun, &rules, 2, sub, NULL), OK);
    g->view(&begun, GAME_SPECTATOR, &first);
    assert_memory_equal(&first, &seen.view, g->view_size); // the picture of then, not of now
    kit_pass(&k, 1000);
    assert_int_equal(seen.events, m->events);
    assert_int_equal(seen.ended, 1);
    assert_int_equal(seen.ended_ms, m->finished_ms + k.o.spectate_delay_ms);
    assert_true(uuid_equals(lobby_watch_match(w)->replay, m->replay));
    lobby_watch_close(k.lobby, w);
    assert_null(lobby_watch_open(k.lobby, m->live, NULL, &watcher, NULL, k.now_ms)); // no longer live
}

static void a_latecomer_joins_in_the_middle(void **state)
{
    (void)state;
    come(2);
    memset(&seen, 0, sizeof seen);
    const struct store_match *m = begin(DICE, "friendly", 2);
    for (int i = 0; i < 6; i++) {
        struct kit_agent *a = kit_awaited(&k);
        struct game_choice choices[GAME_MAX_CHOICES];
        int count = lobby_seat_choices(kit_asked(a)->seat, choices);
        kit_answer(a, kit_asked(a), choices[count - 1].first);
        kit_pass(&k, 20000);
    }
    struct lobby_watch *w = lobby_watch_open(k.lobby, m->live, NULL, &watcher, NULL, k.now_ms);
    kit_pass(&k, 0);
    assert_int_equal(seen.begun, 1);
    kit_pass(&k, 0);
    assert_int_equal(seen.events, 0); // four bids are in the picture
    kit_pass(&k, 20000);
    assert_int_equal(seen.events, 1);
    kit_pass(&k, 60000);
    assert_int_equal(seen.events, 2);
    lobby_watch_close(k.lobby, w);
}

static void use_house(struct lobby_options *o)
{
    o->house_bots = 3;
}

static void nobody_waits_for_house_bots(void **state)
{
    (void)state;
    reopen(use_house);
    come(2);
    memset(&seen, 0, sizeof seen);
    kit_join(player[0], "coup", "", true);
    kit_pass(&k, k.o.house_wait_ms);
    const struct store_match *m = lobby_seat_match(kit_seat(player[0])->seat);
    struct lobby_watch *own = lobby_watch_open(k.lobby, m->live, player[0]->agent, &watcher, NULL, k.now_ms);
    kit_pass(&k, 0);
    assert_int_equal(seen.begun, 1);                        // F4.24: with the key of the only one who is no house bot
    assert_true(uuid_equals(lobby_watch_id(own), m->live)); // F2.7
    struct lobby_watch *other = lobby_watch_open(k.lobby, m->live, player[1]->agent, &watcher, NULL, k.now_ms);
    kit_pass(&k, 0);
    assert_int_equal(seen.begun, 1);
    assert_true(uuid_equals(lobby_watch_id(other), m->id));
    lobby_watch_close(k.lobby, own);
    lobby_watch_close(k.lobby, other);
}

// --- once more (F3.22)

static void offers_that_ran_out_make_room(void **state)
{
    (void)state;
    come(2);
    struct store_match m = *play(DICE, "friendly", 2);
    struct rematches *r = rematches_open(k.lobby);
    struct rematch now;
    char why[REMATCH_ERROR_ROOM];
    for (int i = 0; i < REMATCH_MOST; i++) {
        m.id.byte[0] = (uint8_t)i;
        m.id.byte[1] = (uint8_t)(i >> 8);
        assert_int_equal(rematch_ask(r, &m, 0, k.now_ms, &now, why), 200);
        assert_int_equal(now.status, REMATCH_WAITING);
    }
    m.id.byte[2] ^= 1;
    assert_int_equal(rematch_ask(r, &m, 0, k.now_ms + REMATCH_OFFER_MS - 1, &now, why), 429);
    assert_int_equal(rematch_ask(r, &m, 0, k.now_ms + REMATCH_OFFER_MS, &now, why), 200);
    rematches_close(r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(three_new_players_are_rated),
        TEST(some_matches_are_not_rated),
        TEST(agents_of_one_owner_are_not_rated),
        TEST(the_first_of_a_lineage_belongs_to_it),
        TEST(an_address_once_shared_stays_so),
        TEST(matches_with_the_house_are_rated_on_demand),
        TEST(a_dropped_player_loses_to_the_others),
        TEST(partners_share_their_result),
        TEST(idle_days_make_unsure),
        TEST(repeated_meetings_count_less),
        TEST(meetings_are_read_by_game),
        TEST(starts_of_one_millisecond_are_two),
        TEST(results_are_counted_once),
        TEST(a_cancelled_match_counts_for_nobody),
        TEST(a_streak_and_a_form_are_kept),
        TEST(buckets_grow_by_quarters),
        TEST(decisions_are_timed_from_the_request),
        TEST(spectators_see_what_was),
        TEST(a_latecomer_joins_in_the_middle),
        TEST(nobody_waits_for_house_bots),
        TEST(offers_that_ran_out_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
