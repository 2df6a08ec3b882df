// B13: bots found in a folder, started, checked and stopped; command lines taken apart.
#include "seats/launch.h"
#include "seats/seat.h"
#include "seats/spawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void words_are_split_as_a_shell_does(void **state)
{
    static const struct {
        const char *text;
        const char *words[5];
    } rows[] = {
        {"", {NULL}},
        {"  a  b\tc ", {"a", "b", "c", NULL}},
        {"'a b' \"c d\"e", {"a b", "c de", NULL}},
        {"a\\ b \"\\\"x\\y\" '\\'", {"a b", "\"x\\y", "\\", NULL}},
        {"'' \"\"", {"", "", NULL}},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char **words = spawn_split(rows[i].text);
        int n = 0;
        for (; words[n] && rows[i].words[n]; n++)
            assert_string_equal(words[n], rows[i].words[n]);
        assert_null(words[n]);
        assert_null(rows[i].words[n]);
        spawn_free_words(words);
    }
    assert_null(spawn_split("'open"));
}

static void the_last_output_is_kept(void **state)
{
    static struct tail t;
    char out[64];
    (void)state;
    for (int i = 0; i < 5000; i++)
        tail_add(&t, "0123456789", 10);
    assert_int_equal(t.size, SPAWN_KEPT);
    assert_int_equal(tail_copy(&t, out, 11), 10);
    assert_string_equal(out, "0123456789");
}

static void notices_by_name(void **state)
{
    (void)state;
    assert_int_equal(seat_read_notices("Card-Played,deal-ended"), SEAT_CARD_PLAYED | SEAT_DEAL_ENDED); // B13.4
    assert_int_equal(seat_read_notices("all"), SEAT_ALL_NOTICES);
    assert_int_equal(seat_read_notices("none"), 0);
    assert_int_equal(seat_read_notices("card-player"), -1);
}

static void addresses(void **state)
{
    static const struct {
        const char *where;
        bool right;
    } rows[] = {
        {"http://localhost:5070", true},
        {"https://host/prefix/api", true},
        {"http://[::1]:5070/", true},
        {"cmd:python3 bot.py", true},
        {"cmd:", false},
        {"cmd:  ", false},
        {"localhost:5070", false},
        {"ftp://host", false},
        {"http://", false},
        {"http://host/?x=1", false},
        {"http://me:secret@host/", false},
        {"http://host/#x", false},
        {"", false},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((seat_check_address(rows[i].where) == NULL) != rows[i].right)
            fail_msg("%s", rows[i].where);
}

// --- folders

static char folder[64];

static void put_bot(const char *name, const char *meta)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/bot.meta.json", folder, name);
    FILE *f = fopen(path, "w");
    fputs(meta, f);
    fclose(f);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agon-bots-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static int warnings;

static void on_warn(void *owner, const char *text)
{
    (void)owner;
    assert_non_null(strstr(text, "is skipped: "));
    warnings++;
}

static void bots_are_discovered(void **state) // B13.1, B13.2
{
    struct launch_list list;
    (void)state;
    put_bot("zeta", "{\"AGENTNAME\":\"alpha\",\"displayName\":\"First\",\"launch\":{\"filename\":\"x\",\"port\":7}}");
    put_bot("named", "{\"name\":\"beta\",\"notifications\":[\"CARD-PLAYED\",\"comet\"],\"launch\":{\"fileName\":\"y\","
                     "\"environmentVariables\":{\"A\":\"b c\"}}}");
    put_bot("plain", "{\"notifications\":[],\"launch\":{\"fileName\":\"z\",\"startupTimeout\":3}}");
    put_bot("broken", "{");
    put_bot("launchless", "{\"name\":\"x\"}");
    warnings = 0;
    assert_int_equal(launch_discover(&list, folder, on_warn, NULL), 0);
    assert_int_equal(list.count, 3);
    assert_int_equal(warnings, 2);
    const struct launch_meta *m = launch_find(&list, "ALPHA");
    assert_non_null(m);
    assert_ptr_equal(launch_find(&list, "first"), m);
    assert_int_equal(m->port, 7);
    assert_int_equal(m->notices, SEAT_ALL_NOTICES);
    assert_int_equal(strlen(m->id), 36);
    m = launch_find(&list, "beta");
    assert_int_equal(m->notices, SEAT_CARD_PLAYED);
    assert_string_equal(m->environment[0], "A=b c");
    assert_string_equal(m->health, "health");
    m = launch_find(&list, "plain");
    assert_true(m->has_notices && m->notices == 0);
    assert_int_equal(m->startup_timeout_s, 3);
    assert_null(launch_find(&list, "gamma"));
    launch_list_release(&list);
    assert_int_not_equal(launch_discover(&list, "/no/such/folder", on_warn, NULL), 0);
}

// --- starting

static struct {
    struct loop loop;
    struct launch *launch;
    char address[128], failed[8192];
    int warned;
    bool stopped;
} run;

static void on_ready(void *owner, const char *address)
{
    (void)owner;
    snprintf(run.address, sizeof run.address, "%s", address);
    launch_stop(run.launch);
}

static void on_failed(void *owner, const char *text)
{
    (void)owner;
    snprintf(run.failed, sizeof run.failed, "%s", text);
    launch_stop(run.launch);
}

static void on_warning(void *owner, const char *text)
{
    (void)owner, (void)text;
    run.warned++;
}

static void on_stopped(void *owner)
{
    (void)owner;
    run.stopped = true;
    loop_stop(&run.loop);
}

static void start(const struct launch_meta *m)
{
    static const struct launch_handler handler = {on_ready, on_failed, on_warning, on_stopped};
    memset(&run, 0, sizeof run);
    loop_init(&run.loop);
    run.launch = launch_start(&run.loop, m, &handler, NULL);
    loop_run(&run.loop);
    loop_release(&run.loop);
    assert_true(run.stopped);
}

static void examples_start_and_stop(void **state) // B13.3, B13.6, B13.7
{
    struct launch_list list;
    (void)state;
    assert_int_equal(launch_discover(&list, TEST_DIR "/../examples/bots", on_warn, NULL), 0);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.at[i].agent_name, "ExampleC") == 0)
            continue; // it would leave a program in the sources
        start(&list.at[i]);
        assert_string_equal(run.failed, "");
        assert_memory_equal(run.address, "http://localhost:", 17);
        assert_int_equal(run.warned, 0);
    }
    launch_list_release(&list);
}

