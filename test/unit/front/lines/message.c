#include "front/lines/message.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HELLO(version, requested)                                                                                      \
    "{\"type\":\"hello\",\"seq\":1,\"ts\":0,\"client\":{\"name\":\"a\",\"version\":\"1\"},\"protocol_version\":"       \
    "\"" version "\",\"formats\":[\"json\"],\"requested\":" requested "}"
#define WANTS           "{\"stream_observations\":true,\"command_mode\":\"place\"}"
#define WANTS_TOO(more) "{\"stream_observations\":true,\"command_mode\":\"place\"," more "}"
#define COMMAND(rest)   "{\"type\":\"command\",\"seq\":2,\"ts\":0,\"mode\":" rest "}"
#define PLACE(inside)   COMMAND("\"place\",\"place\":{" inside "}")

static void a_line_has_a_type_and_a_seq(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool opened;
        enum message_type type;
        uint64_t seq;
    } cases[] = {
        {"{\"type\":\"command\",\"seq\":7}", true, MESSAGE_COMMAND, 7},
        {" { \"seq\" : 7 , \"type\" : \"CONTROL\" } ", true, MESSAGE_CONTROL, 7},                    // T3.5 any case
        {"{\"type\":\"hello\",\"type\":\"command\",\"seq\":1,\"seq\":2}", true, MESSAGE_COMMAND, 2}, // T3.4 last counts
        {"{\"type\":\"dance\",\"seq\":3}", true, MESSAGE_UNKNOWN, 3},
        {"{\"type\":\"command\",\"seq\":9007199254740991}", true, MESSAGE_COMMAND, 9007199254740991u},
        {"{\"type\":\"command\",\"seq\":9007199254740992}", false, MESSAGE_COMMAND, 0}, // T3.5
        {"{\"type\":\"command\",\"seq\":-1}", false, MESSAGE_COMMAND, 0},
        {"{\"type\":\"command\",\"seq\":2.0}", false, MESSAGE_COMMAND, 0},
        {"{\"type\":\"command\",\"seq\":2e0}", false, MESSAGE_COMMAND, 0},
        {"{\"type\":\"command\",\"seq\":\"2\"}", false, MESSAGE_COMMAND, 0},
        {"{\"type\":\"command\"}", false, MESSAGE_COMMAND, 0},
        {"{\"type\":5,\"seq\":4}", false, MESSAGE_UNKNOWN, 4},
        {"{\"seq\":4}", false, MESSAGE_UNKNOWN, 4},
        {"[]", false, MESSAGE_UNKNOWN, 0},
        {"7", false, MESSAGE_UNKNOWN, 0},
        {"{\"type\":\"command\",\"seq\": 12,", false, MESSAGE_UNKNOWN, 12}, // T3.56: a guess from the text
        {"{\"seq\":99999999999999999999 oops", false, MESSAGE_UNKNOWN, 0},
        {"{\"type\":\"command\",\"seq\":5,\"x\":[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]}", true, MESSAGE_COMMAND,
         5}, // depth 16
        {"{\"type\":\"command\",\"seq\":5,\"x\":[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]}", false, MESSAGE_UNKNOWN,
         5}, // 17: T3.4
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m;
        bool opened = message_open(&m, span_of(cases[i].line));
        if (opened != cases[i].opened || m.seq != cases[i].seq || (opened && m.type != cases[i].type))
            fail_msg("%s: opened %d type %d seq %ju", cases[i].line, opened, m.type, (uintmax_t)m.seq);
        assert_true(opened == !m.wrong);
    }
}

static void shapes_are_checked(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool right;
    } cases[] = {
        {HELLO("2.1.0", WANTS), true}, // T3.10
        {HELLO("2.1.0", "{\"stream_observations\":true,\"command_mode\":\"Place\",\"role\":\"OBSERVER\"}"), true},
        {HELLO("2.1.0", WANTS_TOO("\"role\":\"boss\"")), false},
        {HELLO("2.1.0", "{\"stream_observations\":1,\"command_mode\":\"place\"}"), false},
        {HELLO("2.1.0", "{\"command_mode\":\"place\"}"), false},
        {HELLO("2.1.0", "{\"stream_observations\":true}"), false},
        {HELLO("2.1.0", "{\"stream_observations\":true,\"command_mode\":\"fly\"}"), false},
        {HELLO("2.1.0", WANTS_TOO("\"clock\":17,\"frame_skip\":64")), true}, // T3.80: any other clock is real time
        {HELLO("2.1.0", WANTS_TOO("\"frame_skip\":0")), false},
        {HELLO("2.1.0", WANTS_TOO("\"frame_skip\":65")), false},
        {"{\"type\":\"hello\",\"seq\":1,\"ts\":0}", false},
        {"{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}", true},
        {"{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"grab\"}", false},
        {"{\"type\":\"control\",\"seq\":2,\"action\":\"claim\"}", false}, // T3.5: ts is required
        {"{\"type\":\"control\",\"seq\":2,\"ts\":1.5,\"action\":\"claim\"}", false},
        {COMMAND("\"action\",\"actions\":[]"), true}, // T3.48
        {COMMAND("\"action\",\"actions\":[\"HARDDROP\",\"hold\"]"), true},
        {COMMAND("\"action\",\"actions\":[\"spin\"]"), false},
        {COMMAND("\"action\""), false},
        {COMMAND("\"action\",\"actions\":null"), false},
        {COMMAND("\"sing\",\"actions\":[]"), false},
        {COMMAND("\"place\""), true}, // T3.58: a missing place is a matter of meaning
        {PLACE("\"x\":1,\"rotation\":\"north\",\"useHold\":false"), true},
        {PLACE("\"x\":1,\"rotation\":\"up\",\"useHold\":false"), true},
        {PLACE("\"x\":1.0,\"rotation\":\"north\",\"useHold\":false"), false}, // T3.59
        {PLACE("\"x\":1,\"rotation\":7,\"useHold\":false"), false},
        {PLACE("\"x\":1,\"rotation\":\"north\""), false},
        {PLACE("\"x\":1,\"rotation\":\"north\",\"useHold\":0"), false},
        {PLACE("\"x\":1,\"rotation\":\"north\",\"useHold\":true,\"path\":\"full\",\"y\":\"low\""), false},
        {"{\"type\":\"dance\",\"seq\":2,\"ts\":0}", false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m;
        struct span line = span_of(cases[i].line);
        assert_true(message_open(&m, line));
        if (message_read(&m, line) != cases[i].right)
            fail_msg("%s", cases[i].line);
    }
}

