// Queues, gates, confirmation, standby, house bots (F3, F7.15).
#include "lobby_test.h"

#include "lobby/internal.h"

static void ask_to_confirm(struct store_agent *r)
{
    r->auto_confirm = false;
}

static void play_one_at_once(struct store_agent *r)
{
    r->max_concurrent = 1;
}

static void unclaim(struct store_agent *r)
{
    r->claimed = false;
}

static void cool_down(struct store_agent *r)
{
    r->cooldown_seconds = 60;
}

static void cap_day(struct store_agent *r)
{
    r->max_games_per_day = 1;
}

static void cap_hour(struct store_agent *r)
{
    r->max_games_per_hour = 1;
}

static void stand_by(struct store_agent *r)
{
    memcpy(r->standby, "coup,liars_dice", 16);
    r->auto_requeue = true;
    r->max_games_per_day = 5;
}

// --- F3.1, F3.4

static void words_are_judged(void **state)
{
    (void)state;
    static const struct {
        const char *game, *mode, *refusal;
    } cases[] = {
        {"chess", "ranked", "unknown game chess"},
        {"", "ranked", "unknown game "},
        {"coup", "tournament", "unknown mode tournament"},   // F3.1: the operator's
        {"coup", "event_final", "unknown mode event_final"}, //
        {"coup", "Ranked", "unknown mode Ranked"},
        {"coup", "a b", "unknown mode a b"},
        {"chess", "a b", "unknown game chess"}, // F3.4: the game comes first
        {"coup", "", ""},
        {"coup", "any_word_9", ""},
        {"coup", "friendly", ""},
        {"belote", "ranked", ""}, // the kit's agents declare it
    };
    struct kit_agent *a = kit_player(&k, "ada");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(kit_join(a, cases[i].game, cases[i].mode, true), cases[i].refusal);
    assert_string_equal(kit_said(a), "joined:coup/ranked/once joined:coup/any_word_9/once joined:coup/friendly/once "
                                     "joined:belote/ranked/once");
}

static void a_long_word_is_cut_between_characters(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada");
    const char *refusal = kit_join(a, "éééééééééééééééééééééééééééééééééééééé", "", false);
    assert_int_equal(strlen(refusal), strlen("unknown game ") + 48);
}

// Each row adds what the row above it did not have: the first failure is the answer.
static void gates_stand_in_order(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, cap_day);
    kit_edit(a, cap_hour);
    kit_edit(a, play_one_at_once);
    kit_join(a, "liars_dice", "", false);
    kit_join(b, "liars_dice", "", false);
    kit_pass(&k, k.o.fill_wait_ms);
    assert_true(kit_heard(a, "start"));
    assert_string_equal(kit_join(a, "coup", "", false), "matchmaking gate denied: concurrent match limit reached");
    assert_true(kit_play_out(&k, NULL, 100000));
    assert_string_equal(kit_join(a, "coup", "", false), "matchmaking gate denied: hourly limit reached");
    kit_pass(&k, 3600001);
    assert_string_equal(kit_join(a, "coup", "", false), "matchmaking gate denied: daily limit reached");
    assert_string_equal(kit_join(a, "coup", "", true), ""); // one_shot is not counted
    assert_true(lobby_quit(k.lobby, a->agent, k.now_ms));
    kit_edit(a, cool_down);
    lobby_drain(k.lobby, true, k.now_ms);
    assert_string_equal(kit_join(a, "coup", "", false), "matchmaking gate denied: maintenance");
    kit_edit(a, unclaim);
    assert_string_equal(kit_join(a, "coup", "", false), "agent is not claimed");
    assert_string_equal(kit_join(a, "coup", "X", false), "unknown mode X");
}

// The same whether the match is durable or was begun a moment ago.
static void caps_count_what_is_not_yet_durable(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, cap_day);
    kit_join(a, "coup", "", false);
    kit_join(b, "coup", "", false);
    k.now_ms += k.o.fill_wait_ms;
    lobby_tick(k.lobby, k.now_ms); // nothing submitted
    assert_string_equal(kit_join(a, "coup", "", false), "matchmaking gate denied: daily limit reached");
    assert_int_equal(lobby_games_today(k.lobby, a->agent, k.now_ms), 1);
    kit_settle(&k);
    assert_string_equal(kit_join(a, "coup", "", false), "matchmaking gate denied: daily limit reached");
    assert_int_equal(lobby_games_today(k.lobby, a->agent, k.now_ms), 1);
}

