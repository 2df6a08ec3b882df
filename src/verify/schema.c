#include "verify/schema.h"

#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 48, MAX_PATH = 96 }; // a schema comes from the server that is judged, and may refer to itself

struct walk {
    json_t *root;
    struct schema_fault *fault;
    int depth;
    char path[MAX_PATH]; // of the value, or of the position in the schema
};

static bool set_fault(struct walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool set_fault(struct walk *w, const char *format, ...)
{
    char what[SCHEMA_WHY - MAX_PATH - 4];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(w->fault->why, sizeof w->fault->why, "%s: %s", w->path[0] ? w->path : "/", what);
    return false;
}

static size_t step_into(struct walk *w, const char *name)
{
    size_t before = strlen(w->path);
    snprintf(w->path + before, sizeof w->path - before, "/%s", name);
    w->depth++;
    return before;
}

static size_t step_into_item(struct walk *w, size_t index)
{
    char name[24];
    snprintf(name, sizeof name, "%zu", index);
    return step_into(w, name);
}

static bool step_back(struct walk *w, size_t before, bool result)
{
    w->path[before] = 0;
    w->depth--;
    return result;
}

json_t *schema_at(json_t *root, const char *pointer)
{
    char name[128];
    if (*pointer++ != '#')
        return NULL;
    while (*pointer == '/' && root) {
        size_t size = strcspn(++pointer, "/");
        if (size >= sizeof name)
            return NULL;
        memcpy(name, pointer, size);
        name[size] = 0;
        root = json_is_array(root) ? json_array_get(root, (size_t)atol(name)) : json_object_get(root, name);
        pointer += size;
    }
    return *pointer ? NULL : root;
}

// --- patterns: ECMAScript to POSIX, which has no \d

static bool compile_pattern(const char *pattern, regex_t *out)
{
    char posix[512];
    size_t n = 0;
    for (const char *p = pattern; *p && n + 8 < sizeof posix; p++) {
        bool digit = p[0] == '\\' && p[1] == 'd', word = p[0] == '\\' && p[1] == 'w';
        n += (size_t)snprintf(posix + n, sizeof posix - n, "%.*s", 8,
                              digit  ? "[0-9]"
                              : word ? "[_a-zA-Z0-9]"
                                     : (char[2]){*p, 0});
        p += digit || word;
    }
    posix[n] = 0;
    return regcomp(out, posix, REG_EXTENDED | REG_NOSUB) == 0;
}

// The few patterns of a schema are checked again and again. Returns NULL if this is no regular expression.
static const regex_t *compiled(const char *pattern)
{
    enum { KEPT = 16 };
    static struct {
        char *pattern; // NULL: free
        regex_t regex;
    } kept[KEPT];
    static unsigned next;
    for (int i = 0; i < KEPT; i++)
        if (kept[i].pattern && strcmp(kept[i].pattern, pattern) == 0)
            return &kept[i].regex;
    unsigned at = next++ % KEPT;
    if (kept[at].pattern)
        regfree(&kept[at].regex);
    free(kept[at].pattern);
    kept[at].pattern = compile_pattern(pattern, &kept[at].regex) ? strdup(pattern) : NULL;
    return kept[at].pattern ? &kept[at].regex : NULL;
}

// --- checking a value

static bool is_type(const char *name, const json_t *v)
{
    static const struct {
        const char *name;
        json_type type;
    } types[] = {
        {"object", JSON_OBJECT}, {"array", JSON_ARRAY},     {"string", JSON_STRING},
        {"null", JSON_NULL},     {"integer", JSON_INTEGER},
    };
    if (strcmp(name, "boolean") == 0)
        return json_is_boolean(v);
    if (strcmp(name, "number") == 0)
        return json_is_number(v);
    if (strcmp(name, "integer") == 0 && json_is_real(v))
        return nearbyint(json_real_value(v)) == json_real_value(v);
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0)
            return json_typeof(v) == types[i].type;
    return false;
}

static bool check_type(struct walk *w, json_t *rule, json_t *v)
{
    size_t i;
    json_t *name;
    if (json_is_string(rule))
        return is_type(json_string_value(rule), v) || set_fault(w, "not of type %s", json_string_value(rule));
    json_array_foreach(rule, i, name)
    {
        if (json_is_string(name) && is_type(json_string_value(name), v))
            return true;
    }
    return set_fault(w, "of none of the types");
}

