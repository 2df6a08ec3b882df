// HTTP requests: routing, the order of checks (B11.14), and responses.
#include "base/hash.h"
#include "front/botapi/internal.h"
#include "games/belote/rules/belote.h"

#include <stdlib.h>

// A request whose session is busy with a decision; it waits (B11.24).
struct waiting {
    struct http_request *request;
    struct session *session;
    TAILQ_ENTRY(waiting) next;
};

struct span botapi_full(void)
{
    // A complete response, because a connection beyond the limit gets no memory. 88 is the length of the body.
    return SPAN("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: application/json\r\n"
                "Content-Length: 88\r\nConnection: close\r\n\r\n"
                "{\"error\":\"busy\",\"message\":\"there are too many connections; try again in a second or so\"}");
}

void botapi_defaults(struct botapi_options *o)
{
    *o = (struct botapi_options){.prefix = "", .max_sessions = 65536, .session_ttl_s = 3600, .aggro = 0.5f};
}

// --- answers

static void write_error(struct text *t, const char *code, const char *message)
{
    json_begin_object(t);
    json_put_text(t, "error", code);
    json_put_text(t, "message", message);
    json_end_object(t);
}

static void reply_error(struct http_request *r, int status, const char *code, const char *message)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    write_error(&t, code, message);
    http_reply(r, status, "application/json", text_span(&t));
}

static void reply_verdict(struct http_request *r, enum wire_verdict verdict, const struct field_error *error)
{
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes - 1);
    if (verdict == WIRE_BAD_JSON) {
        reply_error(r, 400, "bad_json", "the body must be one JSON object, at most 32 levels deep");
        return;
    }
    text_puts(&t, error->field);
    text_puts(&t, " must be ");
    text_puts(&t, error->expected);
    bytes[t.size] = 0;
    if (verdict == WIRE_BAD_FIELD)
        reply_error(r, 400, "bad_field", bytes);
    else
        reply_error(r, 422, "unusable", bytes);
}

// --- paths

enum { MAX_BODY = 1 << 20, OTHER_BODY = 65536 }; // B11; OTHER_BODY: where none is expected

enum place { NOWHERE, HEALTH, SESSIONS, SESSION, DECISION, NOTICE };

struct target {
    enum place place;
    int decision;      // which
    struct span event; // of a notice
    char id[SESSION_ID_SIZE + 1];
    size_t id_size; // more than SESSION_ID_SIZE: longer than any of ours
};

static bool take_prefix(struct span *path, const char *prefix)
{
    size_t size = strlen(prefix);
    if (path->size < size || (size && memcmp(path->at, prefix, size) != 0))
        return false;
    path->at += size;
    path->size -= size;
    return true;
}

static struct span take_part(struct span *path) // up to the next slash, which is skipped
{
    const char *slash = path->size ? memchr(path->at, '/', path->size) : NULL;
    struct span part = {path->at, slash ? (size_t)(slash - path->at) : path->size};
    path->at += part.size + (slash != NULL);
    path->size -= part.size + (slash != NULL);
    return part;
}

// B11.12: decodes percent escapes. A malformed escape stays as it is and matches no path.
static void decode_id(struct span part, struct target *to)
{
    for (size_t i = 0; i < part.size; i++) {
        char c = part.at[i];
        if (c == '%' && i + 2 < part.size && text_read_hex((struct span){part.at + i + 1, 2}, &c, 1))
            i += 2;
        if (to->id_size < SESSION_ID_SIZE)
            to->id[to->id_size] = c;
        to->id_size++;
    }
}

static struct target find_target(const struct botapi *b, struct span path)
{
    struct target to = {.place = NOWHERE};
    if (!take_prefix(&path, b->options.prefix))
        return to;
    if (path.size > 1 && path.at[path.size - 1] == '/')
        path.size--;
    if (span_is(path, "/health"))
        to.place = HEALTH;
    if (take_prefix(&path, "/api/api/")) { // B11.12
        path.at -= strlen("/api/");
        path.size += strlen("/api/");
    }
    if (span_is(path, "/api/sessions"))
        to.place = SESSIONS;
    if (!take_prefix(&path, "/api/sessions/"))
        return to;
    decode_id(take_part(&path), &to);
    if (to.id_size == 0)
        return to;
    if (path.size == 0) {
        to.place = SESSION;
        return to;
    }
    struct span name = take_part(&path);
    to.decision = span_among(name, b->dialect->decisions);
    if (path.size == 0 && to.decision >= 0)
        to.place = DECISION;
    to.event = take_part(&path);
    if (span_is(name, "notify") && to.event.size && path.size == 0)
        to.place = NOTICE;
    return to;
}

