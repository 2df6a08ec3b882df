// The connections of an assertion, and the values received on them.
#include "verify/gamerl_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RETRIES = 5 }; // of a call that the server put off

// --- values

json_t *gr_keep(struct gamerl *g, json_t *value)
{
    if (value)
        json_array_append_new(g->pool, value);
    return value;
}

json_t *gr_pack(struct gamerl *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *value = json_vpack_ex(NULL, 0, format, args);
    va_end(args);
    return gr_keep(g, value);
}

json_t *gr_get(json_t *value, const char *path)
{
    char name[64];
    while (*path && value) {
        size_t size = strcspn(path, ".");
        if (size >= sizeof name)
            return NULL;
        memcpy(name, path, size);
        name[size] = 0;
        value = json_is_array(value) ? json_array_get(value, (size_t)atol(name)) : json_object_get(value, name);
        path += size + (path[size] == '.');
    }
    return value;
}

int64_t gr_int(json_t *value, const char *path)
{
    json_t *found = gr_get(value, path);
    return json_is_real(found) ? (int64_t)json_real_value(found) : json_integer_value(found);
}

double gr_real(json_t *value, const char *path)
{
    return json_number_value(gr_get(value, path));
}

bool gr_true(json_t *value, const char *path)
{
    return json_is_true(gr_get(value, path));
}

const char *gr_text(json_t *value, const char *path)
{
    const char *text = json_string_value(gr_get(value, path));
    return text ? text : "";
}

size_t gr_mark(const struct gamerl *g)
{
    return json_array_size(g->pool);
}

void gr_trim(struct gamerl *g, size_t mark, json_t *but)
{
    json_incref(but);
    for (size_t n = json_array_size(g->pool); n > mark; n--)
        json_array_remove(g->pool, n - 1);
    gr_keep(g, but);
}

bool gr_shape(struct gamerl *g, const char *name, json_t *value)
{
    char pointer[64];
    struct schema_fault fault;
    if (!gr_goes_on(g))
        return false;
    snprintf(pointer, sizeof pointer, "#/$defs/%s", name);
    return schema_holds(g->schema, schema_at(g->schema, pointer), value, &fault) ||
           gr_check(g, false, "not valid as %s: %s", name, fault.why);
}

bool gr_same(json_t *a, json_t *b)
{
    return a && b && json_equal(a, b);
}

// --- connections

struct rpc *gr_open(struct gamerl *g)
{
    if (!gr_goes_on(g) || !gr_check(g, g->open_count < GR_MAX_OPEN, "too many connections"))
        return NULL;
    struct rpc *r = &g->open[g->open_count];
    bool opened = g->at_socket ? rpc_connect(r, g->o.socket) : rpc_spawn(r, g->o.command);
    if (!gr_check(g, opened, "%s", strerror(errno)))
        return NULL;
    r->patience = g->o.patience;
    g->open_count++;
    return r;
}

void gr_new_table(struct gamerl *g, char name[32])
{
    snprintf(name, 32, "verify-%d-%d", (int)getpid(), ++g->tables);
}

json_t *gr_initialize(struct gamerl *g, struct rpc *r, const char *revision, const char *table)
{
    json_t *params = json_pack("{s:s,s:{},s:{s:s,s:s}}", "protocolVersion", revision, "capabilities", "clientInfo",
                               "name", "agon-verify", "version", "1");
    if (table) {
        json_object_set_new(params, "_meta", json_pack("{s:s}", "agon/table", table));
        if (g->game[0] && g->o.command) // a host started separately has the game of its manifest
            json_object_set_new(json_object_get(params, "_meta"), "agon/game", json_string(g->game));
    }
    return gr_ask(g, r, "initialize", params);
}

static struct rpc *open_ready(struct gamerl *g, const char *table)
{
    struct rpc *r = gr_open(g);
    json_t *answer = r ? gr_initialize(g, r, "2025-11-25", table) : NULL;
    gr_check(g, answer && !gr_code(answer), "initialize was refused: %s", gr_text(answer, "error.message"));
    if (r)
        rpc_notify(r, "notifications/initialized", NULL);
    return gr_goes_on(g) ? r : NULL;
}

struct rpc *gr_connect(struct gamerl *g)
{
    char table[32];
    if (!g->at_socket)
        return open_ready(g, NULL);
    gr_new_table(g, table);
    return open_ready(g, table);
}

struct rpc *gr_connect_at(struct gamerl *g, const char *table)
{
    g->at_socket = true;
    return open_ready(g, table);
}

// --- requests

json_t *gr_answer(struct gamerl *g, struct rpc *r, int64_t id, int wait_ms)
{
    if (!r || !gr_goes_on(g))
        return NULL;
    json_t *answer = gr_keep(g, rpc_answer(r, id, wait_ms));
    if (r->ended)
        gr_check(g, answer, "no answer: the server has ended");
    else
        gr_check(g, answer, "no answer within %d ms", wait_ms);
    return answer;
}

