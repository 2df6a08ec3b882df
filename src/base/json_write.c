#include "base/json_write.h"

#include "base/json_escape.h"

#ifdef __OPTIMIZE_SIZE__
void json_begin_object(struct text *t)
{
    json_separate(t);
    text_put_char(t, '{');
}

void json_end_object(struct text *t)
{
    text_put_char(t, '}');
}

void json_begin_array(struct text *t)
{
    json_separate(t);
    text_put_char(t, '[');
}

void json_end_array(struct text *t)
{
    text_put_char(t, ']');
}
#endif

void json_write_key(struct text *t, const char *key, size_t size)
{
    json_separate(t);
    char *space = text_reserve(t, size + 3);
    if (!space)
        return;
    space[0] = '"';
    memcpy(space + 1, key, size);
    space[size + 1] = '"';
    space[size + 2] = ':';
}

// The code point at s[*i], moving on; U+FFFD for a byte that starts nothing valid.
static uint32_t take_point(struct span s, size_t *i)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint8_t lead = (uint8_t)s.at[(*i)++];
    int more = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (more == 0)
        return lead;
    if (lead < 0xc2 || lead > 0xf4)
        return 0xfffd;
    uint32_t point = lead & (0x3fu >> more);
    size_t at = *i;
    for (int k = 0; k < more; k++, at++) {
        if (at >= s.size || ((uint8_t)s.at[at] & 0xc0) != 0x80)
            return 0xfffd;
        point = point << 6 | ((uint8_t)s.at[at] & 0x3f);
    }
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return 0xfffd;
    *i = at;
    return point;
}

static void put_escape(struct text *t, uint32_t unit)
{
    text_puts(t, "\\u");
    text_put_hex(t, unit, 4);
}

static void put_point(struct text *t, uint32_t point)
{
    static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = point && point < 0x80 ? strchr(named, (int)point) : NULL;
    if (found) {
        text_put_char(t, '\\');
        text_put_char(t, letters[found - named]);
    } else if (point >= 0x20 && point < 0x7f) {
        text_put_char(t, (char)point);
    } else if (point < 0x10000) {
        put_escape(t, point);
    } else {
        put_escape(t, 0xd800 + ((point - 0x10000) >> 10));
        put_escape(t, 0xdc00 + ((point - 0x10000) & 0x3ff));
    }
}

// Small letters, which most are, stand behind the backslash.
static inline bool is_plain(char c)
{
    return c > '\\' ? c < 0x7f : c >= 0x20 && c != '"' && c != '\\';
}

// Four to eight bytes: the first four and the last four, which may be the same ones in part.
static uint64_t ends_of(const char *at, size_t size)
{
    uint32_t first, last;
    memcpy(&first, at, 4);
    memcpy(&last, at + size - 4, 4);
    return (uint64_t)last << 32 | first;
}

// How many bytes at the front need no escape. Eight at a time, and names, which are most of the rest, in one look.
static size_t plain_run(const char *at, size_t size)
{
    size_t n = 0;
    for (uint64_t marks; n + 8 <= size; n += 8)
        if ((marks = json_escape_marks(json_escape_load(at + n))))
            return n + json_escape_offset(marks);
    if (size - n >= 4 && !json_escape_marks(ends_of(at + n, size - n)))
        return size;
    while (n < size && is_plain(at[n]))
        n++;
    return n;
}

// Most strings are plain: one look, one copy.
void json_write_string(struct text *t, struct span s)
{
    size_t plain = plain_run(s.at, s.size);
    json_separate(t);
    char *space = text_reserve(t, plain + 1);
    if (!space)
        return;
    space[0] = '"';
    if (plain)
        memcpy(space + 1, s.at, plain);
    for (size_t i = plain; i < s.size;) {
        put_point(t, take_point(s, &i));
        size_t run = plain_run(s.at + i, s.size - i);
        text_put(t, (struct span){s.at + i, run});
        i += run;
    }
    text_put_char(t, '"');
}

// The words of a game are short and plain: such a one is copied while it is looked at.
static bool write_word(struct text *t, const char *s)
{
    enum { WORD = 24 };
    if (t->full || t->room - t->size < WORD + 3)
        return false;
    char *at = t->at + t->size;
    size_t n = 0;
    if (t->size && json_needs_comma(t->at[t->size - 1]))
        *at++ = ',';
    *at++ = '"';
    for (; n < WORD && is_plain(s[n]); n++)
        at[n] = s[n];
    if (s[n])
        return false;
    at[n] = '"';
    t->size = (size_t)(at + n + 1 - t->at);
    return true;
}

void json_write_text(struct text *t, const char *s)
{
    if (!s)
        json_write_null(t);
    else if (!write_word(t, s))
        json_write_string(t, span_of(s));
}

void json_write_int(struct text *t, int64_t value)
{
    json_separate(t);
    text_put_int(t, value);
}

void json_write_uint(struct text *t, uint64_t value)
{
    json_separate(t);
    text_put_uint(t, value);
}

void json_write_bool(struct text *t, bool value)
{
    json_write_raw(t, value ? SPAN("true") : SPAN("false"));
}

void json_write_null(struct text *t)
{
    json_write_raw(t, SPAN("null"));
}

void json_write_decimal(struct text *t, double value, int digits)
{
    if (value != value || value - value != 0) {
        json_write_null(t);
        return;
    }
    json_separate(t);
    text_put_decimal(t, value, digits);
}

void json_write_raw(struct text *t, struct span json)
{
    json_separate(t);
    text_put(t, json);
}

void json_put_hex_bytes(struct text *t, const char *key, const void *bytes, size_t size)
{
    json_key(t, key);
    text_put_char(t, '"');
    text_put_hex_bytes(t, bytes, size);
    text_put_char(t, '"');
}

void json_put_texts(struct text *t, const char *key, const char *const *texts)
{
    json_begin_array_at(t, key);
    for (; texts && *texts; texts++)
        json_write_text(t, *texts);
    json_end_array(t);
}
