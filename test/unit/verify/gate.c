#include "verify/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void verdicts_have_words(void **unused)
{
    (void)unused;
    static const struct {
        enum gate_verdict verdict;
        const char *word, *mark;
    } cases[] = {
        {GATE_NOT_RUN, "not run", "-"},
        {GATE_PASS, "pass", "\xe2\x9c\x85"},
        {GATE_FAIL, "fail", "\xe2\x9d\x8c"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(gate_word(cases[i].verdict), cases[i].word);
        assert_string_equal(gate_mark(cases[i].verdict), cases[i].mark);
    }
}

// A gate of several checks has failed when one has, and was run when one was.
static void the_worst_of_two_counts(void **unused)
{
    (void)unused;
    static const enum gate_verdict worst[3][3] = {
        [GATE_NOT_RUN] = {GATE_NOT_RUN, GATE_PASS, GATE_FAIL},
        [GATE_PASS] = {GATE_PASS, GATE_PASS, GATE_FAIL},
        [GATE_FAIL] = {GATE_FAIL, GATE_FAIL, GATE_FAIL},
    };
    for (int a = GATE_NOT_RUN; a <= GATE_FAIL; a++)
        for (int b = GATE_NOT_RUN; b <= GATE_FAIL; b++)
            assert_int_equal(gate_worst((enum gate_verdict)a, (enum gate_verdict)b), worst[a][b]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_have_words),
        cmocka_unit_test(the_worst_of_two_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
