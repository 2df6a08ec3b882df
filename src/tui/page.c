#include "tui/page.h"

#include "tui/screen.h"

#include <stdint.h>
#include <string.h>

// --- cells

enum style {
    PLAIN,
    BOLD,
    DIM,
    TITLE,
    CHOSEN,
    NOTICE,
    CARD,     // a black suit, a role, a die
    CARD_RED, // hearts and diamonds
    HIDDEN,   // face down, or a place without a card
    GONE,     // face up and lost
    SEAT,     // the name of seat 0, then the others
    PIECE = SEAT + 10,
    STYLES = PIECE + 9,
};

// The same in 256 colours, in 8, and without any.
static const struct {
    const char *rich, *poor, *none;
} styles[STYLES] = {
    [PLAIN] = {"", "", ""},
    [BOLD] = {"1", "1", "1"},
    [DIM] = {"38;5;245", "2", "2"},
    [TITLE] = {"1;38;5;231;48;5;24", "1;37;44", "7"},
    [CHOSEN] = {"1;38;5;16;48;5;220", "1;30;43", "7"},
    [NOTICE] = {"1;38;5;220", "1;33", "1"},
    [CARD] = {"1;38;5;16;48;5;255", "30;47", "1"},
    [CARD_RED] = {"1;38;5;160;48;5;255", "31;47", "1"},
    [HIDDEN] = {"38;5;153;48;5;25", "36;44", "2"},
    [GONE] = {"9;38;5;167", "31", "2"},
    [SEAT] = {"1;38;5;81", "1;36", "1"},
    [SEAT + 1] = {"1;38;5;214", "1;33", "1"},
    [SEAT + 2] = {"1;38;5;120", "1;32", "1"},
    [SEAT + 3] = {"1;38;5;213", "1;35", "1"},
    [SEAT + 4] = {"1;38;5;229", "1;37", "1"},
    [SEAT + 5] = {"1;38;5;111", "1;34", "1"},
    [SEAT + 6] = {"1;38;5;209", "1;31", "1"},
    [SEAT + 7] = {"1;38;5;158", "36", "1"},
    [SEAT + 8] = {"1;38;5;183", "35", "1"},
    [SEAT + 9] = {"1;38;5;222", "33", "1"},
    [PIECE] = {"38;5;16;48;5;44", "30;46", ""}, // I, O, T, S, Z, J, L, garbage, the piece that falls
    [PIECE + 1] = {"38;5;16;48;5;220", "30;43", ""},
    [PIECE + 2] = {"38;5;16;48;5;134", "30;45", ""},
    [PIECE + 3] = {"38;5;16;48;5;76", "30;42", ""},
    [PIECE + 4] = {"38;5;16;48;5;167", "30;41", ""},
    [PIECE + 5] = {"38;5;16;48;5;33", "37;44", ""},
    [PIECE + 6] = {"38;5;16;48;5;208", "30;47", ""},
    [PIECE + 7] = {"38;5;16;48;5;246", "30;47", ""},
    [PIECE + 8] = {"1;38;5;16;48;5;231", "30;47", "1"},
};

struct cell {
    uint32_t glyph;
    uint8_t style;
};

struct row {
    int count;
    struct cell cell[PAGE_MOST_COLUMNS];
};

struct canvas {
    struct text *out;
    int columns, rows, colours;
    int used; // rows
};

// Controls are never drawn, those of eight bits included, which a character that was cut short becomes as well.
static uint32_t read_glyph(struct span s, size_t *at)
{
    unsigned char first = (unsigned char)s.at[(*at)++];
    uint32_t glyph = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
    while (first >= 0xc0 && *at < s.size && ((unsigned char)s.at[*at] & 0xc0) == 0x80)
        glyph = glyph << 6 | ((unsigned char)s.at[(*at)++] & 0x3f);
    return glyph < ' ' || (glyph >= 0x7f && glyph < 0xa0) || glyph > 0x10ffff ? ' ' : glyph;
}

