// Programs that speak the Tetris Bot Protocol badly: whatever they write, a call ends when its time is over.
#include "app/tbp_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const silent[] = {
    "sh -c 'yes >&2 & exec sleep 60'",      // complains without end
    "sh -c 'exec sleep 60 2>&-'",           // closes its standard error
    "sh -c 'exec yes'",                     // what is no message
    "sh -c 'yes \"\" | cat'",               // empty lines
    "sh -c 'yes {\\\"type\\\":\\\"x\\\"}'", // messages that are not known
};

static void test_time_is_kept(void **unused)
{
    (void)unused;
    static struct tbp_client c;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        assert_false(tbp_client_open(&c, silent[i], 0, 200));
        bool is_late = strstr(c.why, "no answer in time"), is_nonsense = strstr(c.why, "not a message");
        if (i == 2 ? !is_nonsense : !is_late)
            fail_msg("%s: %s", silent[i], c.why);
        tbp_client_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
