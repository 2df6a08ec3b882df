#include "env/action_input.h"

#include <stdlib.h>

static void keep_member(struct env_members *m, struct json_string key, struct json_value value, uint32_t params)
{
    if (m->count == m->room) {
        m->room = m->room ? 2 * m->room : 16;
        m->at = realloc(m->at, m->room * sizeof *m->at);
        if (!m->at)
            abort();
    }
    m->at[m->count++] = (struct env_member){key, value, params};
}

static void read_params(struct env *env, struct json_reader *r, struct env_action_input *input)
{
    struct json_string key;
    input->params++;
    if (json_peek(r) != JSON_OBJECT) {
        input->fits = false;
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);)
        keep_member(&env->members, key, json_read_value(r), input->params);
}

// G11.5: members other than type, params, index, range and choices are parameters too.
static void read_member(struct env *env, struct json_string key, struct json_value value,
                        struct env_action_input *input)
{
    static const char *const reserved[] = {"type", "index", "Type", "range", "choices", NULL};
    switch (json_string_among(key, reserved)) {
    case 0:
        input->name = value;
        input->fits &= value.type == JSON_STRING;
        return;
    case 1:
        if (!env_value_is(value, JSON_INT)) {
            input->fits = false;
            return;
        }
        input->has_index = true;
        input->index = env_value_int(value);
        return;
    case 2:
        if (!env->o.strict && !input->name.type)
            input->name = value;
        return;
    case -1:
        keep_member(&env->members, key, value, 0);
        return;
    default:
        return;
    }
}

static void read_object(struct env *env, struct json_reader *r, struct env_action_input *input)
{
    struct json_string key;
    input->fits = true;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "params"))
            read_params(env, r, input);
        else
            read_member(env, key, json_read_value(r), input);
    input->count = env->members.count - input->first;
}

void env_action_input_read(struct env *env, struct json_reader *r, struct env_action_input *input)
{
    *input = (struct env_action_input){.first = env->members.count};
    if (json_peek(r) != JSON_OBJECT) {
        input->action = json_read_value(r);
        input->fits = input->action.type == JSON_STRING || input->action.type == JSON_INT;
        return;
    }
    const char *start = r->at;
    read_object(env, r, input);
    input->action = (struct json_value){.type = JSON_OBJECT, .raw = {start, (size_t)(r->at - start)}};
}

void env_action_input_release(struct env *env, const struct env_action_input *input)
{
    enum { MOST_KEPT = 1024 };
    struct env_members *m = &env->members;
    m->count = input->first;
    if (m->count || m->room <= MOST_KEPT)
        return;
    free(m->at);
    *m = (struct env_members){0};
}

static void put_param(struct text *t, struct env_member *m)
{
    if (t->at[t->size - 1] != '{')
        text_put_char(t, ',');
    text_put_char(t, '"');
    text_put(t, m->key.raw);
    text_puts(t, "\":");
    if (m->value.raw.size > 24 || !env_value_is(m->value, JSON_INT)) {
        text_put(t, m->value.raw);
        return;
    }
    size_t at = t->size;
    text_put_int(t, env_value_int(m->value)); // G2.7: 4.0 is 4
    m->value = (struct json_value){.type = JSON_INT, .raw = {t->at + at, t->size - at}};
}

// Explicit parameters come last, so that they take precedence.
struct span env_action_input_merge(struct env *env, const struct env_action_input *input)
{
    struct text *t = &env->merged;
    size_t at = t->size;
    text_put_char(t, '{');
    for (uint32_t of = 0;; of = input->params) {
        for (size_t i = 0; i < input->count; i++)
            if (env->members.at[input->first + i].params == of)
                put_param(t, &env->members.at[input->first + i]);
        if (of == input->params)
            break;
    }
    text_put_char(t, '}');
    return (struct span){t->at + at, t->size - at};
}

bool env_action_input_check(const struct env *env, const struct env_action_input *input, const void *of,
                            const char *path, struct env_fault *fault)
{
    const struct env_schema *schema = env_schema_of(&env->schemas, of);
    uint64_t seen = 0;
    bool good = true;
    for (uint32_t params = 0; good; params = input->params) {
        for (size_t i = 0; good && i < input->count; i++) {
            const struct env_member *m = &env->members.at[input->first + i];
            good = m->params != params || env_schema_check_member(schema, m->key, m->value, &seen, fault);
        }
        if (params == input->params)
            break;
    }
    good = good && env_schema_check_required(schema, seen, fault);
    return good || env_fault_below(fault, path);
}
