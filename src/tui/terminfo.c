#include "tui/terminfo.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include <term.h> // last: it defines macros with common names

static char *move_string; // "cup", as long as a terminal is open

// Adds a capability without its padding, "$<2>": no terminal has needed the time for decades.
static void add_string(char out[TERMINFO_ROOM], const char *string)
{
    size_t size = strlen(out);
    while (string && *string && size + 1 < TERMINFO_ROOM) {
        if (string[0] == '$' && string[1] == '<') {
            const char *end = strchr(string, '>');
            if (end) {
                string = end + 1;
                continue;
            }
        }
        out[size++] = *string++;
    }
    out[size] = 0;
}

static char *find_capability(const char *name)
{
    char *string = tigetstr(name);
    return string == (char *)-1 ? NULL : string;
}

static void add_capability(char out[TERMINFO_ROOM], const char *name)
{
    add_string(out, find_capability(name));
}

static void add_colour(char out[TERMINFO_ROOM], const char *name, int colour)
{
    char *string = find_capability(name);
    if (string)
        add_string(out, tparm(string, (long)colour, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
}

static int colour_number(const struct terminfo *t, int colour)
{
    static const short rich[COLOURS] = {-1, 44, 220, 134, 76, 167, 33, 208, 246, 231, 240, 203};
    static const short poor[COLOURS] = {-1,         COLOR_CYAN,  COLOR_YELLOW, COLOR_MAGENTA, COLOR_GREEN, COLOR_RED,
                                        COLOR_BLUE, COLOR_WHITE, COLOR_WHITE,  COLOR_WHITE,   COLOR_WHITE, COLOR_RED};
    return t->colours >= 256 ? rich[colour] : poor[colour];
}

static void make_style(struct terminfo *t, int colour, int style)
{
    char *out = t->style[colour][style];
    bool solid = style & STYLE_SOLID, coloured = t->colours && colour;
    add_string(out, t->plain);
    if (style & STYLE_BOLD)
        add_capability(out, "bold");
    if (solid && !coloured)
        add_capability(out, "rev");
    if (colour == COLOUR_DIM && t->colours < 256)
        add_capability(out, "dim");
    if (!coloured)
        return;
    add_colour(out, "setaf", solid ? COLOR_BLACK : colour_number(t, colour));
    if (solid)
        add_colour(out, "setab", colour_number(t, colour));
}

const char *terminfo_open(struct terminfo *t, const char *name, int fd)
{
    int error;
    if (setupterm(name, fd, &error) != OK)
        return "the terminal type is unknown; set TERM, for example to xterm";
    move_string = find_capability("cup");
    if (!move_string || !find_capability("clear")) {
        terminfo_close();
        return "the terminal cannot move its cursor; set TERM, for example to xterm";
    }
    *t = (struct terminfo){.colours = tigetnum("colors")};
    const char *no = getenv("NO_COLOR");
    if (no && no[0])
        t->colours = 0;
    if (t->colours < 8 || !find_capability("setaf") || !find_capability("setab"))
        t->colours = 0;
    add_capability(t->plain, "sgr0");
    add_capability(t->clear, "clear");
    add_capability(t->enter, "smcup");
    add_capability(t->enter, "civis");
    add_string(t->leave, t->plain);
    add_capability(t->leave, "cnorm");
    add_capability(t->leave, "rmcup");
    for (int colour = 0; colour < COLOURS; colour++)
        for (int style = 0; style < TERMINFO_STYLES; style++)
            make_style(t, colour, style);
    return NULL;
}

void terminfo_close(void)
{
    move_string = NULL;
    del_curterm(cur_term);
}

int terminfo_colours(int fd)
{
    int error;
    if (setupterm(NULL, fd, &error) != OK)
        return 0;
    int colours = tigetnum("colors");
    del_curterm(cur_term);
    return colours < 8 ? 0 : colours;
}

size_t terminfo_move(char out[TERMINFO_MOVE_ROOM], int row, int column)
{
    char whole[TERMINFO_ROOM] = "";
    add_string(whole, tparm(move_string, (long)row, (long)column, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
    size_t size = strlen(whole);
    size = size < TERMINFO_MOVE_ROOM ? size : 0;
    memcpy(out, whole, size);
    return size;
}
