#include "net/ws.h"

#include "base/utf8.h"
#include "heap/heap.h"
#include "net/http_grammar.h"
#include "net/ws_frame.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>

// HELD_SMALL as SMALL_BYTES of conn.c.
enum { SMALL_MESSAGE = 4096, HELD_SMALL = 16384 }; // on the stack if it came whole; held in the share of small ones
enum { QUIET_PINGED = 2, QUIET_DROPPED };          // thirds of the time that the peer may be silent

// Counted in ticks, without a clock: a process that was stopped itself reads what has come before the next tick.
struct ws_watch {
    struct event *timer;
    int tick_ms, quiet; // ticks since something was received
};

struct ws {
    struct conn *conn;
    const struct ws_handler *handler;
    void *client;
    size_t max_bytes;
    struct text message;  // received so far; nothing is kept between messages
    size_t held;          // its size as reported to admission
    struct ws_head frame; // in progress
    uint64_t taken;       // bytes received of its payload
    uint8_t opcode;       // of the message in progress; 0: none
    bool in_frame;
    // Read to its end and thrown away, if the handler wants to answer it and go on (F1.8).
    bool skipping; // the message is too large
    bool ended;    // we have sent a close frame
    bool dialled;
    // Seeded at random when the connection is made.
    uint64_t masks; // state of the generator of masks, if we are the client
    // Control frames may come between the fragments of a message, so they have a buffer of their own (RFC 6455, 5.4).
    uint8_t control_size;
    char control[WS_MAX_CONTROL];
    struct ws_watch *watch; // NULL: none
};

// --- sending

// Masks prevent a page's data from looking like HTTP to a proxy; they need not be secret (splitmix64).
static void next_mask(struct ws *w, uint8_t mask[4])
{
    uint64_t x = w->masks += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    memcpy(mask, &x, 4);
}

static void put_frame(struct ws *w, uint8_t opcode, struct span bytes)
{
    struct ws_head h = {.opcode = opcode, .last = true, .length = bytes.size, .masked = w->dialled};
    uint8_t head[WS_MAX_HEAD];
    if (w->ended)
        return;
    if (w->dialled)
        next_mask(w, h.mask);
    int size = ws_head_write(head, &h);
    conn_reply(w->conn, (struct span){(const char *)head, (size_t)size});
    if (!w->dialled) {
        conn_reply(w->conn, bytes);
        return;
    }
    for (size_t done = 0; done < bytes.size;) {
        char part[4096];
        size_t n = bytes.size - done < sizeof part ? bytes.size - done : sizeof part;
        ws_mask(part, bytes.at + done, n, h.mask, done);
        conn_reply(w->conn, (struct span){part, n});
        done += n;
    }
}

void ws_send(struct ws *w, struct span text)
{
    put_frame(w, WS_TEXT, text);
}

void ws_send_soon(struct ws *w, char *text, size_t length)
{
    struct ws_head h = {.opcode = WS_TEXT, .last = true, .length = length};
    uint8_t head[WS_MAX_HEAD];
    _Static_assert((int)WS_MAX_HEAD <= (int)WS_FRONT, "it fits");
    if (w->ended || w->dialled) {
        ws_send(w, (struct span){text, length});
        return;
    }
    size_t size = (size_t)ws_head_write(head, &h);
    memcpy(text - size, head, size);
    conn_reply_now(w->conn, (struct span){text - size, size + length});
}

void ws_prefetch(const struct ws *w)
{
    __builtin_prefetch(w);
    __builtin_prefetch(&w->ended);
}

bool ws_send_now(struct ws *w, struct span text)
{
    if (conn_waiting(w->conn) || conn_is_disconnected(w->conn))
        return false;
    ws_send(w, text);
    conn_flush(w->conn);
    return true;
}

void ws_ping(struct ws *w, struct span payload)
{
    put_frame(w, WS_PING, payload);
}

void ws_end(struct ws *w, uint16_t code, const char *reason)
{
    char payload[WS_MAX_CONTROL] = {(char)(code >> 8), (char)code};
    size_t size = strlen(reason);
    if (size > sizeof payload - 2)
        size = sizeof payload - 2;
    memcpy(payload + 2, reason, size);
    put_frame(w, WS_CLOSE, (struct span){payload, 2 + size});
    w->ended = true;
    conn_hang_up(w->conn);
}

