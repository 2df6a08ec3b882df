#include "front/mcp/mcp_lines.h"

static bool is_blank(struct span line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r')
            return false;
    return true;
}

static void deliver_line(struct mcp_lines *l, struct span line)
{
    if (l->skipping) {
        l->skipping = false; // the end of what was refused
        return;
    }
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (line.size > l->max_bytes)
        l->on_too_long(l->client);
    else if (!is_blank(line))
        l->on_line(l->client, line);
}

size_t mcp_lines_split(struct mcp_lines *l, struct span bytes, size_t seen)
{
    size_t used = 0;
    bool partial = false; // what is left has no end yet
    while (used < bytes.size && l->go_on(l->client)) {
        size_t from = used > seen ? used : seen;
        const char *end = memchr(bytes.at + from, '\n', bytes.size - from);
        partial = !end;
        if (partial)
            break;
        deliver_line(l, (struct span){bytes.at + used, (size_t)(end - bytes.at) - used});
        used = (size_t)(end - bytes.at) + 1;
    }
    if (partial && !l->skipping && bytes.size - used > l->max_bytes + 1) { // a CR may stand before the LF
        l->on_too_long(l->client);
        l->skipping = true;
    }
    return partial && l->skipping ? bytes.size : used;
}
