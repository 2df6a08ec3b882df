#include "net/http_client.h"

#include "heap/heap.h"
#include "net/http_grammar.h"
#include "net/http_read.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

// Ceilings of what a server can make this program hold.
enum { MAX_HEAD = 65536, MAX_ANSWER = 8 << 20, MAX_WAITING = 8 << 20 };

struct http_client {
    struct loop *loop;
    struct conn_server *dialler;
};

// One request until its reply.
struct call {
    struct conn *conn;
    struct event *timer; // NULL: it may take any time
    struct http_ask ask; // its strings are invalid after http_client_ask
    struct http_reader reader;
    struct text head, body;
    char key[32];
    bool complete;
};

// --- replies

static void report_answer(struct call *q, int status)
{
    void (*call)(void *, int, struct span) = q->ask.on_answer;
    // Called once, whatever comes first: the reply, the end of the connection, the time limit.
    q->ask.on_answer = NULL;
    if (call)
        call(q->ask.client, status, text_span(&q->body));
}

static void destroy_call(struct call *q)
{
    if (q->timer)
        event_free(q->timer);
    free(q->head.at);
    free(q->body.at);
    free(q);
}

// Switches the connection to WebSocket, with all bytes received after the head.
static void switch_to_ws(struct call *q)
{
    struct http_ask ask = q->ask;
    struct ws *w = ws_begin(q->conn, ask.handler, ask.client, ask.max_message);
    if (!w) {
        report_answer(q, 0);
        conn_drop(q->conn);
        return;
    }
    destroy_call(q);
    ask.on_open(ask.client, w);
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    (void)seen;
    struct call *q = client;
    struct span rest = bytes, data;
    for (enum http_event e; (e = http_read(&q->reader, &rest, &data)) != HTTP_MORE;) {
        if (e == HTTP_HEAD && q->reader.message.status == 101 && q->ask.on_open) {
            switch_to_ws(q);
            return bytes.size - rest.size;
        }
        if (e == HTTP_DATA)
            text_put(&q->body, data);
        bool fits = !q->body.full && q->body.size <= MAX_ANSWER;
        if (e == HTTP_HEAD || (e == HTTP_DATA && fits))
            continue;
        q->complete = e == HTTP_END;
        report_answer(q, q->complete ? q->reader.message.status : 0);
        conn_hang_up(q->conn);
        break;
    }
    return bytes.size;
}

static void on_close(void *client)
{
    struct call *q = client;
    q->complete |= http_reader_ends(&q->reader); // a reply may end with the connection
    report_answer(q, q->complete ? q->reader.message.status : 0);
    destroy_call(q);
}

static void on_timeout(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct call *q = arg;
    q->body.size = 0;
    report_answer(q, 0);
    conn_drop(q->conn);
}

static const struct conn_handler handler = {.on_bytes = on_bytes, .on_close = on_close};

// --- requests

struct http_client *http_client_open(struct loop *l, struct tls *tls, int max_connections)
{
    struct http_client *c = calloc(1, sizeof *c);
    struct conn_options o = {.max_waiting_bytes = MAX_WAITING, .max_connections = max_connections, .tls = tls};
    if (!c)
        return NULL;
    c->loop = l;
    c->dialler = conn_dialler(l, &o, &handler);
    if (c->dialler)
        return c;
    free(c);
    return NULL;
}

void http_client_close(struct http_client *c)
{
    conn_close(c->dialler);
    free(c);
}

static void write_head(struct text *t, const struct call *q)
{
    const struct http_ask *a = &q->ask;
    char line[640];
    int size = snprintf(line, sizeof line, "%s %s HTTP/1.1\r\nHost: %s:%u\r\n", a->method, a->path, a->host, a->port);
    text_put(t, (struct span){line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1});
    if (a->on_open)
        size = snprintf(line, sizeof line,
                        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: %s\r\n",
                        q->key);
    else
        size = snprintf(line, sizeof line, "Connection: close\r\nContent-Length: %zu\r\n", a->body.size);
    text_put(t, (struct span){line, (size_t)size});
    if (a->lines)
        text_puts(t, a->lines);
    text_puts(t, "\r\n");
}

int http_client_ask(struct http_client *c, const struct http_ask *ask)
{
    struct call *q = calloc(1, sizeof *q);
    if (!q)
        return ENOMEM;
    q->ask = *ask;
    if (ask->timeout_ms) {
        q->timer = event_new(c->loop->base, -1, 0, on_timeout, q);
        event_add(q->timer, &(struct timeval){ask->timeout_ms / 1000, ask->timeout_ms % 1000 * 1000});
    }
    q->head.grow = q->body.grow = heap_text_grow;
    http_reader_init(&q->reader, HTTP_RESPONSES, &q->head, MAX_HEAD, 0);
    q->reader.bodiless = strcmp(ask->method, "HEAD") == 0;
    unsigned char bytes[16];
    RAND_bytes(bytes, sizeof bytes);
    EVP_EncodeBlock((unsigned char *)q->key, bytes, sizeof bytes);
    q->conn = conn_dial(c->dialler, ask->address, ask->port, ask->host, q);
    if (!q->conn) {
        int err = errno ? errno : EINVAL;
        destroy_call(q);
        return err;
    }
    struct text head = {.grow = heap_text_grow};
    write_head(&head, q);
    conn_reply(q->conn, text_span(&head));
    if (ask->body.size)
        conn_reply(q->conn, ask->body);
    free(head.at);
    return 0;
}

// --- addresses

// The part before "://". Returns its size, or 0 for an unknown scheme.
static size_t read_scheme(struct span url, bool *secure)
{
    static const char *const words[] = {"http://", "https://", "ws://", "wss://"};
    for (int i = 0; i < 4; i++) {
        size_t size = strlen(words[i]);
        if (url.size > size && http_equals((struct span){url.at, size}, words[i])) {
            *secure = i & 1;
            return size;
        }
    }
    return 0;
}

// Host and port of a URL, without the brackets of an IPv6 address.
static bool read_authority(struct http_url *u, struct span s)
{
    if (!http_is_host(s))
        return false;
    bool literal = s.at[0] == '[';
    const char *end = literal ? memchr(s.at, ']', s.size) : memchr(s.at, ':', s.size);
    size_t size = end ? (size_t)(end - s.at) - literal : s.size;
    struct span port = {s.at + size + 2 * literal, s.size - size - 2 * literal};
    uint64_t number = u->secure ? 443 : 80;
    if (size >= sizeof u->host)
        return false;
    memcpy(u->host, s.at + literal, size);
    if (port.size > 1 && (!http_read_length((struct span){port.at + 1, port.size - 1}, &number) || number == 0))
        return false;
    u->port = (uint16_t)number;
    return true;
}

bool http_url_read(struct http_url *u, const char *text)
{
    *u = (struct http_url){0};
    struct span url = span_of(text);
    size_t scheme = read_scheme(url, &u->secure);
    if (scheme == 0 || !http_is_target(url))
        return false;
    size_t host = strcspn(text + scheme, "/?");
    size_t path = strcspn(text + scheme + host, "?");
    if (!read_authority(u, (struct span){text + scheme, host}) || path >= sizeof u->path)
        return false;
    memcpy(u->path, text + scheme + host, path);
    while (path && u->path[path - 1] == '/')
        u->path[--path] = 0;
    return true;
}

bool http_find_address(const char *host, char out[64])
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(host, NULL, &hints, &found) != 0 || !found)
        return false;
    const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)found->ai_addr;
    bool ok = inet_ntop(AF_INET, &address->sin_addr, out, 64) != NULL;
    freeaddrinfo(found);
    return ok;
}
