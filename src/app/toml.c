#include "app/toml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_DEPTH = 16, TOKEN_ROOM = 64 }; // of nested values; of the digits of a number

struct toml toml_of(struct span text)
{
    return (struct toml){.text = text, .line = 1};
}

bool toml_fail(struct toml *t, const char *error)
{
    if (!t->error)
        t->error = error;
    return false;
}

static int peek_char(const struct toml *t)
{
    return t->at < t->text.size ? (unsigned char)t->text.at[t->at] : -1;
}

static int take_char(struct toml *t)
{
    int c = peek_char(t);
    if (c < 0)
        return c;
    t->line += c == '\n';
    t->at++;
    return c;
}

// Spaces and comments; line ends too where they mean nothing.
static void skip_blanks(struct toml *t, bool lines)
{
    for (int c; (c = peek_char(t)) >= 0;)
        if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r')))
            take_char(t);
        else if (c == '#')
            while (peek_char(t) >= 0 && peek_char(t) != '\n')
                take_char(t);
        else
            return;
}

static bool starts_with(const struct toml *t, const char *text)
{
    size_t size = strlen(text);
    return t->text.size - t->at >= size && memcmp(t->text.at + t->at, text, size) == 0;
}

// After a value or a header: only a comment may follow on the line.
static bool end_line(struct toml *t)
{
    skip_blanks(t, false);
    if (peek_char(t) == '\r')
        take_char(t);
    return peek_char(t) < 0 || peek_char(t) == '\n' || toml_fail(t, "expected the end of the line");
}

static struct span trim_blanks(const char *from, const char *end)
{
    while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (struct span){from, (size_t)(end - from)};
}

static enum toml_item read_head(struct toml *t, struct span *name)
{
    bool list = starts_with(t, "[["); // a table of an array: the same to us
    t->at += list ? 2 : 1;
    skip_blanks(t, false);
    const char *from = t->text.at + t->at;
    while (peek_char(t) >= 0 && peek_char(t) != ']' && peek_char(t) != '\n')
        take_char(t);
    *name = trim_blanks(from, t->text.at + t->at);
    if (take_char(t) != ']' || (list && take_char(t) != ']') || !name->size)
        toml_fail(t, "expected [NAME]");
    return t->error ? TOML_BAD : TOML_TABLE;
}

enum toml_item toml_next(struct toml *t, struct span *name)
{
    if (t->error || (t->at && !end_line(t)))
        return TOML_BAD;
    skip_blanks(t, true);
    if (peek_char(t) < 0)
        return TOML_END;
    if (peek_char(t) == '[')
        return read_head(t, name);
    const char *from = t->text.at + t->at;
    while (peek_char(t) >= 0 && peek_char(t) != '=' && peek_char(t) != '\n')
        take_char(t);
    *name = trim_blanks(from, t->text.at + t->at);
    if (peek_char(t) != '=' || !name->size) {
        toml_fail(t, "expected KEY = VALUE");
        return TOML_BAD;
    }
    take_char(t);
    if (name->size > 1 && (*name->at == '"' || *name->at == '\'') && name->at[name->size - 1] == *name->at)
        *name = (struct span){name->at + 1, name->size - 2};
    skip_blanks(t, false);
    return TOML_KEY;
}

struct sink {
    char *at;
    size_t room, size; // `size` counts what does not fit as well
};

static void put_char(struct sink *s, char c)
{
    if (s->size + 1 < s->room)
        s->at[s->size] = c;
    s->size++;
}

static void put_utf8(struct sink *s, uint32_t code)
{
    if (code < 0x80) {
        put_char(s, (char)code);
    } else if (code < 0x800) {
        put_char(s, (char)(0xC0 | code >> 6));
        put_char(s, (char)(0x80 | (code & 63)));
    } else if (code < 0x10000) {
        put_char(s, (char)(0xE0 | code >> 12));
        put_char(s, (char)(0x80 | (code >> 6 & 63)));
        put_char(s, (char)(0x80 | (code & 63)));
    } else {
        put_char(s, (char)(0xF0 | code >> 18));
        put_char(s, (char)(0x80 | (code >> 12 & 63)));
        put_char(s, (char)(0x80 | (code >> 6 & 63)));
        put_char(s, (char)(0x80 | (code & 63)));
    }
}

static bool read_escape(struct toml *t, struct sink *s)
{
    static const char names[] = "btnfr\"\\e", values[] = "\b\t\n\f\r\"\\\x1b";
    int c = take_char(t);
    const char *found = c > 0 ? strchr(names, c) : NULL;
    if (found) {
        put_char(s, values[found - names]);
        return true;
    }
    int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    for (int i = 0; i < digits; i++) {
        int d = take_char(t);
        if (d < 0 || !isxdigit(d))
            return toml_fail(t, "expected a hex digit");
        code = code << 4 | (uint32_t)(d <= '9' ? d - '0' : (d | 32) - 'a' + 10);
    }
    if (!digits || code > 0x10FFFF || code >> 11 == 27)
        return toml_fail(t, "unknown escape in a string");
    put_utf8(s, code);
    return true;
}

