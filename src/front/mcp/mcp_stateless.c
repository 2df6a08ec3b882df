// Modern requests: the order of checks (M6), what the server is (M9), subscriptions that are requests (M41-M44).
#include "front/mcp/mcp_internal.h"

#include <stdlib.h>

enum { FOR_LONG_MS = 3600000, MOST_LISTENS = 16 }; // M12, M43

void mcp_refuse_status(const struct mcp_request *a, int status, int code, const char *name, const char *message,
                       struct span data)
{
    a->s->status = a->s->stateless ? status : 0;
    mcp_refuse(a, code, name, message, data);
}

// --- what the server is

void mcp_put_server(struct text *t, const struct mcp_session *s, const struct env_game *pinned, bool titled)
{
    char bytes[128];
    struct text name = text_on(bytes, sizeof bytes);
    text_puts(&name, pinned ? "agon-" : "agon");
    if (pinned)
        text_puts(&name, pinned->game->name);
    if (s->player) // M11: other lists, another name
        text_puts(&name, "-player");
    if (s->host->options.fixtures)
        text_puts(&name, "-fixtures");
    json_put_string(t, "name", text_span(&name));
    if (titled) {
        name.size = 0;
        text_puts(&name, pinned ? pinned->codec->title : "Games");
        text_puts(&name, " (agon)");
        json_put_string(t, "title", text_span(&name));
    }
    json_put_text(t, "version", s->host->options.version);
}

static void do_discover(const struct mcp_request *a)
{
    const struct mcp_host *h = a->s->host;
    const struct env_game *pinned = env_pinned_game(h->env);
    struct text *t = mcp_begin_result(a);
    json_begin_object(t);
    text_put(t, SPAN("\"supportedVersions\":[\"" MCP_MODERN "\"],\"capabilities\":{\"tools\":{},\"resources\":{"
                     "\"subscribe\":true},\"prompts\":{},\"completions\":{},\"experimental\":{\"gameRl\":{\"version\":"
                     "\"1.0.0\",\"level\":3"));
    if (pinned)
        json_put_text(t, "game", pinned->game->name);
    text_put(t, SPAN("}}}"));
    mcp_put_instructions(t, pinned, !h->options.named_tables, a->s->player);
    json_end_object(t);
    mcp_end_result(a);
}

// --- subscriptions/listen

static void send_acknowledgement(const struct mcp_request *a, const struct mcp_listen *l, int count)
{
    struct text *t = &a->s->host->body;
    t->size = 0;
    t->full = false;
    text_put(t,
             SPAN("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{"
                  "\"" MCP_PREFIX "subscriptionId\":"));
    text_put(t, mcp_id_span(&l->id));
    text_put(t, SPAN("},\"notifications\":{"));
    if (count) {
        json_begin_array_at(t, "resourceSubscriptions");
        for (int i = 0; i < count; i++)
            json_write_text(t, l->at[i].uri);
        json_end_array(t);
    }
    text_put(t, SPAN("}}}"));
    if (!t->full && !a->s->closing)
        a->s->link->send(a->s->conn, a->tag, MCP_NOTE, text_span(t));
}

// M44: the response alone. `tell` is false if the client has disconnected or has cancelled the request.
void mcp_end_listen(struct mcp_session *s, struct mcp_listen *l, bool tell)
{
    struct mcp_request a = {.s = s, .id = &l->id, .tag = l->tag, .modern = true, .ttl_ms = -1};
    LIST_REMOVE(l, all);
    if (tell) {
        text_put(mcp_begin_result(&a), SPAN("{}"));
        json_put_raw(&s->host->extra, MCP_PREFIX "subscriptionId", mcp_id_span(&l->id));
        mcp_end_result(&a);
    } else if (!s->closing && s->link->end) {
        s->link->end(s->conn, l->tag);
    }
    free(l->at);
    free(l);
}

