#include "app/terminal_text.h"

#include "codec/speech.h"
#include "heap/heap.h"
#include "tui/page.h"
#include "tui/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void terminal_text_print_plain(const struct text *t)
{
    if (t->size)
        fwrite(t->at, 1, t->size, stdout);
    if (t->size && t->at[t->size - 1] != '\n')
        putchar('\n');
}

void terminal_text_print(const struct text *t, const char *const *seat, int seats)
{
    struct text out = {.grow = heap_text_grow};
    struct page p = {.picture = text_span(t), .seat = seat, .seats = seats};
    int colours = screen_colours();
    if (!colours) { // as it is, however long the lines are
        terminal_text_print_plain(t);
        return;
    }
    page_put_picture(&out, &p, PAGE_MOST_COLUMNS, colours);
    if (out.size)
        fwrite(out.at, 1, out.size, stdout);
    free(out.at);
}

void terminal_text_keep_last(struct text *t, int lines)
{
    size_t at = t->size;
    for (int seen = -1; at > 0 && (seen += t->at[at - 1] == '\n') < lines;)
        at--;
    t->size -= at;
    t->full = false;
    memmove(t->at, t->at + at, t->size);
}

// The spoken word for the wire's name at this place; NULL: there is no such name.
static const struct speech_word *find_word(const struct codec *c, const char *at)
{
    for (const struct speech_word *w = speech_of(c)->words; w && w->wire; w++)
        if (strncmp(at, w->wire, strlen(w->wire)) == 0)
            return w;
    return NULL;
}

void terminal_text_put_rules(const struct codec *c, const void *rules, int seats, struct text *out)
{
    static const char *const ends[] = {"\nAnswers: ", "\nOther answers: "}; // the last line is for programs
    struct text t = {.grow = heap_text_grow};
    c->describe_rules(&t, rules, seats);
    text_put_char(&t, 0);
    for (size_t i = 0; !t.full && i < sizeof ends / sizeof *ends; i++) {
        char *end = strstr(t.at, ends[i]);
        if (end)
            end[1] = 0;
    }
    for (const char *at = t.at; !t.full && *at;) {
        const struct speech_word *w = find_word(c, at);
        size_t parameters = strncmp(at, " {", 2) == 0 ? strcspn(at, "}") : 0;
        if (w)
            text_puts(out, w->spoken);
        else if (!parameters)
            text_put_char(out, *at);
        at += w ? strlen(w->wire) : parameters + 1;
    }
    free(t.at);
}