static bool read_string(struct toml *t, struct sink *s)
{
    int quote = peek_char(t);
    if (quote != '"' && quote != '\'')
        return toml_fail(t, "expected a string");
    const char *mark = quote == '"' ? "\"\"\"" : "'''";
    bool many = starts_with(t, mark); // lines
    t->at += many ? 3 : 1;
    if (many && peek_char(t) == '\n')
        take_char(t);
    for (;;) {
        int c = peek_char(t);
        if (c < 0 || (c == '\n' && !many))
            return toml_fail(t, "a string has no end");
        if (c == quote && (!many || starts_with(t, mark))) {
            t->at += many ? 3 : 1;
            return true;
        }
        take_char(t);
        if (c != '\\' || quote == '\'')
            put_char(s, (char)c);
        else if (many && (peek_char(t) == '\n' || peek_char(t) == '\r'))
            skip_blanks(t, true); // a value may continue on the next line
        else if (!read_escape(t, s))
            return false;
    }
}

bool toml_read_string(struct toml *t, char *out, size_t room)
{
    struct sink s = {out, room, 0};
    if (t->error || !read_string(t, &s))
        return false;
    if (room)
        out[s.size < room ? s.size : room - 1] = 0;
    return true;
}

static struct span read_token(struct toml *t)
{
    const char *from = t->text.at + t->at;
    for (int c; (c = peek_char(t)) > 0 && (isalnum(c) || strchr("+-._:", c));)
        take_char(t);
    return (struct span){from, (size_t)(t->text.at + t->at - from)};
}

bool toml_read_whole(struct toml *t, int64_t max, int64_t *out)
{
    char digits[TOKEN_ROOM], *end;
    size_t size = 0;
    if (t->error)
        return false;
    struct span token = read_token(t);
    for (size_t i = 0; i < token.size; i++) {
        if (size == sizeof digits - 1 || strchr("xXpPnNiI:", token.at[i])) // no hex, no infinity, no time
            return toml_fail(t, "expected a whole number");
        if (token.at[i] != '_')
            digits[size++] = token.at[i];
    }
    digits[size] = 0;
    errno = 0;
    long long exact = strtoll(digits, &end, 10);
    if (size && !*end && !errno && exact >= 0 && exact <= max) {
        *out = exact;
        return true;
    }
    double value = strtod(digits, &end);
    if (!size || *end)
        return toml_fail(t, "expected a whole number");
    if (value != floor(value))
        return toml_fail(t, "amounts are whole numbers here; multiply all of them by the same factor");
    if (!(value >= 0) || value >= (double)max)
        return toml_fail(t, "a number is out of range");
    *out = (int64_t)value;
    return true;
}

bool toml_enter_array(struct toml *t)
{
    if (t->error)
        return false;
    return take_char(t) == '[' || toml_fail(t, "expected an array");
}

// Before the first element and after each: a comma may follow, also after the last.
bool toml_next_element(struct toml *t)
{
    if (t->error)
        return false;
    skip_blanks(t, true);
    if (peek_char(t) == ',') {
        take_char(t);
        skip_blanks(t, true);
    }
    if (peek_char(t) == ']') {
        take_char(t);
        return false;
    }
    return peek_char(t) >= 0 || toml_fail(t, "an array has no end");
}

static bool skip_value(struct toml *t, int depth);

static bool skip_array(struct toml *t, int depth)
{
    for (toml_enter_array(t); toml_next_element(t);)
        if (!skip_value(t, depth + 1))
            return false;
    return !t->error;
}

// {a = 1, b = "x"}, on one line.
static bool skip_inline_table(struct toml *t, int depth)
{
    for (take_char(t);;) {
        skip_blanks(t, true);
        if (peek_char(t) == ',')
            take_char(t);
        skip_blanks(t, true);
        if (peek_char(t) == '}') {
            take_char(t);
            return true;
        }
        while (peek_char(t) >= 0 && peek_char(t) != '=' && peek_char(t) != '\n')
            take_char(t);
        if (take_char(t) != '=')
            return toml_fail(t, "an inline table has no end");
        skip_blanks(t, false);
        if (!skip_value(t, depth + 1))
            return false;
    }
}

static bool skip_value(struct toml *t, int depth)
{
    if (t->error || depth > MAX_DEPTH)
        return toml_fail(t, "arrays are nested too deeply");
    int c = peek_char(t);
    if (c == '"' || c == '\'')
        return toml_read_string(t, NULL, 0);
    if (c == '[')
        return skip_array(t, depth);
    if (c == '{')
        return skip_inline_table(t, depth);
    return read_token(t).size > 0 || toml_fail(t, "expected a value");
}

bool toml_skip(struct toml *t)
{
    return skip_value(t, 0);
}
