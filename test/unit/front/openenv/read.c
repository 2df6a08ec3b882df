// Requests of OpenEnv clients: what is read, and what is wrong with the others (O13, O15, O21, O22, O29, O40, O41).
#include "front/openenv/openenv_read.h"
#include "games/games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void test_messages(void **state)
{
    static const struct {
        const char *text;
        int err;
        enum openenv_kind kind;
        const char *fault;
    } rows[] = {
        {"{\"type\":\"reset\"}", OK, OPENENV_RESET, NULL},
        {"{\"type\":\"reset\",\"data\":{\"seed\":1}}", OK, OPENENV_RESET, NULL},
        {"{\"type\":\"step\",\"data\":{}}", OK, OPENENV_STEP, NULL},
        {"{\"type\":\"state\",\"data\":7,\"more\":1}", OK, OPENENV_STATE, NULL}, // O29: ignored
        {"{\"type\":\"close\"}", OK, OPENENV_CLOSE, NULL},
        {"{\"type\":\"mcp\",\"data\":{}}", OK, OPENENV_MCP, NULL},
        {"{\"type\":\"validation_open\"}", OK, OPENENV_UNKNOWN, NULL},
        {"{\"type\":null}", OK, OPENENV_UNKNOWN, NULL},
        {"{}", OK, OPENENV_UNKNOWN, NULL},
        {"{\"type\":\"step\"}", ERR_TYPE, OPENENV_STEP, "missing"},
        {"{\"type\":\"step\",\"data\":[]}", ERR_TYPE, OPENENV_STEP, "dict_type"},
        {"{\"type\":\"step\",\"data\":{},\"x\":1}", ERR_TYPE, OPENENV_STEP, "extra_forbidden"},
        {"[]", ERR_TYPE, OPENENV_UNKNOWN, "dict_type"},
        {"\"reset\"", ERR_TYPE, OPENENV_UNKNOWN, "dict_type"},
    };
    static const char *const broken[] = {"", "{", "{\"type\":\"reset\"}x", "{'type':1}", "\xff", "nul"};
    struct openenv_message m;
    struct openenv_fault f;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(openenv_read_message(span_of(rows[i].text), &m, &f), rows[i].err);
        assert_int_equal(m.kind, rows[i].kind);
        if (rows[i].fault)
            assert_string_equal(f.type, rows[i].fault);
        else
            assert_null(f.type);
    }
    for (unsigned i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_int_not_equal(openenv_read_message(span_of(broken[i]), &m, &f), OK);
        assert_null(f.type); // no JSON at all
    }
}

static void test_resets(void **state)
{
    struct openenv_reset o;
    struct openenv_fault f;
    (void)state;
    assert_true(openenv_read_reset(SPAN("{}"), &o, &f));
    assert_false(o.has_seed);
    assert_int_equal(o.seat, OPENENV_ANY_SEAT);
    assert_int_equal(o.max_illegal, 10);
    assert_true(
        openenv_read_reset(SPAN("{\"seed\":18446744073709551615,\"seat\":\"seat_9\",\"text\":\"brief\",\"wait\":0,"
                                "\"illegal\":\"forfeit\",\"table\":\"t\",\"join\":\"j\",\"players\":3,\"steps\":"
                                "\"tick\",\"vector\":true,\"colour\":[{}],\"scenario\":null,\"session_id\":\"s\"}"),
                           &o, &f));
    assert_true(o.has_seed && o.seed == UINT64_MAX && o.vector && o.inputs);
    assert_int_equal(o.seat, 9);
    assert_int_equal(o.text, OPENENV_BRIEF);
    assert_int_equal(o.illegal, OPENENV_FORFEIT);
    assert_int_equal(o.players, 3);
    assert_true(o.wait_s == 0);
    assert_int_equal(o.warnings, 1); // O40: named, not refused
    assert_true(span_is(o.warned[0], "colour"));
    char strange[OPENENV_NAME + 8];
    int size = snprintf(strange, sizeof strange, "{\"%065d\":1}", 0);
    assert_true(openenv_read_reset((struct span){strange, (size_t)size}, &o, &f));
    assert_true(span_is(o.warned[0], "(long)")); // it comes back in every reply
    static const struct {
        const char *text, *fault, *loc;
    } rows[] = {
        {"{\"seed\":-1}", "greater_than_equal", "seed"},
        {"{\"seed\":18446744073709551616}", "int_type", "seed"},
        {"{\"seed\":true}", "int_type", "seed"},
        {"{\"seat\":10}", "less_than_equal", "seat"},
        {"{\"seat\":-3}", "greater_than_equal", "seat"},
        {"{\"seat\":\"seat_10\"}", "literal_error", "seat"},
        {"{\"seats\":0}", "greater_than_equal", "seats"},
        {"{\"table\":5}", "string_type", "table"},
        {"{\"table\":\"\\u0000\"}", "string_too_long", "table"},
        {"{\"vector\":1}", "bool_type", "vector"},
        {"{\"rules\":[]}", "dict_type", "rules"},
        {"{\"opponents\":5}", "string_type", "opponents"},
        {"{\"text\":\"long\"}", "literal_error", "text"},
        {"{\"wait\":-1}", "float_type", "wait"},
        {"{\"wait\":\"x\"}", "float_type", "wait"},
        {"[]", "dict_type", ""},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(openenv_read_reset(span_of(rows[i].text), &o, &f));
        assert_string_equal(f.type, rows[i].fault);
        assert_string_equal(f.loc[0], rows[i].loc);
    }
}

