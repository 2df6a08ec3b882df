// Questions, clocks, strikes, windows and reconnects (F4).
#include "lobby_test.h"

#include "games/coup/rules/coup.h"
#include "games/liars_dice/rules/liars_dice.h"

enum { HOLDEM, DICE, COUP, BELOTE };

static struct kit_agent *player[6];

static const struct game_action nonsense = {.kind = 77};
static const struct game_action tax = {.kind = COUP_TAX};
static const struct game_action pass = {.kind = COUP_PASS};
static const struct game_action challenge = {.kind = COUP_CHALLENGE};

// A table of these many; player[i] sits at seat i and has heard the start.
static void sit(int game, int count)
{
    struct lobby_agent *agents[6] = {0};
    struct uuid match;
    for (int i = 0; i < count; i++)
        agents[i] = kit_player(&k, (char[]){(char)('a' + i), 0})->agent;
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[game], "friendly", agents, count, (struct uuid){0}, k.now_ms, &match), OK);
    kit_settle(&k);
    for (int i = 0; i < count; i++) {
        player[i] = kit_at(&k, i);
        assert_memory_equal(kit_said(player[i]), "start", 5);
    }
    k.asks = 0;
}

static int answer(int seat, struct game_action a)
{
    return kit_answer(player[seat], kit_seat(player[seat]), a);
}

// The lowest bid: the next seat is asked.
static int bid(int seat)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    int count = lobby_seat_choices(kit_seat(player[seat])->seat, choices);
    return count ? answer(seat, choices[count - 1].first) : ERR_SEAT;
}

static void written(int seat)
{
    kit_settle(&k);
    lobby_asked(k.lobby, kit_seat(player[seat])->seat, k.now_ms);
}

static const struct store_match *record(void)
{
    return lobby_seat_match(kit_seat(player[0])->seat);
}

// --- F4.1 to F4.3

static void a_question_is_answered_once(void **state)
{
    (void)state;
    sit(DICE, 2);
    struct uuid first = kit_seat(player[0])->request;
    assert_int_equal(bid(0), OK);
    assert_string_equal(kit_said(player[1]), "ask:300000");
    assert_string_equal(kit_said(player[0]), "events:0-1"); // F4.23
    assert_int_equal(answer(0, challenge), ERR_STALE);      // F4.3 row 4: it has answered
    assert_int_equal(bid(1), OK);
    assert_int_equal(lobby_judge(kit_seat(player[0])->seat, &first, k.now_ms), LOBBY_STALE); // F4.2
    assert_int_equal(lobby_judge(kit_seat(player[0])->seat, &kit_seat(player[0])->request, k.now_ms), LOBBY_AWAITED);
}

static void an_answer_by_turn_must_follow_its_request(void **state)
{
    (void)state;
    sit(DICE, 2);
    struct lobby_seat *s = kit_seat(player[0])->seat;
    assert_int_equal(lobby_judge(s, NULL, k.now_ms + 1), LOBBY_STALE); // F4.7: it is not written yet
    written(0);
    assert_int_equal(lobby_judge(s, NULL, k.now_ms - 1), LOBBY_STALE);
    assert_int_equal(lobby_judge(s, NULL, k.now_ms), LOBBY_AWAITED);
    assert_int_equal(lobby_judge(kit_seat(player[1])->seat, NULL, k.now_ms), LOBBY_STALE);
}