static bool is_hurried(json_t *answer)
{
    return strcmp(gr_text(answer, "error.data.name"), "RateLimited") == 0 &&
           gr_int(answer, "error.data.retry_after_ms");
}

static void wait_before_retry(struct rpc *r, int ms)
{
    json_decref(rpc_find_note(r, "nothing of this name", ms < 2000 ? ms : 2000));
}

json_t *gr_ask(struct gamerl *g, struct rpc *r, const char *method, json_t *params)
{
    if (!r || !gr_goes_on(g)) {
        json_decref(params);
        return NULL;
    }
    json_t *again = gr_keep(g, json_incref(params));
    json_t *answer = gr_answer(g, r, rpc_send(r, method, params), RPC_WAIT_MS);
    for (int i = 0; i < MAX_RETRIES && is_hurried(answer); i++) { // G21.1
        wait_before_retry(r, (int)gr_int(answer, "error.data.retry_after_ms"));
        answer = gr_answer(g, r, rpc_send(r, method, json_incref(again)), RPC_WAIT_MS);
    }
    return answer;
}

static json_t *tool_params(const char *tool, const char *format, va_list args)
{
    json_t *arguments = json_vpack_ex(NULL, 0, format, args);
    return json_pack("{s:s,s:o}", "name", tool, "arguments", arguments);
}

json_t *gr_call(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *params = tool_params(tool, format, args);
    va_end(args);
    return gr_ask(g, r, "tools/call", params);
}

int64_t gr_send(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *params = tool_params(tool, format, args);
    va_end(args);
    if (r && gr_goes_on(g))
        return rpc_send(r, "tools/call", params);
    json_decref(params);
    return 0;
}

// A failure may be a result that says so (G4.7): "-32001 InvalidAction: ...".
int gr_code(json_t *answer)
{
    json_t *error = json_object_get(answer, "error");
    if (error)
        return gr_int(error, "code") ? (int)gr_int(error, "code") : -1;
    if (!gr_true(answer, "result.isError"))
        return 0;
    int code = atoi(gr_text(answer, "result.content.0.text"));
    return code ? code : -1;
}

json_t *gr_content(struct gamerl *g, json_t *answer)
{
    json_t *structured = gr_get(answer, "result.structuredContent");
    if (structured || !answer)
        return structured;
    return gr_keep(g, json_loads(gr_text(answer, "result.content.0.text"), 0, NULL));
}

// G30.3: everything that has a schema is checked against it.
static void check_shape(struct gamerl *g, const char *tool, json_t *content)
{
    if (strcmp(tool, "register_agent") == 0)
        gr_shape(g, strcmp(gr_text(content, "scope"), "systemic") == 0 ? "registered_systemic" : "registered_embodied",
                 content);
    else if (strcmp(tool, "sim_step") == 0 || strcmp(tool, "observe") == 0 || strcmp(tool, "reset") == 0)
        gr_shape(g, "step", content);
}

json_t *gr_must(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *params = tool_params(tool, format, args);
    va_end(args);
    json_t *answer = gr_ask(g, r, "tools/call", params), *content = gr_content(g, answer);
    if (!answer)
        return NULL;
    gr_check(g, gr_code(answer) == 0, "%s was refused: %d %.100s", tool, gr_code(answer),
             gr_text(answer, answer && json_object_get(answer, "error") ? "error.message" : "result.content.0.text"));
    gr_check(g, json_is_object(content), "%s has no structured content", tool);
    check_shape(g, tool, content);
    return gr_goes_on(g) ? content : NULL;
}

void gr_refused(struct gamerl *g, struct rpc *r, int code, const char *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *params = tool_params(tool, format, args);
    va_end(args);
    char *said = json_dumps(json_object_get(params, "arguments"), JSON_COMPACT);
    json_t *answer = gr_ask(g, r, "tools/call", params);
    gr_check(g, gr_code(answer) == code, "%s %.90s: %d, not %d", tool, said ? said : "", gr_code(answer), code);
    free(said);
}

json_t *gr_resource(struct gamerl *g, struct rpc *r, const char *uri)
{
    json_t *answer = gr_ask(g, r, "resources/read", json_pack("{s:s}", "uri", uri));
    json_t *value = gr_keep(g, json_loads(gr_text(answer, "result.contents.0.text"), 0, NULL));
    gr_check(g, json_is_object(value), "%s is no JSON object", uri);
    return gr_goes_on(g) ? value : NULL;
}

bool gr_offers(struct gamerl *g, const char *tool)
{
    return gr_check(g, json_object_get(g->tools, tool), "not offered: %s", tool);
}
