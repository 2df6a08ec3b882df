// Plain HTTP: what an environment is, and episodes by resets and steps with a session's id (O10-O17).
#include "front/openenv/openenv_internal.h"

#include "crypto/crypto.h"

#include <stdio.h>
#include <strings.h>

static const char json_type[] = "application/json";

void openenv_http_detail(struct http_request *r, int status, const char *detail)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_put_text(&t, "detail", detail);
    json_end_object(&t);
    if (status == 503)
        http_add_header(r, "Retry-After", "1");
    http_reply(r, status, json_type, text_span(&t));
}

// --- what needs no session

static void show_health(struct openenv *o, struct served *g, struct http_request *r)
{
    (void)g;
    if (o->stopping)
        http_reply(r, 503, json_type, SPAN("{\"status\":\"unhealthy\"}"));
    else
        http_reply(r, 200, json_type, SPAN("{\"status\":\"healthy\"}"));
}

static void show_metadata(struct openenv *o, struct served *g, struct http_request *r)
{
    o->scratch.size = 0;
    openenv_write_metadata(&o->scratch, o, g);
    http_reply(r, 200, json_type, text_span(&o->scratch));
}

static void show_schema(struct openenv *o, struct served *g, struct http_request *r)
{
    (void)o;
    http_reply(r, 200, json_type, text_span(&g->schemas));
}

static void show_openapi(struct openenv *o, struct served *g, struct http_request *r)
{
    char base[96] = "";
    struct span path = http_path(r);
    if (path.size > sizeof "/openapi.json" - 1)
        snprintf(base, sizeof base, "%.*s", (int)(path.size - (sizeof "/openapi.json" - 1)), path.at);
    o->scratch.size = 0;
    openenv_write_openapi(&o->scratch, o, g, base[0] ? base : "/");
    http_reply(r, 200, json_type, text_span(&o->scratch));
}

static void show_page(struct openenv *o, struct served *g, struct http_request *r)
{
    char page[512];
    (void)o;
    int size =
        snprintf(page, sizeof page,
                 "%s as an OpenEnv environment.\n\n%s\n\nGET /health /metadata /schema /openapi.json, POST /reset "
                 "/step, GET /state,\nWebSocket /ws, JSON-RPC /mcp, all below this address.\n",
                 g->kit->codec->title, g->kit->codec->summary);
    http_reply(r, 200, "text/plain; charset=utf-8", (struct span){page, (size_t)size});
}

// --- sessions by id

// By the body, the query or the header. False: none was named.
static bool name_session(struct http_request *r, struct span body, char *id, size_t room)
{
    struct span value = json_member(body, "session_id"), header = http_header(r, "X-OpenEnv-Session");
    struct json_reader in = json_reader_of(value, 4);
    id[0] = 0;
    if (value.size && json_peek(&in) == JSON_STRING)
        return json_string_copy(json_read_string(&in), id, room) >= 0 || (id[0] = 0, true);
    if (http_query(r, "session_id", id, room))
        return true;
    if (!header.at)
        return false;
    snprintf(id, room, "%.*s", (int)(header.size < room ? header.size : 0), header.at);
    return true;
}

static void refuse_fault(struct http_request *r, const struct openenv_fault *f)
{
    char bytes[2048];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_key(&t, "detail");
    openenv_write_fault(&t, f, true);
    json_end_object(&t);
    http_reply(r, 422, json_type, text_span(&t));
}

// The id is repeated in a header (O17), which may not contain control characters.
static bool read_request_id(struct json_reader *r, char id[OPENENV_EPISODE])
{
    int size = json_peek(r) == JSON_STRING ? json_string_copy(json_read_string(r), id, OPENENV_EPISODE) : -1;
    for (int i = 0; i < size; i++)
        if ((unsigned char)id[i] < ' ' || id[i] == 0x7f)
            return false;
    return size >= 0;
}

// O15: request_id and timeout_s. False: refused, and the error was sent.
static bool check_common(struct http_request *r, struct span body, char request_id[OPENENV_EPISODE])
{
    struct openenv_fault f = {0};
    struct span id = json_member(body, "request_id"), limit = json_member(body, "timeout_s");
    struct json_reader in = json_reader_of(id, 4), seconds = json_reader_of(limit, 4);
    request_id[0] = 0;
    if (json_type_of(body, 64) != JSON_OBJECT) {
        f = (struct openenv_fault){
            .type = "json_invalid", .msg = "JSON decode error: an object is expected", .input = SPAN("{}")};
    } else if (id.size && json_peek(&in) != JSON_NULL && !read_request_id(&in, request_id)) {
        f = (struct openenv_fault){.type = "string_type",
                                   .msg = "Input should be a string of at most 255 characters, no control characters",
                                   .loc = {"request_id"},
                                   .input = id};
    } else if (limit.size && json_peek(&seconds) != JSON_NULL && (json_read_real(&seconds) <= 0 || seconds.error)) {
        f = (struct openenv_fault){
            .type = "greater_than", .msg = "Input should be greater than 0", .loc = {"timeout_s"}, .input = limit};
    }
    if (f.type)
        refuse_fault(r, &f);
    return !f.type;
}

