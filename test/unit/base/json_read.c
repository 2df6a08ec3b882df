#include "base/json_read.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { DEPTH = 8 };

// Any one document, checked and passed over.
static int verdict(struct span text)
{
    struct json_reader r = json_reader_of(text, DEPTH);
    json_skip(&r);
    return json_finish(&r);
}

static void documents_are_judged(void **unused)
{
    (void)unused;
    const struct {
        struct span text;
        int err;
    } cases[] = {
        {SPAN("null"), OK},
        {SPAN(" \t\r\n true \n"), OK},
        {SPAN("false"), OK},
        {SPAN("\"\""), OK},
        {SPAN("0"), OK},
        {SPAN("[]"), OK},
        {SPAN("{}"), OK},
        {SPAN("[ ]"), OK},
        {SPAN("{ }"), OK},
        {SPAN("[1,2 , 3]"), OK},
        {SPAN("{\"a\":1 , \"b\" : [ {} , [] ] }"), OK},
        {SPAN("{\"\":{\"\":0}}"), OK},
        {SPAN("[[[[[[[[]]]]]]]]"), OK}, // exactly as deep as allowed
        // nothing, or not one thing
        {SPAN(""), ERR_JSON},
        {SPAN(" \n"), ERR_JSON},
        {SPAN("1 2"), ERR_JSON},
        {SPAN("{}{}"), ERR_JSON},
        {SPAN("null,"), ERR_JSON},
        {SPAN("[]]"), ERR_JSON},
        {SPAN("\0"), ERR_JSON},
        {SPAN("1\0"), ERR_JSON},
        {SPAN("\xef\xbb\xbf{}"), ERR_JSON}, // a byte order mark is no white space
        {SPAN("\x0b"
              "1"),
         ERR_JSON},
        // words
        {SPAN("nul"), ERR_JSON},
        {SPAN("nulL"), ERR_JSON},
        {SPAN("True"), ERR_JSON},
        {SPAN("truefalse"), ERR_JSON},
        {SPAN("NaN"), ERR_JSON},
        {SPAN("Infinity"), ERR_JSON},
        {SPAN("-Infinity"), ERR_JSON},
        {SPAN("undefined"), ERR_JSON},
        {SPAN("'a'"), ERR_JSON},
        {SPAN("// no\n1"), ERR_JSON},
        // brackets and commas
        {SPAN("["), ERR_JSON},
        {SPAN("{"), ERR_JSON},
        {SPAN("]"), ERR_JSON},
        {SPAN("[1"), ERR_JSON},
        {SPAN("[1,"), ERR_JSON},
        {SPAN("[1,]"), ERR_JSON},
        {SPAN("[,1]"), ERR_JSON},
        {SPAN("[,]"), ERR_JSON},
        {SPAN("[1,,2]"), ERR_JSON},
        {SPAN("[1 2]"), ERR_JSON},
        {SPAN("[1}"), ERR_JSON},
        {SPAN("{\"a\":1]"), ERR_JSON},
        {SPAN("{\"a\"}"), ERR_JSON},
        {SPAN("{\"a\":}"), ERR_JSON},
        {SPAN("{\"a\" 1}"), ERR_JSON},
        {SPAN("{\"a\":1,}"), ERR_JSON},
        {SPAN("{,\"a\":1}"), ERR_JSON},
        {SPAN("{,}"), ERR_JSON},
        {SPAN("{a:1}"), ERR_JSON},
        {SPAN("{1:1}"), ERR_JSON},
        {SPAN("{\"a\":1 \"b\":2}"), ERR_JSON},
        {SPAN("{\"a\":1:2}"), ERR_JSON},
        {SPAN("[\"a\":1]"), ERR_JSON},
        // depth
        {SPAN("[[[[[[[[[]]]]]]]]]"), ERR_DEPTH},
        {SPAN("{\"a\":[[[[[[[{}]]]]]]]}"), ERR_DEPTH},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (verdict(cases[i].text) != cases[i].err)
            fail_msg("%.*s: %d", (int)cases[i].text.size, cases[i].text.at, verdict(cases[i].text));
    assert_int_equal(verdict((struct span){0}), ERR_JSON);
}

static void the_grammar_of_numbers(void **unused)
{
    (void)unused;
    static const char *const good[] = {
        "0",   "-0",   "1",    "10",  "-1",    "1.0",   "0.5",
        "1e1", "1E+1", "1e-1", "0e0", "1.5e9", "1e999", "123456789012345678901234567890"};
    static const char *const bad[] = {"-",   "+1",  "01",  "-01",   ".5",   "1.", "1.e1", "1e",   "1e+",
                                      "--1", "0x1", "1_0", "1e1.5", "1ee1", "00", "-.5",  "1.5.", "0e"};
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        if (verdict(span_of(good[i])) != OK)
            fail_msg("%s", good[i]);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        if (verdict(span_of(bad[i])) != ERR_JSON)
            fail_msg("%s", bad[i]);
}

// Between quotes; what it means, or why it is refused.
static void strings_are_judged_and_unescaped(void **unused)
{
    (void)unused;
    const struct {
        struct span json, means;
        int err;
    } cases[] = {
        {SPAN("\"\""), SPAN(""), OK},
        {SPAN("\"a b\""), SPAN("a b"), OK},
        {SPAN("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), SPAN("\"\\/\b\f\n\r\t"), OK},
        {SPAN("\"\\u0041\\u00e9\\u2660\""), SPAN("A\xc3\xa9\xe2\x99\xa0"), OK},
        {SPAN("\"\\uD83C\\uDCa1\""), SPAN("\xf0\x9f\x82\xa1"), OK},
        {SPAN("\"\\udbff\\udfff\""), SPAN("\xf4\x8f\xbf\xbf"), OK},
        {SPAN("\"a\\u0000b\""), SPAN("a\0b"), OK},
        {SPAN("\"\x7f\""), SPAN("\x7f"), OK},
        // raw UTF-8, the first and last of each length
        {SPAN("\"\xc2\x80\xdf\xbf\""), SPAN("\xc2\x80\xdf\xbf"), OK},
        {SPAN("\"\xe0\xa0\x80\xef\xbf\xbf\""), SPAN("\xe0\xa0\x80\xef\xbf\xbf"), OK},
        {SPAN("\"\xed\x9f\xbf\xee\x80\x80\""), SPAN("\xed\x9f\xbf\xee\x80\x80"), OK},
        {SPAN("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""), SPAN("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), OK},
        // bad UTF-8
        {SPAN("\"\x80\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xbf\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xc0\x80\""), SPAN(""), ERR_UTF8}, // overlong
        {SPAN("\"\xc1\xbf\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xe0\x9f\xbf\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xf0\x8f\xbf\xbf\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xed\xa0\x80\""), SPAN(""), ERR_UTF8}, // a surrogate
        {SPAN("\"\xed\xbf\xbf\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xf4\x90\x80\x80\""), SPAN(""), ERR_UTF8}, // beyond Unicode
        {SPAN("\"\xf5\x80\x80\x80\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xff\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xc3\""), SPAN(""), ERR_UTF8}, // cut short by the quote
        {SPAN("\"\xe2\x99\""), SPAN(""), ERR_UTF8},
        {SPAN("\"\xe2\x99"), SPAN(""), ERR_UTF8}, // by the end
        {SPAN("\"\xc3\x28\""), SPAN(""), ERR_UTF8},
        // bad escapes and lone surrogates
        {SPAN("\"\\"), SPAN(""), ERR_JSON},
        {SPAN("\"\\\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\a\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\\0\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\u12\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\u12g4\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\u123"), SPAN(""), ERR_JSON},
        {SPAN("\"\\U0041\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\ud83c\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\ud83c\\n\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\ud83cxuDCA1\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\ud83c\\ud83c\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\ud83c\\u0041\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\ud83c\\udca\""), SPAN(""), ERR_JSON},
        {SPAN("\"\\udca1\\ud83c\""), SPAN(""), ERR_JSON},
        // control characters, no end
        {SPAN("\"a\nb\""), SPAN(""), ERR_JSON},
        {SPAN("\"\x1f\""), SPAN(""), ERR_JSON},
        {SPAN("\"\0\""), SPAN(""), ERR_JSON},
        {SPAN("\"a"), SPAN(""), ERR_JSON},
        {SPAN("\""), SPAN(""), ERR_JSON},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_reader r = json_reader_of(cases[i].json, DEPTH);
        struct json_string s = json_read_string(&r);
        if (json_finish(&r) != cases[i].err || verdict(cases[i].json) != cases[i].err)
            fail_msg("%.*s: %d", (int)cases[i].json.size, cases[i].json.at, r.error);
        char copy[64];
        assert_int_equal(json_string_unescape(s, copy, sizeof copy), cases[i].means.size);
        assert_memory_equal(copy, cases[i].means.at, cases[i].means.size + 1);
    }
}

// The same words in every place, in a string that ends where the memory does.
static void every_byte_is_judged_alike_at_every_place(void **unused)
{
    (void)unused;
    for (int byte = 0; byte < 256; byte++)
        for (size_t size = 1; size <= 20; size++)
            for (size_t at = 1; at <= size; at++) {
                char *line = malloc(size + 2);
                assert_non_null(line);
                memset(line, 'x', size + 1);
                line[0] = line[size + 1] = '"';
                line[at] = (char)byte;
                struct json_reader r = json_reader_of((struct span){line, size + 2}, 4);
                struct json_string s = json_read_string(&r);
                int err = json_finish(&r);
                bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
                assert_int_equal(err, plain ? OK : byte >= 0x80 ? ERR_UTF8 : ERR_JSON);
                assert_int_equal(s.raw.size, byte == '"' ? at - 1 : plain ? size : 0);
                free(line);
            }
}

static void a_copy_fits_or_is_refused(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("\"ab\\u00e9\""), DEPTH);
    struct json_string s = json_read_string(&r);
    char copy[8];
    assert_int_equal(json_string_copy(s, copy, 5), 4);
    assert_int_equal(json_string_copy(s, copy, 4), -1); // no room for the NUL
    assert_int_equal(json_string_copy(s, copy, 3), -1);
    assert_string_equal(copy, "");
    assert_int_equal(json_string_copy(s, copy, 0), -1);
}

