#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "far_end.h"

enum { BIG = 4 << 20, MAX_HEAD = 400, MAX_BODY = 1000 };

struct site {
    struct loop loop;
    struct http *http;
    struct http_request *open; // the last one that was not answered at once
    int requests, gone;
    char log[1 << 12]; // method, path and body of each, in one line
};

static char big[BIG];

static void answer(struct site *s, struct http_request *r)
{
    char word[16];
    struct span path = http_path(r);
    if (span_is(path, "/echo")) {
        http_reply(r, 200, "text/plain", http_body(r));
    } else if (span_is(path, "/none")) {
        http_add_header(r, "X-Extra", "yes");
        http_reply(r, 204, NULL, (struct span){0});
    } else if (span_is(path, "/same")) {
        http_reply(r, 304, "text/plain", SPAN("must not be sent"));
    } else if (span_is(path, "/big")) {
        http_reply(r, 200, "text/plain", (struct span){big, BIG});
    } else if (span_is(path, "/query")) {
        bool found = http_query(r, "word", word, sizeof word);
        http_reply(r, found ? 200 : 404, "text/plain", found ? span_of(word) : SPAN("absent"));
    } else if (span_is(path, "/header")) {
        http_reply(r, 200, "text/plain", http_header(r, "x-one"));
    } else if (span_is(path, "/host") || span_is(path, "/")) {
        http_reply(r, 200, "text/plain", http_header(r, "Host"));
    } else {
        s->open = r; // later
    }
}

static void on_request(void *owner, struct http_request *r)
{
    struct site *s = owner;
    struct text t = text_on(s->log, sizeof s->log - 1);
    t.size = strlen(s->log);
    text_puts(&t, http_method(r));
    text_put_char(&t, ' ');
    text_put(&t, http_path(r));
    text_put_char(&t, ' ');
    text_put(&t, http_body(r));
    text_put_char(&t, '\n');
    s->log[t.size] = 0;
    s->requests++;
    answer(s, r);
}

static void on_gone(void *owner, struct http_request *r)
{
    struct site *s = owner;
    s->gone++;
    if (s->open == r)
        s->open = NULL;
}

static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone};

static struct site *open_site(int timeout_ms)
{
    struct site *s = calloc(1, sizeof *s);
    struct http_options o;
    memset(big, 'b', BIG);
    http_defaults(&o);
    o.conn.port = 0;
    o.max_head_bytes = MAX_HEAD;
    o.max_body_bytes = MAX_BODY;
    o.timeout_ms = timeout_ms;
    loop_init(&s->loop);
    s->http = http_listen(&s->loop, &o, &handler, s);
    assert_non_null(s->http);
    return s;
}

static void close_site(struct site *s)
{
    http_close(s->http);
    loop_release(&s->loop);
    free(s);
}

static struct far_end call(struct site *s)
{
    return far_open(conn_port(http_port(s->http)));
}

// What a client gets that says this, ends its side, and reads to the end.
static struct far_end ask(struct site *s, const char *text)
{
    struct far_end f = call(s);
    far_say(&f, &s->loop, text);
    shutdown(f.fd, SHUT_WR);
    UNTIL(&s->loop, far_ended(&f));
    assert_int_equal(f.error, 0);
    f.bytes[f.size] = 0;
    return f;
}

static void expect(struct site *s, const char *text, const char *want)
{
    struct far_end f = ask(s, text);
    assert_string_equal(f.bytes, want);
    far_close(&f);
}

#define OK_HEAD(length) "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " #length "\r\n"

// --- requests

static void requests_come_whole_wherever_they_are_split(void **unused)
{
    (void)unused;
    static const char text[] =
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n"
        "Trailer: t\r\n\r\n"
        "GET /none HTTP/1.1\r\nHost: x\r\nEmpty:\r\n\r\n";
    static const char want[] = OK_HEAD(5) "\r\nhello" OK_HEAD(5) "\r\nabcde"
                                                                 "HTTP/1.1 204 No Content\r\nX-Extra: yes\r\n\r\n";
    struct site *s = open_site(60000);
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct far_end f = call(s);
        far_say_bytes(&f, &s->loop, (struct span){text, cut});
        far_turns(&s->loop, 2);
        far_say_bytes(&f, &s->loop, (struct span){text + cut, sizeof text - 1 - cut});
        UNTIL(&s->loop, far_look(&f) >= sizeof want - 1);
        assert_int_equal(f.size, sizeof want - 1);
        assert_memory_equal(f.bytes, want, sizeof want - 1);
        far_close(&f);
    }
    assert_int_equal(s->requests, 3 * (int)sizeof text);
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
    assert_int_equal(s->gone, 0);
    close_site(s);
}

