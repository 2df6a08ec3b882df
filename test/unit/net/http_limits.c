// What a request may take of an HTTP server, by its head, its speed, and what others have taken.
#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "far_end.h"

enum { ROUTE_BODY = 1000, MESSAGE = 40000, ANSWER = 4 << 20 };

struct site {
    struct loop loop;
    struct admission *admission;
    struct http *http;
    struct http_request *open;
    int requests;
};

static void on_head(void *owner, const struct http_request *r, struct http_terms *t)
{
    (void)owner;
    t->max_body = span_is(http_path(r), "/large") ? MESSAGE : strcmp(http_method(r), "POST") == 0 ? ROUTE_BODY : 0;
    t->is_operator = span_is(http_header(r, "Token"), "good");
}

static void on_request(void *owner, struct http_request *r)
{
    struct site *s = owner;
    s->requests++;
    static char big[ANSWER];
    if (span_is(http_path(r), "/big"))
        http_reply(r, 200, "text/plain", (struct span){big, sizeof big});
    else if (span_is(http_path(r), "/later"))
        s->open = r;
    else
        http_reply(r, 200, "text/plain", SPAN("yes"));
}

static void on_gone(void *owner, struct http_request *r)
{
    (void)r;
    ((struct site *)owner)->open = NULL;
}

static struct site *open_site(struct admission_options limits, int timeout_ms)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone, .on_head = on_head};
    struct site *s = calloc(1, sizeof *s);
    struct http_options o;
    struct admission_options a;
    admission_defaults(&a);
    limits.max_connections = limits.max_connections ? limits.max_connections : 100;
    limits.max_held = limits.max_held ? limits.max_held : a.max_held;
    limits.max_unsent = limits.max_unsent ? limits.max_unsent : a.max_unsent;
    http_defaults(&o);
    o.conn.port = 0;
    o.conn.admission = s->admission = admission_open(&limits);
    o.conn.for_operator = true;
    o.timeout_ms = timeout_ms;
    o.idle_ms = 60000;
    loop_init(&s->loop);
    s->http = http_listen(&s->loop, &o, &handler, s);
    assert_non_null(s->http);
    return s;
}

static void close_site(struct site *s)
{
    struct admission_figures f;
    http_close(s->http);
    admission_figures(s->admission, &f);
    assert_int_equal(f.connections + (int)f.held + (int)f.unsent + f.clients, 0); // all was given back
    admission_close(s->admission);
    loop_release(&s->loop);
    free(s);
}

static uint64_t count(const struct site *s, enum admission_event e)
{
    struct admission_figures f;
    admission_figures(s->admission, &f);
    return f.events[e];
}

static size_t held(const struct site *s)
{
    struct admission_figures f;
    admission_figures(s->admission, &f);
    return f.held;
}

static struct far_end why(struct site *s, const char *text)
{
    struct far_end f = far_open(conn_port(http_port(s->http)));
    far_say(&f, &s->loop, text);
    return f;
}

static bool begins(struct far_end *f, const char *head)
{
    return far_look(f) >= strlen(head) && memcmp(f->bytes, head, strlen(head)) == 0;
}

static void expect(struct site *s, const char *text, const char *status)
{
    struct far_end f = why(s, text);
    UNTIL(&s->loop, begins(&f, status));
    far_close(&f);
}

#define HEAD(method, path, more) method " " path " HTTP/1.1\r\nHost: x\r\n" more "\r\n"
#define OK                       "HTTP/1.1 200 "

// --- bodies

static void a_route_says_how_large_a_body_is(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){0}, 60000);
    expect(s, HEAD("POST", "/", "Content-Length: 1001\r\n"), "HTTP/1.1 413 ");
    expect(s, HEAD("POST", "/large", "Content-Length: 40001\r\n"), "HTTP/1.1 413 ");
    expect(s, HEAD("GET", "/", "Content-Length: 1\r\n"), "HTTP/1.1 413 ");
    expect(s, HEAD("GET", "/", "Transfer-Encoding: chunked\r\n") "1\r\nx\r\n", "HTTP/1.1 413 ");
    assert_int_equal(s->requests, 0);
    assert_int_equal(count(s, ADMISSION_LARGE), 4);
    expect(s, HEAD("GET", "/", "Content-Length: 0\r\n"), OK);
    expect(s, HEAD("POST", "/", "Content-Length: 3\r\n") "abc", OK);
    expect(s, HEAD("POST", "/", "Expect: 100-continue\r\nContent-Length: 1001\r\n"), "HTTP/1.1 413 ");
    expect(s, HEAD("POST", "/", "Expect: 100-continue\r\nContent-Length: 1000\r\n"), "HTTP/1.1 100 ");
    close_site(s);
}

