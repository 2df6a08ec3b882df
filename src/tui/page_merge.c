// One picture of what several viewers see.
#include "tui/page_row.h"
#include "tui/screen.h"

static int count_hidden(struct span line)
{
    int count = 0;
    for (size_t i = 0; i < line.size; i++)
        count += line.at[i] == '?';
    return count;
}

// The variants of one line, each once: those that hide something only when all do, and then the one that hides least. A
// name may have a question mark too.
static void merge_line(struct text *out, const struct span *variant, int count)
{
    int least = count_hidden(variant[0]);
    bool written = false;
    for (int i = 1; i < count; i++)
        if (count_hidden(variant[i]) < least)
            least = count_hidden(variant[i]);
    for (int i = 0; i < count; i++) {
        bool seen = count_hidden(variant[i]) > least || (least && written);
        for (int k = 0; k < i; k++)
            seen |= span_equals(variant[i], variant[k]);
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
    int lines = page_count_lines(pictures[0]);
    for (int i = 1; i < count; i++)
        if (page_count_lines(pictures[i]) != lines)
            return false;
    for (int n = 0; n < lines; n++) {
        struct span variant[MOST];
        for (int i = 0; i < count; i++)
            variant[i] = screen_line(pictures[i], &at[i]);
        merge_line(out, variant, count);
    }
    return true;
}