static void failures_are_told_with_the_output(void **state)
{
    static const struct {
        const char *meta, *text;
    } rows[] = {
        {"{\"launch\":{\"fileName\":\"sh\",\"arguments\":\"-c 'echo boom; echo bang >&2; exit 3'\"}}",
         "before it was ready: exit status 3; its last output:\nboom\nbang\n"},
        {"{\"launch\":{\"fileName\":\"./absent\"}}", "cannot start ./absent: No such file"},
        {"{\"launch\":{\"fileName\":\"sleep\",\"arguments\":\"60\",\"startupTimeout\":1}}", "no answer from http://"},
        {"{\"init\":{\"command\":\"sh\",\"arguments\":\"-c 'echo no; exit 2'\"},\"launch\":{\"fileName\":\"x\"}}",
         "while it was initialised: exit status 2; its last output:\nno\n"},
        {"{\"init\":{\"command\":\"sleep\",\"arguments\":\"60\",\"timeout\":1},\"launch\":{\"fileName\":\"x\"}}",
         "its init takes longer than 1 s"},
        {"{\"launch\":{\"fileName\":\"sh\",\"arguments\":\"-c 'trap \\\"\\\" TERM; kill -SEGV $$'\"}}", "signal 11"},
        {"{\"launch\":{\"fileName\":\"sh\",\"arguments\":\"'open\"}}", "a quote is open"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct launch_list list;
        put_bot("one", rows[i].meta);
        assert_int_equal(launch_discover(&list, folder, on_warn, NULL), 0);
        const struct launch_meta *m = launch_find(&list, "one");
        assert_non_null(m);
        start(m);
        if (!strstr(run.failed, rows[i].text))
            fail_msg("row %u: %s", i, run.failed);
        launch_list_release(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_as_a_shell_does),
        cmocka_unit_test(the_last_output_is_kept),
        cmocka_unit_test(notices_by_name),
        cmocka_unit_test(addresses),
        cmocka_unit_test_setup_teardown(bots_are_discovered, make_folder, remove_folder),
        cmocka_unit_test(examples_start_and_stop),
        cmocka_unit_test_setup_teardown(failures_are_told_with_the_output, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