static void put_glyph(struct text *t, uint32_t g)
{
    if (g < 0x80) {
        text_put_char(t, (char)g);
        return;
    }
    if (g < 0x800) {
        text_put_char(t, (char)(0xc0 | g >> 6));
    } else if (g < 0x10000) {
        text_put_char(t, (char)(0xe0 | g >> 12));
        text_put_char(t, (char)(0x80 | (g >> 6 & 0x3f)));
    } else {
        text_put_char(t, (char)(0xf0 | g >> 18));
        text_put_char(t, (char)(0x80 | (g >> 12 & 0x3f)));
        text_put_char(t, (char)(0x80 | (g >> 6 & 0x3f)));
    }
    text_put_char(t, (char)(0x80 | (g & 0x3f)));
}

static struct row row_of(struct span line, int style)
{
    struct row r;
    r.count = 0;
    for (size_t at = 0; at < line.size && r.count < PAGE_MOST_COLUMNS;)
        r.cell[r.count++] = (struct cell){read_glyph(line, &at), (uint8_t)style};
    return r;
}

static const char *code_of(int style, int colours)
{
    return colours >= 256 ? styles[style].rich : colours >= 8 ? styles[style].poor : styles[style].none;
}

static void put_cells(struct text *t, const struct row *r, int columns, int colours)
{
    const char *set = "";
    for (int i = 0; i < r->count && i < columns; i++) {
        const char *code = code_of(r->cell[i].style, colours);
        if (strcmp(code, set) != 0) {
            text_puts(t, "\33[0");
            text_puts(t, *code ? ";" : "");
            text_puts(t, code);
            text_puts(t, "m");
            set = code;
        }
        put_glyph(t, r->cell[i].glyph);
    }
    if (*set)
        text_puts(t, "\33[0m");
}

static void put_row(struct canvas *c, const struct row *r)
{
    if (c->used >= c->rows)
        return;
    text_puts(c->out, c->used++ ? "\r\n" : "");
    put_cells(c->out, r, c->columns, c->colours);
    if (r->count < c->columns) // behind a full row the cursor stands on its last column
        text_puts(c->out, "\33[K");
}

static void put_blank(struct canvas *c)
{
    struct row r = {.count = 0};
    put_row(c, &r);
}

// --- what a line says

static bool is_word(uint32_t g)
{
    return (g >= 'a' && g <= 'z') || (g >= 'A' && g <= 'Z') || (g >= '0' && g <= '9') || g == '_' || g == '-' ||
           g >= 0x80;
}

static bool is_name_at(const struct row *r, int at, const struct row *name)
{
    if (at + name->count > r->count || name->count == 0)
        return false;
    for (int i = 0; i < name->count; i++)
        if (r->cell[at + i].glyph != name->cell[i].glyph)
            return false;
    bool begins = at == 0 || !is_word(r->cell[at - 1].glyph);
    return begins && (at + name->count == r->count || !is_word(r->cell[at + name->count].glyph));
}

static void mark_names(struct row *r, const struct page *p)
{
    for (int s = 0; s < p->seats; s++) {
        struct row name = row_of(span_of(p->seat[s]), PLAIN);
        for (int at = 0; at < r->count; at++)
            for (int i = 0; is_name_at(r, at, &name) && i < name.count; i++)
                r->cell[at + i].style = (uint8_t)(SEAT + s % 10);
    }
}

// The end of what begins with a bracket here: the place of its other bracket, or 0.
static int find_token(const struct row *r, int at)
{
    enum { LONGEST = 14 };
    uint32_t open = r->cell[at].glyph, close = open == '[' ? ']' : open == '(' ? ')' : 0;
    for (int i = at + 1; close && i < r->count && i <= at + LONGEST; i++) {
        uint32_t g = r->cell[i].glyph;
        if (g == close)
            return i > at + 1 ? i : 0;
        if (g == '[' || g == '(' || (open == '(' && !is_word(g)))
            return 0; // "(team 1)" is no card
    }
    return 0;
}

static bool is_suit(uint32_t g, bool red)
{
    return red ? g == 0x2665 || g == 0x2666 : g == 0x2660 || g == 0x2663;
}

