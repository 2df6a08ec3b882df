// Requests to sessions and streams: which of them a message belongs to, what waits for a client that comes back, and
// how many there may be.
#include "front/mcp/mcp_http.h"

#include "base/json_write.h"
#include "crypto/crypto.h"
#include "front/mcp/mcp_events.h"
#include "heap/heap.h"
#include "net/forwarded.h"
#include "net/web_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/queue.h>

enum {
    // G7.4: 128 random bits. Whoever knows an id has the session, so it must not be guessable.
    ID_BYTES = 16,
    ID_DIGITS = 2 * ID_BYTES,
    BUCKETS = 256,
    MAX_POSTS = 64, // G7.7
    // Modern requests count too, while they are being answered. When it is full an idle session ends, else the reply is
    // 503.
    MAX_SESSIONS = 1024,
    // How often comments, expired events and idle sessions are looked at.
    SWEEP_US = 1000000,
    COMMENT_US = 15000000, // G7.7
    REFUSAL_ROOM = 256,
    ALL_EVENTS = 64 << 20, // bytes that all sessions together keep for streams that are taken up again
    FIRST_BODY = 65536,    // of a message without a session: initialize is short
};

// A request that is being answered, or a stream whose peer may come back. Stream 0 is the session's own.
struct stream {
    struct web_session *session;
    struct http_request *request; // NULL: the peer has left
    uint64_t number;              // the tag of its message
    uint64_t sent;                // the last event that was written
    // When something was last written; COMMENT_US later a comment keeps proxies from closing the stream.
    int64_t spoke_us;
    bool events, ended; // it answers by events; nothing more will be added
    LIST_ENTRY(stream) all;
};

struct web_session {
    struct mcp_http *web;
    struct mcp_session *session;
    char id[ID_DIGITS + 1];
    bool named;     // the client knows the id
    bool stateless; // one modern request, without a session for the client
    // Both only grow: numbers of streams, and of events across all streams, since G7.7 wants ids that are unique in a
    // session.
    uint64_t numbers, events_made;
    uint64_t delivered; // the last event of stream 0 that was written
    int posts;
    uint64_t client; // who began it (net/admission.h)
    int64_t heard_us;
    // Separate, so that many answers cannot displace notifications that the client has not fetched yet.
    struct mcp_events notes, answers; // of stream 0, of the others
    LIST_HEAD(, stream) streams;
    LIST_ENTRY(web_session) all;
};

struct mcp_http {
    struct mcp_host *host;
    struct mcp_http_options options;
    struct text text; // an event on its way out
    int64_t sweep_us;
    struct mcp_http_figures figures;
    size_t event_bytes; // of all sessions
    LIST_HEAD(, web_session) sessions[BUCKETS];
};

void mcp_http_defaults(struct mcp_http_options *o)
{
    *o = (struct mcp_http_options){.host = "127.0.0.1", .idle_s = 1800};
}

// --- streams

static struct stream *find_stream(struct web_session *s, uint64_t number)
{
    struct stream *st;
    LIST_FOREACH(st, &s->streams, all)
        if (st->number == number)
            return st;
    return NULL;
}

static struct stream *stream_create(struct web_session *s, struct http_request *r, uint64_t number)
{
    struct stream *st = calloc(1, sizeof *st);
    if (!st)
        return NULL;
    *st = (struct stream){.session = s, .request = r, .number = number, .spoke_us = loop_now_us()};
    s->posts += number != 0;
    http_set_data(r, st);
    LIST_INSERT_HEAD(&s->streams, st, all);
    return st;
}

static void stream_destroy(struct stream *st)
{
    st->session->posts -= st->number != 0;
    LIST_REMOVE(st, all);
    free(st);
}

static struct mcp_events *log_of(struct web_session *s, uint64_t number)
{
    return number ? &s->answers : &s->notes;
}

