// Checks values against schemas. The schemas are ours and valid; the values come from outside and are valid JSON.
#include "env/schema.h"
#include "env/actions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 64 };

static struct json_reader reader_of(struct span json)
{
    return json_reader_of(json, DEPTH);
}

static enum json_type type_of(struct span value)
{
    struct json_reader r = reader_of(value);
    return json_peek(&r);
}

// False if it is too large for a double, as 1e400 is.
static bool read_real(struct span value, double *out)
{
    struct json_reader r = reader_of(value);
    *out = json_read_real(&r);
    return r.error == OK;
}

double env_json_real(struct span value)
{
    double d;
    read_real(value, &d);
    return d;
}

// G2.7: a number with a zero fraction is an integer.
static bool is_whole(struct span value)
{
    double d;
    return read_real(value, &d) && d >= -9007199254740992.0 && d <= 9007199254740992.0 && d == (double)(int64_t)d;
}

bool env_json_is(struct span value, enum json_type type)
{
    enum json_type is = type_of(value);
    return is == type || (type == JSON_REAL && is == JSON_INT) ||
           (type == JSON_INT && is == JSON_REAL && is_whole(value));
}

int64_t env_json_int(struct span value)
{
    struct json_reader r = reader_of(value);
    if (json_peek(&r) != JSON_INT)
        return (int64_t)json_read_real(&r);
    int64_t n = json_read_int(&r, INT64_MIN, INT64_MAX);
    return json_finish(&r) == OK ? n : value.at[0] == '-' ? INT64_MIN : INT64_MAX;
}

bool env_json_fits(struct span value)
{
    struct json_reader r = reader_of(value);
    if (json_peek(&r) != JSON_INT)
        return true;
    json_read_int(&r, INT64_MIN, INT64_MAX);
    return json_finish(&r) == OK;
}

bool env_value_is(struct json_value value, enum json_type type)
{
    return value.type == type || (type == JSON_REAL && value.type == JSON_INT) ||
           (type == JSON_INT && value.type == JSON_REAL && is_whole(value.raw));
}

int64_t env_value_int(struct json_value value)
{
    enum { PLAIN = 18 }; // digits that always fit into 64 bits
    size_t i = 0;
    int64_t n = 0;
    if (value.type != JSON_INT || value.raw.size > PLAIN || value.raw.at[0] == '-')
        return env_json_int(value.raw);
    for (; i < value.raw.size; i++)
        n = 10 * n + (value.raw.at[i] - '0');
    return n;
}

struct json_string env_json_string(struct span value)
{
    struct json_reader r = reader_of(value);
    return json_read_string(&r);
}

// --- compiling: a schema becomes a tree of nodes, once

struct property {
    char name[24];
    uint8_t size; // of the name
    const struct env_schema *schema;
    bool required;
};

struct env_schema {
    uint8_t types; // set of enum json_type; 0: any
    bool has_low, has_high;
    double low, high;
    int min_length, max_length, min_items, max_items; // -1: none
    struct span type, choices, pattern, description;  // raw; may be empty
    struct json_value *choice;                        // one by one, ended by JSON_NONE; NULL: none
    struct property *properties;
    int count;
    const struct env_schema *items, *others; // or NULL
    const struct env_schema *any[4];
    struct env_schema *next; // list of all, to free them
};

static uint8_t type_bits(struct span type)
{
    static const char *const names[] = {"null", "boolean", "integer", "number", "string", "array", "object", NULL};
    static const uint8_t bits[] = {1 << JSON_NULL,
                                   1 << JSON_BOOL,
                                   1 << JSON_INT,
                                   1 << JSON_INT | 1 << JSON_REAL,
                                   1 << JSON_STRING,
                                   1 << JSON_ARRAY,
                                   (uint8_t)(1 << JSON_OBJECT)};
    struct json_reader r = reader_of(type);
    uint8_t set = 0;
    if (json_peek(&r) == JSON_STRING)
        return bits[json_string_among(json_read_string(&r), names)];
    for (json_enter_array(&r); json_next_item(&r);)
        set |= bits[json_string_among(json_read_string(&r), names)];
    return set;
}

static int int_or_none(struct span schema, const char *key)
{
    struct span value;
    return json_find_member(schema, key, &value) ? (int)env_json_int(value) : -1;
}

static bool is_listed(struct span list, const char *name)
{
    struct json_reader r = reader_of(list);
    for (json_enter_array(&r); json_next_item(&r);)
        if (json_string_is(json_read_string(&r), name))
            return true;
    return false;
}

static struct env_schema *compile_schema(struct span schema, struct env_schema **all);

