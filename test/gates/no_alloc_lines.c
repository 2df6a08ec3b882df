// T7.1: once a client is seated, the Tetris adapter allocates nothing, neither per command nor per observation nor per
// step. The linker leads every call of the heap's functions through counters (--wrap, in cmake/test.cmake).
#include "alloc_count.h"
#include "fake_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined __OPTIMIZE__
enum { COMMANDS = 20000 };
#else
enum { COMMANDS = 1000000 };
#endif
enum { WARM_UP = 100, BEAT_US = 16000 };

static void the_counters_count(void **unused)
{
    (void)unused;
    struct adapter_options o;
    adapter_defaults(&o);
    calls = 0;
    adapter_destroy(adapter_create(&o, NULL));
    assert_true(calls >= 4);
}

#define HELLO(role, more)                                                                                              \
    "{\"type\":\"hello\",\"seq\":1,\"ts\":0,\"client\":{\"name\":\"n\",\"version\":\"1\"},\"protocol_version\":"       \
    "\"2.1.0\",\"formats\":[\"json\"],\"requested\":{\"stream_observations\":true,\"command_mode\":\"place\","         \
    "\"role\":\"" role "\"" more "}}"

static struct fake player, watcher;

// Places, keys, refusals, nonsense and restarts, one after the other.
static void say_command(uint64_t n, int64_t now)
{
    static const char *const forms[] = {
        "\"mode\":\"place\",\"place\":{\"x\":%d,\"rotation\":\"east\",\"useHold\":false}",
        "\"mode\":\"action\",\"actions\":[\"moveLeft\",\"rotateCw\",\"softDrop\"],\"ignored\":%d",
        "\"mode\":\"place\",\"place\":{\"x\":%d,\"rotation\":\"north\",\"useHold\":true,\"path\":\"full\"}",
        "\"mode\":\"action\",\"actions\":[\"hardDrop\",\"hold\"],\"ignored\":%d",
        "\"mode\":\"place\",\"place\":{\"x\":%d9,\"rotation\":\"west\",\"useHold\":false}",
        "\"mode\":\"unknown %d\"",
        "\"mode\":\"action\",\"actions\":[]%d",
        "\"mode\":\"action\",\"actions\":[\"restart\"],\"restart\":{\"seed\":%d}",
    };
    char line[256], rest[192];
    snprintf(rest, sizeof rest, forms[n % 23 == 22 ? 7 : n % 7], (int)(n % 7));
    snprintf(line, sizeof line, "{\"type\":\"command\",\"seq\":%ju,\"ts\":0,%s}", (uintmax_t)n, rest);
    fake_say(&player, line, now);
}

static void run(const char *clock, int commands)
{
    char hello[512];
    struct adapter_options o;
    int64_t now = 0;
    adapter_defaults(&o);
    struct adapter *a = adapter_create(&o, NULL);
    snprintf(hello, sizeof hello, HELLO("auto", "%s"), clock);
    fake_open(&player, a, &fake_link);
    fake_open(&watcher, a, &fake_link);
    fake_say(&player, hello, now);
    fake_say(&watcher, HELLO("observer", ""), now);
    int seen = 0, answered = 0;
    for (int i = 0; i < commands + WARM_UP; i++, now += BEAT_US / 4) {
        if (i == WARM_UP)
            calls = 0;
        fake_forget(&player);
        fake_forget(&watcher);
        say_command((uint64_t)i + 2, now);
        adapter_advance(a, now);
        answered += player.replies;
        seen += watcher.writes;
    }
    assert_int_equal(calls, 0);
    assert_true(answered >= commands); // it was not all for nothing
    assert_true(seen > commands / 50);
    adapter_destroy(a);
}

static void lockstep_allocates_nothing(void **unused)
{
    (void)unused;
    run(",\"clock\":\"lockstep\"", COMMANDS);
}

static void real_time_allocates_nothing(void **unused)
{
    (void)unused;
    run("", COMMANDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_count),
        cmocka_unit_test(lockstep_allocates_nothing),
        cmocka_unit_test(real_time_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
