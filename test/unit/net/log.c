// One line an event: what is told, quoted and cut.
#include "net/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char said[4096];

// Standard error of `tell`, read back.
static const char *hear(void (*tell)(void))
{
    FILE *file = tmpfile();
    int old = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    tell();
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    return said;
}

static void tell_one(void)
{
    struct log_line l;
    log_begin(&l, LOG_LEVEL_INFO, "agent.registered");
    log_put_text(&l, "id", "a-1");
    log_put_text(&l, "name", "say \"hi\"\n");
    log_put_int(&l, "games", -3);
    log_end(&l);
}

static void tell_long(void)
{
    char much[3000];
    struct log_line l;
    memset(much, 'x', sizeof much - 1);
    much[sizeof much - 1] = 0;
    log_begin(&l, LOG_LEVEL_ERROR, "e");
    log_put_text(&l, "much", much);
    log_put_int(&l, "n", 1);
    log_end(&l);
}

static void as_json(void **state)
{
    (void)state;
    log_open(true, LOG_LEVEL_INFO);
    assert_string_equal(hear(tell_one) + strlen("{\"time\":\"2026-01-01T00:00:00.000Z\""),
                        ",\"level\":\"info\",\"event\":\"agent.registered\",\"id\":\"a-1\","
                        "\"name\":\"say \\\"hi\\\"\\n\",\"games\":-3}\n");
}

static void as_text(void **state)
{
    (void)state;
    log_open(false, LOG_LEVEL_DEBUG);
    assert_string_equal(hear(tell_one) + strlen("2026-01-01T00:00:00.000Z"),
                        " info agent.registered id=a-1 name=\"say \\\"hi\\\"\\n\" games=-3\n");
}

static void quiet(void **state)
{
    (void)state;
    log_open(true, LOG_LEVEL_WARNING);
    assert_string_equal(hear(tell_one), "");
    log_open(true, LOG_LEVEL_OFF);
    assert_string_equal(hear(tell_long), "");
}

static void a_pair_that_does_not_fit_is_left_out(void **state)
{
    static const bool forms[] = {true, false};
    (void)state;
    for (int i = 0; i < 2; i++) {
        log_open(forms[i], LOG_LEVEL_INFO);
        hear(tell_long);
        assert_null(strstr(said, "much"));
        assert_non_null(strstr(said, forms[i] ? ",\"n\":1}\n" : " n=1\n"));
    }
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_int_equal(log_find_level("warning"), LOG_LEVEL_WARNING);
    assert_int_equal(log_find_level("loud"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_json),
        cmocka_unit_test(as_text),
        cmocka_unit_test(quiet),
        cmocka_unit_test(a_pair_that_does_not_fit_is_left_out),
        cmocka_unit_test(levels_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
