#include "front/mcp/mcp_internal.h"

#include <stdio.h>
#include <stdlib.h>

// 30 updates a second, rounded so that there are never 31.
enum { UPDATE_US = 33334, BURST_US = 1000000 }; // G5.8, G21.1

const char *const mcp_levels[] = {"debug",    "info",  "notice",    "warning", "error",
                                  "critical", "alert", "emergency", NULL};

void mcp_defaults(struct mcp_options *o)
{
    *o = (struct mcp_options){.version = "", .max_message = 8 << 20, .idle_s = 1800};
}

// --- the host

struct mcp_host *mcp_host_create(const struct mcp_options *o, struct env *env)
{
    struct mcp_host *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->options = *o;
    h->env = env;
    h->out.grow = h->body.grow = mcp_grow;
    LIST_INIT(&h->sessions);
    LIST_INIT(&h->reading);
    LIST_INIT(&h->seats);
    LIST_INIT(&h->parties);
    h->extra.grow = h->params.grow = mcp_grow;
    TAILQ_INIT(&h->spare);
    return h;
}

void mcp_host_destroy(struct mcp_host *h)
{
    mcp_seats_close(h);
    mcp_parties_close(h);
    free(h->extra.at);
    free(h->params.at);
    for (struct mcp_call *c; (c = TAILQ_FIRST(&h->spare));) {
        TAILQ_REMOVE(&h->spare, c, all);
        free(c);
    }
    free(h->out.at);
    free(h->body.at);
    free(h);
}

size_t mcp_host_max_message(const struct mcp_host *h)
{
    return h->options.max_message;
}

int mcp_host_count(const struct mcp_host *h)
{
    return h->count;
}

// Notifications that had to wait for an answer (G16.5).
static void send_notes(struct mcp_session *s)
{
    struct span rest = text_span(&s->later);
    while (rest.size) {
        size_t size = (size_t)((const char *)memchr(rest.at, '\n', rest.size) - rest.at);
        s->link->send(s->conn, 0, MCP_NOTE, (struct span){rest.at, size});
        rest.at += size + 1;
        rest.size -= size + 1;
    }
    s->later.size = 0;
}

static void flush_notes(struct mcp_host *h)
{
    struct mcp_session *s;
    if (!h->notes)
        return;
    h->notes = false;
    LIST_FOREACH(s, &h->sessions, all)
        if (s->env && env_is_busy(s->env))
            // A notification must not come before the answer of the call that caused it (G16.5).
            h->notes = true; // they follow the answer
        else
            send_notes(s);
}

// G5.8: each uri at most 30 times a second, the last change never lost. When the next one is due.
static int64_t send_updates(struct mcp_session *s, int64_t now_us)
{
    int64_t due = INT64_MAX;
    for (int i = 0; s->subscriptions && i < MCP_MAX_SUBSCRIPTIONS; i++) {
        struct mcp_subscription *u = &s->subscriptions[i];
        if (!u->uri[0] || !u->changed)
            continue;
        if (now_us < u->sent_us + UPDATE_US) {
            due = u->sent_us + UPDATE_US < due ? u->sent_us + UPDATE_US : due;
            continue;
        }
        char bytes[2 * MCP_MAX_URI + 16];
        struct text params = text_on(bytes, sizeof bytes);
        json_begin_object(&params);
        json_put_text(&params, "uri", u->uri);
        json_end_object(&params);
        u->changed = false;
        u->sent_us = now_us;
        mcp_notify(s, "notifications/resources/updated", text_span(&params));
    }
    return due;
}

// M43
static void send_listened(struct mcp_session *s, const struct mcp_listen *l, const char *uri)
{
    char bytes[MCP_ID_TEXT + 2 * MCP_MAX_URI + 256];
    struct text t = text_on(bytes, sizeof bytes);
    text_put(
        &t,
        SPAN("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"_meta\":{\"" MCP_PREFIX
             "subscriptionId\":"));
    text_put(&t, mcp_id_span(&l->id));
    text_put(&t, SPAN("}"));
    json_put_text(&t, "uri", uri);
    text_put(&t, SPAN("}}"));
    if (!s->closing && !t.full)
        s->link->send(s->conn, l->tag, MCP_NOTE, text_span(&t));
}