static bool is_same(json_t *a, json_t *b)
{
    return json_equal(a, b) || (json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b));
}

static bool check_enum(struct walk *w, json_t *rule, json_t *v)
{
    size_t i;
    json_t *item;
    json_array_foreach(rule, i, item)
    {
        if (is_same(item, v))
            return true;
    }
    return set_fault(w, "not one of the values of its enum");
}

static bool check_const(struct walk *w, json_t *rule, json_t *v)
{
    return is_same(rule, v) || set_fault(w, "not the value it has to be");
}

static bool check_minimum(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_number(v) || json_number_value(v) >= json_number_value(rule) ||
           set_fault(w, "below %g", json_number_value(rule));
}

static bool check_maximum(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_number(v) || json_number_value(v) <= json_number_value(rule) ||
           set_fault(w, "above %g", json_number_value(rule));
}

static bool check_above(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_number(v) || json_number_value(v) > json_number_value(rule) ||
           set_fault(w, "not above %g", json_number_value(rule));
}

static bool check_below(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_number(v) || json_number_value(v) < json_number_value(rule) ||
           set_fault(w, "not below %g", json_number_value(rule));
}

static size_t count_characters(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += (*s & 0xC0) != 0x80;
    return n;
}

static bool check_min_length(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_string(v) || (json_int_t)count_characters(json_string_value(v)) >= json_integer_value(rule) ||
           set_fault(w, "too short");
}

static bool check_max_length(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_string(v) || (json_int_t)count_characters(json_string_value(v)) <= json_integer_value(rule) ||
           set_fault(w, "too long");
}

static bool check_min_items(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_array(v) || (json_int_t)json_array_size(v) >= json_integer_value(rule) ||
           set_fault(w, "too few items");
}

static bool check_max_items(struct walk *w, json_t *rule, json_t *v)
{
    return !json_is_array(v) || (json_int_t)json_array_size(v) <= json_integer_value(rule) ||
           set_fault(w, "too many items");
}

static bool check_pattern(struct walk *w, json_t *rule, json_t *v)
{
    const regex_t *r = json_is_string(v) && json_is_string(rule) ? compiled(json_string_value(rule)) : NULL;
    return !r || regexec(r, json_string_value(v), 0, NULL, 0) == 0 ||
           set_fault(w, "does not match %.40s", json_string_value(rule));
}

static bool check_required(struct walk *w, json_t *rule, json_t *v)
{
    size_t i;
    json_t *name;
    if (!json_is_object(v))
        return true;
    json_array_foreach(rule, i, name)
    {
        if (!json_object_get(v, json_string_value(name)))
            return set_fault(w, "lacks %s", json_string_value(name));
    }
    return true;
}

static bool check_value(struct walk *w, json_t *schema, json_t *v);

static bool check_properties(struct walk *w, json_t *rule, json_t *v)
{
    const char *name;
    json_t *member;
    json_object_foreach(v, name, member)
    {
        json_t *schema = json_object_get(rule, name);
        size_t before = step_into(w, name);
        if (!step_back(w, before, !schema || check_value(w, schema, member)))
            return false;
    }
    return true;
}

// Members that `properties` does not name.
static bool check_others(struct walk *w, json_t *rule, json_t *schema, json_t *v)
{
    const char *name;
    json_t *member, *named = json_object_get(schema, "properties");
    json_object_foreach(v, name, member)
    {
        size_t before = step_into(w, name);
        if (!step_back(w, before, json_object_get(named, name) || check_value(w, rule, member)))
            return false;
    }
    return true;
}

static bool check_items(struct walk *w, json_t *rule, json_t *schema, json_t *v)
{
    size_t i, from = json_array_size(json_object_get(schema, "prefixItems"));
    json_t *item;
    json_array_foreach(v, i, item)
    {
        size_t before = step_into_item(w, i);
        if (!step_back(w, before, i < from || check_value(w, rule, item)))
            return false;
    }
    return true;
}

static bool check_prefix(struct walk *w, json_t *rule, json_t *v)
{
    size_t i;
    json_t *schema;
    json_array_foreach(rule, i, schema)
    {
        size_t before = step_into_item(w, i);
        if (!step_back(w, before, i >= json_array_size(v) || check_value(w, schema, json_array_get(v, i))))
            return false;
    }
    return true;
}

