#include "verify/bot_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void a_fault_belongs_to_one_row(void **unused)
{
    (void)unused;
    static const struct {
        enum bot_part part;
        bool none; // a notification: no fault
        struct seat_fault f;
        enum bot_assertion row;
    } cases[] = {
        {BOT_PART_MATCHES, false, {.kind = SEAT_ILLEGAL, .call = SEAT_CUT}, BOT_CUT_LEGAL},
        {BOT_PART_MATCHES, false, {.kind = SEAT_ILLEGAL, .call = SEAT_NEGOTIATION}, BOT_BID_LEGAL},
        {BOT_PART_MATCHES, false, {.kind = SEAT_ILLEGAL, .call = SEAT_CARD}, BOT_CARD_LEGAL},
        {BOT_PART_MATCHES, false, {.kind = SEAT_TIMEOUT, .call = SEAT_CARD}, BOT_IN_TIME},
        {BOT_PART_MATCHES, false, {.kind = SEAT_STATUS, .call = SEAT_CARD}, BOT_ANSWERS},
        {BOT_PART_MATCHES, false, {.kind = SEAT_ILLEGAL, .call = SEAT_CREATE}, BOT_ANSWERS},
        {BOT_PART_MATCHES, true, {0}, BOT_ACKNOWLEDGES},
        {BOT_PART_CROWD, false, {.kind = SEAT_TIMEOUT, .call = SEAT_CARD}, BOT_CROWD},
        {BOT_PART_SILENT, false, {.kind = SEAT_ILLEGAL, .call = SEAT_CUT}, BOT_SILENT},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bot_faults faults = {0};
        bot_note_fault(&faults, cases[i].part, "what", cases[i].none ? NULL : &cases[i].f);
        for (int row = 0; row < BOT_MATCH_ASSERTIONS; row++)
            assert_int_equal(faults.row[row].verdict, row == (int)cases[i].row ? GATE_FAIL : GATE_NOT_RUN);
    }
}

static void a_fault_quotes_both_sides(void **unused)
{
    (void)unused;
    struct bot_faults faults = {0};
    struct seat_fault f = {.kind = SEAT_ILLEGAL, .call = SEAT_CUT, .sent = SPAN("{}"), .reply = SPAN("\x1b[2J")};
    bot_note_fault(&faults, BOT_PART_MATCHES, "a bad cut", &f);
    bot_note_fault(&faults, BOT_PART_MATCHES, "another", &f);
    assert_string_equal(faults.row[BOT_CUT_LEGAL].why, "a bad cut; sent {}; received \\x1b[2J");
}

static void every_row_has_a_verdict(void **unused)
{
    (void)unused;
    static struct assertion_result results[BOT_MAX_ASSERTIONS];
    struct bot_check c = {
        .games = 2, .parallel_games = 2, .silent_games = 2, .sessions_before = 1, .sessions_after = 1};
    struct bot_check_options o = {.determinism = true};
    c.repeats = true;
    for (int i = 0; bot_probe_rows[i].name; i++)
        c.probe[i].verdict = GATE_PASS;
    struct assertions all = bot_assertions_of(&c, &o, results);
    for (int i = 0; i < all.count; i++)
        assert_int_equal(results[i].verdict, GATE_PASS);
    c.sessions_after = 2;
    c.repeats = false;
    c.slowing = true;
    all = bot_assertions_of(&c, &o, results);
    assert_int_equal(assertions_failed(&all), 3);
    c.games = 0; // it died before the matches
    all = bot_assertions_of(&c, &o, results);
    for (int i = 0; i < all.count; i++)
        if (strcmp(all.rows[i].gate, "match") == 0)
            assert_int_equal(results[i].verdict, GATE_NOT_RUN);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_belongs_to_one_row),
        cmocka_unit_test(a_fault_quotes_both_sides),
        cmocka_unit_test(every_row_has_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
