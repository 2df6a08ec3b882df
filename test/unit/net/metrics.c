// Lines of /metrics.
#include "net/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four above
#include <cmocka.h>

static void figures_have_help_and_values(void **unused)
{
    (void)unused;
    char bytes[400];
    struct text t = text_on(bytes, sizeof bytes);
    metric_put(&t, "jobs", "gauge", "Jobs under way", 3);
    metric_put_help(&t, "bytes_total", "counter", "Bytes by wire");
    metric_put_value(&t, "bytes_total", "{wire=\"ws\"}", UINT64_MAX);
    static const char expected[] = "# HELP agon_jobs Jobs under way\n"
                                   "# TYPE agon_jobs gauge\n"
                                   "agon_jobs 3\n"
                                   "# HELP agon_bytes_total Bytes by wire\n"
                                   "# TYPE agon_bytes_total counter\n"
                                   "agon_bytes_total{wire=\"ws\"} 18446744073709551615\n";
    assert_int_equal(t.size, sizeof expected - 1);
    assert_memory_equal(bytes, expected, t.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_have_help_and_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
