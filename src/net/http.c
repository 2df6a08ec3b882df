#include "net/http.h"

#include "heap/heap.h"
#include "net/forwarded.h"
#include "net/http_grammar.h"
#include "net/http_read.h"
#include "net/incoming.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

enum {
    KEEP_BYTES = 1024,       // an idle connection keeps buffers up to this size, since there may be many
    STREAM_WAITING = 262144, // unsent bytes of a stream, beyond which its peer is too slow
    SWEEP_MS = 1000,         // one timer looks at the deadlines of all connections
    OPERATOR_MS = 2000,      // for a head in the operator's reserve
};

// One for each connection, used again for all of its requests.
struct http_request {
    struct http *server;
    struct conn *conn;
    struct http_reader reader;
    struct text head; // the reader's
    struct text body;
    struct text extra;                // header lines of the reply
    struct incoming_request incoming; // deadline and memory
    size_t max_body;
    // The handler's, per request; NULL at the beginning of each.
    void *data;
    bool begun; // its first byte was received
    // A job may hold the request over several turns: the memory stays until http_release.
    bool kept; // by the handler; conn NULL: the peer has disconnected
    bool complete, streaming, keep_alive, head_only, chunks, old; // old: HTTP/1.0
    LIST_ENTRY(http_request) all;
};

struct http {
    struct conn_server *port;
    const struct http_handler *handler;
    void *owner;
    struct http_options options;
    struct event *sweep;
    struct incoming_requests requests;
    LIST_HEAD(, http_request) all;
};

static void empty_text(struct text *t)
{
    if (t->room > KEEP_BYTES) {
        free(t->at);
        *t = (struct text){.grow = heap_text_grow};
    }
    t->size = 0;
    t->full = false;
}

// --- requests

static int64_t due_in(int ms)
{
    return loop_now_us() + (int64_t)ms * 1000;
}

static void request_begin(struct http_request *r)
{
    empty_text(&r->head);
    empty_text(&r->body);
    empty_text(&r->extra);
    http_reader_begin(&r->reader);
    r->data = NULL;
    r->complete = r->streaming = r->begun = false;
    r->incoming.trusted = false;
    incoming_hold(&r->incoming, 0, 0); // what an idle connection keeps is small and not counted
    incoming_wait(&r->incoming, due_in(r->server->options.idle_ms));
}

static void *on_open(void *owner, struct conn *c)
{
    struct http *s = owner;
    struct http_request *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->server = s;
    r->conn = c;
    r->head.grow = r->body.grow = r->extra.grow = heap_text_grow;
    http_reader_init(&r->reader, HTTP_REQUESTS, &r->head, s->options.max_head_bytes, s->options.max_target_bytes);
    r->incoming.all = &s->requests;
    r->incoming.local = conn_is_local(c);
    request_begin(r);
    incoming_wait(&r->incoming, due_in(conn_is_reserved(c) ? OPERATOR_MS : s->options.timeout_ms));
    LIST_INSERT_HEAD(&s->all, r, all);
    return r;
}

static void free_texts(struct http_request *r)
{
    struct text *const texts[] = {&r->head, &r->body, &r->extra};
    for (int i = 0; i < 3; i++) {
        free(texts[i]->at);
        *texts[i] = (struct text){.grow = heap_text_grow};
    }
    incoming_hold(&r->incoming, 0, 0);
}

static void free_request(struct http_request *r)
{
    free_texts(r);
    free(r);
}

static void destroy_request(struct http_request *r)
{
    LIST_REMOVE(r, all);
    incoming_end(&r->incoming);
    r->conn = NULL;
    if (!r->kept)
        free_request(r);
}

void http_retain(struct http_request *r)
{
    r->kept = true;
}

bool http_release(struct http_request *r)
{
    r->kept = false;
    if (r->conn)
        return true;
    free_request(r);
    return false;
}