static int64_t send_listens(struct mcp_session *s, int64_t now_us)
{
    int64_t due = INT64_MAX;
    struct mcp_listen *l;
    LIST_FOREACH(l, &s->listens, all)
        for (int i = 0; i < MCP_LISTENED && l->at[i].uri[0]; i++) {
            struct mcp_subscription *u = &l->at[i];
            if (!u->changed)
                continue;
            if (now_us < u->sent_us + UPDATE_US) {
                due = u->sent_us + UPDATE_US < due ? u->sent_us + UPDATE_US : due;
                continue;
            }
            u->changed = false;
            u->sent_us = now_us;
            send_listened(s, l, u->uri);
        }
    return due;
}

static int64_t flush_updates(struct mcp_host *h, int64_t now_us)
{
    struct mcp_session *s;
    int64_t due = INT64_MAX;
    if (!h->changes)
        return due;
    LIST_FOREACH(s, &h->sessions, all) {
        int64_t next = send_updates(s, now_us), listened = send_listens(s, now_us);
        next = listened < next ? listened : next;
        due = next < due ? next : due;
    }
    h->changes = due != INT64_MAX;
    return due;
}

int64_t mcp_host_advance(struct mcp_host *h, int64_t now_us)
{
    h->now_us = now_us;
    int64_t due = env_advance(h->env, now_us);
    flush_notes(h);
    int64_t update = flush_updates(h, now_us), sweep = mcp_seats_advance(h, now_us);
    int64_t parties = mcp_parties_advance(h, now_us);
    due = parties < due ? parties : due;
    due = sweep < due ? sweep : due;
    return update < due ? update : due;
}

static void log_to(struct mcp_session *s, enum mcp_level level, const char *message)
{
    char bytes[1024];
    struct text params = text_on(bytes, sizeof bytes);
    if (!s->revision || level < s->level) // M49: modern requests get no log messages
        return;
    json_begin_object(&params);
    json_put_text(&params, "level", mcp_levels[level]);
    json_put_text(&params, "logger", "agon");
    json_put_text(&params, "data", message);
    json_end_object(&params);
    if (!params.full)
        mcp_notify_later(s, "notifications/message", text_span(&params));
}

void mcp_host_log(struct mcp_host *h, enum mcp_level level, const char *message)
{
    struct mcp_session *s;
    LIST_FOREACH(s, &h->sessions, all)
        log_to(s, level, message);
    flush_notes(h);
}

// --- callbacks of env

struct mcp_call *mcp_call_find(struct mcp_session *s, uint64_t number)
{
    struct mcp_call *c;
    TAILQ_FOREACH(c, &s->calls, all)
        if (c->number == number)
            return c;
    return NULL;
}

static void on_answer(void *owner, uint64_t call, const struct env_result *r)
{
    struct mcp_session *s = owner;
    struct mcp_call *c = mcp_call_find(s, call);
    if (!c)
        return;
    struct mcp_request a = {.s = s,
                            .id = &c->id,
                            .batch = c->batch,
                            .tag = c->tag,
                            .unknown = c->unknown,
                            .known_as = c->known_as,
                            .modern = c->modern,
                            .ttl_ms = -1};
    mcp_write_tool_result(&a, r);
    mcp_call_free(s, c);
}

static void on_notify(void *owner, const char *method, struct span params)
{
    if (((struct mcp_session *)owner)->revision) // M45
        mcp_notify_later(owner, method, params);
}

static void on_changed(void *owner, const char *uri)
{
    mcp_mark_changed(owner, uri);
}

void mcp_mark_changed(struct mcp_session *s, const char *uri)
{
    struct mcp_listen *l;
    LIST_FOREACH(l, &s->listens, all)
        for (int i = 0; i < MCP_LISTENED && l->at[i].uri[0]; i++)
            if (strcmp(l->at[i].uri, uri) == 0)
                l->at[i].changed = s->host->changes = true;
    for (int i = 0; s->subscriptions && i < MCP_MAX_SUBSCRIPTIONS; i++)
        if (strcmp(s->subscriptions[i].uri, uri) == 0)
            s->subscriptions[i].changed = s->host->changes = true;
}

