#include "net/ws.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <strings.h>
#include <wslay/wslay.h>

struct ws {
    struct conn *conn;
    const struct ws_handler *handler;
    void *client;
    wslay_event_context_ptr frames;
    struct span in; // what is being read
    uint64_t frame; // bytes still to come of the frame in progress
    bool broken;    // it sent what is no frame
};

// --- frames

// How many bytes a frame takes, header included; 0 while its header is not complete.
static uint64_t frame_size(struct span s)
{
    const uint8_t *b = (const uint8_t *)s.at;
    if (s.size < 2)
        return 0;
    unsigned length = b[1] & 127, more = length == 127 ? 8 : length == 126 ? 2 : 0, head = 2 + more + (b[1] >> 7) * 4u;
    uint64_t payload = more ? 0 : length;
    if (s.size < head)
        return 0;
    for (unsigned i = 0; i < more; i++)
        payload = payload << 8 | b[2 + i];
    return payload > UINT64_MAX - head ? UINT64_MAX : head + payload;
}

// wslay reads ahead as far as it is let. It is let to the end of a frame, so that a handler that has had enough is
// shown no message more and nothing is lost in between.
static ssize_t recv_bytes(wslay_event_context_ptr frames, uint8_t *out, size_t room, int flags, void *user)
{
    (void)flags;
    struct ws *w = user;
    if (w->frame == 0 && conn_is_listening(w->conn))
        w->frame = frame_size(w->in);
    if (w->in.size == 0 || w->frame == 0) {
        wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    size_t n = w->in.size < room ? w->in.size : room;
    n = n < w->frame ? n : (size_t)w->frame;
    memcpy(out, w->in.at, n);
    w->in.at += n;
    w->in.size -= n;
    w->frame -= n;
    return (ssize_t)n;
}

static ssize_t send_bytes(wslay_event_context_ptr frames, const uint8_t *bytes, size_t size, int flags, void *user)
{
    (void)frames, (void)flags;
    struct ws *w = user;
    conn_reply(w->conn, (struct span){(const char *)bytes, size});
    return (ssize_t)size;
}

static void on_message(wslay_event_context_ptr frames, const struct wslay_event_on_msg_recv_arg *m, void *user)
{
    (void)frames;
    struct ws *w = user;
    if (wslay_is_ctrl_frame(m->opcode))
        return; // pings and closes are answered by wslay itself
    if (m->opcode == WSLAY_BINARY_FRAME && !w->handler->takes_binary) {
        ws_end(w, WS_UNSUPPORTED, "text only");
        return;
    }
    w->handler->on_message(w->client, m->msg ? (struct span){(const char *)m->msg, m->msg_length} : SPAN(""));
}

static const struct wslay_event_callbacks callbacks = {
    .recv_callback = recv_bytes, .send_callback = send_bytes, .on_msg_recv_callback = on_message};

// Sends what is queued; ends the connection when the goodbyes are said.
static void pump(struct ws *w)
{
    if (wslay_event_send(w->frames) != 0 || wslay_event_get_close_sent(w->frames))
        conn_hang_up(w->conn);
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    (void)seen;
    struct ws *w = client;
    w->in = bytes;
    // One read may hold many messages; after each the handler may have had enough.
    while (w->in.size && conn_is_listening(w->conn) && wslay_event_want_read(w->frames)) {
        size_t before = w->in.size;
        if (wslay_event_recv(w->frames) != 0) { // wslay would close without a word why
            w->broken = true;
            conn_reply(w->conn, SPAN("\x88\x02\x03\xea")); // 1002
            conn_hang_up(w->conn);
            return bytes.size;
        }
        if (w->in.size == before)
            break;
    }
    size_t used = bytes.size - w->in.size;
    if (wslay_event_want_write(w->frames))
        pump(w);
    if (!wslay_event_want_read(w->frames)) {
        conn_hang_up(w->conn);
        return bytes.size;
    }
    return used;
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
    wslay_event_context_free(w->frames);
    free(w);
}

static const struct conn_handler connection = {.on_bytes = on_bytes, .on_drained = on_drained, .on_close = on_close};

// --- the upgrade

static bool has_token(struct span list, const char *token)
{
    size_t size = strlen(token);
    for (size_t i = 0; i + size <= list.size; i++) {
        bool begins = i == 0 || list.at[i - 1] == ' ' || list.at[i - 1] == ',';
        bool ends = i + size == list.size || list.at[i + size] == ' ' || list.at[i + size] == ',';
        if (begins && ends && strncasecmp(list.at + i, token, size) == 0)
            return true;
    }
    return false;
}

bool ws_is_upgrade(const struct http_request *r)
{
    return strcmp(http_method(r), "GET") == 0 && has_token(http_header(r, "Upgrade"), "websocket") &&
           has_token(http_header(r, "Connection"), "upgrade");
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

static void accept_key(struct span key, char out[32])
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char text[64], digest[SHA_DIGEST_LENGTH];
    memcpy(text, key.at, key.size);
    memcpy(text + key.size, magic, sizeof magic - 1);
    SHA1(text, key.size + sizeof magic - 1, digest);
    EVP_EncodeBlock((unsigned char *)out, digest, sizeof digest);
}

struct ws *ws_accept(struct http_request *r, const struct ws_handler *h, void *client, size_t max_bytes,
                     const char *protocol)
{
    struct span version = http_header(r, "Sec-WebSocket-Version"), key = http_header(r, "Sec-WebSocket-Key");
    if (ws_is_upgrade(r) && !span_is(version, "13")) {
        http_add_header(r, "Sec-WebSocket-Version", "13");
        http_reply(r, 426, "text/plain", SPAN("the version of WebSocket must be 13\n"));
        return NULL;
    }
    if (!ws_is_upgrade(r) || !is_key(key)) {
        http_reply(r, 400, "text/plain", SPAN("this address speaks WebSocket\n"));
        return NULL;
    }
    struct ws *w = calloc(1, sizeof *w);
    if (!w || wslay_event_context_server_init(&w->frames, &callbacks, w) != 0) {
        free(w);
        http_reply(r, 503, "text/plain", SPAN("no memory\n"));
        return NULL;
    }
    wslay_event_config_set_max_recv_msg_length(w->frames, max_bytes);
    char accept[32];
    accept_key(key, accept);
    w->handler = h;
    w->client = client;
    w->conn = http_take_over(r);
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
    conn_reply(w->conn, text_span(&head));
    conn_hand_over(w->conn, &connection, w);
    return w;
}

// --- sending

// A message of ours is one frame, without a mask. Nothing waits in wslay, so it needs no copy there.
static void put_frame(struct ws *w, uint8_t opcode, struct span bytes)
{
    uint8_t head[10] = {0x80 | opcode};
    unsigned more = bytes.size > UINT16_MAX ? 8 : bytes.size > 125 ? 2 : 0;
    if (w->broken || wslay_event_get_close_sent(w->frames))
        return;
    head[1] = more == 8 ? 127 : more == 2 ? 126 : (uint8_t)bytes.size;
    for (unsigned i = 0; i < more; i++)
        head[2 + i] = (uint8_t)(bytes.size >> 8 * (more - 1 - i));
    conn_reply(w->conn, (struct span){(const char *)head, 2 + more});
    conn_reply(w->conn, bytes);
}

void ws_send(struct ws *w, struct span text)
{
    put_frame(w, WSLAY_TEXT_FRAME, text);
}

bool ws_send_now(struct ws *w, struct span text)
{
    if (conn_waiting(w->conn) || conn_is_gone(w->conn))
        return false;
    ws_send(w, text);
    conn_flush(w->conn);
    return true;
}

void ws_ping(struct ws *w)
{
    put_frame(w, WSLAY_PING, (struct span){0});
}

void ws_end(struct ws *w, uint16_t code, const char *reason)
{
    if (w->broken)
        return;
    wslay_event_queue_close(w->frames, code, (const uint8_t *)reason, strlen(reason));
    pump(w);
}

struct conn *ws_conn(struct ws *w)
{
    return w->conn;
}
