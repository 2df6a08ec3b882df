#include "tui/screen.h"

#include "net/heap_text.h"
#include "net/loop.h"
#include "tui/tty.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define ENTER "\33[?1049h\33[?25l" // the other page, no cursor
#define LEAVE "\33[?25h\33[?1049l"

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    if (number != SIGWINCH)
        stopped = 1;
}

void screen_open(struct screen *s)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    struct sigaction action = {.sa_handler = on_signal}; // without SA_RESTART: a signal ends the wait
    *s = (struct screen){0};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &action, NULL);
    tty_open(STDIN_FILENO, STDOUT_FILENO, SPAN(LEAVE));
    tty_take(false); // a stopped program would leave its page behind
    tty_write(STDOUT_FILENO, SPAN(ENTER));
    screen_measure(s);
}

void screen_close(struct screen *s)
{
    (void)s;
    tty_give_back();
    tty_close();
}

void screen_measure(struct screen *s)
{
    tty_measure(STDOUT_FILENO, &s->columns, &s->rows);
}

struct span screen_line(struct span text, size_t *at)
{
    const char *from = text.at + *at;
    const char *end = memchr(from, '\n', text.size - *at);
    size_t size = end ? (size_t)(end - from) : text.size - *at;
    *at += size + (end != NULL);
    return (struct span){from, size};
}

int screen_width(struct span line)
{
    int width = 0;
    for (size_t i = 0; i < line.size; i++)
        width += ((unsigned char)line.at[i] & 0xc0) != 0x80; // the first byte of each character
    return width;
}

// The part of a line that fits.
static struct span clip(struct span line, int columns)
{
    size_t size = 0;
    for (int width = 0; size < line.size; size++) {
        width += ((unsigned char)line.at[size] & 0xc0) != 0x80;
        if (width > columns)
            break;
    }
    return (struct span){line.at, size};
}

void screen_show(struct screen *s, struct span text)
{
    struct text frame = {.grow = heap_text_grow};
    text_puts(&frame, "\33[H");
    size_t at = 0;
    for (int row = 0; row < s->rows && at < text.size; row++) {
        text_puts(&frame, row ? "\r\n" : "");
        text_put(&frame, clip(screen_line(text, &at), s->columns));
        text_puts(&frame, "\33[K");
    }
    text_puts(&frame, "\33[J");
    tty_write(STDOUT_FILENO, text_span(&frame));
    free(frame.at);
}

static void take_key(void *owner, struct input_event e)
{
    struct screen *s = owner;
    if (e.kind == INPUT_PRESS && !e.control && s->count < SCREEN_KEYS)
        s->key[s->count++] = (int)e.code;
}

int screen_wait_key(struct screen *s, int timeout_ms)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[SCREEN_KEYS];
    if (stopped)
        return SCREEN_GONE;
    if (s->first < s->count)
        return s->key[s->first++];
    if (poll(&in, 1, timeout_ms) != 1)
        return stopped ? SCREEN_GONE : SCREEN_NOTHING;
    ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
    if (size <= 0)
        return SCREEN_GONE;
    s->first = s->count = 0;
    input_feed(&s->input, (struct span){bytes, (size_t)size}, take_key, s);
    return s->count ? s->key[s->first++] : SCREEN_NOTHING;
}

int screen_plain_width(void)
{
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    return width >= 20 && width <= 10000 ? (int)width : 120;
}
