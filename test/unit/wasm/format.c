// snprintf of the rules in the browser, beside the host's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int small_vsnprintf(char *text, size_t room, const char *format, va_list given) __attribute__((format(printf, 3, 0)));
int small_snprintf(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define vsnprintf small_vsnprintf
#define snprintf  small_snprintf
#include "../../../wasm/libc/format.c" // NOLINT(bugprone-suspicious-include)
#undef vsnprintf
#undef snprintf

#define SAME(room, ...)                                                                                                \
    do {                                                                                                               \
        char here[64] = "", there[64] = "";                                                                            \
        volatile size_t limit = (room); /* what is cut is cut on purpose */                                            \
        assert_int_equal(small_snprintf(here, limit, __VA_ARGS__), snprintf(there, limit, __VA_ARGS__));               \
        assert_string_equal(here, there);                                                                              \
    } while (0)

static void writes_what_the_host_writes(void **unused)
{
    (void)unused;
    SAME(64, "plain %% text");
    SAME(64, "%s and %.3s|%-12s|%12s|%-12.24s|", "one", "second", "left", "right", "cut or not");
    SAME(64, "%.*s", 2, "abc");
    SAME(64, "%d %d %5d|%-5d|%05d|%03d", 0, -7, 42, 42, -42, 7);
    SAME(64, "%u %x %c", 4000000000u, 0xbeefu, 'z');
    SAME(64, "%lld %llu %016llx", -9000000000000000000ll, 18000000000000000000ull, 0xabcull);
    SAME(64, "%10lld|%2d", 123ll, 1234);
    SAME(64, "%s", "");
}

static void never_leaves_its_room(void **unused)
{
    (void)unused;
    SAME(1, "%s", "long");
    SAME(4, "%s", "long");
    SAME(5, "%s", "long");
    SAME(6, "%8d", 1);
    assert_int_equal(small_snprintf(NULL, 0, "%d", 12345), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_the_host_writes),
        cmocka_unit_test(never_leaves_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
