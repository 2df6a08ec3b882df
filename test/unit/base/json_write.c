#include "base/json_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_text(const struct text *t, const char *expected)
{
    assert_false(t->full);
    assert_int_equal(t->size, strlen(expected));
    assert_memory_equal(t->at, expected, t->size);
}

static void commas_come_by_themselves(void **unused)
{
    (void)unused;
    char room[512];
    struct text t = text_on(room, sizeof room);
    json_begin_object(&t);
    json_put_int(&t, "i", INT64_MIN);
    json_put_uint(&t, "u", UINT64_MAX);
    json_put_bool(&t, "t", true);
    json_put_bool(&t, "f", false);
    json_put_null(&t, "n");
    json_put_decimal(&t, "d", -2.5, 3);
    json_put_text(&t, "none", NULL);
    json_put_string(&t, "s", SPAN("a:b,c[{"));
    json_key(&t, "list");
    json_begin_array(&t);
    json_begin_array(&t);
    json_end_array(&t);
    json_begin_object(&t);
    json_end_object(&t);
    json_write_int(&t, 1);
    json_write_text(&t, "");
    json_write_raw(&t, SPAN("{\"x\":1}"));
    json_end_array(&t);
    json_end_object(&t);
    assert_text(&t, "{\"i\":-9223372036854775808,\"u\":18446744073709551615,\"t\":true,\"f\":false,\"n\":null,"
                    "\"d\":-2.5,\"none\":null,\"s\":\"a:b,c[{\",\"list\":[[],{},1,\"\",{\"x\":1}]}");
}

static void each_line_begins_anew(void **unused)
{
    (void)unused;
    char room[64];
    struct text t = text_on(room, sizeof room);
    for (int i = 0; i < 2; i++) {
        json_begin_array(&t);
        json_write_int(&t, i);
        json_end_array(&t);
        text_put_char(&t, '\n');
    }
    assert_text(&t, "[0]\n[1]\n");
}

static void strings_are_ascii_and_escaped(void **unused)
{
    (void)unused;
    const struct {
        struct span raw;
        const char *json;
    } cases[] = {
        {SPAN(""), "\"\""},
        {SPAN("plain ~"), "\"plain ~\""},
        {SPAN("\"\\/"), "\"\\\"\\\\/\""},
        {SPAN("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
        {SPAN("\0\x1f\x7f"), "\"\\u0000\\u001f\\u007f\""},
        {SPAN("\xc3\xa9"), "\"\\u00e9\""},
        {SPAN("\xe2\x99\xa0"), "\"\\u2660\""},
        {SPAN("\xf0\x9f\x82\xa1"), "\"\\ud83c\\udca1\""},
        {SPAN("\xf4\x8f\xbf\xbf"), "\"\\udbff\\udfff\""},
        {SPAN("a\x80z"), "\"a\\ufffdz\""},        // a follower without a leader
        {SPAN("\xc3z"), "\"\\ufffdz\""},          // a leader without a follower
        {SPAN("\xc0\xaf"), "\"\\ufffd\\ufffd\""}, // overlong
        {SPAN("\xe0\x9f\xbf!"), "\"\\ufffd\\ufffd\\ufffd!\""},
        {SPAN("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\""},            // a surrogate
        {SPAN("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, // beyond Unicode
        {SPAN("\xe2\x99"), "\"\\ufffd\\ufffd\""},                       // cut short
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[128];
        struct text t = text_on(room, sizeof room);
        json_write_string(&t, cases[i].raw);
        assert_text(&t, cases[i].json);
    }
}

// Words are looked at as a whole: wherever a byte stands, it is told like one that stands alone.
static void every_byte_is_told_alike_at_every_place(void **unused)
{
    (void)unused;
    for (int byte = 0; byte < 256; byte++) {
        char alone[16], one = (char)byte;
        struct text a = text_on(alone, sizeof alone);
        json_write_string(&a, (struct span){&one, 1});
        for (size_t size = 1; size <= 20; size++)
            for (size_t at = 0; at < size; at++) {
                char raw[20], room[64], expected[64];
                memset(raw, 'x', size);
                raw[at] = one;
                struct text t = text_on(room, sizeof room), e = text_on(expected, sizeof expected - 1);
                text_put_char(&e, '"');
                for (size_t i = 0; i < size; i++)
                    text_put(&e, i == at ? (struct span){alone + 1, a.size - 2} : SPAN("x"));
                text_put(&e, SPAN("\"\0"));
                json_write_string(&t, (struct span){raw, size});
                assert_text(&t, expected);
            }
    }
}

// Short words are written in a way of their own: wherever a byte stands, and however little room there is.
static void words_are_told_like_strings(void **unused)
{
    (void)unused;
    for (int byte = 1; byte < 256; byte++)
        for (size_t size = 0; size <= 30; size++)
            for (size_t room = 0; room <= 48; room++) {
                char word[31] = "", by_word[48], by_string[48];
                memset(word, 'x', size);
                word[size / 2] = size ? (char)byte : 0;
                struct text w = text_on(by_word, room), s = text_on(by_string, room);
                json_write_text(&w, word);
                json_write_text(&w, word);
                json_write_string(&s, span_of(word));
                json_write_string(&s, span_of(word));
                assert_int_equal(w.full, s.full);
                assert_int_equal(w.size, s.size);
                assert_memory_equal(by_word, by_string, w.size);
            }
}

static void what_is_no_number_is_null(void **unused)
{
    (void)unused;
    char room[64];
    struct text t = text_on(room, sizeof room);
    json_begin_array(&t);
    json_write_decimal(&t, (double)NAN, 2);
    json_write_decimal(&t, (double)INFINITY, 2);
    json_write_decimal(&t, -(double)INFINITY, 2);
    json_write_decimal(&t, 0.125, 2);
    json_end_array(&t);
    assert_text(&t, "[null,null,null,0.13]");
}

static void a_full_text_stays_a_prefix(void **unused)
{
    (void)unused;
    const char *whole = "{\"a\":[1,2],\"b\":\"c\\n\"}";
    for (size_t size = 0; size < strlen(whole); size++) {
        char room[64];
        struct text t = text_on(room, size);
        json_begin_object(&t);
        json_key(&t, "a");
        json_begin_array(&t);
        json_write_int(&t, 1);
        json_write_int(&t, 2);
        json_end_array(&t);
        json_put_text(&t, "b", "c\n");
        json_end_object(&t);
        assert_true(t.full);
        assert_true(t.size <= size);
        assert_memory_equal(room, whole, t.size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_come_by_themselves),     cmocka_unit_test(each_line_begins_anew),
        cmocka_unit_test(strings_are_ascii_and_escaped), cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(a_full_text_stays_a_prefix),    cmocka_unit_test(every_byte_is_told_alike_at_every_place),
        cmocka_unit_test(words_are_told_like_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
