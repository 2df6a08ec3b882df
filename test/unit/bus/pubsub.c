// The bus on the loop (S50), with a nats-server of the test's own: messages, a server that goes and comes back, a
// login.
#include "bus/pubsub.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "far_end.h"

static struct loop loop;
static int port;
static pid_t server;
static char server_log[] = "/tmp/agon-bus-XXXXXX";

struct heard {
    size_t count, bytes;
    char last[64], subject[64];
    int away, back;
};

static void on_message(void *owner, const char *subject, struct span bytes)
{
    struct heard *h = owner;
    snprintf(h->subject, sizeof h->subject, "%s", subject);
    h->count++;
    h->bytes += bytes.size;
    snprintf(h->last, sizeof h->last, "%.*s", (int)(bytes.size < 60 ? bytes.size : 60), bytes.at);
}

static void on_away(void *owner)
{
    struct heard *h = owner;
    assert_int_equal(h->away++, h->back);
}

static void on_back(void *owner)
{
    struct heard *h = owner;
    assert_int_equal(++h->back, h->away);
}

static const struct pubsub_handler handler = {.on_message = on_message, .on_away = on_away, .on_back = on_back};

// --- the server

static int find_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static bool answers(void)
{
    struct far_end f = far_open((uint16_t)port);
    bool ok = f.error == 0;
    far_close(&f);
    return ok;
}

static void start_server(const char *token)
{
    char number[16];
    snprintf(number, sizeof number, "%d", port);
    server = fork();
    if (server == 0) {
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", number, "-l", server_log, token ? "--auth" : NULL,
               token, NULL);
        _exit(127);
    }
    UNTIL(&loop, answers());
}

static void stop_server(void)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    server = 0;
}

