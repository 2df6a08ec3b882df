#include "front/mcp/mcp_events.h"

#include <stdlib.h>

// first and next only grow; the ring is indexed by their remainder.
static struct mcp_event *event_at(const struct mcp_events *e, uint64_t i)
{
    return &e->ring[i % MCP_EVENTS_KEPT];
}

static void count_bytes(struct mcp_events *e, size_t more, size_t less)
{
    e->bytes += more - less;
    if (e->all)
        *e->all += more - less;
}

void mcp_events_drop(struct mcp_events *e)
{
    struct mcp_event *oldest = event_at(e, e->first++);
    count_bytes(e, 0, oldest->text.size);
    free((char *)oldest->text.at);
}

bool mcp_events_add(struct mcp_events *e, uint64_t stream, uint64_t number, struct span text, int64_t now_us)
{
    if (!e->ring && !(e->ring = calloc(MCP_EVENTS_KEPT, sizeof *e->ring)))
        return false;
    char *copy = malloc(text.size + 1);
    if (!copy)
        return false;
    if (text.size)
        memcpy(copy, text.at, text.size);
    while (e->first < e->next && (e->next - e->first == MCP_EVENTS_KEPT || e->bytes + text.size > MCP_EVENTS_BYTES))
        mcp_events_drop(e);
    *event_at(e, e->next++) = (struct mcp_event){stream, number, now_us, {copy, text.size}, 0};
    count_bytes(e, text.size, 0);
    return true;
}

const struct mcp_event *mcp_events_after(const struct mcp_events *e, uint64_t stream, uint64_t number)
{
    for (uint64_t i = e->first; i < e->next; i++)
        if (event_at(e, i)->stream == stream && event_at(e, i)->number > number)
            return event_at(e, i);
    return NULL;
}

void mcp_events_expire(struct mcp_events *e, uint64_t delivered, int64_t now_us)
{
    while (e->first < e->next) {
        const struct mcp_event *oldest = event_at(e, e->first);
        if (oldest->at_us + MCP_EVENTS_US > now_us || (oldest->stream == 0 && oldest->number > delivered))
            return;
        mcp_events_drop(e);
    }
}

void mcp_events_release(struct mcp_events *e)
{
    while (e->first < e->next)
        mcp_events_drop(e);
    free(e->ring);
    *e = (struct mcp_events){0};
}

// --- on the wire

void mcp_event_write(struct text *t, const struct mcp_event *event)
{
    text_puts(t, "id: ");
    text_put_uint(t, event->stream);
    text_put_char(t, '_');
    text_put_uint(t, event->number);
    if (event->prime) {
        text_put_char(t, '_');
        text_put_uint(t, event->prime);
    }
    if (event->text.size)
        text_puts(t, "\nevent: message");
    text_puts(t, "\ndata: ");
    text_put(t, event->text);
    text_puts(t, "\n\n");
}

static bool parse_uint(struct span s, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < s.size; i++) {
        if (s.at[i] < '0' || s.at[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(s.at[i] - '0');
    }
    // So many digits cannot have overflowed.
    return s.size > 0 && s.size < 19;
}

bool mcp_event_parse_id(struct span id, uint64_t *stream, uint64_t *number)
{
    const char *mark = id.size ? memchr(id.at, '_', id.size) : NULL;
    if (!mark)
        return false;
    struct span first = {id.at, (size_t)(mark - id.at)}, second = {mark + 1, id.size - first.size - 1};
    const char *prime = second.size ? memchr(second.at, '_', second.size) : NULL;
    if (prime)
        second.size = (size_t)(prime - second.at);
    return parse_uint(first, stream) && parse_uint(second, number);
}
