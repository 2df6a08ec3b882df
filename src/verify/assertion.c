#include "verify/assertion.h"

#include "base/json_write.h"

#include <stdio.h>
#include <string.h>

bool assertion_note(struct assertions *a, int id, bool holds, const char *why)
{
    struct assertion_result *r = &a->results[id];
    if (r->verdict == GATE_FAIL)
        return holds;
    r->verdict = holds ? GATE_PASS : GATE_FAIL;
    if (!holds)
        snprintf(r->why, sizeof r->why, "%s", why);
    return holds;
}

int assertions_failed(const struct assertions *a)
{
    int failed = 0;
    for (int i = 0; i < a->count; i++)
        failed += a->results[i].verdict == GATE_FAIL;
    return failed;
}

static void put_row(struct text *t, const struct assertion *row)
{
    json_put_text(t, "name", row->name);
    json_put_text(t, "gate", row->gate);
    json_put_text(t, "rules", row->rules);
}

static void write_list_json(struct text *t, const struct assertion *rows, int count)
{
    json_begin_array(t);
    for (int i = 0; i < count; i++) {
        json_begin_object(t);
        put_row(t, &rows[i]);
        json_put_text(t, "text", rows[i].text);
        json_put_bool(t, "own", rows[i].own);
        json_end_object(t);
    }
    json_end_array(t);
    text_put_char(t, '\n');
}

void assertion_write_list(struct text *t, const struct assertion *rows, int count, bool json)
{
    if (json) {
        write_list_json(t, rows, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        char line[512];
        int size = snprintf(line, sizeof line, "%-4s %-28s %-22s %s%s\n", rows[i].gate, rows[i].name, rows[i].rules,
                            rows[i].text, rows[i].own ? " (agon's own server only)" : "");
        text_put(t, (struct span){line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1});
    }
}

void assertion_put_results(struct text *t, const struct assertions *a)
{
    json_begin_array_at(t, "assertions");
    for (int i = 0; i < a->count; i++) {
        json_begin_object(t);
        put_row(t, &a->rows[i]);
        json_put_text(t, "verdict", gate_word(a->results[i].verdict));
        if (a->results[i].why[0])
            json_put_text(t, "why", a->results[i].why);
        json_end_object(t);
    }
    json_end_array(t);
}

void assertion_write_failures(struct text *t, const struct assertions *a)
{
    for (int i = 0; i < a->count; i++) {
        if (a->results[i].verdict != GATE_FAIL)
            continue;
        const char *const parts[] = {"  ",  a->rows[i].gate, " ",        a->rows[i].name,   " (", a->rows[i].rules,
                                     "): ", a->rows[i].text, "\n      ", a->results[i].why, "\n"};
        for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
            text_puts(t, parts[k]);
    }
}

const char *wire_quote(char out[WIRE_QUOTE], struct span line)
{
    static const char hex[] = "0123456789abcdef";
    enum { ROOM = WIRE_QUOTE - 5 }; // leaves room for an escape, or for the mark of shortening
    size_t size = 0, i = 0;
    for (; i < line.size && size < ROOM - 4; i++) {
        unsigned char byte = (unsigned char)line.at[i];
        if (byte >= ' ' && byte < 127) {
            out[size++] = (char)byte;
            continue;
        }
        const char escape[] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
        memcpy(out + size, escape, sizeof escape);
        size += sizeof escape;
    }
    memcpy(out + size,
           line.size == 0  ? "nothing"
           : i < line.size ? "..."
                           : "",
           line.size == 0  ? 8
           : i < line.size ? 4
                           : 1);
    return out;
}
