#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    int value, code;
    const char *name, *sentence;
} list[] = {
#define ERR_AS_CASE(name, code, wire, sentence) {name, code, wire, sentence},
    ERR_LIST(ERR_AS_CASE)
#undef ERR_AS_CASE
};

enum { COUNT = sizeof list / sizeof *list };

static void every_error_has_its_words(void **unused)
{
    (void)unused;
    for (int i = 0; i < COUNT; i++) {
        assert_true(list[i].value < 0);
        assert_int_equal(list[i].value, list[i].code);
        assert_string_equal(err_name(list[i].value), list[i].name);
        assert_string_equal(err_sentence(list[i].value), list[i].sentence);
        assert_true(strlen(list[i].sentence) > 10);
    }
}

static void no_two_are_alike(void **unused)
{
    (void)unused;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(list[i].code, list[k].code);
            assert_string_not_equal(list[i].name, list[k].name);
            assert_string_not_equal(list[i].sentence, list[k].sentence);
        }
}

static void wire_names_are_plain_words(void **unused)
{
    (void)unused;
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(strspn(list[i].name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(list[i].name));
}

static void a_stranger_has_an_answer_too(void **unused)
{
    (void)unused;
    assert_string_equal(err_name(OK), "ok");
    assert_string_equal(err_name(-1), "unknown_error");
    assert_string_equal(err_name(1), "unknown_error");
    assert_non_null(err_sentence(12345));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_its_words),
        cmocka_unit_test(no_two_are_alike),
        cmocka_unit_test(wire_names_are_plain_words),
        cmocka_unit_test(a_stranger_has_an_answer_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
