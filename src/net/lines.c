#include "net/lines.h"

#include "base/utf8.h"

static bool is_blank(struct span line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r')
            return false;
    return true;
}

static void fault(const struct lines *l, enum lines_fault what)
{
    l->on_fault(l->client, what);
    conn_hang_up(l->conn);
}

static void deliver(const struct lines *l, struct span line)
{
    if (line.size > l->max_bytes) {
        fault(l, LINES_TOO_LONG);
        return;
    }
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (is_blank(line))
        return;
    if (utf8_is_valid(line))
        l->on_line(l->client, line);
    else
        fault(l, LINES_NOT_UTF8);
}

size_t lines_cut(const struct lines *l, struct span bytes, size_t seen)
{
    size_t used = 0;
    while (conn_is_listening(l->conn)) {
        size_t from = used > seen ? used : seen;
        const char *end = memchr(bytes.at + from, '\n', bytes.size - from);
        if (!end)
            break;
        deliver(l, (struct span){bytes.at + used, (size_t)(end - bytes.at) - used});
        used = (size_t)(end - bytes.at) + 1;
    }
    if (bytes.size - used > l->max_bytes && conn_is_listening(l->conn))
        fault(l, LINES_TOO_LONG);
    return used;
}