static size_t count_holding(struct walk *w, json_t *schemas, json_t *v)
{
    size_t i, n = 0;
    json_t *schema;
    json_array_foreach(schemas, i, schema)
    {
        n += check_value(w, schema, v);
    }
    return n;
}

static bool check_all(struct walk *w, json_t *rule, json_t *v)
{
    size_t i;
    json_t *schema;
    json_array_foreach(rule, i, schema)
    {
        if (!check_value(w, schema, v))
            return false;
    }
    return true;
}

static bool check_any(struct walk *w, json_t *rule, json_t *v)
{
    return count_holding(w, rule, v) > 0; // any fault is as good as another; keeps the last
}

static bool check_one(struct walk *w, json_t *rule, json_t *v)
{
    size_t n = count_holding(w, rule, v);
    return n == 1 || (n > 1 && set_fault(w, "satisfies more than one of oneOf"));
}

static bool check_not(struct walk *w, json_t *rule, json_t *v)
{
    return !check_value(w, rule, v) || set_fault(w, "is what it must not be");
}

static bool check_ref(struct walk *w, json_t *rule, json_t *v)
{
    json_t *schema = json_is_string(rule) ? schema_at(w->root, json_string_value(rule)) : NULL;
    return schema ? check_value(w, schema, v) : set_fault(w, "its schema refers to nothing here");
}

static bool check_if(struct walk *w, json_t *schema, json_t *v)
{
    json_t *branch = json_object_get(schema, check_value(w, json_object_get(schema, "if"), v) ? "then" : "else");
    return !branch || check_value(w, branch, v);
}

static const struct {
    const char *keyword;
    bool (*check)(struct walk *w, json_t *rule, json_t *v);
} rules[] = {
    {"$ref", check_ref},
    {"type", check_type},
    {"enum", check_enum},
    {"const", check_const},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"exclusiveMinimum", check_above},
    {"exclusiveMaximum", check_below},
    {"minLength", check_min_length},
    {"maxLength", check_max_length},
    {"minItems", check_min_items},
    {"maxItems", check_max_items},
    {"pattern", check_pattern},
    {"required", check_required},
    {"properties", check_properties},
    {"prefixItems", check_prefix},
    {"allOf", check_all},
    {"anyOf", check_any},
    {"oneOf", check_one},
    {"not", check_not},
};

static bool check_keywords(struct walk *w, json_t *schema, json_t *v)
{
    json_t *rule;
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((rule = json_object_get(schema, rules[i].keyword)) && !rules[i].check(w, rule, v))
            return false;
    if ((rule = json_object_get(schema, "additionalProperties")) && !check_others(w, rule, schema, v))
        return false;
    if ((rule = json_object_get(schema, "items")) && !check_items(w, rule, schema, v))
        return false;
    return !json_object_get(schema, "if") || check_if(w, schema, v);
}

static bool check_value(struct walk *w, json_t *schema, json_t *v)
{
    if (json_is_boolean(schema))
        return json_is_true(schema) || set_fault(w, "must not be there");
    if (!json_is_object(schema) || !v)
        return set_fault(w, v ? "its schema is none" : "not there");
    if (w->depth > MAX_DEPTH)
        return set_fault(w, "nested too deeply");
    w->depth++;
    bool holds = check_keywords(w, schema, v);
    w->depth--;
    return holds;
}

bool schema_holds(json_t *root, json_t *schema, json_t *value, struct schema_fault *fault)
{
    struct walk w = {.root = root, .fault = fault};
    return check_value(&w, schema, value);
}

// --- checking a schema (C22)

static bool check_schema(struct walk *w, json_t *schema);

static bool is_schemas(struct walk *w, json_t *rule) // by name
{
    const char *name;
    json_t *schema;
    if (!json_is_object(rule))
        return set_fault(w, "not an object of schemas");
    json_object_foreach(rule, name, schema)
    {
        size_t before = step_into(w, name);
        if (!step_back(w, before, check_schema(w, schema)))
            return false;
    }
    return true;
}

static bool is_list(struct walk *w, json_t *rule) // of schemas
{
    size_t i;
    json_t *schema;
    if (!json_is_array(rule) || json_array_size(rule) == 0)
        return set_fault(w, "not an array of schemas");
    json_array_foreach(rule, i, schema)
    {
        size_t before = step_into_item(w, i);
        if (!step_back(w, before, check_schema(w, schema)))
            return false;
    }
    return true;
}