// G6.7: at most 10 a second, each above the last.
static void on_progress(void *owner, uint64_t call, uint64_t progress, uint64_t total)
{
    enum { PROGRESS_US = 100000 };
    struct mcp_session *s = owner;
    struct mcp_call *c = mcp_call_find(s, call);
    char bytes[MCP_ID_TEXT + 128];
    struct text t = text_on(bytes, sizeof bytes);
    int64_t now = s->host->now_us;
    if (!c || c->token.size == 0 || c->batch || s->closing)
        return;
    if (c->progress_us != INT64_MIN && (progress <= c->progress || now < c->progress_us + PROGRESS_US))
        return;
    c->progress = progress;
    c->progress_us = now;
    text_put(&t, SPAN("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"));
    text_put(&t, mcp_id_span(&c->token));
    json_put_uint(&t, "progress", progress);
    json_put_uint(&t, "total", total);
    text_put(&t, SPAN("}}"));
    s->link->send(s->conn, c->tag, MCP_NOTE, text_span(&t));
}

static void on_log(void *owner, const char *level, const char *message)
{
    for (int i = 0; mcp_levels[i]; i++)
        if (strcmp(mcp_levels[i], level) == 0)
            log_to(owner, (enum mcp_level)i, message);
}

static uint64_t client_of(void *owner)
{
    return ((struct mcp_session *)owner)->client;
}

void mcp_session_set_client(struct mcp_session *s, uint64_t client)
{
    s->client = client;
}

const struct env_hooks mcp_hooks = {
    .on_answer = on_answer,
    .on_notify = on_notify,
    .on_changed = on_changed,
    .on_progress = on_progress,
    .on_log = on_log,
    .client = client_of,
};

// --- sessions

static void keep_name(char out[MCP_MAX_NAME + 1], const char *name)
{
    if (name && strlen(name) <= MCP_MAX_NAME)
        memcpy(out, name, strlen(name) + 1);
}

struct mcp_session *mcp_session_open(struct mcp_host *h, const struct mcp_link *link, void *conn, const char *table,
                                     const char *game)
{
    struct mcp_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->host = h;
    s->link = link;
    s->conn = conn;
    s->level = MCP_WARNING; // G6.5
    s->player = h->options.player;
    s->later.grow = mcp_grow;
    TAILQ_INIT(&s->calls);
    LIST_INIT(&s->listens);
    keep_name(s->table, table);
    keep_name(s->game, game);
    LIST_INSERT_HEAD(&h->sessions, s, all);
    h->count++;
    return s;
}

void mcp_session_set_caller(struct mcp_session *s, const char *address)
{
    snprintf(s->caller, sizeof s->caller, "%s", address);
}

void mcp_session_close(struct mcp_session *s, int64_t now_us)
{
    struct mcp_host *h = s->host;
    struct mcp_batch *b;
    s->closing = true; // nothing leaves any more
    LIST_FOREACH(b, &h->reading, all)
        if (b->session == s)
            b->session = NULL;
    h->now_us = now_us;
    for (struct mcp_listen *l; (l = LIST_FIRST(&s->listens));)
        mcp_end_listen(s, l, false);
    if (s->env && !s->stateless)
        env_disconnect(s->env, now_us);
    for (struct mcp_call *c; (c = TAILQ_FIRST(&s->calls));) {
        struct env_conn *env = c->env;
        uint64_t number = c->number;
        mcp_call_free(s, c);
        // Calls of s->env itself were cancelled by env_disconnect above. Seats and parties outlive the session, so
        // their calls are cancelled one by one.
        if (env != s->env || s->stateless) // M37: nobody waits for it any more
            env_cancel(env, number);
    }
    mcp_party_leave(s);
    LIST_REMOVE(s, all);
    h->count--;
    mcp_seats_end_session(h, s);
    free(s->subscriptions);
    free(s->question);
    free(s->later.at);
    free(s);
    flush_notes(h);
}

bool mcp_session_is_reading(const struct mcp_session *s)
{
    struct mcp_batch *b;
    LIST_FOREACH(b, &s->host->reading, all)
        if (b->session == s)
            return true;
    return false;
}

bool mcp_session_is_ready(const struct mcp_session *s)
{
    return s->revision != REVISION_NONE;
}

bool mcp_session_is_bare(const struct mcp_session *s)
{
    return TAILQ_EMPTY(&s->calls) && !(s->env && env_has_agents(s->env));
}

bool mcp_session_primes(const struct mcp_session *s)
{
    return s->revision >= R2025_11_25;
}

