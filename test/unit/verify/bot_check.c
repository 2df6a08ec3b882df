// What a bot fails by, and what is told of it.
#include "verify/bot_check.h"

#include "bots/bot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct bot opponent = {.name = "rules"};
static const struct bot_check_options plain = {
    .probe = {.address = "http://127.0.0.1:1"}, .opponent = &opponent, .games = 4, .seed = 7, .target = 60};

// Everything went well, and the server tells of its sessions.
static struct bot_check good(void)
{
    struct bot_check c = {.games = 4,
                          .wins = 3,
                          .deals = 9,
                          .parallel_games = 4,
                          .silent_games = 4,
                          .repeats = true,
                          .sessions_before = 0,
                          .sessions_after = 0,
                          .counts = {.created = 8, .deleted = 8}};
    for (int i = 0; bot_probe_rows[i].name; i++)
        c.probe[i].verdict = GATE_PASS;
    return c;
}

static int probe_of(bool must)
{
    for (int i = 0; bot_probe_rows[i].name; i++)
        if (bot_probe_rows[i].must == must)
            return i;
    fail_msg("no such probe");
    return -1;
}

static void told(const struct bot_check *c, const struct bot_check_options *o, const char *wanted)
{
    char bytes[2048], text[2048];
    struct text t = text_on(bytes, sizeof bytes);
    bot_check_describe_faults(&t, c, o);
    memcpy(text, t.at, t.size);
    text[t.size] = 0;
    assert_string_equal(text, wanted);
    assert_int_equal(bot_check_passed(c, o), wanted[0] == 0);
}

static void a_good_bot_passes(void **unused)
{
    (void)unused;
    struct bot_check c = good();
    told(&c, &plain, "");
    c.sessions_before = 5; // others had theirs, and ended them
    told(&c, &plain, "");
    c.sessions_before = c.sessions_after = -1; // it does not say
    told(&c, &plain, "");
    c.violations[CONTEST_WARNING] = 3; // a warning is none
    told(&c, &plain, "");
}

static void every_fault_is_told(void **unused)
{
    (void)unused;
    struct bot_check c = good();
    c.violations[0] = 2;
    told(&c, &plain, "2 violations in matches");
    c = good();
    c.parallel_trouble = 1;
    told(&c, &plain, "1 with many sessions at once");
    c = good();
    c.silent_trouble = 4;
    told(&c, &plain, "4 when told nothing");
    c = good();
    c.repeats = false;
    told(&c, &plain, "not deterministic");
    c = good();
    c.sessions_after = 1;
    told(&c, &plain, "sessions left over");
    c = good();
    c.counts.deleted = 7;
    told(&c, &plain, "sessions left over");
    c = good();
    memcpy(c.died, "it died", 8);
    c.repeats = false;
    told(&c, &plain, "it died, not deterministic");
}

static void what_a_bot_should_do_decides_if_strict(void **unused)
{
    (void)unused;
    struct bot_check_options strict = plain;
    strict.strict = true;
    char wanted[64];
    struct bot_check c = good();
    int must = probe_of(true), should = probe_of(false);
    c.probe[should].verdict = GATE_FAIL;
    told(&c, &plain, "");
    snprintf(wanted, sizeof wanted, "should %s", bot_probe_rows[should].name);
    told(&c, &strict, wanted);
    c = good();
    c.probe[must].verdict = GATE_FAIL;
    snprintf(wanted, sizeof wanted, "must %s", bot_probe_rows[must].name);
    told(&c, &plain, wanted);
    c.probe[must].verdict = GATE_NOT_RUN;
    told(&c, &plain, "");
}

static void faults_follow_what_is_there(void **unused)
{
    (void)unused;
    char bytes[64];
    struct text t = text_on(bytes, sizeof bytes);
    struct bot_check c = good();
    c.repeats = false;
    text_puts(&t, "failed: ");
    bot_check_describe_faults(&t, &c, &plain);
    assert_memory_equal(t.at, "failed: not deterministic", t.size);
    t = text_on(bytes, 4); // no room: it has not passed all the same
    bot_check_describe_faults(&t, &c, &plain);
    assert_true(t.full);
}

static const char *report_of(const struct bot_check *c, const struct bot_check_options *o)
{
    static char bytes[65536];
    struct text t = text_on(bytes, sizeof bytes - 1);
    bot_check_report_json(&t, c, o);
    assert_false(t.full);
    bytes[t.size] = 0;
    return bytes;
}

static void a_machine_gets_the_whole(void **unused)
{
    (void)unused;
    static const char *const sound[] = {"\"passed\":true", "\"seed\":7", "\"wins\":3", "\"server_sessions_after\":0",
                                        "\"verdict\":\"pass\""};
    static const char *const broken[] = {"\"passed\":false", "\"deterministic\":false", "\"first_difference_game\":2",
                                         "\"first_difference_entry\":11", "\"died\":\"of hunger\""};
    struct bot_check_options o = plain;
    struct bot_check c = good();
    const char *report = report_of(&c, &o);
    for (unsigned i = 0; i < sizeof sound / sizeof *sound; i++)
        assert_non_null(strstr(report, sound[i]));
    assert_null(strstr(report, "\"died\""));
    assert_null(strstr(report, "\"deterministic\"")); // nobody asked

    o.determinism = true;
    c.repeats = false;
    c.other_game = 2;
    c.other_decision = 11;
    c.sessions_after = -1;
    memcpy(c.died, "of hunger", 10);
    report = report_of(&c, &o);
    for (unsigned i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_non_null(strstr(report, broken[i]));
    assert_null(strstr(report, "\"server_sessions_after\""));
}

static void a_person_reads_why(void **unused)
{
    (void)unused;
    static char bytes[65536];
    struct text t = text_on(bytes, sizeof bytes - 1);
    struct bot_check c = good();
    int must = probe_of(true);
    c.probe[must].verdict = GATE_FAIL;
    snprintf(c.probe[must].why, GATE_WHY, "it answered 500");
    bot_check_report_text(&t, &c, &plain);
    bytes[t.size] = 0;
    assert_non_null(strstr(bytes, ": it answered 500\n"));
    assert_non_null(strstr(bytes, "4 matches to 60 with seed 7, 9 deals, 3 won against rules\n"));
    assert_non_null(strstr(bytes, "sessions: 8 created, 8 deleted; the server has 0, it had 0\n"));
    assert_null(strstr(bytes, "\npassed"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_bot_passes),
        cmocka_unit_test(every_fault_is_told),
        cmocka_unit_test(what_a_bot_should_do_decides_if_strict),
        cmocka_unit_test(faults_follow_what_is_there),
        cmocka_unit_test(a_machine_gets_the_whole),
        cmocka_unit_test(a_person_reads_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
