#define NCURSES_WIDECHAR 1
#include "tui/display.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// --- what a dying process still has to do

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

enum { DEADLY = sizeof deadly / sizeof *deadly };

static struct {
    int fd;
    struct termios modes;
    bool has_modes;
    char bytes[256]; // give back the page, the cursor, the keyboard
    size_t size;
    struct sigaction before[DEADLY];
    bool open;
} rescue;

static void give_back(void)
{
    if (write(rescue.fd, rescue.bytes, rescue.size) < 0)
        rescue.size = 0; // nothing more can be done for it
    if (rescue.has_modes)
        tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
}

static void on_exit_call(void)
{
    if (rescue.open)
        give_back();
}

static void on_crash(int number)
{
    give_back();
    for (int i = 0; i < DEADLY; i++)
        if (deadly[i] == number)
            sigaction(number, &rescue.before[i], NULL);
    raise(number);
}

static void add_rescue(const char *bytes)
{
    size_t size = bytes && bytes != (char *)-1 ? strlen(bytes) : 0;
    if (size > sizeof rescue.bytes - rescue.size)
        return;
    memcpy(rescue.bytes + rescue.size, bytes, size);
    rescue.size += size;
}

static void watch_crashes(int fd)
{
    rescue.fd = fd;
    rescue.size = 0;
    add_rescue(tigetstr("sgr0"));
    add_rescue(tigetstr("cnorm"));
    add_rescue(tigetstr("rmcup"));
    struct sigaction crash = {.sa_handler = on_crash};
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &crash, &rescue.before[i]);
    static bool registered;
    if (!registered)
        registered = atexit(on_exit_call) == 0;
    rescue.open = true;
}

static void forget_crashes(void)
{
    rescue.open = false;
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &rescue.before[i], NULL);
}

// --- the keyboard: releases (the kitty protocol) and focus, asked of terminals that ignore what they do not know

#define KEYBOARD_ON  "\33[?1004h\33[>11u\33[?u"
#define KEYBOARD_OFF "\33[<u\33[?1004l"