static const char *const allowed[] = {
    [HEALTH] = "GET, HEAD", [SESSIONS] = "POST", [SESSION] = "DELETE", [DECISION] = "POST", [NOTICE] = "POST"};

static bool allows_method(enum place place, const char *method)
{
    struct span rest = span_of(allowed[place]);
    for (size_t size = strlen(method); rest.size >= size; rest.at++, rest.size--)
        if (memcmp(rest.at, method, size) == 0 && (rest.size == size || rest.at[size] == ','))
            return true;
    return false;
}

bool botapi_owns(const struct botapi *b, struct span path)
{
    if (!take_prefix(&path, b->options.prefix))
        return false;
    if (*b->options.prefix)
        return path.size == 0 || path.at[0] == '/';
    return take_prefix(&path, "/api/sessions") || take_prefix(&path, "/api/api/");
}

size_t botapi_max_body(const struct botapi *b, const struct http_request *r)
{
    struct target to = find_target(b, http_path(r));
    const char *method = http_method(r);
    if (to.place != NOWHERE && allows_method(to.place, method) && strcmp(method, "POST") == 0)
        return MAX_BODY;
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ? 0 : OTHER_BODY;
}

// --- refusals before the body is complete

static const struct {
    int status;
    const char *code, *message;
} refusals[] = {
    {400, "bad_request", "this is not HTTP/1.1 as RFC 9112 has it"},
    {404, "unknown_path", "nothing is here; POST /api/sessions creates a session, GET /health tells how it is"},
    {405, "method_not_allowed", "another method is expected here: see Allow"},
    {408, "timeout", "a request must come whole within 10 seconds"},
    {413, "too_large", "a body may have 1 MiB"},
    {414, "too_large", "a request line may have 8 KiB"},
    {431, "too_large", "headers may have 16 KiB"},
    {501, "unknown_method", "unknown method"},
    {503, "busy", "there is no room; try again later"},
    {505, "bad_version", "only HTTP/1.1 and HTTP/1.0 are supported"},
};

// B11.14: an unknown path is reported as such even if the body is too large.
static int correct_status(const struct botapi *b, struct http_request *r, int status)
{
    if (status != 413)
        return status;
    struct target to = find_target(b, http_path(r));
    if (to.place == NOWHERE)
        return 404;
    if (allows_method(to.place, http_method(r)))
        return status;
    http_add_header(r, "Allow", allowed[to.place]);
    return 405;
}

int botapi_refuse(struct botapi *b, struct http_request *r, int status, struct text *body)
{
    status = correct_status(b, r, status);
    for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].status == status)
            write_error(body, refusals[i].code, refusals[i].message);
    if (status == 503)
        http_add_header(r, "Retry-After", "1");
    return status;
}

static void reply_refusal(struct botapi *b, struct http_request *r, int status)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    status = botapi_refuse(b, r, status, &t);
    http_reply(r, status, "application/json", text_span(&t));
}

// --- sessions

void botapi_describe(const struct botapi *b, struct text *t)
{
    json_put_text(t, "game", b->options.codec->game->name);
    json_put_text(t, "bot", b->options.bot->name);
    json_put_bool(t, "sees_table", b->options.bot->game && botapi_has_view(b->options.codec));
}

static void show_health(struct botapi *b, struct http_request *r)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    sessions_expire(&b->sessions, loop_now_us());
    json_begin_object(&t);
    json_put_text(&t, "status", "ok");
    json_put_uint(&t, "sessions", b->sessions.count);
    json_put_uint(&t, "created", b->sessions.created);
    json_put_uint(&t, "evicted", b->sessions.evicted);
    json_put_uint(&t, "requests", b->requests);
    botapi_describe(b, &t);
    json_put_uint(&t, "blind", b->blind);
    json_end_object(&t);
    http_reply(r, 200, "application/json", text_span(&t));
}