static int token_style(const struct row *r, int from, int to)
{
    bool hidden = true;
    if (r->cell[from].glyph == '(')
        return GONE;
    for (int i = from + 1; i < to; i++) {
        if (is_suit(r->cell[i].glyph, true))
            return CARD_RED;
        hidden &= r->cell[i].glyph == '?' || r->cell[i].glyph == ' ';
    }
    return hidden ? HIDDEN : CARD;
}

static int die_face(const struct row *r, int from, int to)
{
    uint32_t g = to - from == 4 ? r->cell[from + 2].glyph : 0;
    bool die = r->cell[from].glyph == '[' && g >= '1' && g <= '6' && r->cell[from + 1].glyph == ' ';
    return die ? (int)(g - '0') : 0;
}

// A row of a field of Tetris: ten cells of two between bars, or a small piece beside it.
static bool mark_field(struct row *r)
{
    static const char pieces[] = "IOTSZJL#";
    enum { FIELD = 21 };
    if (r->count <= FIELD || r->cell[0].glyph != '|' || r->cell[FIELD].glyph != '|')
        return false;
    for (int i = 1; i + 1 < r->count; i++) {
        uint32_t a = r->cell[i].glyph, b = r->cell[i + 1].glyph;
        const char *at = a < 128 && a == b && i < FIELD ? strchr(pieces, (int)a) : NULL;
        int style = at && *at ? PIECE + (int)(at - pieces) : a == '[' && b == ']' ? PIECE + 8 : PLAIN;
        if (style == PLAIN && a == ' ' && b == '.')
            style = DIM;
        if (style == PLAIN && a != ':')
            continue;
        r->cell[i].style = r->cell[i + 1].style = (uint8_t)(style == PLAIN ? DIM : style);
        i++;
    }
    return true;
}

// "[Ks]" shows its suit.
static void name_suit(struct row *r, int from, int to)
{
    static const char letters[] = "cdhs";
    static const uint32_t suits[] = {0x2663, 0x2666, 0x2665, 0x2660};
    uint32_t rank = to - from == 3 ? r->cell[from + 1].glyph : 0, suit = rank ? r->cell[from + 2].glyph : 0;
    const char *at = suit && suit < 128 ? strchr(letters, (int)suit) : NULL;
    if (at && rank && rank < 128 && strchr("23456789TJQKA", (int)rank))
        r->cell[from + 2].glyph = suits[at - letters];
}

static void mark_tokens(struct row *r)
{
    for (int at = 0; at < r->count; at++) {
        int end = find_token(r, at);
        if (!end)
            continue;
        name_suit(r, at, end);
        int style = token_style(r, at, end), frame = style == GONE ? GONE : DIM;
        r->cell[at].style = r->cell[end].style = (uint8_t)frame;
        for (int i = at + 1; i < end; i++)
            r->cell[i].style = (uint8_t)style;
        at = end;
    }
}

static struct row picture_row(struct span line, const struct page *p)
{
    struct row r = row_of(line, line.size && line.at[0] == '>' ? BOLD : PLAIN);
    if (mark_field(&r))
        return r;
    mark_names(&r, p);
    mark_tokens(&r);
    return r;
}

// --- frames of three rows

// How many cards of the row could have a frame; those that are seen count more.
static int frame_worth(const struct row *r)
{
    int worth = 0;
    for (int at = 0; at < r->count; at++) {
        int end = r->cell[at].glyph == '[' ? find_token(r, at) : 0;
        if (end)
            worth += token_style(r, at, end) == HIDDEN ? 1 : 100; // SHOWN
        at = end ? end : at;
    }
    return worth;
}

static void put_cell(struct row *r, int at, uint32_t glyph, int style)
{
    while (r->count <= at)
        r->cell[r->count++] = (struct cell){' ', PLAIN};
    r->cell[at] = (struct cell){glyph, (uint8_t)style};
}