static bool takes_requests(const char *terminal)
{
    static const char *const families[] = {"xterm", "tmux",      "screen-256", "kitty",
                                           "foot",  "alacritty", "ghostty",    "wezterm"};
    for (size_t i = 0; terminal && i < sizeof families / sizeof *families; i++)
        if (strncmp(terminal, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

static void send(const struct display *d, const char *bytes)
{
    const char *terminal = d->options.terminal ? d->options.terminal : getenv("TERM");
    size_t size = strlen(bytes);
    while (size && takes_requests(terminal)) {
        ssize_t n = write(fileno(d->options.out), bytes, size);
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}

// --- colours

// Each colour is two pairs: in front of the terminal's own ground, and behind black.
static void set_colours(void)
{
    static const short rich[COLOURS] = {-1, 44, 220, 134, 76, 167, 33, 208, 246, 231, 240, 203},
                       poor[COLOURS] = {-1,         COLOR_CYAN,  COLOR_YELLOW, COLOR_MAGENTA, COLOR_GREEN, COLOR_RED,
                                        COLOR_BLUE, COLOR_WHITE, COLOR_WHITE,  COLOR_WHITE,   COLOR_WHITE, COLOR_RED};
    short ground = use_default_colors() == OK ? -1 : COLOR_BLACK;
    for (short i = 1; i < COLOURS; i++) {
        short colour = COLORS >= 256 ? rich[i] : poor[i];
        init_pair(i, colour, ground);
        init_pair((short)(COLOURS + i), COLOR_BLACK, colour);
    }
}

static void style_cell(const struct display *d, const struct frame_cell *c, attr_t *attributes, short *pair)
{
    bool solid = c->style & STYLE_SOLID;
    *attributes = c->style & STYLE_BOLD ? A_BOLD : A_NORMAL;
    *pair = 0;
    if (d->has_colour && c->colour)
        *pair = (short)(solid ? COLOURS + c->colour : c->colour);
    else if (solid)
        *attributes |= A_REVERSE;
    if (c->colour == COLOUR_DIM && (!d->has_colour || COLORS < 256))
        *attributes |= A_DIM;
}

// Lines of boxes where there is no Unicode.
static wchar_t plain_glyph(uint16_t glyph)
{
    if (glyph < 128)
        return glyph;
    return glyph == 0x2500 ? L'-' : glyph == 0x2502 ? L'|' : L'+';
}

// --- the terminal

static void prepare(struct display *d)
{
    cbreak();
    noecho();
    nonl();
    typeahead(-1); // a key that waits must not hold a frame back
    leaveok(stdscr, TRUE);
    curs_set(0);
    d->has_colour = has_colors() && start_color() == OK && COLOR_PAIRS >= 2 * COLOURS;
    if (d->has_colour)
        set_colours();
}

static bool has_capability(const char *name)
{
    const char *value = tigetstr(name);
    return value && value != (char *)-1;
}

const char *display_open(struct display *d, const struct display_options *o)
{
    *d = (struct display){.options = *o, .fresh = true};
    setlocale(LC_CTYPE, "");
    d->has_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    rescue.has_modes = tcgetattr(fileno(o->out), &rescue.modes) == 0;
    SCREEN *screen = newterm(o->terminal, o->out, o->in);
    if (!screen)
        return "the terminal is of an unknown kind; set TERM, for example to xterm";
    if (!has_capability("cup")) {
        endwin();
        delscreen(screen);
        return "the terminal cannot move its cursor; set TERM, for example to xterm";
    }
    watch_crashes(fileno(o->out));
    prepare(d);
    refresh();
    send(d, KEYBOARD_ON);
    const char *terminal = o->terminal ? o->terminal : getenv("TERM");
    add_rescue(takes_requests(terminal) ? KEYBOARD_OFF : "");
    getmaxyx(stdscr, d->rows, d->columns);
    return NULL;
}

void display_close(struct display *d)
{
    display_suspend(d);
    forget_crashes();
    delscreen(set_term(NULL));
}

void display_suspend(struct display *d)
{
    send(d, KEYBOARD_OFF);
    endwin();
}

void display_resume(struct display *d)
{
    refresh();
    send(d, KEYBOARD_ON);
    display_measure(d);
    clearok(curscr, TRUE);
    d->fresh = true;
}

void display_measure(struct display *d)
{
    struct winsize size;
    if (ioctl(fileno(d->options.out), TIOCGWINSZ, &size) != 0 || !size.ws_row || !size.ws_col)
        return;
    resizeterm(size.ws_row, size.ws_col);
    clearok(stdscr, TRUE);
    d->rows = size.ws_row;
    d->columns = size.ws_col;
    d->fresh = true;
}

// --- frames

static void put_run(const struct display *d, const struct frame_cell *cells, int count, int row, int column)
{
    cchar_t run[FRAME_COLUMNS];
    for (int i = 0; i < count; i++) {
        wchar_t glyph[2] = {d->has_unicode ? cells[i].glyph : plain_glyph(cells[i].glyph), 0};
        attr_t attributes;
        short pair;
        style_cell(d, &cells[i], &attributes, &pair);
        setcchar(&run[i], glyph, attributes, pair, NULL);
    }
    mvadd_wchnstr(row, column, run, count);
}

// The changed part of a row, as one run.
static bool show_row(const struct display *d, const struct frame *f, int y)
{
    const struct frame_cell *now = f->cell[y], *was = d->shown.cell[y];
    size_t size = (size_t)f->columns * sizeof *now;
    if (!d->fresh && memcmp(now, was, size) == 0)
        return false;
    int first = 0, end = f->columns;
    while (!d->fresh && memcmp(&now[first], &was[first], sizeof *now) == 0)
        first++;
    while (!d->fresh && memcmp(&now[end - 1], &was[end - 1], sizeof *now) == 0)
        end--;
    put_run(d, now + first, end - first, d->row + y, d->column + first);
    return true;
}

static void place_frame(struct display *d, const struct frame *f)
{
    erase();
    d->fresh = true;
    d->column = d->columns > f->columns ? (d->columns - f->columns) / 2 : 0;
    d->row = !d->options.top && d->rows > f->rows ? (d->rows - f->rows) / 2 : 0;
}

void display_show(struct display *d, const struct frame *f)
{
    if (d->fresh || d->shown.columns != f->columns || d->shown.rows != f->rows)
        place_frame(d, f);
    bool changed = d->fresh;
    for (int y = 0; y < f->rows; y++)
        changed |= show_row(d, f, y);
    d->fresh = false;
    if (!changed)
        return;
    d->shown = *f;
    refresh();
}
