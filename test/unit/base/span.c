#include "base/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void equal_when_bytes_and_lengths_are(void **unused)
{
    (void)unused;
    const struct span nowhere = {0};
    const struct {
        struct span a, b;
        bool equal;
    } cases[] = {
        {SPAN(""), SPAN(""), true},          {SPAN("a"), SPAN("a"), true},   {SPAN("a"), SPAN("b"), false},
        {SPAN("a"), SPAN("ab"), false},      {SPAN("ab"), SPAN("a"), false}, {SPAN("a\0b"), SPAN("a\0b"), true},
        {SPAN("a\0b"), SPAN("a\0c"), false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(span_equals(cases[i].a, cases[i].b), cases[i].equal);
        assert_int_equal(span_equals(cases[i].b, cases[i].a), cases[i].equal);
    }
    assert_true(span_equals(nowhere, SPAN("")));
    assert_true(span_is(nowhere, ""));
}

static void a_nul_ends_text_but_not_a_literal(void **unused)
{
    (void)unused;
    assert_int_equal(SPAN("a\0b").size, 3);
    assert_int_equal(span_of("a\0b").size, 1);
    assert_true(span_is(SPAN("seed"), "seed"));
    assert_false(span_is(SPAN("seed\0"), "seed"));
}

static void a_word_is_found_in_a_list(void **unused)
{
    (void)unused;
    static const char *const words[] = {"check", "raise", "raised", NULL}, *const none[] = {NULL};
    assert_int_equal(span_among(SPAN("check"), words), 0);
    assert_int_equal(span_among(SPAN("raised"), words), 2);
    assert_int_equal(span_among(SPAN("rais"), words), -1);
    assert_int_equal(span_among(SPAN(""), words), -1);
    assert_int_equal(span_among(SPAN("check"), none), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_when_bytes_and_lengths_are),
        cmocka_unit_test(a_nul_ends_text_but_not_a_literal),
        cmocka_unit_test(a_word_is_found_in_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
