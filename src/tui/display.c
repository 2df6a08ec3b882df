#include "tui/display.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// --- giving the terminal back, whatever happens

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

enum { DEADLY = sizeof deadly / sizeof *deadly };

static struct {
    bool open;
    int in, out;
    struct termios modes;
    bool has_modes;
    char bytes[2 * TERMINFO_ROOM];
    size_t size;
    struct sigaction before[DEADLY];
} rescue;

// Callable in a signal handler.
static void give_back(void)
{
    const char *at = rescue.bytes;
    for (size_t left = rescue.size; left;) {
        ssize_t n = write(rescue.out, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += n;
        left -= (size_t)n;
    }
    if (rescue.has_modes)
        tcsetattr(rescue.in, TCSADRAIN, &rescue.modes);
}

static void on_exit_call(void)
{
    if (rescue.open)
        give_back();
}

static void on_crash(int number)
{
    if (rescue.open)
        give_back();
    for (int i = 0; i < DEADLY; i++)
        if (deadly[i] == number)
            sigaction(number, &rescue.before[i], NULL);
    raise(number);
}

static void watch_crashes(void)
{
    static bool registered;
    struct sigaction crash = {.sa_handler = on_crash};
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &crash, &rescue.before[i]);
    if (!registered)
        registered = atexit(on_exit_call) == 0;
}

static void forget_crashes(void)
{
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &rescue.before[i], NULL);
}

// --- bytes

