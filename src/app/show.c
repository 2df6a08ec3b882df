#include "app/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define RED   "\x1b[31m"
#define DIM   "\x1b[2m"
#define BOLD  "\x1b[1m"
#define PLAIN "\x1b[0m"

bool show_is_live(void)
{
    return isatty(STDOUT_FILENO);
}

// https://no-color.org: any value that is not empty.
static bool has_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return show_is_live() && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

void show_begin(void)
{
    fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout);
}

void show_end(void)
{
    fputs("\x1b[?25h\x1b[?1049l", stdout);
}

void show_home(void)
{
    fputs("\x1b[H", stdout);
}

void show_pause(double ms)
{
    double seconds = ms / 1000;
    struct timespec pause = {.tv_sec = (time_t)seconds};
    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    nanosleep(&pause, NULL);
}

// What stands in brackets is a card, a role or a die: red suits are red, what is hidden is dim.
static const char *style_of(struct span inside)
{
    if (memmem(inside.at, inside.size, "\u2665", 3) || memmem(inside.at, inside.size, "\u2666", 3))
        return RED;
    for (size_t i = 0; i < inside.size; i++)
        if (inside.at[i] != '?' && inside.at[i] != ' ')
            return BOLD;
    return DIM;
}

static void put_coloured(struct span line)
{
    bool marked = line.size && line.at[0] == '>';
    for (size_t at = 0; at < line.size;) {
        const char *open = memchr(line.at + at, '[', line.size - at);
        const char *close = open ? memchr(open, ']', (size_t)(line.at + line.size - open)) : NULL;
        size_t plain = close ? (size_t)(open - line.at) - at : line.size - at;
        if (marked)
            fputs(BOLD, stdout);
        fwrite(line.at + at, 1, plain, stdout);
        if (marked)
            fputs(PLAIN, stdout);
        at += plain;
        if (!close)
            continue;
        struct span inside = {open + 1, (size_t)(close - open - 1)};
        fputs(style_of(inside), stdout);
        fwrite(open, 1, inside.size + 2, stdout);
        fputs(PLAIN, stdout);
        at += inside.size + 2;
    }
}

static void put_line(struct span line, bool coloured)
{
    if (coloured)
        put_coloured(line);
    else
        fwrite(line.at, 1, line.size, stdout);
}

static void put_all(const struct text *t, const char *end_of_line)
{
    bool coloured = has_colour();
    for (size_t at = 0; at < t->size;) {
        const char *end = memchr(t->at + at, '\n', t->size - at);
        size_t size = end ? (size_t)(end - t->at) - at : t->size - at;
        put_line((struct span){t->at + at, size}, coloured);
        fputs(end_of_line, stdout);
        at += size + 1;
    }
}

// --- pages

enum { COLUMNS = 80, ROWS = 24, LEAST_COLUMNS = 40 };

static void measure(int *columns, int *rows)
{
    struct winsize w;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col && w.ws_row;
    *columns = known ? w.ws_col : COLUMNS;
    *rows = known ? w.ws_row : ROWS;
}

static struct span line_at(const struct text *t, size_t *at)
{
    const char *end = memchr(t->at + *at, '\n', t->size - *at);
    struct span line = {t->at + *at, end ? (size_t)(end - t->at) - *at : t->size - *at};
    *at += line.size + 1;
    return line;
}

static int count_lines(const struct text *t)
{
    int count = 0;
    for (size_t at = 0; at < t->size; line_at(t, &at))
        count++;
    return count;
}

// As many characters as there are columns; each is one column wide here.
static struct span cut(struct span line, int columns)
{
    int count = 0;
    for (size_t i = 0; i < line.size; i++)
        if (((unsigned char)line.at[i] & 0xc0) != 0x80 && count++ == columns)
            return (struct span){line.at, i};
    return line;
}

static void put_page_lines(const struct text *t, int from, int columns)
{
    bool coloured = has_colour();
    int number = 0;
    for (size_t at = 0; at < t->size; number++) {
        struct span line = cut(line_at(t, &at), columns);
        if (number < from)
            continue;
        put_line(line, coloured);
        fputs("\x1b[K\n", stdout);
    }
}

void show_page(const struct text *picture, const struct text *lines)
{
    int columns, rows, high = count_lines(picture), told = count_lines(lines);
    measure(&columns, &rows);
    show_home();
    if (columns < LEAST_COLUMNS || rows < high + 2) {
        printf("too small: %dx%d\x1b[K\nneeds %dx%d\x1b[K", columns, rows, LEAST_COLUMNS, high + 2);
    } else {
        int room = rows - high - 2; // an empty line, and the last row stays free
        put_page_lines(picture, 0, columns);
        fputs("\x1b[K\n", stdout);
        put_page_lines(lines, told > room ? told - room : 0, columns);
    }
    fputs("\x1b[J", stdout); // nothing is left below
}

void show_lines(const struct text *t)
{
    put_all(t, "\x1b[K\n");
}

void show_plain(const struct text *t)
{
    put_all(t, "\n");
}

void show_keep_last(struct text *t, int lines)
{
    size_t at = t->size;
    for (int seen = -1; at > 0 && (seen += t->at[at - 1] == '\n') < lines;)
        at--;
    t->size -= at;
    memmove(t->at, t->at + at, t->size);
}