// Writes the events that the peer has not received yet, as far as it reads them; ends a stream that is complete.
static void write_events(struct stream *st)
{
    struct web_session *s = st->session;
    struct text *t = &s->web->text;
    const struct mcp_event *e;
    while (st->request && (e = mcp_events_after(log_of(s, st->number), st->number, st->sent))) {
        t->size = 0;
        t->full = false;
        mcp_event_write(t, e);
        // The peer reads too slowly: the sweep tries again.
        if (!http_stream_write(st->request, text_span(t)))
            return;
        st->sent = e->number;
        st->spoke_us = loop_now_us();
        if (st->number == 0)
            s->delivered = st->sent;
    }
    if (!st->ended)
        return;
    if (st->request) {
        http_set_data(st->request, NULL);
        http_stream_end(st->request);
    }
    stream_destroy(st);
}

static void name_session(struct web_session *s, struct http_request *r)
{
    if (s->named || !mcp_session_is_ready(s->session))
        return;
    s->named = true;
    http_add_header(r, "MCP-Session-Id", s->id);
}

// G3.4: from 2025-11-25 on a stream begins with an event that has an id and no data.
static void begin_events(struct stream *st)
{
    struct web_session *s = st->session;
    st->events = true;
    http_add_header(st->request, "X-Accel-Buffering", "no");
    if (s->stateless)
        http_add_header(st->request, "Cache-Control", "no-cache, no-transform");
    http_stream_begin(st->request, 200, "text/event-stream");
    if (s->stateless || !mcp_session_primes(s->session))
        return;
    // A client that comes back with its id goes on after `sent`, as with any event; `prime` only makes the id a new
    // one.
    struct mcp_event prime = {.stream = st->number, .number = st->sent, .prime = ++s->events_made};
    struct text *t = &s->web->text;
    t->size = 0;
    mcp_event_write(t, &prime);
    http_stream_write(st->request, text_span(t));
}

// --- what a session asks of its transport

// Makes room for an event: while all sessions together keep too much, the largest log loses its oldest event.
static void make_event_room(struct mcp_http *w, size_t bytes)
{
    while (w->event_bytes && w->event_bytes + bytes > ALL_EVENTS) {
        struct mcp_events *most = NULL;
        for (int i = 0; i < BUCKETS; i++) {
            struct web_session *s;
            LIST_FOREACH(s, &w->sessions[i], all) {
                struct mcp_events *larger = s->notes.bytes > s->answers.bytes ? &s->notes : &s->answers;
                most = !most || larger->bytes > most->bytes ? larger : most;
            }
        }
        // event_bytes is not 0, so some log has bytes, and `most` is one of these.
        mcp_events_drop(most);
    }
}

// M36: an event without an id, since no stream is taken up again.
static void send_plain(struct stream *st, struct span message)
{
    if (!st || !st->request)
        return;
    struct text *t = &st->session->web->text;
    if (!st->events)
        begin_events(st);
    t->size = 0;
    t->full = false;
    text_puts(t, "event: message\ndata: ");
    text_put(t, message);
    text_puts(t, "\n\n");
    http_stream_write(st->request, text_span(t));
    st->spoke_us = loop_now_us();
}

static void link_send(void *conn, uint64_t tag, enum mcp_output kind, struct span message)
{
    struct web_session *s = conn;
    struct stream *st = find_stream(s, tag);
    // The reply is plain JSON unless a notification or link_stream has made an event stream of it before (G7.3).
    if (st && !st->events && kind != MCP_NOTE) {
        struct http_request *r = st->request;
        st->request = NULL;
        if (!r)
            return; // the peer has left without a stream to come back to
        int status = mcp_session_status(s->session);
        name_session(s, r);
        http_set_data(r, NULL);
        if (status == 429)
            http_add_header(r, "Retry-After", "1");
        http_reply(r, kind == MCP_REFUSAL && status == 200 ? 400 : status, "application/json", message);
        return;
    }
    if (s->stateless) {
        send_plain(st, message);
        return;
    }
    make_event_room(s->web, message.size);
    mcp_events_add(log_of(s, tag), tag, ++s->events_made, message, loop_now_us());
    if (st && st->request && !st->events)
        begin_events(st);
    if (st && st->request)
        write_events(st);
}

static void link_stream(void *conn, uint64_t tag)
{
    struct stream *st = find_stream(conn, tag);
    if (st && st->request && !st->events)
        begin_events(st);
}

