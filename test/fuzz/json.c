// The JSON reader against jansson: what one accepts the other accepts, and both read the same values out of it. Then
// the writer: every string and number that was read is written and read back.
//
// Four differences are wanted. Depth: ours has a ceiling of 64. Numbers beyond 64 bits or beyond double: ours are JSON
// all the same, and refused only by whoever reads them. A \u0000 in a key: ours is a string like any other. A NUL byte:
// never JSON for us, while jansson overlooks it behind a number.
#include "base/json_read.h"
#include "base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Both libraries name their types alike; jansson's get other names here.
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY  JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_REAL   JANSSON_REAL
#define JSON_NULL   JANSSON_NULL
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_REAL
#undef JSON_NULL

#define ENSURE(c)                                                                                                      \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #c);                                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { MAX_INPUT = 4096, DEPTH = 64 };

static void compare(struct json_reader *r, const json_t *theirs);

// A string of ours, unescaped; and back by the writer.
static struct span unescape(struct json_string s, char room[MAX_INPUT + 1])
{
    int size = json_string_unescape(s, room, MAX_INPUT + 1);
    ENSURE(size >= 0 && (size_t)size <= s.raw.size);
    return (struct span){room, (size_t)size};
}

static void compare_string(struct json_reader *r, const json_t *theirs)
{
    char room[MAX_INPUT + 1], written[6 * MAX_INPUT + 2];
    struct span s = unescape(json_read_string(r), room);
    ENSURE(span_equals(s, (struct span){json_string_value(theirs), json_string_length(theirs)}));

    struct text t = text_on(written, sizeof written);
    json_write_string(&t, s);
    ENSURE(!t.full);
    struct json_reader again = json_reader_of(text_span(&t), 1);
    char copy[MAX_INPUT + 1];
    ENSURE(span_equals(unescape(json_read_string(&again), copy), s) && json_finish(&again) == OK);
}

static void compare_integer(struct json_reader *r, const json_t *theirs)
{
    struct json_reader as_real = *r;
    int64_t value = json_read_int(r, INT64_MIN, INT64_MAX);
    ENSURE(r->error == OK && value == json_integer_value(theirs));
    double real = json_read_real(&as_real);
    ENSURE(fabs(real - (double)value) <= fabs((double)value) * 0x1p-51);

    char room[32];
    struct text t = text_on(room, sizeof room);
    json_write_int(&t, value);
    struct json_reader again = json_reader_of(text_span(&t), 1);
    ENSURE(json_read_int(&again, value, value) == value && json_finish(&again) == OK);
}

static void compare_real(struct json_reader *r, const json_t *theirs)
{
    struct json_reader as_int = *r;
    json_read_int(&as_int, INT64_MIN, INT64_MAX);
    ENSURE(as_int.error == ERR_TYPE);
    double value = json_read_real(r), right = json_real_value(theirs);
    ENSURE(r->error == OK && fabs(value - right) <= fmax(fabs(right) * 0x1p-51, 0x1p-1074));
}

// Of duplicate keys the last one wins there: whether `key` comes again after the value ahead of `r`.
static bool comes_again(struct json_reader r, struct span key)
{
    char room[MAX_INPUT + 1];
    struct json_string other;
    json_skip(&r);
    while (json_next_key(&r, &other)) {
        if (span_equals(unescape(other, room), key))
            return true;
        json_skip(&r);
    }
    return false;
}

static void compare_object(struct json_reader *r, const json_t *theirs)
{
    char room[MAX_INPUT + 1];
    struct json_string key;
    size_t different = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        struct span name = unescape(key, room);
        ENSURE(json_string_is(key, room));
        if (comes_again(*r, name)) {
            json_skip(r);
            continue;
        }
        json_t *value = json_object_get(theirs, room);
        ENSURE(value);
        compare(r, value);
        different++;
    }
    ENSURE(different == json_object_size(theirs));
}