// A die shows its pips: the corners of its frame belong to the rows of pips.
static void frame_die(struct row rows[3], int from, int face)
{
    static const char *const pips[] = {"         ", "    *    ", "*       *", "*   *   *",
                                       "* *   * *", "* * * * *", "* ** ** *"};
    static const uint32_t sides[3][2] = {{0x256d, 0x256e}, {0x2502, 0x2502}, {0x2570, 0x256f}};
    for (int y = 0; y < 3; y++) {
        put_cell(&rows[y], from, sides[y][0], CARD);
        for (int x = 0; x < 3; x++)
            put_cell(&rows[y], from + 1 + x, pips[face][y * 3 + x] == '*' ? 0x25cf : ' ', CARD);
        put_cell(&rows[y], from + 4, sides[y][1], CARD);
    }
}

static void frame_card(struct row rows[3], int from, int to)
{
    int style = rows[1].cell[from + 1].style;
    for (int y = 0; y < 3; y += 2) {
        put_cell(&rows[y], from, y ? 0x2570 : 0x256d, style);
        for (int i = from + 1; i < to; i++)
            put_cell(&rows[y], i, 0x2500, style);
        put_cell(&rows[y], to, y ? 0x256f : 0x256e, style);
    }
    put_cell(&rows[1], from, 0x2502, style);
    put_cell(&rows[1], to, 0x2502, style);
    for (int i = from + 1; i < to && style == HIDDEN; i++)
        if (rows[1].cell[i].glyph == '?')
            rows[1].cell[i].glyph = 0x2591;
}

static void put_framed(struct canvas *c, const struct row *r)
{
    struct row rows[3] = {{.count = 0}, *r, {.count = 0}};
    for (int at = 0; at < r->count; at++) {
        int end = r->cell[at].glyph == '[' ? find_token(r, at) : 0;
        if (!end)
            continue;
        int face = die_face(r, at, end);
        if (face)
            frame_die(rows, at, face);
        else
            frame_card(rows, at, end);
        at = end;
    }
    for (int y = 0; y < 3; y++)
        put_row(c, &rows[y]);
}

// --- lines that fit

// The first part of a line that fits, and behind it; further parts are indented.
static struct span fold(struct span *rest, int columns)
{
    size_t at = 0, space = 0;
    int width = 0;
    columns = columns > 1 ? columns : 1;
    while (at < rest->size && width < columns) {
        read_glyph(*rest, &at);
        width++;
        if (at < rest->size && rest->at[at] == ' ')
            space = at;
    }
    size_t end = at == rest->size || !space ? at : space;
    struct span part = {rest->at, end};
    while (end < rest->size && rest->at[end] == ' ')
        end++;
    *rest = (struct span){rest->at + end, rest->size - end};
    return part;
}

enum { INDENT = 4, MOST_LINES = 512, LINE_BYTES = 4 * PAGE_MOST_COLUMNS };

struct line {
    struct span part;
    bool is_rest; // of a line that was folded
};

struct lines {
    int count;
    struct line line[MOST_LINES];
};

static void add_lines(struct lines *l, struct span text, int columns)
{
    for (size_t at = 0; at < text.size;) {
        struct span rest = screen_line(text, &at);
        bool is_rest = false;
        do {
            if (l->count == MOST_LINES) { // the last ones are kept
                memmove(l->line, l->line + 1, sizeof l->line - sizeof *l->line);
                l->count--;
            }
            l->line[l->count++] = (struct line){fold(&rest, columns - (is_rest ? INDENT : 0)), is_rest};
            is_rest = true;
        } while (rest.size);
    }
}

// The line as it is shown, in `bytes`.
static struct span line_text(const struct line *l, char bytes[LINE_BYTES])
{
    struct text t = text_on(bytes, LINE_BYTES);
    text_puts(&t, l->is_rest ? "    " : "");
    text_put(&t, l->part);
    return text_span(&t);
}

static void put_words(struct canvas *c, const struct page *p, const struct line *l, int style)
{
    char bytes[LINE_BYTES];
    struct row r = row_of(line_text(l, bytes), style);
    mark_names(&r, p);
    put_row(c, &r);
}

