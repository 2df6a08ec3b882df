// The strict reader of HTTP messages: a table of requests that two servers might read differently, split everywhere;
// what is read of valid ones; and responses.
#include "net/http_read.h"

#include "heap/heap.h"
#include "http_cases.h"
#include "http_run.h"
#include "net/http_grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MAX_HEAD = 16384, BODY_ROOM = 4096 };

// In pieces of `step` bytes, the first one of `first`.
static struct http_result run_split(const struct http_case *c, size_t first, size_t step)
{
    struct http_run r;
    http_run_begin(&r, HTTP_REQUESTS, MAX_HEAD, 0);
    for (size_t at = 0, size = first; at < c->size; at += size, size = step) {
        if (size > c->size - at)
            size = c->size - at;
        http_run_bytes(&r, (struct span){c->bytes + at, size});
    }
    return http_run_end(&r);
}

static void check(const struct http_case *c, size_t first, size_t step, struct http_result want)
{
    struct http_result got = run_split(c, first, step);
    if (!http_results_equal(got, want))
        fail_msg("%s, split after %zu and every %zu bytes: %d requests, status %d, digest %lx; want %d, %d, %lx",
                 c->name, first, step, got.messages, got.status, (unsigned long)got.digest, want.messages, want.status,
                 (unsigned long)want.digest);
}

static void requests_are_read_strictly_wherever_they_are_split(void **unused)
{
    (void)unused;
    static struct http_case cases[HTTP_CASES_MAX];
    int count = http_cases_read(TEST_DIR "/support/http_cases.tsv", cases);
    assert_true(count >= 200);
    for (int i = 0; i < count; i++) {
        const struct http_case *c = &cases[i];
        struct http_result whole = run_split(c, c->size, 1);
        if (whole.messages != c->requests || whole.status != c->status || (c->more && !whole.inside))
            fail_msg("%s: %d requests, status %d; want %d, %d", c->name, whole.messages, whole.status, c->requests,
                     c->status);
        check(c, 1, 1, whole);
        check(c, 2, 3, whole);
        for (size_t cut = 0; cut <= c->size && cut < 700; cut++)
            check(c, cut, c->size, whole);
    }
    http_cases_free(cases, count);
}

// --- limits

static int status_of(struct http_reader *r, struct text *head, struct text *bytes, size_t max_target)
{
    struct span rest = text_span(bytes), data;
    enum http_event e;
    http_reader_init(r, HTTP_REQUESTS, head, MAX_HEAD, max_target);
    while ((e = http_read(r, &rest, &data)) != HTTP_MORE && e != HTTP_BAD && e != HTTP_END)
        continue;
    return e == HTTP_BAD ? r->message.status : e == HTTP_END ? 200 : 0;
}

static void put_target(struct text *t, size_t size)
{
    t->size = 0;
    text_puts(t, "GET /");
    memset(text_reserve(t, size - 1), 'x', size - 1);
    text_puts(t, " HTTP/1.1\r\nHost: x\r\n\r\n");
}