static void test_actions(void **state)
{
    static const struct {
        const char *text;
        int form; // -1: a fault
        const char *fault;
    } rows[] = {
        {"{\"type\":\"tax\"}", OPENENV_TYPED, NULL},
        {"{\"type\":\"challenge\",\"target\":null,\"role\":null,\"metadata\":{}}", OPENENV_TYPED, NULL}, // O22
        {"{\"type\":\"steal\",\"target\":\"seat_1\",\"index\":18,\"range\":{}}", OPENENV_TYPED, NULL},   // as listed
        {"{\"type\":\"wait\"}", OPENENV_WAITS, NULL},
        {"{\"type\":null,\"index\":3}", OPENENV_NUMBERED, NULL},
        {"{\"text\":\"tax\"}", OPENENV_SPOKEN, NULL},
        {"{\"type\":\"list_tools\"}", OPENENV_LISTS, NULL},
        {"{\"type\":\"call_tool\",\"tool_name\":\"play\"}", OPENENV_CALLS, NULL},
        {"{}", -1, "missing"},
        {"{\"colour\":1}", -1, "extra_forbidden"},
        {"{\"colour\":null}", -1, "extra_forbidden"},
        {"{\"type\":5}", -1, "string_type"},
        {"{\"index\":-1}", -1, "greater_than_equal"},
        {"{\"index\":1.5}", -1, "int_type"},
        {"{\"text\":{}}", -1, "string_type"},
        {"{\"type\":\"call_tool\"}", -1, "missing"},
        {"{\"type\":\"call_tool\",\"tool_name\":\"play\",\"arguments\":[]}", -1, "dict_type"},
        {"5", -1, "dict_type"},
        {"{\"type\":\"tax\"", -1, "dict_type"},
    };
    char names[OPENENV_PARAMS][40];
    int count = openenv_list_params(kit_environment(games_find("coup")), names);
    struct openenv_action a;
    struct openenv_fault f;
    (void)state;
    assert_int_equal(count, 4); // target, role, card_index, return_indices
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool read = openenv_read_action(span_of(rows[i].text), (const char(*)[40])names, count, &a, &f);
        assert_int_equal(read, rows[i].form >= 0);
        if (read)
            assert_int_equal(a.form, rows[i].form);
        else
            assert_string_equal(f.type, rows[i].fault);
    }
}

static void test_faults_are_cut(void **state)
{
    char bytes[1024], text[2048] = {0};
    struct text order = text_on(text, sizeof text - 1);
    struct text t = text_on(bytes, sizeof bytes);
    struct openenv_reset o;
    struct openenv_fault f;
    (void)state;
    text_puts(&order, "{\"seats\":\"");
    for (int i = 0; i < 300; i++)
        text_puts(&order, "\xc3\xa9"); // a cut must not split a character
    text_puts(&order, "\"}");
    assert_false(openenv_read_reset(span_of(text), &o, &f));
    openenv_write_fault(&t, &f, true);
    assert_false(t.full);
    assert_true(t.size < 900);
    struct json_reader r = json_reader_of(text_span(&t), 8);
    json_skip(&r);
    assert_int_equal(json_finish(&r), OK);
    char clean[128];
    struct text u = text_on(clean, sizeof clean);
    openenv_write_without_nulls(&u, SPAN("{\"a\":null,\"type\":\"tax\",\"b\":null,\"c\":[null]}"));
    assert_true(span_is(text_span(&u), "{\"type\":\"tax\",\"c\":[null]}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_faults_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
