// MessagePack to and from canonical JSON, without a tree: what is read is bounded by the bytes that are there, whatever
// their counts claim.
#include "base/base64.h"
#include "base/json_read.h"
#include "base/utf8.h"
#include "traj/internal.h"

#include <stdlib.h>

// --- out

static void put_big(struct text *out, uint8_t tag, uint64_t value, int bytes)
{
    char *at = text_reserve(out, (size_t)bytes + 1);
    if (!at)
        return;
    at[0] = (char)tag;
    for (int i = 0; i < bytes; i++)
        at[1 + i] = (char)(value >> 8 * (bytes - 1 - i));
}

static void put_uint(struct text *out, uint64_t v)
{
    v < 128           ? text_put_char(out, (char)v)
    : v <= UINT8_MAX  ? put_big(out, 0xcc, v, 1)
    : v <= UINT16_MAX ? put_big(out, 0xcd, v, 2)
    : v <= UINT32_MAX ? put_big(out, 0xce, v, 4)
                      : put_big(out, 0xcf, v, 8);
}

static void put_negative(struct text *out, int64_t v)
{
    v >= -32         ? text_put_char(out, (char)v)
    : v >= INT8_MIN  ? put_big(out, 0xd0, (uint64_t)v, 1)
    : v >= INT16_MIN ? put_big(out, 0xd1, (uint64_t)v, 2)
    : v >= INT32_MIN ? put_big(out, 0xd2, (uint64_t)v, 4)
                     : put_big(out, 0xd3, (uint64_t)v, 8);
}

static void put_double(struct text *out, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_big(out, 0xcb, bits, 8);
}

// Short forms by tag `fix` up to `most`; then `tag` with one, two or four bytes of count (lists have no one-byte form).
static void put_count(struct text *out, size_t n, uint8_t fix, size_t most, uint8_t tag, bool one)
{
    if (n <= most)
        text_put_char(out, (char)(fix | n));
    else if (one && n <= UINT8_MAX)
        put_big(out, tag, n, 1);
    else if (n <= UINT16_MAX)
        put_big(out, (uint8_t)(tag + one), n, 2);
    else
        put_big(out, (uint8_t)(tag + one + 1), n, 4);
}

static void put_string(struct text *out, struct json_string s)
{
    char small[512], *bytes = s.raw.size < sizeof small ? small : malloc(s.raw.size + 1);
    if (!bytes)
        abort();
    int size = json_string_unescape(s, bytes, s.raw.size + 1);
    put_count(out, (size_t)size, 0xa0, 31, 0xd9, true);
    text_put(out, (struct span){bytes, (size_t)size});
    if (bytes != small)
        free(bytes);
}

// The bytes behind base64; false when there are none behind it.
static bool put_bytes(struct text *out, struct span base64)
{
    size_t room = base64.size / 4 * 3;
    uint8_t *bytes = malloc(room + 1);
    if (!bytes)
        abort();
    long size = base64_read(base64, bytes, room);
    if (size >= 0) {
        size <= UINT8_MAX    ? put_big(out, 0xc4, (uint64_t)size, 1)
        : size <= UINT16_MAX ? put_big(out, 0xc5, (uint64_t)size, 2)
                             : put_big(out, 0xc6, (uint64_t)size, 4);
        text_put(out, (struct span){(const char *)bytes, (size_t)size});
    }
    free(bytes);
    return size >= 0;
}

// Where in a record a value stands, on the way to the bytes of a picture.
enum where { ELSEWHERE, RECORD, ENTRIES, ENTRY, FIRST, FRAMES, FRAME, BYTES };

static enum where where_below(enum where w, struct json_string key)
{
    switch (w) {
    case RECORD:
        return json_string_is(key, "entries") ? ENTRIES : json_string_is(key, "frames") ? FIRST : ELSEWHERE;
    case FIRST: // by agent
        return FRAMES;
    case ENTRY:
        return json_string_is(key, "frames") ? FRAMES : ELSEWHERE;
    case FRAMES:
        return FRAME;
    case FRAME:
        return json_string_is(key, "data") ? BYTES : ELSEWHERE;
    default:
        return ELSEWHERE;
    }
}

