// The arguments of a tool call, parsed once: aliases, the tool's schema, and the action with its parameters.
#include "env/arguments.h"

#include "env/host.h"

#include <assert.h>

static const char *const pascal[] = {"AgentId", "AgentType", "Scope",    "Config",  "Action", "Ticks",
                                     "Mode",    "Seed",      "Scenario", "Profile", NULL};
static const char *const snake[] = {"agent_id", "agent_type", "scope", "config",   "action",
                                    "ticks",    "mode",       "seed",  "scenario", "profile"};

bool env_is_argument(const struct env *env, const struct env_tool *tool, struct json_string key)
{
    return env_schema_place(env_schema_of(&env->schemas, tool), key) >= 0 ||
           (!env->o.strict && (json_string_among(key, pascal) >= 0 || json_string_is(key, "scenario")));
}

// Whether a string that may be a key begins with a capital letter.
static bool may_have_alias(struct span arguments)
{
    for (size_t i = 0; i + 1 < arguments.size; i++)
        if (arguments.at[i] == '"' && arguments.at[i + 1] >= 'A' && arguments.at[i + 1] <= 'Z')
            return true;
    return false;
}

// G4.6: aliases come first, so that snake_case, which comes later, wins.
struct span env_resolve_aliases(struct env *env, struct span arguments)
{
    struct json_string key;
    if (env->o.strict || !may_have_alias(arguments))
        return arguments;
    struct text *t = &env->aliased;
    t->size = 0;
    t->full = false;
    json_begin_object(t);
    bool empty = true;
    struct json_reader r = json_reader_of(arguments, 64);
    for (json_enter_object(&r); json_next_key(&r, &key); empty = false) {
        struct span value = json_read_raw(&r);
        int i = json_string_among(key, pascal);
        if (i >= 0)
            json_put_raw(t, snake[i], value);
    }
    if (empty) {
        json_end_object(t);
        return text_span(t);
    }
    struct span rest = arguments;
    while (rest.size && *rest.at != '{')
        rest.at++, rest.size--;
    if (t->at[t->size - 1] != '{')
        text_put_char(t, ',');
    text_put(t, (struct span){rest.at + 1, rest.size - 1});
    return text_span(t);
}

// Parses the action on the way. What its members do not show is checked by its schema.
static struct json_value read_action(struct env *env, struct json_reader *r, struct env_arguments *a)
{
    env_action_input_release(env, &a->input); // of duplicates the last one counts
    env_action_input_read(env, r, &a->input);
    return a->input.action;
}

static bool read_members(struct env *env, struct json_reader *r, struct env_arguments *a, struct env_fault *fault)
{
    struct json_string key;
    uint64_t seen = 0;
    bool good = true;
    for (json_enter_object(r); good && json_next_key(r, &key);) {
        int place = env_schema_place(a->schema, key);
        bool action = place >= 0 && json_string_is(key, "action");
        struct json_value value = action ? read_action(env, r, a) : json_read_value(r);
        if (place >= 0)
            a->value[place] = value;
        if (action && a->input.fits)
            seen |= 1ull << place;
        else if (place >= 0)
            good = env_schema_check_member(a->schema, key, value, &seen, fault);
    }
    return good && env_schema_check_required(a->schema, seen, fault);
}

bool env_arguments_read(struct env *env, const struct env_tool *tool, struct span text, struct env_arguments *a,
                        struct env_fault *fault)
{
    fault->path[0] = fault->expected[0] = 0;
    fault->range = false;
    a->text = text;
    a->schema = env_schema_of(&env->schemas, tool);
    for (int i = env_schema_size(a->schema); i-- > 0;)
        a->value[i].type = JSON_NONE;
    env->members.count = 0;
    a->input = (struct env_action_input){0};
    struct json_reader r = json_reader_of(a->text, 64);
    return read_members(env, &r, a, fault);
}

bool env_argument(const struct env_arguments *a, const char *name, struct span *value)
{
    int place = env_schema_place(a->schema, (struct json_string){.raw = span_of(name)});
    assert(place >= 0 && "a tool asks for arguments of its schema");
    if (!a->value[place].type)
        return false;
    *value = a->value[place].raw;
    return true;
}

struct env_agent *env_agent_argument(struct env_conn *c, const struct env_arguments *a, struct env_result *r)
{
    struct span id = {0}; // the schemas demand it
    env_argument(a, "agent_id", &id);
    return env_own_agent(c, env_json_string(id), r);
}