// The uris that this party can read now; -1: not an array of strings.
static int read_uris(const struct mcp_request *a, struct json_reader *r, struct mcp_listen *l)
{
    const char *mime;
    int count = 0;
    if (json_peek(r) != JSON_ARRAY) {
        json_skip(r);
        return -1;
    }
    for (json_enter_array(r); json_next_item(r);) {
        struct text *body = &a->s->host->body;
        char *uri = l->at[count < MCP_LISTENED ? count : 0].uri;
        if (json_peek(r) != JSON_STRING)
            return -1;
        struct json_string text = json_read_string(r);
        if (count >= MCP_LISTENED)
            return MCP_LISTENED + 1;
        body->size = 0;
        body->full = false;
        if (json_string_copy(text, uri, MCP_MAX_URI) > 0 && env_read(a->s->env, span_of(uri), body, &mime))
            l->at[count++].sent_us = INT64_MIN / 2;
        else
            uri[0] = 0;
    }
    return count;
}

// False: refused.
static bool read_listen(const struct mcp_request *a, struct mcp_listen *l, int *count)
{
    struct json_reader r;
    struct json_string key;
    bool there = false;
    *count = 0;
    if (!mcp_enter_params(a, &r))
        return false;
    while (json_next_key(&r, &key)) {
        if (!json_string_is(key, "notifications") || json_peek(&r) != JSON_OBJECT) {
            json_skip(&r);
            continue;
        }
        there = true;
        for (json_enter_object(&r); json_next_key(&r, &key);)
            if (json_string_is(key, "resourceSubscriptions")) {
                *count = read_uris(a, &r, l);
                if (*count < 0)
                    break;
            } else {
                json_skip(&r);
            }
        if (*count < 0)
            break;
    }
    if (*count > MCP_LISTENED)
        mcp_refuse(a, 503, "ResourceExhausted", "a subscription may have 64 resources", SPAN("\"limit\":64"));
    else if (!there || *count < 0)
        mcp_refuse_params(a, there ? "/notifications/resourceSubscriptions" : "/notifications",
                          there ? "an array of strings" : "an object");
    else
        return true;
    return false;
}

static void do_listen(const struct mcp_request *a)
{
    struct mcp_session *s = a->s;
    struct mcp_listen *l = calloc(1, sizeof *l), *each;
    int count, open = 0;
    LIST_FOREACH(each, &s->listens, all)
        open++;
    if (l)
        // One more than there may be: an empty uri ends the list.
        l->at = calloc(MCP_LISTENED + 1, sizeof *l->at);
    if (!l || !l->at || open >= MOST_LISTENS) {
        mcp_refuse(a, 503, "ResourceExhausted", "there are 16 subscriptions; cancel one", SPAN("\"limit\":16"));
        free(l ? l->at : NULL);
        free(l);
        return;
    }
    l->id = *a->id;
    l->tag = a->tag;
    if (!read_listen(a, l, &count)) {
        free(l->at);
        free(l);
        return;
    }
    if (s->link->stream)
        s->link->stream(s->conn, a->tag);
    LIST_INSERT_HEAD(&s->listens, l, all);
    send_acknowledgement(a, l, count);
    if (!count) // M42
        mcp_end_listen(s, l, true);
}

// --- the methods

// server/discover has to be the first row: run_modern exempts it from the rate limit (M62).
static const struct {
    const char *name;
    void (*run)(const struct mcp_request *a);
    bool lists;        // the same for all, for long
    bool needs_env;    // a table, of the party that asks
    const char *named; // the member that the header Mcp-Name repeats
} methods[] = {
    {"server/discover", do_discover, true, false, NULL},
    {"tools/list", mcp_do_tools_list, true, false, NULL},
    {"tools/call", mcp_do_tools_call, false, true, "name"},
    {"resources/list", mcp_do_resources_list, true, false, NULL},
    {"resources/templates/list", mcp_do_templates_list, true, false, NULL},
    {"resources/read", mcp_do_resources_read, false, true, "uri"},
    {"prompts/list", mcp_do_prompts_list, true, false, NULL},
    {"prompts/get", mcp_do_prompts_get, false, false, "name"},
    {"completion/complete", mcp_do_complete, false, true, NULL},
    {"subscriptions/listen", do_listen, false, true, NULL},
};

