#include "base/json_read.h"
#include "traj/traj.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void traj_write_double(struct text *out, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        text_puts(out, "null");
        return;
    }
    if (value == floor(value) && fabs(value) <= 9007199254740992.0) {
        text_put_int(out, (int64_t)value);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_puts(out, digits);
}

// Integers that fit into 64 bits, signed or unsigned, are exact; larger ones are doubles, as in other JSON parsers.
static bool is_exact(const char *digits)
{
    errno = 0;
    if (digits[0] == '-')
        strtoll(digits, NULL, 10);
    else
        strtoull(digits, NULL, 10);
    return errno == 0;
}

static void write_number(struct text *out, struct json_reader *r)
{
    char small[64];
    bool whole = json_peek(r) == JSON_INT;
    struct span raw = json_read_raw(r);
    // A client may write as many digits as fit into its message.
    char *token = raw.size < sizeof small ? small : malloc(raw.size + 1);
    if (!token) {
        json_fail(r, ERR_TOO_LONG);
        return;
    }
    if (raw.size)
        memcpy(token, raw.at, raw.size);
    token[raw.size] = 0;
    if (whole && is_exact(token))
        text_puts(out, strcmp(token, "-0") == 0 ? "0" : token);
    else
        traj_write_double(out, strtod(token, NULL)); // out of range for a double: written as null, as elsewhere
    if (token != small)
        free(token);
}

// Escapes have one form only. A string without any is copied.
static void write_string(struct text *out, struct json_reader *r, struct json_string s)
{
    bool plain = !s.escaped;
    for (size_t i = 0; plain && i < s.raw.size; i++)
        plain = (unsigned char)s.raw.at[i] < 0x7f;
    if (plain) {
        text_put_char(out, '"');
        text_put(out, s.raw);
        text_put_char(out, '"');
        return;
    }
    char *bytes = malloc(s.raw.size + 1);
    int size = bytes ? json_string_unescape(s, bytes, s.raw.size + 1) : -1;
    if (size < 0)
        json_fail(r, ERR_TOO_LONG);
    else
        json_write_string(out, (struct span){bytes, (size_t)size});
    free(bytes);
}

static void write_value(struct text *out, struct json_reader *r)
{
    struct json_string key;
    bool first = true;
    switch (json_peek(r)) {
    case JSON_OBJECT:
        text_put_char(out, '{');
        for (json_enter_object(r); json_next_key(r, &key); first = false) {
            if (!first)
                text_put_char(out, ',');
            write_string(out, r, key);
            text_put_char(out, ':');
            write_value(out, r);
        }
        text_put_char(out, '}');
        return;
    case JSON_ARRAY:
        text_put_char(out, '[');
        for (json_enter_array(r); json_next_item(r); first = false) {
            if (!first)
                text_put_char(out, ',');
            write_value(out, r);
        }
        text_put_char(out, ']');
        return;
    case JSON_STRING:
        write_string(out, r, json_read_string(r));
        return;
    case JSON_INT:
    case JSON_REAL:
        write_number(out, r);
        return;
    default:
        text_put(out, json_read_raw(r)); // null, true, false, or an error
    }
}

bool traj_put_canonical_json(struct text *out, struct span json)
{
    struct json_reader r = json_reader_of(json, TRAJ_MAX_DEPTH);
    size_t before = out->size;
    write_value(out, &r);
    if (json_finish(&r) == OK && !out->full)
        return true;
    out->size = before;
    return false;
}
