#include "app/admin_print.h"

#include "base/json_read.h"

#include <stdio.h>

enum { DEPTH = 32, COLUMNS = 12 };

// The value of a member, as its bytes; empty when there is none.
static struct span find_member(struct span object, const char *name)
{
    struct json_reader r = json_reader_of(object, DEPTH);
    struct json_string key;
    struct span found = {0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, name))
            found = json_read_raw(&r);
        else
            json_skip(&r);
    return r.error == OK ? found : (struct span){0};
}

// Strings without their quotes, everything else as JSON.
static void print_value(struct span value, int width)
{
    char text[1024];
    struct json_reader r = json_reader_of(value, DEPTH);
    if (json_peek(&r) == JSON_STRING && json_string_copy(json_read_string(&r), text, sizeof text) >= 0)
        printf("%-*s", width, text);
    else
        printf("%-*.*s", width, (int)value.size, value.at);
}

static void print_object(struct span object)
{
    struct json_reader r = json_reader_of(object, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        printf("%.*s: ", (int)key.raw.size, key.raw.at);
        print_value(json_read_raw(&r), 0);
        putchar('\n');
    }
}

static void print_row(struct span object, const char *columns)
{
    while (*columns) {
        char name[64];
        size_t size = strcspn(columns, " ");
        snprintf(name, sizeof name, "%.*s", (int)size, columns);
        columns += size + (columns[size] == ' ');
        print_value(find_member(object, name), *columns ? (size < 10 ? 12 : (int)size + 2) : 0);
        if (*columns)
            putchar(' ');
    }
    putchar('\n');
}

static void print_rows(struct span list, const char *columns)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    for (json_enter_array(&r); json_next_item(&r);)
        print_row(json_read_raw(&r), columns);
}

void admin_print(struct span answer, const char *list, const char *columns, bool as_json)
{
    if (as_json) {
        printf("%.*s\n", (int)answer.size, answer.at);
        return;
    }
    struct span shown = list ? find_member(answer, list) : answer;
    if (columns)
        print_rows(shown, columns);
    else
        print_object(shown);
}

void admin_print_error(const char *command, int status, struct span answer)
{
    char text[1024];
    struct span error = find_member(answer, "error");
    struct json_reader r = json_reader_of(error.at ? error : SPAN("\"no reason was given\""), DEPTH);
    if (json_string_copy(json_read_string(&r), text, sizeof text) < 0)
        text[0] = 0;
    fprintf(stderr, "%s: %s (%d)\n", command, text, status);
}
