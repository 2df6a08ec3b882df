// Connections that say nothing, read nothing or are no longer there (F1.11), by a clock that the test sets forward; the
// door (F1.2 to F1.5); words that are no words; spectators who are slow (F4.27).
#include "front/arena/hub_internal.h"

#include "kit/arena_dialect.h"
#include "lobby/identity.h"
#include "lobby_kit.h"
#include "net/ws_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "far_end.h"

static struct kit k;
static struct loop loop;
static struct hub *hub;
static struct http *http;
static int64_t ahead_ms; // of the machine's clock

static int64_t now_ms(void)
{
    return 1700000000000 + loop_now_us() / 1000 + ahead_ms;
}

static void on_request(void *owner, struct http_request *r)
{
    (void)owner;
    (span_is(http_path(r), "/api/ws/spectator") ? hub_spectator_request : hub_agent_request)(hub, r);
}

static void on_turn_end(void *owner)
{
    store_ticket durable;
    (void)owner;
    store_submit(k.store);
    store_wait(k.store);
    assert_int_equal(store_collect(k.store, &durable), OK);
    hub_release(hub, durable);
}

static int set_up(void **state)
{
    static const struct http_handler handler = {.on_request = on_request};
    struct hub_options o;
    struct http_options h;
    (void)state;
    kit_open(&k, NULL);
    loop_init(&loop);
    ahead_ms = 0;
    hub_defaults(&o);
    o.loop = &loop;
    o.lobby = k.lobby;
    o.now_ms = now_ms;
    o.messages_in_burst = o.messages_per_second = 100000;
    hub = hub_open(&o);
    http_defaults(&h);
    h.conn.port = 0;
    loop_add_hook(&loop, on_turn_end, &k);
    http = http_listen(&loop, &h, &handler, NULL);
    return !hub || !http;
}

static int tear_down(void **state)
{
    (void)state;
    http_close(http);
    loop_remove_hook(&loop, &k);
    hub_close(hub);
    kit_close(&k);
    loop_release(&loop);
    return 0;
}

static struct far_end knock(const char *query, const char *lines)
{
    char head[1024];
    struct far_end f = far_open(conn_port(http_port(http)));
    snprintf(head, sizeof head,
             "GET /api/ws%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n",
             query, lines);
    far_say(&f, &loop, head);
    return f;
}

static struct far_end connect_agent(const char *name)
{
    char line[64];
    kit_add(&k, name); // its key is its name
    snprintf(line, sizeof line, "X-API-Key: %s\r\n", name);
    struct far_end f = knock("", line);
    UNTIL(&loop, far_has(&f, "welcome"));
    far_forget(&f);
    return f;
}

static void say_frame(struct far_end *f, int opcode, struct span text)
{
    struct ws_head h = {.opcode = (uint8_t)opcode, .last = true, .masked = true, .length = text.size};
    uint8_t head[WS_MAX_HEAD];
    int size = ws_head_write(head, &h);
    far_say_bytes(f, &loop, (struct span){(const char *)head, (size_t)size});
    far_say_bytes(f, &loop, text); // the mask is zero
}

static uint64_t dropped(void)
{
    struct hub_figures f;
    hub_figures(hub, &f);
    return f.dropped;
}

static const char ping[] = {(char)0x89, 0};

static bool is_pinged(struct far_end *f)
{
    far_look(f);
    return memmem(f->bytes, f->size, ping, sizeof ping) != NULL;
}

// S16: of several nodes, whoever cannot be served goes to another one. Told to try again, it would stay.
static void nobody_is_refused_who_is_to_go_elsewhere(void **state)
{
    (void)state;
    struct far_end f = connect_agent("a");
    hub->options.lease_ms = 2000;
    hub_set_away(hub, true);
    event_active(hub->away_timer, EV_TIMEOUT, 1); // in a turn that has lasted for long: before its owner
    say_frame(&f, WS_TEXT, SPAN("{\"type\":\"leave_queue\"}"));
    UNTIL(&loop, far_ended(&f) || far_has(&f, "error"));
    assert_false(far_has(&f, "cannot reach its store"));
    assert_true(far_ended(&f));
    hub_set_away(hub, false);
    far_close(&f);
}

// A peer that vanished without a word answers nothing.
static void the_silent_are_pinged_then_dropped(void **state)
{
    (void)state;
    struct far_end gone = connect_agent("gone"), here = connect_agent("here");
    ahead_ms = 30000;
    UNTIL(&loop, is_pinged(&gone) && is_pinged(&here));
    far_forget(&gone);
    far_forget(&here);
    assert_int_equal(dropped(), 0);
    say_frame(&here, WS_PONG, SPAN("")); // one of the two is alive
    far_turns(&loop, 20);
    ahead_ms = 61000;
    UNTIL(&loop, far_ended(&gone));
    UNTIL(&loop, is_pinged(&here));
    assert_int_equal(dropped(), 1);
    assert_false(far_ended(&here));
    far_close(&gone);
    far_close(&here);
}

