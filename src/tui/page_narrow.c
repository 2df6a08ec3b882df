// A picture is a table: where it is wider than the window, columns that are blank in all its lines are left out, so
// that fewer lines have to be folded and columns stay below each other.
#include "tui/page_row.h"
#include "tui/screen.h"

#include <string.h>

enum { GAP = 2 }; // blanks that stay between two columns

// Marks the columns in which a line shows something, and returns its width.
static int mark_used(struct span line, bool used[PAGE_MOST_COLUMNS])
{
    int x = 0;
    for (size_t at = 0; at < line.size && x < PAGE_MOST_COLUMNS; x++)
        used[x] |= page_read_glyph(line, &at) != ' ';
    return x;
}

static void put_kept(struct text *out, struct span line, const bool kept[PAGE_MOST_COLUMNS])
{
    int x = 0;
    for (size_t at = 0, from = 0; at < line.size; from = at, x++) {
        page_read_glyph(line, &at);
        if (x >= PAGE_MOST_COLUMNS || kept[x])
            text_put(out, (struct span){line.at + from, at - from});
    }
    text_put_char(out, '\n');
}

// Lines up to the next empty one, from `*at` on.
static void put_block(struct text *out, struct span picture, size_t *at, int columns)
{
    bool used[PAGE_MOST_COLUMNS] = {false};
    bool is_field = false; // blanks of a field have a meaning
    int width = 0, blanks = 0;
    size_t end = *at;
    for (struct span line = screen_line(picture, &end); line.size; line = screen_line(picture, &end)) {
        int own = mark_used(line, used);
        is_field |= line.at[0] == '|';
        width = own > width ? own : width;
    }
    for (int x = 0; x < PAGE_MOST_COLUMNS; x++) {
        blanks = used[x] ? 0 : blanks + 1;
        used[x] = blanks <= GAP || width <= columns || is_field;
    }
    while (*at < end)
        put_kept(out, screen_line(picture, at), used);
}

struct span page_narrow(struct text *out, struct span picture, int columns)
{
    for (size_t at = 0; at < picture.size;)
        put_block(out, picture, &at, columns);
    return out->full ? picture : text_span(out);
}

// The first glyphs of `s` that have so many columns.
static struct span first_columns(struct span s, int columns)
{
    size_t at = 0;
    for (int x = 0; x < columns && at < s.size; x++)
        page_read_glyph(s, &at);
    return (struct span){s.at, at};
}

void page_shorten_name(char to[PAGE_NAME_BYTES], const char *name)
{
    enum { LAST_MOST = 4 };
    struct text t = text_on(to, PAGE_NAME_BYTES - 1);
    struct span whole = span_of(name), last = {0}, first = whole;
    const char *space = strrchr(name, ' '), *end = strchr(name, ' ');
    if (space && screen_width(span_of(space + 1)) <= LAST_MOST) {
        last = span_of(space); // with the blank before it
        first.size = (size_t)(end - name);
    }
    if (screen_width(whole) <= PAGE_NAME_COLUMNS) {
        text_put(&t, whole);
    } else {
        text_put(&t, first_columns(first, PAGE_NAME_COLUMNS - (last.size ? 3 : 2) - screen_width(last)));
        text_puts(&t, last.size ? " .." : "..");
        text_put(&t, last);
    }
    to[t.size] = '\0';
}
