#include "tui/page_row.h"

#include <string.h>

// --- cells

// Each style in 256 colours, in 8, and without any.
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

// Control characters are never drawn. A character that was cut short would become one of those with eight bits.
uint32_t page_read_glyph(struct span s, size_t *at)
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

struct row page_row_of(struct span line, int style)
{
    struct row r;
    r.count = 0;
    for (size_t at = 0; at < line.size && r.count < PAGE_MOST_COLUMNS;)
        r.cell[r.count++] = (struct cell){page_read_glyph(line, &at), (uint8_t)style};
    return r;
}

static const char *code_of(int style, int colours)
{
    return colours >= 256 ? styles[style].rich : colours >= 8 ? styles[style].poor : styles[style].none;
}

void page_put_cells(struct text *t, const struct row *r, int columns, int colours)
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

void page_put_row(struct canvas *c, const struct row *r)
{
    if (c->used >= c->rows)
        return;
    text_puts(c->out, c->used++ ? "\r\n" : "");
    page_put_cells(c->out, r, c->columns, c->colours);
    if (r->count < c->columns) // behind a full row the cursor stands on its last column
        text_puts(c->out, "\33[K");
}

void page_put_blank(struct canvas *c)
{
    struct row r = {.count = 0};
    page_put_row(c, &r);
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

void page_mark_names(struct row *r, const struct page *p)
{
    for (int s = 0; s < p->seats; s++) {
        struct row name = page_row_of(span_of(p->seat[s]), PLAIN);
        for (int at = 0; at < r->count; at++)
            for (int i = 0; is_name_at(r, at, &name) && i < name.count; i++)
                r->cell[at + i].style = (uint8_t)(SEAT + s % 10);
    }
}

// Returns the index of the bracket that closes the one here, or 0.
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

static int token_style(const struct row *r, int from, int to)
{
    bool hidden = true;
    if (r->cell[from].glyph == '(')
        return GONE;
    for (int i = from + 1; i < to; i++) {
        if (r->cell[i].glyph == 0x2665 || r->cell[i].glyph == 0x2666) // hearts, diamonds
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

struct row page_picture_row(struct span line, const struct page *p)
{
    struct row r = page_row_of(line, line.size && line.at[0] == '>' ? BOLD : PLAIN);
    if (mark_field(&r))
        return r;
    page_mark_names(&r, p);
    mark_tokens(&r);
    return r;
}

// --- frames of three rows

int page_frame_worth(const struct row *r)
{
    int worth = 0;
    for (int at = 0; at < r->count; at++) {
        int end = r->cell[at].glyph == '[' ? find_token(r, at) : 0;
        if (end)
            worth += token_style(r, at, end) == HIDDEN ? 1 : PAGE_SHOWN;
        at = end ? end : at;
    }
    return worth;
}

bool page_is_bare(const struct row *r)
{
    for (int at = 0; at < r->count; at++) {
        int end = r->cell[at].glyph == '[' ? find_token(r, at) : 0;
        if (!end && r->cell[at].glyph != ' ')
            return false;
        at = end ? end : at;
    }
    return r->count > 0;
}

void page_put_cell(struct row *r, int at, uint32_t glyph, int style)
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
        page_put_cell(&rows[y], from, sides[y][0], CARD);
        for (int x = 0; x < 3; x++)
            page_put_cell(&rows[y], from + 1 + x, pips[face][y * 3 + x] == '*' ? 0x25cf : ' ', CARD);
        page_put_cell(&rows[y], from + 4, sides[y][1], CARD);
    }
}

static void frame_card(struct row rows[3], int from, int to)
{
    int style = rows[1].cell[from + 1].style;
    for (int y = 0; y < 3; y += 2) {
        page_put_cell(&rows[y], from, y ? 0x2570 : 0x256d, style);
        for (int i = from + 1; i < to; i++)
            page_put_cell(&rows[y], i, 0x2500, style);
        page_put_cell(&rows[y], to, y ? 0x256f : 0x256e, style);
    }
    page_put_cell(&rows[1], from, 0x2502, style);
    page_put_cell(&rows[1], to, 0x2502, style);
    for (int i = from + 1; i < to && style == HIDDEN; i++)
        if (rows[1].cell[i].glyph == '?')
            rows[1].cell[i].glyph = 0x2591;
}

void page_put_framed(struct canvas *c, const struct row *r)
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
        page_put_row(c, &rows[y]);
}