static void on_close(void *client)
{
    struct http_request *r = client;
    if ((r->complete || r->streaming) && r->server->handler->on_gone)
        r->server->handler->on_gone(r->server->owner, r);
    destroy_request(r);
}

// Refuses a request that cannot be parsed and closes the connection, because it is unknown where the next request
// begins.
static void send_refusal(struct http_request *r, int status)
{
    char bytes[512];
    struct text body = text_on(bytes, sizeof bytes);
    const struct http *s = r->server;
    r->keep_alive = false;
    r->head_only = false;
    r->complete = true;
    if (s->handler->on_refuse)
        status = s->handler->on_refuse(s->owner, r, status, &body);
    bool tells_when = r->extra.size && memmem(r->extra.at, r->extra.size, "Retry-After", 11);
    if ((status == 503 || status == 429) && !tells_when)
        http_add_header(r, "Retry-After", "5");
    http_reply(r, status, "application/json", text_span(&body));
}

// Ended because it arrived too slowly: frees its memory at once.
static void end_slow(struct incoming_request *i)
{
    struct http_request *r = (struct http_request *)(void *)((char *)i - offsetof(struct http_request, incoming));
    send_refusal(r, 408);
    free_texts(r);
}

// --- limits

static int count_refusal(const struct http_request *r, int status, enum admission_event why)
{
    admission_count(r->server->requests.admission, why);
    return status;
}

// Reserves memory for what was received and `more` bytes of body. Returns 0 or 503.
static int hold_memory(struct http_request *r, size_t more)
{
    size_t body = more ? heap_text_room(&r->body, more) : r->body.room;
    return incoming_hold(&r->incoming, r->head.room + body, loop_now_us()) ? 0
                                                                           : count_refusal(r, 503, ADMISSION_MEMORY);
}

// Checks of the head, before the body is read. Each returns 0 or the status of the refusal.
// Memory comes last: making room for a request may end slow requests of others, so it must be allowed otherwise.
static int check_head(struct http_request *r, uint64_t length)
{
    const struct http *s = r->server;
    struct http_terms terms = {.max_body = s->options.max_body_bytes};
    if (s->handler->on_head)
        s->handler->on_head(s->owner, r, &terms);
    r->max_body = terms.max_body;
    r->incoming.trusted = terms.is_operator;
    // The connection was accepted only because it is local; the reserve is for clients with the operator's token.
    if (conn_is_reserved(r->conn) && !terms.is_operator)
        return count_refusal(r, 503, ADMISSION_FULL);
    conn_set_greeted(r->conn);
    if (length > r->max_body)
        return count_refusal(r, 413, ADMISSION_LARGE);
    // Behind a proxy one connection carries many clients, so it is charged anew for each request.
    if (!terms.is_operator && !conn_set_client(r->conn, forwarded_client(r, r->conn)))
        return count_refusal(r, 429, ADMISSION_CROWDED);
    if (length && !incoming_can_hold(&r->incoming, r->head.room + (size_t)length, loop_now_us()))
        return count_refusal(r, 503, ADMISSION_MEMORY);
    incoming_begin_body(&r->incoming, loop_now_us());
    return 0;
}

static int accept_head(struct http_request *r)
{
    const struct http_message *m = &r->reader.message;
    if (strcmp(m->method, "CONNECT") == 0)
        return 405;
    // A client that asks before it sends (Expect) is refused before its body is on the way.
    int status = check_head(r, m->length);
    if (status == 0 && m->minor > 0 && http_equals(http_header(r, "Expect"), "100-continue"))
        conn_reply(r->conn, SPAN("HTTP/1.1 100 Continue\r\n\r\n"));
    return status;
}

static int accept_data(struct http_request *r, struct span data)
{
    // A chunked body has declared no size, so it is counted as it comes.
    if (data.size > r->max_body - r->body.size)
        return count_refusal(r, 413, ADMISSION_LARGE);
    int status = hold_memory(r, data.size);
    if (status)
        return status;
    text_put(&r->body, data);
    return r->body.full ? 503 : 0;
}