// --- messages

static void do_ping(const struct mcp_request *a)
{
    mcp_answer_empty(a);
}

// The legacy methods; mcp_stateless.c has those of revision 2026-07-28.
static const struct method {
    const char *name;
    bool early; // before initialize too (G3.2)
    void (*run)(const struct mcp_request *a);
} methods[] = {
    {"tools/call", false, mcp_do_tools_call},
    {"tools/list", false, mcp_do_tools_list},
    {"ping", true, do_ping},
    {"initialize", true, mcp_do_initialize},
    {"resources/list", false, mcp_do_resources_list},
    {"resources/templates/list", false, mcp_do_templates_list},
    {"resources/read", false, mcp_do_resources_read},
    {"resources/subscribe", false, mcp_do_subscribe},
    {"resources/unsubscribe", false, mcp_do_unsubscribe},
    {"prompts/list", false, mcp_do_prompts_list},
    {"prompts/get", false, mcp_do_prompts_get},
    {"completion/complete", false, mcp_do_complete},
    {"logging/setLevel", false, mcp_do_set_level},
    {"initialized", false, do_ping}, // G3.2: some Game-RL clients ask
    {"notifications/initialized", false, do_ping},
    {0},
};

static const struct method *find_method(struct json_string name)
{
    for (const struct method *m = methods; m->name; m++)
        if (json_string_is(name, m->name))
            return m;
    return NULL;
}

static void refuse_method(const struct mcp_request *a)
{
    char bytes[1024];
    struct text data = text_on(bytes, sizeof bytes);
    json_begin_array_at(&data, "known");
    for (const struct method *m = methods; m->name; m++)
        if (m->run != do_ping)
            json_write_text(&data, m->name);
    json_write_text(&data, "ping");
    json_end_array(&data);
    mcp_refuse(a, MCP_UNKNOWN_METHOD, "MethodNotFound", "unknown method; data.known lists the known ones",
               text_span(&data));
}

// G21.1: a second's worth may come at once.
bool mcp_is_too_fast(const struct mcp_request *a)
{
    struct mcp_session *s = a->s;
    // A bucket kept as one time: free_us is when all accepted requests are paid for, each with 1/rate seconds.
    int64_t now = s->host->now_us;
    if (s->host->options.rate == 0)
        return false;
    if (s->free_us < now)
        s->free_us = now;
    if (s->free_us - now < BURST_US) {
        s->free_us += 1000000 / s->host->options.rate;
        return false;
    }
    char bytes[96];
    struct text data = text_on(bytes, sizeof bytes);
    json_put_int(&data, "limit", s->host->options.rate);
    json_put_int(&data, "retry_after_ms", (s->free_us - now - BURST_US) / 1000 + 1);
    mcp_refuse_status(a, 429, a->modern ? 429 : MCP_EXHAUSTED, "RateLimited",
                      "too many requests a second; wait data.retry_after_ms and go on", text_span(&data));
    return true;
}

static void run_request(const struct mcp_request *a, struct json_string name)
{
    if (mcp_is_too_fast(a))
        return;
    const struct method *m = find_method(name);
    if (!a->s->revision && !(m && m->early))
        mcp_refuse(a, MCP_INVALID_REQUEST, "NotInitialized", "send initialize first", SPAN(""));
    else if (m)
        m->run(a);
    else
        refuse_method(a);
}

static bool run_era(struct mcp_session *s, struct mcp_message *m, uint64_t tag)
{
    struct mcp_meta meta;
    mcp_meta_read(&meta, m->params);
    enum mcp_era era = mcp_era_of(m, &meta, s->headers);
    if (era == MCP_LEGACY || (era == MCP_IS_MODERN && m->kind == MCP_NOTIFICATION))
        return false;
    mcp_run_era(s, m, era, &meta, tag);
    return true;
}

// Whether a message may be anything but legacy; most are not, and are not read twice.
static bool may_be_modern(const struct mcp_session *s, const struct mcp_message *m)
{
    return s->headers || mcp_has_claim(m->params) || json_string_is(m->method, "server/discover") ||
           json_string_is(m->method, "subscriptions/listen");
}

