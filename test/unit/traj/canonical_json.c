// One form for every value, there and back through MessagePack.
#include "traj/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

// A hundred digits.
#define TEN  "9999999999"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void test_canon(void **state)
{
    static const struct {
        const char *json, *form; // NULL: refused
    } cases[] = {
        {" { \"a\" : [ 1 , 2.50 ] } ", "{\"a\":[1,2.5]}"},
        {"1e3", "1000"},
        {"-0.0", "0"},
        {"0.1", "0.1"},
        {"0.30000000000000004", "0.30000000000000004"},
        {"1e-7", "1e-07"},
        {"9007199254740993", "9007199254740993"}, // beyond 2^53, and still a whole number
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},   // a seed may have all 64 bits
        {"18446744073709551616", "1.8446744073709552e+19"}, // beyond: a double, in the form that stays
        {"1.8446744073709552e+19", "1.8446744073709552e+19"},
        {"-9223372036854775809", "-9.223372036854776e+18"},
        {"-0", "0"},
        {LONG "." LONG LONG LONG LONG LONG LONG, "1e+100"}, // seven hundred digits
        {"\"\\u00e9\\u0041\"", "\"\\u00e9A\""},
        {"\"\xc3\xa9\"", "\"\\u00e9\""},
        {"\"\\u0000\\/\\n\"", "\"\\u0000/\\n\""},
        {"\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\""},
        {"{\"\xc3\xa9\":null,\"b\":true}", "{\"\\u00e9\":null,\"b\":true}"},
        {"[]", "[]"},
        {"{\"a\":}", NULL},
        {"[1,]", NULL},
        {"\"\\ud83d\"", NULL},
        {"1 2", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {.grow = traj_text_grow}, packed = {.grow = traj_text_grow}, back = {.grow = traj_text_grow};
        bool good = traj_put_canonical_json(&out, span_of(cases[i].json));
        if (good != (cases[i].form != NULL) || (good && !span_is(text_span(&out), cases[i].form)))
            fail_msg("%s: %.*s", cases[i].json, (int)out.size, out.at);
        if (good) {
            traj_msgpack_write(&packed, text_span(&out));
            assert_int_equal(traj_msgpack_read(text_span(&packed), &back), packed.size);
            assert_true(span_equals(text_span(&back), text_span(&out)));
            for (size_t cut = 0; cut < packed.size; cut++) // a part is never taken for the whole
                assert_int_equal(traj_msgpack_read((struct span){packed.at, cut}, &back), 0);
        }
        free(out.at);
        free(packed.at);
        free(back.at);
    }
}

// G19.5: shortest integers, 64-bit floats.
static void test_packed(void **state)
{
#define BYTES(s)                                                                                                       \
    {                                                                                                                  \
        s, sizeof(s) - 1                                                                                               \
    }
    static const struct {
        const char *json;
        struct span bytes;
    } cases[] = {
        {"127", BYTES("\x7f")},
        {"128", BYTES("\xcc\x80")},
        {"256", BYTES("\xcd\x01\x00")},
        {"65536", BYTES("\xce\x00\x01\x00\x00")},
        {"4294967296", BYTES("\xcf\x00\x00\x00\x01\x00\x00\x00\x00")},
        {"-32", BYTES("\xe0")},
        {"-33", BYTES("\xd0\xdf")},
        {"-129", BYTES("\xd1\xff\x7f")},
        {"0.5", BYTES("\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00")},
        {"{\"reward\":1}", BYTES("\x81\xa6reward\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00")}, // a reward is no count
        {"[null,false,true]", BYTES("\x93\xc0\xc2\xc3")},
        {"{\"entries\":[{\"frames\":{\"s\":{\"data\":\"AP8=\"}}}]}", // G19.5: pictures are bytes
         BYTES("\x81\xa7"
               "entries\x91\x81\xa6"
               "frames\x81\xa1s\x81\xa4"
               "data\xc4\x02\x00\xff")},
        {"{\"frames\":{\"s\":{\"data\":\"AP8=\"}}}", BYTES("\x81\xa6"
                                                           "frames\x81\xa1s\x81\xa4"
                                                           "data\xa4"
                                                           "AP8=")}, // and these are none
        {"\"0123456789012345678901234567890x\"", BYTES("\xd9\x20"
                                                       "0123456789012345678901234567890x")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {.grow = traj_text_grow};
        traj_msgpack_write(&out, span_of(cases[i].json));
        if (!span_equals(text_span(&out), cases[i].bytes))
            fail_msg("%s", cases[i].json);
        free(out.at);
    }
}

// G19.10: what a count claims costs nothing.
static void test_lies(void **state)
{
    static const struct span cases[] = {
        BYTES("\xdd\xff\xff\xff\xff"),      // four thousand million items
        BYTES("\xdf\xff\xff\xff\xff\xa1x"), // and members
        BYTES("\xdb\xff\xff\xff\xff"),      // and letters
        BYTES("\x81\x01\x02"),              // a key that is no string
        BYTES("\xc1"),                      // never used
        BYTES("\xc6\xff\xff\xff\xff"),      // bytes likewise
        BYTES("\xca\x00\x00\x00\x00"),      // float 32
        BYTES("\xa2\xff\xff"),              // bad UTF-8
    };
    char deep[200];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {.grow = traj_text_grow};
        assert_true(traj_msgpack_read(cases[i], &out) <= 0);
        assert_true(out.room <= 65536);
        free(out.at);
    }
    struct text out = {.grow = traj_text_grow};
    memset(deep, '\x91', sizeof deep);
    assert_int_equal(traj_msgpack_read((struct span){deep, sizeof deep}, &out), -1);
    free(out.at);
}

static void test_select(void **state)
{
    static const struct traj_choice plain = {.observations = false, .secrets = false};
    struct text out = {.grow = traj_text_grow};
    (void)state;
    assert_true(traj_select(&out,
                            SPAN("{\"k\":\"reset\",\"seed\":1,\"salt\":\"00\",\"key\":\"11\",\"scenario\":\"x\","
                                 "\"observations\":{\"a\":{}}}"),
                            &plain));
    assert_true(span_is(text_span(&out), "{\"k\":\"reset\",\"scenario\":\"x\"}"));
    out.size = 0;
    assert_true(traj_select(
        &out, SPAN("{\"k\":\"step\",\"entries\":[{\"agent_id\":\"a\",\"observation\":{},\"reward\":1}]}"), &plain));
    assert_true(span_is(text_span(&out), "{\"k\":\"step\",\"entries\":[{\"agent_id\":\"a\",\"reward\":1}]}"));
    assert_false(traj_select(&out, SPAN("[1]"), &plain));
    free(out.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canon),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_select),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
