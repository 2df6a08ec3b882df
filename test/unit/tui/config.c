// The settings file: what it sets, and what it is told about its mistakes.
#include "tui/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void note(void *owner, int line, const char *what)
{
    char *said = owner;
    size_t size = strlen(said);
    snprintf(said + size, 1024 - size, "%d: %s\n", line, what);
}

static struct config read(const char *text, char said[1024])
{
    struct config c;
    config_defaults(&c);
    said[0] = 0;
    config_read(&c, span_of(text), note, said);
    return c;
}

// T6.2
static void test_usual_keys(void **state)
{
    (void)state;
    static const struct {
        uint32_t code;
        enum play_key key;
    } rows[] = {
        {INPUT_LEFT, PLAY_LEFT},
        {'a', PLAY_LEFT},
        {'h', PLAY_LEFT},
        {INPUT_RIGHT, PLAY_RIGHT},
        {'d', PLAY_RIGHT},
        {'l', PLAY_RIGHT},
        {INPUT_DOWN, PLAY_SOFT_DROP},
        {'s', PLAY_SOFT_DROP},
        {'j', PLAY_SOFT_DROP},
        {INPUT_UP, PLAY_ROTATE_CW},
        {'w', PLAY_ROTATE_CW},
        {'k', PLAY_ROTATE_CW},
        {'z', PLAY_ROTATE_CCW},
        {'y', PLAY_ROTATE_CCW},
        {' ', PLAY_HARD_DROP},
        {'c', PLAY_HOLD},
        {'p', PLAY_PAUSE},
        {'r', PLAY_RESTART},
        {'q', PLAY_QUIT},
        {'n', PLAY_SEED},
        {'x', PLAY_NONE},
        {0, PLAY_NONE},
    };
    struct config c;
    config_defaults(&c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(config_key(&c, rows[i].code), rows[i].key);
    assert_int_equal(c.timing.das_ms, 150);
    assert_int_equal(c.timing.arr_ms, 50);
    assert_false(c.top);
}

static void test_settings(void **state)
{
    (void)state;
    char said[1024], room[8];
    struct config c = read("# mine\n\n  das_ms = 120\r\narr_ms=1\nsoft_drop_ms = 20\nanchor = top\n"
                           "hold = Tab c\nhard_drop = Enter\nrotate_ccw = x\nseed =\nrelease_ms = 200",
                           said);
    assert_string_equal(said, "");
    assert_int_equal(c.timing.das_ms, 120);
    assert_int_equal(c.timing.arr_ms, 1);
    assert_int_equal(c.timing.soft_drop_ms, 20);
    assert_int_equal(c.timing.release_ms, 200);
    assert_true(c.top);
    assert_int_equal(config_key(&c, INPUT_TAB), PLAY_HOLD);
    assert_int_equal(config_key(&c, 'c'), PLAY_HOLD);
    assert_int_equal(config_key(&c, INPUT_ENTER), PLAY_HARD_DROP);
    assert_int_equal(config_key(&c, ' '), PLAY_NONE);
    assert_int_equal(config_key(&c, 'x'), PLAY_ROTATE_CCW);
    assert_int_equal(config_key(&c, 'z'), PLAY_NONE);
    assert_int_equal(config_key(&c, 'n'), PLAY_NONE);
    assert_string_equal(config_key_name(&c, PLAY_HOLD, room), "tab");
    assert_string_equal(config_key_name(&c, PLAY_ROTATE_CCW, room), "x");
    assert_string_equal(config_key_name(&c, PLAY_SEED, room), "-");
}

// A key does one thing.
static void test_a_key_moves(void **state)
{
    (void)state;
    char said[1024], room[8];
    struct config c = read("hold = left p", said);
    assert_string_equal(said, "");
    assert_int_equal(config_key(&c, INPUT_LEFT), PLAY_HOLD);
    assert_int_equal(config_key(&c, 'p'), PLAY_HOLD);
    assert_int_equal(config_key(&c, 'a'), PLAY_LEFT);
    assert_string_equal(config_key_name(&c, PLAY_LEFT, room), "a");
    assert_string_equal(config_key_name(&c, PLAY_PAUSE, room), "-");
}

static void test_mistakes_are_told(void **state)
{
    (void)state;
    char said[1024];
    struct config c = read("das_ms = fast\narr_ms = 0\narr_ms = 99999\nnonsense\nshout = x\nhold = F13\nanchor = left\n"
                           "hold = 1 2 3 4 5 6 7\npause = o\ndas_ms =\n",
                           said);
    assert_string_equal(said, "1: not a number from 0 to 10000: 'fast'\n"
                              "2: not a number from 1 to 10000: '0'\n"
                              "3: not a number from 1 to 10000: '99999'\n"
                              "4: no '=' in 'nonsense'\n"
                              "5: no such setting: 'shout'\n"
                              "6: no such key: 'F13'\n"
                              "7: anchor is top or center, not 'left'\n"
                              "8: too many keys: '1 2 3 4 5 6 7'\n"
                              "10: not a number from 0 to 10000: ''\n");
    assert_int_equal(c.timing.das_ms, 150);
    assert_int_equal(c.timing.arr_ms, 50);
    assert_int_equal(config_key(&c, 'c'), PLAY_HOLD);
    assert_int_equal(config_key(&c, 'o'), PLAY_PAUSE); // the lines after a mistake count
}

static void test_path(void **state)
{
    (void)state;
    char path[64];
    setenv("HOME", "/home/x", 1);
    setenv("XDG_CONFIG_HOME", "/etc/y", 1);
    assert_true(config_path(path, sizeof path));
    assert_string_equal(path, "/etc/y/agon/tetris.conf");
    setenv("XDG_CONFIG_HOME", "", 1);
    assert_true(config_path(path, sizeof path));
    assert_string_equal(path, "/home/x/.config/agon/tetris.conf");
    assert_false(config_path(path, 20));
    unsetenv("HOME");
    assert_false(config_path(path, sizeof path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_keys),        cmocka_unit_test(test_settings), cmocka_unit_test(test_a_key_moves),
        cmocka_unit_test(test_mistakes_are_told), cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