// --- the parts of a page

static int count_lines(struct span text)
{
    int count = 0;
    for (size_t at = 0; at < text.size; count++)
        screen_line(text, &at);
    return count;
}

enum { LIST_LEAST = 3 };

struct list {
    int count, across, down, width; // lines, columns of them, rows, columns of the window
    const struct lines *folded;     // where they stand below each other: the rows; else NULL
};

static struct list measure_list(const struct page *p, int columns)
{
    static struct lines folded; // a page is drawn by one thread
    struct list l = {.count = count_lines(p->list), .across = 1};
    for (size_t at = 0; at < p->list.size;) {
        int width = screen_width(screen_line(p->list, &at)) + 2;
        l.width = width > l.width ? width : l.width;
    }
    if (l.width && columns / l.width > 1)
        l.across = columns / l.width;
    int most = l.count > 4 ? (l.count + 2) / 3 : 1; // at least three below each other
    l.across = l.across > most ? most : l.across;
    l.down = (l.count + l.across - 1) / l.across;
    if (l.across == 1) {
        folded.count = 0;
        add_lines(&folded, p->list, columns);
        l.folded = &folded;
        l.down = folded.count;
    }
    return l;
}

static struct row list_row(const struct page *p, struct span line, int number, bool is_rest)
{
    struct row r = row_of(line, number == p->chosen ? CHOSEN : PLAIN);
    if (number == p->chosen && !is_rest && r.count && r.cell[0].glyph == ' ')
        r.cell[0].glyph = '>';
    return r;
}

// Lines below each other, folded; all rows of the chosen one are shown if they have room, its first one always.
static void put_column(struct canvas *c, const struct page *p, const struct lines *l, int rows)
{
    char bytes[LINE_BYTES];
    int number = -1, from = 0, to = 0;
    for (int y = 0; y < l->count; y++) {
        number += !l->line[y].is_rest;
        from = number == p->chosen && !l->line[y].is_rest ? y : from;
        to = number == p->chosen ? y : to;
    }
    int first = to >= rows ? to - rows + 1 : 0;
    first = first > from ? from : first;
    number = -1;
    for (int y = 0; y < l->count && y < first + rows; y++) {
        number += !l->line[y].is_rest;
        struct row r = list_row(p, line_text(&l->line[y], bytes), number, l->line[y].is_rest);
        if (y >= first)
            put_row(c, &r);
    }
}

static struct span list_line(const struct page *p, int number)
{
    size_t at = 0;
    struct span line = {0};
    for (int i = 0; i <= number && at < p->list.size; i++)
        line = screen_line(p->list, &at);
    return line;
}

static void put_list_rows(struct canvas *c, const struct page *p, const struct list *l, int rows)
{
    if (l->folded)
        put_column(c, p, l->folded, rows);
    if (!l->down || l->folded)
        return;
    int chosen = p->chosen >= 0 ? p->chosen % l->down : 0;
    int first = chosen >= rows ? chosen - rows + 1 : 0;
    for (int y = first; y < first + rows && y < l->down; y++) {
        struct row r = {.count = 0};
        for (int x = 0; x < l->across; x++) {
            int number = x * l->down + y;
            if (number >= l->count)
                continue;
            struct row item = list_row(p, list_line(p, number), number, false);
            for (int i = 0; i < item.count && x * l->width + i < PAGE_MOST_COLUMNS; i++)
                put_cell(&r, x * l->width + i, item.cell[i].glyph, item.cell[i].style);
        }
        put_row(c, &r);
    }
}

// The rows of the list that have room, with the chosen line among them.
static void put_list(struct canvas *c, const struct page *p, const struct list *l, int rows)
{
    bool is_cut = rows < l->down && rows >= LIST_LEAST;
    if (is_cut) {
        put_list_rows(c, p, l, rows - 1);
        struct row more = row_of(SPAN("     more: up and down"), DIM);
        put_row(c, &more);
    } else {
        put_list_rows(c, p, l, rows);
    }
}

enum { MOST_ITEMS = 16 };