// Whatever comes is a sign of life, a part of a message too.
static void any_frame_is_a_sign_of_life(void **state)
{
    (void)state;
    struct far_end f = connect_agent("a");
    for (int i = 1; i <= 3; i++) {
        ahead_ms = i * 45000;
        UNTIL(&loop, is_pinged(&f));
        far_forget(&f);
        say_frame(&f, i == 1 ? WS_PING : WS_TEXT, SPAN("{}"));
        far_turns(&loop, 20);
    }
    assert_int_equal(dropped(), 0);
    far_close(&f);
}

// It goes on asking, so it is not silent; it reads nothing, so what it is told stays.
static void whoever_takes_nothing_for_ten_seconds_is_dropped(void **state)
{
    (void)state;
    enum { MESSAGES = 16000 };
    struct far_end deaf = connect_agent("deaf"), other = connect_agent("other");
    for (int i = 0; i < MESSAGES; i++) // answers of 100 bytes: more than the system keeps, less than the ceiling
        say_frame(&deaf, WS_TEXT, SPAN("{\"type\":\"what_nobody_knows_and_is_said_again_all_the_same\"}"));
    far_turns(&loop, 20);
    assert_int_equal(dropped(), 0);
    // A sweep must have seen it stand still; a ping of the other shows that one has been by. Neither is silent.
    for (int i = 0; i < 3 && dropped() == 0; i++) {
        ahead_ms += 30000;
        UNTIL(&loop, is_pinged(&other));
        far_forget(&other);
        say_frame(&other, WS_PONG, SPAN(""));
        say_frame(&deaf, WS_PONG, SPAN(""));
    }
    assert_int_equal(dropped(), 1);
    assert_false(far_ended(&other));
    far_close(&deaf);
    far_close(&other);
}

static void whoever_lets_four_mebibytes_wait_is_dropped(void **state)
{
    (void)state;
    struct far_end deaf = connect_agent("deaf");
    int sent = 0;
    while (dropped() == 0 && sent < 200000 && !deaf.error) {
        say_frame(&deaf, WS_TEXT, SPAN("{\"type\":\"what_nobody_knows_and_is_said_again_all_the_same\"}"));
        if (++sent % 100 == 0)
            far_turn(&loop);
    }
    assert_int_equal(dropped(), 1);
    assert_true(sent > (4 << 20) / 128); // not earlier than that
    far_close(&deaf);
}

// --- the door

static void disable(struct store_agent *record)
{
    record->disabled = true;
}

static void enable(struct store_agent *record)
{
    record->disabled = false;
}

#define DEVICE_A   "X-Device-Id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
#define DEVICE_B   "X-Device-Id: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n"
#define KEY        "X-API-Key: ann\r\n"
#define VERSION(v) KEY "X-AIFight-Protocol-Version: " v "\r\n"

static void who_comes_in_and_as_what(void **state)
{
    static const struct {
        const char *query, *lines;
        int disabled; // 1: from here on; -1: no longer
        const char *says;
    } rows[] = {
        {"", "", 0, "missing api_key"},                              // F1.4
        {"", "Authorization: Bearer ann\r\n", 0, "missing api_key"}, // F1.2
        {"", "X-API-Key: bob\r\n", 0, "invalid api key"},
        {"?api_key=bob", KEY, 0, "v1.0.0"}, // the header counts
        {"?api_key=ann", "", 0, "v1.0.0"},
        {"", KEY DEVICE_A, 1, "agent disabled"},
        {"", KEY DEVICE_B "X-AIFight-Client-Kind: cli\r\n", -1, "v1.0.0"}, // the refused one bound nothing
        {"", KEY DEVICE_A, 0, "{\"error\":\"device_mismatch\"}"},
        {"", KEY DEVICE_B "X-AIFight-Client-Kind: desktop\r\n", 0,
         "{\"error\":\"client_mismatch\",\"bound_client\":\"cli\"}"},
        {"", KEY, 0, "v1.0.0"}, // nothing said fits every binding
        {"", VERSION("v1.2.0"), 0, "\"server_protocol_version\":\"v1.2.0\""},
        {"", VERSION("1.9"), 0, "\"server_protocol_version\":\"v1.2.0\""}, // F1.5
        {"", VERSION("1.1.7"), 0, "\"server_protocol_version\":\"v1.0.0\""},
        {"", VERSION("2.0.0"), 0, "\"error\",\"data\":{\"message\":\"protocol version v1.2.0 is required\"}"},
        {"", VERSION("0.9"), 0, "protocol version v1.2.0 is required"},
        {"", VERSION("1"), 0, "protocol version v1.2.0 is required"},
        {"", VERSION("1.2.0-rc1"), 0, "protocol version v1.2.0 is required"},
        {"?capabilities=x,belote", KEY, 0, "\"coup\",\"belote\"]"}, // F1.3, F6.B1
        {"", KEY "X-AIFight-Capabilities: match_feed, belote\r\n", 0, "\"coup\",\"belote\"]"},
        {"", KEY "X-AIFight-Capabilities: belotes\r\n", 0, "\"coup\"]"},
    };
    (void)state;
    struct kit_agent *ann = kit_add(&k, "ann");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].disabled)
            kit_edit(ann, rows[i].disabled > 0 ? disable : enable);
        struct far_end f = knock(rows[i].query, rows[i].lines);
        UNTIL(&loop, far_has(&f, rows[i].says));
        far_close(&f);
    }
}