static void pipelined_requests_are_answered_one_after_the_other(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop,
            "GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /query?word=3 "
            "HTTP/1.1\r\nHost: x\r\n\r\n");
    for (int i = 1; i <= 2; i++) {
        UNTIL(&s->loop, s->open);
        far_turns(&s->loop, 5);
        assert_int_equal(s->requests, i); // the next one waits
        struct http_request *r = s->open;
        s->open = NULL;
        http_reply(r, 200, "text/plain", i == 1 ? SPAN("1") : SPAN("2"));
    }
    UNTIL(&s->loop, far_has(&f, OK_HEAD(1) "\r\n3"));
    f.bytes[f.size] = 0;
    assert_string_equal(f.bytes, OK_HEAD(1) "\r\n1" OK_HEAD(1) "\r\n2" OK_HEAD(1) "\r\n3");
    far_close(&f);
    close_site(s);
}

static void what_was_asked_can_be_read(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    expect(s, "GET /query?a=1&word=x%20y%2Bz+%41&b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
           OK_HEAD(7) "Connection: close\r\n\r\nx y+z A");
    static const char *const absent[] = {
        "",          "?",           "?word",
        "?wor=1",    "?words=1",    "?word=%4",
        "?word=%zz", "?word=a%00b", "?word=0123456789abcdef"}; // the last one does not fit
    for (unsigned i = 0; i < sizeof absent / sizeof *absent; i++) {
        char line[128];
        snprintf(line, sizeof line, "GET /query%s HTTP/1.1\r\nHost: x\r\n\r\n", absent[i]);
        struct far_end f = ask(s, line);
        assert_true(far_has(&f, "absent"));
        far_close(&f);
    }
    expect(s, "GET /header HTTP/1.1\r\nHost: x\r\nX-ONE:  value \r\nx-one: other\r\nConnection: close\r\n\r\n",
           OK_HEAD(5) "Connection: close\r\n\r\nvalue");
    close_site(s);
}

// RFC 9112, 3.2.2: the host of the target counts, so whoever checks Host sees that one.
static void absolute_targets_are_understood(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    expect(s, "GET http://a:1/host HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n",
           OK_HEAD(3) "Connection: close\r\n\r\na:1");
    expect(s, "GET https://a HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n",
           OK_HEAD(1) "Connection: close\r\n\r\na");
    expect(s, "GET http://a/query?word=w HTTP/1.0\r\n\r\n", OK_HEAD(1) "Connection: close\r\n\r\nw");
    expect(s, "GET http://a?word=w HTTP/1.0\r\n\r\n", OK_HEAD(1) "Connection: close\r\n\r\na");
    assert_string_equal(s->log, "GET /host \nGET / \nGET /query \nGET / \n");
    close_site(s);
}

