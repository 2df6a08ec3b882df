#include "app/admin_print.h"

#include "base/json_read.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 32, COLUMNS = 12, CELL = 4096 }; // CELL: bytes; longer texts are cut

// The players' names, with a star for winners.
static void put_players(struct text *t, struct span list)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    const char *between = "";
    for (json_enter_array(&r); json_next_item(&r); between = ", ") {
        char name[CELL];
        struct span player = json_read_raw(&r), word = json_member(player, "agent_name");
        struct json_reader text = json_reader_of(word.size ? word : json_member(player, "name"), DEPTH);
        text_puts(t, between);
        if (json_string_copy(json_read_string(&text), name, sizeof name) > 0)
            text_puts(t, name);
        if (span_is(json_member(player, "result"), "\"win\""))
            text_puts(t, "*");
    }
}

// "a, b" of a list that has nothing but strings; otherwise the list as it is.
static void put_words(struct text *t, struct span list)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    size_t begin = t->size;
    for (json_enter_array(&r); json_next_item(&r);) {
        char word[CELL];
        int size = json_peek(&r) == JSON_STRING ? json_string_copy(json_read_string(&r), word, sizeof word) : -1;
        if (size < 0) {
            t->size = begin;
            text_put(t, list);
            return;
        }
        text_puts(t, t->size > begin ? ", " : "");
        text_put(t, (struct span){word, (size_t)size});
    }
}

// Strings without quotes, lists of players as names, lists of strings as words, everything else as JSON.
static const char *write_cell(char cell[CELL], const char *column, struct span value)
{
    struct text t = text_on(cell, CELL - 1);
    struct json_reader r = json_reader_of(value, DEPTH);
    int size = -1;
    if (json_peek(&r) == JSON_STRING)
        size = json_string_copy(json_read_string(&r), cell, CELL);
    if (size >= 0)
        t.size = (size_t)size;
    else if (strcmp(column, "players") == 0)
        put_players(&t, value);
    else if (value.size && value.at[0] == '[')
        put_words(&t, value);
    else
        text_put(&t, value);
    cell[t.size] = 0;
    for (char *c = cell; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) // control characters of others must not reach the terminal
            *c = '?';
    return cell;
}

// A member a line; those of an object in it are indented.
static void print_object(struct span object, int indent)
{
    char cell[CELL];
    struct json_reader r = json_reader_of(object, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        bool nested = value.size && value.at[0] == '{' && indent < DEPTH;
        printf("%*s%.*s:%s%s\n", indent, "", (int)key.raw.size, key.raw.at, nested ? "" : " ",
               nested ? "" : write_cell(cell, json_string_is(key, "players") ? "players" : "", value));
        if (nested)
            print_object(value, indent + 2);
    }
}

struct columns {
    char name[COLUMNS][32];
    int width[COLUMNS];
    int count;
};

static void read_columns(struct columns *c, const char *names)
{
    for (c->count = 0; *names && c->count < COLUMNS; c->count++) {
        size_t size = strcspn(names, " ");
        snprintf(c->name[c->count], sizeof c->name[0], "%.*s", (int)size, names);
        c->width[c->count] = (int)size;
        names += size + (names[size] == ' ');
    }
}

// Number of characters, for a terminal.
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_cell(const struct columns *c, int i, const char *text)
{
    int space = i + 1 < c->count ? c->width[i] + 2 - width_of(text) : 0;
    printf("%s%*s", text, space, "");
}

static void print_heads(const struct columns *c)
{
    for (int i = 0; i < c->count; i++) {
        char head[32];
        int n = 0;
        for (const char *at = c->name[i]; *at; at++)
            head[n++] = *at == '_' ? ' ' : (char)toupper((unsigned char)*at);
        head[n] = 0;
        print_cell(c, i, head);
    }
    putchar('\n');
}

// The first pass finds the column widths, the second prints.
static void print_rows(struct span list, const char *names)
{
    char cell[CELL];
    struct columns c = {0};
    read_columns(&c, names);
    for (int pass = 0; pass < 2; pass++) {
        struct json_reader r = json_reader_of(list, DEPTH);
        if (pass == 1)
            print_heads(&c);
        for (json_enter_array(&r); json_next_item(&r);) {
            struct span row = json_read_raw(&r);
            for (int i = 0; i < c.count; i++) {
                const char *text = write_cell(cell, c.name[i], json_member(row, c.name[i]));
                if (pass == 1)
                    print_cell(&c, i, text);
                else if (width_of(text) > c.width[i])
                    c.width[i] = width_of(text);
            }
            if (pass == 1)
                putchar('\n');
        }
    }
}

bool admin_print(struct span answer, const char *list, const char *columns, bool as_json)
{
    if (as_json) {
        printf("%.*s\n", (int)answer.size, answer.at);
        return true;
    }
    struct span shown = list ? json_member(answer, list) : answer;
    if (!shown.size)
        return false;
    if (columns)
        print_rows(shown, columns);
    else
        print_object(shown, 0);
    return true;
}

void admin_print_error(const char *command, int status, struct span answer)
{
    char text[1024];
    struct span error = json_member(answer, "error");
    struct json_reader r = json_reader_of(error.at ? error : SPAN("\"no reason was given\""), DEPTH);
    if (json_string_copy(json_read_string(&r), text, sizeof text) < 0)
        text[0] = 0;
    fprintf(stderr, "%s: %s (%d)%s\n", command, text, status,
            status == 401 ? "; give the operator's token with --token-file or AGON_ADMIN_TOKEN" : "");
}
