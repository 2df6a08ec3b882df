// /mcp: JSON-RPC over HTTP, on its own WebSocket, and inside messages of /ws (O35-O39). It is what the reference calls
// MCP, and enough of the Model Context Protocol that its clients can connect.
#include "front/openenv/openenv_internal.h"

#include <stdio.h>

// Codes of JSON-RPC; FULL is OpenEnv's (O37).
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, INVALID_PARAMS = -32602, FULL = -32000 };

struct rpc {
    struct span id, params; // id JSON; null when there was none
    char method[64];
};

static const struct {
    const char *name, *description, *schema;
} tools[] = {
    {"play",
     "Play an action: an object as listed in legal, the number of one, or words such as \"raise 400\". The reply is "
     "the "
     "situation when it is your turn again, with what you may do.",
     "{\"type\":\"object\",\"properties\":{\"action\":{\"description\":\"the action\",\"anyOf\":[{\"type\":\"object\"},"
     "{\"type\":\"string\"},{\"type\":\"integer\"}]}},\"required\":[\"action\"],\"additionalProperties\":false}"},
    {"look", "The situation as it is now, and what you may do.",
     "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
    {"rules", "The rules of the game and how actions are written.",
     "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
};
enum { PLAY, LOOK, RULES, TOOLS };

// An array; the key is inputSchema, or input_schema.
static void write_tools(struct text *t, const char *schema_key)
{
    json_begin_array(t);
    for (int i = 0; i < TOOLS; i++) {
        json_begin_object(t);
        json_put_text(t, "name", tools[i].name);
        json_put_text(t, "description", tools[i].description);
        json_write_key(t, schema_key, strlen(schema_key));
        json_write_raw(t, span_of(tools[i].schema));
        json_end_object(t);
    }
    json_end_array(t);
}

void reply_tools(struct session *s)
{
    struct text *t = &s->host->out;
    bool http = s->channel == ON_HTTP_STEP;
    s->steps++;
    reply_begin(s->host);
    text_puts(t, http ? "" : "{\"type\":\"observation\",\"data\":");
    text_puts(t, "{\"observation\":{\"tools\":");
    write_tools(t, "input_schema");
    text_puts(t, ",\"metadata\":{}},\"reward\":0.0,\"done\":false}");
    text_puts(t, http ? "" : "}");
    reply_send(s, 200);
}

// --- messages

static bool read_rpc(struct span text, struct rpc *q, int *code, const char **why)
{
    struct json_reader r = json_reader_of(text, 64);
    struct json_string key;
    struct span version = {0}, method = {0};
    *q = (struct rpc){.id = SPAN("null"), .params = SPAN("{}")};
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (json_string_is(key, "jsonrpc"))
            version = value;
        else if (json_string_is(key, "method"))
            method = value;
        else if (json_string_is(key, "params"))
            q->params = value;
        else if (json_string_is(key, "id"))
            q->id = value;
    }
    struct json_reader again = json_reader_of(text, 64), id = json_reader_of(q->id, 4), m = json_reader_of(method, 4),
                       params = json_reader_of(q->params, 4);
    *code = INVALID_REQUEST;
    *why = "Invalid request: jsonrpc and method are required";
    // O35: what is no JSON is a PARSE_ERROR, what is no object an INVALID_REQUEST.
    if (json_finish(&r) != OK) {
        q->id = SPAN("null"); // it may be what could not be read
        json_skip(&again);
        if (json_finish(&again) != OK)
            *code = PARSE_ERROR, *why = "Parse error";
        return false;
    }
    enum json_type type = json_peek(&id);
    if (type != JSON_STRING && type != JSON_INT && type != JSON_NULL) {
        q->id = SPAN("null");
        *why = "Invalid request: id must be a string, an integer or null";
        return false;
    }
    if (!span_is(version, "\"2.0\"") || !method.size ||
        json_string_copy(json_read_string(&m), q->method, sizeof q->method) < 0 || m.error)
        return false;
    *code = INVALID_PARAMS;
    *why = "Params must be an object";
    if (json_peek(&params) == JSON_NULL)
        q->params = SPAN("{}");
    else if (json_peek(&params) != JSON_OBJECT)
        return false;
    return true;
}

static void write_error(struct text *t, struct span id, int code, const char *message, struct span data)
{
    json_begin_object(t);
    json_put_text(t, "jsonrpc", "2.0");
    json_put_raw(t, "id", id);
    json_begin_object_at(t, "error");
    json_put_int(t, "code", code);
    json_put_text(t, "message", message);
    json_put_raw(t, "data", data.size ? data : SPAN("null"));
    json_end_object(t);
    json_end_object(t);
}

static void begin_result(struct text *t, struct span id)
{
    json_begin_object(t);
    json_put_text(t, "jsonrpc", "2.0");
    json_put_raw(t, "id", id);
    json_begin_object_at(t, "result");
}

static void end_result(struct text *t)
{
    json_end_object(t);
    json_end_object(t);
}

// A string member of the parameters; false: there is none, or it is too long.
static bool read_word(struct span params, const char *name, char *out, size_t room)
{
    struct span value = json_member(params, name);
    struct json_reader r = json_reader_of(value, 4);
    return value.size && json_peek(&r) == JSON_STRING && json_string_copy(json_read_string(&r), out, room) > 0;
}

// --- what needs no session

static void write_welcome(struct text *t, const struct openenv *o, const struct served *g, const struct rpc *q)
{
    // Newest first: a client that asks for another one is offered the newest.
    static const char *const known[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};
    char version[24] = "", name[64];
    int i = 0;
    read_word(q->params, "protocolVersion", version, sizeof version);
    while (known[i] && strcmp(known[i], version) != 0)
        i++;
    snprintf(name, sizeof name, "agon-%s", g->kit->game->name);
    begin_result(t, q->id);
    json_put_text(t, "protocolVersion", known[i] ? known[i] : known[0]);
    json_put_raw(t, "capabilities", SPAN("{\"tools\":{}}"));
    json_begin_object_at(t, "serverInfo");
    json_put_text(t, "name", name);
    json_put_text(t, "version", o->options.version);
    json_end_object(t);
    json_put_text(t, "instructions", "Call rules, then look, then play until the game is over.");
    end_result(t);
}

// True: the method is one of these, and its reply is in `t`, empty for a notification.
static bool answer_plainly(struct text *t, const struct openenv *o, const struct served *g, const struct rpc *q)
{
    if (strncmp(q->method, "notifications/", 14) == 0)
        return true;
    if (strcmp(q->method, "initialize") == 0) {
        write_welcome(t, o, g, q);
    } else if (strcmp(q->method, "ping") == 0) {
        begin_result(t, q->id);
        end_result(t);
    } else if (strcmp(q->method, "tools/list") == 0) {
        begin_result(t, q->id);
        json_key(t, "tools");
        write_tools(t, "inputSchema");
        end_result(t);
    } else {
        return false;
    }
    return true;
}

static void write_no_method(struct text *t, const struct rpc *q)
{
    char why[96];
    snprintf(why, sizeof why, "Method not found: %s", q->method);
    write_error(t, q->id, NO_METHOD, why, (struct span){0});
}

static void write_created(struct text *t, const struct openenv *o, const struct session *s, struct span id)
{
    char why[128], data[96];
    if (s) {
        begin_result(t, id);
        json_put_text(t, "session_id", s->id);
        end_result(t);
        return;
    }
    snprintf(why, sizeof why, "Server at capacity: %d/%d sessions active. Cannot accept new connections.",
             o->figures.sessions, o->options.max_sessions);
    snprintf(data, sizeof data, "{\"active_sessions\":%d,\"max_sessions\":%d}", o->figures.sessions,
             o->options.max_sessions);
    write_error(t, id, FULL, why, span_of(data));
}

static void write_unknown(struct text *t, struct span id, const char *session)
{
    char why[128];
    snprintf(why, sizeof why, "Unknown session_id: %s", session);
    write_error(t, id, INVALID_PARAMS, why, (struct span){0});
}

static void close_session(struct text *t, struct openenv *o, const struct served *g, const struct session *own,
                          const struct rpc *q)
{
    char id[80] = "";
    if (!read_word(q->params, "session_id", id, sizeof id)) {
        write_error(t, q->id, INVALID_PARAMS, "Invalid params - 'session_id' is required", (struct span){0});
        return;
    }
    struct session *s = session_find(o, g, span_of(id));
    if (!s) {
        write_unknown(t, q->id, id);
        return;
    }
    if (s == own) {
        write_error(t, q->id, INVALID_REQUEST, "Cannot close active WebSocket-managed session via MCP method",
                    (struct span){0});
        return;
    }
    bool attached = s->ws != NULL;
    if (attached)
        s->owned = true; // it ends with its socket
    else
        session_end(s);
    t->size = 0; // others at its table may have been told something, by way of this text
    begin_result(t, q->id);
    json_put_text(t, "session_id", id);
    json_put_bool(t, "closed", !attached);
    if (attached)
        json_put_bool(t, "closing", true);
    end_result(t);
}

// --- tools

static int find_tool(struct json_string name)
{
    for (int i = 0; i < TOOLS; i++)
        if (json_string_is(name, tools[i].name))
            return i;
    return -1;
}

// The action of play: an object, words or a number.
static bool read_action(struct session *s, struct span given, struct openenv_action *a, struct openenv_fault *f)
{
    struct text *t = &s->host->extra;
    struct json_reader r = json_reader_of(given, 64);
    enum json_type type = given.size ? json_peek(&r) : JSON_NONE;
    if (type == JSON_STRING || type == JSON_INT) {
        t->size = 0;
        text_puts(t, type == JSON_INT ? "{\"index\":" : "{\"text\":");
        text_put(t, given);
        text_put_char(t, '}');
        given = text_span(t);
    }
    return openenv_read_action(given, (const char(*)[40])s->game->params, s->game->param_count, a, f);
}

static void play_action(struct session *s, struct span arguments)
{
    struct openenv_action a;
    struct openenv_fault f;
    struct span given = json_member(arguments, "action");
    if (!given.size) {
        reply_tool_error(s, "invalid_args", "play needs the argument action");
        return;
    }
    if (!read_action(s, given, &a, &f)) {
        reply_tool_error(s, "invalid_args", openenv_fault_text(&f));
        return;
    }
    if (a.form == OPENENV_LISTS || a.form == OPENENV_CALLS) {
        reply_tool_error(s, "invalid_args", "play takes one action: an object with its type, a number, or words");
        return;
    }
    const struct text *extra = &s->host->extra;
    if (a.form == OPENENV_SPOKEN && a.words.raw.at >= extra->at && a.words.raw.at < extra->at + extra->size) {
        // Others may use that space while the reset below gives way.
        s->entry.size = 0;
        text_put(&s->entry, a.words.raw);
        a.words.raw = text_span(&s->entry);
    }
    if (session_begin_default(s))
        session_act(s, &a);
}

void openenv_mcp_call(struct session *s, struct json_string tool, struct span arguments)
{
    int i = find_tool(tool);
    s->tool = true;
    if (json_string_copy(tool, s->tool_name, sizeof s->tool_name) < 0)
        snprintf(s->tool_name, sizeof s->tool_name, "(long)");
    if (i < 0) {
        reply_tool_error(s, "tool_not_found", "unknown tool; tools: play, look, rules");
        return;
    }
    if (i == PLAY) {
        play_action(s, arguments);
        return;
    }
    // O23: only requests of the type `step` count, and a tool came as such a request if it has no id of JSON-RPC (O39).
    s->steps += s->id_json.size == 0;
    if (i == RULES)
        reply_rules(s);
    else if (session_begin_default(s))
        reply_now(s, NEXT_OBSERVATION);
}

// --- in a session's job

static void send_text(struct session *s, struct span text)
{
    struct text *t = &s->host->out;
    bool wrapped = s->channel == ON_WS;
    reply_begin(s->host);
    if (wrapped)
        text_puts(t, "{\"type\":\"mcp\",\"data\":");
    text_put(t, text);
    if (wrapped)
        text_put_char(t, '}');
    reply_send(s, 200);
}

static void call_tool(struct session *s, const struct rpc *q)
{
    struct span name = json_member(q->params, "name"), arguments = json_member(q->params, "arguments");
    struct json_reader r = json_reader_of(name, 4), a = json_reader_of(arguments, 4);
    struct text *t = &s->host->scratch;
    t->size = 0;
    struct json_string tool = json_read_string(&r);
    if (!name.size || r.error || !tool.raw.size)
        write_error(t, q->id, INVALID_PARAMS, "Missing 'name' in params", (struct span){0});
    else if (arguments.size && json_peek(&a) != JSON_OBJECT)
        write_error(t, q->id, INVALID_PARAMS, "arguments must be an object", (struct span){0});
    if (t->size) {
        send_text(s, text_span(t));
        return;
    }
    s->id_json.size = 0;
    text_put(&s->id_json, q->id);
    openenv_mcp_call(s, tool, arguments.size ? arguments : SPAN("{}"));
}

void openenv_mcp_message(struct session *s, struct span text)
{
    struct rpc q;
    int code;
    const char *why;
    struct text *t = &s->host->scratch;
    t->size = 0;
    if (!read_rpc(text, &q, &code, &why))
        write_error(t, q.id, code, why, (struct span){0});
    else if (strcmp(q.method, "tools/call") == 0) {
        call_tool(s, &q);
        return;
    } else if (strcmp(q.method, "openenv/session/create") == 0)
        write_created(t, s->host, s, q.id);
    else if (strcmp(q.method, "openenv/session/close") == 0)
        close_session(t, s->host, s->game, s, &q);
    else if (!answer_plainly(t, s->host, s->game, &q))
        write_no_method(t, &q);
    if (!t->size && s->channel == ON_MCP_WS)
        return; // a notification
    send_text(s, t->size ? text_span(t) : SPAN("{}"));
}

// --- over HTTP

static void reply_text(struct http_request *r, struct text *t)
{
    if (t->size)
        http_reply(r, 200, "application/json", text_span(t));
    else
        http_reply(r, 202, NULL, SPAN(""));
}

static void post_call(struct openenv *o, struct served *g, struct http_request *r, const struct rpc *q)
{
    char id[80] = "";
    struct text *t = &o->scratch;
    struct span header = http_header(r, "MCP-Session-Id");
    bool named = read_word(q->params, "session_id", id, sizeof id);
    if (!named && header.size && header.size < sizeof id) {
        snprintf(id, sizeof id, "%.*s", (int)header.size, header.at);
        named = true;
    }
    struct session *s = named ? session_find(o, g, span_of(id)) : session_create(o, g, http_client(r));
    if (!s && named)
        write_unknown(t, q->id, id);
    else if (!s)
        write_created(t, o, NULL, q->id);
    else if (s->under_way || s->pending != NOTHING)
        write_error(t, q->id, INVALID_REQUEST, "another request of this session is in progress; wait for its response",
                    (struct span){0});
    else if (!session_add(s, ON_MCP, http_body(r)))
        write_error(t, q->id, INVALID_REQUEST, "too many requests of this session are queued; wait for a response",
                    (struct span){0});
    if (t->size || !s) {
        reply_text(r, t);
        return;
    }
    // O38: without a session's id the call has a table of its own, which ends with its reply.
    s->once = !named;
    s->under_way = true;
    s->request = r;
    http_set_data(r, &s->request);
    session_run(s);
}

void openenv_mcp_post(struct openenv *o, struct served *g, struct http_request *r)
{
    struct rpc q;
    int code;
    const char *why;
    struct text *t = &o->scratch;
    t->size = 0;
    if (!read_rpc(http_body(r), &q, &code, &why)) {
        write_error(t, q.id, code, why, (struct span){0});
    } else if (strcmp(q.method, "tools/call") == 0) {
        post_call(o, g, r, &q);
        return;
    } else if (strcmp(q.method, "openenv/session/create") == 0) {
        write_created(t, o, session_create(o, g, http_client(r)), q.id);
    } else if (strcmp(q.method, "openenv/session/close") == 0) {
        close_session(t, o, g, NULL, &q);
    } else if (strcmp(q.method, "initialize") == 0) { // a client of MCP: its calls share a table
        struct session *s = session_create(o, g, http_client(r));
        if (s)
            http_add_header(r, "MCP-Session-Id", s->id);
        write_welcome(t, o, g, &q);
    } else if (!answer_plainly(t, o, g, &q)) {
        write_no_method(t, &q);
    }
    reply_text(r, t);
}
