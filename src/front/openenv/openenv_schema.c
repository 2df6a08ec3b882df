// What an environment is, as data: metadata, JSON Schemas of actions, observations and states, OpenAPI (O10-O12).
#include "front/openenv/openenv_internal.h"

#include <stdio.h>

void openenv_name_class(const struct game_kit *k, char out[OPENENV_CLASS])
{
    size_t n = 0;
    bool up = true;
    for (const char *c = k->game->name; *c && n + 1 < OPENENV_CLASS; c++) {
        if (*c != '_')
            out[n++] = (char)(up && *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        up = *c == '_';
    }
    out[n] = 0;
}

static void put_title(struct text *t, const struct game_kit *k, const char *what)
{
    char title[OPENENV_CLASS], whole[OPENENV_CLASS + 16];
    openenv_name_class(k, title);
    snprintf(whole, sizeof whole, "%s%s", title, what);
    json_put_text(t, "title", whole);
}

static void put_raw(struct text *t, const char *key, const char *json)
{
    json_write_key(t, key, strlen(key));
    json_write_raw(t, span_of(json));
}

// --- actions

// O22: null is allowed wherever a typed client may leave something open.
static void put_types(struct text *t, const struct env_facts *facts)
{
    json_key(t, "type");
    text_puts(t, "{\"anyOf\":[{\"type\":\"string\",\"enum\":[");
    for (const struct env_action *a = facts->actions; a->name; a++) {
        text_puts(t, a == facts->actions ? "\"" : ",\"");
        text_puts(t, a->name);
        text_put_char(t, '"');
    }
    text_puts(t, ",\"wait\"]},{\"type\":\"null\"}],\"default\":null,\"description\":\"kind of action\"}");
}

// All schemas that a parameter has in the actions of the game, each once.
static void write_param(struct text *t, const struct env_facts *facts, const char *name)
{
    struct span seen[16];
    int count = 0;
    text_puts(t, "{\"anyOf\":[");
    for (const struct env_action *a = facts->actions; a->name; a++) {
        struct span schema = json_member(span_of(a->params), name);
        int i = 0;
        while (schema.size && i < count && !span_equals(seen[i], schema))
            i++;
        if (!schema.size || i < count || count == 16)
            continue;
        seen[count++] = schema;
        text_put(t, schema);
        text_put_char(t, ',');
    }
    text_puts(t, "{\"type\":\"null\"}],\"default\":null}");
}

static void put_params(struct text *t, const struct env_facts *facts)
{
    char names[OPENENV_PARAMS][40];
    int count = openenv_list_params(facts, names);
    for (int i = 0; i < count; i++) {
        json_write_key(t, names[i], strlen(names[i]));
        write_param(t, facts, names[i]);
    }
}

static void write_action(struct text *t, const struct game_kit *k)
{
    const struct env_facts *facts = kit_environment(k);
    char index[128];
    snprintf(index, sizeof index,
             "{\"anyOf\":[{\"type\":\"integer\",\"minimum\":0,\"maximum\":%u},{\"type\":\"null\"}],\"default\":null}",
             k->game->flat_size - 1);
    json_begin_object(t);
    put_title(t, k, "Action");
    put_raw(t, "description", "\"One of type with its parameters, index, or text in the words of a language model.\"");
    put_raw(t, "type", "\"object\"");
    json_begin_object_at(t, "properties");
    put_types(t, facts);
    put_params(t, facts);
    put_raw(t, "index", index);
    put_raw(t, "text", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"default\":null}");
    put_raw(t, "range",
            "{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}],\"default\":null,\"description\":"
            "\"ignored, so that a legal action can be sent as it is\"}");
    put_raw(t, "metadata", "{\"type\":\"object\",\"default\":{}}");
    json_end_object(t);
    json_put_bool(t, "additionalProperties", false);
    json_end_object(t);
}

// --- observations

// A space of Game-RL as the schema of its JSON. Null is always allowed: before the first deal there may be nothing.
static void write_space(struct text *t, struct span space)
{
    static const char *const kinds[] = {"\"box\"", "\"discrete\"", "\"text\"", "\"sequence\"", "\"dict\"", NULL};
    static const char *const types[] = {"[\"number\",\"array\",\"null\"]", NULL, "[\"string\",\"null\"]",
                                        "[\"array\",\"null\"]", "[\"object\",\"null\"]"};
    struct span kind = json_member(space, "type");
    for (int i = 0; kinds[i]; i++)
        if (span_is(kind, kinds[i]) && types[i]) {
            text_puts(t, "{\"type\":");
            text_puts(t, types[i]);
            text_put_char(t, '}');
            return;
        }
    text_puts(t, "{}");
}

static void put_view(struct text *t, const struct env_facts *facts)
{
    json_begin_object_at(t, "view");
    put_raw(t, "type", "\"object\"");
    json_begin_object_at(t, "properties");
    for (const struct env_key *key = facts->keys; key->name; key++) {
        json_write_key(t, key->name, strlen(key->name));
        write_space(t, span_of(key->space));
    }
    json_end_object(t);
    json_end_object(t);
}

#define WORD          "{\"type\":\"string\"}"
#define WORDS         "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define FLAG          "{\"type\":\"boolean\"}"
#define OBJECT        "{\"type\":\"object\"}"
#define OR_NULL(type) "{\"anyOf\":[{\"type\":\"" type "\"},{\"type\":\"null\"}]}"

static void write_observation(struct text *t, const struct game_kit *k)
{
    const struct env_facts *facts = kit_environment(k);
    json_begin_object(t);
    put_title(t, k, "Observation");
    put_raw(t, "type", "\"object\"");
    json_begin_object_at(t, "properties");
    put_raw(t, "game", WORD);
    put_raw(t, "scenario", WORD);
    put_raw(t, "seat", WORD);
    put_raw(t, "phase", WORD);
    put_raw(t, "your_turn", FLAG);
    put_raw(t, "to_act", WORDS);
    put_raw(t, "text", WORD);
    put_raw(t, "rules", OR_NULL("string"));
    put_raw(t, "legal",
            "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\"},"
            "\"index\":{\"type\":\"integer\"},\"range\":{\"type\":\"object\"}},\"required\":[\"type\"]}}");
    put_view(t, facts);
    // Allowed and not required: these two come on request, and graders put done, reward and metadata back into an
    // observation before they validate it (O12).
    put_raw(t, "vector", "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}");
    put_raw(t, "mask", "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}");
    put_raw(t, "events", "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}");
    put_raw(t, "error", OR_NULL("object"));
    put_raw(t, "reward_components", "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}");
    put_raw(t, "truncated", FLAG);
    put_raw(t, "termination_reason", OR_NULL("string"));
    put_raw(t, "metadata", OBJECT);
    put_raw(t, "done", FLAG);
    put_raw(t, "reward", OR_NULL("number"));
    json_end_object(t);
    put_raw(t, "required",
            "[\"game\",\"scenario\",\"seat\",\"phase\",\"your_turn\",\"to_act\",\"text\",\"rules\",\"legal\","
            "\"view\",\"events\",\"error\",\"reward_components\",\"truncated\",\"termination_reason\"]");
    json_put_bool(t, "additionalProperties", false);
    json_end_object(t);
}

static void write_state(struct text *t, const struct game_kit *k)
{
    json_begin_object(t);
    put_title(t, k, "State");
    put_raw(t, "type", "\"object\"");
    json_begin_object_at(t, "properties");
    put_raw(t, "episode_id", OR_NULL("string"));
    put_raw(t, "step_count", "{\"type\":\"integer\",\"minimum\":0}");
    put_raw(t, "game", WORD);
    put_raw(t, "scenario", OR_NULL("string"));
    put_raw(t, "seats", OR_NULL("integer"));
    put_raw(t, "seat", OR_NULL("string"));
    put_raw(t, "seed", OR_NULL("integer"));
    put_raw(t, "opponents", WORDS);
    put_raw(t, "table", OR_NULL("string"));
    json_end_object(t);
    put_raw(t, "required", "[\"episode_id\",\"step_count\"]");
    json_put_bool(t, "additionalProperties", false);
    json_end_object(t);
}

void openenv_write_schemas(struct text *t, const struct game_kit *k)
{
    json_begin_object(t);
    json_key(t, "action");
    write_action(t, k);
    json_key(t, "observation");
    write_observation(t, k);
    json_key(t, "state");
    write_state(t, k);
    json_end_object(t);
}

// --- metadata

void openenv_write_metadata(struct text *t, const struct openenv *o, const struct served *g)
{
    char name[64];
    const struct codec *c = g->kit->codec;
    snprintf(name, sizeof name, "agon-%s", g->kit->game->name);
    json_begin_object(t);
    json_put_text(t, "name", name);
    json_put_text(t, "description", c->summary);
    json_key(t, "readme_content");
    struct text *prose = (struct text *)&o->episode_scratch.prose;
    union game_rules rules;
    g->kit->game->defaults(&rules);
    int seats = g->kit->game->scenario(&rules, 0);
    prose->size = 0;
    text_puts(prose, "# ");
    text_puts(prose, c->title);
    text_puts(prose, "\n\n");
    episode_write_rules(prose, g->kit, &rules, seats);
    json_write_string(t, text_span(prose));
    json_put_text(t, "version", o->options.version);
    json_put_text(t, "author", "agon");
    json_put_null(t, "documentation_url");
    json_end_object(t);
}

// --- OpenAPI

static void put_path(struct text *t, const char *path, const char *method, const char *summary, const char *body)
{
    json_write_key(t, path, strlen(path));
    json_begin_object(t);
    json_write_key(t, method, strlen(method));
    json_begin_object(t);
    json_put_text(t, "summary", summary);
    if (body)
        put_raw(t, "requestBody", body);
    put_raw(t, "responses",
            "{\"200\":{\"description\":\"OK\",\"content\":{\"application/json\":{\"schema\":{\"type\":"
            "\"object\"}}}}}");
    json_end_object(t);
    json_end_object(t);
}

#define BODY(schema) "{\"content\":{\"application/json\":{\"schema\":" schema "}}}"

void openenv_write_openapi(struct text *t, const struct openenv *o, const struct served *g, const char *base)
{
    char title[64];
    snprintf(title, sizeof title, "agon-%s", g->kit->game->name);
    json_begin_object(t);
    json_put_text(t, "openapi", "3.1.0");
    json_begin_object_at(t, "info");
    json_put_text(t, "title", title);
    json_put_text(t, "version", "1.0.0"); // of the wire: the validator makes its profile of it (O11)
    json_end_object(t);
    json_begin_array_at(t, "servers");
    json_begin_object(t);
    json_put_text(t, "url", base);
    json_end_object(t);
    json_end_array(t);
    json_begin_object_at(t, "paths");
    // The validator requires all three paths or none of them (section 7 of docs/spec/openenv.md).
    if (!o->options.production) {
        put_path(t, "/reset", "post", "Begin an episode",
                 BODY("{\"type\":\"object\",\"properties\":{\"seed\":{\"type\":\"integer\",\"minimum\":0},"
                      "\"episode_id\":{\"type\":\"string\",\"maxLength\":255},\"session_id\":{\"type\":\"string\"}}}"));
        put_path(t, "/step", "post", "Play an action",
                 BODY("{\"type\":\"object\",\"properties\":{\"action\":{\"type\":\"object\"},\"session_id\":"
                      "{\"type\":\"string\"},\"request_id\":{\"type\":\"string\",\"maxLength\":255}},\"required\":"
                      "[\"action\"]}"));
        put_path(t, "/state", "get", "State of a session", NULL);
    }
    put_path(t, "/health", "get", "Whether it serves", NULL);
    put_path(t, "/metadata", "get", "What the environment is", NULL);
    put_path(t, "/schema", "get", "JSON Schemas of action, observation and state", NULL);
    put_path(t, "/mcp", "post", "JSON-RPC: tools and sessions", BODY("{\"type\":\"object\"}"));
    json_end_object(t);
    json_end_object(t);
}