// --- memory

static void unfinished_requests_share_a_ceiling(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){.max_held = 128 << 10}, 60000); // 96 KiB for large ones
    static char body[MESSAGE];
    struct far_end f = why(s, HEAD("POST", "/large", "Content-Length: 40000\r\n"));
    memset(body, 'x', sizeof body);
    far_say_bytes(&f, &s->loop, (struct span){body, sizeof body - 1});
    UNTIL(&s->loop, held(s) >= MESSAGE);
    struct far_end g = why(s, HEAD("POST", "/large", "Content-Length: 40000\r\n"));
    UNTIL(&s->loop, begins(&g, "HTTP/1.1 503 "));
    UNTIL(&s->loop, far_ended(&g));
    g.bytes[g.size] = 0;
    assert_non_null(strstr(g.bytes, "\r\nRetry-After: "));
    assert_int_equal(count(s, ADMISSION_MEMORY), 1);
    expect(s, HEAD("POST", "/", "Content-Length: 3\r\n") "abc", OK); // small ones go on
    expect(s, HEAD("POST", "/large", "Token: good\r\nContent-Length: 3\r\n") "abc", OK);
    far_say(&f, &s->loop, "x");
    UNTIL(&s->loop, begins(&f, OK));
    assert_int_equal(held(s), 0);
    far_close(&f);
    far_close(&g);
    close_site(s);
}

static void a_body_that_was_read_is_dropped_while_it_is_answered(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){0}, 60000);
    struct far_end f = why(s, HEAD("POST", "/later", "Content-Length: 3\r\n") "abc");
    UNTIL(&s->loop, s->open);
    size_t before = held(s);
    http_drop_body(s->open);
    assert_true(held(s) <= before);
    assert_int_equal(http_body(s->open).size, 0);
    assert_true(span_is(http_path(s->open), "/later"));
    http_reply(s->open, 200, "text/plain", SPAN("yes"));
    UNTIL(&s->loop, begins(&f, OK));
    far_close(&f);
    close_site(s);
}

static void whoever_reads_nothing_is_cut_off(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){.max_unsent = 5 * ANSWER}, 60000);
    struct far_end f[3];
    for (int i = 0; i < 3; i++) {
        f[i] = why(s, HEAD("GET", "/big", ""));
        UNTIL(&s->loop, s->requests == i + 1);
    }
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 2); // each holds a buffer of 8 MiB
    assert_int_equal(count(s, ADMISSION_UNREAD), 1);
    UNTIL(&s->loop, far_look(&f[2]) > ANSWER);
    UNTIL(&s->loop, far_look(&f[1]) > ANSWER);
    UNTIL(&s->loop, far_ended(&f[0])); // the one that was stuck first
    assert_true(f[0].size < ANSWER);
    for (int i = 0; i < 3; i++)
        far_close(&f[i]);
    close_site(s);
}

// --- time

static void what_comes_slowly_is_ended(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){0}, 50);
    expect(s, "GET / HT", "HTTP/1.1 408 ");
    expect(s, HEAD("POST", "/", "Content-Length: 10\r\n") "abc", "HTTP/1.1 408 ");
    assert_int_equal(count(s, ADMISSION_SLOW), 2);
    struct far_end f = far_open(conn_port(http_port(s->http))); // says nothing
    UNTIL(&s->loop, far_ended(&f));
    assert_int_equal(f.size, 0);
    far_close(&f);
    close_site(s);
}

// --- places

static void idle_connections_make_room_then_unfinished_ones(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){.max_connections = 4, .reserve = 1}, 60000);
    struct far_end head = why(s, "GET / HT"), idle = why(s, HEAD("GET", "/", "")),
                   busy = why(s, HEAD("GET", "/later", ""));
    UNTIL(&s->loop, begins(&idle, OK) && s->open);
    struct far_end one = why(s, HEAD("GET", "/", ""));
    UNTIL(&s->loop, begins(&one, OK) && far_ended(&idle)); // though the head came before it
    struct far_end two = why(s, HEAD("GET", "/later", ""));
    UNTIL(&s->loop, s->requests == 4 && far_ended(&one));
    struct far_end three = why(s, HEAD("GET", "/later", ""));
    UNTIL(&s->loop, s->requests == 5 && far_ended(&head));
    struct far_end four = why(s, HEAD("GET", "/", "")); // three are being answered: only the operator's place is left
    UNTIL(&s->loop, begins(&four, "HTTP/1.1 503 "));
    assert_int_equal(count(s, ADMISSION_FULL), 1);
    assert_false(far_ended(&busy) || far_ended(&two) || far_ended(&three));
    struct far_end *const all[] = {&head, &idle, &busy, &one, &two, &three, &four};
    for (int i = 0; i < 7; i++)
        far_close(all[i]);
    close_site(s);
}

