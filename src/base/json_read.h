// A JSON reader that works on a span in one pass: no tree, no allocation.
//
// Errors are sticky: after the first one every call is harmless and returns nothing (0, false, an empty span). So a
// caller reads into a struct, calls json_finish once, and only then acts. Strict RFC 8259, strict UTF-8, no lone
// surrogates, limited depth. Of duplicate keys the last one wins, because a reader assigns as it goes:
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
    int error;                // OK, or the first error
    uint8_t depth;            // open arrays and objects
    uint8_t max_depth;        // at most 64
    bool first;               // no member of the innermost array or object has been read yet
    const char *const *known; // of json_fail_word, if that was the first error; else NULL
};

// The raw contents of a string, with escapes.
struct json_string {
    struct span raw;
    bool escaped; // has at least one backslash
};

// Any value: its type and its raw bytes.
struct json_value {
    enum json_type type; // JSON_NONE: absent
    bool escaped;        // a string with at least one backslash
    struct span raw;
};

struct json_reader json_reader_of(struct span text, int max_depth);
int json_finish(struct json_reader *r); // OK if exactly one value was read and only white space is left

enum json_type json_peek(struct json_reader *r);  // of the next value; a number with '.', 'e' or beyond 64 bits is REAL
void json_skip(struct json_reader *r);            // any value; it is still checked
struct span json_read_raw(struct json_reader *r); // any value, checked, as raw bytes
struct json_value json_read_value(struct json_reader *r); // the same with its type
// Type of the one value of a text; JSON_NONE if the text is not exactly one valid value.
enum json_type json_type_of(struct span text, int max_depth);
// Finds a member of an object that is not read otherwise: the raw value of the last one with this name. Returns false,
// leaving *value unchanged, if there is none, or `object` is not an object, is malformed, or is nested deeper than 64.
bool json_find_member(struct span object, const char *name, struct span *value);
struct span json_member(struct span object, const char *name); // the same; empty: none

// The caller has recognised the next bytes as one whole value; continues after it.
static inline void json_pass(struct json_reader *r, const char *stop)
{
    r->at = stop;
    r->first = false;
}

void json_enter_object(struct json_reader *r);
bool json_next_key(struct json_reader *r, struct json_string *key); // false at the closing brace, which it consumes
void json_enter_array(struct json_reader *r);
bool json_next_item(struct json_reader *r); // false at the closing bracket, which it consumes

// ERR_TYPE for another type, ERR_RANGE if out of range.
int64_t json_read_int(struct json_reader *r, int64_t min, int64_t max);
uint64_t json_read_uint(struct json_reader *r, uint64_t max);
double json_read_real(struct json_reader *r);  // integers too; accurate to one unit in the last place, never infinite
uint64_t json_read_hex(struct json_reader *r); // a string of 16 digits, as written by json_put_hex; else ERR_FORMAT
bool json_read_bool(struct json_reader *r);
struct json_string json_read_string(struct json_reader *r);
void json_read_null(struct json_reader *r);
// Consumes a null and returns true, or leaves the value and returns false.
bool json_read_if_null(struct json_reader *r);

static inline struct json_string json_value_string(struct json_value v) // of a string
{
    return (struct json_string){.raw = {v.raw.at + 1, v.raw.size - 2}, .escaped = v.escaped};
}

bool json_string_is_spelt(struct json_string s, const char *text); // compares after unescaping

// Inline, so that the length of a literal is a constant.
static inline bool json_string_is(struct json_string s, const char *text)
{
    return s.escaped ? json_string_is_spelt(s, text) : span_is(s.raw, text);
}

// Writes unescaped UTF-8 to `out`, with a terminating NUL. Returns its length, or -1 if it does not fit into room (NUL
// included) or has a NUL inside, which would hide the rest from C; then `out` is empty.
int json_string_copy(struct json_string s, char *out, size_t room);
// The same for a caller that goes by the length: a NUL inside is kept. On -1 `out` is undefined.
int json_string_unescape(struct json_string s, char *out, size_t room);
// Copies a value that nothing else reads, such as one of json_member. Returns its length, or -1 with "" in `out` if it
// is not a string, or does not fit.
int json_copy_text(struct span json, char *out, size_t room);
// Index of the string in a NULL-terminated list, or -1. nocase: ignores ASCII case.
int json_string_among(struct json_string s, const char *const *words);
int json_string_among_nocase(struct json_string s, const char *const *words);

void json_fail(struct json_reader *r, int error); // for errors found by the caller: the first error is kept
// ERR_UNKNOWN for a string that is none of a NULL-terminated list, which an explanation can then name (r->known).
void json_fail_word(struct json_reader *r, const char *const *words);