struct conn *ws_conn(struct ws *w)
{
    return w->conn;
}

// --- messages

static void deliver_message(struct ws *w, struct span bytes)
{
    const struct ws_handler *h = w->handler;
    bool text = w->opcode == WS_TEXT, skipped = w->skipping;
    // Before the callbacks, which may end the connection.
    w->opcode = 0;
    w->skipping = false;
    if (skipped)
        h->on_too_large(w->client);
    else if (text && !utf8_is_valid(bytes))
        ws_end(w, WS_NOT_UTF8, "");
    else if (text || h->takes_binary)
        h->on_message(w->client, bytes);
    else if (h->on_binary)
        h->on_binary(w->client);
    else
        ws_end(w, WS_UNSUPPORTED, "text only");
}

// Reserves memory for an incomplete message. Returns false if there is none; then the connection is closed.
static bool hold_memory(struct ws *w, size_t more)
{
    struct admission *a = conn_admission(w->conn);
    size_t room = heap_text_room(&w->message, more);
    if (w->dialled || admission_hold(a, &w->held, room, room > HELD_SMALL ? ADMISSION_BIG : ADMISSION_SMALL))
        return true;
    admission_count(a, ADMISSION_MEMORY);
    ws_end(w, WS_OVERLOAD, "");
    return false;
}

static struct text take_message(struct ws *w)
{
    struct text m = w->message;
    w->message = (struct text){.grow = heap_text_grow};
    admission_hold(conn_admission(w->conn), &w->held, 0, ADMISSION_SMALL);
    return m;
}