static void handle_one(struct mcp_session *s, struct mcp_message *m, struct mcp_batch *batch, uint64_t tag)
{
    struct mcp_request a = {.s = s, .id = &m->id, .params = m->params, .batch = batch, .tag = tag, .ttl_ms = -1};
    if (m->call.is_object)
        a.call = &m->call;
    if (!batch && m->kind != MCP_INVALID && may_be_modern(s, m) && run_era(s, m, tag))
        return;
    switch (m->kind) {
    case MCP_REQUEST:
        run_request(&a, m->method);
        break;
    case MCP_INVALID:
        mcp_refuse(&a, MCP_INVALID_REQUEST, "InvalidRequest", m->fault, SPAN(""));
        break;
    case MCP_NOTIFICATION:
        if (json_string_is(m->method, "notifications/cancelled"))
            mcp_cancel(s, m->params);
        __attribute__((fallthrough));
    case MCP_RESPONSE:
        if (!batch && s->link->end)
            s->link->end(s->conn, tag);
        if (m->kind == MCP_RESPONSE && s->question)
            mcp_fixture_answered(s, m);
        break;
    }
}

// `limit` 0: it has none.
static void refuse_limit(struct mcp_session *s, int err, size_t limit, uint64_t tag)
{
    static const struct mcp_id none = {0};
    struct mcp_request a = {.s = s, .id = &none, .tag = tag};
    char bytes[64];
    struct text data = text_on(bytes, sizeof bytes);
    if (limit)
        json_put_uint(&data, "limit", limit);
    mcp_refuse(&a, MCP_PARSE_ERROR, mcp_parse_name(err), err_sentence(err), text_span(&data));
}

static void refuse_text(struct mcp_session *s, int err, uint64_t tag)
{
    size_t limit = err == ERR_TOO_LONG ? s->host->options.max_message : err == ERR_DEPTH ? MCP_MAX_DEPTH : 0;
    refuse_limit(s, err, limit, tag);
}

static bool is_array(struct span message)
{
    struct json_reader r = json_reader_of(message, MCP_MAX_DEPTH);
    return json_peek(&r) == JSON_ARRAY;
}

struct check {
    struct span message;
    int err;
};

// On a thread: the first look at an array of some MiB takes longer than a turn of the loop may.
static void check_batch(void *arg)
{
    struct check *c = arg;
    struct json_reader r = json_reader_of(c->message, MCP_MAX_DEPTH);
    bool fits = true;
    for (json_enter_array(&r); json_next_item(&r);)
        fits &= json_read_raw(&r).size <= ENV_MAX_REQUEST;
    c->err = json_finish(&r);
    if (c->err == OK && !fits)
        c->err = ERR_TOO_LONG;
}

// Whether all of it can be read; otherwise it has been refused.
static bool is_sound(struct mcp_batch *b, struct work *work)
{
    struct check c = {.message = b->message};
    // mcp_session_handle read it to the end to find that it is an array; only larger ones were not read.
    if (b->message.size <= ENV_MAX_REQUEST)
        return true; // it has been read before
    work_offload(work, check_batch, &c);
    if (c.err != OK && b->session)
        refuse_limit(b->session, c.err, c.err == ERR_TOO_LONG ? ENV_MAX_REQUEST : 0, b->tag);
    return c.err == OK;
}

// A job: an array may hold some 100,000 messages. The session may go between two of them.
static void read_batch(void *arg)
{
    enum { COST = 5 };
    struct mcp_batch *b = arg;
    struct work *work = b->session->host->options.work;
    struct mcp_message m;
    struct json_reader r = json_reader_of(b->message, MCP_MAX_DEPTH);
    bool sound = is_sound(b, work);
    json_begin_array(&b->text);
    for (json_enter_array(&r); sound && b->session && json_next_item(&r); work_spend(work, COST)) {
        struct span item = json_read_raw(&r);
        work_count(work, (uint32_t)(item.size / 256));
        mcp_message_read(&m, item);
        handle_one(b->session, &m, b, b->tag);
    }
    // From here on mcp_session_close no longer finds the batch, and mcp_batch_leave frees it when all calls are
    // answered.
    LIST_REMOVE(b, all);
    free((char *)b->message.at);
    if (b->session && sound)
        mcp_batch_leave(b->session, b);
    else
        mcp_batch_free(b);
}

