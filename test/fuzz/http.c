// Arbitrary bytes, split arbitrarily, from a client of an HTTP server with a WebSocket: nobody crashes or leaks, every
// request is answered or told to be gone exactly once, and a text message is valid UTF-8.
//
// Byte 255 splits: what comes next is a packet of its own, preceded by as many turns of the loop as it takes to be
// quiet.
#include "base/utf8.h"
#include "net/ws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_MESSAGE = 2000, MAX_TURNS = 400 };

struct site {
    struct loop loop;
    struct http *http;
    struct ws *ws;
    struct http_request *open; // to be answered later
    int ws_opened, ws_closed;
};

static void on_message(void *client, struct span text)
{
    struct site *s = client;
    if (text.size > MAX_MESSAGE || !utf8_is_valid(text) || s->ws_closed == s->ws_opened)
        abort();
    if (text.size && text.at[0] == 'q')
        ws_end(s->ws, WS_NORMAL, "bye");
    ws_send(s->ws, text);
    if (text.size && text.at[0] == 'h')
        conn_hold(ws_conn(s->ws));
}

static void on_close(void *client)
{
    struct site *s = client;
    s->ws_closed++;
    s->ws = NULL;
}

static const struct ws_handler ws_handler = {.on_message = on_message, .on_close = on_close};

static void on_request(void *owner, struct http_request *r)
{
    struct site *s = owner;
    char word[8];
    struct span path = http_path(r);
    if (s->open)
        abort(); // one at a time
    if (span_is(path, "/ws")) {
        s->ws = ws_accept(r, &ws_handler, s, MAX_MESSAGE, NULL);
        s->ws_opened += s->ws != NULL;
    } else if (span_is(path, "/later")) {
        s->open = r;
    } else if (span_is(path, "/stream")) {
        http_stream_begin(r, 200, "text/plain");
        http_stream_write(r, http_body(r));
        http_stream_end(r);
    } else {
        bool found = http_query(r, "a", word, sizeof word);
        http_reply(r, found ? 200 : 404, "text/plain", found ? span_of(word) : http_header(r, "Host"));
    }
}

static void on_gone(void *owner, struct http_request *r)
{
    struct site *s = owner;
    if (s->open != r)
        abort();
    s->open = NULL;
}

static void answer_open(struct site *s)
{
    struct http_request *r = s->open;
    s->open = NULL;
    if (r)
        http_reply(r, 200, "text/plain", http_body(r));
}

static void turn(struct site *s, int fd)
{
    char thrown_away[4096];
    loop_end_turn(&s->loop); // so that the turn does not wait
    loop_turn(&s->loop);
    while (recv(fd, thrown_away, sizeof thrown_away, MSG_DONTWAIT) > 0)
        continue;
}

// A Unix socket: ports that wait for their time would run out after a few thousand inputs.
static const char *address(void)
{
    static char path[64];
    if (!path[0])
        snprintf(path, sizeof path, "/tmp/agon-fuzz-http.%d", (int)getpid());
    return path;
}

static int call(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path, address(), strlen(address()) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        abort();
    return fd;
}

static void forget_address(void)
{
    unlink(address());
}

// One server for all inputs: what it keeps of an earlier one would be a leak.
static struct site *site(void)
{
    static struct site s;
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone};
    if (s.http)
        return &s;
    struct http_options o;
    http_defaults(&o);
    o.conn.host = NULL;
    o.conn.path = address();
    unlink(address());
    atexit(forget_address);
    o.conn.max_waiting_bytes = 1 << 20;
    o.conn.max_connections = 8;
    o.max_head_bytes = 500;
    o.max_body_bytes = 500;
    loop_init(&s.loop);
    s.http = http_listen(&s.loop, &o, &handler, &s);
    return s.http ? &s : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct site *s = site();
    int fd = call();
    for (const uint8_t *at = data, *end = data + size; at < end;) {
        const uint8_t *stop = memchr(at, 255, (size_t)(end - at));
        size_t part = (size_t)((stop ? stop : end) - at);
        if (part && send(fd, at, part, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            break;
        turn(s, fd);
        answer_open(s);
        turn(s, fd);
        at += part + 1;
    }
    if (size % 3 == 0) // with and without somebody waiting for an answer
        answer_open(s);
    if (size % 2)
        shutdown(fd, SHUT_WR);
    turn(s, fd);
    close(fd);
    for (int i = 0; conn_count(http_port(s->http)); i++) {
        turn(s, -1);
        if (i > MAX_TURNS)
            abort(); // somebody who has left is kept
    }
    if (s->open || s->ws || s->ws_opened != s->ws_closed)
        abort();
    return 0;
}
