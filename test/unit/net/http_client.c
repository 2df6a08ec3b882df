// Questions to a server of our own, in the clear: answers, refusals, upgrades, and servers that are not there.
#include "net/http_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "far_end.h"

struct room {
    struct loop loop;
    struct http *http;
    struct http_client *client;
    struct ws *here, *there; // both ends of an upgrade
    int answers, status, closed_here, closed_there, pongs;
    char body[256], heard[64];
};

static void on_message(void *client, struct span text)
{
    struct room *r = client;
    ws_send(r->here, text); // an echo
}

static void on_close_here(void *client)
{
    ((struct room *)client)->closed_here++;
}

static const struct ws_handler echo = {.on_message = on_message, .on_close = on_close_here};

static void on_request(void *owner, struct http_request *q)
{
    struct room *r = owner;
    if (span_is(http_path(q), "/ws"))
        r->here = ws_accept(q, &echo, r, 1 << 17, NULL);
    else if (span_is(http_path(q), "/body"))
        http_reply(q, 201, "text/plain", http_body(q));
    else
        http_reply(q, 403, "text/plain", http_header(q, "X-Word"));
}

static void on_answer(void *client, int status, struct span body)
{
    struct room *r = client;
    r->answers++;
    r->status = status;
    size_t size = body.size < sizeof r->body - 1 ? body.size : 0;
    if (size)
        memcpy(r->body, body.at, size);
    r->body[size] = 0;
}

static void on_heard_there(void *client, struct span text)
{
    struct room *r = client;
    memcpy(r->heard, text.at, text.size < sizeof r->heard - 1 ? text.size : sizeof r->heard - 1);
}

static void on_close_there(void *client)
{
    ((struct room *)client)->closed_there++;
}

static void on_pong_there(void *client, struct span payload)
{
    (void)payload;
    ((struct room *)client)->pongs++;
}

static const struct ws_handler there = {
    .on_message = on_heard_there, .on_close = on_close_there, .on_pong = on_pong_there};

static void on_open(void *client, struct ws *w)
{
    ((struct room *)client)->there = w;
}

static struct http *listen_on_any_port(struct room *r)
{
    static const struct http_handler handler = {.on_request = on_request};
    struct http_options o;
    http_defaults(&o);
    o.conn.port = 0;
    return http_listen(&r->loop, &o, &handler, r);
}

static struct room *open_room(void)
{
    struct room *r = calloc(1, sizeof *r);
    loop_init(&r->loop);
    r->http = listen_on_any_port(r);
    r->client = http_client_open(&r->loop, NULL, 16);
    assert_non_null(r->http);
    assert_non_null(r->client);
    return r;
}

static void close_room(struct room *r)
{
    http_client_close(r->client);
    http_close(r->http);
    loop_release(&r->loop);
    free(r);
}

static struct http_ask ask_of(struct room *r, const char *path)
{
    return (struct http_ask){.address = "127.0.0.1",
                             .port = conn_port(http_port(r->http)),
                             .host = "localhost",
                             .method = "POST",
                             .path = path,
                             .client = r,
                             .on_answer = on_answer};
}

static struct http_ask upgrade_of(struct room *r, const char *path)
{
    struct http_ask ask = ask_of(r, path);
    ask.method = "GET";
    ask.on_open = on_open;
    ask.handler = &there;
    ask.max_message = 1 << 17;
    return ask;
}

static void answers_come_once(void **state)
{
    (void)state;
    struct room *r = open_room();
    struct http_ask ask = ask_of(r, "/body");
    ask.body = SPAN("what is said is said back");
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->answers == 1);
    assert_int_equal(r->status, 201);
    assert_string_equal(r->body, "what is said is said back");
    ask = ask_of(r, "/else");
    ask.lines = "X-Word: no\r\n";
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->answers == 2);
    assert_int_equal(r->status, 403);
    assert_string_equal(r->body, "no");
    close_room(r);
}

static void upgrades_speak_both_ways(void **state)
{
    (void)state;
    static char large[70000];
    struct room *r = open_room();
    struct http_ask ask = upgrade_of(r, "/ws");
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->there);
    ws_send(r->there, SPAN("hello"));
    UNTIL(&r->loop, r->heard[0]);
    assert_string_equal(r->heard, "hello");
    memset(large, 'l', sizeof large); // masked piece by piece
    ws_send(r->there, (struct span){large, sizeof large});
    UNTIL(&r->loop, r->heard[0] == 'l');
    ws_end(r->there, WS_NORMAL, "bye");
    UNTIL(&r->loop, r->closed_here == 1 && r->closed_there == 1);
    assert_int_equal(r->answers, 0);
    close_room(r);
}

static void a_refused_upgrade_is_an_answer(void **state)
{
    (void)state;
    struct room *r = open_room();
    struct http_ask ask = upgrade_of(r, "/else");
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->answers == 1);
    assert_int_equal(r->status, 403);
    assert_null(r->there);
    close_room(r);
}

static void nobody_there_is_status_0(void **state)
{
    (void)state;
    struct room *r = open_room();
    struct http_ask ask = ask_of(r, "/");
    struct http *gone = listen_on_any_port(r);
    ask.port = conn_port(http_port(gone));
    http_close(gone);
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->answers == 1);
    assert_int_equal(r->status, 0);
    ask.address = "nowhere";
    assert_int_not_equal(http_client_ask(r->client, &ask), 0);
    close_room(r);
}

// --- servers that answer badly

// Says `answer` to whoever connects, and hangs up.
struct parrot {
    const char *answer;
    struct conn *conn;
};

static void *on_parrot_open(void *owner, struct conn *c)
{
    ((struct parrot *)owner)->conn = c;
    return owner;
}