static void link_end(void *conn, uint64_t tag)
{
    struct stream *st = find_stream(conn, tag);
    if (!st || tag == 0)
        return;
    st->ended = true;
    if (st->events) {
        write_events(st);
        return;
    }
    if (st->request) { // a notification or a response: nothing to say
        http_set_data(st->request, NULL);
        http_reply(st->request, 202, NULL, SPAN(""));
    }
    stream_destroy(st);
}

static const struct mcp_link web_link = {.send = link_send, .stream = link_stream, .end = link_end};

// --- sessions

// Of hex digits alone, which find_session has checked when the id is a client's.
static unsigned bucket_of(const char *id)
{
    unsigned value = 0;
    for (int i = 0; i < 2; i++)
        value = value * 16 + (unsigned)(id[i] <= '9' ? id[i] - '0' : id[i] - 'a' + 10);
    return value % BUCKETS;
}

static struct web_session *session_create(struct mcp_http *w, struct http_request *r)
{
    char table[65] = "", game[65] = "", tools[16] = "", peer[64];
    uint8_t random[ID_BYTES];
    struct web_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    http_query(r, "table", table, sizeof table);
    http_query(r, "game", game, sizeof game);
    http_query(r, "tools", tools, sizeof tools);
    s->web = w;
    s->session = mcp_session_open(w->host, &web_link, s, table, game);
    if (!s->session) {
        free(s);
        return NULL;
    }
    if (strcmp(tools, "player") == 0 || strcmp(tools, "full") == 0)
        mcp_session_set_tools(s->session, tools[0] == 'p');
    forwarded_find(r, peer);
    mcp_session_set_caller(s->session, peer);
    s->client = http_client(r);
    mcp_session_set_client(s->session, s->client);
    crypto_random(random, sizeof random);
    struct text id = text_on(s->id, ID_DIGITS);
    text_put_hex_bytes(&id, random, sizeof random);
    s->heard_us = loop_now_us();
    s->notes.all = s->answers.all = &w->event_bytes;
    LIST_INSERT_HEAD(&w->sessions[bucket_of(s->id)], s, all);
    w->figures.count++;
    return s;
}

static void session_destroy(struct web_session *s)
{
    // First: from here on the session sends nothing, so the streams can be taken away.
    mcp_session_close(s->session, loop_now_us());
    for (struct stream *st; (st = LIST_FIRST(&s->streams));) {
        if (st->request)
            http_set_data(st->request, NULL);
        if (st->request && st->events)
            http_stream_end(st->request);
        else if (st->request)
            http_reply(st->request, 404, "text/plain", SPAN("the session has ended\n"));
        stream_destroy(st);
    }
    mcp_events_release(&s->notes);
    mcp_events_release(&s->answers);
    LIST_REMOVE(s, all);
    s->web->figures.count--;
    free(s);
}

static struct web_session *find_session(const struct mcp_http *w, struct span id)
{
    struct web_session *s;
    if (id.size != ID_DIGITS)
        return NULL;
    for (size_t i = 0; i < id.size; i++)
        if (!(id.at[i] >= '0' && id.at[i] <= '9') && !(id.at[i] >= 'a' && id.at[i] <= 'f'))
            return NULL;
    LIST_FOREACH(s, &w->sessions[bucket_of(id.at)], all)
        // Time tells an attacker the bucket at most, which is 8 of the 128 bits.
        if (crypto_equal(s->id, id.at, ID_DIGITS))
            return s;
    return NULL;
}

// Sessions of this client, or of all (0); `idle` is the one of these that was heard of longest ago and that nobody
// plays in or listens to, NULL: there is none.
static int count_sessions(struct mcp_http *w, uint64_t client, struct web_session **idle)
{
    struct web_session *s;
    int count = 0;
    *idle = NULL;
    for (int i = 0; i < BUCKETS; i++)
        LIST_FOREACH(s, &w->sessions[i], all) {
            if (client && s->client != client)
                continue;
            count++;
            if (LIST_EMPTY(&s->streams) && mcp_session_is_bare(s->session) &&
                (!*idle || s->heard_us < (*idle)->heard_us))
                *idle = s;
        }
    return count;
}

