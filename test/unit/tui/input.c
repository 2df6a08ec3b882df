// Bytes of keyboards, whole and in pieces.
#include "tui/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct seen {
    char text[256];
    size_t size;
};

static void take(void *owner, struct input_event e)
{
    static const char *const kinds[] = {"press", "repeat", "release", "focus lost", "has releases"};
    struct seen *s = owner;
    s->size += (size_t)snprintf(s->text + s->size, sizeof s->text - s->size, "%s%s%x %s", s->size ? ", " : "",
                                e.control ? "^" : "", e.code, kinds[e.kind]);
}

static const struct {
    const char *bytes, *events;
} rows[] = {
    {"a", "61 press"},
    {"AzQ", "61 press, 7a press, 71 press"},
    {" ", "20 press"},
    {"\r\n", "d press, d press"},
    {"\x7f\b", "7f press, 7f press"},
    {"\x03\x1a", "^63 press, ^7a press"},
    {"\33[A\33[B\33[C\33[D", "110002 press, 110003 press, 110001 press, 110000 press"},
    {"\33OA\33OD", "110002 press, 110000 press"},
    {"\33[1;2C", "110001 press"},
    {"\33[H\33OF\33[1~\33[4~", "110004 press, 110005 press, 110004 press, 110005 press"},
    {"\33", "1b press"},
    {"\33x", ""},    // Alt and a key
    {"\33[15~", ""}, // F5
    {"\33[I\33[O", "0 focus lost"},
    {"\33[?11u", "0 has releases"},
    {"\33[?0u", ""},
    {"\33[97u\33[97;1:2u\33[97;1:3u", "61 press, 61 repeat, 61 release"},
    {"\33[97;2u", "61 press"},
    {"\33[99;5u", "^63 press"},
    {"\33[99;69u", "^63 press"}, // with caps lock
    {"\33[1;1:3D", "110000 release"},
    {"\33[97:65;2:1;65u", "61 press"},
    {"\303\266q", "71 press"}, // beyond ASCII: nothing
};

enum { ROWS = sizeof rows / sizeof *rows };

static void test_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct input in = {0};
        struct seen s = {0};
        input_feed(&in, span_of(rows[i].bytes), take, &s);
        assert_string_equal(s.text, rows[i].events);
    }
}

// A sequence may be cut anywhere but behind its ESC, which is then a key.
static void test_pieces(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct span all = span_of(rows[i].bytes);
        for (size_t cut = 1; cut < all.size; cut++) {
            if (all.at[cut - 1] == 27)
                continue;
            struct input in = {0};
            struct seen s = {0};
            input_feed(&in, (struct span){all.at, cut}, take, &s);
            input_feed(&in, (struct span){all.at + cut, all.size - cut}, take, &s);
            assert_string_equal(s.text, rows[i].events);
        }
    }
}

static void feed(struct input *in, struct seen *s, const char *bytes)
{
    input_feed(in, span_of(bytes), take, s);
}

// The key Esc and the beginning of a sequence look alike until something follows.
static void test_escape_then(void **state)
{
    (void)state;
    struct input in = {0};
    struct seen s = {0};
    feed(&in, &s, "\33");
    feed(&in, &s, "[D");
    feed(&in, &s, "\33");
    feed(&in, &s, "q");
    feed(&in, &s, "\33");
    feed(&in, &s, "\33");
    feed(&in, &s, "OC");
    feed(&in, &s, "d");
    assert_string_equal(s.text,
                        "1b press, 110000 press, 1b press, 71 press, 1b press, 1b press, 110001 press, 64 press");
}

// Whatever comes, nothing breaks and plain keys are heard again after it.
static void test_noise(void **state)
{
    (void)state;
    struct input in = {0};
    struct seen s = {0};
    uint32_t x = 7;
    for (int i = 0; i < 20000; i++) {
        char bytes[7];
        for (int k = 0; k < 7; k++) {
            x = x * 1664525 + 1013904223;
            bytes[k] = "\33[O;:u?0123456789A~\200\377"[x >> 24 & 15];
        }
        s.size = 0;
        input_feed(&in, (struct span){bytes, sizeof bytes}, take, &s);
    }
    input_feed(&in, SPAN("~~"), take, &s);
    s = (struct seen){0};
    input_feed(&in, SPAN("q"), take, &s);
    assert_string_equal(s.text, "71 press");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_escape_then), cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