static void new_events_are_those_since_the_last_request(void **state)
{
    (void)state;
    sit(DICE, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(bid(i), OK);
    assert_int_equal(kit_seat(player[0])->told, 3); // F2.9
    assert_string_equal(kit_said(player[0]), "events:0-1 events:1-2 ask:300000");
    k.checks = true; // the kit compares first_event with what was told
    assert_int_equal(bid(0), OK);
    assert_int_equal(bid(1), OK);
    assert_int_equal(k.broken, 0);
}

static void what_was_not_written_is_told_again(void **state)
{
    (void)state;
    sit(DICE, 3);
    k.checks = true;
    assert_int_equal(bid(0), OK);
    kit_go(player[1]); // before its request, with the first bid, has left
    kit_pass(&k, k.o.turn_timeout_ms);
    kit_come(player[1], "x"); // not awaited any more: game_state
    assert_int_equal(bid(2), OK);
    assert_int_equal(bid(0), OK);
    assert_false(uuid_is_none(kit_seat(player[1])->request));
    assert_string_equal(k.why, ""); // the kit compares first_event with what the player has got
}

// --- F4.5, F4.6

static void an_illegal_answer_is_retried_once(void **state)
{
    (void)state;
    sit(DICE, 2);
    written(0);
    kit_pass(&k, 1000);
    assert_true(lobby_has_retry(kit_seat(player[0])->seat));
    struct uuid first = kit_seat(player[0])->request;
    assert_int_equal(answer(0, nonsense), ERR_ACTION);
    assert_string_equal(kit_said(player[0]), "ask:299000/retry"); // what is left of the first deadline
    assert_false(uuid_equals(first, kit_seat(player[0])->request));
    assert_false(lobby_has_retry(kit_seat(player[0])->seat));
    written(0); // does not move the deadline
    kit_pass(&k, 298999);
    assert_string_equal(kit_said(player[0]), "");
    kit_pass(&k, 1);
    assert_string_equal(kit_said(player[0]), "events:0-1"); // the fallback, a bid
}

static void the_second_illegal_answer_is_a_strike(void **state)
{
    (void)state;
    sit(DICE, 2);
    assert_int_equal(answer(0, nonsense), ERR_ACTION);
    assert_int_equal(answer(0, nonsense), ERR_ACTION);
    assert_string_equal(kit_said(player[1]), "ask:300000"); // F4.9: a fallback was played
    assert_int_equal(bid(1), OK);
    kit_said(player[0]);
    assert_int_equal(answer(0, nonsense), ERR_ACTION); // a new decision has a retry of its own
    assert_string_equal(kit_said(player[0]), "ask:300000/retry");
    assert_int_equal(answer(0, nonsense), ERR_ACTION);
    assert_non_null(strstr(kit_said(player[0]), "over:l"));
    assert_string_equal(lobby_forfeit_name(record()->forfeit_reason), "invalid_action"); // F2.11
    assert_int_equal(record()->forfeited_by, 0);
    assert_int_equal(record()->winner, 1);
}

static void no_time_is_left_for_a_retry(void **state)
{
    (void)state;
    sit(DICE, 2);
    written(0);
    k.now_ms += k.o.turn_timeout_ms; // the answer is read before the timer
    assert_int_equal(answer(0, nonsense), ERR_ACTION);
    assert_string_equal(kit_said(player[0]), "stale events:0-1"); // F4.5
}

// --- F4.8 to F4.11

static void the_clock_starts_when_the_request_is_written(void **state)
{
    (void)state;
    sit(DICE, 2);
    kit_pass(&k, 5000);
    written(0);
    kit_pass(&k, k.o.turn_timeout_ms - 1);
    assert_string_equal(kit_said(player[1]), "");
    kit_pass(&k, 1);
    assert_string_equal(kit_said(player[1]), "ask:300000");
}

static void the_second_silence_forfeits(void **state)
{
    (void)state;
    static const struct {
        bool offline;
        const char *reason;
    } cases[] = {{false, "timeout"}, {true, "disconnect"}}; // F4.9
    for (size_t i = 0; i < 2; i++) {
        if (i)
            kit_close(&k), kit_open(&k, NULL);
        sit(DICE, 2);
        kit_pass(&k, k.o.turn_timeout_ms);
        assert_int_equal(bid(1), OK);
        if (cases[i].offline)
            kit_go(player[0]);
        kit_pass(&k, k.o.turn_timeout_ms);
        assert_non_null(strstr(kit_said(player[1]), "over:w"));
        assert_string_equal(lobby_forfeit_name(record()->forfeit_reason), cases[i].reason);
        assert_true(record()->seat[0].dropped);
    }
}

static void a_decision_never_lasts_longer_than_twice(void **state)
{
    (void)state;
    sit(DICE, 2);
    written(0);
    kit_pass(&k, 200000);
    kit_go(player[0]); // F4.11: costs nothing
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "start ask:300000/again"); // F4.10
    written(0);
    kit_pass(&k, 250000);
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "gone:replaced_same ask:150000/again"); // under the ceiling
    written(0);
    kit_pass(&k, 149999);
    assert_string_equal(kit_said(player[1]), "");
    kit_pass(&k, 1);
    assert_string_equal(kit_said(player[1]), "ask:300000");
}

// --- F4.12 to F4.15

static void a_window_asks_clockwise_from_the_claimant(void **state)
{
    (void)state;
    sit(COUP, 4);
    answer(0, (struct game_action){.kind = COUP_INCOME});
    answer(1, (struct game_action){.kind = COUP_INCOME});
    k.asks = 0;
    assert_int_equal(answer(2, tax), OK);
    assert_int_equal(k.asks, 3);
    assert_true(k.asked[0] == 3 && k.asked[1] == 0 && k.asked[2] == 1); // F4.12
}