static void compile_properties(struct env_schema *n, struct span properties, struct span required,
                               struct env_schema **all)
{
    struct json_reader r = reader_of(properties);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key); json_skip(&r))
        n->count++;
    n->properties = calloc((size_t)n->count + 1, sizeof *n->properties);
    if (!n->properties)
        abort();
    r = reader_of(properties);
    int i = 0;
    for (json_enter_object(&r); json_next_key(&r, &key); i++) {
        struct property *p = &n->properties[i];
        p->size = (uint8_t)json_string_copy(key, p->name, sizeof p->name);
        p->required = is_listed(required, p->name);
        p->schema = compile_schema(json_read_raw(&r), all);
    }
}

static void compile_choices(struct env_schema *n)
{
    struct json_reader r = reader_of(n->choices);
    size_t count = 0;
    for (json_enter_array(&r); json_next_item(&r); count++) {
        n->choice = realloc(n->choice, (count + 2) * sizeof *n->choice);
        if (!n->choice)
            abort();
        n->choice[count] = json_read_value(&r);
        n->choice[count + 1] = (struct json_value){0};
    }
}

static struct env_schema *node_create(struct env_schema **all)
{
    struct env_schema *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->min_length = n->max_length = n->min_items = n->max_items = -1;
    n->next = *all;
    *all = n;
    return n;
}

static struct env_schema *compile_schema(struct span schema, struct env_schema **all)
{
    struct env_schema *n = node_create(all);
    struct span k, required = SPAN("[]");
    if (json_find_member(schema, "type", &n->type))
        n->types = type_bits(n->type);
    if (json_find_member(schema, "enum", &n->choices))
        compile_choices(n);
    json_find_member(schema, "pattern", &n->pattern);
    json_find_member(schema, "description", &n->description);
    if ((n->has_low = json_find_member(schema, "minimum", &k)))
        n->low = env_json_real(k);
    if ((n->has_high = json_find_member(schema, "maximum", &k)))
        n->high = env_json_real(k);
    n->min_length = int_or_none(schema, "minLength");
    n->max_length = int_or_none(schema, "maxLength");
    n->min_items = int_or_none(schema, "minItems");
    n->max_items = int_or_none(schema, "maxItems");
    if (json_find_member(schema, "items", &k))
        n->items = compile_schema(k, all);
    if (json_find_member(schema, "additionalProperties", &k) && type_of(k) == JSON_OBJECT)
        n->others = compile_schema(k, all);
    json_find_member(schema, "required", &required);
    if (json_find_member(schema, "properties", &k))
        compile_properties(n, k, required, all);
    if (json_find_member(schema, "anyOf", &k)) {
        struct json_reader r = reader_of(k);
        int i = 0;
        for (json_enter_array(&r); json_next_item(&r);)
            n->any[i++] = compile_schema(json_read_raw(&r), all);
    }
    return n;
}

static void add_schema(struct env_schemas *s, const void *of, const struct env_schema *schema)
{
    assert(s->count < ENV_MAX_SCHEMAS);
    s->at[s->count].of = of;
    s->at[s->count++].schema = schema;
}

static void add_params(struct env_schemas *s, const struct env_action *row)
{
    struct env_schema *n = node_create(&s->all);
    n->types = (uint8_t)(1 << JSON_OBJECT);
    compile_properties(n, span_of(row->params), span_of(row->required), &s->all);
    add_schema(s, row, n);
}

void env_schemas_add(struct env_schemas *s, const void *of, struct span schema)
{
    add_schema(s, of, compile_schema(schema, &s->all));
}

void env_schemas_init(struct env_schemas *s)
{
    for (int i = 0; env_tools[i].name; i++)
        env_schemas_add(s, &env_tools[i], span_of(env_tools[i].input));
    for (const struct env_tool *t = env_player_tools; t->name; t++)
        env_schemas_add(s, t, span_of(t->input));
}

void env_schemas_compile(struct env_schemas *s, const struct env_game *g)
{
    const struct env_facts *k = env_facts_of(g);
    const struct env_action *row;
    for (int type = 0; type < ENV_TYPES; type++)
        for (int i = 0; k->types >> type & 1 && (row = env_action_at(k, (enum env_type)type, i)); i++)
            if (!env_schema_of(s, row))
                add_params(s, row);
}

void env_schemas_release(struct env_schemas *s)
{
    for (struct env_schema *n = s->all, *next; n; n = next) {
        next = n->next;
        free(n->properties);
        free(n->choice);
        free(n);
    }
    *s = (struct env_schemas){0};
}

// --- faults

// The path is that of the value itself; callers prepend their own part.
static bool set_fault(struct env_fault *f, bool range, const char *expected)
{
    f->path[0] = 0;
    snprintf(f->expected, sizeof f->expected, "%s", expected);
    f->range = range;
    return false;
}

// The text of a JSON string: its quotes are those of a sentence.
static bool fail_as_described(struct env_fault *f, struct span description)
{
    char text[sizeof f->expected];
    struct json_reader r = json_reader_of(description, 1);
    int size = json_string_copy(json_read_string(&r), text, sizeof text);
    return set_fault(f, false, size < 0 ? "what the schema describes" : text);
}

