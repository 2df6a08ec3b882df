#include "net/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "far_end.h"

#include <stdio.h>

enum { MAX = 10 };

struct hearer {
    struct loop loop;
    struct conn_server *server;
    struct lines lines;
    char said[1 << 12]; // lines, each followed by a bar
    int count, faults, last_fault, stop_at, closed;
};

static void on_line(void *client, struct span line)
{
    struct hearer *h = client;
    strncat(h->said, line.at, line.size);
    strncat(h->said, "|", 2);
    if (++h->count == h->stop_at)
        conn_hang_up(h->lines.conn);
}

static void on_fault(void *client, enum lines_fault fault)
{
    struct hearer *h = client;
    h->faults++;
    h->last_fault = (int)fault;
    conn_reply(h->lines.conn, SPAN("fault"));
}

static void *on_open(void *owner, struct conn *c)
{
    struct hearer *h = owner;
    h->lines = (struct lines){c, MAX, h, on_line, on_fault, false};
    return h;
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    return lines_cut(&((struct hearer *)client)->lines, bytes, seen);
}

static void on_close(void *client)
{
    ((struct hearer *)client)->closed++;
}

static struct hearer *hear(struct far_end *f)
{
    static const struct conn_handler handler = {.on_open = on_open, .on_bytes = on_bytes, .on_close = on_close};
    static const struct conn_options o = {
        .host = "127.0.0.1", .max_waiting_bytes = 65536, .max_connections = 4, .linger_ms = 60000};
    struct hearer *h = calloc(1, sizeof *h);
    loop_init(&h->loop);
    h->server = conn_listen(&h->loop, &o, &handler, h);
    *f = far_open(conn_port(h->server));
    UNTIL(&h->loop, h->lines.conn);
    return h;
}

static void end(struct hearer *h, struct far_end *f)
{
    far_close(f);
    UNTIL(&h->loop, h->closed == 1);
    conn_close(h->server);
    loop_release(&h->loop);
    free(h);
}

static void lines_come_whole_wherever_they_are_split(void **unused)
{
    (void)unused;
    static const char text[] = "a\nbb\r\n\n \t\r\n\r\nccc\n\xc3\xa9\xe2\x82\xac\nx\ry\nlast\n";
    static const char want[] = "a|bb|ccc|\xc3\xa9\xe2\x82\xac|x\ry|last|";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct far_end f;
        struct hearer *h = hear(&f);
        far_say_bytes(&f, &h->loop, (struct span){text, cut});
        far_turns(&h->loop, 2);
        far_say_bytes(&f, &h->loop, (struct span){text + cut, sizeof text - 1 - cut});
        UNTIL(&h->loop, h->count == 6);
        assert_string_equal(h->said, want);
        assert_int_equal(h->faults, 0);
        end(h, &f);
    }
}

static void byte_by_byte_is_no_difference(void **unused)
{
    (void)unused;
    static const char text[] = "one\r\n\ntwo\nthree\n";
    struct far_end f;
    struct hearer *h = hear(&f);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        far_say_bytes(&f, &h->loop, (struct span){text + i, 1});
        far_turn(&h->loop);
    }
    UNTIL(&h->loop, h->count == 3);
    assert_string_equal(h->said, "one|two|three|");
    end(h, &f);
}

// What a fault looks like from outside: the handler may say a last word, then the connection ends.
static void expect_fault(const char *text, size_t size, int fault, const char *before)
{
    struct far_end f;
    struct hearer *h = hear(&f);
    far_say_bytes(&f, &h->loop, (struct span){text, size});
    UNTIL(&h->loop, far_ended(&f));
    assert_int_equal(f.error, 0);
    assert_int_equal(h->faults, 1);
    assert_int_equal(h->last_fault, fault);
    assert_string_equal(h->said, before);
    assert_int_equal(f.size, 5);
    end(h, &f);
}

static void a_line_has_a_longest_size(void **unused)
{
    (void)unused;
    struct far_end f;
    struct hearer *h = hear(&f);
    far_say(&f, &h->loop, "0123456789\n012345678\r\n"); // ten bytes each, without LF
    UNTIL(&h->loop, h->count == 2);
    end(h, &f);
    expect_fault("ok\n0123456789a\nnever\n", 21, LINES_TOO_LONG, "ok|");
    expect_fault("ok\n0123456789\r\nnever\n", 21, LINES_TOO_LONG, "ok|");
    expect_fault("ok\n0123456789a", 14, LINES_TOO_LONG, "ok|"); // its end need not come
}