static int set_up(void **state)
{
    (void)state;
    loop_init(&loop);
    port = find_port();
    assert_int_equal(truncate(server_log, 0), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (server)
        stop_server();
    loop_release(&loop);
    return 0;
}

static struct pubsub *dial(struct heard *h, const char *login, char why[BUS_WHY])
{
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    struct pubsub_options o = {.bus = {.url = url, .name = "test", .login = login}, .loop = &loop};
    return pubsub_open(&o, &handler, h, why);
}

// --- tests

static void messages_come_on_the_loop(void **state)
{
    static char big[256 << 10];
    struct heard a = {0}, b = {0};
    char why[BUS_WHY] = "";
    (void)state;
    start_server(NULL);
    struct pubsub *p = dial(&a, NULL, why), *q = dial(&b, NULL, why);
    if (!p || !q)
        fail_msg("%s", why);
    assert_true(pubsub_subscribe(p, "agon.x.1.n.1") && pubsub_subscribe(q, "agon.x.1.n.2") &&
                pubsub_subscribe(q, "agon.x.1.all"));
    far_turns(&loop, 3); // both subscriptions leave
    UNTIL(&loop, pubsub_send(p, "agon.x.1.n.2", SPAN("hello")) && b.count > 0);
    assert_string_equal(b.last, "hello");
    assert_int_equal(a.count, 0);
    UNTIL(&loop, pubsub_send(q, "agon.x.1.n.1", SPAN("back")) && a.count > 0);
    size_t before = b.bytes;
    memset(big, 'x', sizeof big);
    for (int i = 0; i < 20; i++)
        assert_true(pubsub_send(p, "agon.x.1.all", (struct span){big, sizeof big}));
    UNTIL(&loop, b.bytes >= before + 20 * sizeof big);
    assert_false(pubsub_is_away(p));
    assert_int_equal(a.away + b.away, 0);
    pubsub_close(p);
    pubsub_close(q);
}

// What is sent while it is away is lost or comes late; afterwards subscriptions are there as before.
static void a_bus_that_restarts_is_away_and_back(void **state)
{
    struct heard a = {0}, b = {0};
    char why[BUS_WHY] = "";
    (void)state;
    start_server(NULL);
    struct pubsub *p = dial(&a, NULL, why), *q = dial(&b, NULL, why);
    assert_true(p && q && pubsub_subscribe(q, "agon.x.1.n.2"));
    far_turns(&loop, 3);
    UNTIL(&loop, pubsub_send(p, "agon.x.1.n.2", SPAN("one")) && b.count > 0);
    stop_server();
    UNTIL(&loop, a.away == 1 && b.away == 1);
    assert_true(pubsub_is_away(p));
    UNTIL(&loop, !pubsub_send(p, "agon.x.1.n.2", SPAN("lost")));
    start_server(NULL);
    UNTIL(&loop, a.back == 1 && b.back == 1);
    assert_false(pubsub_is_away(p));
    UNTIL(&loop, pubsub_send(p, "agon.x.1.n.2", SPAN("two")) && strcmp(b.last, "two") == 0);
    pubsub_close(p);
    pubsub_close(q);
}

// Of what is not listened to any more nothing comes; others go on, and it may be listened to again.
static void a_subject_is_ignored_and_heard_again(void **state)
{
    struct heard a = {0}, b = {0};
    char why[BUS_WHY] = "";
    (void)state;
    start_server(NULL);
    struct pubsub *p = dial(&a, NULL, why), *q = dial(&b, NULL, why);
    assert_true(p && q && pubsub_subscribe(q, "agon.x.1.one") && pubsub_subscribe(q, "agon.x.1.two"));
    far_turns(&loop, 3);
    UNTIL(&loop, pubsub_send(p, "agon.x.1.one", SPAN("first")) && strcmp(b.subject, "agon.x.1.one") == 0);
    pubsub_unsubscribe(q, "agon.x.1.one");
    UNTIL(&loop, pubsub_send(p, "agon.x.1.two", SPAN("second")) && strcmp(b.subject, "agon.x.1.two") == 0);
    size_t before = b.count;
    b.subject[0] = 0;
    pubsub_send(p, "agon.x.1.one", SPAN("lost")); // before what is heard next, on one connection
    UNTIL(&loop, pubsub_send(p, "agon.x.1.two", SPAN("third")) && strcmp(b.last, "third") == 0 && b.count > before);
    assert_string_equal(b.subject, "agon.x.1.two");
    assert_true(pubsub_subscribe(q, "agon.x.1.one"));
    far_turns(&loop, 3);
    UNTIL(&loop, pubsub_send(p, "agon.x.1.one", SPAN("again")) && strcmp(b.subject, "agon.x.1.one") == 0);
    pubsub_close(p);
    pubsub_close(q);
}

static void a_wrong_login_is_said(void **state)
{
    struct heard a = {0};
    char why[BUS_WHY] = "";
    (void)state;
    start_server("secret");
    assert_null(dial(&a, NULL, why));
    assert_non_null(strstr(why, "is the login right"));
    assert_null(dial(&a, "wrong", why));
    struct pubsub *p = dial(&a, "secret", why);
    assert_non_null(p);
    pubsub_close(p);
}

static int count_refused(void)
{
    char line[512];
    int count = 0;
    FILE *f = fopen(server_log, "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        count += strstr(line, "authentication error") != NULL;
    fclose(f);
    return count;
}

// The login is wrong for a while, as when it is changed. libnats gives a connection up that is refused twice.
static void a_login_that_is_wrong_for_a_while_is_waited_for(void **state)
{
    struct heard a = {0}, b = {0};
    char why[BUS_WHY] = "";
    (void)state;
    start_server(NULL);
    struct pubsub *p = dial(&a, NULL, why), *q = dial(&b, NULL, why);
    assert_true(p && q && pubsub_subscribe(q, "agon.x.1.one") && pubsub_subscribe(q, "agon.x.1.two"));
    far_turns(&loop, 3);
    UNTIL(&loop, pubsub_send(p, "agon.x.1.two", SPAN("before")) && b.count > 0);
    stop_server();
    start_server("secret");
    UNTIL(&loop, count_refused() >= 6); // both of them, and again
    assert_int_equal(a.away + b.away, 2);
    pubsub_unsubscribe(q, "agon.x.1.one");
    stop_server();
    start_server(NULL);
    UNTIL(&loop, a.back == 1 && b.back == 1);
    UNTIL(&loop, pubsub_send(p, "agon.x.1.two", SPAN("behind")) && strcmp(b.last, "behind") == 0);
    assert_false(pubsub_is_away(p));
    pubsub_close(p);
    pubsub_close(q);
}

static void a_bus_that_is_not_there_is_said(void **state)
{
    struct heard a = {0};
    char why[BUS_WHY] = "";
    (void)state;
    assert_null(dial(&a, NULL, why));
    assert_non_null(strstr(why, "is nats-server running there?"));
}

static bool has_server(void)
{
    return system("command -v nats-server > /dev/null") == 0;
}

int main(void)
{
#define POST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        POST(messages_come_on_the_loop),
        POST(a_bus_that_restarts_is_away_and_back),
        POST(a_subject_is_ignored_and_heard_again),
        POST(a_wrong_login_is_said),
        POST(a_login_that_is_wrong_for_a_while_is_waited_for),
        POST(a_bus_that_is_not_there_is_said),
    };
    if (!has_server()) {
        fprintf(stderr, "nats-server is not installed (tools/packages)\n");
        return 77;
    }
    close(mkstemp(server_log));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(server_log);
    return failed;
}
