#include "front/lines/adapter.h"

#include "fake_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MS = 1000, STEP = 16 * MS };

#define HELLO(requested)                                                                                               \
    "{\"type\":\"hello\",\"seq\":1,\"ts\":0,\"client\":{\"name\":\"a\",\"version\":\"1\"},\"protocol_version\":\"2.1." \
    "0\","                                                                                                             \
    "\"formats\":[\"json\"],\"requested\":{\"stream_observations\":true,\"command_mode\":\"place\"" requested "}}"
#define ACTIONS(seq, list) "{\"type\":\"command\",\"seq\":" #seq ",\"ts\":0,\"mode\":\"action\",\"actions\":[" list "]}"

struct scene {
    struct adapter *adapter;
    int64_t now;
    struct fake a, b, c;
};

static void begin(struct scene *s, struct adapter_options *o)
{
    struct adapter_options usual;
    adapter_defaults(&usual);
    s->adapter = adapter_create(o ? o : &usual, NULL);
    s->now = 1000000;
    adapter_advance(s->adapter, s->now);
}

// Time passes in the steps that the adapter asks for.
static void pass(struct scene *s, int64_t us)
{
    int64_t end = s->now + us;
    for (;;) {
        int64_t due = adapter_advance(s->adapter, s->now);
        if (due > end)
            break;
        assert_true(due > s->now - STEP);
        s->now = due > s->now ? due : s->now;
        if (due <= s->now)
            adapter_advance(s->adapter, s->now);
        if (s->now >= end)
            break;
    }
    s->now = end;
    adapter_advance(s->adapter, s->now);
}

static void join(struct scene *s, struct fake *f, const char *hello)
{
    fake_open(f, s->adapter, &fake_link);
    fake_say(f, hello, s->now);
}

static void the_clock_stands_without_a_controller(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    assert_true(adapter_advance(s.adapter, s.now) == INT64_MAX); // nobody is here: nothing is ever due
    pass(&s, 500 * MS);
    assert_int_equal(adapter_step_count(s.adapter), 0);
    join(&s, &s.a, HELLO(",\"role\":\"observer\""));
    pass(&s, 500 * MS);
    assert_int_equal(adapter_step_count(s.adapter), 0); // T3.35: a watcher moves nothing
    join(&s, &s.b, HELLO(""));
    pass(&s, 15 * MS);
    assert_int_equal(adapter_step_count(s.adapter), 0);
    pass(&s, 1 * MS); // T3.35: the first step comes 16 ms after a controller
    assert_int_equal(adapter_step_count(s.adapter), 1);
    pass(&s, 160 * MS);
    assert_int_equal(adapter_step_count(s.adapter), 11);
    adapter_close(s.b.client, s.now);
    pass(&s, 160 * MS);
    assert_int_equal(adapter_step_count(s.adapter), 11);
    adapter_destroy(s.adapter);
}

static void a_stall_is_caught_up_in_part(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    s.now += 10 * 1000 * MS; // ten seconds of nothing
    adapter_advance(s.adapter, s.now);
    assert_int_equal(adapter_step_count(s.adapter), 8); // T2.3: eight in a turn
    adapter_advance(s.adapter, s.now);
    adapter_advance(s.adapter, s.now);
    assert_int_equal(adapter_step_count(s.adapter), 16); // of the 250 ms that are kept: 15 intervals
    adapter_destroy(s.adapter);
}

static void observations_come_twenty_times_a_second(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(",\"role\":\"observer\""));
    pass(&s, 100 * MS);
    fake_forget(&s.a);
    pass(&s, 1000 * MS);
    assert_in_range(fake_count(&s.a, "\"observation\""), 19, 20); // T3.64
    assert_int_equal(s.a.writes, fake_count(&s.a, "\"observation\""));
    adapter_destroy(s.adapter);
}

static void an_observation_keeps_its_distance(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    pass(&s, 40 * MS);
    fake_forget(&s.a);
    fake_say(&s.a, ACTIONS(2, "\"hardDrop\""), s.now);
    pass(&s, 8 * MS); // the step is due 8 ms later
    int64_t acked = s.now;
    assert_int_equal(fake_count(&s.a, "\"ack\""), 1);
    assert_int_equal(fake_count(&s.a, "\"observation\""), 0); // T3.72: not together with the ack
    pass(&s, 2 * MS);
    assert_int_equal(fake_count(&s.a, "\"observation\""), 0);
    pass(&s, 1 * MS);
    assert_int_equal(fake_count(&s.a, "\"observation\""), 1);
    assert_true(s.now - acked == 3 * MS);
    adapter_destroy(s.adapter);
}