static void a_line_is_valid_utf8(void **unused)
{
    (void)unused;
    expect_fault("a\n\xff\nb\n", 6, LINES_NOT_UTF8, "a|");
    expect_fault("\xc3\n", 2, LINES_NOT_UTF8, "");
    expect_fault("\xed\xa0\x80\n", 4, LINES_NOT_UTF8, "");
}

static void nobody_hears_lines_after_hanging_up(void **unused)
{
    (void)unused;
    struct far_end f;
    struct hearer *h = hear(&f);
    h->stop_at = 2;
    far_say(&f, &h->loop, "1\n2\n3\n4\n");
    UNTIL(&h->loop, far_ended(&f));
    assert_string_equal(h->said, "1|2|");
    end(h, &f);
}

static void a_last_line_without_its_end_is_dropped(void **unused)
{
    (void)unused;
    struct far_end f;
    struct hearer *h = hear(&f);
    far_say(&f, &h->loop, "whole\nhalf");
    shutdown(f.fd, SHUT_WR);
    UNTIL(&h->loop, far_ended(&f));
    assert_string_equal(h->said, "whole|");
    assert_int_equal(h->faults, 0);
    end(h, &f);
}

// T3.16: a page of another origin can post lines to this port: nothing of such a request is executed, however it is
// split.
static void a_request_of_a_browser_ends_the_connection(void **unused)
{
    (void)unused;
    static const char *const openings[] = {
        "GET / HTTP/1.1\r\n",    "HEAD / HTTP/1.1\r\n",   "POST / HTTP/1.1\r\n",          "PUT / HTTP/1.1\r\n",
        "DELETE / HTTP/1.1\r\n", "PATCH / HTTP/1.1\r\n",  "OPTIONS * HTTP/1.1\r\n",       "CONNECT a:1 HTTP/1.1\r\n",
        "TRACE / HTTP/1.1\r\n",  "x-own! / HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n", "GET /\r\n",
        "\x16\x03\x01\x02",
    };
    for (unsigned i = 0; i < sizeof openings / sizeof *openings; i++) {
        for (size_t cut = 0; cut <= 8 && cut < strlen(openings[i]); cut++) {
            struct far_end f;
            struct hearer *h = hear(&f);
            char text[128];
            snprintf(text, sizeof text, "%s\r\n{}\n{}\n", openings[i]);
            far_say_bytes(&f, &h->loop, (struct span){text, cut});
            far_turns(&h->loop, 2);
            far_say(&f, &h->loop, text + cut);
            UNTIL(&h->loop, far_ended(&f));
            assert_int_equal(f.error, 0);
            assert_int_equal(h->count + h->faults, 0);
            assert_int_equal(f.size, 0);
            end(h, &f);
        }
    }
}

// At once: the line need not be whole.
static void a_method_and_a_space_are_enough(void **unused)
{
    (void)unused;
    struct far_end f;
    struct hearer *h = hear(&f);
    far_say(&f, &h->loop, "POST ");
    UNTIL(&h->loop, far_ended(&f));
    assert_int_equal(h->count + h->faults, 0);
    end(h, &f);
}

// Broken lines that are no request have their answer (T3.58), and only the first bytes of a connection are judged so.
static void other_lines_are_delivered(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"{} x\n",    "[1]\n",     "GET\n",      " GET /\n",
                                        "\nGET /\n", "\"a\" b\n", "{}\nGET /\n"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct far_end f;
        struct hearer *h = hear(&f);
        far_say(&f, &h->loop, texts[i]);
        UNTIL(&h->loop, h->count == 1 + (i == 6));
        assert_int_equal(h->faults, 0);
        end(h, &f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_whole_wherever_they_are_split),
        cmocka_unit_test(byte_by_byte_is_no_difference),
        cmocka_unit_test(a_line_has_a_longest_size),
        cmocka_unit_test(a_line_is_valid_utf8),
        cmocka_unit_test(nobody_hears_lines_after_hanging_up),
        cmocka_unit_test(a_last_line_without_its_end_is_dropped),
        cmocka_unit_test(a_request_of_a_browser_ends_the_connection),
        cmocka_unit_test(a_method_and_a_space_are_enough),
        cmocka_unit_test(other_lines_are_delivered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
