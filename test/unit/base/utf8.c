#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// The code point as so many bytes, by the definition alone.
static int encode(uint32_t point, char out[4])
{
    static const uint32_t first[] = {0, 0x80, 0x800, 0x10000}, lead[] = {0, 0xc0, 0xe0, 0xf0};
    int size = 4;
    while (point < first[size - 1])
        size--;
    for (int i = size - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(lead[size - 1] | point);
    return size;
}

static void every_code_point_but_surrogates_is_valid(void **unused)
{
    (void)unused;
    for (uint32_t point = 0; point <= 0x10ffff; point++) {
        char bytes[4];
        int size = encode(point, bytes);
        bool surrogate = point >= 0xd800 && point < 0xe000;
        assert_int_equal(utf8_sequence(bytes, bytes + size), surrogate ? 0 : size);
        for (int cut = 1; cut < size; cut++)
            assert_int_equal(utf8_sequence(bytes, bytes + cut), 0);
    }
}

// What a decoder that checks nothing makes of the bytes, written back: valid is what comes back the same.
static int slow_sequence(const char bytes[4])
{
    const uint8_t *b = (const uint8_t *)bytes;
    int size = b[0] < 0x80 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
    uint32_t point = size == 1 ? b[0] : b[0] & (0x7fu >> size);
    for (int i = 1; i < size; i++)
        point = point << 6 | (b[i] & 0x3f);
    char again[4];
    bool known = point <= 0x10ffff && (point < 0xd800 || point >= 0xe000);
    return known && encode(point, again) == size && memcmp(bytes, again, (size_t)size) == 0 ? size : 0;
}

static void nothing_else_is(void **unused)
{
    (void)unused;
    static const uint8_t edges[] = {0x00, 0x7f, 0x80, 0x9f, 0xbf, 0xc0, 0xff};
    for (int pair = 0; pair < 65536; pair++)
        for (unsigned i = 0; i < sizeof edges * sizeof edges; i++) {
            char bytes[4] = {(char)(pair >> 8), (char)pair, (char)edges[i / sizeof edges],
                             (char)edges[i % sizeof edges]};
            if (utf8_sequence(bytes, bytes + 4) != slow_sequence(bytes))
                fail_msg("%04x %02x %02x", pair, bytes[2] & 0xff, bytes[3] & 0xff);
        }
}

static void texts_are_valid_when_all_of_them_is(void **unused)
{
    (void)unused;
    assert_true(utf8_is_valid((struct span){0}));
    assert_true(utf8_is_valid(SPAN("")));
    assert_true(utf8_is_valid(SPAN("a\0\xc3\xa9 \xe2\x99\xa0 \xf0\x9f\x82\xa1")));
    assert_false(utf8_is_valid(SPAN("a\xc3")));
    assert_false(utf8_is_valid(SPAN("\xe2\x99\xa0\x80")));
    assert_false(utf8_is_valid(SPAN("\xff"
                                    "abc")));
}

static void names_show_what_they_are(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t point;
        bool shown;
    } cases[] = {
        {'a', true},     {' ', true},     {0xe9, true},     {0x5d0, true},    {0x660, true},   {0x1f0a1, true},
        {0x10348, true}, {0x2019, true},  {0x0, false},     {0x1f, false},    {0x7f, false},   {0x85, false},
        {0xa0, false},   {0xad, false},   {0x61c, false},   {0x200b, false},  {0x200d, false}, {0x200e, false},
        {0x200f, false}, {0x2028, false}, {0x202a, false},  {0x202e, false},  {0x2060, false}, {0x2066, false},
        {0x2069, false}, {0x2800, false}, {0x3000, false},  {0x3164, false},  {0xfe0f, false}, {0xfeff, false},
        {0xffa0, false}, {0xffff, false}, {0xe0041, false}, {0x1fffe, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[6] = {'x'};
        int size = encode(cases[i].point, bytes + 1);
        if (utf8_count_shown((struct span){bytes, (size_t)size + 1}) != (cases[i].shown ? 2 : -1))
            fail_msg("U+%04X", cases[i].point);
    }
    assert_int_equal(utf8_count_shown(SPAN("")), 0);
    assert_int_equal(utf8_count_shown(SPAN("a\xc3")), -1);
}

// What somebody else wrote, on a terminal.
static void nothing_foreign_moves_the_cursor(void **unused)
{
    (void)unused;
    const struct {
        struct span bytes;
        bool lines;
        const char *shown;
    } cases[] = {
        {SPAN("a \xc3\xa9 \xe2\x99\xa0"), false, "a \xc3\xa9 \xe2\x99\xa0"},
        {SPAN("\x1b[2J\x07"), false, "\\x1b[2J\\x07"},
        {SPAN("a\n\tb\r"), true, "a\n\tb\\x0d"},
        {SPAN("a\nb"), false, "a\\x0ab"},
        {SPAN("\xc2\x9b"
              "31m"),
         true, "\\xc2\\x9b31m"}, // CSI in one character
        {SPAN("\x9b"
              "31m"),
         true, "\\x9b31m"},                              // and in one byte
        {SPAN("\xe2\x80\xae"), true, "\\xe2\\x80\\xae"}, // right to left from here
        {SPAN("\0x"), true, "\\x00x"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        utf8_copy_shown(out, sizeof out, cases[i].bytes, cases[i].lines);
        assert_string_equal(out, cases[i].shown);
    }
    utf8_copy_shown(out, 4, SPAN("abcdef"), false);
    assert_true(strlen(out) < 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_but_surrogates_is_valid), cmocka_unit_test(nothing_else_is),
        cmocka_unit_test(texts_are_valid_when_all_of_them_is),      cmocka_unit_test(names_show_what_they_are),
        cmocka_unit_test(nothing_foreign_moves_the_cursor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
