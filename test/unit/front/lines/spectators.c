// Spectators of Tetris tables who give no sign of life (F1.11).
#include "front/lines/spectators.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "far_end.h"

static struct loop loop;
static struct adapter_server serve;
static struct spectators *spectators;
static struct http *http;

static void on_request(void *owner, struct http_request *r)
{
    (void)owner;
    spectators_watch(spectators, r, NULL);
}

static int set_up(void **state)
{
    static const struct http_handler handler = {.on_request = on_request};
    struct adapter_server_options o;
    struct http_options h;
    (void)state;
    loop_init(&loop);
    adapter_server_defaults(&o);
    http_defaults(&h);
    h.conn.port = 0;
    if (adapter_server_open(&serve, &loop, &o, false, NULL) != 0)
        return 1;
    spectators = spectators_open(&serve);
    http = http_listen(&loop, &h, &handler, NULL);
    return !spectators || !http;
}

static int tear_down(void **state)
{
    (void)state;
    http_close(http);
    spectators_close(spectators);
    adapter_server_close(&serve);
    loop_release(&loop);
    return 0;
}

static struct far_end watch(void)
{
    struct far_end f = far_open(conn_port(http_port(http)));
    far_say(&f, &loop,
            "GET /watch?table=main HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    UNTIL(&loop, far_has(&f, "tetris_start"));
    far_forget(&f);
    return f;
}

static bool is_pinged(struct far_end *f)
{
    static const char ping[] = {(char)0x89, 0};
    far_look(f);
    return memmem(f->bytes, f->size, ping, sizeof ping) != NULL;
}

static void spectators_are_pinged_and_those_who_answer_stay(void **state)
{
    static const char pong[] = {(char)0x8a, (char)0x80, 0, 0, 0, 0};
    (void)state;
    spectators_set_patience(spectators, 1, 3600000);
    struct far_end f = watch();
    for (int i = 0; i < 3; i++) {
        UNTIL(&loop, is_pinged(&f));
        far_forget(&f);
        far_say_bytes(&f, &loop, (struct span){pong, sizeof pong});
    }
    assert_false(f.ended);
    far_close(&f);
}

static void the_silent_are_dropped(void **state)
{
    (void)state;
    struct far_end f = watch();
    spectators_set_patience(spectators, 3600000, 1);
    UNTIL(&loop, (far_look(&f), f.ended || f.error));
    far_close(&f);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(spectators_are_pinged_and_those_who_answer_stay),
        TEST(the_silent_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
