#include "tui/display.h"

#include "tui/tty.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>

// --- bytes

static void flush_output(struct display *d)
{
    tty_write(d->options.out, text_span(&d->out));
    d->out.size = 0;
}

static void put_bytes(struct display *d, struct span bytes)
{
    if (d->out.room - d->out.size < bytes.size)
        flush_output(d);
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
    put_bytes(d, (struct span){bytes, glyph < 0x80 ? 1 : 3});
}

// --- the terminal

// Requests key releases (kitty protocol) and focus events. Only for terminals that ignore unknown requests.
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

static void enter_frame_mode(struct display *d)
{
    tty_take(true);
    put_bytes(d, span_of(d->info.enter));
    put_bytes(d, span_of(d->takes_requests ? requests : ""));
    d->fresh = true;
    flush_output(d);
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
    char bytes[2 * TERMINFO_ROOM];
    struct text leave = text_on(bytes, sizeof bytes);
    text_puts(&leave, d->takes_requests ? withdrawal : "");
    text_puts(&leave, d->info.leave);
    tty_open(o->in, o->out, text_span(&leave));
    tty_measure(o->out, &d->columns, &d->rows);
    enter_frame_mode(d);
    return NULL;
}

void display_suspend(struct display *d)
{
    if (!d->info.enter[0]) { // no alternate screen: leave the prompt on a new line
        char move[TERMINFO_MOVE_ROOM];
        put_bytes(d, (struct span){move, terminfo_move(move, d->rows - 1, 0)});
        put_bytes(d, SPAN("\r\n"));
        flush_output(d);
    }
    tty_give_back();
}

void display_resume(struct display *d)
{
    enter_frame_mode(d);
    tty_measure(d->options.out, &d->columns, &d->rows);
}

void display_close(struct display *d)
{
    display_suspend(d);
    tty_close();
    terminfo_close();
}

void display_measure(struct display *d)
{
    tty_measure(d->options.out, &d->columns, &d->rows);
    d->fresh = true;
}

// --- frames

// State of the terminal's cursor: position and style.
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
        put_bytes(d, (struct span){move, terminfo_move(move, row, column)});
    }
    bool solid = pen->style && pen->style->style & STYLE_SOLID;
    bool same = pen->style ? pen->style->colour == c->colour && pen->style->style == c->style : !c->colour && !c->style;
    // A blank looks the same in every style that is not solid.
    bool blank = c->glyph == ' ' && !(c->style & STYLE_SOLID);
    if (!same && (solid || !blank)) {
        put_bytes(d, span_of(d->info.style[c->colour][c->style % TERMINFO_STYLES]));
        pen->style = c;
    }
    put_glyph(d, c->glyph);
    pen->row = row;
    pen->column = column + 1;
}

// Writes the changes of a row. Short unchanged stretches are written again, because moving the cursor costs more bytes.
static bool show_row(struct display *d, struct pen *pen, const struct frame *f, int y)
{
    enum { JUMP = 4 };
    const struct frame_cell *now = f->cell[y], *was = d->shown.cell[y];
    if (memcmp(now, was, (size_t)f->columns * sizeof *now) == 0)
        return false;
    for (int x = 0; x < f->columns; x++) {
        if (memcmp(&now[x], &was[x], sizeof now[x]) == 0)
            continue;
        if (pen->row == d->row + y && x + d->column - pen->column <= JUMP)
            for (int between = pen->column - d->column; between < x; between++)
                put_cell(d, pen, f, y, between);
        put_cell(d, pen, f, y, x);
    }
    return true;
}

// Clears the screen and places the frame on it.
static void begin_page(struct display *d, const struct frame *f)
{
    d->column = d->columns > f->columns ? (d->columns - f->columns) / 2 : 0;
    d->row = !d->options.top && d->rows > f->rows ? (d->rows - f->rows) / 2 : 0;
    frame_clear(&d->shown, f->columns, f->rows);
    put_bytes(d, span_of(d->info.plain));
    put_bytes(d, span_of(d->info.clear));
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
        put_bytes(d, span_of(d->info.plain));
    if (changed)
        d->shown = *f;
    if (d->out.size)
        flush_output(d);
}
