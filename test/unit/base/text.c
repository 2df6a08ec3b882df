#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_text(const struct text *t, const char *expected)
{
    assert_false(t->full);
    assert_int_equal(t->size, strlen(expected));
    assert_memory_equal(t->at, expected, t->size);
}

static void numbers_as_c_writes_them(void **unused)
{
    (void)unused;
    static const int64_t values[] = {0,   1,    -1,    9,       10,         -10,        99,        100,
                                     101, 9999, 10000, 1000000, 4294967295, 4294967296, INT64_MAX, INT64_MIN};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        char room[64], expected[64];
        struct text t = text_on(room, sizeof room);
        text_put_int(&t, values[i]);
        text_put_char(&t, ' ');
        text_put_uint(&t, (uint64_t)values[i]);
        text_put_char(&t, ' ');
        text_put_hex(&t, (uint64_t)values[i], 16);
        snprintf(expected, sizeof expected, "%lld %llu %016llx", (long long)values[i], (unsigned long long)values[i],
                 (unsigned long long)values[i]);
        assert_text(&t, expected);
    }
}

static void hex_keeps_its_width(void **unused)
{
    (void)unused;
    char room[64];
    struct text t = text_on(room, sizeof room);
    text_put_hex(&t, 0xabc, 2); // the low digits
    text_put_hex(&t, 0xa, 4);
    text_put_hex_bytes(&t, "\x00\xff\x7f", 3);
    assert_text(&t, "bc000a00ff7f");
}

static void decimals_are_rounded_and_cut(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {0, 2, "0"},
        {1, 2, "1"},
        {-1.5, 2, "-1.5"},
        {0.25, 1, "0.3"},
        {0.05, 3, "0.05"},
        {12.345, 2, "12.35"},
        {-0.004, 2, "0"},
        {-0.0, 2, "0"},
        {0.999, 2, "1"},
        {2.5, 0, "3"},
        {1e15, 0,
         "1"
         "000000000000000"},
        {0.000001, 6, "0.000001"},
        {-123456.75, 4, "-123456.75"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[64];
        struct text t = text_on(room, sizeof room);
        text_put_decimal(&t, cases[i].value, cases[i].digits);
        assert_text(&t, cases[i].text);
    }
}

static void once_full_always_full(void **unused)
{
    (void)unused;
    char room[4];
    struct text t = text_on(room, sizeof room);
    text_puts(&t, "abc");
    assert_false(t.full);
    text_puts(&t, "de"); // all or nothing
    assert_true(t.full);
    text_put_char(&t, 'x'); // would fit, but what comes before it is missing
    assert_true(t.full);
    assert_true(span_is(text_span(&t), "abc"));
    assert_null(text_reserve(&t, 0));
}

static void exactly_full_is_not_too_full(void **unused)
{
    (void)unused;
    char room[4];
    struct text t = text_on(room, sizeof room);
    text_puts(&t, "abcd");
    text_puts(&t, "");
    assert_text(&t, "abcd");
}

static bool grow_to_16(struct text *t, size_t more)
{
    if (t->size + more > 16)
        return false;
    t->at = realloc(t->at, 16);
    t->room = 16;
    return true;
}

static void the_owner_makes_room_up_to_a_ceiling(void **unused)
{
    (void)unused;
    struct text t = {.grow = grow_to_16}; // no buffer yet
    text_puts(&t, "0123456789");
    text_puts(&t, "abcdef");
    assert_text(&t, "0123456789abcdef");
    text_put_char(&t, '!');
    assert_true(t.full);
    free(t.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_as_c_writes_them),     cmocka_unit_test(hex_keeps_its_width),
        cmocka_unit_test(decimals_are_rounded_and_cut), cmocka_unit_test(once_full_always_full),
        cmocka_unit_test(exactly_full_is_not_too_full), cmocka_unit_test(the_owner_makes_room_up_to_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