static void a_copy_has_no_nul_inside(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("\"ab\\u0000c\""), DEPTH);
    struct json_string s = json_read_string(&r);
    char copy[8];
    assert_int_equal(json_string_unescape(s, copy, sizeof copy), 4);
    assert_memory_equal(copy, "ab\0c", 5);
    assert_int_equal(json_string_copy(s, copy, sizeof copy), -1);
    assert_string_equal(copy, "");
}

static void a_member_is_copied_or_empty(void **unused)
{
    (void)unused;
    const struct {
        const char *object, *copy;
        int size;
    } cases[] = {
        {"{\"a\":\"seed\"}", "seed", 4}, {"{\"a\":\"s\\u0065ed\"}", "seed", 4},
        {"{\"a\":\"\"}", "", 0},         {"{\"a\":\"seeds\"}", "", -1},
        {"{\"a\":12}", "", -1},          {"{\"a\":null}", "", -1},
        {"{\"b\":\"seed\"}", "", -1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[5] = "old";
        assert_int_equal(json_copy_text(json_member(span_of(cases[i].object), "a"), copy, sizeof copy), cases[i].size);
        assert_string_equal(copy, cases[i].copy);
    }
}

static void a_whole_text_has_a_type(void **unused)
{
    (void)unused;
    const struct {
        const char *text;
        enum json_type type;
    } cases[] = {
        {"{}", JSON_OBJECT},    {" [[1]] ", JSON_ARRAY}, {"null", JSON_NULL},  {"1", JSON_INT},
        {"\"a\"", JSON_STRING}, {"", JSON_NONE},         {"{} {}", JSON_NONE}, {"{\"a\"}", JSON_NONE},
        {"[[[", JSON_NONE},     {"[[[1]]]", JSON_NONE},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(json_type_of(span_of(cases[i].text), 2), cases[i].type);
}

static struct json_string string_of(const char *json)
{
    struct json_reader r = json_reader_of(span_of(json), DEPTH);
    return json_read_string(&r);
}

static void strings_are_compared_unescaped(void **unused)
{
    (void)unused;
    static const char *const words[] = {"check", "raise", "all_in", NULL};
    assert_true(json_string_is(string_of("\"seed\""), "seed"));
    assert_true(json_string_is(string_of("\"\\u0073eed\""), "seed"));
    assert_false(json_string_is(string_of("\"seed\""), "see"));
    assert_false(json_string_is(string_of("\"see\""), "seed"));
    assert_false(json_string_is(string_of("\"\\u0073ee\""), "seed"));
    assert_false(json_string_is(string_of("\"seed\\u0000\""), "seed"));
    assert_false(json_string_is(string_of("\"Seed\""), "seed"));
    assert_true(json_string_is(string_of("\"\""), ""));
    assert_int_equal(json_string_among(string_of("\"raise\""), words), 1);
    assert_int_equal(json_string_among(string_of("\"all\\u005fin\""), words), 2);
    assert_int_equal(json_string_among(string_of("\"RAISE\""), words), -1);
    assert_int_equal(json_string_among(string_of("\"\""), words), -1);
    assert_int_equal(json_string_among_nocase(string_of("\"rAiSe\""), words), 1);
    assert_int_equal(json_string_among_nocase(string_of("\"\\u0041LL_IN\""), words), 2);
    assert_int_equal(json_string_among_nocase(string_of("\"raises\""), words), -1);
    assert_int_equal(json_string_among_nocase(string_of("\"all?in\""), words), -1);
}

static void types_are_seen_ahead(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        enum json_type type;
    } cases[] = {
        {" null", JSON_NULL},
        {"true", JSON_BOOL},
        {"false", JSON_BOOL},
        {"\"x\"", JSON_STRING},
        {"[1]", JSON_ARRAY},
        {"{}", JSON_OBJECT},
        {"0", JSON_INT},
        {"-9223372036854775808", JSON_INT},
        {"18446744073709551615", JSON_INT},
        {"18446744073709551616", JSON_REAL}, // beyond 64 bits
        {"-9223372036854775809", JSON_REAL},
        {"1.0", JSON_REAL},
        {"1e2", JSON_REAL},
        {"", JSON_NONE},
        {"]", JSON_NONE},
        {"-", JSON_NONE},
        {"01", JSON_NONE},
        {"x", JSON_NONE},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_reader r = json_reader_of(span_of(cases[i].text), DEPTH);
        assert_int_equal(json_peek(&r), cases[i].type);
        assert_int_equal(r.error, OK); // looking is not judging
    }
}

static void integers_stay_in_range(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int64_t min, max, value;
        int err;
    } cases[] = {
        {"0", 0, 0, 0, OK},
        {"-0", 0, 10, 0, OK},
        {"10", 0, 10, 10, OK},
        {"11", 0, 10, 0, ERR_RANGE},
        {"-1", 0, 10, 0, ERR_RANGE},
        {"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX, OK},
        {"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN, OK},
        {"9223372036854775808", INT64_MIN, INT64_MAX, 0, ERR_RANGE},
        {"-9223372036854775809", INT64_MIN, INT64_MAX, 0, ERR_RANGE},
        {"18446744073709551616", INT64_MIN, INT64_MAX, 0, ERR_RANGE},
        {"99999999999999999999999999", INT64_MIN, INT64_MAX, 0, ERR_RANGE},
        {"1.0", 0, 10, 0, ERR_TYPE}, // a fraction is no integer, whatever it is worth
        {"1e0", 0, 10, 0, ERR_TYPE},
        {"true", 0, 10, 0, ERR_TYPE},
        {"\"1\"", 0, 10, 0, ERR_TYPE},
        {"null", 0, 10, 0, ERR_TYPE},
        {"", 0, 10, 0, ERR_JSON},
        {"1 x", 0, 10, 1, ERR_JSON},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_reader r = json_reader_of(span_of(cases[i].text), DEPTH);
        assert_true(json_read_int(&r, cases[i].min, cases[i].max) == cases[i].value);
        assert_int_equal(json_finish(&r), cases[i].err);
    }
}

static void unsigned_integers_stay_in_range(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t max, value;
        int err;
    } cases[] = {
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, OK},
        {"18446744073709551616", UINT64_MAX, 0, ERR_RANGE},
        {"4294967295", UINT32_MAX, UINT32_MAX, OK},
        {"4294967296", UINT32_MAX, 0, ERR_RANGE},
        {"-0", 5, 0, OK},
        {"-1", UINT64_MAX, 0, ERR_RANGE},
        {"0.5", UINT64_MAX, 0, ERR_TYPE},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_reader r = json_reader_of(span_of(cases[i].text), DEPTH);
        assert_true(json_read_uint(&r, cases[i].max) == cases[i].value);
        assert_int_equal(json_finish(&r), cases[i].err);
    }
}