enum { METHODS = sizeof methods / sizeof *methods };

static int find_method(struct json_string name)
{
    int i = 0;
    while (i < METHODS && !json_string_is(name, methods[i].name))
        i++;
    return i;
}

// --- the checks of M6, in their order; each is false when it has refused

static void put_missing(struct text *data, const struct mcp_meta *m)
{
    json_begin_array_at(data, "missing");
    if (!m->there)
        json_write_text(data, "_meta");
    if (m->there && !m->claims)
        json_write_text(data, MCP_PREFIX "protocolVersion");
    if (m->there && !m->has_capabilities)
        json_write_text(data, MCP_PREFIX "clientCapabilities");
    json_end_array(data);
}

static bool check_meta(const struct mcp_request *a)
{
    const struct mcp_meta *m = a->meta;
    char bytes[192];
    struct text data = text_on(bytes, sizeof bytes);
    if (mcp_meta_is_complete(m))
        return true;
    put_missing(&data, m);
    mcp_refuse_status(a, 400, MCP_INVALID_PARAMS, "InvalidParams",
                      !m->there      ? "a " MCP_MODERN " request needs params._meta"
                      : m->bad_level ? "_meta[\"" MCP_PREFIX
                                       "logLevel\"] must be one of debug, info, notice, warning, error, critical, "
                                       "alert, emergency"
                                     : "a " MCP_MODERN " request needs a string " MCP_PREFIX
                                       "protocolVersion and an object " MCP_PREFIX "clientCapabilities in params._meta",
                      text_span(&data));
    return false;
}

static bool refuse_header(const struct mcp_request *a, const char *name, struct span header, const char *body)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes - 1);
    text_puts(&t, name);
    if (header.at) {
        text_puts(&t, " is ");
        text_put(&t, (struct span){header.at, header.size < 160 ? header.size : 160});
        text_puts(&t, ", but the body says ");
    } else {
        text_puts(&t, " is missing; the body says ");
    }
    text_puts(&t, body);
    bytes[t.size] = 0;
    mcp_refuse_status(a, 400, MCP_HEADER_MISMATCH, "HeaderMismatch", bytes, SPAN(""));
    return false;
}

static bool check_version(const struct mcp_request *a)
{
    const struct mcp_headers *h = a->s->headers;
    char bytes[160], words[200];
    struct text data = text_on(bytes, sizeof bytes), t = text_on(words, sizeof words - 1);
    if (h && h->version.at && !span_is(h->version, a->meta->claim))
        return refuse_header(a, "MCP-Protocol-Version", h->version, a->meta->claim);
    if (strcmp(a->meta->claim, MCP_MODERN) == 0)
        return !h || h->version.at || refuse_header(a, "MCP-Protocol-Version", (struct span){0}, MCP_MODERN);
    text_put(&data, SPAN("\"supported\":[\"" MCP_MODERN "\"]"));
    json_put_text(&data, "requested", a->meta->claim);
    text_puts(&t, "protocol version ");
    text_puts(&t, a->meta->claim);
    text_puts(&t, " is not supported; supported: " MCP_MODERN "; older ones through initialize");
    words[t.size] = 0;
    mcp_refuse_status(a, 400, MCP_UNSUPPORTED_VERSION, "UnsupportedProtocolVersion", words, text_span(&data));
    return false;
}

