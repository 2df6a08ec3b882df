#include "tui/page.h"

#include "tui/page_row.h"
#include "tui/screen.h"

#include <string.h>

// --- lines that fit

// Takes the first part that fits from a line, and moves `rest` behind it; further parts are indented.
static struct span cut_line(struct span *rest, int columns)
{
    size_t at = 0, space = 0;
    int width = 0;
    columns = columns > 1 ? columns : 1;
    while (at < rest->size && width < columns) {
        page_read_glyph(*rest, &at);
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

// MOST_LINES: after folding; of a longer text only the end can be shown. A glyph has at most four bytes.
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
            l->line[l->count++] = (struct line){cut_line(&rest, columns - (is_rest ? INDENT : 0)), is_rest};
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
    struct row r = page_row_of(line_text(l, bytes), style);
    page_mark_names(&r, p);
    page_put_row(c, &r);
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

// --- the parts of a page

int page_count_lines(struct span text)
{
    int count = 0;
    for (size_t at = 0; at < text.size; count++)
        screen_line(text, &at);
    return count;
}

enum { LIST_LEAST = 3 }; // rows of the list, however small the window is

struct list {
    int count, across, down, width; // lines, columns of them, rows, columns of the window
    const struct lines *folded;     // where they stand below each other: the rows; else NULL
};

static struct list measure_list(const struct page *p, int columns)
{
    static struct lines folded; // a page is drawn by one thread
    struct list l = {.count = page_count_lines(p->list), .across = 1};
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
    struct row r = page_row_of(line, number == p->chosen ? CHOSEN : PLAIN);
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
            page_put_row(c, &r);
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
                page_put_cell(&r, x * l->width + i, item.cell[i].glyph, item.cell[i].style);
        }
        page_put_row(c, &r);
    }
}