// How many doubles lie between a and b, both of one sign.
static int64_t apart(double a, double b)
{
    int64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x > y ? x - y : y - x;
}

static void reals_are_right_to_the_last_place_but_one(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "-1.5",
        "0.1",
        "3.141592653589793",
        "1e22",
        "1e23",
        "123456789e-20",
        "1e308",
        "5e-324",
        "2e-310",
        "1e-400",
        "0e99999",
        "0.000000000000000000000000000001e30",
        "1.7976931348623157e308",
        "1.79769313486231570814e308",
        "-1.7976931348623157e+308",
        "2.2250738585072014e-308",
        "12345678901234567890123456789012345678901234567890",
        "0.1234567890123456789012345678901234567890",
        "100000000000000000000000000000000000000000000000000e-50",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_reader r = json_reader_of(span_of(texts[i]), DEPTH);
        double ours = json_read_real(&r), theirs = strtod(texts[i], NULL);
        if (json_finish(&r) != OK || (ours != theirs && apart(ours, theirs) > 1))
            fail_msg("%s: %.17g", texts[i], ours);
    }
}

static void reals_are_never_infinite(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"1e309",   "-1e309",         "1.8e308", "1.797693134862316e308",
                                        "1e99999", "-1e999999999999"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_reader r = json_reader_of(span_of(texts[i]), DEPTH);
        assert_true(json_read_real(&r) == 0);
        assert_int_equal(json_finish(&r), ERR_RANGE);
    }
    struct json_reader r = json_reader_of(SPAN("\"1\""), DEPTH);
    json_read_real(&r);
    assert_int_equal(json_finish(&r), ERR_TYPE);
}