static void a_cooldown_names_its_end(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, cool_down);
    kit_join(a, "liars_dice", "", true);
    kit_join(b, "liars_dice", "", true);
    kit_pass(&k, k.o.fill_wait_ms);
    assert_true(kit_play_out(&k, NULL, 100000));
    assert_string_equal(kit_join(a, "coup", "", true), "agent on cooldown until 2023-11-14T22:14:23.000Z"); // F3.8
    kit_restart(&k);
    kit_come(a, "ada");
    assert_string_equal(kit_join(a, "coup", "", true), "agent on cooldown until 2023-11-14T22:14:23.000Z");
    kit_pass(&k, 60000);
    assert_string_equal(kit_join(a, "coup", "", true), "");
}

// --- F3.2, F3.5

static void tables_form_by_size_and_by_time(void **state)
{
    (void)state;
    struct kit_agent *a[5];
    for (int i = 0; i < 5; i++)
        a[i] = kit_player(&k, (char[]){(char)('a' + i), 0});
    for (int i = 0; i < 3; i++)
        kit_join(a[i], "coup", "", true);
    kit_pass(&k, k.o.fill_wait_ms - 1);
    assert_false(kit_heard(a[0], "start"));
    kit_join(a[3], "coup", "", true); // table_max: at once
    assert_true(kit_heard(a[0], "start") && kit_heard(a[3], "start"));
    assert_int_equal(lobby_seat_count(kit_seat(a[0])->seat), 4);
    kit_join(a[4], "coup", "", true);
    kit_pass(&k, 10 * k.o.fill_wait_ms);
    assert_false(kit_heard(a[4], "start")); // table_min: nobody plays alone
}

static void a_game_may_have_tables_of_its_own(void **state)
{
    static struct lobby_game games[8];
    struct lobby_options o = k.o;
    struct kit_agent *a[3];
    (void)state;
    int at = 0;
    for (; kit_games[at].codec; at++)
        games[at] = kit_games[at];
    for (int i = 0; i < at; i++) {
        bool coup = strcmp(games[i].codec->game->name, "coup") == 0;
        games[i].table_min = coup ? 3 : 0;
        games[i].table_max = coup ? 3 : 0;
    }
    kit_close(&k);
    o.games = games;
    kit_open(&k, &o);
    for (int i = 0; i < 3; i++)
        a[i] = kit_player(&k, (char[]){(char)('a' + i), 0});
    kit_join(a[0], "coup", "", true);
    kit_join(a[1], "coup", "", true);
    kit_pass(&k, 10 * k.o.fill_wait_ms);
    assert_false(kit_heard(a[0], "start")); // two are enough for any other
    kit_join(a[2], "coup", "", true);
    assert_int_equal(lobby_seat_count(kit_seat(a[0])->seat), 3); // and three are all that sit down
    kit_join(a[0], "liars_dice", "", true);
    kit_join(a[1], "liars_dice", "", true);
    kit_pass(&k, k.o.fill_wait_ms);
    assert_int_equal(lobby_seat_count(kit_seat(a[0])->seat), 2);
}

static void modes_and_games_never_mix(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea"), *c = kit_player(&k, "cleo");
    kit_join(a, "coup", "ranked", true);
    kit_join(b, "coup", "friendly", true);
    kit_join(c, "liars_dice", "ranked", true);
    kit_pass(&k, 10 * k.o.fill_wait_ms);
    assert_false(kit_heard(a, "start") || kit_heard(b, "start") || kit_heard(c, "start"));
}

static void a_second_join_replaces_the_first(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    struct lobby_figures f;
    kit_join(a, "coup", "", true);
    kit_pass(&k, 2000);
    kit_join(a, "coup", "", false); // keeps its place: fill_wait counts from the first
    kit_join(b, "coup", "", true);
    lobby_figures(k.lobby, &f);
    assert_int_equal(f.queued, 2);
    kit_pass(&k, k.o.fill_wait_ms - 2000);
    assert_true(kit_heard(a, "start"));
    kit_join(b, "liars_dice", "", true);
    kit_join(b, "texas_holdem", "", true);
    lobby_figures(k.lobby, &f);
    assert_int_equal(f.queued, 1);
}