// The rows of the list that have room, with the chosen line among them.
static void put_list(struct canvas *c, const struct page *p, const struct list *l, int rows)
{
    bool is_cut = rows < l->down && rows >= LIST_LEAST;
    if (is_cut) {
        put_list_rows(c, p, l, rows - 1);
        struct row more = page_row_of(SPAN("     more: up and down"), DIM);
        page_put_row(c, &more);
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

// Drops the widest items of a line until it fits: the first one stays, and the last one if `keeps_last`.
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
    struct row r = page_row_of(fit_items(words, c->columns, false, bytes), style);
    while (r.count < c->columns && r.count < PAGE_MOST_COLUMNS)
        r.cell[r.count++] = (struct cell){' ', (uint8_t)style};
    page_put_row(c, &r);
}

enum { FRAME_ROWS_MORE = 2 }; // that a line with a frame needs

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

// Lines of cards alone that follow each other are one picture, a trick on the table: all of them are framed, or none.
static int find_end(const struct lines *l, const struct page *p, int from)
{
    char bytes[LINE_BYTES];
    int end = from;
    for (bool bare = true; bare && end < l->count; end += bare) {
        struct row r = page_picture_row(line_text(&l->line[end], bytes), p);
        bare = page_is_bare(&r);
    }
    return end > from ? end : from + 1;
}

// Sets what a frame is worth for each line: within such a picture as much as for its best line. Returns the best of
// all, -1: no line shows anything.
static int weigh_lines(const struct lines *l, const struct page *p, int *worth)
{
    char bytes[LINE_BYTES];
    int best = -1;
    for (int from = 0, end; from < l->count; from = end) {
        int most = 0;
        end = find_end(l, p, from);
        for (int i = from; i < end; i++) {
            struct row r = page_picture_row(line_text(&l->line[i], bytes), p);
            most = at_least(most, r.count && r.cell[0].glyph == '|' ? 0 : page_frame_worth(&r));
        }
        for (int i = from; i < end; i++)
            worth[i] = most;
        if (most >= PAGE_SHOWN && (best < 0 || most > worth[best]))
            best = from;
    }
    return best;
}

// Which lines of the picture get frames: the one that shows most, then all that show something, then all others.
static void choose_framed(const struct lines *l, const struct page *p, bool *framed, int spare)
{
    static int worth[MOST_LINES];
    int best = weigh_lines(l, p, worth), end = best < 0 ? 0 : find_end(l, p, best);
    if (best >= 0 && spare >= (end - best) * FRAME_ROWS_MORE) {
        for (int i = best; i < end; i++)
            framed[i] = true;
        spare -= (end - best) * FRAME_ROWS_MORE;
    }
    frame_all(worth, l->count, PAGE_SHOWN, framed, &spare);
    frame_all(worth, l->count, 1, framed, &spare);
}

// The first line of the last `rows`. The rest of a line whose beginning has no room is left out, unless nothing else is
// there.
static int first_of_tail(const struct lines *l, int rows)
{
    int first = l->count > rows ? l->count - rows : 0, whole = first;
    while (whole < l->count && l->line[whole].is_rest)
        whole++;
    return whole < l->count ? whole : first;
}

// The log beside a picture that leaves no rows for it.
struct side {
    const struct lines *log;
    int column, rows;
};

static void put_beside(struct row *r, const struct side *s, const struct page *p, int i)
{
    char bytes[LINE_BYTES];
    int first = first_of_tail(s->log, s->rows);
    if (!s->column || i >= s->rows || first + i >= s->log->count)
        return;
    struct row words = page_row_of(line_text(&s->log->line[first + i], bytes), DIM);
    page_mark_names(&words, p);
    for (int x = 0; x < words.count && s->column + x < PAGE_MOST_COLUMNS; x++)
        page_put_cell(r, s->column + x, words.cell[x].glyph, words.cell[x].style);
}

static void put_picture(struct canvas *c, const struct page *p, const struct lines *l, int spare,
                        const struct side *side)
{
    bool framed[MOST_LINES] = {false};
    char bytes[LINE_BYTES];
    choose_framed(l, p, framed, spare);
    for (int i = 0; i < l->count; i++) {
        struct row r = page_picture_row(line_text(&l->line[i], bytes), p);
        put_beside(&r, side, p, i);
        if (framed[i])
            page_put_framed(c, &r);
        else
            page_put_row(c, &r);
    }
}

static void put_tail(struct canvas *c, const struct page *p, const struct lines *l, int rows)
{
    for (int i = first_of_tail(l, rows); i < l->count; i++)
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
        page_put_blank(c);
    for (int i = 0; i < notice->count; i++)
        put_words(c, p, &notice->line[i], NOTICE);
    if (p->prompt.at) {
        struct row r = page_row_of(p->prompt, BOLD);
        r.count = r.count < c->columns ? r.count : c->columns - 1;
        page_put_cell(&r, r.count, ' ', CHOSEN);
        page_put_row(c, &r);
    }
    char bytes[LINE_BYTES];
    struct row keys = page_row_of(fit_items(p->keys, c->columns, true, bytes), DIM);
    page_put_row(c, &keys);
}

static bool put_too_small(struct text *out, int columns, int rows, int least_rows)
{
    char bytes[128];
    struct text t = text_on(bytes, sizeof bytes);
    struct canvas c = {.out = out, .columns = columns, .rows = rows};
    text_puts(&t, "too small: ");
    text_put_int(&t, columns);
    text_puts(&t, "x");
    text_put_int(&t, rows);
    struct row r = page_row_of(text_span(&t), PLAIN);
    page_put_row(&c, &r);
    t.size = 0;
    text_puts(&t, "needs ");
    text_put_int(&t, columns < PAGE_LEAST_COLUMNS ? PAGE_LEAST_COLUMNS : columns);
    text_puts(&t, "x");
    text_put_int(&t, least_rows);
    r = page_row_of(text_span(&t), PLAIN);
    page_put_row(&c, &r);
    text_puts(out, "\33[J");
    return false;
}

// Rows and columns. SIDE_LEAST: beside a picture, below which lines of the log would be folded into single words.
enum { LOG_LEAST = 3, LOG_WANTED = 6, NOTICE_MOST = 6, SIDE_LEAST = 28, SIDE_GAP = 3 };

static int widest_line(const struct lines *l)
{
    int width = 0;
    for (int i = 0; i < l->count; i++)
        width = at_least(width, screen_width(l->line[i].part) + (l->line[i].is_rest ? INDENT : 0));
    return width;
}

// Draws picture, log and list in `left` rows more than the picture has. Returns how many lines of the notice have room
// below.
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
    int width = widest_line(picture);
    if (left < LOG_LEAST && !list_rows && c->columns - width >= SIDE_LEAST) {
        narrow.count = 0;
        add_lines(&narrow, p->log, c->columns - width - SIDE_GAP);
        side = (struct side){&narrow, width + SIDE_GAP, picture->count};
        left = 0;
    }
    put_picture(c, p, picture, at_most(spare, left), &side);
    left -= c->used - before - picture->count;
    if (left > 1 || (left == 1 && !log->count))
        page_put_blank(c), left--;
    int gap = list_rows && left > 1;
    put_tail(c, p, log, left - gap);
    if (gap)
        page_put_blank(c);
    put_list(c, p, list, list_rows);
    return notices;
}

bool page_put(struct text *out, struct page *p, int columns, int rows, int colours)
{
    static struct lines picture, log, notice; // a page is drawn by one thread
    static char narrowed[PAGE_MOST_ROWS * LINE_BYTES];
    columns = at_most(columns, PAGE_MOST_COLUMNS);
    rows = at_most(rows, PAGE_MOST_ROWS);
    struct canvas c = {.out = out, .columns = columns, .rows = rows, .colours = colours};
    picture.count = log.count = notice.count = 0;
    struct text room = text_on(narrowed, sizeof narrowed);
    add_lines(&picture, page_narrow(&room, p->picture, columns), columns);
    add_lines(&log, p->log, columns);
    add_lines(&notice, p->notice, columns);
    notice.count = at_most(notice.count, NOTICE_MOST);
    struct list list = measure_list(p, columns);
    int fixed = 2 + (p->prompt.at != NULL); // the title, the keys
    int list_least = at_most(list.down, LIST_LEAST);
    int least = fixed + picture.count + list_least;
    text_puts(out, "\33[H");
    if (columns < PAGE_LEAST_COLUMNS || rows < least)
        return put_too_small(out, columns, rows, least);
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
        struct row r = page_picture_row(screen_line(p->picture, &at), p);
        page_put_cells(out, &r, columns, colours);
        text_put_char(out, '\n');
    }
}