static void words_have_types(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("[true,false,null,null,1]"), DEPTH);
    json_enter_array(&r);
    assert_true(json_next_item(&r) && json_read_bool(&r));
    assert_true(json_next_item(&r) && !json_read_bool(&r));
    assert_true(json_next_item(&r));
    json_read_null(&r);
    assert_true(json_next_item(&r) && json_read_if_null(&r));
    assert_true(json_next_item(&r) && !json_read_if_null(&r)); // the value is still there
    assert_int_equal(json_read_int(&r, 0, 9), 1);
    assert_false(json_next_item(&r));
    assert_int_equal(json_finish(&r), OK);

    r = json_reader_of(SPAN("1"), DEPTH);
    assert_false(json_read_bool(&r));
    assert_int_equal(json_finish(&r), ERR_TYPE);
    r = json_reader_of(SPAN("1"), DEPTH);
    json_read_null(&r);
    assert_int_equal(json_finish(&r), ERR_TYPE);
    r = json_reader_of(SPAN("{}"), DEPTH);
    json_enter_array(&r);
    assert_false(json_next_item(&r));
    assert_int_equal(json_finish(&r), ERR_TYPE);
    r = json_reader_of(SPAN("nul"), DEPTH);
    assert_false(json_read_if_null(&r));
    assert_int_equal(json_finish(&r), ERR_JSON);
}

