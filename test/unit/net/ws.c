#include "net/ws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "far_end.h"

enum { MAX = 70000, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10, LAST = 0x80 };

struct room {
    struct loop loop;
    struct http *http;
    struct ws *ws;
    int messages, closed, drained, refused, stop_at;
    size_t hold_bytes; // answers this much to a message, and holds
    char last[256];
    int binaries, giants, heard;
    char pong[128];
    struct ws_handler handler;
};

static void on_message(void *client, struct span text)
{
    struct room *r = client;
    static char bulk[1 << 22];
    r->messages++;
    if (text.size < sizeof r->last) {
        memcpy(r->last, text.at, text.size);
        r->last[text.size] = 0;
    }
    if (r->messages == r->stop_at)
        ws_end(r->ws, WS_POLICY, "enough");
    ws_send(r->ws, text);
    if (r->hold_bytes) {
        memset(bulk, '.', r->hold_bytes);
        ws_send(r->ws, (struct span){bulk, r->hold_bytes});
        conn_hold(ws_conn(r->ws));
        r->hold_bytes = 0;
    }
}

static void on_drained(void *client)
{
    ((struct room *)client)->drained++;
}

static void on_close(void *client)
{
    ((struct room *)client)->closed++;
}

static void on_request(void *owner, struct http_request *q)
{
    struct room *r = owner;
    r->ws = ws_accept(q, &r->handler, r, MAX, span_is(http_path(q), "/sub") ? "sub" : NULL);
    r->refused += !r->ws;
}

static struct room *open_room(bool binary)
{
    static const struct http_handler http = {.on_request = on_request};
    struct room *r = calloc(1, sizeof *r);
    struct http_options o;
    r->handler = (struct ws_handler){
        .on_message = on_message, .takes_binary = binary, .on_drained = on_drained, .on_close = on_close};
    http_defaults(&o);
    o.conn.port = 0;
    loop_init(&r->loop);
    r->http = http_listen(&r->loop, &o, &http, r);
    assert_non_null(r->http);
    return r;
}

static void close_room(struct room *r, struct far_end *f)
{
    far_close(f);
    UNTIL(&r->loop, conn_count(http_port(r->http)) == 0);
    assert_int_equal(r->closed, r->ws != NULL);
    http_close(r->http);
    loop_release(&r->loop);
    free(r);
}

#define KEY     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define UPGRADE "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" KEY
static const char upgrade[] = UPGRADE "Sec-WebSocket-Version: 13\r\n\r\n";

static struct far_end call(struct room *r)
{
    struct far_end f = far_open(conn_port(http_port(r->http)));
    far_say(&f, &r->loop, upgrade);
    UNTIL(&r->loop, far_has(&f, "\r\n\r\n"));
    far_forget(&f);
    return f;
}

// --- frames of a client: masked

static size_t frame(char *out, int first, struct span s)
{
    static const uint8_t mask[4] = {0x12, 0x34, 0x56, 0x78};
    size_t n = 0;
    out[n++] = (char)first;
    int more = s.size > 65535 ? 8 : s.size > 125 ? 2 : 0;
    out[n++] = (char)(0x80 | (more == 8 ? 127 : more == 2 ? 126 : (int)s.size));
    while (more--)
        out[n++] = (char)(s.size >> 8 * more);
    memcpy(out + n, mask, 4);
    n += 4;
    for (size_t i = 0; i < s.size; i++)
        out[n++] = (char)(s.at[i] ^ mask[i % 4]);
    return n;
}

static void say_frame(struct far_end *f, struct room *r, int first, struct span s)
{
    static char bytes[1 << 20];
    far_say_bytes(f, &r->loop, (struct span){bytes, frame(bytes, first, s)});
}

static bool has_bytes(struct far_end *f, const char *bytes, size_t size)
{
    return far_look(f) >= size && memcmp(f->bytes, bytes, size) == 0;
}