static void a_pass_leaves_the_ids_of_the_others(void **state)
{
    (void)state;
    sit(COUP, 3);
    assert_int_equal(answer(0, tax), OK);
    written(1);
    written(2);
    kit_said(player[2]);
    struct uuid request = kit_seat(player[2])->request;
    kit_pass(&k, 1000);
    assert_int_equal(answer(1, pass), OK);
    assert_string_equal(kit_said(player[2]), "events:1-2"); // F4.13: no new request
    assert_true(uuid_equals(request, kit_seat(player[2])->request));
    kit_pass(&k, k.o.turn_timeout_ms - 1001);
    assert_int_equal(lobby_judge(kit_seat(player[2])->seat, &request, k.now_ms), LOBBY_AWAITED);
    kit_pass(&k, 1); // its clock ran on: the fallback passes too, and tax is done
    assert_true(kit_heard(player[1], "ask:300000"));
}

static void a_challenge_closes_the_window(void **state)
{
    (void)state;
    sit(COUP, 3);
    assert_int_equal(answer(0, tax), OK);
    struct kit_seat late = *kit_seat(player[2]);
    assert_int_equal(answer(1, challenge), OK);
    assert_int_equal(lobby_judge(late.seat, &late.request, k.now_ms), LOBBY_STALE); // F4.12
    struct lobby_figures f;
    kit_pass(&k, k.o.turn_timeout_ms - 1);
    lobby_figures(k.lobby, &f);
    assert_int_equal(f.strikes, 0);
}

static void be_strict(struct lobby_options *o)
{
    o->strict_compat = true;
}

static void strict_compat_asks_again(void **state)
{
    (void)state;
    reopen(be_strict);
    sit(COUP, 4);
    assert_int_equal(answer(0, tax), OK);
    for (int i = 1; i < 4; i++) {
        written(i);
        kit_said(player[i]);
    }
    struct uuid request = kit_seat(player[2])->request;
    kit_pass(&k, 1000);
    assert_int_equal(answer(1, pass), OK);
    assert_string_equal(kit_said(player[2]), "ask:300000"); // F4.14: a full clock, the pass in new_events
    assert_string_equal(kit_said(player[3]), "ask:300000");
    assert_string_equal(kit_said(player[1]), "events:1-2");
    assert_false(uuid_equals(request, kit_seat(player[2])->request));
    assert_int_equal(lobby_judge(kit_seat(player[2])->seat, &request, k.now_ms), LOBBY_STALE);
}

static void be_deterministic(struct lobby_options *o)
{
    o->deterministic_windows = true;
}

static void deterministic_windows_wait_for_all(void **state)
{
    (void)state;
    reopen(be_deterministic);
    sit(COUP, 4);
    assert_int_equal(answer(0, tax), OK);
    for (int i = 0; i < 4; i++)
        kit_said(player[i]);
    assert_int_equal(answer(3, challenge), OK);
    assert_int_equal(answer(1, pass), OK);
    assert_string_equal(kit_said(player[0]), ""); // F4.15: nothing is seen yet
    assert_int_equal(answer(2, challenge), OK);
    struct match_event e;
    assert_true(lobby_seat_event(kit_seat(player[0])->seat, 1, &e));
    assert_true(e.at->kind == COUP_EVENT_CHALLENGE_PASS && e.at->seat == 1);
    assert_true(lobby_seat_event(kit_seat(player[0])->seat, 2, &e));
    assert_true(e.at->kind == COUP_EVENT_CHALLENGE && e.at->seat == 2); // the first in asking order; 3 lapses
}

// --- F4.16 to F4.18