struct order {
    int64_t seed, bet;
    bool fast;
};

// The form that json_read.h recommends.
static int read_order(struct span text, struct order *out)
{
    struct json_reader r = json_reader_of(text, DEPTH);
    struct json_string key;
    struct order o = {0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "seed"))
            o.seed = json_read_int(&r, 0, 1000);
        else if (json_string_is(key, "bet"))
            o.bet = json_read_int(&r, -5, 5);
        else if (json_string_is(key, "fast"))
            o.fast = json_read_bool(&r);
        else
            json_skip(&r);
    if (json_finish(&r) == OK)
        *out = o;
    return r.error;
}

static void objects_are_read_as_they_come(void **unused)
{
    (void)unused;
    struct order o = {0};
    assert_int_equal(read_order(SPAN("{\"x\":[{\"seed\":9}],\"seed\":7,\"fast\":true,\"y\":null,\"bet\":-5}"), &o), OK);
    assert_true(o.seed == 7 && o.bet == -5 && o.fast);
    assert_int_equal(read_order(SPAN("{\"seed\":1,\"seed\":2,\"see\\u0064\":3}"), &o), OK);
    assert_int_equal(o.seed, 3); // the last one wins

    const struct order before = o;
    assert_int_equal(read_order(SPAN("{\"seed\":1001,\"bet\":\"x\"}"), &o), ERR_RANGE); // the first error stays
    assert_int_equal(read_order(SPAN("{\"bet\":\"x\",\"seed\":1001}"), &o), ERR_TYPE);
    assert_int_equal(read_order(SPAN("{\"seed\":4"), &o), ERR_JSON);
    assert_int_equal(read_order(SPAN("[1]"), &o), ERR_TYPE);
    assert_int_equal(read_order(SPAN(""), &o), ERR_JSON);
    assert_memory_equal(&o, &before, sizeof o);
}

