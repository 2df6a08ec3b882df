#include "app/screen.h"

#include "app/app.h"
#include "app/reserve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define ENTER "\33[?1049h\33[?25l" // the other page, no cursor
#define LEAVE "\33[?25h\33[?1049l"

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    if (number != SIGWINCH)
        stopped = 1;
}

// All of it; what cannot be written to a terminal is lost, as on paper.
static void put(const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(STDOUT_FILENO, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}

void screen_open(struct screen *s)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    *s = (struct screen){0};
    if (tcgetattr(STDIN_FILENO, &s->before) != 0)
        app_die("cannot use the terminal: %s", strerror(errno));
    struct sigaction action = {.sa_handler = on_signal}; // without SA_RESTART: a signal ends the wait
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &action, NULL);
    struct termios raw = s->before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;      // a stopped program would leave its page behind
    tcsetattr(STDIN_FILENO, TCSANOW, &raw); // what was typed ahead counts
    put(ENTER, sizeof ENTER - 1);
    screen_measure(s);
}

void screen_close(struct screen *s)
{
    put(LEAVE, sizeof LEAVE - 1);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &s->before);
}

void screen_measure(struct screen *s)
{
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    s->columns = known ? size.ws_col : 80;
    s->rows = known ? size.ws_row : 24;
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
    enum { ROOM = 4 << 20 };
    static struct text frame;
    if (!frame.at)
        frame = app_reserve_text(ROOM);
    frame.size = 0;
    frame.full = false;
    text_puts(&frame, "\33[H");
    size_t at = 0;
    for (int row = 0; row < s->rows && at < text.size; row++) {
        text_puts(&frame, row ? "\r\n" : "");
        text_put(&frame, clip(screen_line(text, &at), s->columns));
        text_puts(&frame, "\33[K");
    }
    text_puts(&frame, "\33[J");
    put(frame.at, frame.size);
}

static bool wait_input(int timeout_ms)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, timeout_ms) == 1;
}

// What follows an escape: "[C", "OC", "[1~"... Keys that have no name here are nothing.
static int read_escape(void)
{
    static const struct {
        unsigned char last;
        unsigned char digit;
        int key;
    } names[] = {{'A', 0, SCREEN_UP},   {'B', 0, SCREEN_DOWN}, {'C', 0, SCREEN_RIGHT},  {'D', 0, SCREEN_LEFT},
                 {'H', 0, SCREEN_HOME}, {'F', 0, SCREEN_END},  {'~', '1', SCREEN_HOME}, {'~', '4', SCREEN_END}};
    unsigned char byte, digit = 0;
    for (int i = 0; i < 8 && wait_input(10) && read(STDIN_FILENO, &byte, 1) == 1; i++) {
        if (byte >= '0' && byte <= '9')
            digit = byte;
        if (i == 0 || byte < '@')
            continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (names[k].last == byte && (!names[k].digit || names[k].digit == digit))
                return names[k].key;
        break;
    }
    return SCREEN_NOTHING;
}

int screen_wait_key(struct screen *s, int timeout_ms)
{
    (void)s;
    unsigned char byte;
    if (stopped)
        return SCREEN_GONE;
    if (!wait_input(timeout_ms))
        return stopped ? SCREEN_GONE : SCREEN_NOTHING;
    if (read(STDIN_FILENO, &byte, 1) != 1)
        return SCREEN_GONE;
    if (byte == 8)
        return SCREEN_BACKSPACE;
    return byte == 27 ? read_escape() : byte;
}

int64_t screen_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int screen_plain_width(void)
{
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    return width >= 20 && width <= 10000 ? (int)width : 120;
}