static size_t count_items(struct json_reader r, bool object)
{
    struct json_string key;
    size_t n = 0;
    if (object)
        for (json_enter_object(&r); json_next_key(&r, &key); n++)
            json_skip(&r);
    else
        for (json_enter_array(&r); json_next_item(&r); n++)
            json_skip(&r);
    return n;
}

static void put_number(struct text *out, struct json_reader *r, bool real)
{
    char token[64] = "";
    bool whole = json_peek(r) == JSON_INT;
    struct span raw = json_read_raw(r);
    memcpy(token, raw.at, raw.size < sizeof token ? raw.size : sizeof token - 1);
    if (!whole || real)
        put_double(out, strtod(token, NULL));
    else if (token[0] == '-')
        put_negative(out, strtoll(token, NULL, 10));
    else
        put_uint(out, strtoull(token, NULL, 10));
}

static void put_value(struct text *out, struct json_reader *r, bool real, enum where w)
{
    struct json_string s;
    switch (json_peek(r)) {
    case JSON_OBJECT:
        put_count(out, count_items(*r, true), 0x80, 15, 0xde, false);
        for (json_enter_object(r); json_next_key(r, &s);) {
            put_string(out, s);
            put_value(out, r, real || json_string_is(s, "reward") || json_string_is(s, "reward_components"),
                      where_below(w, s));
        }
        return;
    case JSON_ARRAY:
        put_count(out, count_items(*r, false), 0x90, 15, 0xdc, false);
        for (json_enter_array(r); json_next_item(r);)
            put_value(out, r, real, w == ENTRIES ? ENTRY : ELSEWHERE);
        return;
    case JSON_STRING:
        s = json_read_string(r);
        if (w != BYTES || !put_bytes(out, s.raw))
            put_string(out, s);
        return;
    case JSON_INT:
    case JSON_REAL:
        put_number(out, r, real);
        return;
    case JSON_BOOL:
        text_put_char(out, json_read_bool(r) ? (char)0xc3 : (char)0xc2);
        return;
    default:
        json_read_null(r);
        text_put_char(out, (char)0xc0);
    }
}

void traj_msgpack_write(struct text *out, struct span json)
{
    struct json_reader r = json_reader_of(json, TRAJ_MAX_DEPTH + 2);
    put_value(out, &r, false, RECORD);
}

// --- in

// As traj_msgpack_read returns them.
enum { MORE = 0, BAD = -1 };

struct input {
    const unsigned char *at, *end;
    int fault; // BAD or MORE when `stopped`
    bool stopped;
};

static void stop_input(struct input *in, int fault)
{
    if (!in->stopped)
        in->fault = fault;
    in->stopped = true;
}