static void after_an_error_nothing_is_answered(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("[1,2,\"x\",true,null]"), DEPTH);
    struct json_string key;
    json_fail(&r, ERR_MISSING);
    json_fail(&r, ERR_RANGE);
    json_enter_array(&r);
    json_enter_object(&r);
    json_skip(&r);
    json_read_null(&r);
    assert_false(json_next_item(&r) || json_next_key(&r, &key) || json_read_bool(&r) || json_read_if_null(&r));
    assert_true(json_read_int(&r, 5, 9) == 0 && json_read_uint(&r, 9) == 0 && json_read_real(&r) == 0);
    assert_int_equal(json_peek(&r), JSON_NONE);
    assert_int_equal(json_read_string(&r).raw.size, 0);
    assert_int_equal(json_read_raw(&r).size, 0);
    assert_int_equal(json_finish(&r), ERR_MISSING);
}

static void raw_values_are_the_bytes_they_stand_in(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("{\"a\": [1, {\"b\" :2}] ,\"c\":1e5}"), DEPTH);
    struct json_string key;
    json_enter_object(&r);
    assert_true(json_next_key(&r, &key));
    assert_true(span_is(json_read_raw(&r), "[1, {\"b\" :2}]"));
    assert_true(json_next_key(&r, &key));
    assert_true(span_is(json_read_raw(&r), "1e5"));
    assert_false(json_next_key(&r, &key));
    assert_int_equal(json_finish(&r), OK);
}

static void values_come_with_their_type(void **unused)
{
    (void)unused;
    const struct {
        struct span text;
        enum json_type type;
        bool escaped;
    } cases[] = {
        {SPAN("null"), JSON_NULL, false},
        {SPAN("true"), JSON_BOOL, false},
        {SPAN("-12"), JSON_INT, false},
        {SPAN("18446744073709551615"), JSON_INT, false},
        {SPAN("18446744073709551616"), JSON_REAL, false}, // beyond 64 bits
        {SPAN("4.0"), JSON_REAL, false},
        {SPAN("1e5"), JSON_REAL, false},
        {SPAN("\"a b\""), JSON_STRING, false},
        {SPAN("\"a\\n\""), JSON_STRING, true},
        {SPAN("[1, {\"b\" :2}]"), JSON_ARRAY, false},
        {SPAN("{\"a\":[]}"), JSON_OBJECT, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[64];
        int size = snprintf(bytes, sizeof bytes, "[ %s , 7]", cases[i].text.at);
        struct json_reader r = json_reader_of((struct span){bytes, (size_t)size}, DEPTH);
        json_enter_array(&r);
        assert_true(json_next_item(&r));
        struct json_value v = json_read_value(&r);
        assert_int_equal(v.type, cases[i].type);
        assert_int_equal(v.escaped, cases[i].escaped);
        assert_true(span_equals(v.raw, cases[i].text));
        assert_true(json_next_item(&r));
        assert_int_equal(json_read_int(&r, 0, 9), 7);
        assert_false(json_next_item(&r));
        assert_int_equal(json_finish(&r), OK);
    }
    struct json_reader r = json_reader_of(SPAN("\"in side\""), DEPTH);
    assert_true(json_string_is(json_value_string(json_read_value(&r)), "in side"));
    const struct span bad[] = {SPAN(""), SPAN("tru"), SPAN("\"a"), SPAN("01"), SPAN("[1,]"), SPAN("{\"a\"}")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        r = json_reader_of(bad[i], DEPTH);
        struct json_value v = json_read_value(&r);
        assert_true(json_finish(&r) != OK);
        assert_int_equal(v.raw.size && v.type != JSON_INT, 0); // 0 of 01 is a number, and 1 is too much
    }
}

static void a_copy_is_a_bookmark(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("[[1,2],3,x"), DEPTH);
    json_enter_array(&r);
    assert_true(json_next_item(&r));
    struct json_reader ahead = r;
    json_skip(&ahead);
    assert_true(json_next_item(&ahead));
    assert_int_equal(json_read_int(&ahead, 0, 9), 3);
    assert_true(json_next_item(&ahead));
    json_skip(&ahead);
    assert_int_equal(json_finish(&ahead), ERR_JSON);

    json_enter_array(&r); // the original stands where it stood
    assert_true(json_next_item(&r));
    assert_int_equal(json_read_int(&r, 0, 9), 1);
    assert_int_equal(r.error, OK);
}

