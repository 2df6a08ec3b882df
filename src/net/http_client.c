#include "net/http_client.h"

#include "net/heap_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <http_parser.h>
#include <netdb.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { MAX_ANSWER = 8 << 20, MAX_WAITING = 8 << 20, KEY_TEXT = 24 };

struct http_client {
    struct loop *loop;
    struct conn_server *dialler;
};

// One question until its answer.
struct call {
    struct conn *conn;
    struct http_ask ask; // its strings are gone once it has been asked
    http_parser parser;
    struct text body;
    char key[32];
    bool upgraded, complete;
};

// --- answers

static struct call *call_of(http_parser *p)
{
    return p->data;
}

static int on_body(http_parser *p, const char *at, size_t size)
{
    struct call *q = call_of(p);
    text_put(&q->body, (struct span){at, size});
    return q->body.full || q->body.size > MAX_ANSWER;
}

static int on_head_end(http_parser *p)
{
    struct call *q = call_of(p);
    q->upgraded = p->status_code == 101 && q->ask.on_open;
    return q->upgraded ? 2 : 0;
}

static int on_end(http_parser *p)
{
    call_of(p)->complete = true;
    return 0;
}

static const http_parser_settings settings = {
    .on_headers_complete = on_head_end, .on_body = on_body, .on_message_complete = on_end};

static void answer(struct call *q, int status)
{
    void (*call)(void *, int, struct span) = q->ask.on_answer;
    q->ask.on_answer = NULL;
    if (call)
        call(q->ask.client, status, text_span(&q->body));
}

static void destroy(struct call *q)
{
    free(q->body.at);
    free(q);
}

// The connection goes over to WebSocket with whatever came behind the head.
static void upgrade(struct call *q)
{
    struct http_ask ask = q->ask;
    struct ws *w = ws_begin(q->conn, ask.handler, ask.client, ask.max_message);
    if (!w) {
        answer(q, 0);
        conn_drop(q->conn);
        return;
    }
    destroy(q);
    ask.on_open(ask.client, w);
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    (void)seen;
    struct call *q = client;
    size_t used = http_parser_execute(&q->parser, &settings, bytes.at, bytes.size);
    enum http_errno error = HTTP_PARSER_ERRNO(&q->parser);
    if (q->upgraded) {
        upgrade(q);
        return used;
    }
    if (q->complete || error != HPE_OK) {
        answer(q, q->complete ? (int)q->parser.status_code : 0);
        conn_hang_up(q->conn);
    }
    return bytes.size;
}

static void on_close(void *client)
{
    struct call *q = client;
    http_parser_execute(&q->parser, &settings, NULL, 0); // an answer may last until the end
    answer(q, q->complete ? (int)q->parser.status_code : 0);
    destroy(q);
}

static const struct conn_handler handler = {.on_bytes = on_bytes, .on_close = on_close};

// --- asking

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

static void make_key(char key[32])
{
    unsigned char bytes[16];
    RAND_bytes(bytes, sizeof bytes);
    EVP_EncodeBlock((unsigned char *)key, bytes, sizeof bytes);
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
    q->body.grow = heap_text_grow;
    http_parser_init(&q->parser, HTTP_RESPONSE);
    q->parser.data = q;
    make_key(q->key);
    q->conn = conn_dial(c->dialler, ask->address, ask->port, ask->host, q);
    if (!q->conn) {
        int err = errno ? errno : EINVAL;
        destroy(q);
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

static bool read_scheme(struct span scheme, bool *secure)
{
    static const char *const words[] = {"http", "https", "ws", "wss"};
    for (int i = 0; i < 4; i++)
        if (scheme.size == strlen(words[i]) && strncasecmp(scheme.at, words[i], scheme.size) == 0) {
            *secure = i & 1;
            return true;
        }
    return false;
}

bool http_url_read(struct http_url *u, const char *text)
{
    struct http_parser_url parts;
    http_parser_url_init(&parts);
    *u = (struct http_url){0};
    if (http_parser_parse_url(text, strlen(text), 0, &parts) != 0)
        return false;
    const unsigned need = 1u << UF_SCHEMA | 1u << UF_HOST;
    if ((parts.field_set & need) != need || parts.field_data[UF_HOST].len >= sizeof u->host)
        return false;
    if (!read_scheme((struct span){text + parts.field_data[UF_SCHEMA].off, parts.field_data[UF_SCHEMA].len},
                     &u->secure))
        return false;
    memcpy(u->host, text + parts.field_data[UF_HOST].off, parts.field_data[UF_HOST].len);
    u->port = parts.port ? parts.port : u->secure ? 443 : 80;
    size_t path = parts.field_set & 1u << UF_PATH ? parts.field_data[UF_PATH].len : 0;
    if (path >= sizeof u->path)
        return false;
    memcpy(u->path, text + parts.field_data[UF_PATH].off, path);
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
