#include "verify/adapter_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "line_peer.h"

enum { LONG_MS = 20000 };

// What the watch has seen.
struct seen {
    int lines, rubbish;
    bool stray;
};

static struct line_peer peer;
static struct client d;
static struct seen seen;
static struct client_target target;

static void watch(void *owner, struct client *its, json_t *root, struct span line)
{
    struct seen *s = owner;
    assert_true(line.size > 0);
    s->lines++;
    s->rubbish += !root;
    s->stray = its->stray;
}

static int open_both(void **unused)
{
    (void)unused;
    peer = peer_listen();
    seen = (struct seen){0};
    target = (struct client_target){"127.0.0.1", peer.port, "2.1.0", 1, watch, &seen};
    assert_true(client_open(&d, &target));
    peer_accept(&peer);
    return 0;
}

static int close_both(void **unused)
{
    (void)unused;
    client_close(&d);
    peer_close(&peer);
    return 0;
}

static void hello_is_answered(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *what;
    } cases[] = {
        {"{\"type\":\"welcome\",\"seq\":1,\"client_id\":3,\"capabilities\":{\"formats\":[\"json\"]}}\n", "welcome"},
        {"{\"type\":\"error\",\"seq\":1,\"code\":\"protocol_mismatch\"}\n", "protocol_mismatch"},
        {"{\"type\":\"observation\",\"seq\":1}\nno JSON\n{\"type\":\"ack\",\"seq\":1}\n", "ack"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        peer_send(&peer, cases[i].line);
        assert_string_equal(client_hello(&d, &target, "controller", true, false), cases[i].what);
    }
    assert_int_equal(d.welcome.client_id, 3);
    assert_int_equal(d.welcome_bytes, strlen(cases[0].line));
    assert_non_null(json_object_get(d.capabilities, "formats"));
    assert_int_equal(d.observations, 1);
    assert_int_equal(seen.lines, 5);
    assert_int_equal(seen.rubbish, 1);
    char heard[2048];
    assert_non_null(strstr(peer_heard(&peer, heard, sizeof heard), "\"protocol_version\":\"2.1.0\""));
}

static void nobody_waits_longer_than_allowed(void **unused)
{
    (void)unused;
    assert_string_equal(client_answer(&d, 1, 0), "late");
    assert_false(client_read(&d, 0));
    assert_false(client_observe(&d, 0));
    assert_false(client_until(&d, want_any, 0, 0));
    assert_false(client_is_closed(&d, 0));
    assert_int_equal(client_limit(&d, 3), 3);
    d.target.patience = 20;
    assert_int_equal(client_limit(&d, 3), 60);
    peer_send(&peer, "{\"type\":\"ack\",\"seq\":9}\n");
    peer_hang_up(&peer);
    assert_true(client_is_closed(&d, LONG_MS)); // behind what still came
    assert_string_equal(client_answer(&d, 1, LONG_MS), "closed");
}

// A reply has the seq of something that was sent. After a line without a seq that could be read, 0 will do.
static void a_reply_belongs_to_a_question(void **unused)
{
    (void)unused;
    peer_send(&peer, "{\"type\":\"ack\",\"seq\":7}\n");
    assert_string_equal(client_ask(&d, 7, "\"type\":\"control\",\"action\":\"%s\"", "claim"), "ack");
    char heard[256];
    assert_string_equal(peer_heard(&peer, heard, sizeof heard),
                        "{\"seq\":7,\"type\":\"control\",\"action\":\"claim\"}\n");
    assert_string_equal(d.sent, "{\"seq\":7,\"type\":\"control\",\"action\":\"claim\"}");
    assert_false(seen.stray);
    assert_int_equal(d.asked[7].answered, 1);
    assert_false(d.asked[7].command);

    peer_send(&peer, "{\"type\":\"ack\",\"seq\":99}\n");
    assert_string_equal(client_control(&d, "claim"), "ack"); // a wrong seq ends the wait too
    assert_true(seen.stray);

    peer_send(&peer, "{\"type\":\"error\",\"seq\":0,\"code\":\"invalid_command\"}\n");
    client_send(&d, 20, SPAN("rubbish\n"));
    assert_string_equal(client_answer(&d, 20, LONG_MS), "invalid_command");
    assert_false(seen.stray);
    assert_int_equal(d.seq, 20);
}

