#include "verify/msgpack.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; // the bytes come from the server that is judged

struct reader {
    const unsigned char *at, *end;
    int depth;
};

static json_t *read_value(struct reader *r);

static bool take_bytes(struct reader *r, size_t size, const unsigned char **out)
{
    if ((size_t)(r->end - r->at) < size)
        return false;
    *out = r->at;
    r->at += size;
    return true;
}

static bool take_uint(struct reader *r, size_t size, uint64_t *out)
{
    const unsigned char *bytes;
    if (!take_bytes(r, size, &bytes))
        return false;
    *out = 0;
    for (size_t i = 0; i < size; i++)
        *out = *out << 8 | bytes[i];
    return true;
}

static json_t *read_string(struct reader *r, uint64_t size)
{
    const unsigned char *bytes;
    return take_bytes(r, size, &bytes) ? json_stringn((const char *)bytes, size) : NULL;
}

// JSON has no bytes, and nobody compares those of pictures: their number is enough.
static json_t *read_bin(struct reader *r, uint64_t size)
{
    const unsigned char *bytes;
    return take_bytes(r, size, &bytes) ? json_sprintf("%ju bytes", (uintmax_t)size) : NULL;
}

static json_t *read_array(struct reader *r, uint64_t count)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < count && list; i++)
        if (json_array_append_new(list, read_value(r)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static json_t *read_map(struct reader *r, uint64_t count)
{
    json_t *map = json_object();
    for (uint64_t i = 0; i < count && map; i++) {
        json_t *key = read_value(r), *value = json_is_string(key) ? read_value(r) : NULL;
        if (!value || json_object_set_new(map, json_string_value(key), value) != 0) {
            json_decref(map);
            map = NULL;
        }
        json_decref(key);
    }
    return map;
}

static json_t *read_float(struct reader *r, size_t size)
{
    uint64_t bits;
    if (!take_uint(r, size, &bits))
        return NULL;
    double wide;
    float narrow;
    uint32_t half = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &half, sizeof narrow);
    return json_real(size == 8 ? wide : (double)narrow);
}

static json_t *read_int(struct reader *r, size_t size, bool is_signed)
{
    uint64_t bits;
    if (!take_uint(r, size, &bits))
        return NULL;
    unsigned shift = (unsigned)(64 - 8 * size);
    return json_integer(is_signed ? (int64_t)(bits << shift) >> shift : (int64_t)bits);
}

// Reads a length of 1, 2 or 4 bytes, then what it counts.
static json_t *read_long(struct reader *r, size_t size, json_t *(*then)(struct reader *r, uint64_t count))
{
    uint64_t count;
    return take_uint(r, size, &count) ? then(r, count) : NULL;
}

static json_t *read_tagged(struct reader *r, unsigned tag)
{
    static const struct {
        unsigned char tag, size;
        json_t *(*then)(struct reader *r, uint64_t count);
    } counted[] = {
        {0xC4, 1, read_bin},    {0xC5, 2, read_bin},    {0xC6, 4, read_bin},   {0xD9, 1, read_string},
        {0xDA, 2, read_string}, {0xDB, 4, read_string}, {0xDC, 2, read_array}, {0xDD, 4, read_array},
        {0xDE, 2, read_map},    {0xDF, 4, read_map},
    };
    for (unsigned i = 0; i < sizeof counted / sizeof *counted; i++)
        if (counted[i].tag == tag)
            return read_long(r, counted[i].size, counted[i].then);
    if (tag >= 0xCC && tag <= 0xD3)
        return read_int(r, (size_t)1 << (tag & 3), tag >= 0xD0);
    if (tag == 0xCA || tag == 0xCB)
        return read_float(r, tag == 0xCA ? 4 : 8);
    return tag == 0xC0 ? json_null() : tag == 0xC2 ? json_false() : tag == 0xC3 ? json_true() : NULL;
}

static json_t *read_value(struct reader *r)
{
    const unsigned char *first;
    if (r->depth >= MAX_DEPTH || !take_bytes(r, 1, &first))
        return NULL;
    unsigned tag = *first;
    r->depth++;
    json_t *value = tag < 0x80    ? json_integer(tag)
                    : tag < 0x90  ? read_map(r, tag & 15)
                    : tag < 0xA0  ? read_array(r, tag & 15)
                    : tag < 0xC0  ? read_string(r, tag & 31)
                    : tag >= 0xE0 ? json_integer((int)tag - 256)
                                  : read_tagged(r, tag);
    r->depth--;
    return value;
}

json_t *msgpack_read_value(const unsigned char *bytes, size_t size, size_t *used)
{
    struct reader r = {bytes, bytes + size, 0};
    json_t *value = read_value(&r);
    *used = (size_t)(r.at - bytes);
    return value;
}
