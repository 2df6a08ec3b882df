#include "app/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void show_rest(void)
{
    fputs("\x1b[J", stdout);
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
