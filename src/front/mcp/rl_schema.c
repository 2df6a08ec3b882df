// Values against schemas. The schemas are our own and sound; the values come from outside and are valid JSON.
#include "front/mcp/rl_inside.h"

#include <stdio.h>

enum { DEPTH = 64 };

static struct json_reader reader_of(struct span json)
{
    return json_reader_of(json, DEPTH);
}

bool rl_json_member(struct span object, const char *key, struct span *value)
{
    struct json_reader r = reader_of(object);
    struct json_string name;
    bool found = false;
    if (json_peek(&r) != JSON_OBJECT)
        return false;
    for (json_enter_object(&r); json_next_key(&r, &name);) {
        struct span raw = json_read_raw(&r);
        if (json_string_is(name, key))
            *value = raw, found = true;
    }
    return found && !r.error;
}

static enum json_type type_of(struct span value)
{
    struct json_reader r = reader_of(value);
    return json_peek(&r);
}

double rl_json_real(struct span value)
{
    struct json_reader r = reader_of(value);
    return json_read_real(&r);
}

// G2.7: a number with zero fraction is an integer.
static bool is_whole(struct span value)
{
    double d = rl_json_real(value);
    return d >= -9007199254740992.0 && d <= 9007199254740992.0 && d == (double)(int64_t)d;
}

bool rl_json_is(struct span value, enum json_type type)
{
    enum json_type is = type_of(value);
    return is == type || (type == JSON_REAL && is == JSON_INT) ||
           (type == JSON_INT && is == JSON_REAL && is_whole(value));
}

int64_t rl_json_int(struct span value)
{
    struct json_reader r = reader_of(value);
    return json_peek(&r) == JSON_INT ? json_read_int(&r, INT64_MIN, INT64_MAX) : (int64_t)json_read_real(&r);
}

struct json_string rl_json_string(struct span value)
{
    struct json_reader r = reader_of(value);
    return json_read_string(&r);
}

// --- faults

static bool fail(struct rl_fault *f, const char *path, bool range, const char *expected)
{
    snprintf(f->path, sizeof f->path, "%s", path);
    snprintf(f->expected, sizeof f->expected, "%s", expected);
    f->range = range;
    return false;
}

static void copy_plain(struct span raw, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)(raw.size < room ? raw.size : room - 1), raw.at);
}

// --- one keyword after the other

static bool is_type_named(struct span value, struct json_string name)
{
    static const char *const names[] = {"null", "boolean", "integer", "number", "string", "array", "object", NULL};
    static const enum json_type types[] = {JSON_NULL,   JSON_BOOL,  JSON_INT,   JSON_REAL,
                                           JSON_STRING, JSON_ARRAY, JSON_OBJECT};
    int i = json_string_among(name, names);
    return i >= 0 && rl_json_is(value, types[i]);
}

static bool check_type(struct span type, struct span value, const char *path, struct rl_fault *f)
{
    char expected[128];
    struct json_reader r = reader_of(type);
    if (json_peek(&r) == JSON_STRING) {
        if (is_type_named(value, json_read_string(&r)))
            return true;
    } else {
        for (json_enter_array(&r); json_next_item(&r);)
            if (is_type_named(value, json_read_string(&r)))
                return true;
    }
    copy_plain(type, expected, sizeof expected);
    return fail(f, path, false, expected);
}

static bool check_enum(struct span list, struct span value, const char *path, struct rl_fault *f)
{
    char expected[200], text[256];
    struct json_reader r = reader_of(list);
    if (type_of(value) == JSON_STRING && json_string_copy(rl_json_string(value), text, sizeof text) < 0)
        text[0] = 0;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span item = json_read_raw(&r);
        if (span_equals(item, value))
            return true;
        if (type_of(value) == JSON_STRING && type_of(item) == JSON_STRING && json_string_is(rl_json_string(item), text))
            return true;
    }
    copy_plain(list, expected, sizeof expected);
    return fail(f, path, true, expected);
}

// Of regular expressions: ^, classes with an optional +, $.
static bool matches(const char *p, const char *end, const char *s)
{
    for (p++; p < end && *p == '[';) {
        const char *close = p + 1;
        while (*close != ']')
            close++;
        bool many = close[1] == '+';
        int taken = 0;
        for (; *s && (many || taken == 0); s++, taken++) {
            bool in = false;
            for (const char *c = p + 1; c < close; c++)
                if (c + 2 < close && c[1] == '-')
                    in |= *s >= c[0] && *s <= c[2], c += 2;
                else
                    in |= *s == *c;
            if (!in)
                break;
        }
        if (!taken)
            return false;
        p = close + 1 + many;
    }
    return *s == 0;
}

static size_t characters(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += (*s & 0xC0) != 0x80;
    return n;
}

static bool check_string(struct span schema, struct span value, const char *path, struct rl_fault *f)
{
    struct span k;
    char text[16384], expected[128];
    int size = json_string_copy(rl_json_string(value), text, sizeof text);
    size_t length = size < 0 ? value.size : characters(text);
    if (rl_json_member(schema, "minLength", &k) && length < (size_t)rl_json_int(k)) {
        snprintf(expected, sizeof expected, "at least %d characters", (int)rl_json_int(k));
        return fail(f, path, true, expected);
    }
    if (rl_json_member(schema, "maxLength", &k) && length > (size_t)rl_json_int(k)) {
        snprintf(expected, sizeof expected, "at most %d characters", (int)rl_json_int(k));
        return fail(f, path, true, expected);
    }
    if (rl_json_member(schema, "pattern", &k) &&
        (size < 0 || strlen(text) != (size_t)size || !matches(k.at + 1, k.at + k.size - 1, text))) {
        copy_plain(k, expected, sizeof expected);
        return fail(f, path, true, expected);
    }
    return true;
}

