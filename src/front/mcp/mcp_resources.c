// Resources: listed, read, subscribed to (G5).
#include "front/mcp/mcp_internal.h"

#include <stdlib.h>

static void list_resources(const struct mcp_request *a, const char *key, const char *uri_key, bool templates)
{
    if (!mcp_is_first_page(a))
        return;
    struct text *t = mcp_begin_result(a);
    json_begin_object(t);
    json_begin_array_at(t, key);
    for (const struct env_resource *r = env_resources; r->uri; r++) {
        if ((strchr(r->uri, '{') != NULL) != templates || (strstr(r->uri, "{n}") && a->s->host->options.tables < 2))
            continue;
        json_begin_object(t);
        json_put_text(t, uri_key, r->uri);
        json_put_text(t, "name", r->name);
        json_put_text(t, "description", r->description);
        json_put_text(t, "mimeType", r->mime);
        json_end_object(t);
    }
    if (a->s->host->options.fixtures)
        mcp_fixtures_put_resources(t, templates);
    json_end_array(t);
    json_end_object(t);
    mcp_end_result(a);
}

void mcp_do_resources_list(const struct mcp_request *a)
{
    list_resources(a, "resources", "uri", false);
}

void mcp_do_templates_list(const struct mcp_request *a)
{
    list_resources(a, "resourceTemplates", "uriTemplate", true);
}

// The uri asked for; false, and refused, when there is none. One too long for any resource becomes empty: not found.
static bool read_uri(const struct mcp_request *a, char out[MCP_MAX_URI], struct json_string *asked)
{
    struct json_reader r;
    struct json_string key;
    bool found = false;
    if (!mcp_enter_params(a, &r))
        return false;
    while (json_next_key(&r, &key))
        if (json_string_is(key, "uri") && json_peek(&r) == JSON_STRING) {
            *asked = json_read_string(&r);
            found = true;
        } else {
            json_skip(&r);
        }
    if (!found) {
        mcp_refuse_params(a, "/uri", "a string, the uri of a resource");
        return false;
    }
    if (json_string_copy(*asked, out, MCP_MAX_URI) < 0)
        out[0] = 0;
    return true;
}

static void refuse_uri(const struct mcp_request *a, struct json_string asked)
{
    char bytes[2 * MCP_MAX_URI];
    struct text data = text_on(bytes, sizeof bytes);
    json_key(&data, "uri");
    text_put_char(&data, '"');
    text_put(&data, asked.raw.size < MCP_MAX_URI ? asked.raw : SPAN("..."));
    text_put_char(&data, '"');
    mcp_refuse(a, a->modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE, "ResourceNotFound",
               "there is no such resource; resources/list names them", text_span(&data));
}

static bool load_resource(const struct mcp_request *a, const char *uri, const char **mime)
{
    struct text *body = &a->s->host->body;
    body->size = 0;
    body->full = false;
    if (a->s->host->options.fixtures && strcmp(uri, "test://watched-resource") == 0)
        return true;
    return uri[0] && a->s->env && env_read(a->s->env, span_of(uri), body, mime);
}

// M12: what a pinned server says of its game does not change.
static void set_lifetime(struct mcp_request *a, const char *uri)
{
    bool pinned = env_pinned_game(a->s->host->env) != NULL;
    bool fixed = strcmp(uri, "game://rules") == 0 || strcmp(uri, "game://actions") == 0;
    a->shared = pinned && (fixed || strcmp(uri, "game://manifest") == 0);
    a->ttl_ms = !a->shared ? 0 : fixed ? 3600000 : 60000;
}

void mcp_do_resources_read(const struct mcp_request *a)
{
    char uri[MCP_MAX_URI];
    struct json_string asked;
    const char *mime = "application/json";
    if (!read_uri(a, uri, &asked))
        return;
    if (a->s->host->options.fixtures && mcp_fixture_read(a, uri))
        return;
    if (!load_resource(a, uri, &mime)) {
        refuse_uri(a, asked);
        return;
    }
    struct mcp_request kept = *a;
    set_lifetime(&kept, uri);
    a = &kept;
    struct text *t = mcp_begin_result(a);
    text_put(t, SPAN("{\"contents\":["));
    json_begin_object(t);
    json_put_text(t, "uri", uri);
    json_put_text(t, "mimeType", mime);
    json_put_string(t, "text", text_span(&a->s->host->body));
    json_end_object(t);
    text_put(t, SPAN("]}"));
    mcp_end_result(a);
}

// --- subscriptions

static struct mcp_subscription *find_subscription(struct mcp_session *s, const char *uri)
{
    for (int i = 0; s->subscriptions && i < MCP_MAX_SUBSCRIPTIONS; i++)
        if (strcmp(s->subscriptions[i].uri, uri) == 0)
            return &s->subscriptions[i];
    return NULL;
}

void mcp_do_subscribe(const struct mcp_request *a)
{
    struct mcp_session *s = a->s;
    char uri[MCP_MAX_URI];
    struct json_string asked;
    const char *mime;
    if (!read_uri(a, uri, &asked))
        return;
    if (!load_resource(a, uri, &mime)) {
        refuse_uri(a, asked);
        return;
    }
    if (!s->subscriptions)
        s->subscriptions = calloc(MCP_MAX_SUBSCRIPTIONS, sizeof *s->subscriptions);
    struct mcp_subscription *u = find_subscription(s, uri);
    if (!u && !(u = find_subscription(s, ""))) {
        mcp_refuse(a, MCP_EXHAUSTED, "ResourceExhausted", "a connection may subscribe to 64 resources",
                   SPAN("\"limit\":64"));
        return;
    }
    if (!u->uri[0]) {
        *u = (struct mcp_subscription){.sent_us = INT64_MIN / 2};
        memcpy(u->uri, uri, strlen(uri) + 1);
    }
    mcp_answer_empty(a);
}

void mcp_do_unsubscribe(const struct mcp_request *a)
{
    char uri[MCP_MAX_URI];
    struct json_string asked;
    const char *mime;
    if (!read_uri(a, uri, &asked))
        return;
    struct mcp_subscription *u = uri[0] ? find_subscription(a->s, uri) : NULL;
    if (u)
        u->uri[0] = 0;
    else if (!load_resource(a, uri, &mime)) {
        refuse_uri(a, asked); // G5.7: of a known one that is not subscribed, {}
        return;
    }
    mcp_answer_empty(a);
}