static bool has_room(struct mcp_http *w, uint64_t client, int most)
{
    struct web_session *idle;
    if (count_sessions(w, client, &idle) < most)
        return true;
    if (idle)
        session_destroy(idle);
    else
        w->figures.refused++;
    return idle != NULL;
}

void mcp_http_figures(const struct mcp_http *w, struct mcp_http_figures *f)
{
    *f = w->figures;
}

// --- admission

static bool bears_token(const struct mcp_http *w, struct http_request *r)
{
    struct span given = http_header(r, "Authorization");
    size_t size = w->options.token ? strlen(w->options.token) : 0;
    if (!w->options.token)
        return true;
    return given.size == size + 7 && strncasecmp(given.at, "Bearer ", 7) == 0 &&
           crypto_equal(given.at + 7, w->options.token, size);
}

static void send_refusal(struct http_request *r, int status, const char *why)
{
    char bytes[REFUSAL_ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_put_text(&t, "error", why);
    json_end_object(&t);
    http_reply(r, status, "application/json", text_span(&t));
}

// G7.2, G7.5. False: answered.
static bool is_admitted(struct mcp_http *w, struct http_request *r)
{
    struct span origin = http_header(r, "Origin"), version = http_header(r, "MCP-Protocol-Version");
    struct web_access access = {w->options.host, w->options.public_url, w->options.origins};
    if (!web_access_knows_host(&access, http_header(r, "Host")))
        send_refusal(r, 403, "unknown Host header; use localhost, the server's address or its --public-url");
    else if (!web_access_allows_origin(&access, origin))
        send_refusal(r, 403, "this Origin is not allowed; the operator can allow it with --http-origin");
    else if (!bears_token(w, r)) {
        http_add_header(r, "WWW-Authenticate", "Bearer");
        send_refusal(r, 401, "missing or wrong token; send it as 'Authorization: Bearer TOKEN'");
    } else if (version.size && !mcp_revision_is_known(version) && !mcp_is_new_version(version))
        send_refusal(r, 400, "unsupported MCP-Protocol-Version; initialize lists the supported ones");
    else
        return true;
    return false;
}

static bool has_word(struct span list, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= list.size; i++)
        if (strncasecmp(list.at + i, word, size) == 0)
            return true;
    return false;
}

static bool accepts_type(struct http_request *r, const char *type)
{
    struct span accept = http_header(r, "Accept");
    return has_word(accept, type) || has_word(accept, "*/*");
}

// --- requests

// The session that the request names. NULL: answered (G7.4).
static struct web_session *get_session(struct mcp_http *w, struct http_request *r)
{
    struct span id = http_header(r, "MCP-Session-Id");
    struct web_session *s = id.size ? find_session(w, id) : NULL;
    if (s)
        s->heard_us = loop_now_us();
    else if (id.size)
        send_refusal(r, 404, "unknown MCP-Session-Id; send initialize for a new session");
    else
        send_refusal(r, 400, "MCP-Session-Id is missing; the response to initialize has it");
    return s;
}

// A message without a session: initialize opens one, anything else is refused.
static struct web_session *make_session(struct mcp_http *w, struct http_request *r)
{
    struct text *t = &w->text;
    t->size = 0;
    t->full = false;
    if (!mcp_is_initialize(http_body(r), t)) {
        http_reply(r, 400, "application/json", text_span(t));
        return NULL;
    }
    // Anybody may begin sessions: beyond a limit an idle one goes.
    uint64_t client = http_client(r);
    if (client && w->options.sessions_per_client && !has_room(w, client, w->options.sessions_per_client)) {
        http_add_header(r, "Retry-After", "60");
        send_refusal(r, 429, "too many sessions from this address; end one with DELETE");
        return NULL;
    }
    // All clients together: the limit above is per address, and many addresses could still fill the memory.
    struct web_session *s = has_room(w, 0, MAX_SESSIONS) ? session_create(w, r) : NULL;
    if (!s)
        send_refusal(r, 503, "the server has no room for another session; try again later");
    return s;
}

