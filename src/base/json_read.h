// JSON, pulled out of a span in one pass: no tree, no allocation.
//
// Errors stick: after the first one every call is harmless and answers nothing (0, false, an empty span), so a caller
// reads into a struct, asks json_finish once, and only then acts. Strict RFC 8259, strict UTF-8, no lone surrogates,
// a ceiling on depth. Of duplicate keys the last one read wins, because a reader assigns as it goes:
//
//     struct json_reader r = json_reader_of(line, 16);
//     struct json_string key;
//     for (json_enter_object(&r); json_next_key(&r, &key);)
//         if (json_string_is(key, "seed"))
//             seed = json_read_uint(&r, UINT32_MAX);
//         else
//             json_skip(&r);
//     if ((err = json_finish(&r)) != OK)
//         return err;
//
// A copy of the reader is a bookmark: reading from the copy leaves the original where it was.
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

enum json_type { JSON_NONE, JSON_NULL, JSON_BOOL, JSON_INT, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_reader {
    const char *at, *end;
    int error;         // OK, or what went wrong first
    uint8_t depth;     // open arrays and objects
    uint8_t max_depth; // at most 64
    bool first;        // no member of the innermost array or object has been read yet
};

// A string as it stands between its quotes, escapes and all.
struct json_string {
    struct span raw;
    bool escaped; // has at least one backslash
};

// Any value: its type and the bytes it stands in.
struct json_value {
    enum json_type type; // JSON_NONE: there is none
    bool escaped;        // a string with at least one backslash
    struct span raw;
};

struct json_reader json_reader_of(struct span text, int max_depth);
int json_finish(struct json_reader *r); // OK when exactly one value has been read and only white space is left

enum json_type json_peek(struct json_reader *r);  // of the next value; a number with '.', 'e' or beyond 64 bits is REAL
void json_skip(struct json_reader *r);            // any value, checked all the same
struct span json_read_raw(struct json_reader *r); // any value, checked, as the bytes it stands in
struct json_value json_read_value(struct json_reader *r); // the same with its type
// One member of an object that is not read otherwise: the raw value of the last one of this name. False, and *value as
// it was, when there is none, when `object` is no object, or when it is malformed or nested deeper than 64.
bool json_find_member(struct span object, const char *name, struct span *value);
struct span json_member(struct span object, const char *name); // the same; empty: none

// The caller has recognised the bytes ahead as one whole value, and goes on behind it.
static inline void json_pass(struct json_reader *r, const char *stop)
{
    r->at = stop;
    r->first = false;
}

void json_enter_object(struct json_reader *r);
bool json_next_key(struct json_reader *r, struct json_string *key); // false at the closing brace, which it consumes
void json_enter_array(struct json_reader *r);
bool json_next_item(struct json_reader *r); // false at the closing bracket, which it consumes

// Of another type: ERR_TYPE; out of range: ERR_RANGE.
int64_t json_read_int(struct json_reader *r, int64_t min, int64_t max);
uint64_t json_read_uint(struct json_reader *r, uint64_t max);
double json_read_real(struct json_reader *r);  // integers too; correct to the last place but one, never infinite
uint64_t json_read_hex(struct json_reader *r); // a string of 16 digits, as json_put_hex writes it; else ERR_FORMAT
bool json_read_bool(struct json_reader *r);
struct json_string json_read_string(struct json_reader *r);
void json_read_null(struct json_reader *r);
bool json_read_if_null(struct json_reader *r); // consumes a null and says true, or leaves the value and says false

static inline struct json_string json_value_string(struct json_value v) // of a string
{
    return (struct json_string){.raw = {v.raw.at + 1, v.raw.size - 2}, .escaped = v.escaped};
}

bool json_string_is_spelt(struct json_string s, const char *text); // with escapes in it

// In place, so that the length of a literal costs nothing.
static inline bool json_string_is(struct json_string s, const char *text)
{
    return s.escaped ? json_string_is_spelt(s, text) : span_is(s.raw, text);
}

// Unescaped UTF-8 into `out`, with a closing NUL; its length, or -1 when it does not fit into room (NUL included).
int json_string_copy(struct json_string s, char *out, size_t room);
// Index of the string in a NULL-ended list, or -1. nocase: ASCII case does not matter.
int json_string_among(struct json_string s, const char *const *words);
int json_string_among_nocase(struct json_string s, const char *const *words);

void json_fail(struct json_reader *r, int error); // the reader's user found a mistake: the first error stays
