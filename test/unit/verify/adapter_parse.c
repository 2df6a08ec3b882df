// Lines of an adapter, read leniently: one wrong member is one finding, and the others still count.
#include "verify/adapter_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static json_t *value_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

static void words_are_numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int kind, rotation;
    } cases[] = {
        {"\"i\"", 1, -1},    {"\"o\"", 2, -1},    {"\"l\"", 7, -1},   {"\"I\"", 0, -1},
        {"\"\"", 0, -1},     {"\"north\"", 0, 0}, {"\"east\"", 0, 1}, {"\"west\"", 0, 3},
        {"\"West\"", 0, -1}, {"1", 0, -1},        {"null", 0, -1},    {"[\"i\"]", 0, -1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *value = value_of(cases[i].json);
        assert_int_equal(adapter_parse_kind(value), cases[i].kind);
        assert_int_equal(adapter_parse_rotation(value), cases[i].rotation);
        json_decref(value);
    }
    assert_int_equal(adapter_parse_kind(NULL), 0);
    assert_int_equal(adapter_parse_rotation(NULL), -1);
}

static void integers_have_bounds(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        json_int_t least, most;
        bool holds;
    } cases[] = {
        {"0", 0, 7, true},    {"7", 0, 7, true},      {"8", 0, 7, false},    {"-1", 0, 7, false},
        {"1.0", 0, 7, false}, {"\"1\"", 0, 7, false}, {"true", 0, 7, false}, {"-2", -2, 9, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *value = value_of(cases[i].json);
        assert_int_equal(adapter_is_int(value, cases[i].least, cases[i].most), cases[i].holds);
        json_decref(value);
    }
    assert_false(adapter_is_int(NULL, 0, 7));
}

static void a_list_has_a_word(void **unused)
{
    (void)unused;
    json_t *list = value_of("[1,null,\"json\",[\"place\"]]");
    assert_true(adapter_list_has(list, "json"));
    assert_false(adapter_list_has(list, "jso"));
    assert_false(adapter_list_has(list, "place"));
    assert_false(adapter_list_has(NULL, "json"));
    json_decref(list);
}

static void the_type_is_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        enum server_type type;
        uint64_t seq;
        bool object;
    } cases[] = {
        {"{\"type\":\"welcome\",\"seq\":1}", SERVER_WELCOME, 1, true},
        {"{\"type\":\"observation\",\"seq\":77}", SERVER_OBSERVATION, 77, true},
        {"{\"type\":\"ack\",\"seq\":\"7\"}", SERVER_ACK, 0, true},
        {"{\"type\":\"error\",\"seq\":-1}", SERVER_ERROR, 0, true},
        {"{\"type\":\"hello\",\"seq\":3}", SERVER_UNKNOWN, 3, true},
        {"{\"type\":7}", SERVER_UNKNOWN, 0, true},
        {"{}", SERVER_UNKNOWN, 0, true},
        {"[]", SERVER_UNKNOWN, 0, false},
        {"\"ack\"", SERVER_UNKNOWN, 0, false},
        {"{\"type\":\"ack\"", SERVER_UNKNOWN, 0, false},
        {"", SERVER_UNKNOWN, 0, false},
    };
    struct server_message m;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(&m, 0xff, sizeof m); // of the line before
        json_t *root = adapter_parse_message(&m, span_of(cases[i].line));
        assert_int_equal(m.type, cases[i].type);
        assert_int_equal(m.seq, cases[i].seq);
        assert_int_equal(root != NULL, cases[i].object);
        json_decref(root);
    }
}

static void a_wrong_member_spoils_itself_alone(void **unused)
{
    (void)unused;
    struct server_message m;
    json_t *root = adapter_parse_message(
        &m, SPAN("{\"type\":\"observation\",\"seq\":5,\"playable\":1,\"paused\":true,\"score\":-3,\"level\":"
                 "2.5,\"lines\":40,"
                 "\"active\":{\"kind\":\"t\",\"rotation\":\"up\",\"x\":-2,\"y\":\"0\"},\"next\":\"q\",\"next_"
                 "queue\":[\"i\",3,\"l\"],"
                 "\"board\":{\"cells\":[[7,\"x\",300,1]]},\"timers\":{\"drop_ms\":16},\"state_hash\":5}"));
    const struct server_observation *o = &m.observation;
    assert_false(o->playable);
    assert_true(o->paused);
    assert_int_equal(o->score + o->level, 0);
    assert_int_equal(o->lines, 40);
    assert_int_equal(o->kind, 3);
    assert_int_equal(o->x, -2);
    assert_int_equal(o->y, 0);
    assert_int_equal(o->next, 0);
    assert_memory_equal(o->queue, ((uint8_t[]){1, 0, 7, 0, 0}), 5);
    assert_memory_equal(o->cells, ((uint8_t[]){7, 0, 0, 1, 0}), 5);
    assert_int_equal(o->drop_ms, 16);
    assert_string_equal(o->state_hash, "");
    json_decref(root);
}

static void a_welcome_is_kept(void **unused)
{
    (void)unused;
    struct server_message m;
    json_t *root = adapter_parse_message(
        &m, SPAN("{\"type\":\"welcome\",\"client_id\":4,\"controller_id\":null,\"role\":\"observer\","
                 "\"protocol_version\":\"2.1.0\",\"capabilities\":{\"features\":[\"lockstep\"]}}"));
    assert_int_equal(m.welcome.client_id, 4);
    assert_int_equal(m.welcome.controller_id, 0);
    assert_int_equal(m.welcome.fields, WELCOME_CLIENT_ID | WELCOME_CONTROLLER);
    assert_true(m.welcome.lockstep);
    assert_string_equal(m.welcome.role, "observer");
    assert_string_equal(m.welcome.protocol_version, "2.1.0");
    assert_string_equal(m.welcome.game_id, "");
    json_decref(root);
    root = adapter_parse_message(
        &m, SPAN("{\"type\":\"welcome\",\"client_id\":\"4\",\"role\":"
                 "\"a role of more than sixty-three bytes, which is more than a role may have\"}"));
    assert_int_equal(m.welcome.fields, 0);
    assert_false(m.welcome.lockstep);
    assert_string_equal(m.welcome.role, "");
    json_decref(root);
}

static void a_reply_is_kept(void **unused)
{
    (void)unused;
    struct server_message m;
    json_decref(adapter_parse_message(&m, SPAN("{\"type\":\"ack\",\"applied_step\":9,\"state_hash\":\"ab\"}")));
    assert_int_equal(m.ack.applied_step, 9);
    assert_string_equal(m.ack.state_hash, "ab");
    json_decref(adapter_parse_message(&m, SPAN("{\"type\":\"ack\"}")));
    assert_true(m.ack.applied_step == UINT64_MAX);
    json_decref(adapter_parse_message(
        &m, SPAN("{\"type\":\"error\",\"code\":\"backpressure\",\"retry_after_ms\":50,\"controller_id\":2}")));
    assert_string_equal(m.error.code, "backpressure");
    assert_int_equal(m.error.retry_after_ms, 50);
    assert_int_equal(m.error.controller_id, 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_numbers),
        cmocka_unit_test(integers_have_bounds),
        cmocka_unit_test(a_list_has_a_word),
        cmocka_unit_test(the_type_is_read),
        cmocka_unit_test(a_wrong_member_spoils_itself_alone),
        cmocka_unit_test(a_welcome_is_kept),
        cmocka_unit_test(a_reply_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