// Items of a line with two or more spaces between them; how many.
static int split_items(struct span words, struct span item[MOST_ITEMS])
{
    int count = 0;
    for (size_t at = 0; at < words.size && count < MOST_ITEMS;) {
        size_t end = at;
        while (end < words.size &&
               !(words.at[end] == ' ' && end > at && end + 1 < words.size && words.at[end + 1] == ' '))
            end++;
        item[count++] = (struct span){words.at + at, end - at};
        while (end < words.size && words.at[end] == ' ')
            end++;
        at = end;
    }
    return count;
}

// A line of items without the widest of them, until it fits: the first one stays, and the last one if `keeps_last`.
static struct span fit_items(struct span words, int columns, bool keeps_last, char bytes[LINE_BYTES])
{
    struct span item[MOST_ITEMS];
    int count = split_items(words, item), width = screen_width(words);
    for (; width > columns && count > 1 + keeps_last; count--) {
        int widest = 1;
        for (int i = 2; i < count - keeps_last; i++)
            if (screen_width(item[i]) > screen_width(item[widest]))
                widest = i;
        memmove(item + widest, item + widest + 1, (size_t)(count - 1 - widest) * sizeof *item);
        width = -3;
        for (int i = 0; i < count - 1; i++)
            width += 3 + screen_width(item[i]);
    }
    struct text t = text_on(bytes, LINE_BYTES);
    if (screen_width(words) <= columns)
        return words;
    for (int i = 0; i < count; i++) {
        text_puts(&t, i ? "   " : "");
        text_put(&t, item[i]);
    }
    return text_span(&t);
}

static void put_bar(struct canvas *c, struct span words, int style)
{
    char bytes[LINE_BYTES];
    struct row r = row_of(fit_items(words, c->columns, false, bytes), style);
    while (r.count < c->columns && r.count < PAGE_MOST_COLUMNS)
        r.cell[r.count++] = (struct cell){' ', (uint8_t)style};
    put_row(c, &r);
}

enum { FRAME_ROWS_MORE = 2, SHOWN = 100 };

// Frames for every line worth at least so much, or for none of them.
static void frame_all(const int *worth, int count, int least, bool *framed, int *spare)
{
    int wanted = 0;
    for (int i = 0; i < count; i++)
        wanted += !framed[i] && worth[i] >= least;
    if (wanted * FRAME_ROWS_MORE > *spare)
        return;
    for (int i = 0; i < count; i++)
        framed[i] |= worth[i] >= least;
    *spare -= wanted * FRAME_ROWS_MORE;
}

// Which lines of the picture get frames: the one that shows most, then all that show something, then all others.
static void choose_framed(const struct lines *l, const struct page *p, bool *framed, int spare)
{
    static int worth[MOST_LINES];
    char bytes[LINE_BYTES];
    int best = -1;
    for (int i = 0; i < l->count; i++) {
        struct row r = picture_row(line_text(&l->line[i], bytes), p);
        worth[i] = r.count && r.cell[0].glyph == '|' ? 0 : frame_worth(&r);
        if (worth[i] >= SHOWN && (best < 0 || worth[i] > worth[best]))
            best = i;
    }
    if (best >= 0 && spare >= FRAME_ROWS_MORE) {
        framed[best] = true;
        spare -= FRAME_ROWS_MORE;
    }
    frame_all(worth, l->count, SHOWN, framed, &spare);
    frame_all(worth, l->count, 1, framed, &spare);
}

// The log beside a picture that leaves no rows for it.
struct side {
    const struct lines *log;
    int column, rows;
};

static void put_beside(struct row *r, const struct side *s, const struct page *p, int i)
{
    char bytes[LINE_BYTES];
    int first = s->log->count > s->rows ? s->log->count - s->rows : 0;
    if (!s->column || i >= s->rows || first + i >= s->log->count)
        return;
    struct row words = row_of(line_text(&s->log->line[first + i], bytes), DIM);
    mark_names(&words, p);
    for (int x = 0; x < words.count && s->column + x < PAGE_MOST_COLUMNS; x++)
        put_cell(r, s->column + x, words.cell[x].glyph, words.cell[x].style);
}

