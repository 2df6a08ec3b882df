#include "front/openenv/openenv_read.h"

#include "base/json_write.h"

#include <stdio.h>

static const char *const kinds[] = {"reset", "step", "state", "mcp", "close", NULL};

// --- faults

// O13: types and sentences are pydantic's.
static bool set_fault(struct openenv_fault *f, const char *type, const char *msg, const char *where, struct span input)
{
    *f = (struct openenv_fault){.type = type, .msg = msg, .input = input};
    snprintf(f->loc[0], sizeof f->loc[0], "%s", where);
    return false;
}

// A sentence of its own, which the fault keeps.
static bool set_fault_said(struct openenv_fault *f, const char *type, const char *said, const char *where,
                           struct span input)
{
    set_fault(f, type, NULL, where, input);
    snprintf(f->said, sizeof f->said, "%s", said);
    return false;
}

const char *openenv_fault_text(const struct openenv_fault *f)
{
    return f->msg ? f->msg : f->said;
}

static bool set_fault_extra(struct openenv_fault *f, struct json_string key, struct span input)
{
    set_fault(f, "extra_forbidden", "Extra inputs are not permitted", "", input);
    if (json_string_copy(key, f->loc[0], sizeof f->loc[0]) < 0)
        snprintf(f->loc[0], sizeof f->loc[0], "(long)");
    return false;
}

// O13: what does not fit is a string of its first bytes.
static void write_input(struct text *t, struct span input)
{
    if (input.size <= OPENENV_INPUT) {
        json_write_raw(t, input.size ? input : SPAN("null"));
        return;
    }
    size_t size = OPENENV_INPUT;
    while (size && (input.at[size] & 0xC0) == 0x80)
        size--;
    json_write_string(t, (struct span){input.at, size});
}

void openenv_write_fault(struct text *t, const struct openenv_fault *f, bool body)
{
    json_begin_array(t);
    json_begin_object(t);
    json_put_text(t, "type", f->type);
    json_begin_array_at(t, "loc");
    if (body)
        json_write_text(t, "body");
    for (int i = 0; i < 2; i++)
        if (f->loc[i][0])
            json_write_text(t, f->loc[i]);
    json_end_array(t);
    json_put_text(t, "msg", openenv_fault_text(f));
    json_key(t, "input");
    write_input(t, f->input);
    json_end_object(t);
    json_end_array(t);
}

// --- messages

static enum json_type type_of(struct span value)
{
    struct json_reader r = json_reader_of(value, 64);
    return value.size ? json_peek(&r) : JSON_NONE;
}

static struct json_string string_of(struct span value)
{
    struct json_reader r = json_reader_of(value, 64);
    return json_read_string(&r);
}

int openenv_read_message(struct span text, struct openenv_message *m, struct openenv_fault *f)
{
    struct json_reader r = json_reader_of(text, 64), whole = r;
    struct json_string key, strange = {0};
    struct span value, odd = {0};
    *m = (struct openenv_message){.kind = OPENENV_UNKNOWN, .type = SPAN("\"\"")};
    *f = (struct openenv_fault){0};
    if (json_peek(&r) != JSON_OBJECT) {
        json_skip(&whole);
        int err = json_finish(&whole);
        if (err == OK)
            set_fault(f, "dict_type", "Input should be a valid dictionary", "", text);
        return err == OK ? ERR_TYPE : err;
    }
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        value = json_read_raw(&r);
        if (json_string_is(key, "type"))
            m->type = value;
        else if (json_string_is(key, "data"))
            m->data = value;
        else if (!strange.raw.at)
            strange = key, odd = value;
    }
    int err = json_finish(&r);
    if (err != OK)
        return err;
    int kind = type_of(m->type) == JSON_STRING ? json_string_among(string_of(m->type), kinds) : -1;
    if (kind < 0)
        return OK;
    m->kind = (enum openenv_kind)kind;
    // O29: those two ignore whatever comes along.
    if (strange.raw.at && kind != OPENENV_STATE && kind != OPENENV_CLOSE)
        return set_fault_extra(f, strange, odd), ERR_TYPE;
    enum json_type type = type_of(m->data);
    if (type == JSON_NONE && kind != OPENENV_STEP && kind != OPENENV_MCP)
        m->data = SPAN("{}");
    else if (type == JSON_NONE)
        return set_fault(f, "missing", "Field required", "data", text), ERR_TYPE;
    else if (type != JSON_OBJECT && kind != OPENENV_STATE && kind != OPENENV_CLOSE)
        return set_fault(f, "dict_type", "Input should be a valid dictionary", "data", m->data), ERR_TYPE;
    return OK;
}