#define HAS(f, literal) has_bytes(f, literal, sizeof(literal) - 1)

// The close frame with its code, and the end.
static void expect_end(struct far_end *f, struct room *r, int code)
{
    UNTIL(&r->loop, far_ended(f));
    assert_int_equal(f->error, 0);
    assert_true(f->size >= 4);
    assert_int_equal((uint8_t)f->bytes[0], LAST | CLOSE);
    assert_int_equal((uint8_t)f->bytes[2] << 8 | (uint8_t)f->bytes[3], code);
    assert_int_equal(f->size, 2 + (size_t)f->bytes[1]);
    assert_int_equal(r->closed, 1);
}

// --- the upgrade

static void an_upgrade_is_answered(void **unused)
{
    (void)unused;
    static const char *const connections[] = {"upgrade", "keep-alive,\tUpgrade"};
    for (unsigned i = 0; i < sizeof connections / sizeof *connections; i++) {
        struct room *r = open_room(false);
        struct far_end f = far_open(conn_port(http_port(r->http)));
        far_say(&f, &r->loop, "GET /sub HTTP/1.1\r\nHost: x\r\nupgrade: WebSocket\r\nconnection: ");
        far_say(&f, &r->loop, connections[i]);
        far_say(&f, &r->loop, "\r\n" KEY "Sec-WebSocket-Version: 13 \r\n\r\n");
        UNTIL(&r->loop, far_has(&f, "\r\n\r\n"));
        assert_true(far_has(&f, "HTTP/1.1 101 Switching Protocols\r\n"));
        assert_true(far_has(&f, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")); // RFC 6455, 1.3
        assert_true(far_has(&f, "Sec-WebSocket-Protocol: sub\r\n"));
        close_room(r, &f);
    }
}

static void what_is_no_upgrade_is_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {UPGRADE "Sec-WebSocket-Version: 8\r\n\r\n", "HTTP/1.1 426 Upgrade Required\r\n"},
        {UPGRADE "\r\n", "HTTP/1.1 426 "},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n" KEY "\r\n", "HTTP/1.1 400 "},
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 "},
        {"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: short\r\n\r\n",
         "HTTP/1.1 400 "},
        {"POST / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" KEY
         "\r\n",
         "HTTP/1.1 400 "},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct room *r = open_room(false);
        struct far_end f = far_open(conn_port(http_port(r->http)));
        far_say(&f, &r->loop, cases[i].text);
        UNTIL(&r->loop, far_has(&f, cases[i].want));
        assert_int_equal(r->refused, 1);
        far_forget(&f);
        far_say(&f, &r->loop, upgrade); // the connection goes on
        UNTIL(&r->loop, far_has(&f, "HTTP/1.1 101"));
        close_room(r, &f);
    }
}

static void a_frame_may_come_with_the_upgrade(void **unused)
{
    (void)unused;
    char bytes[512];
    size_t head = sizeof upgrade - 1, size = head;
    memcpy(bytes, upgrade, head);
    size += frame(bytes + size, LAST | TEXT, SPAN("early"));
    for (size_t cut = head - 1; cut <= size; cut++) {
        struct room *r = open_room(false);
        struct far_end f = far_open(conn_port(http_port(r->http)));
        far_say_bytes(&f, &r->loop, (struct span){bytes, cut});
        far_turns(&r->loop, 2);
        far_say_bytes(&f, &r->loop, (struct span){bytes + cut, size - cut});
        UNTIL(&r->loop, far_has(&f, "\r\n\r\n\x81\x05"
                                    "early"));
        close_room(r, &f);
    }
}

// --- messages