static void lengths_have_limits(void **unused)
{
    (void)unused;
    struct text head = {.grow = heap_text_grow}, t = {.grow = heap_text_grow};
    struct http_reader *r = calloc(1, sizeof *r);
    put_target(&t, 8192);
    assert_int_equal(status_of(r, &head, &t, 8192), 200);
    put_target(&t, 8193);
    assert_int_equal(status_of(r, &head, &t, 8192), 414);
    put_target(&t, 16000);
    assert_int_equal(status_of(r, &head, &t, 8192), 414);
    t.size = 9000; // its end need not come
    assert_int_equal(status_of(r, &head, &t, 8192), 414);
    for (int fields = HTTP_MAX_FIELDS; fields <= HTTP_MAX_FIELDS + 1; fields++) {
        t.size = 0;
        text_puts(&t, "GET / HTTP/1.1\r\nHost: x\r\n");
        for (int i = 1; i < fields; i++)
            text_puts(&t, "a:b\r\n");
        text_puts(&t, "\r\n");
        assert_int_equal(status_of(r, &head, &t, 0), fields > HTTP_MAX_FIELDS ? 431 : 200);
    }
    for (int chunks = 16; chunks <= 17; chunks++) { // extensions may have 4096 bytes in all
        t.size = 0;
        text_puts(&t, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < chunks * 2; i++) {
            text_puts(&t, "1;");
            memset(text_reserve(&t, 127), 'e', 127);
            text_puts(&t, "\r\nx\r\n");
        }
        text_puts(&t, "0\r\n\r\n");
        assert_int_equal(status_of(r, &head, &t, 0), chunks > 16 ? 400 : 200);
    }
    for (int trailers = 819; trailers <= 820; trailers++) { // 20 bytes each, and the empty line: 16384 in all
        t.size = 0;
        text_puts(&t, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
        for (int i = 0; i < trailers; i++)
            text_puts(&t, "a: 8901234567890\x20\t\r\n");
        text_puts(&t, "\r\n");
        assert_int_equal(status_of(r, &head, &t, 0), trailers > 819 ? 431 : 200);
    }
    free(r);
    free(head.at);
    free(t.at);
}

// A text that cannot grow any more: the server is busy, the request is not to blame.
static void no_room_is_503(void **unused)
{
    (void)unused;
    char room[64], bytes[] = "GET / HTTP/1.1\r\nHost: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n\r\n";
    struct text head = text_on(room, sizeof room), t = text_on(bytes, sizeof bytes);
    struct http_reader *r = calloc(1, sizeof *r);
    t.size = sizeof bytes - 1;
    assert_int_equal(status_of(r, &head, &t, 0), 503);
    free(r);
}

// --- what was read

static const struct {
    const char *bytes, *method, *path, *query, *host;
    bool keep_alive;
} heads[] = {
    {"GET /a/b?c=d?e HTTP/1.1\r\nHost: h:1\r\n\r\n", "GET", "/a/b", "?c=d?e", "h:1", true},
    {"PATCH / HTTP/1.1\r\nhost:\th\t\r\n\r\n", "PATCH", "/", "", "h", true},
    {"GET http://a:8/p?q HTTP/1.1\r\nHost: b\r\n\r\n", "GET", "/p", "?q", "a:8", true},
    {"GET hTTpS://[::1] HTTP/1.1\r\nHost: b\r\n\r\n", "GET", "", "", "[::1]", true},
    {"GET http://a?q HTTP/1.0\r\n\r\n", "GET", "", "?q", "a", false},
    {"OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "OPTIONS", "*", "", "h", false},
    {"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", "CONNECT", "h:443", "", "h", true},
    {"GET / HTTP/1.0\r\nConnection: x\r\nConnection: Keep-Alive, y\r\n\r\n", "GET", "/", "", "", true},
    {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", "GET", "/", "", "", false},
    {"GET / HTTP/1.1\r\nHost: h\r\nConnection: closed\r\n\r\n", "GET", "/", "", "h", true},
};

static void heads_are_taken_apart(void **unused)
{
    (void)unused;
    struct text head = {.grow = heap_text_grow};
    struct http_reader *r = calloc(1, sizeof *r);
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct span rest = span_of(heads[i].bytes), data;
        http_reader_init(r, HTTP_REQUESTS, &head, MAX_HEAD, 0);
        if (http_read(r, &rest, &data) != HTTP_HEAD)
            fail_msg("%s", heads[i].bytes);
        const struct http_message *m = &r->message;
        assert_string_equal(m->method, heads[i].method);
        assert_true(span_is(http_reader_slice(r, m->path), heads[i].path));
        assert_true(span_is(http_reader_slice(r, m->query), heads[i].query));
        struct span host = http_reader_field(r, "HOST");
        assert_true(span_equals(host, span_of(heads[i].host)));
        assert_int_equal(host.at == NULL, heads[i].host[0] == 0);
        assert_int_equal(m->keep_alive, heads[i].keep_alive);
        assert_int_equal(http_read(r, &rest, &data), HTTP_END);
        assert_int_equal(rest.size, 0);
    }
    free(r);
    free(head.at);
}

static void sets_are_those_of_the_standards(void **unused)
{
    (void)unused;
    for (int c = 0; c < 256; c++) {
        char byte = (char)c;
        struct span s = {&byte, 1};
        bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        assert_int_equal(http_is_token(s), alnum || (c && strchr("!#$%&'*+-.^_`|~", c)));
        assert_int_equal(http_is_target(s), c > 32 && c < 127 && c != '#');
        assert_int_equal(http_is_host(s), alnum || (c && strchr("-._~", c)));
        assert_int_equal(http_is_value(s), c == '\t' || (c >= 32 && c != 127));
    }
    assert_false(http_is_token(SPAN("")));
    assert_false(http_is_target(SPAN("")));
    assert_true(http_is_value(SPAN("")));
}

static void lists_are_read_without_case_and_with_any_blanks(void **unused)
{
    (void)unused;
    static const struct {
        const char *list, *token;
        bool has;
    } cases[] = {
        {"keep-alive,\tUpgrade", "upgrade", true}, // RFC 9110, 5.6.3: blanks are spaces and tabs
        {"keep-alive\t ,Upgrade", "keep-alive", true},
        {"Match_Feed", "match_feed", true},
        {"match_feed game_state", "game_state", true}, // a forgotten comma
        {", ,\t,a", "a", true},
        {"upgrade-insecure, x-upgrade", "upgrade", false},
        {"upgrad", "upgrade", false},
        {"", "upgrade", false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (http_list_has(span_of(cases[i].list), cases[i].token) != cases[i].has)
            fail_msg("'%s' in '%s'", cases[i].token, cases[i].list);
}

// --- responses

static const struct {
    const char *bytes;
    int status; // 0: refused
    const char *body;
    bool to_the_end, bodiless;
} responses[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokrest", 200, "ok", false, false},
    {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, "", false, false},
    {"HTTP/1.0 200 OK\r\n\r\nall of it", 200, "all of it", true, false},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 201 C\r\nContent-Length: 1\r\n\r\nx", 201,
     "x", false, false},
    {"HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello", 204, "", false, false},
    {"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n", 304, "", false, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, "", false, true},
    {"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n\x81", 101, "", false, false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200, "ok", false, false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n", 0, "", false,
     false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 0, "", false, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", 0, "", false, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", 0, "", false, false},
    {"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", 0, "", false, false},
    {"HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok", 0, "", false, false},
    {"HTTP/1.1 2000 OK\r\n\r\n", 0, "", false, false},
    {"HTTP/1.1 20x OK\r\n\r\n", 0, "", false, false},
    {"HTTP/1.1 099 OK\r\n\r\n", 0, "", false, false},
    {"HTTP/2.0 200 OK\r\n\r\n", 0, "", false, false},
    {"\r\nHTTP/1.1 200 OK\r\n\r\n", 0, "", false, false},
    {"SSH-2.0-OpenSSH_9.2\r\n", 0, "", false, false},
};

static void read_response(unsigned row, size_t step)
{
    char body[BODY_ROOM];
    struct text head = {.grow = heap_text_grow}, got = text_on(body, sizeof body);
    struct http_reader *r = calloc(1, sizeof *r);
    enum http_event e = HTTP_MORE;
    http_reader_init(r, HTTP_RESPONSES, &head, MAX_HEAD, 0);
    r->bodiless = responses[row].bodiless;
    for (struct span all = span_of(responses[row].bytes); all.size && e != HTTP_BAD && e != HTTP_END;) {
        struct span part = {all.at, all.size < step ? all.size : step}, data;
        all.at += part.size;
        all.size -= part.size;
        while ((e = http_read(r, &part, &data)) == HTTP_HEAD || e == HTTP_DATA)
            if (e == HTTP_DATA)
                text_put(&got, data);
    }
    if ((e == HTTP_BAD) != (responses[row].status == 0))
        fail_msg("%s", responses[row].bytes);
    if (e != HTTP_BAD) {
        assert_int_equal(r->message.status, responses[row].status);
        assert_int_equal(e == HTTP_END, !responses[row].to_the_end);
        assert_int_equal(http_reader_ends(r), responses[row].to_the_end);
        assert_true(span_is(text_span(&got), responses[row].body));
    }
    free(r);
    free(head.at);
}

static void responses_are_read_strictly_too(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof responses / sizeof *responses; i++)
        for (size_t step = 1; step < 80; step += 13)
            read_response(i, step);
}

// A server that sends interim responses for ever.
static void interim_responses_have_a_limit(void **unused)
{
    (void)unused;
    struct text head = {.grow = heap_text_grow};
    struct http_reader *r = calloc(1, sizeof *r);
    enum http_event e = HTTP_MORE;
    http_reader_init(r, HTTP_RESPONSES, &head, MAX_HEAD, 0);
    for (int i = 0; i < 20 && e == HTTP_MORE; i++) {
        struct span bytes = SPAN("HTTP/1.1 102 Processing\r\n\r\n"), data;
        e = http_read(r, &bytes, &data);
    }
    assert_int_equal(e, HTTP_BAD);
    free(r);
    free(head.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read_strictly_wherever_they_are_split),
        cmocka_unit_test(lengths_have_limits),
        cmocka_unit_test(no_room_is_503),
        cmocka_unit_test(heads_are_taken_apart),
        cmocka_unit_test(sets_are_those_of_the_standards),
        cmocka_unit_test(lists_are_read_without_case_and_with_any_blanks),
        cmocka_unit_test(responses_are_read_strictly_too),
        cmocka_unit_test(interim_responses_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
