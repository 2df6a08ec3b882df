#include "front/mcp/mcp_lines.h"

static bool is_blank(struct span line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r')
            return false;
    return true;
}

static void deliver(struct mcp_lines *l, struct span line, int64_t now_us)
{
    if (l->skipping) {
        l->skipping = false; // the end of what was refused
        return;
    }
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (line.size > l->max_bytes)
        mcp_session_too_large(l->session);
    else if (!is_blank(line))
        mcp_session_handle(l->session, line, 0, now_us);
}

size_t mcp_lines_cut(struct mcp_lines *l, struct span bytes, size_t seen, int64_t now_us, bool (*go_on)(void *conn),
                     void *conn)
{
    size_t used = 0;
    bool partial = false; // what is left has no end yet
    while (used < bytes.size && (!go_on || go_on(conn))) {
        size_t from = used > seen ? used : seen;
        const char *end = memchr(bytes.at + from, '\n', bytes.size - from);
        partial = !end;
        if (partial)
            break;
        deliver(l, (struct span){bytes.at + used, (size_t)(end - bytes.at) - used}, now_us);
        used = (size_t)(end - bytes.at) + 1;
    }
    if (partial && !l->skipping && bytes.size - used > l->max_bytes + 1) { // a CR may stand before the LF
        mcp_session_too_large(l->session);
        l->skipping = true;
    }
    return partial && l->skipping ? bytes.size : used;
}