static void thirty_two_actions_and_no_more(void **unused)
{
    (void)unused;
    for (int count = 32; count <= 33; count++) {
        char line[2048] = {0};
        struct text t = text_on(line, sizeof line - 1);
        text_puts(&t, "{\"type\":\"command\",\"seq\":2,\"ts\":0,\"mode\":\"action\",\"actions\":[");
        for (int i = 0; i < count; i++)
            text_puts(&t, i ? ",\"hold\"" : "\"hold\"");
        text_puts(&t, "]}");
        struct message m;
        assert_true(message_open(&m, span_of(line)));
        assert_int_equal(message_read(&m, span_of(line)), count == 32); // T3.48
    }
}

static void seeds_are_never_reduced(void **unused)
{
    (void)unused;
    static const struct {
        const char *restart;
        bool bad, has;
        uint32_t seed;
    } cases[] = {
        {"{\"seed\":0}", false, true, 0},
        {"{\"seed\":4294967295}", false, true, UINT32_MAX},
        {"{\"seed\":4294967296}", true, true, 0}, // T2.12
        {"{\"seed\":-1}", true, true, 0},
        {"{\"seed\":1.0}", true, true, 0},
        {"{\"seed\":\"1\"}", true, true, 0},
        {"{\"seed\":1,\"seed\":2}", false, true, 2},
        {"{}", false, false, 0},
        {"[]", true, false, 0},
        {"null", false, false, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        snprintf(line, sizeof line, COMMAND("\"action\",\"actions\":[\"restart\"],\"restart\":%s"), cases[i].restart);
        struct message m;
        assert_true(message_open(&m, span_of(line)) && message_read(&m, span_of(line)));
        assert_int_equal(m.bad_seed, cases[i].bad);
        assert_int_equal(m.command.has_seed, cases[i].has);
        if (cases[i].has && !cases[i].bad)
            assert_int_equal(m.command.seed, cases[i].seed);
    }
}

static void versions_are_complete(void **unused)
{
    (void)unused;
    static const struct {
        const char *version;
        int major;
    } cases[] = {
        // T3.12
        {"2.0.0", 2},      {"2.1.0", 2},     {"2.9.9", 2},        {"3.0.0", 3},      {"1.0.0", 1},   {"2", -1},
        {"2.1", -1},       {"", -1},         {"2.1.0.0", -1},     {"02.1.0", -1},    {"2.01.0", -1}, {"2.1.00", -1},
        {"2.1.0-rc.1", 2}, {"2.1.0-", -1},   {"2.1.0-rc.01", -1}, {"2.1.0+b.01", 2}, {"2.1.0+", -1}, {"v2.1.0", -1},
        {"2.1.0 ", -1},    {"2.1.0-a+b", 2}, {"2.1.0-a..b", -1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (message_version_major(cases[i].version) != cases[i].major)
            fail_msg("'%s' gives %d", cases[i].version, message_version_major(cases[i].version));
    assert_true(message_version_major("99999999999.0.0") > 3); // no number wraps around into ours
}

static void table_names_are_plain(void **unused)
{
    (void)unused;
    char longest[66];
    memset(longest, 'a', sizeof longest);
    longest[64] = 0;
    assert_true(message_is_table_name("main"));
    assert_true(message_is_table_name("A-z_0.9"));
    assert_true(message_is_table_name(longest));
    longest[64] = 'a', longest[65] = 0;
    assert_false(message_is_table_name(longest)); // T3.9
    assert_false(message_is_table_name(""));
    assert_false(message_is_table_name("a b"));
    assert_false(message_is_table_name("a/b"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_a_type_and_a_seq),    cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(thirty_two_actions_and_no_more), cmocka_unit_test(seeds_are_never_reduced),
        cmocka_unit_test(versions_are_complete),          cmocka_unit_test(table_names_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
