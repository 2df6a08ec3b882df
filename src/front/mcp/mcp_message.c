#include "front/mcp/mcp_message.h"

#include "base/json_write.h"

static const int64_t MAX_INTEGER = (int64_t)1 << 53;

static bool id_keep(struct mcp_id *id, struct text *t)
{
    id->size = t->full ? 0 : (uint16_t)t->size;
    return id->size > 0;
}

static bool read_string_id(struct mcp_id *id, struct json_reader *r)
{
    char plain[MCP_MAX_ID + 1];
    struct text t = text_on(id->at, sizeof id->at);
    int size = json_string_unescape(json_read_string(r), plain, sizeof plain);
    if (r->error || size < 0)
        return false;
    json_write_string(&t, (struct span){plain, (size_t)size});
    return id_keep(id, &t);
}

static bool read_number_id(struct mcp_id *id, struct json_reader *r, bool whole)
{
    struct text t = text_on(id->at, sizeof id->at);
    struct json_reader copy = *r;
    double real = whole ? 0 : json_read_real(&copy); // G2.7: 1.0 is an integer
    bool fits = real >= (double)-MAX_INTEGER && real <= (double)MAX_INTEGER;
    int64_t value = whole ? json_read_int(&copy, -MAX_INTEGER, MAX_INTEGER) : fits ? (int64_t)real : 0;
    json_skip(r);
    if (copy.error || !fits || (!whole && real != (double)value))
        return false;
    json_write_int(&t, value);
    return id_keep(id, &t);
}

bool mcp_id_read(struct mcp_id *id, struct json_reader *r)
{
    id->size = 0;
    enum json_type type = json_peek(r);
    if (type == JSON_STRING)
        return read_string_id(id, r);
    if (type == JSON_INT || type == JSON_REAL)
        return read_number_id(id, r, type == JSON_INT);
    json_skip(r);
    return false;
}

bool mcp_id_equals(const struct mcp_id *a, const struct mcp_id *b)
{
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

// --- the params of a call

static void read_token(struct json_reader *r, struct mcp_id *token)
{
    struct json_string key;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "progressToken"))
            mcp_id_read(token, r);
        else
            json_skip(r);
}

static void read_arguments(struct mcp_call_params *p, struct json_reader *r)
{
    struct json_string key;
    p->bad_arguments = json_peek(r) != JSON_OBJECT;
    p->key_count = 0;
    if (p->bad_arguments) {
        p->arguments = json_read_raw(r);
        return;
    }
    const char *start = r->at;
    for (json_enter_object(r); json_next_key(r, &key); json_skip(r))
        if (p->key_count++ < MCP_KEYS)
            p->key[p->key_count - 1] = key;
    p->arguments = (struct span){start, (size_t)(r->at - start)};
}

void mcp_call_params_read(struct mcp_call_params *p, struct json_reader *r)
{
    struct json_string key;
    p->is_object = json_peek(r) == JSON_OBJECT;
    p->named = p->bad_arguments = false;
    p->arguments = SPAN("{}");
    p->key_count = 0;
    p->token.size = 0;
    if (!p->is_object) {
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "name") && json_peek(r) == JSON_STRING) {
            p->name = json_read_string(r);
            p->named = true;
        } else if (json_string_is(key, "arguments")) {
            if (!json_read_if_null(r))
                read_arguments(p, r);
        } else if (json_string_is(key, "_meta")) {
            read_token(r, &p->token);
        } else {
            json_skip(r);
        }
    }
}

// --- messages

static struct span read_params(struct mcp_call_params *p, struct json_reader *r)
{
    p->is_object = false;
    if (json_read_if_null(r))
        return (struct span){0};
    json_peek(r); // past white space
    const char *start = r->at;
    mcp_call_params_read(p, r);
    return r->error ? (struct span){0} : (struct span){start, (size_t)(r->at - start)};
}

// Which members a message has at its top level; of duplicate keys the last one counts.
struct parts {
    bool version, has_id, good_id, has_method, good_method, answers;
};

static void read_member(struct mcp_message *m, struct parts *p, struct json_reader *r, struct json_string key)
{
    static const char *const keys[] = {"jsonrpc", "id", "method", "params", "result", "error", NULL};
    switch (json_string_among(key, keys)) {
    case 0:
        p->version = json_peek(r) == JSON_STRING;
        if (p->version)
            p->version = json_string_is(json_read_string(r), "2.0");
        else
            json_skip(r);
        break;
    case 1:
        p->has_id = true;
        p->good_id = mcp_id_read(&m->id, r);
        break;
    case 2:
        p->has_method = true;
        p->good_method = json_peek(r) == JSON_STRING;
        if (p->good_method)
            m->method = json_read_string(r);
        else
            json_skip(r);
        break;
    case 3:
        m->params = read_params(&m->call, r);
        break;
    case 4:
        p->answers = true;
        m->answer = json_read_raw(r);
        break;
    case 5:
        p->answers = true;
        json_skip(r);
        break;
    default:
        json_skip(r);
    }
}

static enum mcp_kind kind_of(struct mcp_message *m, const struct parts *p)
{
    if (!p->has_method && p->answers)
        return MCP_RESPONSE;
    m->fault = !p->version       ? "jsonrpc must be \"2.0\""
               : !p->has_method  ? "a message needs a method"
               : !p->good_method ? "method must be a string"
               : p->has_id && !p->good_id
                   ? "id must be a string of at most 256 bytes or an integer of at most 2^53 in magnitude"
                   : NULL;
    if (m->fault)
        return MCP_INVALID;
    return p->has_id ? MCP_REQUEST : MCP_NOTIFICATION;
}

int mcp_message_read(struct mcp_message *m, struct span text)
{
    struct json_reader r = json_reader_of(text, MCP_MAX_DEPTH);
    struct json_string key;
    struct parts p = {0};
    m->kind = MCP_INVALID;
    m->method = (struct json_string){0};
    m->params = m->answer = (struct span){0};
    m->call.is_object = false;
    m->fault = "a message must be a JSON object";
    m->id.size = 0;
    if (json_peek(&r) != JSON_OBJECT) {
        json_skip(&r);
        return json_finish(&r);
    }
    for (json_enter_object(&r); json_next_key(&r, &key);)
        read_member(m, &p, &r, key);
    int err = json_finish(&r);
    if (err == OK)
        m->kind = kind_of(m, &p);
    return err;
}

const char *mcp_parse_name(int err)
{
    return err == ERR_UTF8 ? "BadUtf8" : err == ERR_DEPTH ? "TooDeep" : err == ERR_TOO_LONG ? "TooLarge" : "ParseError";
}
