// The arena's clock: it tells the time of day, and does not follow when somebody sets that.
#include "app/arena_site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int64_t set_s; // how far the wall clock was set from what it was; the other clocks cannot be set

// In place of libc's.
int clock_gettime(clockid_t clock, struct timespec *out)
{
    int err = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock == CLOCK_REALTIME)
        out->tv_sec += set_s;
    return err;
}

static void deadlines_do_not_follow_the_wall_clock(void **state)
{
    static const int64_t jumps[] = {3600, -3600, 86400 * 365, -86400 * 365 * 20, 1};
    (void)state;
    int64_t start_ms = arena_now_ms();
    assert_in_range(start_ms, loop_unix_ms() - 60000, loop_unix_ms() + 60000); // the time of day, as it began
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        int64_t before_ms = arena_now_ms();
        set_s = jumps[i];
        int64_t after_ms = arena_now_ms();
        assert_true(after_ms >= before_ms && after_ms < before_ms + 60000);
    }
    set_s = 3600;
    assert_true(loop_unix_ms() - arena_now_ms() > 3500000); // so the jump was seen by those who look
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deadlines_do_not_follow_the_wall_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
