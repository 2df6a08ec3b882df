// A JSON writer that appends to a text. Compact, ASCII only. Commas are inserted automatically: before a value or key
// that does not follow an opening bracket, a colon or the start of a line.
#pragma once

#include "base/text.h"

// Whether the next value or key needs a comma, by the byte before it.
static inline bool json_needs_comma(char last)
{
    return last != '{' && last != '[' && last != ':' && last != ',' && last != '\n';
}

static inline void json_separate(struct text *t)
{
    if (t->size && json_needs_comma(t->at[t->size - 1]))
        text_put_char(t, ',');
}

// Inline, like text_puts.
#ifdef __OPTIMIZE_SIZE__
void json_begin_object(struct text *t);
void json_end_object(struct text *t);
void json_begin_array(struct text *t);
void json_end_array(struct text *t);
#else
static inline void json_begin_object(struct text *t)
{
    json_separate(t);
    text_put_char(t, '{');
}

static inline void json_end_object(struct text *t)
{
    text_put_char(t, '}');
}

static inline void json_begin_array(struct text *t)
{
    json_separate(t);
    text_put_char(t, '[');
}

static inline void json_end_array(struct text *t)
{
    text_put_char(t, ']');
}
#endif

void json_write_key(struct text *t, const char *key, size_t size);

// Keys are usually literals, and half of what the protocols send: inline, each is a few stores. If size matters (the
// rules in the browser) they are functions.
#ifdef __OPTIMIZE_SIZE__
#define JSON_IN_PLACE static inline __attribute__((noinline))
#else
#define JSON_IN_PLACE static inline __attribute__((always_inline))
#endif

// The value must follow; the key needs no escaping.
JSON_IN_PLACE void json_key(struct text *t, const char *key)
{
    size_t size = strlen(key);
    if (!__builtin_constant_p(size) || t->size == 0 || t->full || t->room - t->size < size + 4) {
        json_write_key(t, key, size);
        return;
    }
    char *at = t->at + t->size;
    bool comma = json_needs_comma(at[-1]);
    at[0] = ',';
    at += comma;
    at[0] = '"';
    memcpy(at + 1, key, size);
    at[size + 1] = '"';
    at[size + 2] = ':';
    t->size += size + 3 + comma;
}

void json_write_string(struct text *t, struct span s); // escaped; invalid UTF-8 becomes U+FFFD
void json_write_text(struct text *t, const char *s);   // NULL writes null
void json_write_int(struct text *t, int64_t value);
void json_write_uint(struct text *t, uint64_t value);
void json_write_bool(struct text *t, bool value);
void json_write_null(struct text *t);
void json_write_decimal(struct text *t, double value, int digits); // NaN or infinite: null
void json_write_raw(struct text *t, struct span json);             // already JSON

// A key and its value, at a position without a comma.
// Of the first two the value is an object or an array that begins: members or items follow, then json_end_object or
// json_end_array.
JSON_IN_PLACE void json_begin_object_at(struct text *t, const char *key)
{
    json_key(t, key);
    json_begin_object(t);
}

JSON_IN_PLACE void json_begin_array_at(struct text *t, const char *key)
{
    json_key(t, key);
    json_begin_array(t);
}

JSON_IN_PLACE void json_put_string(struct text *t, const char *key, struct span s)
{
    json_key(t, key);
    json_write_string(t, s);
}

JSON_IN_PLACE void json_put_text(struct text *t, const char *key, const char *s)
{
    json_key(t, key);
    json_write_text(t, s);
}

JSON_IN_PLACE void json_put_raw(struct text *t, const char *key, struct span json)
{
    json_key(t, key);
    json_write_raw(t, json);
}

JSON_IN_PLACE void json_put_int(struct text *t, const char *key, int64_t value)
{
    json_key(t, key);
    text_put_int(t, value);
}

JSON_IN_PLACE void json_put_uint(struct text *t, const char *key, uint64_t value)
{
    json_key(t, key);
    text_put_uint(t, value);
}

// As 16 hex digits: for hashes, which do not fit into a JSON number. json_read_hex reads them.
JSON_IN_PLACE void json_put_hex(struct text *t, const char *key, uint64_t value)
{
    json_key(t, key);
    text_put_char(t, '"');
    text_put_hex(t, value, 16);
    text_put_char(t, '"');
}

void json_put_hex_bytes(struct text *t, const char *key, const void *bytes, size_t size); // a string
void json_put_texts(struct text *t, const char *key,
                    const char *const *texts); // an array; NULL ends the list, or is it

// A string of `size` plain characters, written by the caller; NULL: no room.
JSON_IN_PLACE char *json_put_space(struct text *t, const char *key, size_t size)
{
    json_key(t, key);
    char *at = text_reserve(t, size + 2);
    if (!at)
        return NULL;
    at[0] = at[size + 1] = '"';
    return at + 1;
}

JSON_IN_PLACE void json_put_bool(struct text *t, const char *key, bool value)
{
    json_key(t, key);
    json_write_bool(t, value);
}

JSON_IN_PLACE void json_put_null(struct text *t, const char *key)
{
    json_key(t, key);
    json_write_null(t);
}

JSON_IN_PLACE void json_put_decimal(struct text *t, const char *key, double value, int digits)
{
    json_key(t, key);
    json_write_decimal(t, value, digits);
}