static void put_picture(struct canvas *c, const struct page *p, const struct lines *l, int spare,
                        const struct side *side)
{
    bool framed[MOST_LINES] = {false};
    char bytes[LINE_BYTES];
    choose_framed(l, p, framed, spare);
    for (int i = 0; i < l->count; i++) {
        struct row r = picture_row(line_text(&l->line[i], bytes), p);
        put_beside(&r, side, p, i);
        if (framed[i])
            put_framed(c, &r);
        else
            put_row(c, &r);
    }
}

static void put_tail(struct canvas *c, const struct page *p, const struct lines *l, int rows)
{
    for (int i = l->count > rows ? l->count - rows : 0; i < l->count; i++)
        put_words(c, p, &l->line[i], i + 1 == l->count ? PLAIN : DIM);
}

static void put_text(struct canvas *c, struct page *p, int rows)
{
    static struct lines l; // a page is drawn by one thread
    l.count = 0;
    add_lines(&l, p->text, c->columns);
    int last = l.count > rows ? l.count - rows : 0;
    p->scroll = p->scroll > last ? last : p->scroll < 0 ? 0 : p->scroll;
    for (int i = p->scroll; i < l.count && i < p->scroll + rows; i++)
        put_words(c, p, &l.line[i], PLAIN);
}

static void put_foot(struct canvas *c, const struct page *p, const struct lines *notice)
{
    int foot = notice->count + (p->prompt.at != NULL) + 1;
    while (c->used < c->rows - foot)
        put_blank(c);
    for (int i = 0; i < notice->count; i++)
        put_words(c, p, &notice->line[i], NOTICE);
    if (p->prompt.at) {
        struct row r = row_of(p->prompt, BOLD);
        r.count = r.count < c->columns ? r.count : c->columns - 1;
        put_cell(&r, r.count, ' ', CHOSEN);
        put_row(c, &r);
    }
    char bytes[LINE_BYTES];
    struct row keys = row_of(fit_items(p->keys, c->columns, true, bytes), DIM);
    put_row(c, &keys);
}

static bool refuse(struct text *out, int columns, int rows, int least_rows)
{
    char bytes[128];
    struct text t = text_on(bytes, sizeof bytes);
    struct canvas c = {.out = out, .columns = columns, .rows = rows};
    text_puts(&t, "too small: ");
    text_put_int(&t, columns);
    text_puts(&t, "x");
    text_put_int(&t, rows);
    struct row r = row_of(text_span(&t), PLAIN);
    put_row(&c, &r);
    t.size = 0;
    text_puts(&t, "needs ");
    text_put_int(&t, columns < PAGE_LEAST_COLUMNS ? PAGE_LEAST_COLUMNS : columns);
    text_puts(&t, "x");
    text_put_int(&t, least_rows);
    r = row_of(text_span(&t), PLAIN);
    put_row(&c, &r);
    text_puts(out, "\33[J");
    return false;
}

enum { LOG_LEAST = 3, LOG_WANTED = 6, NOTICE_MOST = 6, SIDE_LEAST = 28, SIDE_GAP = 3 };

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static int widest(const struct lines *l)
{
    int width = 0;
    for (int i = 0; i < l->count; i++)
        width = at_least(width, screen_width(l->line[i].part) + (l->line[i].is_rest ? INDENT : 0));
    return width;
}