static void create_session(struct botapi *b, struct http_request *r)
{
    char bytes[128], id[SESSION_ID_SIZE + 1];
    struct text t = text_on(bytes, sizeof bytes);
    struct field_error error = {0};
    struct session fresh = {0};
    enum wire_verdict verdict = b->dialect->create(b, http_body(r), &fresh, &error);
    if (verdict != WIRE_FINE) {
        reply_verdict(r, verdict, &error);
        return;
    }
    struct session *s = sessions_create(&b->sessions, loop_now_us());
    if (!s) {
        http_add_header(r, "Retry-After", "1");
        reply_error(r, 503, "busy", "the table of sessions is full; delete those that are over");
        return;
    }
    s->root = fresh.root;
    s->seat = fresh.seat;
    s->seats = fresh.seats;
    memcpy(s->name, fresh.name, sizeof s->name);
    session_write_id(s, id);
    wire_write_session(&t, id);
    http_reply(r, 201, "application/json", text_span(&t));
}

// --- decisions

static void reply_decision(struct botapi *b, struct decision *d)
{
    struct session *s = d->session;
    struct text t = text_on(s->answer, sizeof s->answer);
    b->dialect->write_answer(b, s, d->answer, &t);
    s->digest = t.full ? 0 : d->digest;
    s->answer_size = (uint16_t)t.size;
    b->blind += b->options.bot->game && !d->has_view;
    if (b->dialect->decided)
        b->dialect->decided(s, d);
    if (d->request)
        http_reply(d->request, 200, "application/json", text_span(&t));
}

static void start_decision(struct botapi *b, struct http_request *r, struct session *s, int which)
{
    struct span body = http_body(r);
    uint64_t digest = hash_bytes(body.at, body.size) ^ (0x9E3779B97F4A7C15u * (uint64_t)(which + 1));
    digest = digest ? digest : 1; // 0: none
    struct field_error error = {0};
    if (s->digest == digest) { // B11.26
        http_reply(r, 200, "application/json", (struct span){s->answer, s->answer_size});
        return;
    }
    struct decision *d = b->pool ? malloc(sizeof *d) : &b->own_decision;
    if (!d)
        abort();
    d->session = s;
    d->request = r;
    d->digest = digest;
    d->has_view = false;
    enum wire_verdict verdict = b->dialect->decide(b, which, body, s, d, &error);
    if (verdict != WIRE_FINE) {
        reply_verdict(r, verdict, &error);
        if (b->pool)
            free(d);
        return;
    }
    d->ask.view = &d->view;
    d->ask.choices = d->choices;
    d->ask.count = d->count;
    d->ask.dice = &d->dice;
    d->think_ms = b->options.think_ms;
    if (!b->pool) {
        decision_make(b->options.bot, d);
        reply_decision(b, d);
        return;
    }
    s->deciding = true;
    b->deciding++;
    http_set_data(r, d);
    pool_add(b->pool, d);
}

// --- one request of one session

static void forget_waiting(struct waiting *w)
{
    TAILQ_REMOVE(&w->session->waiting, w, next);
    free(w);
}

static void serve_request(struct botapi *b, struct http_request *r, const struct target *to, struct session *s)
{
    struct field_error error = {0};
    if (to->place == SESSION) {
        if (s)
            sessions_remove(&b->sessions, s);
        http_reply(r, 204, NULL, SPAN(""));
    } else if (!s) {
        reply_error(r, 404, "unknown_session", "this session does not exist, has ended or has expired; create another");
    } else if (to->place == DECISION) {
        start_decision(b, r, s, to->decision);
    } else {
        enum wire_verdict verdict = b->dialect->notify(b, to->event, http_body(r), s, &error);
        if (verdict == WIRE_FINE)
            http_reply(r, 200, NULL, SPAN(""));
        else
            reply_verdict(r, verdict, &error);
    }
}