// Values known by their bytes: commas and brackets around them are asked for as ever.
static void known_values_are_passed(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int err;
    } rows[] = {{"[{},{}]", OK}, {"[{} ,{} ]", OK}, {"[{}{}]", ERR_JSON}, {"[{},]", ERR_JSON}, {"[{}", ERR_JSON}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_reader r = json_reader_of(span_of(rows[i].text), 4);
        for (json_enter_array(&r); json_next_item(&r);)
            if (r.end - r.at >= 2 && memcmp(r.at, "{}", 2) == 0)
                json_pass(&r, r.at + 2);
            else
                json_skip(&r);
        assert_int_equal(json_finish(&r), rows[i].err);
    }
}

static void unfinished_is_not_finished(void **unused)
{
    (void)unused;
    struct json_reader r = json_reader_of(SPAN("[1]"), DEPTH);
    json_enter_array(&r);
    json_next_item(&r);
    json_read_int(&r, 0, 9);
    assert_int_equal(json_finish(&r), ERR_JSON); // the bracket is still open
    r = json_reader_of(SPAN("1"), DEPTH);
    assert_int_equal(json_finish(&r), ERR_JSON); // nothing has been read
}

static void depth_has_a_ceiling_of_64(void **unused)
{
    (void)unused;
    char text[130];
    for (int depth = 63; depth <= 65; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        struct json_reader r = json_reader_of((struct span){text, (size_t)(2 * depth)}, 1000);
        json_skip(&r);
        assert_int_equal(json_finish(&r), depth <= 64 ? OK : ERR_DEPTH);
    }
    struct json_reader r = json_reader_of(SPAN("[]"), 0);
    json_skip(&r);
    assert_int_equal(json_finish(&r), ERR_DEPTH);
}

static void every_cut_of_a_document_is_refused(void **unused)
{
    (void)unused;
    static const char whole[] = "{\"a\":[1.5e3,true,null,\"\\ud83c\\udca1 \xe2\x99\xa0\"],\"b\":{\"c\":-7}}";
    assert_int_equal(verdict(SPAN(whole)), OK);
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        char *cut = malloc(size + 1); // exactly as long, so that the sanitizer sees a byte too far
        memcpy(cut, whole, size);
        char *tight = realloc(cut, size ? size : 1);
        assert_int_not_equal(verdict((struct span){tight, size}), OK);
        free(tight);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_judged),
        cmocka_unit_test(the_grammar_of_numbers),
        cmocka_unit_test(strings_are_judged_and_unescaped),
        cmocka_unit_test(every_byte_is_judged_alike_at_every_place),
        cmocka_unit_test(a_copy_fits_or_is_refused),
        cmocka_unit_test(a_copy_has_no_nul_inside),
        cmocka_unit_test(a_member_is_copied_or_empty),
        cmocka_unit_test(a_whole_text_has_a_type),
        cmocka_unit_test(strings_are_compared_unescaped),
        cmocka_unit_test(types_are_seen_ahead),
        cmocka_unit_test(integers_stay_in_range),
        cmocka_unit_test(unsigned_integers_stay_in_range),
        cmocka_unit_test(reals_are_right_to_the_last_place_but_one),
        cmocka_unit_test(reals_are_never_infinite),
        cmocka_unit_test(words_have_types),
        cmocka_unit_test(objects_are_read_as_they_come),
        cmocka_unit_test(after_an_error_nothing_is_answered),
        cmocka_unit_test(raw_values_are_the_bytes_they_stand_in),
        cmocka_unit_test(values_come_with_their_type),
        cmocka_unit_test(a_copy_is_a_bookmark),
        cmocka_unit_test(known_values_are_passed),
        cmocka_unit_test(unfinished_is_not_finished),
        cmocka_unit_test(depth_has_a_ceiling_of_64),
        cmocka_unit_test(every_cut_of_a_document_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