static void a_flood_does_not_stop_the_stream(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    pass(&s, 100 * MS);
    fake_forget(&s.a);
    for (int i = 0; i < 400; i++) { // a bad line every millisecond leaves no gap of 3 ms
        fake_say(&s.a, "{\"type\":\"dance\"", s.now);
        pass(&s, 1 * MS);
    }
    assert_true(fake_count(&s.a, "\"observation\"") >= 6); // T3.72: written after 12 ms of waiting
    adapter_destroy(s.adapter);
}

static void whoever_does_not_read_is_cut_off(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(",\"role\":\"observer\""));
    s.a.deaf = true;
    for (int i = 0; i < 64; i++)
        fake_say(&s.a, "{\"type\":\"dance\"", s.now);
    assert_false(s.a.hung_up);
    fake_say(&s.a, "{\"type\":\"dance\"", s.now);
    assert_true(s.a.hung_up); // T3.75
    adapter_destroy(s.adapter);
}

static void locks_are_told_once_to_everyone(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    join(&s, &s.b, HELLO(",\"role\":\"observer\""));
    pass(&s, 100 * MS);
    fake_forget(&s.a), fake_forget(&s.b);
    fake_say(&s.a, ACTIONS(2, "\"hardDrop\",\"hardDrop\",\"hardDrop\",\"hardDrop\",\"hardDrop\",\"hardDrop\""), s.now);
    pass(&s, 200 * MS);
    assert_int_equal(fake_count(&s.a, "\"last_event\":{"), 1); // T3.66: one observation carries the newest four
    assert_int_equal(fake_count(&s.b, "\"last_event\":{"), 1);
    assert_int_equal(fake_count(&s.b, "\"board_id\":6"), s.b.writes);
    join(&s, &s.c, HELLO(",\"role\":\"observer\""));
    assert_int_equal(fake_count(&s.c, "\"last_event\":{"), 0); // a new client starts with an empty list
    adapter_destroy(s.adapter);
}

static void a_dead_controller_is_never_held_against_anybody(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    s.a.gone = true; // closed, and nobody has noticed yet
    join(&s, &s.b, HELLO(""));
    assert_int_equal(fake_count(&s.b, "\"role\":\"controller\""), 1); // T3.25
    adapter_close(s.a.client, s.now);
    assert_int_equal(adapter_status(s.adapter).controller_id, 2);
    adapter_destroy(s.adapter);
}

static void commands_outlive_their_client(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    fake_say(&s.a, ACTIONS(2, "\"hardDrop\""), s.now);
    adapter_close(s.a.client, s.now);
    pass(&s, 50 * MS);
    join(&s, &s.b, HELLO(",\"role\":\"observer\""));
    assert_int_equal(fake_count(&s.b, "\"board_id\":1"), 1); // T3.29: applied all the same
    adapter_destroy(s.adapter);
}

// T2.1, T6.3: in one step the commands of clients come first, then the keys, then the tick.
static void keys_come_after_commands(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    pass(&s, 20 * MS);
    fake_forget(&s.a);
    adapter_press(s.adapter, (struct game_action){.kind = TETRIS_HARD_DROP}); // pressed first, applied last
    fake_say(&s.a, ACTIONS(2, "\"hold\""), s.now);
    pass(&s, 20 * MS);
    // Seed 1 begins I T Z: I went to hold, then T fell. The other way round Z would be the piece and T the one on hold.
    assert_true(fake_count(&s.a, "\"hold\":\"i\"") > 0);
    assert_int_equal(fake_count(&s.a, "\"hold\":\"t\""), 0);
    assert_true(fake_count(&s.a, "\"step_in_piece\":1,") > 0);
    adapter_destroy(s.adapter);
}