static struct session *session_of(struct botapi *b, const struct target *to)
{
    if (to->id_size != SESSION_ID_SIZE)
        return NULL;
    return sessions_find(&b->sessions, (struct span){to->id, SESSION_ID_SIZE}, loop_now_us());
}

static void queue_request(struct session *s, struct http_request *r)
{
    struct waiting *w = malloc(sizeof *w);
    if (!w)
        abort();
    *w = (struct waiting){.request = r, .session = s};
    TAILQ_INSERT_TAIL(&s->waiting, w, next);
}

// Handles waiting requests until one is a decision again. If one is a DELETE, the others get the error for a missing
// session.
static void serve_waiting(struct botapi *b, struct session *s)
{
    struct waitings queue;
    struct waiting *w;
    // The list is moved aside first: requests that have to wait again are put back in their order.
    TAILQ_INIT(&queue);
    TAILQ_CONCAT(&queue, &s->waiting, next);
    while ((w = TAILQ_FIRST(&queue))) {
        struct target to = find_target(b, http_path(w->request));
        struct session *now = session_of(b, &to);
        TAILQ_REMOVE(&queue, w, next);
        if (now && now->deciding) {
            TAILQ_INSERT_TAIL(&now->waiting, w, next);
            continue;
        }
        serve_request(b, w->request, &to, now);
        free(w);
    }
}

static void on_decided(void *owner, struct decision *d)
{
    struct botapi *b = owner;
    struct session *s = d->session;
    b->deciding--;
    s->deciding = false;
    if (d->request)
        http_set_data(d->request, NULL);
    reply_decision(b, d);
    free(d);
    serve_waiting(b, s);
}

// B11.14: the order of these checks is part of the API.
void botapi_request(struct botapi *b, struct http_request *r)
{
    struct target to = find_target(b, http_path(r));
    b->requests++;
    if (to.place == NOWHERE) {
        reply_refusal(b, r, 404);
        return;
    }
    if (!allows_method(to.place, http_method(r))) {
        http_add_header(r, "Allow", allowed[to.place]);
        reply_refusal(b, r, 405);
        return;
    }
    if (to.place == HEALTH) {
        show_health(b, r);
        return;
    }
    if (to.place == SESSIONS) {
        create_session(b, r);
        return;
    }
    struct session *s = session_of(b, &to);
    if (s && s->deciding)
        queue_request(s, r);
    else
        serve_request(b, r, &to, s);
}

void botapi_disconnected(struct botapi *b, struct http_request *r)
{
    struct decision *d = http_data(r);
    if (d) {
        d->request = NULL; // the answer is kept in case the request is repeated
        return;
    }
    struct target to = find_target(b, http_path(r));
    struct session *s = session_of(b, &to);
    struct waiting *w;
    if (s)
        TAILQ_FOREACH(w, &s->waiting, next)
            if (w->request == r) {
                forget_waiting(w);
                return;
            }
}

int botapi_deciding(const struct botapi *b)
{
    return b->deciding;
}

bool botapi_is_public(const struct codec *c)
{
    return c->game == &belote_game;
}

bool botapi_has_view(const struct codec *c)
{
    return botapi_is_public(c) || c->read_view;
}

struct botapi *botapi_create(struct loop *l, const struct botapi_options *o)
{
    struct botapi *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->loop = l;
    b->options = *o;
    b->dialect = botapi_is_public(o->codec) ? &bot_dialect_belote : &bot_dialect_generic;
    sessions_init(&b->sessions, o);
    if (o->threads > 0)
        b->pool = pool_create(l, o->threads, o->bot, on_decided, b);
    return b;
}

static void drop_waiting(struct sessions_by_age *list)
{
    struct session *s;
    TAILQ_FOREACH(s, list, age)
        while (!TAILQ_EMPTY(&s->waiting))
            forget_waiting(TAILQ_FIRST(&s->waiting));
}

void botapi_destroy(struct botapi *b)
{
    if (b->pool)
        pool_destroy(b->pool);
    drop_waiting(&b->sessions.live);
    drop_waiting(&b->sessions.ended);
    sessions_release(&b->sessions);
    free(b);
}