static void messages_of_every_size_come_and_go(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, 125, 126, 127, 4095, 4096, 4097, 65535, 65536, MAX};
    static char text[MAX];
    struct room *r = open_room(false);
    struct far_end f = call(r);
    memset(text, 'm', sizeof text);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i], head = size > 65535 ? 10 : size > 125 ? 4 : 2;
        far_forget(&f);
        say_frame(&f, r, LAST | TEXT, (struct span){text, size});
        UNTIL(&r->loop, far_look(&f) == head + size);
        assert_int_equal((uint8_t)f.bytes[0], LAST | TEXT);
        assert_int_equal((uint8_t)f.bytes[1], size > 65535 ? 127 : size > 125 ? 126 : size);
        assert_memory_equal(f.bytes + head, text, size);
    }
    close_room(r, &f);
}

static void messages_come_whole_wherever_they_are_split(void **unused)
{
    (void)unused;
    char bytes[1024];
    static char long_text[300];
    memset(long_text, 'l', sizeof long_text);
    size_t size = frame(bytes, TEXT, SPAN("fr"));
    size += frame(bytes + size, LAST | PING, SPAN("p")); // may stand between fragments
    size += frame(bytes + size, 0, SPAN(""));
    size += frame(bytes + size, LAST, SPAN("agment"));
    size += frame(bytes + size, LAST | TEXT, (struct span){long_text, sizeof long_text});
    size += frame(bytes + size, LAST | TEXT, SPAN("end"));
    for (size_t cut = 0; cut <= size; cut++) {
        struct room *r = open_room(false);
        struct far_end f = call(r);
        far_say_bytes(&f, &r->loop, (struct span){bytes, cut});
        far_turns(&r->loop, 2);
        far_say_bytes(&f, &r->loop, (struct span){bytes + cut, size - cut});
        UNTIL(&r->loop, far_has(&f, "\x81\x03"
                                    "end"));
        assert_int_equal(r->messages, 3);
        assert_int_equal(far_count(&f, "\x81\x08"
                                       "fragment"),
                         1);
        assert_int_equal(far_count(&f, "\x8a\x01p"), 1);
        close_room(r, &f);
    }
}

static void pings_go_both_ways(void **unused)
{
    (void)unused;
    struct room *r = open_room(false);
    struct far_end f = call(r);
    say_frame(&f, r, LAST | PING, SPAN("are you there"));
    UNTIL(&r->loop, HAS(&f, "\x8a\x0d"
                            "are you there"));
    far_forget(&f);
    ws_ping(r->ws, SPAN("7"));
    UNTIL(&r->loop, HAS(&f, "\x89\x01\x37"));
    say_frame(&f, r, LAST | PONG, SPAN("7"));
    far_turns(&r->loop, 5);
    assert_int_equal(r->messages, 0);
    close_room(r, &f);
}

static void whoever_is_held_is_shown_nothing_and_loses_nothing(void **unused)
{
    (void)unused;
    char bytes[256];
    size_t size = 0;
    struct room *r = open_room(false);
    struct far_end f = call(r);
    r->hold_bytes = 1 << 22;
    for (int i = 0; i < 5; i++)
        size += frame(bytes + size, LAST | TEXT, SPAN("next"));
    far_say_bytes(&f, &r->loop, (struct span){bytes, size});
    UNTIL(&r->loop, r->messages == 1);
    far_turns(&r->loop, 20);
    assert_int_equal(r->messages, 1);
    UNTIL(&r->loop, far_look(&f) > 1 << 22);
    UNTIL(&r->loop, r->messages == 5);
    assert_int_equal(r->drained, 1);
    close_room(r, &f);
}

static void sending_at_once_is_refused_while_output_waits(void **unused)
{
    (void)unused;
    struct room *r = open_room(false);
    struct far_end f = call(r);
    assert_true(ws_send_now(r->ws, SPAN("now")));
    assert_true(HAS(&f, "\x81\x03now"));
    ws_send(r->ws, SPAN("waits"));
    assert_false(ws_send_now(r->ws, SPAN("no")));
    UNTIL(&r->loop, HAS(&f, "\x81\x03now\x81\x05waits"));
    shutdown(f.fd, SHUT_WR);
    assert_false(ws_send_now(r->ws, SPAN("gone")));
    UNTIL(&r->loop, r->closed == 1);
    assert_int_equal(f.size, 12);
    close_room(r, &f);
}