static bool check_number(struct span schema, struct span value, const char *path, struct rl_fault *f)
{
    struct span low = {0}, high = {0};
    char expected[128];
    double v = rl_json_real(value);
    bool has_low = rl_json_member(schema, "minimum", &low), has_high = rl_json_member(schema, "maximum", &high);
    if ((!has_low || v >= rl_json_real(low)) && (!has_high || v <= rl_json_real(high)))
        return true;
    if (has_low && has_high)
        snprintf(expected, sizeof expected, "%.*s to %.*s", (int)low.size, low.at, (int)high.size, high.at);
    else
        snprintf(expected, sizeof expected, "at %s %.*s", has_low ? "least" : "most", (int)(has_low ? low : high).size,
                 (has_low ? low : high).at);
    return fail(f, path, true, expected);
}

static bool check(struct span root, struct span schema, struct span value, const char *path, struct rl_fault *f);

static bool check_array(struct span root, struct span schema, struct span value, const char *path, struct rl_fault *f)
{
    struct span k, items = {0};
    char at[256], expected[64];
    int n = 0;
    bool typed = rl_json_member(schema, "items", &items);
    struct json_reader r = reader_of(value);
    for (json_enter_array(&r); json_next_item(&r); n++) {
        struct span item = json_read_raw(&r);
        snprintf(at, sizeof at, "%.200s/%d", path, n);
        if (typed && !check(root, items, item, at, f))
            return false;
    }
    if (rl_json_member(schema, "minItems", &k) && n < rl_json_int(k)) {
        snprintf(expected, sizeof expected, "at least %d items", (int)rl_json_int(k));
        return fail(f, path, false, expected);
    }
    if (rl_json_member(schema, "maxItems", &k) && n > rl_json_int(k)) {
        snprintf(expected, sizeof expected, "at most %d items", (int)rl_json_int(k));
        return fail(f, path, false, expected);
    }
    return true;
}

static bool check_required(struct span required, struct span value, const char *path, struct rl_fault *f)
{
    struct json_reader r = reader_of(required);
    struct span found;
    char name[64], at[256];
    for (json_enter_array(&r); json_next_item(&r);) {
        json_string_copy(json_read_string(&r), name, sizeof name);
        if (rl_json_member(value, name, &found))
            continue;
        snprintf(at, sizeof at, "%.180s/%s", path, name);
        f->missing = true;
        return fail(f, at, false, "to be there");
    }
    return true;
}

static bool check_members(struct span root, struct span schema, struct span properties, struct span value,
                          const char *path, struct rl_fault *f)
{
    struct json_reader r = reader_of(value);
    struct json_string key;
    struct span others = {0}, property;
    char name[128], at[256];
    bool open = !rl_json_member(schema, "additionalProperties", &others) || type_of(others) != JSON_OBJECT;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span member = json_read_raw(&r);
        if (json_string_copy(key, name, sizeof name) < 0)
            continue;
        snprintf(at, sizeof at, "%.120s/%.120s", path, name);
        if (properties.size && rl_json_member(properties, name, &property)) {
            if (!check(root, property, member, at, f))
                return false;
        } else if (!open && !check(root, others, member, at, f)) {
            return false;
        }
    }
    return true;
}

static bool check_any(struct span root, struct span list, struct span value, const char *path, struct rl_fault *f)
{
    struct json_reader r = reader_of(list);
    struct rl_fault best = {0}, one;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span schema = json_read_raw(&r);
        one = (struct rl_fault){0};
        if (check(root, schema, value, path, &one))
            return true;
        if (!best.expected[0] || one.range || strlen(one.path) > strlen(best.path))
            best = one;
    }
    *f = best;
    return false;
}

static bool check(struct span root, struct span schema, struct span value, const char *path, struct rl_fault *f)
{
    struct span k, properties = {0};
    if (rl_json_member(schema, "$ref", &k)) { // "#/$defs/name"
        struct span defs;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(k.size - 2 - sizeof "#/$defs/" + 1), k.at + sizeof "#/$defs/");
        return rl_json_member(root, "$defs", &defs) && rl_json_member(defs, name, &schema) &&
               check(root, schema, value, path, f);
    }
    if (rl_json_member(schema, "type", &k) && !check_type(k, value, path, f))
        return false;
    if (rl_json_member(schema, "enum", &k) && !check_enum(k, value, path, f))
        return false;
    if (rl_json_member(schema, "anyOf", &k) && !check_any(root, k, value, path, f)) {
        if (strcmp(f->path, path) == 0 && !f->range && rl_json_member(schema, "description", &k))
            copy_plain((struct span){k.at + 1, k.size - 2}, f->expected, sizeof f->expected);
        return false;
    }
    switch (type_of(value)) {
    case JSON_STRING:
        return check_string(schema, value, path, f);
    case JSON_INT:
    case JSON_REAL:
        return check_number(schema, value, path, f);
    case JSON_ARRAY:
        return check_array(root, schema, value, path, f);
    case JSON_OBJECT:
        rl_json_member(schema, "properties", &properties);
        if (rl_json_member(schema, "required", &k) && !check_required(k, value, path, f))
            return false;
        return check_members(root, schema, properties, value, path, f);
    default:
        return true;
    }
}

bool rl_schema_check(struct span schema, struct span value, struct rl_fault *fault)
{
    *fault = (struct rl_fault){0};
    return check(schema, schema, value, "", fault);
}

bool rl_schema_check_params(const struct rl_action *row, struct span params, struct rl_fault *fault)
{
    struct span schema = SPAN("{}");
    *fault = (struct rl_fault){0};
    return check_required(span_of(row->required), params, "/action/params", fault) &&
           check_members(schema, schema, span_of(row->params), params, "/action/params", fault);
}