// --- reading

// The request is complete; the next one waits until this one is answered.
static void serve_request(struct http_request *r)
{
    const struct http_message *m = &r->reader.message;
    r->complete = true;
    r->keep_alive = m->keep_alive;
    r->head_only = strcmp(m->method, "HEAD") == 0;
    r->old = m->minor == 0;
    incoming_end(&r->incoming);
    conn_pause(r->conn);
    conn_set_greeted(r->conn);
    if (span_is(http_path(r), "*")) { // RFC 9110, 9.3.7: about the server itself, not about a handler
        http_add_header(r, "Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        http_reply(r, 204, NULL, SPAN(""));
    } else {
        r->server->handler->on_request(r->server->owner, r);
    }
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    (void)seen; // the reader keeps what it needs: every byte is passed once
    struct http_request *r = client;
    struct span rest = bytes, data;
    if (!r->begun && !conn_is_reserved(r->conn)) // in the reserve the deadline runs from the start of the connection
        incoming_begin(&r->incoming, loop_now_us());
    r->begun = true;
    incoming_add(&r->incoming, bytes.size);
    for (enum http_event e; (e = http_read(&r->reader, &rest, &data)) != HTTP_MORE;) {
        int status = e == HTTP_BAD    ? r->reader.message.status
                     : e == HTTP_HEAD ? accept_head(r)
                     : e == HTTP_DATA ? accept_data(r, data)
                                      : 0;
        if (status) {
            send_refusal(r, status);
            return bytes.size;
        }
        if (e == HTTP_END) {
            serve_request(r);
            return bytes.size - rest.size;
        }
    }
    conn_set_standing(r->conn, CONN_NEW); // while it is incomplete, it may be closed to make room for others
    int status = hold_memory(r, 0);
    if (status)
        send_refusal(r, status);
    return bytes.size;
}

// --- the request

const char *http_method(const struct http_request *r)
{
    return r->reader.message.method;
}

struct span http_path(const struct http_request *r)
{
    const struct http_message *m = &r->reader.message;
    return m->absolute && m->path.size == 0 ? SPAN("/") : http_reader_slice(&r->reader, m->path);
}

struct span http_header(const struct http_request *r, const char *name)
{
    return http_reader_field(&r->reader, name);
}

struct span http_last_header(const struct http_request *r, const char *name)
{
    return http_reader_last_field(&r->reader, name);
}

bool http_is_origin_allowed(const struct http_request *r, const char *const *origins)
{
    struct span origin = http_header(r, "Origin");
    if (!origin.at || !origins)
        return true;
    return span_among(origin, origins) >= 0;
}

struct span http_body(const struct http_request *r)
{
    return text_span(&r->body);
}

// Decodes percent signs and pluses. Returns false if it does not fit, is malformed, or contains a NUL.
static bool decode_query(struct span s, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < s.size; i++, n++) {
        char c = s.at[i] == '+' ? ' ' : s.at[i];
        if (c == '%') {
            int high = i + 2 < s.size ? http_hex(s.at[i + 1]) : -1, low = i + 2 < s.size ? http_hex(s.at[i + 2]) : -1;
            // A NUL would end the value for string functions and not for others.
            if (high < 0 || low < 0 || high + low == 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (n + 1 >= room)
            return false;
        out[n] = c;
    }
    out[n] = 0;
    return true;
}

// As received; at is NULL if absent.
static struct span find_query(const struct http_request *r, const char *name)
{
    struct span query = http_reader_slice(&r->reader, r->reader.message.query);
    const char *at = query.at, *end = at + query.size;
    size_t size = strlen(name);
    while (at < end) {
        at++; // '?' or '&'
        const char *next = memchr(at, '&', (size_t)(end - at));
        if (!next)
            next = end;
        if ((size_t)(next - at) > size && at[size] == '=' && memcmp(at, name, size) == 0)
            return (struct span){at + size + 1, (size_t)(next - at) - size - 1};
        at = next;
    }
    return (struct span){0};
}

bool http_query(const struct http_request *r, const char *name, char *out, size_t room)
{
    struct span value = find_query(r, name);
    return value.at && decode_query(value, out, room);
}

bool http_has_query(const struct http_request *r, const char *name)
{
    return find_query(r, name).at != NULL;
}

void http_peer(const struct http_request *r, char out[64])
{
    conn_peer(r->conn, out);
}

// An empty header counts too: a client behind a proxy must not look like this machine.
bool http_is_proxied(const struct http_request *r)
{
    return conn_is_proxy(r->conn) && http_last_header(r, "X-Forwarded-For").at;
}

bool http_is_reserved(const struct http_request *r)
{
    return conn_is_reserved(r->conn);
}

uint64_t http_client(const struct http_request *r)
{
    return conn_client(r->conn);
}

void http_drop_body(struct http_request *r)
{
    empty_text(&r->body);
    incoming_hold(&r->incoming, r->head.room + r->body.room, 0);
}

void *http_data(const struct http_request *r)
{
    return r->data;
}

void http_set_data(struct http_request *r, void *data)
{
    r->data = data;
}

// --- the reply

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Payload Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Entity"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

static const char *find_reason(int status)
{
    for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Status";
}

void http_add_header(struct http_request *r, const char *name, const char *value)
{
    text_puts(&r->extra, name);
    text_puts(&r->extra, ": ");
    text_puts(&r->extra, value);
    text_puts(&r->extra, "\r\n");
}

void http_close_after(struct http_request *r)
{
    r->keep_alive = false;
}

static void reply_head(struct http_request *r, int status, const char *type, const char *length)
{
    char line[512];
    struct text t = text_on(line, sizeof line);
    text_puts(&t, "HTTP/1.1 ");
    text_put_int(&t, status);
    text_put_char(&t, ' ');
    text_puts(&t, find_reason(status));
    text_puts(&t, "\r\n");
    if (type) {
        text_puts(&t, "Content-Type: ");
        text_puts(&t, type);
        text_puts(&t, "\r\n");
    }
    text_puts(&t, length);
    text_puts(&t, !r->keep_alive ? "Connection: close\r\n" : r->old ? "Connection: keep-alive\r\n" : "");
    assert(!t.full);
    conn_reply(r->conn, text_span(&t));
    text_puts(&r->extra, "\r\n");
    conn_reply(r->conn, text_span(&r->extra));
}

// The connection is ready for the next request, or is closed.
static void finish_reply(struct http_request *r)
{
    if (!r->keep_alive) {
        r->complete = r->streaming = false; // answered: on_gone is not called any more
        conn_hang_up(r->conn);
        return;
    }
    request_begin(r);
    // Until the next request names its client, the connection counts for the proxy, which has no limit.
    conn_reset_client(r->conn);
    conn_set_standing(r->conn, CONN_IDLE);
    conn_resume(r->conn);
}

void http_reply(struct http_request *r, int status, const char *type, struct span body)
{
    char length[64];
    struct text t = text_on(length, sizeof length - 1);
    if (status != 204 && status != 304) {
        text_puts(&t, "Content-Length: ");
        text_put_uint(&t, body.size);
        text_puts(&t, "\r\n");
    }
    length[t.size] = 0;
    reply_head(r, status, body.size ? type : NULL, length);
    if (!r->head_only && body.size && status != 204 && status != 304)
        conn_reply(r->conn, body);
    finish_reply(r);
}

// HTTP/1.0 has no chunks: there the end of the connection ends the reply.
void http_stream_begin(struct http_request *r, int status, const char *type)
{
    r->streaming = true;
    r->chunks = !r->old;
    r->keep_alive &= r->chunks;
    reply_head(r, status, type,
               r->chunks ? "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\n" : "Cache-Control: no-store\r\n");
}

bool http_stream_write(struct http_request *r, struct span bytes)
{
    char size[32];
    if (conn_waiting(r->conn) > STREAM_WAITING)
        return false;
    if (bytes.size == 0 || r->head_only) // an empty chunk would be the end
        return true;
    int digits = snprintf(size, sizeof size, "%zx\r\n", bytes.size);
    if (r->chunks)
        conn_reply(r->conn, (struct span){size, (size_t)digits});
    conn_reply(r->conn, bytes);
    if (r->chunks)
        conn_reply(r->conn, SPAN("\r\n"));
    return true;
}

void http_stream_end(struct http_request *r)
{
    if (r->chunks && !r->head_only)
        conn_reply(r->conn, SPAN("0\r\n\r\n"));
    finish_reply(r);
}

struct conn *http_take_over(struct http_request *r)
{
    struct conn *c = r->conn;
    // serve_request has paused it; the new owner decides when it is read.
    conn_unpause(c);
    destroy_request(r);
    return c;
}

// --- the server

// Ends requests that do not arrive in time; if one has begun, the client gets an answer.
static void on_sweep(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct http *s = arg;
    int64_t now = loop_now_us();
    struct http_request *r, *next;
    for (r = LIST_FIRST(&s->all); r; r = next) {
        next = LIST_NEXT(r, all);
        if (r->incoming.due_us > now)
            continue;
        incoming_end(&r->incoming);
        if (r->begun) {
            admission_count(s->requests.admission, ADMISSION_SLOW);
            end_slow(&r->incoming);
        } else {
            conn_hang_up(r->conn);
        }
    }
}

void http_defaults(struct http_options *o)
{
    *o = (struct http_options){
        .conn = {.host = "127.0.0.1", .port = 8080, .max_waiting_bytes = 8 << 20, .max_connections = 16384},
        .max_head_bytes = 16384,
        .max_body_bytes = 1 << 20,
        .timeout_ms = 60000,
    };
}

static const struct conn_handler connections = {.on_open = on_open, .on_bytes = on_bytes, .on_close = on_close};

// Sent as it is to newcomers that get no connection, so it takes no memory; `length` is that of `body`.
#define REFUSAL(status, length, body)                                                                                  \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nContent-Length: " length                                 \
    "\r\nRetry-After: 5\r\nConnection: close\r\n\r\n" body
static const char no_room[] = REFUSAL("503 Service Unavailable", "68",
                                      "{\"error\":\"the server has no room for another connection; try again\"}");
static const char too_many[] =
    REFUSAL("429 Too Many Requests", "62", "{\"error\":\"too many connections from this address; close some\"}");

struct http *http_listen(struct loop *l, const struct http_options *o, const struct http_handler *h, void *owner)
{
    struct http *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->handler = h;
    s->owner = owner;
    s->options = *o;
    if (o->idle_ms <= 0)
        s->options.idle_ms = o->timeout_ms;
    LIST_INIT(&s->all);
    struct conn_options conn = o->conn;
    if (conn.linger_ms <= 0) // a reply that closes its connection may take as long as any other
        conn.linger_ms = s->options.idle_ms;
    if (!conn.full.size)
        conn.full = span_of(no_room);
    if (!conn.crowded.size)
        conn.crowded = span_of(too_many);
    s->port = conn_listen(l, &conn, &connections, s);
    if (!s->port) {
        free(s);
        return NULL;
    }
    struct incoming_options incoming = {
        .head_ms = o->timeout_ms, .body_ms = o->timeout_ms, .bytes_per_s = o->body_bytes_per_s};
    incoming_open(&s->requests, &incoming, conn_server_admission(s->port), end_slow);
    s->sweep = event_new(l->base, -1, EV_PERSIST, on_sweep, s);
    event_add(s->sweep, &(struct timeval){.tv_sec = SWEEP_MS / 1000});
    return s;
}

struct conn_server *http_port(struct http *s)
{
    return s->port;
}

void http_close(struct http *s)
{
    conn_close(s->port);
    event_free(s->sweep);
    free(s);
}