static void a_dropped_player_is_announced_and_stays_out(void **state)
{
    (void)state;
    sit(DICE, 3);
    kit_pass(&k, k.o.turn_timeout_ms);
    assert_int_equal(bid(1), OK);
    assert_int_equal(bid(2), OK);
    for (int i = 0; i < 3; i++)
        kit_said(player[i]);
    assert_int_equal(lobby_agent_active(player[0]->agent), 1);
    kit_pass(&k, k.o.turn_timeout_ms);
    assert_int_equal(lobby_agent_active(player[0]->agent), 0); // F4.16
    assert_string_equal(kit_said(player[0]), "events:3-6!3");  // disconnected, eliminated, round_start
    assert_string_equal(kit_said(player[2]), "events:3-6!3");
    assert_string_equal(kit_said(player[1]), "events:6-6!3 ask:300000"); // F4.18: by itself, then among new_events
    assert_false(lobby_seat_is_over(kit_seat(player[0])->seat));
    assert_int_equal(answer(0, challenge), ERR_STALE);
    kit_go(player[0]);
    kit_come(player[0], player[0]->agent ? "same" : "");
    assert_non_null(strstr(kit_said(player[0]), "state")); // F4.17
    struct rng dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){1});
    assert_true(kit_play_out(&k, &dice, 100000));
    assert_true(kit_heard(player[0], "over:l"));                  // its owner still gets game_over
    assert_int_equal(record()->forfeit_reason, LOBBY_NO_FORFEIT); // F2.11: a natural end
}

static void belote_ends_with_the_first_drop(void **state)
{
    (void)state;
    sit(BELOTE, 4);
    for (int i = 0; i < 100 && !lobby_seat_is_over(kit_seat(player[0])->seat); i++)
        kit_pass(&k, k.o.turn_timeout_ms);
    assert_string_equal(lobby_forfeit_name(record()->forfeit_reason), "timeout"); // F6.B8
    int loser = record()->forfeited_by;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(record()->payoffs[i], (i ^ loser) & 1);
        assert_int_equal(record()->seat[i].result, (i ^ loser) & 1 ? 'w' : 'l'); // F7.7
    }
    assert_int_equal(record()->winner, -1);
    assert_false(record()->is_draw);
}

static void a_failed_bot_is_struck_at_once(void **state)
{
    (void)state;
    sit(DICE, 2);
    lobby_fail(k.lobby, kit_seat(player[0])->seat, k.now_ms); // F3.21
    assert_string_equal(kit_said(player[1]), "ask:300000");
    lobby_fail(k.lobby, kit_seat(player[0])->seat, k.now_ms); // not awaited: nothing
    assert_string_equal(kit_said(player[1]), "");
}

// F3.20: a seat of the house cannot be told by its haste.
static void think(struct lobby_options *o)
{
    o->house_bots = 3;
    o->house_think_ms = 1000;
}

static void house_bots_take_their_time(void **state)
{
    (void)state;
    reopen(think);
    struct kit_agent *a = kit_player(&k, "a");
    int64_t least = INT64_MAX, most = 0;
    for (int moves = 0; moves < 40;) {
        kit_join(a, "liars_dice", "", true);
        kit_pass(&k, k.o.house_wait_ms + 2000);
        while (!lobby_seat_is_over(kit_seat(a)->seat) && moves < 40) {
            struct kit_seat *s = kit_asked(a);
            assert_non_null(s);
            lobby_asked(k.lobby, s->seat, k.now_ms);
            assert_int_equal(kit_answer(a, s, kit_choose(s, NULL)), OK);
            int64_t start_ms = k.now_ms;
            while (!kit_asked(a) && !lobby_seat_is_over(kit_seat(a)->seat))
                kit_pass(&k, 1);
            int64_t took_ms = k.now_ms - start_ms;
            if (took_ms == 0)
                continue;                            // its own turn again
            assert_in_range(took_ms, 500, 3 * 1500); // more than one move when a round ends in between
            least = took_ms < least ? took_ms : least;
            most = took_ms > most ? took_ms : most;
            moves++;
        }
        kit_play_out(&k, NULL, 100000);
        kit_pass(&k, 1);
        while (!lobby_seat_is_over(kit_seat(a)->seat)) {
            kit_pass(&k, 2000);
            assert_true(kit_play_out(&k, NULL, 100000));
        }
    }
    assert_true(most - least > 300); // and not always the same
}

// --- F4.19 to F4.22

