// Parties (M20-M28): clients that are identified by neither a connection nor a session.
#include "crypto/crypto.h"
#include "front/mcp/mcp_internal.h"

#include <stdio.h>
#include <stdlib.h>

// M28, M21. Anybody may make parties by naming them, so there is a limit for all together.
enum { MOST_PARTIES = 4096, SHORTEST_NAME = 16, SWEEP_US = 1000000 };

// M22: without i l o u.
static const char handle_alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

// --- callbacks of env

static void on_answer(void *owner, uint64_t number, const struct env_result *r)
{
    struct mcp_party *p = owner;
    struct mcp_session *s;
    LIST_FOREACH(s, &p->host->sessions, all)
        if (mcp_call_find(s, number)) {
            mcp_hooks.on_answer(s, number, r);
            return;
        }
}

static void on_changed(void *owner, const char *uri)
{
    struct mcp_party *p = owner;
    struct mcp_session *s;
    LIST_FOREACH(s, &p->host->sessions, all)
        if (s->party == p)
            mcp_mark_changed(s, uri);
}

static void on_progress(void *owner, uint64_t number, uint64_t progress, uint64_t total)
{
    struct mcp_party *p = owner;
    struct mcp_session *s;
    LIST_FOREACH(s, &p->host->sessions, all)
        if (mcp_call_find(s, number))
            mcp_hooks.on_progress(s, number, progress, total);
}

static const struct env_hooks party_hooks = {
    .on_answer = on_answer, .on_changed = on_changed, .on_progress = on_progress};

// --- parties

// Compares all of them, each in constant time, so that the time does not reveal which handles exist.
static struct mcp_party *find_by_handle(const struct mcp_host *h, struct span handle)
{
    struct mcp_party *p, *found = NULL;
    LIST_FOREACH(p, &h->parties, all)
        if (p->handle[0] && handle.size == MCP_HANDLE && crypto_equal(p->handle, handle.at, MCP_HANDLE))
            found = p;
    return found;
}

static struct mcp_party *find_by_name(const struct mcp_host *h, const char *name)
{
    struct mcp_party *p, *found = NULL;
    size_t size = strlen(name);
    const char *colon = strrchr(name, ':');
    LIST_FOREACH(p, &h->parties, all)
        if (strlen(p->name) == size && crypto_equal(p->name, name, size))
            found = p;
    return found || !colon ? found : find_by_handle(h, span_of(colon + 1)); // M21
}

static void party_destroy(struct mcp_party *p)
{
    LIST_REMOVE(p, all);
    env_disconnect(p->env, p->host->now_us);
    free(p);
}

static struct mcp_party *party_create(const struct mcp_request *a, const char *name)
{
    struct mcp_session *s = a->s;
    struct mcp_host *h = s->host;
    const struct mcp_options *o = &h->options;
    struct env_result refused = {0};
    struct mcp_party *p, *each;
    int count = 0;
    LIST_FOREACH(each, &h->parties, all)
        count++;
    if (count >= MOST_PARTIES || !(p = calloc(1, sizeof *p))) {
        mcp_refuse_status(a, 503, 503, "ResourceExhausted", "there are 4096 parties here; try again later", SPAN(""));
        return NULL;
    }
    const char *table = a->meta->table[0] ? a->meta->table : s->table[0] ? s->table : o->table;
    const char *game = a->meta->game[0] ? a->meta->game : s->game[0] ? s->game : NULL;
    p->env =
        env_connect(h->env, &party_hooks, p, o->named_tables ? table : NULL, o->named_tables ? game : NULL, &refused);
    if (!p->env) {
        mcp_refuse(a, refused.code ? MCP_INVALID_PARAMS : MCP_INTERNAL, refused.code ? refused.name : "Internal",
                   refused.code ? refused.message : "no memory for another party", refused.body);
        free(p);
        return NULL;
    }
    if (s->caller[0])
        env_name_caller(p->env, s->caller);
    p->host = h;
    snprintf(p->name, sizeof p->name, "%s", name);
    LIST_INSERT_HEAD(&h->parties, p, all);
    return p;
}

// The first handle in a text of JSON: a colon and 20 characters before a quote, or before a slash in uris
// (game://agents/NAME:HANDLE/observation). Empty: there is none.
static struct span find_handle(struct span text)
{
    for (size_t i = 0; i + MCP_HANDLE + 1 < text.size; i++) {
        const char *at = text.at + i + 1;
        if (text.at[i] != ':' || (at[MCP_HANDLE] != '"' && at[MCP_HANDLE] != '/'))
            continue;
        int n = 0;
        while (n < MCP_HANDLE && strchr(handle_alphabet, at[n]) && at[n])
            n++;
        if (n == MCP_HANDLE)
            return (struct span){at, MCP_HANDLE};
    }
    return (struct span){0};
}

// The agent's name before a handle, with it.
static void keep_known_as(struct span text, struct span handle, char out[MCP_ROOM])
{
    const char *begin = handle.at - 1;
    while (begin > text.at && begin[-1] != '"' && begin[-1] != '/')
        begin--;
    snprintf(out, MCP_ROOM, "%.*s", (int)(handle.at + MCP_HANDLE - begin), begin);
}