// --- resets

struct option {
    const char *name;
    bool (*read)(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f);
};

static bool read_int(struct span value, int64_t min, int64_t max, const char *name, int64_t *out,
                     struct openenv_fault *f)
{
    struct json_reader r = json_reader_of(value, 4);
    if (type_of(value) != JSON_INT)
        return set_fault(f, "int_type", "Input should be a valid integer", name, value);
    char said[OPENENV_SAID];
    *out = json_read_int(&r, INT64_MIN, INT64_MAX);
    bool low = r.error ? value.at[0] == '-' : *out < min;
    if (!r.error && *out >= min && *out <= max)
        return true;
    snprintf(said, sizeof said, "Input should be %s than or equal to %jd", low ? "greater" : "less",
             (intmax_t)(low ? min : max));
    return set_fault_said(f, low ? "greater_than_equal" : "less_than_equal", said, name, value);
}

static bool read_small(struct span value, int64_t min, int64_t max, const char *name, int *out, struct openenv_fault *f)
{
    int64_t number;
    if (!read_int(value, min, max, name, &number, f))
        return false;
    *out = (int)number;
    return true;
}

static bool read_bool(struct span value, const char *name, bool *out, struct openenv_fault *f)
{
    if (type_of(value) != JSON_BOOL)
        return set_fault(f, "bool_type", "Input should be a valid boolean", name, value);
    *out = value.at[0] == 't';
    return true;
}

static bool read_text(struct span value, const char *name, char *out, size_t room, struct openenv_fault *f)
{
    if (type_of(value) != JSON_STRING)
        return set_fault(f, "string_type", "Input should be a valid string", name, value);
    if (json_string_copy(string_of(value), out, room) < 0)
        return set_fault(f, "string_too_long", "String is too long", name, value);
    return true;
}

static bool read_word(struct span value, const char *name, const char *const *words, int *out, struct openenv_fault *f)
{
    int i = type_of(value) == JSON_STRING ? json_string_among(string_of(value), words) : -1;
    char said[OPENENV_SAID];
    struct text t = text_on(said, sizeof said - 1);
    *out = i;
    if (i >= 0)
        return true;
    text_puts(&t, "Input should be");
    for (int k = 0; words[k]; k++) {
        text_puts(&t, k == 0 ? " '" : words[k + 1] ? ", '" : " or '");
        text_puts(&t, words[k]);
        text_puts(&t, "'");
    }
    said[t.size] = 0;
    return set_fault_said(f, "literal_error", said, name, value);
}

// O15
static bool read_seed(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    struct json_reader r = json_reader_of(value, 4);
    if (value.size && value.at[0] == '-' && type_of(value) == JSON_INT)
        return set_fault(f, "greater_than_equal", "Input should be greater than or equal to 0", name, value);
    o->seed = json_read_uint(&r, UINT64_MAX);
    o->has_seed = true;
    return !r.error ||
           set_fault(f, "int_type", "Input should be an integer from 0 to 18446744073709551615", name, value);
}

static bool read_episode(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_text(value, name, o->episode, sizeof o->episode, f);
}

static bool read_scenario(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_text(value, name, o->scenario, sizeof o->scenario, f);
}

static bool read_table(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_text(value, name, o->table, sizeof o->table, f);
}

static bool read_join(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_text(value, name, o->join, sizeof o->join, f);
}

static bool read_split(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_text(value, name, o->split, sizeof o->split, f);
}

static bool read_index(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_int(value, 0, INT32_MAX, name, &o->index, f);
}

static bool read_seats(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_small(value, 1, GAME_MAX_SEATS, name, &o->seats, f);
}

static bool read_players(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_small(value, 1, GAME_MAX_SEATS, name, &o->players, f);
}

// O40, O43
static bool read_max_illegal(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_small(value, 1, 1000000, name, &o->max_illegal, f);
}

