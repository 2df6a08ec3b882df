// Pages fit their window whatever is on them: rows, columns, folded lines, frames, and what a small window says.
#include "tui/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1 << 18, ROWS = 200, COLUMNS = 300 };

// What a terminal shows: characters alone, row by row.
struct seen {
    int rows;
    bool coloured;
    int width[ROWS];
    char row[ROWS][4 * COLUMNS];
};

static struct seen look(struct span bytes)
{
    static struct seen s;
    s = (struct seen){.rows = 1};
    size_t used = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        char c = bytes.at[i];
        if (c == '\33') {
            size_t from = i += 2;
            while (bytes.at[i] < '@')
                i++;
            s.coloured |= bytes.at[i] == 'm' && memmem(bytes.at + from, i - from, "8;5;", 4);
        } else if (c == '\n') {
            s.rows++;
            used = 0;
        } else if (c != '\r') {
            s.row[s.rows - 1][used++] = c;
            s.width[s.rows - 1] += ((unsigned char)c & 0xc0) != 0x80;
        }
    }
    return s;
}

static struct seen draw(struct page *p, int columns, int rows, int colours, bool *fits)
{
    static char bytes[ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    *fits = page_put(&t, p, columns, rows, colours);
    assert_false(t.full);
    return look(text_span(&t));
}

static bool shows(const struct seen *s, const char *words)
{
    for (int i = 0; i < s->rows; i++)
        if (strstr(s->row[i], words))
            return true;
    return false;
}

static const char *const names[] = {"ada", "rules_1"};

static struct page table(void)
{
    return (struct page){
        .title = SPAN(" Coup   seed 3"),
        .picture = SPAN("Coup   turn 1\n\n> ada          [Duke]       (Assassin)   2 coins  you to answer\n"
                        "  rules_1      [?]          [?]          2 coins\n\n"
                        "  This turn: rules_1 tried a theft on ada, claiming Captain; ada challenged and was wrong.\n"),
        .log = SPAN("rules_1 takes income\nada claims Duke and taxes\nrules_1 asks for foreign aid\n"),
        .list = SPAN("  1  takes income\n  2  asks for foreign aid\n  3  claims Duke and taxes\n"),
        .chosen = 1,
        .prompt = SPAN("your move> ta"),
        .keys = SPAN("Enter plays   arrows choose   ? help"),
        .seat = names,
        .seats = 2};
}

// Every size: within the window, or said to be too small.
static void test_fits(void **state)
{
    (void)state;
    for (int columns = 1; columns < 130; columns += 3)
        for (int rows = 1; rows < 60; rows++) {
            bool fits;
            struct page p = table();
            struct seen s = draw(&p, columns, rows, 256, &fits);
            assert_true(s.rows <= rows);
            for (int i = 0; i < s.rows; i++)
                assert_true(s.width[i] <= columns);
            if (!fits)
                continue;
            assert_true(columns >= PAGE_LEAST_COLUMNS);
            assert_int_equal(s.rows, rows);
            assert_true(shows(&s, "your move> ta"));
            assert_true(shows(&s, ">  2  asks") || shows(&s, "> 2  asks"));
        }
}

static void test_usual_window(void **state)
{
    (void)state;
    bool fits;
    struct page p = table();
    struct seen s = draw(&p, 80, 24, 256, &fits);
    assert_true(fits && s.coloured);
    assert_true(shows(&s, "╭────╮"));
    assert_true(shows(&s, "│Duke│"));
    assert_true(shows(&s, "(Assassin)"));
    assert_true(shows(&s, "ada challenged and")); // folded between words
    assert_true(shows(&s, "    was wrong."));
    assert_true(shows(&s, "rules_1 asks for foreign aid"));
    s = draw(&p, 80, 24, 0, &fits);
    assert_false(s.coloured);
    s = draw(&p, 80, 13, 256, &fits); // no room for frames
    assert_true(fits && shows(&s, "[Duke]"));
}

// The log begins with a whole line: what is left of one that was folded says nothing.
static void test_log_begins_with_a_line(void **state)
{
    (void)state;
    int cut = 0;
    for (int rows = 14; rows < 40; rows++) {
        bool fits;
        struct page p = table();
        p.log = SPAN("rules_1 claims the Captain and steals from somebody_else\nada passes\nrules_1 takes income\n");
        struct seen s = draw(&p, 40, rows, 256, &fits);
        if (!fits || !shows(&s, "rules_1 takes income"))
            continue;
        assert_int_equal(shows(&s, "somebody_else"), shows(&s, "claims the Captain and steals"));
        cut += !shows(&s, "somebody_else");
    }
    assert_true(cut > 0);
}

// What can be done is folded as the rest is, and the chosen line is there however few rows are left.
static void test_list_is_folded(void **state)
{
    (void)state;
    bool fits;
    struct page p = table();
    p.list = SPAN("  1  claims Ambassador and exchanges two cards of the deck\n  2  passes\n"
                  "  3  claims Captain and steals two coins from rules_1, who may block\n");
    p.chosen = 2;
    struct seen s = draw(&p, 40, 30, 256, &fits);
    assert_true(fits && shows(&s, "  1  claims Ambassador and exchanges two"));
    assert_true(shows(&s, "    cards of the deck") && shows(&s, "  2  passes"));
    assert_true(shows(&s, "> 3  claims Captain and steals two") && shows(&s, "rules_1, who may block"));
    for (int rows = 16; rows < 30; rows++) {
        s = draw(&p, 40, rows, 256, &fits);
        assert_true(!fits || (shows(&s, "> 3  claims Captain") && s.rows <= rows));
    }
    s = draw(&p, 200, 30, 256, &fits); // nothing to fold
    assert_true(fits && shows(&s, "steals two coins from rules_1, who may block"));
}

// Of the title and the keys whole items are left out, and never the way out.
static void test_bars_are_not_cut(void **state)
{
    (void)state;
    bool fits;
    struct page p = table();
    p.title = SPAN(" No-Limit Texas Hold'em   as spectators see it   speed 2   paused");
    p.keys = SPAN("Enter plays   arrows choose   ? help   hint   rules   Ctrl-C quits");
    struct seen s = draw(&p, 60, 24, 256, &fits);
    assert_true(fits && shows(&s, " No-Limit Texas Hold'em   speed 2   paused "));
    assert_true(shows(&s, "Enter plays   ? help   hint   rules   Ctrl-C quits"));
    s = draw(&p, 40, 24, 256, &fits);
    assert_true(fits && shows(&s, " No-Limit Texas Hold'em   paused "));
    assert_true(shows(&s, "Enter plays   hint   Ctrl-C quits") || shows(&s, "Enter plays   rules   Ctrl-C quits"));
    p.list = SPAN("  1  a\n  2  b\n  3  c\n  4  d\n  5  this one is so long that nothing has room beside it\n  6  f\n");
    p.chosen = 5;
    s = draw(&p, 60, 15, 256, &fits);
    assert_true(fits && shows(&s, "> 6  f") && shows(&s, "more: up and down"));
}

// Columns stay below each other in a narrow window, with fewer blanks between them; a line that fits is not changed.
static void test_narrow_table(void **state)
{
    (void)state;
    bool fits;
    struct page p = table();
    p.picture =
        SPAN("hand 1 of 10      preflop\n\n>D ada          [5s][Kd] BTN       10000\n"
             "   rules_1      [??][??] SB         9900  bet 100\n   rules_2       -- --   UTG       10000  folded\n");
    struct seen s = draw(&p, 80, 14, 0, &fits);
    assert_true(fits && shows(&s, "[??][??] SB         9900  bet 100"));
    s = draw(&p, 40, 14, 0, &fits);
    assert_true(fits && shows(&s, "hand 1 of 10      preflop"));
    assert_true(shows(&s, ">D ada      [5♠][K♦] BTN  10000"));
    assert_true(shows(&s, "   rules_1  [??][??] SB    9900  bet 100"));
    assert_true(shows(&s, "   rules_2   -- --   UTG  10000  folded"));
    p.picture = SPAN("| []                                    |\n| []                                    |\n");
    s = draw(&p, 40, 14, 0, &fits);
    assert_true(fits && !shows(&s, "| []  |"));
}

static void test_short_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shorter;
    } cases[] = {
        {"Ada", "Ada"},
        {"twelve_chars", "twelve_chars"},
        {"House No-Limit Texas Hold'em 5", "House .. 5"},
        {"Extraordinarily long 123", "Extra .. 123"},
        {"Leduc, Jean-Baptiste de la Roche", "Leduc, Jea.."},
        {"WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "WWWWWWWWWW.."},
        {"ääääääääääääääääääääääääääääääää", "ääääääääää.."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char to[PAGE_NAME_BYTES];
        page_shorten_name(to, cases[i].name);
        assert_string_equal(to, cases[i].shorter);
    }
}

static void test_too_small(void **state)
{
    (void)state;
    bool fits;
    struct page p = table();
    struct seen s = draw(&p, 30, 8, 256, &fits);
    assert_false(fits);
    assert_true(shows(&s, "too small: 30x8"));
    assert_true(shows(&s, "needs 40x"));
}

static void test_dice(void **state)
{
    (void)state;
    bool fits;
    struct page p = {.picture = SPAN("> ada [ 5 ][ 1 ]\n"), .chosen = -1, .seat = names, .seats = 2};
    struct seen s = draw(&p, 60, 20, 256, &fits);
    assert_true(fits && shows(&s, "╭● ●╮╭   ╮") && shows(&s, "│ ● ││ ● │") && shows(&s, "╰● ●╯╰   ╯"));
}

static void test_suits(void **state)
{
    (void)state;
    bool fits;
    struct page p = {.picture = SPAN("> ada [Ks] [Qh] [as]\n"), .chosen = -1, .seat = names, .seats = 2};
    struct seen s = draw(&p, 60, 20, 256, &fits);
    assert_true(fits && shows(&s, "│K♠│ │Q♥│ │as│"));
}

static void test_text_scrolls(void **state)
{
    (void)state;
    bool fits;
    struct page p = table();
    p.text = SPAN("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\nthirteen\nfourteen\n");
    p.prompt = (struct span){0};
    p.scroll = 1000;
    struct seen s = draw(&p, 60, 14, 256, &fits);
    assert_true(fits && shows(&s, "fourteen") && !shows(&s, "Duke"));
    assert_int_equal(p.scroll, 2);
}

// What a name or a server says cannot steer the terminal: C1 controls, DEL, and a suit that was cut short.
static void test_controls(void **state)
{
    (void)state;
    char bytes[4096];
    static const char *const titles[] = {"a\33[2J",
                                         ("a\xc2\x9b"
                                          "2J"),
                                         "a\x7f",
                                         "a\xe2\x99",
                                         "a\x9b",
                                         "a\xff\xbf\xbf\xbf\xbf\xbf\xbf"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        struct text t = text_on(bytes, sizeof bytes - 1);
        struct page p = {.picture = span_of(titles[i])};
        page_put_picture(&t, &p, 80, 0);
        for (size_t k = 0; k < t.size; k++) {
            unsigned char c = (unsigned char)bytes[k];
            assert_true((c >= ' ' && c < 0x7f) || c == '\n');
        }
    }
}

static void test_merge(void **state)
{
    (void)state;
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    const struct span some[] = {SPAN("pot 3\nann [A♠]\nbob [??]\n"), SPAN("pot 3\nann [??]\nbob [K♥]\n")};
    assert_true(page_merge(&t, some, 2));
    const char want[] = "pot 3\nann [A♠]\nbob [K♥]\n";
    assert_int_equal(t.size, strlen(want));
    assert_memory_equal(t.at, want, t.size);
    t.size = 0; // hands that are a line of their own stay, each
    const struct span hands[] = {SPAN("top\nann: [A♠]\n"), SPAN("top\nbob: [K♥]\n")};
    assert_true(page_merge(&t, hands, 2));
    assert_memory_equal(t.at, "top\nann: [A♠]\nbob: [K♥]\n", t.size);
    t.size = 0; // a name with a question mark hides nothing
    const struct span asks[] = {SPAN("ann [A♠]\nwho? [??]\n"), SPAN("ann [??]\nwho? [K♥]\n")};
    assert_true(page_merge(&t, asks, 2));
    assert_memory_equal(t.at, "ann [A♠]\nwho? [K♥]\n", strlen("ann [A♠]\nwho? [K♥]\n"));
    const struct span other[] = {SPAN("one\n"), SPAN("one\ntwo\n")};
    assert_false(page_merge(&t, other, 2));
}

// The cards of a trick lie on three lines: all of them have frames or none has, whatever the window.
static void test_trick_is_framed_whole(void **state)
{
    (void)state;
    int whole = 0, plain = 0;
    for (int rows = 10; rows < 40; rows++) {
        bool fits;
        struct page p = table();
        p.picture = SPAN("Deal 1\n        [  ]\n  [  ]        [A♠]\n        [  ]\n  left: rules_1\n");
        struct seen s = draw(&p, 80, rows, 256, &fits);
        if (!fits)
            continue;
        bool framed = shows(&s, "╭──╮"), bracketed = shows(&s, "[  ]") || shows(&s, "[A♠]");
        assert_true(framed != bracketed);
        whole += framed;
        plain += bracketed;
    }
    assert_true(whole > 0 && plain > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trick_is_framed_whole),
                                       cmocka_unit_test(test_fits),
                                       cmocka_unit_test(test_usual_window),
                                       cmocka_unit_test(test_log_begins_with_a_line),
                                       cmocka_unit_test(test_list_is_folded),
                                       cmocka_unit_test(test_bars_are_not_cut),
                                       cmocka_unit_test(test_narrow_table),
                                       cmocka_unit_test(test_short_names),
                                       cmocka_unit_test(test_too_small),
                                       cmocka_unit_test(test_dice),
                                       cmocka_unit_test(test_suits),
                                       cmocka_unit_test(test_text_scrolls),
                                       cmocka_unit_test(test_controls),
                                       cmocka_unit_test(test_merge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