// "integer" in words; several types, or none: unchanged.
static const char *type_words(const struct env_schema *n)
{
    static const char *const words[][2] = {
        {"\"string\"", "a string"},  {"\"integer\"", "an integer"}, {"\"number\"", "a number"},
        {"\"object\"", "an object"}, {"\"array\"", "an array"},     {"\"boolean\"", "true or false"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(n->type, words[i][0]))
            return words[i][1];
    return NULL;
}

static bool fail_type(struct env_fault *f, const struct env_schema *n)
{
    char text[200];
    const char *words = type_words(n);
    struct span raw = n->type.size ? n->type : SPAN("an object");
    if (words)
        return set_fault(f, false, words);
    snprintf(text, sizeof text, "%.*s", (int)(raw.size < 199 ? raw.size : 199), raw.at);
    return set_fault(f, false, text);
}

static bool fail_missing(struct env_fault *f, const struct env_schema *n)
{
    char text[64];
    const char *words = type_words(n);
    snprintf(text, sizeof text, "%s; it is missing", words ? words : "a value");
    return set_fault(f, false, text);
}

static bool fail_enum(struct env_fault *f, struct span choices) // without the brackets
{
    char text[256];
    int size = (int)(choices.size < 240 ? choices.size : 240);
    snprintf(text, sizeof text, "one of %.*s", size - 2, choices.at + 1);
    return set_fault(f, true, text);
}

static bool fail_pattern(struct env_fault *f, struct span pattern) // without the quotes
{
    char text[128];
    int size = (int)(pattern.size < 90 ? pattern.size : 90);
    snprintf(text, sizeof text, "a string that matches %.*s", size - 2, pattern.at + 1);
    return set_fault(f, true, text);
}

// --- checking

// A subset of regular expressions: ^, classes with an optional +, $.
static bool matches_pattern(const char *p, const char *end, const char *s)
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

static int count_characters(struct span s)
{
    int n = 0;
    for (size_t i = 0; i < s.size; i++)
        n += (s.at[i] & 0xC0) != 0x80;
    return n;
}

static bool check_enum(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    char text[256];
    int size = value.type == JSON_STRING ? json_string_copy(json_value_string(value), text, sizeof text) : -1;
    struct span plain = {text, size < 0 ? 0 : (size_t)size};
    for (const struct json_value *c = n->choice; c && c->type; c++)
        if (span_equals(c->raw, value.raw) ||
            (size >= 0 && c->type == JSON_STRING && span_equals(json_value_string(*c).raw, plain)))
            return true;
    return fail_enum(f, n->choices);
}

static bool check_string(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    char text[4096], expected[64];
    if (n->min_length < 0 && n->max_length < 0 && !n->pattern.size)
        return true;
    int size = json_string_unescape(json_value_string(value), text, sizeof text);
    int length = size < 0 ? (int)value.raw.size : count_characters((struct span){text, (size_t)size});
    if (n->min_length >= 0 && length < n->min_length) {
        snprintf(expected, sizeof expected, "at least %d characters", n->min_length);
        return set_fault(f, true, expected);
    }
    if (n->max_length >= 0 && length > n->max_length) {
        snprintf(expected, sizeof expected, "at most %d characters", n->max_length);
        return set_fault(f, true, expected);
    }
    struct span p = n->pattern;
    if (p.size && (size < 0 || strlen(text) != (size_t)size || !matches_pattern(p.at + 1, p.at + p.size - 1, text)))
        return fail_pattern(f, p);
    return true;
}

static bool value_real(struct json_value value, double *out)
{
    enum { EXACT = 15 }; // digits that a double always holds exactly
    if (value.type != JSON_INT || value.raw.size > EXACT)
        return read_real(value.raw, out);
    *out = (double)env_value_int(value);
    return true;
}

static bool check_number(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    char text[128];
    struct text expected = text_on(text, sizeof text);
    double v;
    if (!n->has_low && !n->has_high && value.type == JSON_INT)
        return true;
    if (!value_real(value, &v))
        return set_fault(f, true, "a number that fits into 64 bits");
    if ((!n->has_low || v >= n->low) && (!n->has_high || v <= n->high))
        return true;
    text_puts(&expected, n->has_low && n->has_high ? "" : n->has_low ? "at least " : "at most ");
    if (n->has_low)
        text_put_decimal(&expected, n->low, 3);
    text_puts(&expected, n->has_low && n->has_high ? " to " : "");
    if (n->has_high)
        text_put_decimal(&expected, n->high, 3);
    text_put_char(&expected, 0);
    return set_fault(f, true, text);
}

static bool check_value(const struct env_schema *n, struct json_value value, struct env_fault *f);

static bool prepend_step(struct env_fault *f, const char *step)
{
    char path[sizeof f->path];
    snprintf(path, sizeof path, "/%.100s%.140s", step, f->path);
    memcpy(f->path, path, sizeof path);
    return false;
}

static bool check_array(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    char at[16], expected[64];
    int count = 0;
    struct json_reader r = reader_of(value.raw);
    for (json_enter_array(&r); json_next_item(&r); count++) {
        struct json_value item = json_read_value(&r);
        if (!n->items)
            continue;
        if (check_value(n->items, item, f))
            continue;
        snprintf(at, sizeof at, "%d", count);
        return prepend_step(f, at);
    }
    if (n->min_items >= 0 && count < n->min_items) {
        snprintf(expected, sizeof expected, "at least %d items", n->min_items);
        return set_fault(f, false, expected);
    }
    if (n->max_items >= 0 && count > n->max_items) {
        snprintf(expected, sizeof expected, "at most %d items", n->max_items);
        return set_fault(f, false, expected);
    }
    return true;
}

int env_schema_size(const struct env_schema *n)
{
    return n->count;
}

int env_schema_place(const struct env_schema *n, struct json_string key)
{
    for (int i = 0; i < n->count; i++) {
        struct span name = {n->properties[i].name, n->properties[i].size};
        if (key.escaped ? json_string_is(key, name.at) : span_equals(key.raw, name))
            return i;
    }
    return -1;
}

bool env_schema_check_member(const struct env_schema *n, struct json_string key, struct json_value value,
                             uint64_t *seen, struct env_fault *f)
{
    char at[128];
    int i = env_schema_place(n, key);
    const struct env_schema *schema = i < 0 ? n->others : n->properties[i].schema;
    *seen |= i < 0 ? 0 : 1ull << i;
    if (!schema || check_value(schema, value, f))
        return true;
    snprintf(at, sizeof at, "%.*s", (int)(key.raw.size < 120 ? key.raw.size : 120), key.raw.at);
    return prepend_step(f, at);
}

bool env_schema_check_required(const struct env_schema *n, uint64_t seen, struct env_fault *f)
{
    for (int i = 0; i < n->count; i++)
        if (n->properties[i].required && !(seen >> i & 1)) {
            fail_missing(f, n->properties[i].schema);
            return prepend_step(f, n->properties[i].name);
        }
    return true;
}

static bool check_object(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    struct json_reader r = reader_of(value.raw);
    struct json_string key;
    uint64_t seen = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (!env_schema_check_member(n, key, json_read_value(&r), &seen, f))
            return false;
    return env_schema_check_required(n, seen, f);
}

static bool check_any(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    struct env_fault best = {0}, one;
    for (int i = 0; i < 4 && n->any[i]; i++) {
        one = (struct env_fault){0};
        if (check_value(n->any[i], value, &one))
            return true;
        if (!best.expected[0] || one.range || strlen(one.path) > strlen(best.path))
            best = one;
    }
    *f = best;
    if (!f->path[0] && !f->range && n->description.size)
        fail_as_described(f, n->description);
    return false;
}

static bool check_value(const struct env_schema *n, struct json_value value, struct env_fault *f)
{
    enum json_type type = value.type;
    if (n->types && !(n->types >> type & 1) &&
        !(type == JSON_REAL && n->types >> JSON_INT & 1 && is_whole(value.raw))) // G2.7
        return fail_type(f, n);
    if (n->choices.size && !check_enum(n, value, f))
        return false;
    if (n->any[0] && !check_any(n, value, f))
        return false;
    switch (type) {
    case JSON_STRING:
        return check_string(n, value, f);
    case JSON_INT:
    case JSON_REAL:
        return check_number(n, value, f);
    case JSON_ARRAY:
        return !(n->items || n->min_items >= 0 || n->max_items >= 0) || check_array(n, value, f);
    case JSON_OBJECT:
        return !(n->count || n->others) || check_object(n, value, f);
    default:
        return true;
    }
}

const struct env_schema *env_schema_of(const struct env_schemas *s, const void *of)
{
    for (int i = 0; i < s->count; i++)
        if (s->at[i].of == of)
            return s->at[i].schema;
    return NULL;
}

bool env_fault_below(struct env_fault *fault, const char *path)
{
    if (path[0])
        prepend_step(fault, path + 1);
    return false;
}

bool env_schema_check(const struct env_schemas *s, const void *of, struct span value, const char *path,
                      struct env_fault *fault)
{
    struct json_reader r = reader_of(value);
    const struct env_schema *schema = env_schema_of(s, of);
    assert(schema && "every tool and every action has a schema");
    fault->path[0] = fault->expected[0] = 0;
    fault->range = false;
    return check_value(schema, json_read_value(&r), fault) || env_fault_below(fault, path);
}