// RFC 6455, 7.4: 1004 to 1006 and 1015 never travel in a frame; 3000 to 4999 are for applications (4409 is ours,
// F1.13).
static bool is_close_code(int code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

// Replies to a close frame with its own code.
static void answer_close(struct ws *w, struct span payload)
{
    const uint8_t *b = (const uint8_t *)payload.at;
    int code = payload.size >= 2 ? b[0] << 8 | b[1] : WS_NO_CODE;
    struct span why = payload.size > 2 ? (struct span){payload.at + 2, payload.size - 2} : SPAN("");
    if (payload.size == 1 || (payload.size > 1 && !is_close_code(code))) {
        ws_end(w, WS_BREACH, "");
        return;
    }
    if (!utf8_is_valid(why)) {
        ws_end(w, WS_NOT_UTF8, "");
        return;
    }
    if (w->handler->on_end)
        w->handler->on_end(w->client, code, why);
    put_frame(w, WS_CLOSE, (struct span){payload.at, payload.size < 2 ? 0 : 2});
    w->ended = true;
    conn_hang_up(w->conn);
}

static void handle_control(struct ws *w)
{
    struct span payload = {w->control, w->control_size};
    w->control_size = 0;
    if (w->frame.opcode == WS_PING)
        put_frame(w, WS_PONG, payload);
    else if (w->frame.opcode == WS_CLOSE)
        answer_close(w, payload);
    else if (w->handler->on_pong)
        w->handler->on_pong(w->client, payload);
}

static void end_frame(struct ws *w)
{
    w->in_frame = false;
    if (w->frame.opcode >= WS_CLOSE)
        handle_control(w);
    else if (w->frame.last) {
        struct text m = take_message(w); // first, because the callback may close the connection
        deliver_message(w, m.at ? text_span(&m) : SPAN(""));
        free(m.at);
    }
}

// --- frames

// Why this frame is not allowed now: a close code, or 0.
// Clients mask and servers do not (RFC 6455, 5.1); a continuation needs a message in progress, and a new message must
// not interrupt one (5.4).
static int check_frame(const struct ws *w, const struct ws_head *h)
{
    if (h->masked == w->dialled)
        return WS_BREACH;
    if (h->opcode >= WS_CLOSE)
        return 0;
    if ((h->opcode == WS_CONTINUE) == (w->opcode == 0))
        return WS_BREACH;
    if (h->length > WS_MAX_FRAME)
        return WS_TOO_BIG;
    bool fits = w->skipping || w->message.size + h->length <= w->max_bytes;
    return fits || w->handler->on_too_large ? 0 : WS_TOO_BIG;
}

static size_t begin_frame(struct ws *w, struct span bytes)
{
    int size = ws_head_read(&w->frame, bytes);
    if (size == 0)
        return 0;
    int fault = size < 0 ? WS_BREACH : check_frame(w, &w->frame);
    if (fault) {
        ws_end(w, (uint16_t)fault, "");
        return bytes.size;
    }
    w->in_frame = true;
    w->taken = 0;
    if (w->frame.opcode == WS_TEXT || w->frame.opcode == WS_BINARY)
        w->opcode = w->frame.opcode;
    if (w->frame.opcode < WS_CLOSE && w->message.size + w->frame.length > w->max_bytes && !w->skipping) {
        w->skipping = true;
        free(take_message(w).at);
    }
    if (w->frame.length == 0)
        end_frame(w);
    return (size_t)size;
}

// Usually a message is one short frame received in one piece, and needs no buffer.
static bool is_short_message(const struct ws *w, struct span bytes)
{
    return w->taken == 0 && w->frame.last && w->frame.opcode < WS_CLOSE && !w->skipping && w->message.size == 0 &&
           w->frame.length <= SMALL_MESSAGE && w->frame.length <= bytes.size;
}

static size_t deliver_short_message(struct ws *w, struct span bytes)
{
    char message[SMALL_MESSAGE];
    size_t size = (size_t)w->frame.length;
    if (w->frame.masked)
        ws_mask(message, bytes.at, size, w->frame.mask, 0);
    else
        memcpy(message, bytes.at, size);
    w->in_frame = false;
    deliver_message(w, (struct span){message, size});
    return size;
}

static size_t receive_payload(struct ws *w, struct span bytes)
{
    if (is_short_message(w, bytes))
        return deliver_short_message(w, bytes);
    uint64_t left = w->frame.length - w->taken;
    size_t n = bytes.size < left ? bytes.size : (size_t)left;
    char *to = w->control + w->control_size;
    if (w->frame.opcode >= WS_CLOSE)
        w->control_size = (uint8_t)(w->control_size + n);
    else
        to = w->skipping || !hold_memory(w, n) ? NULL : text_reserve(&w->message, n);
    if (to && w->frame.masked)
        ws_mask(to, bytes.at, n, w->frame.mask, w->taken);
    else if (to)
        memcpy(to, bytes.at, n);
    w->taken += n;
    if (w->ended)
        return n;
    if (w->message.full)
        ws_end(w, WS_OVERLOAD, "");
    else if (w->taken == w->frame.length)
        end_frame(w);
    return n;
}

// One read may contain many messages; after each one the handler may have closed or paused the connection.
static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    struct ws *w = client;
    size_t used = 0;
    if (bytes.size > seen && w->watch)
        w->watch->quiet = 0;
    if (bytes.size > seen && w->handler->on_heard)
        w->handler->on_heard(w->client);
    while (used < bytes.size && !w->ended && conn_is_listening(w->conn)) {
        struct span rest = {bytes.at + used, bytes.size - used};
        size_t n = w->in_frame ? receive_payload(w, rest) : begin_frame(w, rest);
        if (n == 0)
            break;
        used += n;
    }
    return w->ended ? bytes.size : used;
}

static void on_drained(void *client)
{
    struct ws *w = client;
    if (w->handler->on_drained)
        w->handler->on_drained(w->client);
}

static void on_close(void *client)
{
    struct ws *w = client;
    w->handler->on_close(w->client);
    free(take_message(w).at);
    if (w->watch)
        event_free(w->watch->timer);
    free(w->watch);
    free(w);
}

static const struct conn_handler connection = {.on_bytes = on_bytes, .on_drained = on_drained, .on_close = on_close};

// --- a silent peer