// Picture, log and list in `left` rows more than the picture has; how many lines of the notice have room below.
static int put_table(struct canvas *c, const struct page *p, const struct lines *picture, const struct lines *log,
                     const struct list *list, int notices, int left)
{
    int list_least = at_most(list->down, LIST_LEAST);
    int spare = left - at_least(list->down, p->reserved) - LOG_WANTED; // for frames, whatever is said below
    notices = at_most(notices, left - list_least);
    left -= notices;
    int log_least = log->count ? at_most(LOG_LEAST, log->count + 1) : 1; // with the row above it
    int list_rows = at_most(list->down, at_least(left - log_least, list_least));
    left -= list_rows;
    int before = c->used;
    struct side side = {log, 0, picture->count};
    static struct lines narrow;
    int width = widest(picture);
    if (left < LOG_LEAST && !list_rows && c->columns - width >= SIDE_LEAST) {
        narrow.count = 0;
        add_lines(&narrow, p->log, c->columns - width - SIDE_GAP);
        side = (struct side){&narrow, width + SIDE_GAP, picture->count};
        left = 0;
    }
    put_picture(c, p, picture, at_most(spare, left), &side);
    left -= c->used - before - picture->count;
    if (left > 1 || (left == 1 && !log->count))
        put_blank(c), left--;
    int gap = list_rows && left > 1;
    put_tail(c, p, log, left - gap);
    if (gap)
        put_blank(c);
    put_list(c, p, list, list_rows);
    return notices;
}

bool page_put(struct text *out, struct page *p, int columns, int rows, int colours)
{
    static struct lines picture, log, notice; // a page is drawn by one thread
    columns = at_most(columns, PAGE_MOST_COLUMNS);
    rows = at_most(rows, PAGE_MOST_ROWS);
    struct canvas c = {.out = out, .columns = columns, .rows = rows, .colours = colours};
    picture.count = log.count = notice.count = 0;
    add_lines(&picture, p->picture, columns);
    add_lines(&log, p->log, columns);
    add_lines(&notice, p->notice, columns);
    notice.count = at_most(notice.count, NOTICE_MOST);
    struct list list = measure_list(p, columns);
    int fixed = 2 + (p->prompt.at != NULL); // the title, the keys
    int list_least = at_most(list.down, LIST_LEAST);
    int least = fixed + picture.count + list_least;
    text_puts(out, "\33[H");
    if (columns < PAGE_LEAST_COLUMNS || rows < least)
        return refuse(out, columns, rows, least);
    put_bar(&c, p->title, TITLE);
    if (p->text.at) {
        put_text(&c, p, rows - fixed);
        notice.count = 0;
    } else {
        notice.count = put_table(&c, p, &picture, &log, &list, notice.count, rows - fixed - picture.count);
    }
    put_foot(&c, p, &notice);
    text_puts(out, "\33[J");
    return true;
}

void page_put_picture(struct text *out, const struct page *p, int columns, int colours)
{
    for (size_t at = 0; at < p->picture.size;) {
        struct row r = picture_row(screen_line(p->picture, &at), p);
        put_cells(out, &r, columns, colours);
        text_put_char(out, '\n');
    }
}

// --- several viewers

static int count_hidden(struct span line)
{
    int count = 0;
    for (size_t i = 0; i < line.size; i++)
        count += line.at[i] == '?';
    return count;
}

static bool is_same(struct span a, struct span b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

// The variants of one line, each once: those that hide something only when all do, and then the one that hides least. A
// name may have a question mark too.
static void merge_line(struct text *out, const struct span *variant, int count)
{
    int least = count_hidden(variant[0]);
    bool written = false;
    for (int i = 1; i < count; i++)
        least = at_most(least, count_hidden(variant[i]));
    for (int i = 0; i < count; i++) {
        bool seen = count_hidden(variant[i]) > least || (least && written);
        for (int k = 0; k < i; k++)
            seen |= is_same(variant[i], variant[k]);
        if (seen)
            continue;
        text_put(out, variant[i]);
        text_put_char(out, '\n');
        written = true;
    }
}

bool page_merge(struct text *out, const struct span *pictures, int count)
{
    enum { MOST = 16 };
    size_t at[MOST] = {0};
    if (count < 1 || count > MOST)
        return false;
    int lines = count_lines(pictures[0]);
    for (int i = 1; i < count; i++)
        if (count_lines(pictures[i]) != lines)
            return false;
    for (int n = 0; n < lines; n++) {
        struct span variant[MOST];
        for (int i = 0; i < count; i++)
            variant[i] = screen_line(pictures[i], &at[i]);
        merge_line(out, variant, count);
    }
    return true;
}