static void flush(struct display *d)
{
    const char *at = d->out.at;
    for (size_t left = d->out.size; left;) {
        ssize_t n = write(d->options.out, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break; // the terminal is gone; the loop will hear of it
        at += n;
        left -= (size_t)n;
    }
    d->out.size = 0;
}

static void put(struct display *d, struct span bytes)
{
    if (d->out.room - d->out.size < bytes.size)
        flush(d);
    text_put(&d->out, bytes);
}

static void put_glyph(struct display *d, uint16_t glyph)
{
    if (glyph >= 128 && !d->has_unicode) // lines of boxes
        glyph = glyph == 0x2500 ? '-' : glyph == 0x2502 ? '|' : '+';
    char bytes[3] = {(char)glyph};
    if (glyph >= 0x80) { // all that is used lies above 0x7ff
        bytes[0] = (char)(0xe0 | glyph >> 12);
        bytes[1] = (char)(0x80 | (glyph >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (glyph & 0x3f));
    }
    put(d, (struct span){bytes, glyph < 0x80 ? 1 : 3});
}

// --- the terminal

// Releases of keys (the kitty protocol) and focus, asked of terminals that ignore what they do not know.
static const char requests[] = "\33[?1004h\33[>11u\33[?u", withdrawal[] = "\33[<u\33[?1004l";

static bool takes_requests(const char *terminal)
{
    static const char *const families[] = {"xterm", "tmux",      "screen-256", "kitty",
                                           "foot",  "alacritty", "ghostty",    "wezterm"};
    for (size_t i = 0; terminal && i < sizeof families / sizeof *families; i++)
        if (strncmp(terminal, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

static void take_terminal(struct display *d)
{
    struct termios modes = rescue.modes;
    modes.c_lflag &= (tcflag_t) ~(ICANON | ECHO); // signals stay: Ctrl-C and Ctrl-Z do what they do everywhere
    modes.c_iflag &= (tcflag_t) ~(ICRNL | IXON);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    if (rescue.has_modes)
        tcsetattr(d->options.in, TCSADRAIN, &modes);
    rescue.open = true;
    put(d, span_of(d->info.enter));
    put(d, span_of(d->takes_requests ? requests : ""));
    d->fresh = true;
    flush(d);
}

static void measure(struct display *d)
{
    struct winsize size;
    bool known = ioctl(d->options.out, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
    d->rows = known ? size.ws_row : 24;
    d->columns = known ? size.ws_col : 80;
}

const char *display_open(struct display *d, const struct display_options *o)
{
    *d = (struct display){.options = *o};
    const char *why = terminfo_open(&d->info, o->terminal, o->out);
    if (why)
        return why;
    setlocale(LC_CTYPE, "");
    d->has_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    d->takes_requests = takes_requests(o->terminal ? o->terminal : getenv("TERM"));
    d->out = text_on(d->bytes, sizeof d->bytes);
    rescue.in = o->in;
    rescue.out = o->out;
    rescue.has_modes = tcgetattr(o->in, &rescue.modes) == 0;
    struct text last = text_on(rescue.bytes, sizeof rescue.bytes);
    text_puts(&last, d->takes_requests ? withdrawal : "");
    text_puts(&last, d->info.leave);
    rescue.size = last.size;
    watch_crashes();
    measure(d);
    take_terminal(d);
    return NULL;
}

void display_suspend(struct display *d)
{
    if (!d->info.enter[0]) { // one page for everything: leave it with the prompt on a line of its own
        char move[TERMINFO_MOVE_ROOM];
        put(d, (struct span){move, terminfo_move(move, d->rows - 1, 0)});
        put(d, SPAN("\r\n"));
        flush(d);
    }
    give_back();
    rescue.open = false;
}

void display_resume(struct display *d)
{
    if (rescue.has_modes)
        tcgetattr(d->options.in, &rescue.modes);
    take_terminal(d);
    measure(d);
}

void display_close(struct display *d)
{
    display_suspend(d);
    forget_crashes();
    terminfo_close();
}

void display_measure(struct display *d)
{
    measure(d);
    d->fresh = true;
}

// --- frames

static bool is_same(const struct frame_cell *a, const struct frame_cell *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static const char *style_of(const struct display *d, const struct frame_cell *c)
{
    return d->info.style[c->colour][c->style % TERMINFO_STYLES];
}

// It looks the same in every style that is not solid.
static bool is_blank(const struct frame_cell *c)
{
    return c->glyph == ' ' && !(c->style & STYLE_SOLID);
}

// The pen: where it is and how it writes.
struct pen {
    int row, column;
    const struct frame_cell *style; // the cell whose style is set; NULL: plain
};

// The cell at the end of the last line is left alone: some terminals would scroll.
static void put_cell(struct display *d, struct pen *pen, const struct frame *f, int y, int x)
{
    const struct frame_cell *c = &f->cell[y][x];
    int row = d->row + y, column = d->column + x;
    if (row == d->rows - 1 && column == d->columns - 1)
        return;
    if (pen->row != row || pen->column != column) {
        char move[TERMINFO_MOVE_ROOM];
        put(d, (struct span){move, terminfo_move(move, row, column)});
    }
    bool solid = pen->style && pen->style->style & STYLE_SOLID;
    bool same = pen->style ? pen->style->colour == c->colour && pen->style->style == c->style : !c->colour && !c->style;
    if (!same && (solid || !is_blank(c))) {
        put(d, span_of(style_of(d, c)));
        pen->style = c;
    }
    put_glyph(d, c->glyph);
    pen->row = row;
    pen->column = column + 1;
}

// Changes of a row. A short stretch without changes is written again where the cursor would have to jump.
static bool show_row(struct display *d, struct pen *pen, const struct frame *f, int y)
{
    enum { JUMP = 4 };
    const struct frame_cell *now = f->cell[y], *was = d->shown.cell[y];
    if (memcmp(now, was, (size_t)f->columns * sizeof *now) == 0)
        return false;
    for (int x = 0; x < f->columns; x++) {
        if (is_same(&now[x], &was[x]))
            continue;
        if (pen->row == d->row + y && x + d->column - pen->column <= JUMP)
            for (int between = pen->column - d->column; between < x; between++)
                put_cell(d, pen, f, y, between);
        put_cell(d, pen, f, y, x);
    }
    return true;
}

// An empty page, and the frame's place on it.
static void begin_page(struct display *d, const struct frame *f)
{
    d->column = d->columns > f->columns ? (d->columns - f->columns) / 2 : 0;
    d->row = !d->options.top && d->rows > f->rows ? (d->rows - f->rows) / 2 : 0;
    frame_clear(&d->shown, f->columns, f->rows);
    put(d, span_of(d->info.plain));
    put(d, span_of(d->info.clear));
    d->fresh = false;
}

void display_show(struct display *d, const struct frame *f)
{
    if (d->fresh || d->shown.columns != f->columns || d->shown.rows != f->rows)
        begin_page(d, f);
    struct pen pen = {.row = -1};
    bool changed = false;
    for (int y = 0; y < f->rows; y++)
        changed |= show_row(d, &pen, f, y);
    if (pen.style)
        put(d, span_of(d->info.plain));
    if (changed)
        d->shown = *f;
    if (d->out.size)
        flush(d);
}