static void set_tick(struct ws_watch *x)
{
    event_add(x->timer, &(struct timeval){x->tick_ms / 1000, x->tick_ms % 1000 * 1000});
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct ws *w = arg;
    int quiet = ++w->watch->quiet;
    if (quiet >= QUIET_DROPPED) {
        conn_drop(w->conn);
        return;
    }
    if (quiet == QUIET_PINGED)
        ws_ping(w, SPAN(""));
    set_tick(w->watch);
}

bool ws_watch(struct ws *w, struct loop *l, int silence_ms)
{
    struct ws_watch *x = calloc(1, sizeof *x);
    if (x)
        x->timer = event_new(l->base, -1, 0, on_tick, w);
    if (!x || !x->timer) {
        free(x);
        return false;
    }
    x->tick_ms = silence_ms / QUIET_DROPPED + 1;
    w->watch = x;
    set_tick(x);
    return true;
}

// --- the upgrade

bool ws_is_upgrade(const struct http_request *r)
{
    return strcmp(http_method(r), "GET") == 0 && http_list_has(http_header(r, "Upgrade"), "websocket") &&
           http_list_has(http_header(r, "Connection"), "upgrade");
}

static bool is_key(struct span key)
{
    if (key.size != 24 || key.at[22] != '=' || key.at[23] != '=')
        return false;
    for (int i = 0; i < 22; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", key.at[i]) || !key.at[i])
            return false;
    return true;
}

// Computes Sec-WebSocket-Accept from the key.
static void accept_key(struct span key, char out[32])
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char text[64], digest[SHA_DIGEST_LENGTH];
    memcpy(text, key.at, key.size);
    memcpy(text + key.size, magic, sizeof magic - 1);
    SHA1(text, key.size + sizeof magic - 1, digest);
    EVP_EncodeBlock((unsigned char *)out, digest, sizeof digest);
}

static struct ws *make_ws(const struct ws_handler *h, void *client, size_t max_bytes)
{
    struct ws *w = calloc(1, sizeof *w);
    if (w)
        *w = (struct ws){.handler = h, .client = client, .max_bytes = max_bytes, .message.grow = heap_text_grow};
    return w;
}

static void attach_ws(struct ws *w, struct conn *c)
{
    w->conn = c;
    conn_hand_over(c, &connection, w);
}

struct ws *ws_begin(struct conn *c, const struct ws_handler *h, void *client, size_t max_bytes)
{
    struct ws *w = make_ws(h, client, max_bytes);
    if (!w)
        return NULL;
    w->dialled = true;
    RAND_bytes((unsigned char *)&w->masks, sizeof w->masks);
    attach_ws(w, c);
    return w;
}

static void send_handshake(struct conn *c, struct span key, const char *protocol)
{
    char accept[32];
    accept_key(key, accept);
    struct text head = text_on((char[512]){0}, 512);
    text_puts(
        &head,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ");
    text_puts(&head, accept);
    if (protocol) {
        text_puts(&head, "\r\nSec-WebSocket-Protocol: ");
        text_puts(&head, protocol);
    }
    text_puts(&head, "\r\n\r\n");
    conn_reply(c, text_span(&head));
}

struct ws *ws_accept(struct http_request *r, const struct ws_handler *h, void *client, size_t max_bytes,
                     const char *protocol)
{
    struct span version = http_header(r, "Sec-WebSocket-Version"), key = http_header(r, "Sec-WebSocket-Key");
    if (ws_is_upgrade(r) && !span_is(version, "13")) {
        http_add_header(r, "Sec-WebSocket-Version", "13");
        http_reply(r, 426, "text/plain", SPAN("the WebSocket version must be 13\n"));
        return NULL;
    }
    if (!ws_is_upgrade(r) || !is_key(key)) {
        http_reply(r, 400, "text/plain", SPAN("this path accepts only WebSocket connections\n"));
        return NULL;
    }
    struct ws *w = make_ws(h, client, max_bytes);
    if (!w) {
        http_reply(r, 503, "text/plain", SPAN("out of memory; try again later\n"));
        return NULL;
    }
    char kept[24]; // the request is freed before the connection is ours
    memcpy(kept, key.at, sizeof kept);
    attach_ws(w, http_take_over(r));
    send_handshake(w->conn, (struct span){kept, sizeof kept}, protocol);
    return w;
}
