#include "llm/lenient_json.h"

struct scan {
    const char *at, *end;
    struct text *out;
    size_t *work;
};

static bool copy_value(struct scan *s, int depth);

// `work` is for all attempts at an answer together, those that fail included: each may read to the end of the text.
static bool has_work(struct scan *s)
{
    if (s->at == s->end || *s->work == 0)
        return false;
    --*s->work;
    return true;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && memchr(" \t\r\n", *s->at, 4) && *s->work) {
        s->at++;
        --*s->work;
    }
}

static bool take_char(struct scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool copy_escape(struct scan *s)
{
    if (s->at == s->end || !memchr("\"\\/bfnrtu", *s->at, 9))
        return false;
    text_put_char(s->out, '\\');
    text_put_char(s->out, *s->at++);
    return true;
}

static bool copy_string(struct scan *s)
{
    if (!take_char(s, '"'))
        return false;
    text_put_char(s->out, '"');
    while (has_work(s)) {
        unsigned char c = (unsigned char)*s->at++;
        if (c == '"') {
            text_put_char(s->out, '"');
            return true;
        }
        if (c == '\\') {
            if (!copy_escape(s))
                return false;
        } else if (c < 0x20) {
            text_puts(s->out, "\\u00");
            text_put_hex(s->out, c, 2);
        } else {
            text_put_char(s->out, (char)c);
        }
    }
    return false;
}

// Numbers, true, false and null; the strict reader checks them.
static bool copy_word(struct scan *s)
{
    const char *begin = s->at;
    while (s->at < s->end &&
           ((*s->at >= '0' && *s->at <= '9') || (*s->at >= 'a' && *s->at <= 'z') || memchr("+-.E", *s->at, 4)))
        s->at++;
    text_put(s->out, (struct span){begin, (size_t)(s->at - begin)});
    return s->at > begin;
}

// Members or items up to the closing bracket.
static bool copy_list(struct scan *s, char close, bool keyed, int depth)
{
    for (bool first = true;; first = false) {
        skip_space(s);
        if (take_char(s, close)) {
            text_put_char(s->out, close);
            return true;
        }
        if (!first) {
            text_put_char(s->out, ',');
        }
        if (keyed) {
            if (!copy_string(s))
                return false;
            skip_space(s);
            if (!take_char(s, ':'))
                return false;
            text_put_char(s->out, ':');
        }
        if (!copy_value(s, depth))
            return false;
        skip_space(s);
        if (!take_char(s, ',') && (s->at == s->end || *s->at != close))
            return false;
    }
}

static bool copy_value(struct scan *s, int depth)
{
    skip_space(s);
    if (!has_work(s) || depth == 0 || s->out->full)
        return false;
    char c = *s->at;
    if (c == '"')
        return copy_string(s);
    if (c == '{' || c == '[') {
        s->at++;
        text_put_char(s->out, c);
        return copy_list(s, c == '{' ? '}' : ']', c == '{', depth - 1);
    }
    return copy_word(s);
}

size_t lenient_json_read(struct span s, struct text *out, size_t *work)
{
    struct scan scan = {s.at, s.at + s.size, out, work};
    if (s.size == 0 || (s.at[0] != '{' && s.at[0] != '[') || !copy_value(&scan, LENIENT_JSON_DEPTH) || out->full)
        return 0;
    return (size_t)(scan.at - s.at);
}
