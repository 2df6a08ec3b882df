#include "llm/history.h"

#include "heap/heap.h"

#include <stdlib.h>

// Bytes. EVENT: words of one event. RUN: names of the players who did the same.
enum { EVENT = 1024, RUN = 512 };

// --- one part

// Events of which only the player differs: "seat_1, seat_2 and seat_3 do not challenge".
struct run {
    char rest[EVENT]; // what they do, as one of them would
    char names[RUN];
    struct text list; // on names
    const char *last; // name
    int count;
};

static bool has_end(const char *word, size_t size, const char *end)
{
    size_t tail = strlen(end);
    return size > tail && memcmp(word + size - tail, end, tail) == 0;
}

// "folds" as several do it: "fold".
static void write_plural(struct text *t, const char *rest)
{
    static const char *const odd[][2] = {{"does", "do"}, {"is", "are"}, {"has", "have"}, {"was", "were"}};
    size_t size = strcspn(rest, " ");
    struct span tail = span_of(rest + size);
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        if (strlen(odd[i][0]) == size && memcmp(odd[i][0], rest, size) == 0) {
            text_puts(t, odd[i][1]);
            text_put(t, tail);
            return;
        }
    size_t cut = has_end(rest, size, "sses") || has_end(rest, size, "ches") || has_end(rest, size, "shes") ? 2 : 1;
    text_put(t, (struct span){rest, has_end(rest, size, "s") ? size - cut : size});
    text_put(t, tail);
}

static void write_run(struct text *t, struct run *r)
{
    if (!r->count)
        return;
    if (t->size && t->at[t->size - 1] != '\n' && t->at[t->size - 1] != ' ')
        text_puts(t, "; ");
    text_put(t, text_span(&r->list));
    if (r->count > 1)
        text_puts(t, " and ");
    text_puts(t, r->last ? r->last : "");
    if (r->last)
        text_put_char(t, ' ');
    if (r->count > 1)
        write_plural(t, r->rest);
    else
        text_puts(t, r->rest);
    r->count = 0;
}

static void add_event(struct text *t, struct run *r, const char *name, const char *rest)
{
    if (r->count && name && r->last && strcmp(r->rest, rest) == 0 && r->list.size + 64 < sizeof r->names) {
        text_puts(&r->list, r->list.size ? ", " : "");
        text_puts(&r->list, r->last);
        r->last = name;
        r->count++;
        return;
    }
    write_run(t, r);
    r->list = text_on(r->names, sizeof r->names);
    r->last = name;
    r->count = 1;
    memcpy(r->rest, rest, strlen(rest) + 1);
}

// Reads the seat with which an event's words begin, and moves `words` behind it.
static const char *split_name(const struct codec_table *table, const char **words)
{
    for (int s = 0; s < table->seats; s++) {
        size_t size = strlen(table->seat[s]);
        if (strncmp(*words, table->seat[s], size) == 0 && (*words)[size] == ' ') {
            *words += size + 1;
            return table->seat[s];
        }
    }
    return NULL;
}

// --- parts

struct history {
    const struct codec *codec;
    const struct codec_table *table;
    struct text all;
    size_t *parts; // where each begins in the text of all
    int count, room;
    struct run run;
    int number; // of the part, from the match's first
};

static bool begins_part(const struct codec_speech *s, const struct game_event *e)
{
    for (const uint8_t *kind = s->parts; kind && *kind; kind++)
        if (e->kind == *kind)
            return true;
    return false;
}

static void close_part(struct history *h)
{
    write_run(&h->all, &h->run);
    if (!h->count)
        return;
    if (h->all.size > h->parts[h->count - 1])
        text_puts(&h->all, ".\n");
    else
        h->count--;
}

static void open_part(struct history *h)
{
    close_part(h);
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 16;
        h->parts = realloc(h->parts, (size_t)h->room * sizeof *h->parts);
        if (!h->parts)
            abort();
    }
    h->parts[h->count++] = h->all.size;
}

static void add_event_words(struct history *h, const struct game_event *e, int parts, bool shown)
{
    const struct codec_speech *s = speech_of(h->codec);
    char words[EVENT];
    struct text t = text_on(words, sizeof words - 1);
    bool begins = begins_part(s, e);
    // Also of parts that are not shown, so that a later text goes on with the right number.
    h->number += begins;
    if (!shown)
        return;
    h->codec->describe_event(&t, h->table, e, parts);
    words[t.size] = 0;
    if (begins || !h->count)
        open_part(h);
    if (!t.size)
        return;
    if (begins && s->part)
        codec_write(&h->all, "%s %d: ", s->part, h->number);
    else if (begins && words[0] >= 'a' && words[0] <= 'z' && strncmp(words, "seat", 4) != 0)
        words[0] = (char)(words[0] - 32);
    const char *rest = words, *name = split_name(h->table, &rest);
    add_event(&h->all, &h->run, name, rest);
}

void history_write(struct text *t, const struct codec *c, const struct codec_table *table, uint32_t from, size_t room)
{
    struct history h = {.codec = c, .table = table, .all = {.grow = heap_text_grow}};
    for (uint32_t i = 0; i < table->past_count;) {
        int parts = codec_event_parts(&table->past[i], table->past_count - i);
        add_event_words(&h, &table->past[i], parts, i >= from);
        i += (uint32_t)parts;
    }
    close_part(&h);
    int first = 0;
    while (first + 1 < h.count && h.all.size - h.parts[first] > room)
        first++;
    if (first)
        codec_write(t, "(The first %d %s are left out.)\n", first,
                    speech_of(c)->part_names ? speech_of(c)->part_names : "parts");
    if (h.count)
        text_put(t, (struct span){h.all.at + h.parts[first], h.all.size - h.parts[first]});
    else
        text_puts(t, from ? "Nothing has happened since.\n" : "Nothing has happened yet.\n");
    free(h.parts);
    free(h.all.at);
}
