// The OpenAPI document, from the table of routes and the schemas of protocol/arena/schema/rest.json.
#include "front/arena/embedded.h"
#include "front/arena/rest_internal.h"

#include <assert.h>

static void put_ref(struct text *t, const char *schema)
{
    char path[96] = "#/components/schemas/";
    json_begin_object_at(t, "content");
    json_begin_object_at(t, "application/json");
    json_begin_object_at(t, "schema");
    memcpy(path + strlen(path), schema, strlen(schema) + 1);
    json_put_text(t, "$ref", path);
    json_end_object(t);
    json_end_object(t);
    json_end_object(t);
}

// --- parameters

static void put_parameter(struct text *t, struct span name, const char *in)
{
    bool number = span_is(name, "limit") || span_is(name, "from");
    json_begin_object(t);
    json_put_string(t, "name", name);
    json_put_text(t, "in", in);
    json_put_bool(t, "required", in[0] == 'p' || span_is(name, "token"));
    json_begin_object_at(t, "schema");
    json_put_text(t, "type", number ? "integer" : "string");
    if (number)
        json_put_int(t, "minimum", span_is(name, "limit"));
    json_end_object(t);
    json_end_object(t);
}

static void put_parameters(struct text *t, const struct rest_route *route)
{
    const char *open = strchr(route->path, '{'), *query = route->queries;
    if (!open && !query)
        return;
    json_begin_array_at(t, "parameters");
    for (; open; open = strchr(open + 1, '{'))
        put_parameter(t, (struct span){open + 1, strcspn(open + 1, "}")}, "path");
    while (query && *query) {
        struct span name = {query, strcspn(query, " ")};
        put_parameter(t, name, "query");
        query += name.size + (query[name.size] == ' ');
    }
    json_end_array(t);
}

// --- answers

static void put_success(struct text *t, const struct rest_route *route, int ok)
{
    char status[8];
    struct text number = text_on(status, sizeof status - 1);
    text_put_int(&number, ok);
    status[number.size] = 0;
    json_begin_object_at(t, status);
    json_put_text(t, "description", ok == 202 ? "not yet: ask again" : "done");
    if (route->gives)
        put_ref(t, route->gives);
    json_end_object(t);
}

static void put_refusal(struct text *t, struct span status)
{
    char key[8];
    memcpy(key, status.at, status.size);
    key[status.size] = 0;
    json_begin_object_at(t, key);
    json_put_text(t, "description", "refused");
    put_ref(t, "error");
    json_end_object(t);
}

static void put_refusals(struct text *t, const char *list)
{
    while (*list) {
        struct span status = {list, strcspn(list, " ")};
        put_refusal(t, status);
        list += status.size + (list[status.size] == ' ');
    }
}

static void put_answers(struct text *t, const struct rest_route *route)
{
    bool changes = strcmp(route->method, "GET") != 0;
    json_begin_object_at(t, "responses");
    put_success(t, route, route->ok);
    if (route->handle == rest_analysis)
        put_success(t, route, 202);
    put_refusals(t, route->refuses);
    if (route->takes)
        put_refusals(t, "400");
    if (route->auth != REST_PUBLIC)
        put_refusals(t, "401 403");
    if (changes)
        put_refusals(t, strstr(route->refuses, "415") ? "413" : "413 415");
    put_refusals(t, "429");
    json_end_object(t);
}

static void put_operation(struct text *t, const struct rest_route *route)
{
    char method[8] = "";
    for (size_t i = 0; route->method[i]; i++)
        method[i] = (char)(route->method[i] | 32);
    json_begin_object_at(t, method);
    json_put_text(t, "summary", route->summary);
    put_parameters(t, route);
    if (route->takes) {
        json_begin_object_at(t, "requestBody");
        put_ref(t, route->takes);
        json_end_object(t);
    }
    put_answers(t, route);
    json_begin_array_at(t, "security");
    if (route->auth != REST_PUBLIC) {
        json_begin_object(t);
        json_begin_array_at(t, route->auth == REST_KEY ? "key" : "operator");
        json_end_array(t);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
}

// --- the whole document

static bool is_first(const struct rest_route *route)
{
    for (const struct rest_route *r = rest_routes; r < route; r++)
        if (strcmp(r->path, route->path) == 0)
            return false;
    return true;
}

static void put_paths(struct text *t)
{
    json_begin_object_at(t, "paths");
    for (const struct rest_route *route = rest_routes; route->method; route++) {
        if (!is_first(route))
            continue;
        json_begin_object_at(t, route->path);
        for (const struct rest_route *r = route; r->method; r++)
            if (strcmp(r->path, route->path) == 0)
                put_operation(t, r);
        json_end_object(t);
    }
    json_end_object(t);
}

// The $defs of the file, with references adjusted to their place here.
static void put_schemas(struct text *t)
{
    static const char from[] = "#/$defs/", to[] = "#/components/schemas/";
    struct span file = {embedded_rest_json, embedded_rest_json_size}, defs = {0};
    struct json_reader r = json_reader_of(file, 32);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "$defs"))
            defs = json_read_raw(&r);
        else
            json_skip(&r);
    assert(defs.at);
    json_key(t, "schemas");
    for (const char *found; (found = memmem(defs.at, defs.size, from, sizeof from - 1));) {
        size_t size = (size_t)(found - defs.at);
        text_put(t, (struct span){defs.at, size});
        text_puts(t, to);
        defs = (struct span){found + sizeof from - 1, defs.size - size - (sizeof from - 1)};
    }
    text_put(t, defs);
}

static void put_security(struct text *t, const char *name, const char *header)
{
    json_begin_object_at(t, name);
    json_put_text(t, "type", "apiKey");
    json_put_text(t, "in", "header");
    json_put_text(t, "name", header);
    json_end_object(t);
}

void rest_write_openapi(struct text *t)
{
    json_begin_object(t);
    json_put_text(t, "openapi", "3.1.0");
    json_begin_object_at(t, "info");
    json_put_text(t, "title", "agon arena");
    json_put_text(t, "version", AGON_VERSION);
    json_put_text(t, "description", "REST of the arena. Play itself is over WebSocket at /api/ws.");
    json_end_object(t);
    put_paths(t);
    json_begin_object_at(t, "components");
    json_begin_object_at(t, "securitySchemes");
    put_security(t, "key", "X-API-Key");
    put_security(t, "operator", "X-Agon-Admin");
    json_end_object(t);
    put_schemas(t);
    json_end_object(t);
    json_end_object(t);
}

void rest_openapi(struct rest_call *c)
{
    if (c->rest->openapi.size == 0)
        rest_write_openapi(&c->rest->openapi);
    text_put(&c->out, text_span(&c->rest->openapi));
}