static void questions_are_numbered(void **unused)
{
    (void)unused;
    char heard[1024];
    peer_send(&peer, "{\"type\":\"ack\",\"seq\":1}\n{\"type\":\"ack\",\"seq\":2}\n{\"type\":\"ack\",\"seq\":3}\n");
    assert_string_equal(client_act(&d, "hard_drop"), "ack");
    assert_string_equal(client_restart(&d, 42), "ack");
    assert_string_equal(client_place(&d, 4, 1, false), "ack");
    assert_int_equal(d.seq, 3);
    for (int i = 1; i <= 3; i++) {
        assert_true(d.asked[i].command);
        assert_int_equal(d.asked[i].asked, 1);
        assert_int_equal(d.asked[i].answered, 1);
    }
    peer_heard(&peer, heard, sizeof heard);
    assert_non_null(strstr(heard, "\"hard_drop\""));
    assert_non_null(strstr(heard, "\"seed\":42"));
    assert_non_null(strstr(heard, "\"x\":4"));
}

static void the_last_observation_is_now(void **unused)
{
    (void)unused;
    peer_send(&peer, "{\"type\":\"observation\",\"seq\":1,\"episode_id\":1}\n{\"type\":\"ack\",\"seq\":1}\n"
                     "{\"type\":\"observation\",\"seq\":2,\"episode_id\":2,\"playable\":false}\n"
                     "{\"type\":\"observation\",\"seq\":3,\"episode_id\":2,\"playable\":true}\n");
    assert_true(client_until(&d, want_any, 0, LONG_MS));
    assert_int_equal(d.observations, 1);
    assert_true(client_until(&d, want_any, 0, 0)); // it is there already
    assert_true(client_until(&d, want_playable_after, 1, LONG_MS));
    assert_int_equal(d.observations, 3);
    assert_int_equal(d.now.episode_id, 2);
    assert_false(client_until(&d, want_episode_after, 2, 0));
}

static void wants_are_met(void **unused)
{
    (void)unused;
    const struct server_observation o = {
        .playable = true, .paused = true, .episode_id = 5, .piece_id = 8, .logical_step = 100};
    const struct server_observation over = {.game_over = true, .episode_id = 5, .piece_id = 8};
    const struct {
        bool (*want)(const struct server_observation *o, uint64_t what);
        uint64_t what;
        bool met, when_over;
    } cases[] = {
        {want_any, 0, true, true},
        {want_episode_after, 4, true, true},
        {want_episode_after, 5, false, false},
        {want_playable_after, 4, true, false},
        {want_playable_after, 5, false, false},
        {want_game_over, 0, false, true},
        {want_paused, 1, true, false},
        {want_paused, 0, false, true},
        {want_other_piece, 8, false, true},
        {want_other_piece, 7, true, true},
        {want_step, 100, true, false},
        {want_step, 101, false, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cases[i].want(&o, cases[i].what), cases[i].met);
        assert_int_equal(cases[i].want(&over, cases[i].what), cases[i].when_over);
    }
}

static void nobody_there_is_no_dialog(void **unused)
{
    (void)unused;
    struct line_peer gone = peer_listen();
    peer_close(&gone);
    struct client none;
    assert_false(client_open(&none, &(struct client_target){"127.0.0.1", gone.port, "2.1.0", 1, NULL, NULL}));
}

int main(void)
{
#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, open_both, close_both)
    static const struct CMUnitTest tests[] = {
        WITH_PEER(hello_is_answered),
        WITH_PEER(nobody_waits_longer_than_allowed),
        WITH_PEER(a_reply_belongs_to_a_question),
        WITH_PEER(questions_are_numbered),
        WITH_PEER(the_last_observation_is_now),
        cmocka_unit_test(wants_are_met),
        cmocka_unit_test(nobody_there_is_no_dialog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
