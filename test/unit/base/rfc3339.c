// Moments as text: leap years, the turn of the century, before 1970.
#include "base/rfc3339.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct {
    int64_t ms;
    const char *text;
} moments[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {951782400000, "2000-02-29T00:00:00.000Z"},
    {1709251199999, "2024-02-29T23:59:59.999Z"},
    {1709251200000, "2024-03-01T00:00:00.000Z"},
    {4107542400000, "2100-03-01T00:00:00.000Z"}, // 2100 has no leap day
    {1776961749869, "2026-04-23T16:29:09.869Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
    {253402300799999, "9999-12-31T23:59:59.999Z"},
};

static void test_moments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        char bytes[64] = {0};
        struct text t = text_on(bytes, sizeof bytes);
        rfc3339_write(&t, moments[i].ms);
        assert_string_equal(bytes, moments[i].text);
    }
}

static void test_member(void **state)
{
    (void)state;
    char bytes[64] = {0};
    struct text t = text_on(bytes, sizeof bytes);
    text_puts(&t, "{");
    rfc3339_put(&t, "ts", 0);
    assert_string_equal(bytes, "{\"ts\":\"1970-01-01T00:00:00.000Z\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moments), cmocka_unit_test(test_member)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
