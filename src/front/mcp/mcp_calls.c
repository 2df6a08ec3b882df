// tools/call: passed to Game-RL, which replies at once or later; cancellation and progress (G4, G6.7).
#include "front/mcp/mcp_internal.h"

#include <stdio.h>
#include <stdlib.h>

static struct mcp_call *call_create(const struct mcp_request *a)
{
    struct mcp_host *h = a->s->host;
    struct mcp_call *c = TAILQ_FIRST(&h->spare);
    if (c)
        TAILQ_REMOVE(&h->spare, c, all);
    else if (!(c = malloc(sizeof *c)))
        return NULL;
    c->number = ++h->calls;
    c->env = a->s->env;
    c->modern = a->modern;
    snprintf(c->known_as, sizeof c->known_as, "%s", a->known_as ? a->known_as : "");
    c->tag = a->tag;
    c->batch = a->batch;
    c->progress = 0;
    c->progress_us = INT64_MIN;
    c->id.size = a->id->size;
    memcpy(c->id.at, a->id->at, a->id->size);
    c->token.size = 0;
    TAILQ_INSERT_HEAD(&a->s->calls, c, all);
    return c;
}

static void call_return(struct mcp_session *s, struct mcp_call *c)
{
    TAILQ_REMOVE(&s->calls, c, all);
    TAILQ_INSERT_HEAD(&s->host->spare, c, all);
}

void mcp_call_free(struct mcp_session *s, struct mcp_call *c)
{
    struct mcp_batch *b = c->batch;
    call_return(s, c);
    if (b)
        mcp_batch_leave(s, b);
}

static const struct env_tool *find_tool(const struct mcp_session *s, struct json_string name)
{
    for (const struct env_tool *t = mcp_tools_of(s); t->name; t++)
        if (json_string_is(name, t->name))
            return t;
    return NULL;
}

static void refuse_tool(const struct mcp_request *a)
{
    char bytes[1024];
    struct text data = text_on(bytes, sizeof bytes);
    json_begin_array_at(&data, "known");
    for (const struct env_tool *t = mcp_tools_of(a->s); t->name; t++)
        json_write_text(&data, t->name);
    json_end_array(&data);
    mcp_refuse(a, a->modern ? MCP_INVALID_PARAMS : MCP_UNKNOWN_METHOD, "UnknownTool",
               "there is no such tool; data.known lists all", text_span(&data));
}

// False: there is no more room, and the list is cut.
static bool put_unknown(const struct env *env, const struct env_tool *tool, struct json_string key, struct text *out)
{
    size_t before = out->size;
    if (env_is_argument(env, tool, key))
        return true;
    codec_write(out, "%s\"%.*s\"", before ? ", " : "", (int)(key.raw.size < 40 ? key.raw.size : 40), key.raw.at);
    if (out->full)
        out->size = before;
    return !out->full;
}

// M54: arguments that the tool does not have, as "one", "two"; nothing when it has them all.
static void write_unknown(const struct env *env, const struct env_tool *tool, const struct mcp_call_params *p,
                          struct text *out)
{
    struct json_reader r;
    struct json_string key;
    for (int i = 0; i < p->key_count && p->key_count <= MCP_KEYS; i++)
        if (!put_unknown(env, tool, p->key[i], out))
            return;
    if (p->key_count <= MCP_KEYS)
        return;
    r = json_reader_of(p->arguments, MCP_MAX_DEPTH);
    for (json_enter_object(&r); json_next_key(&r, &key) && put_unknown(env, tool, key, out);)
        json_skip(&r);
}