static void the_server_itself_has_options(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = ask(s, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(far_has(&f, "HTTP/1.1 204 No Content\r\nAllow: GET, HEAD, "));
    assert_int_equal(far_count(&f, "HTTP/1.1 204"), 2);
    assert_int_equal(s->requests, 1); // its handler need not know of it
    far_close(&f);
    close_site(s);
}

static void continue_is_said_when_expected(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    UNTIL(&s->loop, far_has(&f, "HTTP/1.1 100 Continue\r\n\r\n"));
    assert_int_equal(s->requests, 0);
    far_say(&f, &s->loop, "ok");
    UNTIL(&s->loop, far_has(&f, "\r\n\r\nok"));
    far_close(&f);
    f = ask(s, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n");
    assert_false(far_has(&f, "100 Continue")); // nobody is invited to send what is not taken
    assert_true(far_has(&f, "HTTP/1.1 413 "));
    far_close(&f);
    close_site(s);
}

// --- answers

static void answers_without_a_body_have_none(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    expect(s,
           "HEAD /big HTTP/1.1\r\nHost: x\r\n\r\nGET /same HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: "
           "x\r\n\r\nPOST /echo HTTP/1.1\r\nHost: x\r\n"
           "Connection: close\r\n\r\n",
           OK_HEAD(4194304) "\r\nHTTP/1.1 304 Not Modified\r\nContent-Type: text/plain\r\n\r\n"
                            "HTTP/1.1 204 No Content\r\nX-Extra: yes\r\n\r\n"
                            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    assert_string_equal(s->log, "HEAD /big \nGET /same \nGET /none \nPOST /echo \n");
    close_site(s);
}

static void connections_end_when_the_client_wants_it(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, "GET /none HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    UNTIL(&s->loop, far_has(&f, "Connection: keep-alive\r\n"));
    far_forget(&f);
    far_say(&f, &s->loop, "GET /none HTTP/1.0\r\n\r\nGET /none HTTP/1.0\r\n\r\n");
    UNTIL(&s->loop, far_ended(&f));
    assert_int_equal(far_count(&f, "HTTP/1.1 204"), 1);
    assert_true(far_has(&f, "Connection: close\r\n"));
    assert_int_equal(s->requests, 2); // what comes behind the last one is not heard
    far_close(&f);
    close_site(s);
}

// The last answer of a connection arrives whole, however long its reader takes to begin.
static void a_big_answer_arrives_before_the_end(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, "GET /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    shutdown(f.fd, SHUT_WR);
    int64_t later = loop_now_us() + 200000;
    UNTIL(&s->loop, loop_now_us() > later);
    UNTIL(&s->loop, far_ended(&f));
    assert_int_equal(f.error, 0);
    assert_true(f.size > BIG);
    assert_int_equal(far_count_byte(&f, 'b'), BIG);
    far_close(&f);
    close_site(s);
}

static void refuse(const char *text, const char *status)
{
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, text);
    UNTIL(&s->loop, far_ended(&f));
    assert_int_equal(f.error, 0);
    f.bytes[f.size] = 0;
    if (strncmp(f.bytes, status, strlen(status)) != 0 || !strstr(f.bytes, "Connection: close\r\n"))
        fail_msg("%.60s... was answered: %s", text, f.bytes);
    assert_int_equal(far_count(&f, "HTTP/1.1 "), 1);
    far_close(&f);
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
    assert_int_equal(s->gone, 0);
    assert_int_equal(s->requests, 0);
    close_site(s);
}

static void what_is_not_taken_is_told_and_ends(void **unused)
{
    (void)unused;
    static char head[1 << 17];
    refuse("nonsense\r\n\r\n", "HTTP/1.1 400 ");
    refuse("GET /echo HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", "HTTP/1.1 400 ");
    refuse("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "HTTP/1.1 400 ");
    refuse("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", "HTTP/1.1 400 ");
    refuse("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
           "HTTP/1.1 400 ");
    refuse("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "HTTP/1.1 400 ");
    refuse("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", "HTTP/1.1 413 ");
    refuse("BREW / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 501 ");
    refuse("GET / HTTP/2.0\r\nHost: x\r\n\r\n", "HTTP/1.1 505 ");
    refuse("\x16\x03\x01", "HTTP/1.1 400 "); // a TLS handshake, at once
    refuse("CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 405 ");
    snprintf(head, sizeof head, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n%01001d",
             1);
    refuse(head, "HTTP/1.1 413 ");
    snprintf(head, sizeof head, "GET /%0500d HTTP/1.1\r\nHost: x\r\n\r\n", 1);
    refuse(head, "HTTP/1.1 431 ");
    snprintf(head, sizeof head, "GET / HTTP/1.1\r\nHost: x\r\nX: %0500d\r\n\r\n", 1);
    refuse(head, "HTTP/1.1 431 ");
    struct text t = text_on(head, sizeof head - 1);
    text_puts(&t, "GET / HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 65; i++)
        text_puts(&t, "a:b\r\n");
    head[t.size] = 0;
    refuse(head, "HTTP/1.1 431 ");
    t.size = 0;
    text_puts(&t, "GET / HTTP/1.1\r\nHost: x\r\nX:"); // spaces that never become a value
    memset(text_reserve(&t, 100000), ' ', 100000);
    head[t.size] = 0;
    refuse(head, "HTTP/1.1 431 ");
}

static void what_is_too_long_in_coming_is_told(void **unused)
{
    (void)unused;
    struct site *s = open_site(1);
    struct far_end silent = call(s), slow = call(s), served = call(s);
    far_say(&served, &s->loop, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    far_say(&slow, &s->loop, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx");
    UNTIL(&s->loop, far_ended(&silent) && far_ended(&slow));
    assert_int_equal(silent.size, 0);
    assert_true(far_has(&slow, "HTTP/1.1 408 Request Timeout\r\n"));
    assert_non_null(s->open); // it is us who take so long
    assert_int_equal(s->gone, 0);
    http_reply(s->open, 200, "text/plain", SPAN("at last"));
    UNTIL(&s->loop, far_has(&served, "at last"));
    far_close(&silent), far_close(&slow), far_close(&served);
    close_site(s);
}

// --- streams

static void streams_are_chunks_and_the_connection_goes_on(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop,
            "GET /later HTTP/1.1\r\nHost: x\r\n\r\nPOST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx");
    UNTIL(&s->loop, s->open);
    http_stream_begin(s->open, 200, "text/event-stream");
    assert_true(http_stream_write(s->open, SPAN("data: 1\n\n")));
    assert_true(http_stream_write(s->open, SPAN(""))); // no end
    UNTIL(&s->loop, far_has(&f, "data: 1"));
    assert_true(http_stream_write(s->open, SPAN("0123456789abcdef")));
    assert_int_equal(s->requests, 1);
    http_stream_end(s->open);
    UNTIL(&s->loop, far_has(&f, "\r\n\r\nx"));
    assert_true(far_has(&f, "Transfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"
                            "HTTP/1.1 200 OK\r\n"));
    far_close(&f);
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
    assert_int_equal(s->gone, 0);
    close_site(s);
}

static void a_stream_to_http_1_0_ends_with_its_connection(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, "GET /later HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    UNTIL(&s->loop, s->open);
    http_stream_begin(s->open, 200, "text/plain");
    http_stream_write(s->open, SPAN("plain"));
    http_stream_end(s->open);
    UNTIL(&s->loop, far_ended(&f));
    f.bytes[f.size] = 0;
    assert_string_equal(f.bytes, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
                                 "Connection: close\r\n\r\nplain");
    assert_int_equal(s->gone, 0); // it was ended, not left
    far_close(&f);
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
    assert_int_equal(s->gone, 0);
    close_site(s);
}

static void the_head_of_a_stream_is_all_that_head_gets(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, "HEAD /later HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    UNTIL(&s->loop, s->open);
    http_stream_begin(s->open, 200, "text/plain");
    http_stream_write(s->open, SPAN("unseen"));
    http_stream_end(s->open);
    UNTIL(&s->loop, far_has(&f, "chunked\r\n\r\nHTTP/1.1 204"));
    far_close(&f);
    close_site(s);
}

static void a_slow_reader_of_a_stream_is_told_of(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    size_t wrote = 0;
    far_say(&f, &s->loop, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    UNTIL(&s->loop, s->open);
    http_stream_begin(s->open, 200, "text/plain");
    for (; http_stream_write(s->open, (struct span){big, 4096}); far_turn(&s->loop)) {
        wrote += 4096;
        assert_true(wrote < (size_t)64 << 20);
    }
    assert_int_equal(s->gone, 0); // refused, not cut
    http_stream_end(s->open);
    UNTIL(&s->loop, far_has(&f, "\r\n0\r\n\r\n"));
    assert_int_equal(far_count_byte(&f, 'b'), wrote);
    far_close(&f);
    close_site(s);
}

// --- whoever leaves

static void whoever_leaves_unanswered_is_told_of_once(void **unused)
{
    (void)unused;
    for (int how = 0; how < 6; how++) {
        struct site *s = open_site(60000);
        struct far_end f = call(s);
        far_say(&f, &s->loop,
                how & 1 ? "GET /later HTTP/1.0\r\n\r\n" : "GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /lat");
        UNTIL(&s->loop, s->open);
        if (how >= 2)
            http_stream_begin(s->open, 200, "text/plain");
        if (how >= 4)
            far_reset(&f);
        else
            far_close(&f);
        UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
        assert_int_equal(s->gone, 1);
        assert_null(s->open);
        close_site(s);
    }
}

static void whoever_leaves_before_asking_is_nobodys_business(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end a = call(s), b = call(s), c = call(s);
    far_say(&b, &s->loop, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    far_say(&c, &s->loop, "GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    UNTIL(&s->loop, far_has(&c, "204"));
    far_close(&a), far_close(&b), far_close(&c);
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
    assert_int_equal(s->gone, 0);
    close_site(s);
}

static void closing_tells_of_whoever_waits(void **unused)
{
    (void)unused;
    struct site *s = open_site(60000);
    struct far_end f = call(s);
    far_say(&f, &s->loop, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    UNTIL(&s->loop, s->open);
    http_close(s->http);
    assert_int_equal(s->gone, 1);
    UNTIL(&s->loop, far_ended(&f));
    far_close(&f);
    loop_release(&s->loop);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_whole_wherever_they_are_split),
        cmocka_unit_test(pipelined_requests_are_answered_one_after_the_other),
        cmocka_unit_test(what_was_asked_can_be_read),
        cmocka_unit_test(absolute_targets_are_understood),
        cmocka_unit_test(the_server_itself_has_options),
        cmocka_unit_test(continue_is_said_when_expected),
        cmocka_unit_test(answers_without_a_body_have_none),
        cmocka_unit_test(connections_end_when_the_client_wants_it),
        cmocka_unit_test(a_big_answer_arrives_before_the_end),
        cmocka_unit_test(what_is_not_taken_is_told_and_ends),
        cmocka_unit_test(what_is_too_long_in_coming_is_told),
        cmocka_unit_test(streams_are_chunks_and_the_connection_goes_on),
        cmocka_unit_test(a_stream_to_http_1_0_ends_with_its_connection),
        cmocka_unit_test(the_head_of_a_stream_is_all_that_head_gets),
        cmocka_unit_test(a_slow_reader_of_a_stream_is_told_of),
        cmocka_unit_test(whoever_leaves_unanswered_is_told_of_once),
        cmocka_unit_test(whoever_leaves_before_asking_is_nobodys_business),
        cmocka_unit_test(closing_tells_of_whoever_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