static bool is_names(struct walk *w, json_t *rule)
{
    size_t i, k;
    json_t *name;
    if (!json_is_array(rule))
        return set_fault(w, "not an array of strings");
    json_array_foreach(rule, i, name)
    {
        if (!json_is_string(name))
            return set_fault(w, "not an array of strings");
        for (k = 0; k < i; k++)
            if (json_equal(name, json_array_get(rule, k)))
                return set_fault(w, "names something twice");
    }
    return true;
}

static bool is_type_name(json_t *name)
{
    static const char *const names[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_string(name) && strcmp(names[i], json_string_value(name)) == 0)
            return true;
    return false;
}

static bool is_types(struct walk *w, json_t *rule)
{
    size_t i;
    json_t *name;
    if (json_is_string(rule))
        return is_type_name(rule) || set_fault(w, "no type of JSON");
    json_array_foreach(rule, i, name)
    {
        if (!is_type_name(name))
            return set_fault(w, "no type of JSON");
    }
    return json_array_size(rule) > 0 || set_fault(w, "no type of JSON");
}

static bool is_number(struct walk *w, json_t *rule)
{
    return json_is_number(rule) || set_fault(w, "not a number");
}

static bool is_count(struct walk *w, json_t *rule)
{
    return (json_is_integer(rule) && json_integer_value(rule) >= 0) || set_fault(w, "not a count");
}

static bool is_array(struct walk *w, json_t *rule)
{
    return json_is_array(rule) || set_fault(w, "not an array");
}

static bool is_string(struct walk *w, json_t *rule)
{
    return json_is_string(rule) || set_fault(w, "not a string");
}

static bool is_bool(struct walk *w, json_t *rule)
{
    return json_is_boolean(rule) || set_fault(w, "not true or false");
}

static bool is_pattern(struct walk *w, json_t *rule)
{
    regex_t r;
    if (!json_is_string(rule) || !compile_pattern(json_string_value(rule), &r))
        return set_fault(w, "not a regular expression");
    regfree(&r);
    return true;
}

static bool is_local_ref(struct walk *w, json_t *rule)
{
    return (json_is_string(rule) && schema_at(w->root, json_string_value(rule))) ||
           set_fault(w, "a reference that leads out of the schema");
}

static const struct {
    const char *keyword;
    bool (*check)(struct walk *w, json_t *rule);
} parts[] = {
    {"type", is_types},
    {"properties", is_schemas},
    {"patternProperties", is_schemas},
    {"$defs", is_schemas},
    {"definitions", is_schemas},
    {"dependentSchemas", is_schemas},
    {"additionalProperties", check_schema},
    {"items", check_schema},
    {"contains", check_schema},
    {"propertyNames", check_schema},
    {"unevaluatedProperties", check_schema},
    {"unevaluatedItems", check_schema},
    {"not", check_schema},
    {"if", check_schema},
    {"then", check_schema},
    {"else", check_schema},
    {"allOf", is_list},
    {"anyOf", is_list},
    {"oneOf", is_list},
    {"prefixItems", is_list},
    {"required", is_names},
    {"enum", is_array},
    {"minimum", is_number},
    {"maximum", is_number},
    {"exclusiveMinimum", is_number},
    {"exclusiveMaximum", is_number},
    {"multipleOf", is_number},
    {"minLength", is_count},
    {"maxLength", is_count},
    {"minItems", is_count},
    {"maxItems", is_count},
    {"minProperties", is_count},
    {"maxProperties", is_count},
    {"uniqueItems", is_bool},
    {"pattern", is_pattern},
    {"title", is_string},
    {"description", is_string},
    {"$ref", is_local_ref},
    {"$dynamicRef", is_local_ref},
};

static bool check_schema(struct walk *w, json_t *schema)
{
    if (json_is_boolean(schema))
        return true;
    if (!json_is_object(schema) || w->depth > MAX_DEPTH)
        return set_fault(w, json_is_object(schema) ? "nested too deeply" : "no schema");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_t *rule = json_object_get(schema, parts[i].keyword);
        if (!rule)
            continue;
        size_t before = step_into(w, parts[i].keyword);
        if (!step_back(w, before, parts[i].check(w, rule)))
            return false;
    }
    return true;
}

bool schema_is_sound(json_t *schema, struct schema_fault *fault)
{
    struct walk w = {.root = schema, .fault = fault};
    return check_schema(&w, schema);
}