static void run_call(const struct mcp_request *a, struct mcp_call *c, const struct env_tool *tool,
                     const struct mcp_call_params *p)
{
    struct mcp_session *s = a->s;
    uint64_t number = c->number;
    struct env_result r = {0};
    bool wanted = c->token.size > 0;
    struct text unknown = text_on(c->unknown, sizeof c->unknown - 1);
    write_unknown(s->host->env, tool, p, &unknown);
    c->unknown[unknown.size] = 0;
    if (a->batch)
        a->batch->open++;
    // Before env_call, which may report progress already.
    if (wanted && !a->batch && s->link->stream)
        s->link->stream(s->conn, a->tag);
    struct env_conn *env = c->env;
    if (!env_call(env, number, span_of(tool->name), p->arguments, wanted, s->host->now_us, &r))
        return; // answered by on_answer, sooner or later
    struct mcp_request answered = *a;
    answered.unknown = c->unknown;
    answered.known_as = c->known_as;
    if (a->modern && tool == env_tools && !r.code) // register_agent
        mcp_party_name(s, &r, c->known_as);
    (tool->output ? mcp_write_tool_result : mcp_write_player_result)(&answered, &r);
    mcp_call_free(s, c);
    if (!tool->output) // a join that was refused, or a leave, leaves an empty seat
        mcp_seat_end_call(s->host, env, false);
}

// The params as they were read with the message; read again if they were rewritten since.
static const struct mcp_call_params *params_of(const struct mcp_request *a, struct mcp_call_params *anew)
{
    if (a->call)
        return a->call;
    struct json_reader r = json_reader_of(a->params.size ? a->params : SPAN("{}"), MCP_MAX_DEPTH);
    mcp_call_params_read(anew, &r);
    return anew;
}

void mcp_do_tools_call(const struct mcp_request *a)
{
    struct mcp_call_params anew;
    struct mcp_call *c = call_create(a);
    if (!c) {
        mcp_refuse(a, MCP_INTERNAL, "Internal", "no memory", SPAN(""));
        return;
    }
    const struct mcp_call_params *p = params_of(a, &anew);
    const struct env_tool *tool = p->is_object && p->named ? find_tool(a->s, p->name) : NULL;
    c->token.size = p->is_object ? p->token.size : 0;
    memcpy(c->token.at, p->token.at, c->token.size);
    if (p->is_object && p->named && a->s->host->options.fixtures && mcp_fixture_call(a, p->name, &c->token)) {
        call_return(a->s, c);
        return;
    }
    if (tool && !p->bad_arguments) {
        if (!tool->output)
            c->env = mcp_seat_find_conn(a, tool, p->arguments);
        if (c->env)
            run_call(a, c, tool, p);
        else
            call_return(a->s, c);
        return;
    }
    if (!p->is_object)
        mcp_refuse_params(a, "", "an object");
    else if (!p->named)
        mcp_refuse_params(a, "/name", "a string, the name of a tool");
    else if (!tool)
        refuse_tool(a);
    else
        mcp_refuse_params(a, "/arguments", "an object");
    call_return(a->s, c);
}

// G6.7: unknown ids are ignored; a cancelled call is never answered.
void mcp_cancel(struct mcp_session *s, struct span params)
{
    struct json_reader r = json_reader_of(params, MCP_MAX_DEPTH);
    struct json_string key;
    struct mcp_id id = {.size = 0};
    struct mcp_call *c;
    if (json_peek(&r) != JSON_OBJECT)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "requestId"))
            mcp_id_read(&id, &r);
        else
            json_skip(&r);
    struct mcp_listen *l;
    LIST_FOREACH(l, &s->listens, all)
        if (id.size && mcp_id_equals(&l->id, &id)) {
            mcp_end_listen(s, l, false);
            return;
        }
    TAILQ_FOREACH(c, &s->calls, all)
        if (id.size && mcp_id_equals(&c->id, &id))
            break;
    if (!c)
        return;
    uint64_t number = c->number, tag = c->tag;
    struct env_conn *env = c->env;
    bool alone = !c->batch;
    mcp_call_free(s, c); // before env_cancel, so that a late answer of env finds no call
    env_cancel(env, number);
    if (alone && s->link->end)
        s->link->end(s->conn, tag);
}