// A modern request: a session for as long as it is answered (M35, M36).
static void handle_stateless(struct mcp_http *w, struct http_request *r, const struct mcp_headers *headers)
{
    struct web_session *s = has_room(w, 0, MAX_SESSIONS) ? session_create(w, r) : NULL;
    struct stream *st = s ? stream_create(s, r, ++s->numbers) : NULL;
    if (!st) {
        if (s)
            session_destroy(s);
        send_refusal(r, 503, "the server has no room for another request; try again later");
        return;
    }
    s->stateless = s->named = true;
    mcp_session_set_stateless(s->session);
    mcp_session_handle_web(s->session, http_body(r), st->number, loop_now_us(), headers);
    if (LIST_EMPTY(&s->streams))
        session_destroy(s);
    else
        http_drop_body(r); // it may be answered much later
}

static void handle_post(struct mcp_http *w, struct http_request *r)
{
    struct span type = http_header(r, "Content-Type");
    if (type.size < 16 || strncasecmp(type.at, "application/json", 16) != 0) {
        send_refusal(r, 415, "Content-Type must be application/json");
        return;
    }
    if (!accepts_type(r, "application/json") || !accepts_type(r, "text/event-stream")) {
        send_refusal(r, 406, "Accept must name application/json and text/event-stream");
        return;
    }
    struct mcp_headers headers = {.version = http_header(r, "MCP-Protocol-Version"),
                                  .method = http_header(r, "Mcp-Method"),
                                  .name = http_header(r, "Mcp-Name"),
                                  .party = http_header(r, "Agon-Party")};
    if (mcp_is_stateless(http_body(r), &headers)) {
        handle_stateless(w, r, &headers);
        return;
    }
    bool fresh = http_header(r, "MCP-Session-Id").size == 0;
    struct web_session *s = fresh ? make_session(w, r) : get_session(w, r);
    if (!s)
        return;
    if (s->posts >= MAX_POSTS) {
        send_refusal(r, 429, "64 requests of this session are in progress; wait for a response");
        return;
    }
    struct stream *st = stream_create(s, r, ++s->numbers);
    if (!st) {
        send_refusal(r, 503, "no memory");
        return;
    }
    // Looked up by its number from here on: a message that is answered at once frees its stream.
    uint64_t number = st->number;
    mcp_session_handle(s->session, http_body(r), number, loop_now_us());
    if ((st = find_stream(s, number)) && st->request == r)
        http_drop_body(r); // a call may be pending for long
    if (fresh && !mcp_session_is_ready(s->session))
        session_destroy(s); // initialize was refused
}

// G7.7: the stream of the last event that the client has had, from there on.
static void resume_stream(struct web_session *s, struct http_request *r, struct span last)
{
    uint64_t number, sent;
    if (!mcp_event_parse_id(last, &number, &sent)) {
        send_refusal(r, 400, "Last-Event-ID does not belong to this session");
        return;
    }
    struct stream *st = find_stream(s, number);
    if (st && st->request) {
        send_refusal(r, 409, "this stream is already open");
        return;
    }
    bool known = st != NULL;
    if (!known && !(st = stream_create(s, r, number))) {
        send_refusal(r, 503, "no memory");
        return;
    }
    st->request = r;
    st->sent = sent;
    st->ended = st->ended || (!known && number != 0); // all there is to say has been said
    http_set_data(r, st);
    st->events = true;
    http_stream_begin(r, 200, "text/event-stream");
    write_events(st);
}

static void handle_get(struct mcp_http *w, struct http_request *r)
{
    struct span last = http_header(r, "Last-Event-ID");
    if (!accepts_type(r, "text/event-stream")) {
        send_refusal(r, 406, "Accept must name text/event-stream");
        return;
    }
    struct web_session *s = get_session(w, r);
    if (!s)
        return;
    if (last.size) {
        resume_stream(s, r, last);
        return;
    }
    struct stream *st = find_stream(s, 0);
    if (st && st->request) {
        send_refusal(r, 409, "the session's stream is already open");
        return;
    }
    if (!st && !(st = stream_create(s, r, 0))) {
        send_refusal(r, 503, "no memory");
        return;
    }
    st->request = r;
    // What has come since the last stream was closed is sent now (G7.6).
    st->sent = s->delivered;
    http_set_data(r, st);
    begin_events(st);
    write_events(st);
}

