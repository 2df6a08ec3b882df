#include "judge/assertion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void the_wire_is_quoted_in_print(void **unused)
{
    (void)unused;
    const struct {
        struct span line;
        const char *quoted;
    } cases[] = {
        {SPAN("{\"type\":\"ack\"}"), "{\"type\":\"ack\"}"},
        {SPAN(""), "nothing"},
        {SPAN("a\x01\n\xff z"), "a\\x01\\x0a\\xff z"},
        {SPAN("\x1b[2J"), "\\x1b[2J"},
    };
    char out[WIRE_QUOTE];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(wire_quote(out, cases[i].line), cases[i].quoted);
}

static void a_long_line_is_shortened(void **unused)
{
    (void)unused;
    char line[1000], out[WIRE_QUOTE];
    for (int byte = 0; byte < 256; byte += 97) {
        memset(line, byte, sizeof line);
        for (size_t size = 0; size <= sizeof line; size++) {
            wire_quote(out, (struct span){line, size});
            assert_true(strlen(out) < WIRE_QUOTE);
        }
        assert_string_equal(out + strlen(out) - 3, "...");
    }
}

static const struct assertion rows[] = {
    {"a.one", "A1", "T1", "one", false},
    {"a.two", "A1", "T2", "two", false},
    {"b", "A2", "T3", "b", false},
};

static void the_first_failure_stays(void **unused)
{
    (void)unused;
    struct assertion_result results[3] = {0};
    struct assertions a = {rows, results, 3};
    assert_int_equal(results[0].verdict, GATE_NOT_RUN);
    assert_true(assertion_note(&a, 0, true, ""));
    assert_int_equal(results[0].verdict, GATE_PASS);
    assert_false(assertion_note(&a, 1, false, "first"));
    assert_true(assertion_note(&a, 1, true, ""));
    assert_false(assertion_note(&a, 1, false, "second"));
    assert_string_equal(results[1].why, "first");
    assert_int_equal(results[1].verdict, GATE_FAIL);
    assert_int_equal(results[2].verdict, GATE_NOT_RUN);
    assert_int_equal(assertions_failed(&a), 1);
}

static void results_are_listed_by_name(void **unused)
{
    (void)unused;
    static const char wanted[] =
        "[{\"name\":\"a.one\",\"gate\":\"A1\",\"rules\":\"T1\",\"text\":\"one\",\"own\":false},"
        "{\"name\":\"a.two\",\"gate\":\"A1\",\"rules\":\"T2\",\"text\":\"two\",\"own\":false}]\n";
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    assertion_write_list(&t, rows, 2, true);
    assert_int_equal(t.size, sizeof wanted - 1);
    assert_memory_equal(t.at, wanted, t.size);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wire_is_quoted_in_print),
        cmocka_unit_test(a_long_line_is_shortened),
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(results_are_listed_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