// What a player has been told by requests, whatever connection and process: everything, in the end (F2.13, row 5).
static void after_a_return_nobody_misses_an_event(void **state)
{
    (void)state;
    static const struct {
        bool asked;           // when the connection ends
        bool written;         // the request had left
        const char *instance; // of the return: the process is "a"
        const char *back;     // what the return is told
        const char *next;     // what the next question is like
    } cases[] = {
        {false, false, "a", "state", "ask:300000"},             // told by the last request: so new_events goes on there
        {false, false, "z", "start state", "ask:300000/again"}, // has forgotten what it was told: all of it again
        {false, false, "", "start state", "ask:300000/again"},
        {true, true, "a", "ask:300000/again", "ask:300000"},  // F4.20
        {true, false, "a", "ask:300000/again", "ask:300000"}, // the request was lost with the connection
        {true, true, "z", "start ask:300000/again", "ask:300000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kit_close(&k);
        kit_open(&k, NULL);
        sit(DICE, 2);
        struct kit_agent *gone = player[1], *other = player[0];
        kit_come(gone, "a");
        assert_int_equal(bid(0), OK);
        written(1);
        assert_int_equal(bid(1), OK); // so the first request had arrived
        if (cases[i].asked) {
            assert_int_equal(bid(0), OK);
            if (cases[i].written)
                written(1);
        }
        kit_said(gone);
        kit_go(gone);
        if (!cases[i].asked)
            kit_said(other);
        kit_come(gone, cases[i].instance);
        assert_string_equal(kit_said(gone), cases[i].back);
        if (cases[i].asked)
            assert_int_equal(bid(1), OK);
        kit_said(gone);
        uint32_t told = kit_seat(gone)->told;
        assert_int_equal(bid(0), OK);
        assert_string_equal(kit_said(gone), cases[i].next);
        assert_true(kit_seat(gone)->told > told);
    }
}

// Events of the time away reach a feed with the next ones; none is left out and none comes twice.
static void a_feed_goes_on_where_it_ended(void **state)
{
    (void)state;
    sit(DICE, 3);
    kit_come(player[2], "a");
    kit_settle(&k);
    kit_said(player[2]);
    assert_int_equal(bid(0), OK);
    assert_string_equal(kit_said(player[2]), "events:0-1");
    kit_go(player[2]);
    assert_int_equal(bid(1), OK);      // now the one who is away is asked
    kit_pass(&k, k.o.turn_timeout_ms); // and played for
    kit_come(player[2], "a");
    assert_string_equal(kit_said(player[2]), "state");
    assert_int_equal(bid(0), OK);
    assert_string_equal(kit_said(player[2]), "events:1-4");
    assert_int_equal(bid(1), OK);
    assert_string_equal(kit_said(player[2]), "ask:300000"); // new_events from the last request on: all of them
    assert_int_equal(kit_seat(player[2])->told, lobby_seat_events(kit_seat(player[2])->seat));
}

static void reconnecting_tells_what_is_due(void **state)
{
    (void)state;
    static const struct {
        const char *instance;
        const char *awaited, *waiting;
    } cases[] = {
        {"a", "ask:300000/again", "state"}, // F4.21: the same process knows its match
        {"z", "start ask:300000/again", "start state"},
        {"", "start ask:300000/again", "start state"},
        {"", "start ask:300000/again", "start state"},  // absent on both sides
        {"q", "start ask:300000/again", "start state"}, // absent before
    };
    sit(DICE, 2);
    for (int i = 0; i < 2; i++) {
        kit_come(player[i], "a");
        kit_said(player[i]);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kit_settle(&k);
        kit_go(player[0]);
        kit_go(player[1]);
        kit_come(player[0], cases[i].instance);
        kit_come(player[1], cases[i].instance);
        assert_string_equal(kit_said(player[0]), cases[i].awaited);
        assert_string_equal(kit_said(player[1]), cases[i].waiting);
    }
}

static void nothing_is_told_before_the_greeting(void **state)
{
    (void)state;
    sit(DICE, 2);
    kit_dial(player[1], "new");
    kit_dial(player[1], "new"); // the first was lost before it was synced
    assert_int_equal(bid(0), OK);
    assert_string_equal(kit_said(player[1]), "gone:replaced gone:replaced_same");
    lobby_sync(k.lobby, player[1]->agent, k.now_ms);
    assert_string_equal(kit_said(player[1]), "start ask:300000/again"); // F4.21
    lobby_sync(k.lobby, player[1]->agent, k.now_ms);
    assert_string_equal(kit_said(player[1]), "");
}

static void a_match_may_begin_before_the_greeting(void **state)
{
    (void)state;
    struct kit_agent *a = kit_add(&k, "a"), *b = kit_player(&k, "b");
    kit_dial(a, "a");
    kit_join(a, "liars_dice", "", true);
    kit_join(b, "liars_dice", "", true);
    kit_pass(&k, k.o.fill_wait_ms);
    assert_true(kit_heard(b, "start"));
    assert_string_equal(kit_said(a), "joined:liars_dice/ranked/once");
    lobby_sync(k.lobby, a->agent, k.now_ms);
    const char *said = kit_said(a);
    assert_true(strcmp(said, "start") == 0 || strcmp(said, "start ask:300000") == 0); // as if it had just begun
}

static void strict_compat_never_starts_again(void **state)
{
    (void)state;
    reopen(be_strict);
    sit(DICE, 2);
    kit_go(player[1]);
    kit_come(player[1], "another");
    assert_string_equal(kit_said(player[1]), "state"); // F4.21
}

static void an_open_retry_survives_a_reconnect(void **state)
{
    (void)state;
    sit(DICE, 2);
    answer(0, nonsense);
    kit_said(player[0]);
    kit_come(player[0], "z");
    assert_string_equal(kit_said(player[0]), "gone:replaced start ask:300000/retry/again"); // F4.20
}

static void a_missed_game_over_is_told_within_the_hour(void **state)
{
    (void)state;
    sit(DICE, 2);
    kit_go(player[0]);
    kit_pass(&k, k.o.turn_timeout_ms);
    assert_int_equal(bid(1), OK);
    kit_pass(&k, k.o.turn_timeout_ms);
    assert_non_null(strstr(kit_said(player[1]), "over:w"));
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "over:l"); // F4.19 (a)
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "gone:replaced_same over:l"); // until it is known to have arrived
    kit_settle(&k);
    kit_pass(&k, 600000); // gone from memory
    kit_settle(&k);
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "gone:replaced_same over:l");
    lobby_delivered(k.lobby, kit_seat(player[0])->seat); // F4.22
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "gone:replaced_same");
    kit_settle(&k);
    kit_restart(&k);
    kit_come(player[0], "x");
    assert_string_equal(kit_said(player[0]), "");
    kit_pass(&k, 3600000);
    kit_come(player[1], "x");
    assert_string_equal(kit_said(player[1]), ""); // older than an hour
}