// --- what a handler may want to know

static void on_binary(void *client)
{
    ((struct room *)client)->binaries++;
}

static void on_too_large(void *client)
{
    ((struct room *)client)->giants++;
}

static void on_pong(void *client, struct span payload)
{
    struct room *r = client;
    memcpy(r->pong, payload.at, payload.size);
}

static void on_heard(void *client)
{
    ((struct room *)client)->heard++;
}

static struct room *open_curious_room(void)
{
    struct room *r = open_room(false);
    r->handler.on_binary = on_binary;
    r->handler.on_too_large = on_too_large;
    r->handler.on_pong = on_pong;
    r->handler.on_heard = on_heard;
    return r;
}

// F1.7, F1.8: a binary or a large message is told of and gone; the next one comes as ever.
static void a_curious_handler_is_told(void **unused)
{
    (void)unused;
    static char text[MAX + 1];
    memset(text, 't', sizeof text);
    struct room *r = open_curious_room();
    struct far_end f = call(r);
    say_frame(&f, r, LAST | BINARY, SPAN("\x01"));
    UNTIL(&r->loop, r->binaries == 1);
    say_frame(&f, r, LAST | TEXT, (struct span){text, MAX + 1});
    UNTIL(&r->loop, r->giants == 1);
    say_frame(&f, r, TEXT, (struct span){text, MAX}); // in pieces, a ping between them
    say_frame(&f, r, LAST | PING, SPAN("p"));
    say_frame(&f, r, 0, SPAN("!"));
    say_frame(&f, r, LAST, (struct span){text, MAX});
    UNTIL(&r->loop, r->giants == 2);
    say_frame(&f, r, LAST | PONG, SPAN("42"));
    say_frame(&f, r, LAST | TEXT, SPAN("small"));
    UNTIL(&r->loop, r->messages == 1);
    assert_string_equal(r->last, "small");
    assert_string_equal(r->pong, "42");
    assert_true(r->heard > 0);
    assert_int_equal(r->closed, 0);
    close_room(r, &f);
}

// F1.8: nobody reads through a declared length above a mebibyte.
static void a_giant_frame_ends(void **unused)
{
    (void)unused;
    struct room *r = open_curious_room();
    struct far_end f = call(r);
    far_say_bytes(&f, &r->loop, (struct span){"\x81\xff\0\0\0\0\0\x10\0\x01\0\0\0\0", 14});
    expect_end(&f, r, WS_TOO_BIG);
    close_room(r, &f);
}

// --- ends

static void a_goodbye_is_answered(void **unused)
{
    (void)unused;
    struct room *r = open_room(false);
    struct far_end f = call(r);
    say_frame(&f, r, LAST | CLOSE, SPAN("\x03\xe8"));
    expect_end(&f, r, WS_NORMAL);
    close_room(r, &f);
}

static void a_goodbye_of_ours_is_the_last_word(void **unused)
{
    (void)unused;
    char bytes[256];
    size_t size = 0;
    struct room *r = open_room(false);
    struct far_end f = call(r);
    r->stop_at = 1; // what its handler says after that is not sent
    for (int i = 0; i < 5; i++)
        size += frame(bytes + size, LAST | TEXT, SPAN("more"));
    far_say_bytes(&f, &r->loop, (struct span){bytes, size});
    expect_end(&f, r, WS_POLICY);
    assert_int_equal(r->messages, 1);
    close_room(r, &f);
}