static void whoever_goes_leaves_the_queue(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    struct lobby_figures f;
    kit_join(a, "coup", "", false);
    kit_join(b, "coup", "", false);
    kit_go(a);
    kit_come(b, "another"); // F1.12: a newer connection drops the entry too
    lobby_figures(k.lobby, &f);
    assert_int_equal(f.queued, 0);
    assert_string_equal(kit_said(b), "joined:coup/ranked gone:replaced");
    kit_come(b, "another");
    assert_string_equal(kit_said(b), "gone:replaced_same");
    assert_false(lobby_quit(k.lobby, b->agent, k.now_ms));
    assert_string_equal(kit_said(b), "");
}

// --- F3.6, F3.9

static void auto_requeue_follows_the_match(void **state)
{
    (void)state;
    static const struct {
        bool one_shot, quits;
        const char *after;
    } cases[] = {
        {false, false, "joined:liars_dice/friendly"},
        {true, false, ""}, // F3.6
        {false, true, ""}, // F3.7: leave_queue switches it off
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
        kit_join(a, "liars_dice", "friendly", cases[i].one_shot);
        kit_join(b, "liars_dice", "friendly", true);
        kit_pass(&k, k.o.fill_wait_ms);
        assert_int_equal(lobby_agent_record(a->agent)->auto_requeue, !cases[i].one_shot);
        if (cases[i].quits)
            assert_false(lobby_quit(k.lobby, a->agent, k.now_ms));
        assert_true(kit_play_out(&k, NULL, 100000));
        const char *over = strstr(kit_said(a), "over:");
        assert_non_null(over);
        assert_string_equal(strlen(over) > 6 ? over + 7 : "", cases[i].after);
        kit_go(a);
        kit_go(b);
    }
}

static void auto_requeue_waits_out_the_cooldown(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, cool_down);
    kit_join(a, "liars_dice", "", false);
    kit_join(b, "liars_dice", "", true);
    kit_pass(&k, k.o.fill_wait_ms);
    assert_true(kit_play_out(&k, NULL, 100000));
    kit_said(a);
    kit_pass(&k, 59999);
    assert_string_equal(kit_said(a), "");
    kit_pass(&k, 1);
    assert_string_equal(kit_said(a), "joined:liars_dice/ranked");
}

// --- F3.13 to F3.17

static void begin_candidate(struct kit_agent *a[3])
{
    for (int i = 0; i < 3; i++) {
        a[i] = kit_player(&k, (char[]){(char)('a' + i), 0});
        kit_edit(a[i], ask_to_confirm);
        kit_join(a[i], "coup", "", true);
    }
    kit_pass(&k, k.o.fill_wait_ms);
    for (int i = 0; i < 3; i++)
        assert_string_equal(kit_said(a[i]), "joined:coup/ranked/once confirm");
}

static void all_confirm_and_it_begins(void **state)
{
    (void)state;
    struct kit_agent *a[3];
    begin_candidate(a);
    assert_int_equal(lobby_confirm(k.lobby, a[0]->agent, a[1]->confirm, k.now_ms), ERR_UNKNOWN); // F3.14
    assert_int_equal(lobby_confirm(k.lobby, a[0]->agent, a[0]->confirm, k.now_ms), OK);
    assert_int_equal(lobby_confirm(k.lobby, a[0]->agent, a[0]->confirm, k.now_ms), OK); // a repeat
    assert_int_equal(lobby_confirm(k.lobby, a[1]->agent, a[1]->confirm, k.now_ms), OK);
    assert_string_equal(kit_said(a[0]), "");
    assert_int_equal(lobby_confirm(k.lobby, a[2]->agent, a[2]->confirm, k.now_ms), OK);
    for (int i = 0; i < 3; i++)
        assert_true(kit_heard(a[i], "start"));
}

static void who_does_not_confirm_is_out(void **state)
{
    (void)state;
    struct kit_agent *a[3];
    begin_candidate(a);
    lobby_confirm(k.lobby, a[0]->agent, a[0]->confirm, k.now_ms);
    lobby_confirm(k.lobby, a[2]->agent, a[2]->confirm, k.now_ms);
    kit_pass(&k, k.o.confirm_timeout_ms);
    assert_string_equal(kit_said(a[1]), "cancelled:confirmation_timeout/removed");
    // Back with their old join time, so the next table forms at once.
    assert_string_equal(kit_said(a[0]), "cancelled:opponent_not_ready/re_queued confirm");
    assert_string_equal(kit_said(a[2]), "cancelled:opponent_not_ready/re_queued confirm");
}