// M23: env gets names alone, so handles cannot reach events, logs, trajectories or other players.
static struct span without_handle(struct mcp_host *h, struct span text, struct span handle)
{
    struct text *t = &h->params;
    t->size = 0;
    t->full = false;
    while (text.size) {
        const char *at = memmem(text.at, text.size, handle.at, MCP_HANDLE);
        size_t before = at && at > text.at && at[-1] == ':' ? (size_t)(at - text.at) - 1
                        : at                                ? (size_t)(at - text.at)
                                                            : text.size;
        text_put(t, (struct span){text.at, before});
        size_t skip = at ? (size_t)(at - text.at) + MCP_HANDLE : before;
        text.at += skip;
        text.size -= skip;
    }
    return text_span(t);
}

static bool is_party_name(const char *name)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.-";
    return strlen(name) >= SHORTEST_NAME && name[strspn(name, alphabet)] == 0;
}

// False: refused. Empty: none was named.
static bool read_name(const struct mcp_request *a, char name[MCP_MAX_PARTY + 1])
{
    // M20: body and header may both name the party, but not different ones.
    const struct mcp_headers *h = a->s->headers;
    snprintf(name, MCP_MAX_PARTY + 1, "%s", a->meta->party);
    bool too_long = h && h->party.size > MCP_MAX_PARTY;
    if (h && h->party.size && !too_long) {
        if (name[0] && !span_is(h->party, name)) {
            mcp_refuse_params(a, "/_meta/agon~1party", "the party that the header Agon-Party names");
            return false;
        }
        snprintf(name, MCP_MAX_PARTY + 1, "%.*s", (int)h->party.size, h->party.at);
    }
    if (!too_long && !a->meta->bad_party && (!name[0] || is_party_name(name)))
        return true;
    mcp_refuse_params(a, "/_meta/agon~1party", "16 to 128 letters, digits, _ : . or -");
    return false;
}

static void refuse_handle(const struct mcp_request *a, bool tool)
{
    static const char why[] =
        "There is no agent here that is yours by this agent_id. Pass the agent_id that register_agent "
        "returned.";
    struct env_result r = {.code = -32000, .name = "AgentNotRegistered", .message = why, .body = SPAN("")};
    if (tool)
        mcp_write_tool_result(a, &r);
    else
        mcp_refuse(a, MCP_INVALID_PARAMS, "AgentNotRegistered", why, SPAN(""));
}

bool mcp_party_connect(struct mcp_request *a, bool tool, char known_as[MCP_ROOM])
{
    struct mcp_session *s = a->s;
    struct mcp_host *h = s->host;
    char name[MCP_MAX_PARTY + 1];
    known_as[0] = 0;
    if (!s->stateless)
        return s->env || mcp_connect(a, a->meta->table, a->meta->game);
    if (!read_name(a, name))
        return false;
    struct span handle = find_handle(a->params);
    struct mcp_party *p = name[0] ? find_by_name(h, name) : handle.size ? find_by_handle(h, handle) : NULL;
    if (!p && handle.size && !name[0]) {
        refuse_handle(a, tool);
        return false;
    }
    if (p && handle.size && strncmp(p->handle, handle.at, MCP_HANDLE) == 0) {
        keep_known_as(a->params, handle, known_as);
        a->params = without_handle(h, a->params, handle);
        a->call = NULL;
    }
    if (!p && !(p = party_create(a, name)))
        return false;
    p->users++;
    p->heard_us = h->now_us;
    s->party = p;
    s->env = p->env;
    return true;
}

void mcp_party_name(struct mcp_session *s, const struct env_result *r, char known_as[MCP_ROOM])
{
    struct mcp_party *p = s->party;
    struct span id;
    if (!p || p->name[0] || !json_find_member(r->body, "agent_id", &id) || id.size < 2)
        return;
    // One handle for all agents of a party: later registrations repeat it.
    if (!p->handle[0])
        mcp_make_handle(p->handle);
    snprintf(known_as, MCP_ROOM, "%.*s:%s", (int)id.size - 2, id.at + 1, p->handle);
}

void mcp_party_leave(struct mcp_session *s)
{
    struct mcp_party *p = s->party;
    if (!p)
        return;
    s->party = NULL;
    s->env = NULL;
    p->users--;
    p->heard_us = s->host->now_us;
    if (!p->users && !env_has_agents(p->env))
        party_destroy(p);
}

int64_t mcp_parties_advance(struct mcp_host *h, int64_t now_us)
{
    struct mcp_party *p, *next;
    if (LIST_EMPTY(&h->parties))
        return INT64_MAX;
    if (now_us < h->parties_us)
        return h->parties_us;
    for (p = LIST_FIRST(&h->parties); p; p = next) {
        next = LIST_NEXT(p, all);
        if (!p->users && now_us - p->heard_us >= (int64_t)h->options.idle_s * 1000000)
            party_destroy(p);
    }
    return h->parties_us = now_us + SWEEP_US;
}

void mcp_parties_close(struct mcp_host *h)
{
    while (!LIST_EMPTY(&h->parties))
        party_destroy(LIST_FIRST(&h->parties));
}