static void handle_batch(struct mcp_session *s, struct span message, uint64_t tag)
{
    static const struct mcp_id none = {0};
    struct mcp_request a = {.s = s, .id = &none, .tag = tag};
    struct json_reader r = json_reader_of(message, MCP_MAX_DEPTH);
    json_enter_array(&r);
    bool empty = !json_next_item(&r);
    if (mcp_has_claim(message)) { // M2, row 2
        mcp_refuse(&a, MCP_INVALID_REQUEST, "InvalidRequest", "revision " MCP_MODERN " has no batches", SPAN(""));
        return;
    }
    struct mcp_batch *b = s->revision == R2025_03_26 && !empty ? calloc(1, sizeof *b) : NULL;
    if (!b) {
        mcp_refuse(&a, MCP_INVALID_REQUEST, "InvalidRequest",
                   empty ? "a batch may not be empty"
                         : "a message must be one JSON object; batches exist only in revision 2025-03-26",
                   SPAN(""));
        return;
    }
    char *copy = malloc(message.size + 1);
    if (!copy)
        abort();
    memcpy(copy, message.at, message.size);
    *b = (struct mcp_batch){
        .tag = tag, .open = 1, .text = {.grow = mcp_grow}, .session = s, .message = {copy, message.size}};
    LIST_INSERT_HEAD(&s->host->reading, b, all);
    work_start(s->host->options.work, read_batch, b);
}

// Among many clients: reading one request of several MiB would stop all others. Only a batch may be so long.
static void handle_large(struct mcp_session *s, struct span message, uint64_t tag)
{
    if (s->revision == R2025_03_26 && is_array(message))
        handle_batch(s, message, tag);
    else
        refuse_limit(s, ERR_TOO_LONG, ENV_MAX_REQUEST, tag);
}

void mcp_session_handle_web(struct mcp_session *s, struct span message, uint64_t tag, int64_t now_us,
                            const struct mcp_headers *headers)
{
    s->headers = headers;
    mcp_session_handle(s, message, tag, now_us);
    s->headers = NULL; // s is there: only its transport closes it
}

void mcp_session_set_stateless(struct mcp_session *s)
{
    s->stateless = true;
}

void mcp_session_set_tools(struct mcp_session *s, bool player)
{
    s->player = player;
}

int mcp_session_status(struct mcp_session *s)
{
    int status = s->status ? s->status : 200;
    s->status = 0;
    return status;
}

bool mcp_is_stateless(struct span message, const struct mcp_headers *headers)
{
    struct mcp_message m;
    struct mcp_meta meta;
    // The error needs a session to be reported in: a stateless one if the sender says that it is modern.
    if (mcp_message_read(&m, message) != OK || m.kind == MCP_INVALID)
        return mcp_is_new_version(headers->version) || mcp_has_claim(message);
    mcp_meta_read(&meta, m.params);
    return mcp_era_of(&m, &meta, headers) != MCP_LEGACY;
}

void mcp_session_handle(struct mcp_session *s, struct span message, uint64_t tag, int64_t now_us)
{
    struct mcp_message m;
    struct mcp_host *h = s->host;
    h->now_us = now_us;
    if (h->options.work && message.size > ENV_MAX_REQUEST && message.size <= h->options.max_message) {
        handle_large(s, message, tag);
        flush_notes(h);
        return;
    }
    int err = message.size > h->options.max_message ? ERR_TOO_LONG : mcp_message_read(&m, message);
    if (err != OK)
        refuse_text(s, err, tag);
    else if (m.kind == MCP_INVALID && is_array(message))
        handle_batch(s, message, tag);
    else
        handle_one(s, &m, NULL, tag);
    flush_notes(h);
}

void mcp_session_too_large(struct mcp_session *s)
{
    refuse_text(s, ERR_TOO_LONG, 0);
}

bool mcp_is_initialize(struct span message, struct text *out)
{
    struct mcp_message m;
    int err = mcp_message_read(&m, message);
    if (err != OK)
        mcp_write_error(out, SPAN("null"), MCP_PARSE_ERROR, mcp_parse_name(err), err_sentence(err), SPAN(""));
    else if (m.kind != MCP_REQUEST || !json_string_is(m.method, "initialize"))
        mcp_write_error(out, mcp_id_span(&m.id), MCP_INVALID_REQUEST, "NotInitialized",
                        "no session: send initialize first, then its MCP-Session-Id", SPAN(""));
    else
        return true;
    return false;
}