static void what_is_no_text_ends(void **unused)
{
    (void)unused;
    char bytes[64];
    struct room *r = open_room(false);
    struct far_end f = call(r);
    size_t size = frame(bytes, LAST | BINARY, SPAN("\x01\x02"));
    size += frame(bytes + size, LAST | TEXT, SPAN("behind"));
    far_say_bytes(&f, &r->loop, (struct span){bytes, size});
    expect_end(&f, r, WS_UNSUPPORTED);
    assert_int_equal(r->messages, 0);
    close_room(r, &f);

    r = open_room(true);
    f = call(r);
    say_frame(&f, r, LAST | BINARY, SPAN("\x01\x02"));
    UNTIL(&r->loop, r->messages == 1);
    close_room(r, &f);
}

static void what_is_no_utf8_ends(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"\xff", "\xc3", "\xed\xa0\x80", "a\xc0\x80"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct room *r = open_room(false);
        struct far_end f = call(r);
        say_frame(&f, r, LAST | TEXT, span_of(bad[i]));
        expect_end(&f, r, 1007);
        assert_int_equal(r->messages, 0);
        close_room(r, &f);
    }
}

static void what_is_too_long_ends(void **unused)
{
    (void)unused;
    static char text[MAX + 1];
    memset(text, 't', sizeof text);
    struct room *r = open_room(false);
    struct far_end f = call(r);
    say_frame(&f, r, LAST | TEXT, (struct span){text, MAX + 1});
    expect_end(&f, r, WS_TOO_BIG);
    close_room(r, &f);

    r = open_room(false); // in pieces
    f = call(r);
    say_frame(&f, r, TEXT, (struct span){text, MAX});
    say_frame(&f, r, LAST, SPAN("!"));
    expect_end(&f, r, WS_TOO_BIG);
    assert_int_equal(r->messages, 0);
    close_room(r, &f);
}

static void what_is_no_frame_ends(void **unused)
{
    (void)unused;
    static const struct span bad[] = {
        {"\x81\x01x", 3},                                         // without a mask
        {"\xc1\x80\0\0\0\0", 6},                                  // a reserved bit
        {"\x80\x80\0\0\0\0", 6},                                  // goes on from nothing
        {"\x83\x80\0\0\0\0", 6},                                  // no such kind
        {"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14}, // longer than anything
        {"\x81\xfe\0\x01\0\0\0\0x", 9},                           // a length written too long
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct room *r = open_room(false);
        struct far_end f = call(r);
        far_say_bytes(&f, &r->loop, bad[i]);
        expect_end(&f, r, 1002);
        close_room(r, &f);
    }
}

static void a_peer_that_vanishes_is_told_of_once(void **unused)
{
    (void)unused;
    struct room *r = open_room(false);
    struct far_end f = call(r);
    say_frame(&f, r, TEXT, SPAN("half"));
    far_turns(&r->loop, 2);
    far_reset(&f);
    UNTIL(&r->loop, r->closed == 1);
    assert_int_equal(r->messages, 0);
    f = (struct far_end){.fd = -1};
    close_room(r, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upgrade_is_answered),
        cmocka_unit_test(what_is_no_upgrade_is_told),
        cmocka_unit_test(a_frame_may_come_with_the_upgrade),
        cmocka_unit_test(messages_of_every_size_come_and_go),
        cmocka_unit_test(messages_come_whole_wherever_they_are_split),
        cmocka_unit_test(pings_go_both_ways),
        cmocka_unit_test(whoever_is_held_is_shown_nothing_and_loses_nothing),
        cmocka_unit_test(sending_at_once_is_refused_while_output_waits),
        cmocka_unit_test(a_curious_handler_is_told),
        cmocka_unit_test(a_giant_frame_ends),
        cmocka_unit_test(a_goodbye_is_answered),
        cmocka_unit_test(a_goodbye_of_ours_is_the_last_word),
        cmocka_unit_test(what_is_no_text_ends),
        cmocka_unit_test(what_is_no_utf8_ends),
        cmocka_unit_test(what_is_too_long_ends),
        cmocka_unit_test(what_is_no_frame_ends),
        cmocka_unit_test(a_peer_that_vanishes_is_told_of_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
