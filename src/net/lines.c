#include "net/lines.h"

#include "base/utf8.h"
#include "net/http_grammar.h"

static bool is_blank(struct span line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r')
            return false;
    return true;
}

static void report_fault(const struct lines *l, enum lines_fault what)
{
    l->on_fault(l->client, what);
    conn_hang_up(l->conn);
}

static void deliver_line(const struct lines *l, struct span line)
{
    if (line.size > l->max_bytes) {
        report_fault(l, LINES_TOO_LONG);
        return;
    }
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (is_blank(line))
        return;
    if (utf8_is_valid(line))
        l->on_line(l->client, line);
    else
        report_fault(l, LINES_NOT_UTF8);
}

// UNKNOWN: too few bytes to tell. FOREIGN: HTTP or TLS (T3.16).
enum opening { OPENING_UNKNOWN, OPENING_LINES, OPENING_FOREIGN };

// Judges the first bytes of a connection. An HTTP request begins with a method, which may be any token, and a space: no
// JSON text does. A control character begins a TLS handshake, whose fields may contain line feeds. As long as this is
// undecided, there is no whole line either.
static enum opening judge_opening(struct span bytes)
{
    size_t i = 0;
    if (bytes.size && (unsigned char)bytes.at[0] < ' ' && !strchr("\t\r\n", bytes.at[0]))
        return OPENING_FOREIGN;
    while (i < bytes.size && http_is_token((struct span){bytes.at + i, 1}))
        i++;
    if (i == bytes.size)
        return OPENING_UNKNOWN;
    return i && bytes.at[i] == ' ' ? OPENING_FOREIGN : OPENING_LINES;
}

size_t lines_cut(struct lines *l, struct span bytes, size_t seen)
{
    size_t used = 0;
    enum opening opening = l->opened ? OPENING_LINES : judge_opening(bytes);
    if (opening == OPENING_FOREIGN) {
        conn_hang_up(l->conn);
        return bytes.size;
    }
    l->opened = opening == OPENING_LINES;
    while (conn_is_listening(l->conn)) {
        size_t from = used > seen ? used : seen;
        const char *end = memchr(bytes.at + from, '\n', bytes.size - from);
        if (!end)
            break;
        deliver_line(l, (struct span){bytes.at + used, (size_t)(end - bytes.at) - used});
        used = (size_t)(end - bytes.at) + 1;
    }
    if (bytes.size - used > l->max_bytes && conn_is_listening(l->conn))
        report_fault(l, LINES_TOO_LONG);
    return used;
}