// A number, "seat_2", or "random".
static bool read_seat(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    char word[16];
    if (type_of(value) == JSON_INT)
        return read_small(value, 0, GAME_MAX_SEATS - 1, name, &o->seat, f);
    if (!read_text(value, name, word, sizeof word, f))
        return false;
    o->seat = strcmp(word, "random") == 0 ? OPENENV_RANDOM_SEAT : 0;
    if (o->seat == OPENENV_RANDOM_SEAT || strcmp(word, "player") == 0)
        return true;
    while (o->seat < GAME_MAX_SEATS && strcmp(word, codec_seat_names[o->seat]) != 0)
        o->seat++;
    return o->seat < GAME_MAX_SEATS ||
           set_fault(f, "literal_error", "Input should be a seat: a number, 'seat_0' and so on, or 'random'", name,
                     value);
}

static bool read_illegal(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    static const char *const words[] = {"observation", "fallback", "forfeit", "error", NULL};
    return read_word(value, name, words, &o->illegal, f);
}

static bool read_prose(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    static const char *const words[] = {"full", "brief", "off", NULL};
    return read_word(value, name, words, &o->text, f);
}

static bool read_steps(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    static const char *const words[] = {"place", "tick", NULL};
    int word;
    if (!read_word(value, name, words, &word, f))
        return false;
    o->inputs = word == 1;
    return true;
}

static bool read_vector(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_bool(value, name, &o->vector, f);
}

static bool read_seeded(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    return read_bool(value, name, &o->seeded, f);
}

static bool read_wait(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    struct json_reader r = json_reader_of(value, 4);
    o->wait_s = json_read_real(&r);
    // O52: the official client gives up after 60 s (O33).
    if (r.error || o->wait_s < 0 || o->wait_s > 50)
        return set_fault(f, "float_type", "Input should be a number from 0 to 50", name, value);
    return true;
}

static bool read_rules(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    o->rules = value;
    return type_of(value) == JSON_OBJECT ||
           set_fault(f, "dict_type", "Input should be a valid dictionary", name, value);
}

static bool read_opponents(struct openenv_reset *o, struct span value, const char *name, struct openenv_fault *f)
{
    enum json_type type = type_of(value);
    o->opponents = value;
    return type == JSON_STRING || type == JSON_ARRAY ||
           set_fault(f, "string_type", "Input should be the name of a house bot, or a list of names", name, value);
}

static const struct option options[] = {
    {"seed", read_seed},       {"episode_id", read_episode}, {"scenario", read_scenario},
    {"seats", read_seats},     {"rules", read_rules},        {"seat", read_seat},
    {"split", read_split},     {"index", read_index},        {"opponents", read_opponents},
    {"illegal", read_illegal}, {"text", read_prose},         {"max_illegal", read_max_illegal},
    {"steps", read_steps},     {"vector", read_vector},      {"table", read_table},
    {"join", read_join},       {"players", read_players},    {"seeded", read_seeded},
    {"wait", read_wait},
};

static const struct option *find_option(struct json_string key)
{
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        if (json_string_is(key, options[i].name))
            return &options[i];
    return NULL;
}

bool openenv_read_reset(struct span data, struct openenv_reset *o, struct openenv_fault *f)
{
    // Members of the request around the options, over HTTP: no reason to warn (O40).
    static const char *const silent[] = {"session_id", "request_id", "timeout_s", NULL};
    struct json_reader r = json_reader_of(data, 64);
    struct json_string key;
    // The defaults of O40; wait_s -1: the server's (session_wait_s).
    *o = (struct openenv_reset){.index = -1, .seat = OPENENV_ANY_SEAT, .max_illegal = 10, .wait_s = -1};
    *f = (struct openenv_fault){0};
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        const struct option *option = find_option(key);
        if (option && type_of(value) == JSON_NULL)
            continue; // typed clients send what they leave open
        if (option && !option->read(o, value, option->name, f))
            return false;
        if (!option && json_string_among(key, silent) < 0 && o->warnings < OPENENV_WARNINGS)
            o->warned[o->warnings++] = key.raw.size < OPENENV_NAME ? key.raw : SPAN("(long)");
    }
    if (json_finish(&r) != OK)
        return set_fault(f, "dict_type", "Input should be a valid dictionary", "", data);
    return true;
}

// --- actions

int openenv_list_params(const struct env_facts *facts, char names[OPENENV_PARAMS][40])
{
    int count = 0;
    for (const struct env_action *a = facts->actions; a->name; a++) {
        struct json_reader r = json_reader_of(span_of(a->params), 64);
        struct json_string key;
        for (json_enter_object(&r); json_next_key(&r, &key); json_skip(&r)) {
            int i = 0;
            while (i < count && !json_string_is(key, names[i]))
                i++;
            if (i == count && count < OPENENV_PARAMS)
                json_string_copy(key, names[count++], sizeof names[0]);
        }
    }
    return count;
}

