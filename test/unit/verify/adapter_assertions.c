// The table of agon verify tetris: every row is whole, and reports as it should.
#include "verify/adapter_gates.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

// "T3.14 S4.2": rules of the adapter's specification (T), of the standard (S) and of acceptance (Q).
static bool are_rules(const char *rules)
{
    for (const char *at = rules;; at++) {
        int numbers = 0;
        if (!strchr("TSQ", *at) || !isdigit(at[1]))
            return false;
        for (at++; isdigit(*at) || *at == '.'; at++)
            numbers++;
        if (*at == 0)
            return numbers > 0;
        if (*at != ' ')
            return false;
    }
}

static void rows_are_whole(void **unused)
{
    (void)unused;
    for (int i = 0; i < ADAPTER_ASSERTIONS; i++) {
        const struct assertion *row = &adapter_assertions[i];
        assert_non_null(row->name); // a member of the enum without a row
        if (!are_rules(row->rules))
            fail_msg("%s: rules '%s'", row->name, row->rules);
        if (strlen(row->text) < 15 || isupper(row->text[0]) || row->text[strlen(row->text) - 1] == '.')
            fail_msg("%s: '%s' is no sentence of the list", row->name, row->text);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(row->name, adapter_assertions[k].name);
    }
}

// Gates come in the order of their numbers, none is missing, and the rows of a gate lie together.
static void every_gate_has_rows(void **unused)
{
    (void)unused;
    int last = 0;
    for (int i = 0; i < ADAPTER_ASSERTIONS; i++) {
        const struct assertion *row = &adapter_assertions[i];
        int gate = row->gate[0] == 'A' ? atoi(row->gate + 1) : 0;
        if (gate != last && gate != last + 1)
            fail_msg("%s of %s comes after A%d", row->name, row->gate, last);
        last = gate;
    }
    assert_int_equal(last, 37);
}

// What is agon's own is not asked of others, and a failure quotes both directions.
static void an_assertion_is_reported(void **unused)
{
    (void)unused;
    static struct adapter_check c;
    static struct client d = {.sent = "question", .received = ""};
    c.assertions = (struct assertions){adapter_assertions, c.outcomes, ADAPTER_ASSERTIONS};
    assert_true(adapter_assert(&c, &d, MUST_WELCOME_EXTRAS, false, "nothing"));
    assert_int_equal(c.outcomes[MUST_WELCOME_EXTRAS].verdict, GATE_NOT_RUN);
    c.own = true;
    assert_false(adapter_assert(&c, &d, MUST_WELCOME_EXTRAS, false, "%s is missing", "table"));
    assert_string_equal(c.outcomes[MUST_WELCOME_EXTRAS].why, "table is missing; sent question; received nothing");
    assert_true(adapter_expect(&c, &d, MUST_CLAIM_SELF, "ack", "ack"));
    assert_false(adapter_expect(&c, NULL, MUST_CLAIM_OTHER, "ack", "controller_active"));
    assert_string_equal(c.outcomes[MUST_CLAIM_OTHER].why, "controller_active expected, but it is ack");
    d.odd_code = true; // which has failed an assertion of its own
    assert_false(adapter_expect(&c, &d, MUST_RELEASE_ACK, "mystery", "ack"));
    assert_int_equal(c.outcomes[MUST_RELEASE_ACK].verdict, GATE_NOT_RUN);
    assert_int_equal(assertions_failed(&c.assertions), 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(every_gate_has_rows),
        cmocka_unit_test(an_assertion_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