static void a_finished_session_is_known(void **state)
{
    (void)state;
    sit(DICE, 2);
    struct uuid session = kit_seat(player[0])->session;
    assert_true(kit_play_out(&k, NULL, 100000));
    assert_non_null(lobby_find_seat(player[0]->agent, session));
    assert_null(lobby_find_seat(player[1]->agent, session));
    kit_settle(&k);
    kit_pass(&k, 600000);
    assert_null(lobby_find_seat(player[0]->agent, session));
    assert_true(lobby_had_session(k.lobby, player[0]->agent, session)); // F4.3 row 2
    assert_false(lobby_had_session(k.lobby, player[1]->agent, session));
}

static void a_kicked_agent_is_gone(void **state)
{
    (void)state;
    sit(DICE, 2);
    lobby_agent_kick(k.lobby, player[0]->agent);
    player[0]->online = false;
    assert_string_equal(kit_said(player[0]), "gone:kicked");
    assert_false(lobby_agent_is_online(player[0]->agent));
    kit_come(player[0], "x");
    assert_true(kit_heard(player[0], "start")); // the match is still there
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_question_is_answered_once),
        TEST(an_answer_by_turn_must_follow_its_request),
        TEST(new_events_are_those_since_the_last_request),
        TEST(what_was_not_written_is_told_again),
        TEST(an_illegal_answer_is_retried_once),
        TEST(the_second_illegal_answer_is_a_strike),
        TEST(no_time_is_left_for_a_retry),
        TEST(the_clock_starts_when_the_request_is_written),
        TEST(the_second_silence_forfeits),
        TEST(a_decision_never_lasts_longer_than_twice),
        TEST(a_window_asks_clockwise_from_the_claimant),
        TEST(a_pass_leaves_the_ids_of_the_others),
        TEST(a_challenge_closes_the_window),
        TEST(strict_compat_asks_again),
        TEST(deterministic_windows_wait_for_all),
        TEST(a_dropped_player_is_announced_and_stays_out),
        TEST(belote_ends_with_the_first_drop),
        TEST(a_failed_bot_is_struck_at_once),
        TEST(house_bots_take_their_time),
        TEST(after_a_return_nobody_misses_an_event),
        TEST(a_feed_goes_on_where_it_ended),
        TEST(reconnecting_tells_what_is_due),
        TEST(nothing_is_told_before_the_greeting),
        TEST(a_match_may_begin_before_the_greeting),
        TEST(strict_compat_never_starts_again),
        TEST(an_open_retry_survives_a_reconnect),
        TEST(a_missed_game_over_is_told_within_the_hour),
        TEST(a_finished_session_is_known),
        TEST(a_kicked_agent_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