static void handle_delete(struct mcp_http *w, struct http_request *r)
{
    struct web_session *s = get_session(w, r);
    if (!s)
        return;
    session_destroy(s);
    http_reply(r, 204, NULL, SPAN(""));
}

size_t mcp_http_max_body(const struct mcp_http *w, const struct http_request *r)
{
    if (strcmp(http_method(r), "POST") != 0)
        return 0;
    // An unknown client cannot make the server hold more than FIRST_BODY.
    bool known =
        find_session(w, http_header(r, "MCP-Session-Id")) || mcp_is_new_version(http_header(r, "MCP-Protocol-Version"));
    return known ? mcp_host_max_message(w->host) : FIRST_BODY;
}

void mcp_http_request(struct mcp_http *w, struct http_request *r)
{
    static const struct {
        const char *method;
        void (*handle)(struct mcp_http *w, struct http_request *r);
    } methods[] = {{"POST", handle_post}, {"GET", handle_get}, {"DELETE", handle_delete}};
    if (!is_admitted(w, r))
        return;
    if (strcmp(http_method(r), "POST") != 0 && mcp_is_new_version(http_header(r, "MCP-Protocol-Version"))) { // M35
        http_add_header(r, "Allow", "POST");
        send_refusal(r, 405, "revision 2026-07-28 accepts only POST");
        return;
    }
    for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(http_method(r), methods[i].method) == 0) {
            methods[i].handle(w, r);
            return;
        }
    http_add_header(r, "Allow", "POST, GET, DELETE");
    send_refusal(r, 405, "method not allowed; allowed: POST, GET, DELETE");
}

void mcp_http_disconnected(struct mcp_http *w, struct http_request *r)
{
    (void)w;
    struct stream *st = http_data(r);
    if (!st)
        return;
    st->request = NULL;           // its message goes on being answered (G7.7)
    if (st->session->stateless) { // M37: nobody can come back for the answer
        session_destroy(st->session);
        return;
    }
    // The others stay: their messages are still being answered, and the client may come back with Last-Event-ID.
    if (st->number == 0 || st->ended)
        stream_destroy(st);
}

// --- time

static void sweep_session(struct web_session *s, int64_t now_us)
{
    struct stream *st, *next;
    bool listened = false;
    for (st = LIST_FIRST(&s->streams); st; st = next) {
        next = LIST_NEXT(st, all);
        listened = listened || st->request;
        if (!st->request || !st->events)
            continue;
        if (now_us - st->spoke_us >= COMMENT_US) {
            http_stream_write(st->request, SPAN(":\n\n"));
            st->spoke_us = now_us;
        }
        write_events(st); // again, if the peer was too slow before
    }
    if (s->stateless && LIST_EMPTY(&s->streams)) {
        session_destroy(s);
        return;
    }
    mcp_events_expire(&s->notes, s->delivered, now_us);
    mcp_events_expire(&s->answers, UINT64_MAX, now_us);
    // An open stream is a sign of life, although its client sends nothing.
    if (listened)
        s->heard_us = now_us;
    if (now_us - s->heard_us >= (int64_t)s->web->options.idle_s * 1000000)
        session_destroy(s);
}

int64_t mcp_http_advance(struct mcp_http *w, int64_t now_us)
{
    if (w->figures.count == 0)
        return INT64_MAX;
    if (now_us < w->sweep_us)
        return w->sweep_us;
    for (int i = 0; i < BUCKETS; i++) {
        struct web_session *s, *next;
        for (s = LIST_FIRST(&w->sessions[i]); s; s = next) {
            next = LIST_NEXT(s, all);
            sweep_session(s, now_us);
        }
    }
    return w->sweep_us = now_us + SWEEP_US;
}

struct mcp_http *mcp_http_create(struct mcp_host *h, const struct mcp_http_options *o)
{
    struct mcp_http *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->host = h;
    w->options = *o;
    w->text.grow = heap_text_grow;
    return w;
}

void mcp_http_destroy(struct mcp_http *w)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct web_session *s; (s = LIST_FIRST(&w->sessions[i]));)
            session_destroy(s);
    free(w->text.at);
    free(w);
}
