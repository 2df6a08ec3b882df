#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// RFC 4648, section 10.
static void bytes_and_text_answer_each_other(void **unused)
{
    (void)unused;
    const struct {
        struct span bytes, text;
    } cases[] = {
        {SPAN(""), SPAN("")},
        {SPAN("f"), SPAN("Zg==")},
        {SPAN("fo"), SPAN("Zm8=")},
        {SPAN("foo"), SPAN("Zm9v")},
        {SPAN("foob"), SPAN("Zm9vYg==")},
        {SPAN("fooba"), SPAN("Zm9vYmE=")},
        {SPAN("foobar"), SPAN("Zm9vYmFy")},
        {SPAN("\0\xff\xfe"), SPAN("AP/+")},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[16];
        uint8_t back[8];
        struct text t = text_on(room, sizeof room);
        base64_write(&t, cases[i].bytes.at, cases[i].bytes.size);
        assert_true(span_equals(text_span(&t), cases[i].text));
        assert_int_equal(base64_read(cases[i].text, back, cases[i].bytes.size), cases[i].bytes.size);
        assert_memory_equal(back, cases[i].bytes.at, cases[i].bytes.size);
        if (cases[i].bytes.size)
            assert_int_equal(base64_read(cases[i].text, back, cases[i].bytes.size - 1), -1);
    }
}

static void what_nobody_writes_is_refused(void **unused)
{
    (void)unused;
    static const char *const cases[] = {
        "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg=a", "Z g=", "Zm9v!", "Zm-_", "=Zg=", "Zg==Zg=="};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t out[16];
        assert_int_equal(base64_read(span_of(cases[i]), out, sizeof out), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_text_answer_each_other),
        cmocka_unit_test(what_nobody_writes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
