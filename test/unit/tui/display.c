// What reaches the terminal: bytes for what has changed, and none for what has not.
#include "tui/display.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct display display;
static struct frame frame;
static FILE *out;

static void open_display(const char *terminal)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("LINES", "24", 1);
    setenv("COLUMNS", "80", 1);
    out = tmpfile();
    assert_non_null(out);
    assert_null(display_open(&display, &(struct display_options){STDIN_FILENO, fileno(out), terminal, false}));
    assert_int_equal(display.rows, 24);
    assert_int_equal(display.columns, 80);
    frame_clear(&frame, FRAME_COLUMNS, FRAME_ROWS);
    frame_box(&frame, 0, 0, 22, 22, COLOUR_PLAIN);
    frame_puts(&frame, 5, 30, COLOUR_T, STYLE_SOLID, "[][]");
    frame_puts(&frame, 23, 0, COLOUR_DIM, 0, "help");
}

static void close_display(void)
{
    display_close(&display);
    fclose(out);
}

static size_t written(void)
{
    struct stat s;
    assert_int_equal(fstat(fileno(out), &s), 0);
    return (size_t)s.st_size;
}

// The bytes one more frame costs.
static size_t show(void)
{
    size_t before = written();
    display_show(&display, &frame);
    return written() - before;
}

static const char *last_bytes(size_t count)
{
    static char bytes[4096];
    assert_true(count < sizeof bytes);
    assert_int_equal(pread(fileno(out), bytes, count, (off_t)(written() - count)), count);
    bytes[count] = 0;
    return bytes;
}

static const char *const terminals[] = {"xterm-256color", "xterm", "vt100", "linux"};

static void test_only_changes_are_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        open_display(terminals[i]);
        assert_true(show() > 100);
        for (int k = 0; k < 100; k++)
            assert_int_equal(show(), 0);
        frame_puts(&frame, 10, 40, COLOUR_PLAIN, 0, "x");
        size_t cost = show();
        assert_in_range(cost, 1, 24); // the cursor goes there, and one letter
        assert_non_null(strchr(last_bytes(cost), 'x'));
        assert_int_equal(show(), 0);
        frame_puts(&frame, 10, 40, COLOUR_PLAIN, 0, " ");
        assert_in_range(show(), 1, 24);
        assert_int_equal(show(), 0);
        close_display();
    }
}

static void test_another_size_draws_all(void **state)
{
    (void)state;
    open_display("xterm-256color");
    size_t all = show();
    display.fresh = true;
    assert_true(show() >= all);
    frame_clear(&frame, 20, 3);
    frame_puts(&frame, 0, 0, COLOUR_ALERT, STYLE_BOLD, "too small");
    assert_in_range(show(), 9, all);
    assert_int_equal(show(), 0);
    close_display();
}

static bool file_has(const char *bytes)
{
    static char all[65536];
    size_t size = written();
    assert_true(size < sizeof all);
    assert_int_equal(pread(fileno(out), all, size, 0), size);
    return memmem(all, size, bytes, strlen(bytes)) != NULL;
}

static void test_colours_as_the_terminal_has_them(void **state)
{
    (void)state;
    open_display("xterm-256color");
    show();
    assert_int_equal(display.info.colours, 256);
    assert_true(file_has("\33[30m\33[48;5;134m[][]"));
    close_display();
    open_display("xterm");
    show();
    assert_true(file_has("\33[30m\33[45m[][]"));
    close_display();
    open_display("vt100");
    show();
    assert_int_equal(display.info.colours, 0);
    assert_true(file_has("\33[m\17\33[7m[][]"));
    assert_false(file_has("\33[45m"));
    close_display();
}

static void test_boxes_without_unicode(void **state)
{
    (void)state;
    open_display("xterm");
    show();
    assert_true(file_has("\342\224\200")); // U+2500
    display.has_unicode = false;
    frame_clear(&frame, 20, 3);
    frame_box(&frame, 0, 0, 3, 5, COLOUR_PLAIN);
    size_t cost = show();
    assert_non_null(strstr(last_bytes(cost), "+---+"));
    close_display();
}

// Leaving gives back the page, the cursor and the keyboard, in this order of coming.
static void test_all_is_given_back(void **state)
{
    (void)state;
    open_display("xterm-256color");
    show();
    assert_true(file_has("\33[?1049h"));
    assert_true(file_has("\33[?25l"));
    assert_true(file_has("\33[>11u"));
    assert_false(file_has("\33[?1049l"));
    display_suspend(&display);
    assert_true(file_has("\33[<u\33[?1004l"));
    assert_true(file_has("\33[?1049l"));
    assert_true(file_has("\33[?25h"));
    size_t before = written();
    display_resume(&display);
    assert_true(show() + written() - before > 200); // everything again
    close_display();
    open_display("vt100");
    show();
    assert_false(file_has("\33[>11u")); // asked only where it is understood or ignored
    close_display();
}

static void test_unknown_terminals_are_refused(void **state)
{
    (void)state;
    out = tmpfile();
    assert_non_null(
        display_open(&display, &(struct display_options){STDIN_FILENO, fileno(out), "no-such-terminal", false}));
    assert_int_equal(written(), 0);
    assert_non_null(display_open(&display, &(struct display_options){STDIN_FILENO, fileno(out), "dumb", false}));
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_changes_are_written),
        cmocka_unit_test(test_another_size_draws_all),
        cmocka_unit_test(test_colours_as_the_terminal_has_them),
        cmocka_unit_test(test_boxes_without_unicode),
        cmocka_unit_test(test_all_is_given_back),
        cmocka_unit_test(test_unknown_terminals_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
