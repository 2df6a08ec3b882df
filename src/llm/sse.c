#include "llm/sse.h"

#include "heap/heap.h"

#include <assert.h>
#include <stdlib.h>

void sse_init(struct sse *s, void (*on_event)(void *owner, const char *event, struct span data), void *owner)
{
    *s = (struct sse){
        .line = {.grow = heap_text_grow}, .data = {.grow = heap_text_grow}, .on_event = on_event, .owner = owner};
}

void sse_release(struct sse *s)
{
    free(s->line.at);
    free(s->data.at);
    *s = (struct sse){0};
}

void sse_reset(struct sse *s)
{
    s->line.size = s->data.size = 0;
    s->event[0] = 0;
    s->begun = s->failed = false;
}

static void dispatch_event(struct sse *s)
{
    if (s->data.size) // every data line left a line feed behind it
        s->on_event(s->owner, s->event, (struct span){s->data.at, s->data.size - 1});
    s->data.size = 0;
    s->event[0] = 0;
}

static void handle_field(struct sse *s, struct span name, struct span value)
{
    if (span_is(name, "data")) {
        // Several data lines make one event: without this check many short lines could fill the memory (L146).
        if (s->data.size + value.size >= SSE_LINE) {
            s->failed = true;
            return;
        }
        text_put(&s->data, value);
        text_put_char(&s->data, '\n');
    } else if (span_is(name, "event") && value.size < sizeof s->event) {
        memcpy(s->event, value.at, value.size);
        s->event[value.size] = 0;
    }
}

static void handle_line(struct sse *s)
{
    struct span line = text_span(&s->line);
    assert(line.at || !line.size);
    if (!s->begun && line.size >= 3 && memcmp(line.at, "\xEF\xBB\xBF", 3) == 0)
        line.at += 3, line.size -= 3;
    s->begun = true;
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (line.size == 0) {
        dispatch_event(s);
        return;
    }
    if (line.at[0] == ':')
        return;
    const char *colon = memchr(line.at, ':', line.size);
    struct span name = {line.at, colon ? (size_t)(colon - line.at) : line.size}, value = {0};
    if (colon)
        value = (struct span){colon + 1, line.size - name.size - 1};
    if (value.size && value.at[0] == ' ')
        value.at++, value.size--;
    handle_field(s, name, value.at ? value : SPAN(""));
}

void sse_feed(struct sse *s, struct span bytes)
{
    while (bytes.size && !s->failed) {
        const char *end = memchr(bytes.at, '\n', bytes.size);
        size_t part = end ? (size_t)(end - bytes.at) : bytes.size;
        if (s->line.size + part > SSE_LINE) {
            s->failed = true;
            return;
        }
        text_put(&s->line, (struct span){bytes.at, part});
        if (end) {
            handle_line(s);
            s->line.size = 0;
            part++;
        }
        bytes.at += part;
        bytes.size -= part;
    }
}

void sse_end(struct sse *s)
{
    if (s->line.size && !s->failed)
        handle_line(s);
    s->line.size = 0;
    if (!s->failed)
        dispatch_event(s);
}
