#include "tui/screen.h"

#include "tui/terminfo.h"
#include "tui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTER "\33[?1049h\33[?25l\33[?7l" // the other page, no cursor, no new line at the right edge
#define LEAVE "\33[?7h\33[?25h\33[?1049l"

static volatile sig_atomic_t stopped, interrupted;
static int bell[2] = {-1,
                      -1}; // written by signal handlers, so that a signal just before the wait ends it too (self-pipe)

static void on_signal(int number)
{
    int before = errno;
    if (number != SIGWINCH) {
        interrupted = 1; // read by code that waits for something else
        stopped |= number != SIGINT;
    }
    ssize_t rung = write(bell[1], "", 1); // if the pipe is full, the wait ends anyway
    (void)rung;
    errno = before;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || strcmp(term, "dumb") == 0;
}

bool screen_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !is_dumb();
}

// https://no-color.org: any value that is not empty.
int screen_colours(void)
{
    const char *no = getenv("NO_COLOR");
    if (!isatty(STDOUT_FILENO) || (no && *no) || is_dumb())
        return 0;
    return terminfo_colours(STDOUT_FILENO);
}

void screen_open(struct screen *s)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    struct sigaction action = {.sa_handler = on_signal}; // without SA_RESTART: a signal ends other waits
    if (bell[0] < 0 && pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0)
        abort(); // no descriptor is left, at the start of a screen
    *s = (struct screen){.colours = screen_colours()};
    interrupted = 0;
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
    // The kernel follows the hang-up of a terminal with SIGCONT for every process left in its session. If it comes
    // while a leak check stops this process at its end, it undoes that stop, and both wait for each other for ever
    // (seen in one of three runs).
    if (stopped)
        setsid(); // of no use to the leader of a group, and not needed there
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

// Only where the user's locale names another encoding: a terminal without a locale, as in most containers, knows UTF-8.
static bool is_ascii(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}; // in the order of setlocale
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return !strcasestr(value, "UTF-8") && !strcasestr(value, "UTF8");
    }
    return false;
}

// Suits, frames, pips and the backs of cards, as one character each: widths stay the same.
static char nearest_ascii(struct span character)
{
    static const struct {
        const char *text;
        char plain;
    } table[] = {{"\u2660", 's'}, {"\u2665", 'h'}, {"\u2666", 'd'}, {"\u2663", 'c'}, {"\u2500", '-'}, {"\u2502", '|'},
                 {"\u256d", '+'}, {"\u256e", '+'}, {"\u256f", '+'}, {"\u2570", '+'}, {"\u25cf", 'o'}, {"\u2591", '#'}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (span_is(character, table[i].text))
            return table[i].plain;
    return '?';
}

static void put_ascii(struct span text)
{
    char plain[1024];
    size_t size = 0;
    for (size_t i = 0, n; i < text.size; i += n) {
        for (n = 1; i + n < text.size && ((unsigned char)text.at[i + n] & 0xc0) == 0x80;)
            n++;
        plain[size++] = (unsigned char)text.at[i] < 0x80 ? text.at[i] : nearest_ascii((struct span){text.at + i, n});
        if (size == sizeof plain || i + n == text.size) {
            tty_write(STDOUT_FILENO, (struct span){plain, size});
            size = 0;
        }
    }
}

void screen_put(struct span bytes)
{
    if (is_ascii())
        put_ascii(bytes);
    else
        tty_write(STDOUT_FILENO, bytes);
}

static void on_key(void *owner, struct input_event e)
{
    struct screen *s = owner;
    if (e.kind == INPUT_PRESS && s->count < SCREEN_KEYS)
        s->key[s->count++] = e.control ? SCREEN_CONTROL((int)e.code) : (int)e.code;
}

volatile sig_atomic_t *screen_interrupted(void)
{
    return &interrupted;
}

static bool clear_interrupt(void)
{
    char bytes[64];
    bool was = interrupted;
    interrupted = 0;
    while (read(bell[0], bytes, sizeof bytes) > 0)
        continue; // handled: the next wait must block
    return was;
}

int screen_wait_key(struct screen *s, int timeout_ms)
{
    struct pollfd in[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = bell[0], .events = POLLIN}};
    char bytes[SCREEN_KEYS];
    if (stopped)
        return SCREEN_GONE;
    if (interrupted && clear_interrupt())
        return SCREEN_INTERRUPT;
    if (s->first < s->count)
        return s->key[s->first++];
    if (poll(in, 2, timeout_ms) <= 0 || !in[0].revents)
        return stopped ? SCREEN_GONE : clear_interrupt() ? SCREEN_INTERRUPT : SCREEN_NOTHING;
    ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
    if (size <= 0) {
        stopped = 1; // the signal of a hang-up may come later
        return SCREEN_GONE;
    }
    s->first = s->count = 0;
    input_feed(&s->input, (struct span){bytes, (size_t)size}, on_key, s);
    return s->count ? s->key[s->first++] : SCREEN_NOTHING;
}

int screen_plain_width(void)
{
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    return width >= 20 && width <= 10000 ? (int)width : 120;
}