static void a_member_disconnects(void **state)
{
    (void)state;
    struct kit_agent *a[3];
    begin_candidate(a);
    kit_go(a[1]);
    assert_string_equal(kit_said(a[0]), "cancelled:opponent_disconnected/re_queued confirm");
    assert_string_equal(kit_said(a[1]), "");
}

static void a_member_withdraws(void **state)
{
    (void)state;
    struct kit_agent *a[3];
    begin_candidate(a);
    assert_true(lobby_quit(k.lobby, a[1]->agent, k.now_ms));
    assert_string_equal(kit_said(a[1]), "left"); // F3.7
    assert_string_equal(kit_said(a[0]), "cancelled:opponent_not_ready/re_queued confirm");
}

static void a_member_lost_capacity(void **state)
{
    (void)state;
    struct kit_agent *a[3], *z = kit_player(&k, "zoe");
    begin_candidate(a);
    struct lobby_agent *pair[] = {a[1]->agent, z->agent};
    struct uuid match;
    kit_edit(a[1], play_one_at_once);
    assert_int_equal(lobby_seat_table(k.lobby, &kit_games[1], "friendly", pair, 2, (struct uuid){0}, k.now_ms, &match),
                     OK);
    kit_said(a[1]);
    for (int i = 0; i < 3; i++)
        lobby_confirm(k.lobby, a[i]->agent, a[i]->confirm, k.now_ms);
    assert_string_equal(kit_said(a[1]), "cancelled:capacity_changed/removed");
    assert_string_equal(kit_said(a[0]), "cancelled:capacity_changed/re_queued confirm");
}

static void drain_ends_candidates_and_entries(void **state)
{
    (void)state;
    struct kit_agent *a[3], *z = kit_player(&k, "zoe");
    begin_candidate(a);
    kit_join(z, "belote", "", true);
    lobby_drain(k.lobby, true, k.now_ms);
    assert_string_equal(kit_said(a[0]), "cancelled:maintenance/removed");
    assert_string_equal(kit_said(z), "joined:belote/ranked/once cancelled:maintenance/removed"); // F3.18
    lobby_drain(k.lobby, false, k.now_ms);
    assert_string_equal(kit_join(z, "belote", "", true), "");
}

static void the_third_failure_bars(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, ask_to_confirm);
    kit_join(b, "coup", "", true);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(kit_join(a, "coup", "", true), "");
        kit_pass(&k, k.o.fill_wait_ms + k.o.confirm_timeout_ms);
    }
    assert_memory_equal(kit_join(a, "coup", "", true), "agent on cooldown until ", 24); // F3.16
    kit_pass(&k, 300000);
    assert_string_equal(kit_join(a, "coup", "", true), "");
}

static void confirmations_move_to_a_new_connection(void **state)
{
    (void)state;
    struct kit_agent *a[3];
    begin_candidate(a);
    struct uuid before = a[0]->confirm;
    kit_come(a[0], "again");
    assert_string_equal(kit_said(a[0]), "gone:replaced confirm"); // F1.12
    assert_true(uuid_equals(before, a[0]->confirm));
}

// --- F3.10 to F3.12

static void standby_agents_are_checked_then_seated(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea"), *c = kit_player(&k, "cleo");
    kit_edit(a, stand_by);
    kit_edit(b, stand_by);
    kit_edit(c, stand_by);
    kit_pass(&k, k.o.standby_sweep_ms);
    assert_string_equal(kit_said(a), "ready?");
    lobby_report_ready(k.lobby, a->agent, a->readiness, true, k.now_ms);
    lobby_report_ready(k.lobby, b->agent, b->readiness, true, k.now_ms);
    lobby_report_ready(k.lobby, c->agent, c->readiness, false, k.now_ms);
    kit_pass(&k, 0);
    assert_true(kit_heard(a, "start") && kit_heard(b, "start") && !kit_heard(c, "start"));
    assert_string_equal(lobby_seat_game(kit_seat(a)->seat)->codec->game->name, "coup"); // the first of the list
    assert_string_equal(lobby_seat_match(kit_seat(a)->seat)->mode, "ranked");
    assert_int_equal(lobby_games_today(k.lobby, a->agent, k.now_ms), 1);
}