static uint64_t read_bytes(struct input *in, int bytes)
{
    uint64_t v = 0;
    if (in->stopped || in->end - in->at < bytes) {
        stop_input(in, MORE);
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        v = v << 8 | *in->at++;
    return v;
}

static void read_string(struct input *in, struct text *json, size_t size)
{
    if (size > TRAJ_MAX_RECORD) {
        stop_input(in, BAD);
        return;
    }
    if (in->stopped || (size_t)(in->end - in->at) < size) {
        stop_input(in, MORE);
        return;
    }
    struct span s = {(const char *)in->at, size};
    if (!utf8_is_valid(s)) {
        stop_input(in, BAD);
        return;
    }
    json_write_string(json, s);
    in->at += size;
}

static void read_binary(struct input *in, struct text *json, size_t size)
{
    if (size > TRAJ_MAX_FRAME) {
        stop_input(in, BAD);
        return;
    }
    if (in->stopped || (size_t)(in->end - in->at) < size) {
        stop_input(in, MORE);
        return;
    }
    text_put_char(json, '"');
    base64_write(json, in->at, size);
    text_put_char(json, '"');
    in->at += size;
}

static void read_double(struct input *in, struct text *json)
{
    uint64_t bits = read_bytes(in, 8);
    double v;
    memcpy(&v, &bits, sizeof v);
    traj_write_double(json, v);
}

static void read_value(struct input *in, struct text *json, int depth);

static void read_list(struct input *in, struct text *json, uint64_t n, int depth)
{
    text_put_char(json, '[');
    for (uint64_t i = 0; i < n && !in->stopped; i++) {
        if (i)
            text_put_char(json, ',');
        read_value(in, json, depth + 1);
    }
    text_put_char(json, ']');
}

static void read_map(struct input *in, struct text *json, uint64_t n, int depth)
{
    text_put_char(json, '{');
    for (uint64_t i = 0; i < n && !in->stopped; i++) {
        if (i)
            text_put_char(json, ',');
        unsigned char tag = in->at < in->end ? *in->at : 0xa0;
        if ((tag & 0xe0) != 0xa0 && tag != 0xd9 && tag != 0xda && tag != 0xdb) {
            stop_input(in, BAD); // keys are strings
            return;
        }
        read_value(in, json, depth + 1);
        text_put_char(json, ':');
        read_value(in, json, depth + 1);
    }
    text_put_char(json, '}');
}

// Tags from 0xc0 to 0xdf.
static void read_tagged(struct input *in, struct text *json, unsigned tag, int depth)
{
    switch (tag) {
    case 0xc0:
        text_puts(json, "null");
        return;
    case 0xc2:
        text_puts(json, "false");
        return;
    case 0xc3:
        text_puts(json, "true");
        return;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        read_binary(in, json, read_bytes(in, 1 << (tag - 0xc4)));
        return;
    case 0xcb:
        read_double(in, json);
        return;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        text_put_uint(json, read_bytes(in, 1 << (tag - 0xcc)));
        return;
    case 0xd0:
        text_put_int(json, (int8_t)read_bytes(in, 1));
        return;
    case 0xd1:
        text_put_int(json, (int16_t)read_bytes(in, 2));
        return;
    case 0xd2:
        text_put_int(json, (int32_t)read_bytes(in, 4));
        return;
    case 0xd3:
        text_put_int(json, (int64_t)read_bytes(in, 8));
        return;
    case 0xd9:
    case 0xda:
    case 0xdb:
        read_string(in, json, read_bytes(in, 1 << (tag - 0xd9)));
        return;
    case 0xdc:
    case 0xdd:
        read_list(in, json, read_bytes(in, tag == 0xdc ? 2 : 4), depth);
        return;
    case 0xde:
    case 0xdf:
        read_map(in, json, read_bytes(in, tag == 0xde ? 2 : 4), depth);
        return;
    default:
        stop_input(in, BAD); // ext, float 32: we write none
    }
}

static void read_value(struct input *in, struct text *json, int depth)
{
    if (depth > TRAJ_MAX_DEPTH || json->full || json->size > TRAJ_MAX_RECORD) {
        stop_input(in, BAD);
        return;
    }
    unsigned tag = (unsigned)read_bytes(in, 1);
    if (in->stopped)
        return;
    if (tag < 0x80)
        text_put_uint(json, tag);
    else if (tag >= 0xe0)
        text_put_int(json, (int8_t)tag);
    else if (tag < 0x90)
        read_map(in, json, tag & 15, depth);
    else if (tag < 0xa0)
        read_list(in, json, tag & 15, depth);
    else if (tag < 0xc0)
        read_string(in, json, tag & 31);
    else
        read_tagged(in, json, tag, depth);
}

ssize_t traj_msgpack_read(struct span bytes, struct text *json)
{
    struct input in = {(const unsigned char *)bytes.at, (const unsigned char *)bytes.at + bytes.size, 0, false};
    size_t before = json->size;
    read_value(&in, json, 1);
    if (!in.stopped && !json->full)
        return (ssize_t)((const char *)in.at - bytes.at);
    json->size = before;
    json->full = false;
    return in.stopped ? in.fault : BAD;
}
