#include "verify/assertion.h"

#include "base/json_write.h"

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

static void wrote(const struct text *t, const char *wanted)
{
    char got[4096];
    assert_true(t->size < sizeof got);
    memcpy(got, t->at, t->size);
    got[t->size] = 0;
    assert_string_equal(got, wanted);
}

static void a_person_gets_a_line_a_row(void **unused)
{
    (void)unused;
    static const struct assertion own = {"c.three", "A3", "T4 T5", "three", true};
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    assertion_write_list(&t, rows, 1, false);
    assertion_write_list(&t, &own, 1, false);
    wrote(&t, "A1   a.one                        T1                     one\n"
              "A3   c.three                      T4 T5                  three (agon's own server only)\n");
}

static void a_row_too_long_for_a_line_is_cut(void **unused)
{
    (void)unused;
    char sentence[600], bytes[2048];
    memset(sentence, 'x', sizeof sentence - 1);
    sentence[sizeof sentence - 1] = 0;
    const struct assertion row = {"a", "A1", "T1", sentence, false};
    struct text t = text_on(bytes, sizeof bytes);
    assertion_write_list(&t, &row, 1, false);
    assert_int_equal(t.size, 511);
    assert_int_equal(t.at[t.size - 1], 'x');
}

static void a_report_has_every_verdict(void **unused)
{
    (void)unused;
    struct assertion_result results[3] = {0};
    struct assertions a = {rows, results, 3};
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    assertion_note(&a, 0, true, "");
    assertion_note(&a, 1, false, "sent \"x\"");
    json_begin_object(&t);
    assertion_put_results(&t, &a);
    json_end_object(&t);
    wrote(&t, "{\"assertions\":[{\"name\":\"a.one\",\"gate\":\"A1\",\"rules\":\"T1\",\"verdict\":\"pass\"},"
              "{\"name\":\"a.two\",\"gate\":\"A1\",\"rules\":\"T2\",\"verdict\":\"fail\",\"why\":\"sent \\\"x\\\"\"},"
              "{\"name\":\"b\",\"gate\":\"A2\",\"rules\":\"T3\",\"verdict\":\"not run\"}]}");
}

static void failures_are_told_with_their_reason(void **unused)
{
    (void)unused;
    struct assertion_result results[3] = {0};
    struct assertions a = {rows, results, 3};
    char bytes[1024], why[2 * ASSERTION_WHY];
    struct text t = text_on(bytes, sizeof bytes);
    assertion_write_failures(&t, &a);
    assert_int_equal(t.size, 0);
    assertion_note(&a, 0, true, "");
    assertion_note(&a, 1, false, "it was one");
    assertion_write_failures(&t, &a);
    wrote(&t, "  A1 a.two (T2): two\n      it was one\n");
    memset(why, 'y', sizeof why - 1);
    why[sizeof why - 1] = 0;
    assertion_note(&a, 2, false, why);
    assert_int_equal(strlen(results[2].why), ASSERTION_WHY - 1);
    assert_int_equal(assertions_failed(&a), 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wire_is_quoted_in_print), cmocka_unit_test(a_long_line_is_shortened),
        cmocka_unit_test(the_first_failure_stays),     cmocka_unit_test(results_are_listed_by_name),
        cmocka_unit_test(a_person_gets_a_line_a_row),  cmocka_unit_test(a_row_too_long_for_a_line_is_cut),
        cmocka_unit_test(a_report_has_every_verdict),  cmocka_unit_test(failures_are_told_with_their_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