static void the_reserve_is_for_the_operator(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){.max_connections = 4, .reserve = 2}, 60000);
    struct far_end busy[2];
    for (int i = 0; i < 2; i++)
        busy[i] = why(s, HEAD("GET", "/later", ""));
    UNTIL(&s->loop, s->requests == 2);
    struct far_end silent[3];
    for (int i = 0; i < 3; i++)
        silent[i] = why(s, "GET / HT");
    UNTIL(&s->loop, far_ended(&silent[0])); // they make room for each other
    expect(s, HEAD("GET", "/", "Token: bad\r\n"), "HTTP/1.1 503 ");
    expect(s, HEAD("GET", "/", "Token: good\r\n"), OK);
    UNTIL(&s->loop, far_ended(&silent[2])); // no token within two seconds, or for the others' sake
    for (int i = 0; i < 3; i++)
        far_close(&silent[i]);
    for (int i = 0; i < 2; i++)
        far_close(&busy[i]);
    close_site(s);
}

static void a_client_has_so_many_connections(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){.per_client = 2}, 60000);
    struct far_end f[2];
    for (int i = 0; i < 2; i++)
        f[i] = why(s, HEAD("GET", "/later", "X-Forwarded-For: 192.0.2.1\r\n"));
    UNTIL(&s->loop, s->requests == 2);
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 192.0.2.1\r\n"), "HTTP/1.1 429 ");
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 192.0.2.1, 192.0.2.2\r\n"), OK);
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 192.0.2.3\r\nx-forwarded-for: 192.0.2.1\r\n"),
           "HTTP/1.1 429 "); // forged
    expect(s, HEAD("GET", "/", "X-Forwarded-For: \r\nX-Forwarded-For: 192.0.2.1\r\n"), "HTTP/1.1 429 ");
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.3\r\n"), OK);
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 192.0.2.1:4711\r\n"), "HTTP/1.1 429 "); // with its port
    expect(s, HEAD("GET", "/", "X-Forwarded-For: [192.0.2.1]:4712\r\n"), "HTTP/1.1 429 ");
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 2001:db8::1\r\n"), OK);
    expect(s, HEAD("GET", "/", "X-Forwarded-For: [\r\n"), OK);
    expect(s, HEAD("GET", "/", ""), OK); // this machine
    http_reply(s->open, 200, "text/plain", SPAN("yes"));
    UNTIL(&s->loop, begins(&f[1], OK));
    expect(s, HEAD("GET", "/", "X-Forwarded-For: 192.0.2.1\r\n"), OK); // a kept connection is the proxy's again
    for (int i = 0; i < 2; i++)
        far_close(&f[i]);
    close_site(s);
}

static void loopback_is_limited_when_asked_for(void **unused)
{
    (void)unused;
    struct site *s = open_site((struct admission_options){.per_client = 2, .limit_loopback = true}, 60000);
    struct far_end f[2];
    for (int i = 0; i < 2; i++) {
        f[i] = why(s, HEAD("GET", "/", ""));
        UNTIL(&s->loop, begins(&f[i], OK));
    }
    expect(s, "", "HTTP/1.1 429 ");
    assert_int_equal(count(s, ADMISSION_CROWDED), 1);
    for (int i = 0; i < 2; i++)
        far_close(&f[i]);
    UNTIL(&s->loop, conn_count(http_port(s->http)) == 0);
    expect(s, HEAD("GET", "/", ""), OK);
    close_site(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_route_says_how_large_a_body_is),
        cmocka_unit_test(unfinished_requests_share_a_ceiling),
        cmocka_unit_test(a_body_that_was_read_is_dropped_while_it_is_answered),
        cmocka_unit_test(whoever_reads_nothing_is_cut_off),
        cmocka_unit_test(what_comes_slowly_is_ended),
        cmocka_unit_test(idle_connections_make_room_then_unfinished_ones),
        cmocka_unit_test(the_reserve_is_for_the_operator),
        cmocka_unit_test(a_client_has_so_many_connections),
        cmocka_unit_test(loopback_is_limited_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