static bool check_headers(const struct mcp_request *a, struct json_string method, int i)
{
    const struct mcp_headers *h = a->s->headers;
    struct json_reader r = json_reader_of(a->params, MCP_MAX_DEPTH);
    struct json_string key;
    char name[256];
    if (!h)
        return true;
    if (json_string_copy(method, name, sizeof name) < 0)
        memcpy(name, "...", 4);
    if (!mcp_header_is(h->method, method))
        return refuse_header(a, "Mcp-Method", h->method, name);
    if (i == METHODS || !methods[i].named || json_peek(&r) != JSON_OBJECT)
        return true;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (!json_string_is(key, methods[i].named) || json_peek(&r) != JSON_STRING) {
            json_skip(&r);
            continue;
        }
        struct json_string value = json_read_string(&r);
        if (json_string_copy(value, name, sizeof name) < 0)
            memcpy(name, "...", 4);
        if (!mcp_header_is(h->name, value))
            return refuse_header(a, "Mcp-Name", h->name, name);
    }
    return true;
}

static bool check_method(const struct mcp_request *a, struct json_string method, int i)
{
    char name[96], words[192];
    struct text t = text_on(words, sizeof words - 1);
    if (i < METHODS)
        return true;
    text_puts(&t, "there is no method ");
    text_puts(&t, json_string_copy(method, name, sizeof name) < 0 ? "of this name" : name);
    text_puts(&t, " in revision " MCP_MODERN);
    words[t.size] = 0;
    mcp_refuse_status(a, 404, MCP_UNKNOWN_METHOD, "MethodNotFound", words, SPAN(""));
    return false;
}

// M32: an id that is in flight names another request.
// The client could not tell the two responses apart, nor say which of them it cancels.
static bool check_id(const struct mcp_request *a)
{
    struct mcp_call *c;
    struct mcp_listen *l;
    bool used = false;
    TAILQ_FOREACH(c, &a->s->calls, all)
        used |= mcp_id_equals(&c->id, a->id);
    LIST_FOREACH(l, &a->s->listens, all)
        used |= mcp_id_equals(&l->id, a->id);
    if (used)
        mcp_refuse_status(a, 400, MCP_INVALID_REQUEST, "InvalidRequest", "a request with this id is being answered",
                          SPAN(""));
    return !used;
}

static void run_modern(struct mcp_request *a, struct json_string method)
{
    char known_as[MCP_ROOM] = "";
    int i = find_method(method);
    if (!check_meta(a) || !check_version(a) || !check_headers(a, method, i) || !check_method(a, method, i) ||
        !check_id(a) || (i > 0 && mcp_is_too_fast(a)))
        return;
    a->ttl_ms = methods[i].lists ? FOR_LONG_MS : -1;
    a->shared = methods[i].lists;
    bool calls = methods[i].run == mcp_do_tools_call;
    if (methods[i].needs_env && !(calls && a->s->player) && !mcp_party_connect(a, calls, known_as)) // a seat is a party
        return;
    a->known_as = known_as;
    methods[i].run(a);
}

void mcp_run_era(struct mcp_session *s, const struct mcp_message *m, enum mcp_era era, const struct mcp_meta *meta,
                 uint64_t tag)
{
    static const struct mcp_id none = {0};
    struct mcp_request a = {
        .s = s, .id = &m->id, .params = m->params, .tag = tag, .meta = meta, .modern = true, .ttl_ms = -1};
    char bytes[192];
    struct text data = text_on(bytes, sizeof bytes);
    if (era == MCP_IS_MODERN) {
        run_modern(&a, m->method);
        return;
    }
    if (era == MCP_STRAY_RESPONSE) {
        a.id = &none;
        mcp_refuse_status(&a, 400, MCP_INVALID_REQUEST, "InvalidRequest", "nothing was asked of the client", SPAN(""));
        return;
    }
    if (era == MCP_MISMATCHED) {
        refuse_header(&a, "MCP-Protocol-Version", s->headers->version, "initialize, which older revisions have");
        return;
    }
    put_missing(&data, meta);
    mcp_refuse_status(&a, 400, MCP_INVALID_PARAMS, "InvalidParams",
                      meta->there ? "a " MCP_MODERN " request needs " MCP_PREFIX "protocolVersion in params._meta"
                                  : "a " MCP_MODERN " request needs params._meta",
                      text_span(&data));
}