static void lock_step_holds_whoever_does_not_read(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(",\"clock\":\"lockstep\""));
    pass(&s, 1000 * MS);
    assert_int_equal(adapter_step_count(s.adapter), 0); // T3.81: no time but its own
    fake_say(&s.a, ACTIONS(2, ""), s.now);
    assert_int_equal(adapter_step_count(s.adapter), 1);
    s.a.deaf = true;
    char line[128];
    int seq = 3;
    for (; seq < 200 && !s.a.held; seq++) {
        snprintf(line, sizeof line, "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"action\",\"actions\":[]}",
                 seq);
        fake_say(&s.a, line, s.now);
    }
    assert_true(s.a.held); // T3.83
    assert_false(s.a.hung_up);
    adapter_destroy(s.adapter);
}

static void tables_make_room_for_others(void **unused)
{
    (void)unused;
    struct scene s;
    struct adapter_options o;
    adapter_defaults(&o);
    o.max_tables = 2; // main and one more
    begin(&s, &o);
    join(&s, &s.a, HELLO(",\"table\":\"x\""));
    join(&s, &s.b, HELLO(",\"table\":\"y\""));
    assert_int_equal(fake_count(&s.b, "invalid_command"), 1); // T3.9: all in use
    fake_say(&s.b, HELLO(",\"table\":\"main\""), s.now);
    assert_int_equal(fake_count(&s.b, "\"welcome\""), 1);
    adapter_close(s.a.client, s.now);
    join(&s, &s.c, HELLO(",\"table\":\"y\""));
    assert_int_equal(fake_count(&s.c, "\"table\":\"y\""), 1); // x had nobody left
    adapter_destroy(s.adapter);
}

// Turns that come for one table's sake leave the others their own time, no more and no less of it.
static void tables_keep_their_own_time(void **unused)
{
    (void)unused;
    struct scene s;
    char line[128];
    begin(&s, NULL);
    join(&s, &s.a, HELLO(",\"table\":\"x\",\"clock\":\"lockstep\""));
    join(&s, &s.b, HELLO(""));
    for (int i = 0; i < 1000; i++, s.now += MS) { // a command every millisecond, for a second
        snprintf(line, sizeof line, "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"action\",\"actions\":[]}",
                 i + 2);
        fake_say(&s.a, line, s.now);
        int64_t due = adapter_advance(s.adapter, s.now);
        assert_true(due > s.now && due <= s.now + STEP);
    }
    assert_int_equal(adapter_step_count(s.adapter), 1000 / 16);
    assert_in_range(fake_count(&s.b, "\"observation\""), 19, 24);
    adapter_destroy(s.adapter);
}

// T3.64 counts from the moment somebody watches: beats before it are nobody's. Who is silent after welcome is left
// alone for 100 ms, so that its next read begins with the answer to what it is about to ask.
static void a_newcomer_is_not_shown_beats_of_before(void **unused)
{
    (void)unused;
    for (int speaks = 0; speaks < 2; speaks++) {
        struct scene s;
        begin(&s, NULL);
        s.now += 200 * MS; // nothing happens, nobody looks at the time
        join(&s, &s.a, HELLO(",\"role\":\"observer\""));
        pass(&s, 1 * MS);
        if (speaks)
            fake_say(&s.a, "{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"release\"}", s.now);
        pass(&s, 62 * MS + (speaks ? 0 : 48 * MS));
        assert_int_equal(s.a.writes, 0);
        pass(&s, 1 * MS); // four beats of 16 ms make up 50 ms, seven 100 ms
        assert_int_equal(s.a.writes, 1);
        adapter_destroy(s.adapter);
    }
}

// A client that keeps one line per read loses all that came while it stalled, but for the first line. The first step of
// an episode is still to be seen after that, however long the stall within a reasonable time.
static void the_first_step_outlasts_a_stall(void **unused)
{
    (void)unused;
    for (int stall = 0; stall <= 150; stall += 10) {
        struct scene s;
        begin(&s, NULL);
        join(&s, &s.a, HELLO(""));
        pass(&s, 100 * MS);
        fake_say(&s.a, ACTIONS(2, "\"restart\""), s.now);
        pass(&s, 16 * MS + stall * MS);
        assert_int_equal(fake_count(&s.a, "\"ack\""), 1);
        fake_forget(&s.a); // its next read: the ack first, and the rest is lost
        pass(&s, 65 * MS);
        assert_true(fake_count(&s.a, "\"step_in_piece\":1,") > 0);
        pass(&s, 500 * MS); // and then time goes on
        assert_true(fake_count(&s.a, "\"step_in_piece\":") > fake_count(&s.a, "\"step_in_piece\":1,"));
        adapter_destroy(s.adapter);
    }
}