static void words_with_a_zero_are_no_words(void **state)
{
    static const char *const said[] = {
        "{\"type\":\"join_queue\",\"data\":{\"game\":\"coup\\u0000x\"}}",
        "{\"type\":\"join_queue\",\"data\":{\"game\":\"coup\",\"mode\":\"ranked\\u0000x\"}}",
    };
    (void)state;
    struct far_end f = connect_agent("ann");
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        say_frame(&f, WS_TEXT, span_of(said[i]));
        UNTIL(&loop, far_has(&f, "invalid message format")); // F2.5
        assert_false(far_has(&f, "queue_joined"));
        far_forget(&f);
    }
    far_close(&f);
}

// --- spectators

// A match of two that everybody may see at once.
static const struct store_match *begin_match(struct kit_agent *player[2])
{
    struct lobby_options o = k.o;
    struct uuid match;
    o.spectate_delay_ms = 0;
    lobby_reload(k.lobby, &o);
    k.now_ms = now_ms();
    player[0] = kit_player(&k, "ann");
    player[1] = kit_player(&k, "bob");
    struct lobby_agent *agents[] = {player[0]->agent, player[1]->agent};
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[1], "friendly", agents, 2, (struct uuid){0}, k.now_ms, &match), OK);
    kit_settle(&k);
    return lobby_seat_match(kit_seat(player[0])->seat);
}

static void pass_time(void)
{
    k.now_ms = now_ms();
    kit_pass(&k, 0);
    far_turn(&loop);
}

// Whoever is asked bids a little more and says much about it.
static void bid_with_a_long_note(void)
{
    enum { NOTE = 12000 };
    static char note[NOTE];
    struct game_choice choices[GAME_MAX_CHOICES];
    struct text t = text_on(note, sizeof note);
    struct kit_seat *s = kit_asked(kit_awaited(&k));
    text_puts(&t, "{\"usage\":{\"model\":\"whose\"},\"decision\":{\"note\":\"who I am\",\"more\":\"");
    while (t.size < NOTE - 3)
        text_put_char(&t, 'x');
    text_puts(&t, "\"}}");
    assert_false(t.full);
    int count = lobby_seat_choices(s->seat, choices);
    lobby_asked(k.lobby, s->seat, k.now_ms);
    assert_int_equal(lobby_answer(k.lobby, s->seat, choices[count - 1].first, text_span(&t), k.now_ms), OK);
    pass_time();
}

// F4.27: what it has not read costs no more than the limit; when it has read, it gets a picture, and goes on from it.
static void a_slow_spectator_is_skipped_ahead(void **state)
{
    enum { BIDS = 40, SMALL = 4096, FRAMES = 2 * HUB_SHOWN_FRAME };
    struct kit_agent *player[2];
    char query[128] = "/spectator?live=", next[32];
    (void)state;
    uuid_format(query + strlen(query), begin_match(player)->live);
    struct far_end f = knock(query, "");
    UNTIL(&loop, (pass_time(), far_has(&f, "spectate_start")));
    struct hub_conn *c = TAILQ_FIRST(&hub->all);
    struct conn *conn = ws_conn(c->ws);
    setsockopt(conn_descriptor(conn), SOL_SOCKET, SO_SNDBUF, &(int){SMALL}, sizeof(int));
    for (int i = 0; i < BIDS; i++)
        bid_with_a_long_note();
    assert_true(c->behind);
    assert_true(conn_waiting(conn) > 0 && conn_waiting(conn) <= HUB_UNREAD + FRAMES);
    UNTIL(&loop, (pass_time(), far_look(&f), far_count(&f, "spectate_start") == 2));
    assert_false(c->behind);
    assert_true(far_count(&f, "\"decision\",") < BIDS);
    assert_false(far_has(&f, "whose") || far_has(&f, "who I am")); // F2.7
    far_forget(&f);
    snprintf(next, sizeof next, "\"seq\":%u,\"ts\"", lobby_watch_shown(c->watch[0]));
    bid_with_a_long_note();
    UNTIL(&loop, (pass_time(), far_has(&f, next)));
    assert_int_equal(far_count(&f, "spectate_start"), 0);
    assert_int_equal(dropped(), 0);
    far_close(&f);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(who_comes_in_and_as_what),
        TEST(words_with_a_zero_are_no_words),
        TEST(the_silent_are_pinged_then_dropped),
        TEST(any_frame_is_a_sign_of_life),
        TEST(whoever_takes_nothing_for_ten_seconds_is_dropped),
        TEST(whoever_lets_four_mebibytes_wait_is_dropped),
        TEST(a_slow_spectator_is_skipped_ahead),
        TEST(nobody_is_refused_who_is_to_go_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