static size_t on_parrot_bytes(void *client, struct span bytes, size_t seen)
{
    (void)seen;
    struct parrot *p = client;
    conn_reply(p->conn, span_of(p->answer));
    conn_hang_up(p->conn);
    return bytes.size;
}

static void on_parrot_close(void *client)
{
    (void)client;
}

static struct conn_server *listen_as(struct parrot *p, const struct conn_handler *handler, struct room *r)
{
    struct conn_options o = {.host = "127.0.0.1", .max_waiting_bytes = 65536, .max_connections = 4};
    return conn_listen(&r->loop, &o, handler, p);
}

static const struct {
    const char *bytes;
    int status;
    const char *body;
} answers[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
    {"HTTP/1.0 200 OK\r\n\r\nto the end", 200, "to the end"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ncut", 0, NULL},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", 0, NULL},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n", 0, NULL},
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", 0, NULL},
    {"HTTP/1.1 200 OK\r\nContent-Le", 0, NULL},
    {"SSH-2.0-OpenSSH_9.2\r\n", 0, NULL},
    {"", 0, NULL},
};

static void bad_answers_are_none(void **state)
{
    (void)state;
    static const struct conn_handler parrot = {
        .on_open = on_parrot_open, .on_bytes = on_parrot_bytes, .on_close = on_parrot_close};
    struct room *r = open_room();
    struct parrot p = {0};
    struct conn_server *server = listen_as(&p, &parrot, r);
    for (unsigned i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct http_ask ask = ask_of(r, "/");
        ask.port = conn_port(server);
        p.answer = answers[i].bytes;
        r->answers = 0;
        assert_int_equal(http_client_ask(r->client, &ask), 0);
        UNTIL(&r->loop, r->answers == 1);
        if (r->status != answers[i].status || (answers[i].body && strcmp(r->body, answers[i].body) != 0))
            fail_msg("%s: status %d, %s", answers[i].bytes, r->status, r->body);
    }
    UNTIL(&r->loop, conn_count(server) == 0);
    conn_close(server);
    close_room(r);
}

// --- servers that fall silent

static void a_peer_with_nothing_to_say_stays(void **state)
{
    (void)state;
    struct room *r = open_room();
    struct http_ask ask = upgrade_of(r, "/ws");
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->there);
    assert_true(ws_watch(r->there, &r->loop, 1500));
    UNTIL(&r->loop, r->pongs == 2 || r->closed_there);
    assert_int_equal(r->closed_there, 0);
    close_room(r);
}

static size_t on_mute_bytes(void *client, struct span bytes, size_t seen)
{
    struct parrot *p = client;
    if (p->answer && seen == 0)
        conn_reply(p->conn, span_of(p->answer));
    return bytes.size;
}

// As one whose machine is gone: its connection stays open.
static void a_silent_server_is_given_up(void **state)
{
    (void)state;
    static const struct conn_handler mute = {
        .on_open = on_parrot_open, .on_bytes = on_mute_bytes, .on_close = on_parrot_close};
    struct room *r = open_room();
    struct parrot p = {0};
    struct conn_server *server = listen_as(&p, &mute, r);
    struct http_ask ask = ask_of(r, "/");
    ask.port = conn_port(server);
    ask.timeout_ms = 50;
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->answers == 1);
    assert_int_equal(r->status, 0);
    p.answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    ask = upgrade_of(r, "/");
    ask.port = conn_port(server);
    ask.timeout_ms = 60000;
    assert_int_equal(http_client_ask(r->client, &ask), 0);
    UNTIL(&r->loop, r->there);
    assert_true(ws_watch(r->there, &r->loop, 50));
    UNTIL(&r->loop, r->closed_there == 1);
    assert_int_equal(r->answers, 1);
    conn_close(server);
    close_room(r);
}

static const struct {
    const char *text;
    bool ok, secure;
    const char *host, *path;
    uint16_t port;
} urls[] = {
    {"http://127.0.0.1:8080", true, false, "127.0.0.1", "", 8080},
    {"https://arena.example.org/", true, true, "arena.example.org", "", 443},
    {"ws://localhost/api/ws", true, false, "localhost", "/api/ws", 80},
    {"wss://h:1/x/", true, true, "h", "/x", 1},
    {"HTTP://[::1]:8/p?q", true, false, "::1", "/p", 8},
    {"http://h:0", false, false, NULL, NULL, 0},
    {"http://h:65536", false, false, NULL, NULL, 0},
    {"http://u@h", false, false, NULL, NULL, 0},
    {"http://h/a b", false, false, NULL, NULL, 0},
    {"http:///p", false, false, NULL, NULL, 0},
    {"http://", false, false, NULL, NULL, 0},
    {"ftp://h", false, false, NULL, NULL, 0},
    {"localhost:8080", false, false, NULL, NULL, 0},
    {"", false, false, NULL, NULL, 0},
};

static void addresses_are_taken_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct http_url u;
        if (http_url_read(&u, urls[i].text) != urls[i].ok)
            fail_msg("%s", urls[i].text);
        if (!urls[i].ok)
            continue;
        assert_int_equal(u.secure, urls[i].secure);
        assert_int_equal(u.port, urls[i].port);
        assert_string_equal(u.host, urls[i].host);
        assert_string_equal(u.path, urls[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_once),
        cmocka_unit_test(upgrades_speak_both_ways),
        cmocka_unit_test(a_refused_upgrade_is_an_answer),
        cmocka_unit_test(nobody_there_is_status_0),
        cmocka_unit_test(bad_answers_are_none),
        cmocka_unit_test(a_peer_with_nothing_to_say_stays),
        cmocka_unit_test(a_silent_server_is_given_up),
        cmocka_unit_test(addresses_are_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
