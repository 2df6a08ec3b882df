#include "http_cases.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 16 };

static const struct {
    char letter;
    const char *text;
} words[] = {
    {'r', "\r"},
    {'n', "\n"},
    {'t', "\t"},
    {'\\', "\\"},
    {'G', "GET /api/health HTTP/1.1\r\nHost: x\r\n"},
    {'P', "POST /api/health HTTP/1.1\r\nHost: x\r\n"},
    {'S', "GET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"},
};

static void put(struct http_case *c, const char *bytes, size_t size)
{
    if (c->size + size > ROOM)
        abort();
    memcpy(c->bytes + c->size, bytes, size);
    c->size += size;
}

// What stands behind a backslash; where it ends.
static const char *put_escape(struct http_case *c, const char *at)
{
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].letter == *at) {
            put(c, words[i].text, strlen(words[i].text));
            return at + 1;
        }
    char byte = 0, *end = NULL;
    if (*at == '0') {
        put(c, &byte, 1);
        return at + 1;
    }
    if (*at == 'x') {
        char digits[3] = {at[1], at[2], 0};
        byte = (char)strtoul(digits, NULL, 16);
        put(c, &byte, 1);
        return at + 3;
    }
    unsigned long count = *at == '{' ? strtoul(at + 1, &end, 10) : 0;
    if (!end || *end != '}')
        abort();
    for (; count; count--)
        put(c, end + 1, 1);
    return end + 2;
}

static void read_case(struct http_case *c, char *line)
{
    char *rest = line;
    const char *name = strsep(&rest, "\t"), *requests = strsep(&rest, "\t"), *end = strsep(&rest, "\t");
    if (!rest || !(c->bytes = malloc(ROOM)))
        abort();
    snprintf(c->name, sizeof c->name, "%s", name);
    c->requests = atoi(requests);
    c->more = strcmp(end, "more") == 0;
    c->status = atoi(end);
    for (const char *at = rest; *at;) {
        if (*at == '\\') {
            at = put_escape(c, at + 1);
        } else {
            put(c, at++, 1);
        }
    }
}

int http_cases_read(const char *path, struct http_case cases[HTTP_CASES_MAX])
{
    char *line = NULL;
    size_t room = 0;
    int count = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        abort();
    for (ssize_t size; (size = getline(&line, &room, f)) > 0;) {
        if (line[size - 1] == '\n')
            line[size - 1] = 0;
        if (!line[0] || line[0] == '#')
            continue;
        if (count == HTTP_CASES_MAX)
            abort();
        cases[count] = (struct http_case){0};
        read_case(&cases[count++], line);
    }
    free(line);
    fclose(f);
    return count;
}

void http_cases_free(struct http_case *cases, int count)
{
    for (int i = 0; i < count; i++)
        free(cases[i].bytes);
}