static void the_silent_are_left_out_for_a_minute(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, stand_by);
    kit_edit(b, stand_by);
    kit_pass(&k, k.o.standby_sweep_ms + k.o.readiness_timeout_ms);
    assert_string_equal(kit_said(a), "ready?");
    kit_pass(&k, 59999);
    assert_string_equal(kit_said(a), "");
    kit_pass(&k, k.o.standby_sweep_ms);
    assert_string_equal(kit_said(a), "ready?");
}

static void standby_tops_up_a_ranked_queue(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, stand_by);
    kit_join(b, "liars_dice", "", true);
    kit_pass(&k, k.o.standby_sweep_ms);
    lobby_report_ready(k.lobby, a->agent, a->readiness, true, k.now_ms);
    kit_pass(&k, 0);
    assert_true(kit_heard(a, "start") && kit_heard(b, "start"));
}

static void standby_prefers_what_was_not_played(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_edit(a, stand_by);
    kit_edit(b, stand_by);
    struct lobby_agent *pair[] = {a->agent, b->agent};
    struct uuid match;
    assert_int_equal(lobby_seat_table(k.lobby, &kit_games[2], "friendly", pair, 2, (struct uuid){0}, k.now_ms, &match),
                     OK);
    assert_true(kit_play_out(&k, NULL, 100000));
    kit_pass(&k, k.o.standby_sweep_ms);
    lobby_report_ready(k.lobby, a->agent, a->readiness, true, k.now_ms);
    lobby_report_ready(k.lobby, b->agent, b->readiness, true, k.now_ms);
    kit_pass(&k, 0);
    assert_string_equal(lobby_seat_game(kit_seat(a)->seat)->codec->game->name, "liars_dice");
}

// --- F7.15

static void use_house(struct lobby_options *o)
{
    o->house_bots = 3;
}

static void house_bots_fill_up(void **state)
{
    (void)state;
    static const struct {
        const char *game;
        int seats;
    } cases[] = {{"texas_holdem", 2}, {"liars_dice", 2}, {"coup", 2}, {"belote", 4}};
    reopen(use_house);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kit_agent *a = kit_player(&k, "ada");
        kit_join(a, cases[i].game, "", true);
        kit_pass(&k, k.o.house_wait_ms - 1);
        assert_false(kit_heard(a, "start"));
        kit_pass(&k, 1);
        assert_true(kit_heard(a, "start"));
        assert_int_equal(lobby_seat_count(kit_seat(a)->seat), cases[i].seats);
        assert_true(kit_play_out(&k, NULL, 1000000));
        assert_true(kit_heard(a, "over:"));
        const struct store_match *m = lobby_seat_match(kit_seat(a)->seat);
        assert_false(m->rated); // F7.2
        assert_int_equal(agents_rating(k.lobby, a->agent, (int)i)->games, 1);
        assert_int_equal(agents_rating(k.lobby, a->agent, (int)i)->rated_games, 0);
        kit_go(a);
    }
}

// --- F3.23

static int wish(struct kit_agent *a, const char *game, int waiting, int houses)
{
    char why[128];
    const struct lobby_game *g = lobby_find_game(k.lobby, span_of(game));
    struct lobby_table_request w = {.waiting = waiting, .houses = houses};
    for (int i = 0; i < houses; i++)
        w.house[i] = g->house;
    return lobby_join_table(k.lobby, a->agent, g, &w, k.now_ms, why);
}

static void those_who_wait_sit_down_at_a_table(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea"), *e = kit_player(&k, "eve");
    assert_int_equal(wish(kit_add(&k, "off"), "coup", 1, 0), ERR_SEAT);
    assert_int_equal(wish(a, "coup", 7, 0), ERR_RULES);
    assert_false(lobby_agent_waits(a->agent));
    assert_int_equal(wish(a, "coup", 2, 2), OK);
    assert_string_equal(kit_said(a), "joined:coup/friendly/once");
    kit_join(b, "coup", "ranked", false);
    kit_pass(&k, 1);
    assert_false(kit_heard(a, "start"));
    kit_join(e, "coup", "ranked", true); // enough
    assert_true(kit_heard(a, "start") && kit_heard(b, "start") && kit_heard(e, "start"));
    const struct store_match *m = lobby_seat_match(kit_seat(a)->seat);
    assert_string_equal(m->mode, "friendly");
    assert_int_equal(m->seats, 5);
    struct uuid live; // they are anonymous (F2.7)
    kit_settle(&k);
    assert_false(lobby_agent_live(k.lobby, a->agent, k.now_ms + 2 * k.o.spectate_delay_ms, &live));
    kit_said(a), kit_said(b), kit_said(e);
    assert_true(kit_play_out(&k, NULL, 100000));
    kit_pass(&k, 1);
    assert_true(kit_heard(b, "joined:coup/ranked")); // F3.9: back to where it came from
    assert_false(kit_heard(a, "joined") || kit_heard(e, "joined"));
}