static void submit_request(struct session *s, struct http_request *r, enum channel channel, struct span body,
                           const char *request_id)
{
    // The first request's peer has left: the repetition waits for the same reply.
    if (s->under_way && !s->request && request_id[0] && strcmp(s->request_id, request_id) == 0) { // O17
        s->request = r;
        http_set_data(r, &s->request);
        return;
    }
    if (s->under_way || s->pending != NOTHING) {
        openenv_http_detail(r, 409, "another request of this session is in progress; wait for its response");
        return;
    }
    if (!session_add(s, channel, body)) {
        openenv_http_detail(r, 409, "too many requests of this session are queued; wait for a response");
        return;
    }
    snprintf(s->request_id, sizeof s->request_id, "%s", request_id);
    s->under_way = true;
    s->request = r;
    http_set_data(r, &s->request);
    session_run(s);
}

// O17: a repeated request gets the answer of the first.
static bool answer_again(const struct session *s, struct http_request *r, const char *request_id)
{
    if (!request_id[0] || strcmp(s->done_id, request_id) != 0)
        return false;
    http_add_header(r, "X-OpenEnv-Session", s->id);
    http_add_header(r, "X-Request-Id", s->done_id);
    http_reply(r, s->done_status, json_type, text_span(&s->done_body));
    return true;
}

static void post_reset(struct openenv *o, struct served *g, struct http_request *r)
{
    char id[80], request_id[OPENENV_EPISODE];
    struct span body = http_body(r).size ? http_body(r) : SPAN("{}");
    if (!check_common(r, body, request_id))
        return;
    bool named = name_session(r, body, id, sizeof id);
    // O16: without an id the reset opens a session.
    struct session *s = named ? session_find(o, g, span_of(id)) : session_create(o, g, http_client(r));
    if (!s && named)
        openenv_http_detail(r, 404, "unknown session_id; send /reset without one to open a session");
    else if (!s)
        openenv_http_detail(r, 503, "the server has no room for more sessions; try again later");
    else if (!answer_again(s, r, request_id)) {
        s->opening = !named;
        submit_request(s, r, ON_HTTP_RESET, body, request_id);
    }
}

void openenv_http_reset(struct session *s, struct span body)
{
    struct openenv_reset o;
    struct openenv_fault f;
    if (openenv_read_reset(body, &o, &f))
        session_reset(s, &o);
    else
        reply_fault(s, &f, true);
    if (s->opening && !s->table && !s->ws)
        s->doomed = true; // what it was opened for was refused
    s->opening = false;
}

static void post_step(struct openenv *o, struct served *g, struct http_request *r)
{
    char id[80], request_id[OPENENV_EPISODE];
    struct span body = http_body(r), action;
    if (!check_common(r, body, request_id))
        return;
    action = json_member(body, "action");
    if (json_type_of(action, 64) != JSON_OBJECT) {
        struct openenv_fault f = {.type = action.size ? "dict_type" : "missing",
                                  .msg = action.size ? "Input should be a valid dictionary" : "Field required",
                                  .loc = {"action"},
                                  .input = action.size ? action : body};
        refuse_fault(r, &f);
        return;
    }
    if (!name_session(r, body, id, sizeof id)) {
        openenv_http_detail(r, 409, "no session: send the session_id that /reset returned, or play over /ws");
        return;
    }
    struct session *s = session_find(o, g, span_of(id));
    if (!s)
        openenv_http_detail(r, 404, "unknown session_id; it may have expired: send /reset for a new one");
    else if (!answer_again(s, r, request_id))
        submit_request(s, r, ON_HTTP_STEP, action, request_id);
}

void openenv_http_step(struct session *s, struct span action)
{
    struct openenv_action a;
    struct openenv_fault f;
    if (!openenv_read_action(action, (const char(*)[40])s->game->params, s->game->param_count, &a, &f))
        reply_fault(s, &f, false);
    else if (a.form == OPENENV_LISTS)
        reply_tools(s);
    else if (a.form == OPENENV_CALLS)
        reply_error(s, "EXECUTION_ERROR", "tools are called over /mcp or /ws");
    else
        session_act(s, &a);
}

static void show_state(struct openenv *o, struct served *g, struct http_request *r)
{
    char id[80];
    if (!name_session(r, SPAN("{}"), id, sizeof id)) { // O16: a probe
        http_reply(r, 200, json_type, SPAN("{\"episode_id\":null,\"step_count\":0}"));
        return;
    }
    struct session *s = session_find(o, g, span_of(id));
    if (!s) {
        openenv_http_detail(r, 404, "unknown session_id; it may have expired: send /reset for a new one");
        return;
    }
    o->scratch.size = 0;
    reply_write_state(&o->scratch, s);
    http_reply(r, 200, json_type, text_span(&o->scratch));
}

// --- routes