static void compare_array(struct json_reader *r, const json_t *theirs)
{
    size_t count = 0;
    for (json_enter_array(r); json_next_item(r); count++) {
        ENSURE(count < json_array_size(theirs));
        compare(r, json_array_get(theirs, count));
    }
    ENSURE(count == json_array_size(theirs));
}

static void compare_word(struct json_reader *r, const json_t *theirs)
{
    if (json_typeof(theirs) == JANSSON_NULL)
        json_read_null(r);
    else
        ENSURE(json_read_bool(r) == (json_typeof(theirs) == JSON_TRUE));
}

static void compare(struct json_reader *r, const json_t *theirs)
{
    static const struct {
        enum json_type ours;
        void (*compare)(struct json_reader *r, const json_t *theirs);
    } types[] = {
        [JANSSON_OBJECT] = {JSON_OBJECT, compare_object}, [JANSSON_ARRAY] = {JSON_ARRAY, compare_array},
        [JANSSON_STRING] = {JSON_STRING, compare_string}, [JSON_INTEGER] = {JSON_INT, compare_integer},
        [JANSSON_REAL] = {JSON_REAL, compare_real},       [JSON_TRUE] = {JSON_BOOL, compare_word},
        [JSON_FALSE] = {JSON_BOOL, compare_word},         [JANSSON_NULL] = {JSON_NULL, compare_word},
    };
    ENSURE(json_peek(r) == types[json_typeof(theirs)].ours);
    types[json_typeof(theirs)].compare(r, theirs);
    ENSURE(r->error == OK);
}

static bool is_wanted_difference(int ours, const json_t *theirs, const json_error_t *e)
{
    enum json_error_code code = json_error_code(e);
    return ours == ERR_DEPTH ||
           (!theirs && (code == json_error_numeric_overflow || code == json_error_null_byte_in_key));
}

static void check_reader(struct span text)
{
    struct json_reader r = json_reader_of(text, DEPTH), from_start = r;
    json_error_t e;
    json_skip(&r);
    int ours = json_finish(&r);
    if (memchr(text.at, 0, text.size)) {
        ENSURE(ours != OK);
        return;
    }
    json_t *theirs = json_loadb(text.at, text.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &e);
    if (!is_wanted_difference(ours, theirs, &e)) {
        ENSURE((ours == OK) == (theirs != NULL));
        if (theirs)
            compare(&from_start, theirs);
        ENSURE(!theirs || json_finish(&from_start) == OK);
    }
    json_decref(theirs);
}

// Any bytes make a string that both read alike.
static void check_written_string(struct span bytes)
{
    char written[6 * MAX_INPUT + 2];
    struct text t = text_on(written, sizeof written);
    json_write_string(&t, bytes);
    ENSURE(!t.full);
    json_t *theirs = json_loadb(t.at, t.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    struct json_reader r = json_reader_of(text_span(&t), 1);
    char room[3 * MAX_INPUT + 1]; // each bad byte became the three of U+FFFD
    int size = json_string_unescape(json_read_string(&r), room, sizeof room);
    ENSURE(theirs && size >= 0 && json_finish(&r) == OK);
    ENSURE(span_equals((struct span){room, (size_t)size},
                       (struct span){json_string_value(theirs), json_string_length(theirs)}));
    json_decref(theirs);
}

// A decimal is the nearest one with so many digits.
static void check_written_decimal(struct span bytes)
{
    double value;
    if (bytes.size < sizeof value)
        return;
    memcpy(&value, bytes.at, sizeof value);
    int digits = bytes.at[0] & 7;
    double unit = pow(10, -digits);
    if (!(fabs(value) < 0x1p53 * unit))
        return;
    char room[64];
    struct text t = text_on(room, sizeof room);
    json_write_decimal(&t, value, digits);
    struct json_reader r = json_reader_of(text_span(&t), 1);
    double back = json_read_real(&r);
    ENSURE(!t.full && json_finish(&r) == OK);
    ENSURE(fabs(back - value) <= 0.5 * unit + fabs(value) * 0x1p-51);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    struct span bytes = {(const char *)data, size};
    check_reader(bytes);
    check_written_string(bytes);
    check_written_decimal(bytes);
    return 0;
}