// Whoever answers the first observation loses no time, and steps stay 16 ms apart.
static void who_speaks_after_a_restart_does_not_wait(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    pass(&s, 160 * MS);
    uint64_t steps = adapter_step_count(s.adapter);
    fake_say(&s.a, ACTIONS(2, "\"restart\""), s.now);
    pass(&s, 25 * MS); // the restart is step 1; its observation has come
    assert_int_equal(adapter_step_count(s.adapter), steps + 1);
    fake_say(&s.a, ACTIONS(3, "\"hardDrop\""), s.now);
    pass(&s, 7 * MS);
    assert_int_equal(adapter_step_count(s.adapter), steps + 2);
    assert_int_equal(fake_count(&s.a, "\"ack\""), 2);
    pass(&s, 160 * MS);
    assert_int_equal(adapter_step_count(s.adapter), steps + 12);
    adapter_destroy(s.adapter);
}

// Rest ends in time for the next beat of the clock; what passed meanwhile is not caught up.
static void a_rest_is_not_caught_up(void **unused)
{
    (void)unused;
    struct scene s;
    begin(&s, NULL);
    join(&s, &s.a, HELLO(""));
    fake_say(&s.a, ACTIONS(2, "\"restart\""), s.now);
    pass(&s, 16 * MS);
    pass(&s, 250 * MS);
    assert_in_range(adapter_step_count(s.adapter), 1, 2);
    pass(&s, 160 * MS);
    assert_in_range(adapter_step_count(s.adapter), 11, 12);
    adapter_destroy(s.adapter);
}

// A silent client is dropped where that is asked for, seated or not, whatever else is due.
static void silence_is_noticed_where_it_is_not_wanted(void **unused)
{
    (void)unused;
    struct scene s;
    struct adapter_options o;
    adapter_defaults(&o);
    o.idle_timeout_ms = 1000;
    begin(&s, &o);
    fake_open(&s.a, s.adapter, &fake_link); // says nothing at all
    join(&s, &s.b, HELLO(",\"role\":\"observer\""));
    pass(&s, 900 * MS);
    assert_false(s.a.hung_up || s.b.hung_up);
    pass(&s, 300 * MS);
    assert_true(s.a.hung_up && s.b.hung_up);
    adapter_destroy(s.adapter);
}

// T3.76: nobody is dropped for being silent unless that is asked for.
static void silence_is_allowed_by_default(void **unused)
{
    (void)unused;
    struct scene s;
    struct adapter_options o;
    adapter_defaults(&o);
    begin(&s, &o);
    fake_open(&s.a, s.adapter, &fake_link); // never says hello
    join(&s, &s.b, HELLO(",\"role\":\"observer\""));
    for (int i = 0; i < 60; i++) {
        pass(&s, 1000 * MS);
        fake_forget(&s.b);
    }
    assert_false(s.a.hung_up || s.b.hung_up);
    adapter_destroy(s.adapter);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_stands_without_a_controller),
        cmocka_unit_test(a_stall_is_caught_up_in_part),
        cmocka_unit_test(observations_come_twenty_times_a_second),
        cmocka_unit_test(an_observation_keeps_its_distance),
        cmocka_unit_test(a_flood_does_not_stop_the_stream),
        cmocka_unit_test(whoever_does_not_read_is_cut_off),
        cmocka_unit_test(locks_are_told_once_to_everyone),
        cmocka_unit_test(a_dead_controller_is_never_held_against_anybody),
        cmocka_unit_test(commands_outlive_their_client),
        cmocka_unit_test(lock_step_holds_whoever_does_not_read),
        cmocka_unit_test(tables_make_room_for_others),
        cmocka_unit_test(tables_keep_their_own_time),
        cmocka_unit_test(a_newcomer_is_not_shown_beats_of_before),
        cmocka_unit_test(the_first_step_outlasts_a_stall),
        cmocka_unit_test(who_speaks_after_a_restart_does_not_wait),
        cmocka_unit_test(a_rest_is_not_caught_up),
        cmocka_unit_test(silence_is_noticed_where_it_is_not_wanted),
        cmocka_unit_test(silence_is_allowed_by_default),
        cmocka_unit_test(keys_come_after_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