static const struct route {
    const char *path, *method;
    void (*show)(struct openenv *o, struct served *g, struct http_request *r);
    bool steers; // not in production (O5)
} routes[] = {
    {"", "GET", show_page, false},          {"/", "GET", show_page, false},
    {"/health", "GET", show_health, false}, {"/metadata", "GET", show_metadata, false},
    {"/schema", "GET", show_schema, false}, {"/openapi.json", "GET", show_openapi, false},
    {"/state", "GET", show_state, true},    {"/reset", "POST", post_reset, true},
    {"/step", "POST", post_step, true},     {"/mcp", "POST", openenv_mcp_post, false},
};

static bool bears_token(const struct openenv *o, const struct http_request *r)
{
    const char *token = o->options.token;
    char query[256];
    struct span given = http_header(r, "Authorization");
    if (!token)
        return true;
    size_t size = strlen(token);
    if (given.size == size + 7 && strncasecmp(given.at, "Bearer ", 7) == 0)
        return crypto_equal(given.at + 7, token, size);
    return ws_is_upgrade(r) && http_query(r, "token", query, sizeof query) && strlen(query) == size &&
           crypto_equal(query, token, size);
}

static bool is_admitted(const struct openenv *o, struct http_request *r)
{
    if (!o->options.any_host && !web_access_knows_host(&o->options.access, http_header(r, "Host")))
        openenv_http_detail(r, 403, "unknown Host header; use localhost, the server's address or its --public-url");
    else if (!web_access_allows_origin(&o->options.access, http_header(r, "Origin")))
        openenv_http_detail(r, 403, "this Origin is not allowed; the operator can allow it with --http-origin");
    else if (!bears_token(o, r)) {
        http_add_header(r, "WWW-Authenticate", "Bearer");
        openenv_http_detail(r, 401, "missing or wrong token; send it as 'Authorization: Bearer TOKEN'");
    } else
        return true;
    return false;
}

static void serve_request(struct openenv *o, struct served *g, struct http_request *r, struct span path)
{
    bool upgrade = ws_is_upgrade(r);
    if (upgrade && (span_is(path, "/ws") || span_is(path, "/mcp"))) {
        openenv_ws_open(o, g, r, span_is(path, "/mcp"));
        return;
    }
    if (span_is(path, "/ws")) {
        http_add_header(r, "Upgrade", "websocket");
        openenv_http_detail(r, 426, "this path accepts only WebSocket connections");
        return;
    }
    for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!span_is(path, routes[i].path) || (routes[i].steers && o->options.production))
            continue;
        const char *method = http_method(r);
        if (strcmp(method, routes[i].method) == 0 ||
            (strcmp(method, "HEAD") == 0 && strcmp(routes[i].method, "GET") == 0)) {
            routes[i].show(o, g, r);
            return;
        }
        http_add_header(r, "Allow", routes[i].method);
        openenv_http_detail(r, 405, "Method Not Allowed");
        return;
    }
    openenv_tasks(o, g, r, path);
}

static struct served *find_game(const struct openenv *o, struct span name)
{
    for (int i = 0; i < o->game_count; i++)
        if (span_is(name, o->games[i].kit->game->name))
            return &o->games[i];
    return NULL;
}

enum { PREFIX = sizeof "/openenv" - 1 };

static bool is_below(struct span path)
{
    return path.size >= PREFIX && memcmp(path.at, "/openenv", PREFIX) == 0 &&
           (path.size == PREFIX || path.at[PREFIX] == '/');
}

bool openenv_owns(const struct openenv *o, const struct http_request *r)
{
    (void)o;
    return is_below(http_path(r));
}

static void list_games(struct openenv *o, struct http_request *r)
{
    struct text *t = &o->scratch;
    t->size = 0;
    json_begin_array(t);
    for (int i = 0; i < o->game_count; i++)
        json_write_text(t, o->games[i].kit->game->name);
    json_end_array(t);
    http_reply(r, 200, json_type, text_span(t));
}

bool openenv_request(struct openenv *o, struct http_request *r, const char *root)
{
    struct span path = http_path(r), rest = path;
    struct served *g = root ? find_game(o, span_of(root)) : NULL;
    if (!is_below(path) && !root)
        return false;
    loop_end_turn(o->options.loop);
    if (!is_admitted(o, r))
        return true;
    if (is_below(path)) {
        rest = (struct span){path.at + PREFIX, path.size - PREFIX};
        struct span name = rest.size ? (struct span){rest.at + 1, rest.size - 1} : rest;
        const char *slash = name.size ? memchr(name.at, '/', name.size) : NULL;
        if (name.size == 0) {
            list_games(o, r);
            return true;
        }
        if (slash)
            name.size = (size_t)(slash - name.at);
        g = find_game(o, name);
        rest = (struct span){name.at + name.size, rest.size - 1 - name.size};
    }
    if (g)
        serve_request(o, g, r, rest);
    else
        openenv_http_detail(r, 404, "Not Found");
    return true;
}