static bool is_param(struct json_string key, const char names[][40], int count)
{
    for (int i = 0; i < count; i++)
        if (json_string_is(key, names[i]))
            return true;
    return false;
}

enum { TYPE, INDEX, TEXT, METADATA, RANGE, TOOL_NAME, ARGUMENTS, MEMBERS };
// O41: `metadata` and `range` are known only to be ignored, so that a listed action can be sent back as it is.
static const char *const members[] = {"type", "index", "text", "metadata", "range", "tool_name", "arguments", NULL};

static bool read_tool(struct span given[MEMBERS], struct openenv_action *a, struct openenv_fault *f)
{
    a->form = json_string_is(a->type, "list_tools") ? OPENENV_LISTS : OPENENV_CALLS;
    if (a->form == OPENENV_LISTS)
        return true;
    if (type_of(given[TOOL_NAME]) != JSON_STRING)
        return set_fault(f, given[TOOL_NAME].size ? "string_type" : "missing",
                         given[TOOL_NAME].size ? "Input should be a valid string" : "Field required", "tool_name",
                         given[TOOL_NAME].size ? given[TOOL_NAME] : a->object);
    a->words = string_of(given[TOOL_NAME]);
    a->arguments = given[ARGUMENTS].size ? given[ARGUMENTS] : SPAN("{}");
    if (type_of(a->arguments) != JSON_OBJECT)
        return set_fault(f, "dict_type", "Input should be a valid dictionary", "arguments", a->arguments);
    return true;
}

// O41: the first of type, index and text that is there.
static bool read_form(struct span given[MEMBERS], struct openenv_action *a, struct openenv_fault *f)
{
    if (given[TYPE].size) {
        if (type_of(given[TYPE]) != JSON_STRING)
            return set_fault(f, "string_type", "Input should be a valid string", "type", given[TYPE]);
        a->type = string_of(given[TYPE]);
        if (json_string_is(a->type, "list_tools") || json_string_is(a->type, "call_tool"))
            return read_tool(given, a, f);
        a->form = json_string_is(a->type, "wait") ? OPENENV_WAITS : OPENENV_TYPED;
        return true;
    }
    if (given[INDEX].size) {
        a->form = OPENENV_NUMBERED;
        return read_int(given[INDEX], 0, INT32_MAX, "index", &a->number, f);
    }
    a->form = OPENENV_SPOKEN;
    if (!given[TEXT].size)
        return set_fault(f, "missing", "Field required: one of type, index and text", "type", a->object);
    if (type_of(given[TEXT]) != JSON_STRING)
        return set_fault(f, "string_type", "Input should be a valid string", "text", given[TEXT]);
    a->words = string_of(given[TEXT]);
    return true;
}

bool openenv_read_action(struct span data, const char names[][40], int count, struct openenv_action *a,
                         struct openenv_fault *f)
{
    struct json_reader r = json_reader_of(data, 64);
    struct json_string key;
    struct span given[MEMBERS] = {0};
    *a = (struct openenv_action){.object = data};
    *f = (struct openenv_fault){0};
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        bool null = json_peek(&r) == JSON_NULL;
        struct span value = json_read_raw(&r);
        int i = json_string_among(key, members);
        a->has_null |= null;
        if (i >= 0 && !null)
            given[i] = value;
        else if (i < 0 && !is_param(key, names, count))
            return set_fault_extra(f, key, value);
    }
    if (json_finish(&r) != OK)
        return set_fault(f, "dict_type", "Input should be a valid dictionary", "", data);
    return read_form(given, a, f);
}

// O22: typed clients send null for every member that the action does not have.
void openenv_write_without_nulls(struct text *t, struct span object)
{
    struct json_reader r = json_reader_of(object, 64);
    struct json_string key;
    text_put_char(t, '{');
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        bool null = json_peek(&r) == JSON_NULL;
        struct span value = json_read_raw(&r);
        if (null)
            continue;
        if (t->at[t->size - 1] != '{')
            text_put_char(t, ',');
        text_put_char(t, '"');
        text_put(t, key.raw);
        text_puts(t, "\":");
        text_put(t, value);
    }
    text_put_char(t, '}');
}