static void a_table_that_breaks_up(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea"), *e = kit_player(&k, "eve");
    kit_edit(b, ask_to_confirm);
    kit_join(b, "coup", "ranked", true);
    assert_int_equal(wish(a, "coup", 1, 0), OK);
    assert_true(kit_heard(b, "confirm")); // it may decline
    kit_said(b);
    kit_go(a);
    assert_string_equal(kit_said(b), "cancelled:opponent_disconnected/re_queued"); // to its own queue
    assert_non_null(queue_find(k.lobby, lobby_find_game(k.lobby, SPAN("coup")), "ranked"));
    kit_come(a, "1");
    assert_int_equal(wish(a, "coup", 1, 0), OK);
    kit_said(a), kit_said(b);
    kit_pass(&k, k.o.confirm_timeout_ms);
    assert_string_equal(kit_said(b), "cancelled:confirmation_timeout/removed");
    assert_true(kit_heard(a, "cancelled:opponent_not_ready/re_queued"));
    kit_join(e, "coup", "ranked", true);
    assert_true(kit_heard(a, "start") && kit_heard(e, "start"));
}

static void house_bots_take_what_is_left_of_a_table(void **state)
{
    (void)state;
    reopen(use_house);
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    assert_int_equal(wish(a, "coup", 3, 0), OK);
    kit_join(b, "coup", "ranked", true);
    kit_pass(&k, k.o.house_wait_ms - 1);
    assert_false(kit_heard(a, "start"));
    kit_pass(&k, 1);
    assert_true(kit_heard(a, "start") && kit_heard(b, "start"));
    assert_int_equal(lobby_seat_count(kit_seat(a)->seat), 4);
}

static void house_agents_keep_their_ids(void **state)
{
    (void)state;
    reopen(use_house);
    struct store_agent before[16], after[16];
    int total;
    kit_settle(&k);
    int count = store_list_agents(k.store, STORE_HOUSE, 0, before, 16, &total);
    assert_int_equal(count, 12);
    kit_restart(&k);
    assert_int_equal(store_list_agents(k.store, STORE_HOUSE, 0, after, 16, &total), 12);
    for (int i = 0; i < count; i++)
        assert_true(uuid_equals(before[i].id, after[i].id));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(words_are_judged),
        TEST(a_long_word_is_cut_between_characters),
        TEST(gates_stand_in_order),
        TEST(caps_count_what_is_not_yet_durable),
        TEST(a_cooldown_names_its_end),
        TEST(tables_form_by_size_and_by_time),
        TEST(a_game_may_have_tables_of_its_own),
        TEST(modes_and_games_never_mix),
        TEST(a_second_join_replaces_the_first),
        TEST(whoever_goes_leaves_the_queue),
        TEST(auto_requeue_follows_the_match),
        TEST(auto_requeue_waits_out_the_cooldown),
        TEST(all_confirm_and_it_begins),
        TEST(who_does_not_confirm_is_out),
        TEST(a_member_disconnects),
        TEST(a_member_withdraws),
        TEST(a_member_lost_capacity),
        TEST(drain_ends_candidates_and_entries),
        TEST(the_third_failure_bars),
        TEST(confirmations_move_to_a_new_connection),
        TEST(standby_agents_are_checked_then_seated),
        TEST(the_silent_are_left_out_for_a_minute),
        TEST(standby_tops_up_a_ranked_queue),
        TEST(standby_prefers_what_was_not_played),
        TEST(house_bots_fill_up),
        TEST(house_agents_keep_their_ids),
        TEST(those_who_wait_sit_down_at_a_table),
        TEST(a_table_that_breaks_up),
        TEST(house_bots_take_what_is_left_of_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
