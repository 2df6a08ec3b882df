#include "app/show.h"

#include "net/heap_text.h"
#include "tui/page.h"
#include "tui/screen.h"

#include <stdio.h>
#include <stdlib.h>

void show_plain(const struct text *t, const char *const *seat, int seats)
{
    struct text out = {.grow = heap_text_grow};
    struct page p = {.picture = text_span(t), .seat = seat, .seats = seats};
    int colours = screen_colours();
    if (!colours) { // as it is, however long the lines are
        if (t->size)
            fwrite(t->at, 1, t->size, stdout);
        if (t->size && t->at[t->size - 1] != '\n')
            putchar('\n');
        return;
    }
    page_put_picture(&out, &p, PAGE_MOST_COLUMNS, colours);
    if (out.size)
        fwrite(out.at, 1, out.size, stdout);
    free(out.at);
}

void show_keep_last(struct text *t, int lines)
{
    size_t at = t->size;
    for (int seen = -1; at > 0 && (seen += t->at[at - 1] == '\n') < lines;)
        at--;
    t->size -= at;
    t->full = false;
    memmove(t->at, t->at + at, t->size);
}
