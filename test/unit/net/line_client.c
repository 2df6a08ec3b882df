#include "net/line_client.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

enum { LONG = 10000, MEBIBYTE = 1 << 20 };

// A listening socket and, after meet(), both ends.
struct pair {
    int listener, server;
    struct line_client client;
};

static struct pair meet(void)
{
    struct pair p = {.listener = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(p.listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(p.listener, 1), 0);
    getsockname(p.listener, (struct sockaddr *)&at, &size);
    assert_int_equal(line_client_open(&p.client, "127.0.0.1", ntohs(at.sin_port), LONG), 0);
    p.server = accept(p.listener, NULL, NULL);
    assert_true(p.server >= 0);
    return p;
}

static void part(struct pair *p)
{
    line_client_close(&p->client);
    close(p->server);
    close(p->listener);
}

static void why(struct pair *p, const char *text)
{
    assert_int_equal(write(p->server, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect(struct pair *p, const char *want)
{
    struct span line;
    assert_int_equal(line_client_read(&p->client, &line, LONG), LINE_READ);
    assert_int_equal(line.size, strlen(want));
    assert_memory_equal(line.at, want, line.size);
}

static void lines_come_whole_and_in_order(void **unused)
{
    (void)unused;
    struct pair p = meet();
    struct span line;
    why(&p, "one\ntwo\r\n\nthr");
    expect(&p, "one");
    expect(&p, "two");
    expect(&p, "");
    assert_int_equal(line_client_read(&p.client, &line, 1), LINE_LATE);
    why(&p, "ee\n");
    expect(&p, "three");
    part(&p);
}

static void the_end_comes_after_the_lines_before_it(void **unused)
{
    (void)unused;
    struct pair p = meet();
    struct span line;
    why(&p, "last\nhalf");
    shutdown(p.server, SHUT_RDWR);
    expect(&p, "last");
    assert_int_equal(line_client_read(&p.client, &line, LONG), LINE_CLOSED);
    line_client_close(&p.client);
    assert_int_equal(line_client_read(&p.client, &line, LONG), LINE_CLOSED);
    assert_false(line_client_send(&p.client, SPAN("x")));
    line_client_close(&p.client); // twice is once
    part(&p);
}

// A line of so many bytes: is it read?
static int read_long(size_t size)
{
    struct pair p = meet();
    struct span line = {0};
    pid_t child = fork();
    if (child == 0) {
        char *bytes = malloc(size + 1);
        memset(bytes, 'x', size);
        bytes[size] = '\n';
        for (size_t at = 0; at <= size;) {
            ssize_t n = send(p.server, bytes + at, size + 1 - at, MSG_NOSIGNAL);
            if (n <= 0)
                break;
            at += (size_t)n;
        }
        _exit(0);
    }
    int got = line_client_read(&p.client, &line, LONG);
    if (got == LINE_READ)
        assert_int_equal(line.size, size);
    part(&p);
    return got;
}

static void a_line_may_have_a_mebibyte(void **unused)
{
    (void)unused;
    assert_int_equal(read_long(MEBIBYTE), LINE_READ);
    assert_int_equal(read_long(MEBIBYTE + 1), LINE_CLOSED);
    assert_int_equal(read_long(3 * MEBIBYTE), LINE_CLOSED);
}

static void what_is_said_arrives_and_a_reset_is_one(void **unused)
{
    (void)unused;
    struct pair p = meet();
    char bytes[8];
    assert_true(line_client_send(&p.client, SPAN("hello\n")));
    assert_int_equal(read(p.server, bytes, sizeof bytes), 6);
    assert_memory_equal(bytes, "hello\n", 6);
    line_client_reset(&p.client);
    assert_int_equal(read(p.server, bytes, sizeof bytes), -1);
    part(&p);
}

static void nobody_there_is_told(void **unused)
{
    (void)unused;
    struct pair p = meet();
    struct line_client c;
    struct sockaddr_in at = {0};
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(p.listener, (struct sockaddr *)&at, &size), 0);
    close(p.listener);
    assert_int_not_equal(line_client_open(&c, "127.0.0.1", ntohs(at.sin_port), LONG), 0);
    assert_int_equal(c.fd, -1);
    line_client_close(&c);
    p.listener = -1;
    part(&p);
}

static void addresses_are_split(void **unused)
{
    (void)unused;
    static const struct {
        const char *address, *host;
        int port;
    } good[] = {
        {"host:80", "host", 80}, {":7777", "127.0.0.1", 7777}, {"7777", "127.0.0.1", 7777}, {"a:65535", "a", 65535}};
    static const char *const bad[] = {"",           ":",       "host",    "host:",   "host:0",
                                      "host:65536", "host:-1", "host:1x", "host: 1", "99999999999999999999"};
    char host[256], longest[300];
    uint16_t port;
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(line_client_split(good[i].address, host, &port));
        assert_string_equal(host, good[i].host);
        assert_int_equal(port, good[i].port);
    }
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(line_client_split(bad[i], host, &port));
    memset(longest, 'h', 256);
    memcpy(longest + 256, ":1", 3);
    assert_false(line_client_split(longest, host, &port));
    assert_true(line_client_split(longest + 1, host, &port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_whole_and_in_order), cmocka_unit_test(the_end_comes_after_the_lines_before_it),
        cmocka_unit_test(a_line_may_have_a_mebibyte),    cmocka_unit_test(what_is_said_arrives_and_a_reset_is_one),
        cmocka_unit_test(nobody_there_is_told),          cmocka_unit_test(addresses_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
