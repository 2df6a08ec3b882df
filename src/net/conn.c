#include "net/conn_internal.h"

#include "net/tls.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SMALL_BYTES = 16384,    // larger input counts as large (net/admission.h), as with INCOMING_SMALL
    KEEP_BYTES = 4096,      // a buffer up to this size is kept with its connection
    DRAIN_BYTES = 64 << 20, // bytes discarded of a peer that goes on sending after the end
};

static void mark_dirty(struct conn *c)
{
    if (c->dirty)
        return;
    c->dirty = true;
    TAILQ_INSERT_TAIL(&c->server->dirty_conns, c, dirty_link);
    loop_end_turn(c->server->loop);
}

void conn_break_off(struct conn *c)
{
    c->broken = true;
    mark_dirty(c);
}

// --- buffers

static bool buffer_add(struct buffer *b, const char *bytes, size_t size)
{
    if (size > b->room - b->size) {
        size_t room = b->room ? b->room : 512;
        while (room < b->size + size)
            room *= 2;
        char *grown = realloc(b->at, room);
        if (!grown)
            return false;
        b->at = grown;
        b->room = room;
    }
    if (size)
        memcpy(b->at + b->size, bytes, size);
    b->size += size;
    return true;
}

static void buffer_empty(struct buffer *b)
{
    b->size = 0;
    if (b->room > KEEP_BYTES) {
        free(b->at);
        *b = (struct buffer){0};
    }
}

// Adds to the buffered input. Without memory the connection is closed.
static void buffer_input(struct conn *c, const char *bytes, size_t size)
{
    struct admission *a = c->server->admission;
    if (!buffer_add(&c->in, bytes, size))
        conn_break_off(c);
    if (!c->placed)
        return; // an outgoing connection is not limited
    enum admission_size kind = c->in.room > SMALL_BYTES ? ADMISSION_BIG : c->local ? ADMISSION_LOCAL : ADMISSION_SMALL;
    if (c->in.size && !admission_hold(a, &c->input_held, c->in.room, kind)) {
        admission_count(a, ADMISSION_MEMORY);
        conn_break_off(c);
    }
}

static void drop_input(struct conn *c)
{
    buffer_empty(&c->in);
    admission_hold(c->server->admission, &c->input_held, 0, ADMISSION_SMALL);
}

// Reports the unsent bytes, and moves the connection behind all that have been stuck for longer.
static void note_unread(struct conn *c, size_t bytes)
{
    struct conn_server *s = c->server;
    bool was = c->unsent > 0;
    if (was && (bytes == 0 || c->sent_when_listed != c->total_sent))
        TAILQ_REMOVE(&s->unread, c, unread);
    if (bytes && (!was || c->sent_when_listed != c->total_sent))
        TAILQ_INSERT_TAIL(&s->unread, c, unread);
    c->sent_when_listed = c->total_sent;
    if (admission_owe(s->admission, &c->unsent, bytes) || bytes == 0)
        return;
    admission_count(s->admission, ADMISSION_UNREAD);
    // Not the connection that reached the limit: it may be reading, and pays for others that do not.
    conn_break_off(TAILQ_FIRST(&s->unread));
}

// --- closing

void conn_destroy(struct conn *c)
{
    struct conn_server *s = c->server;
    if (c->client)
        c->handler->on_close(c->client);
    event_del(&c->read);
    event_del(&c->write);
    event_del(&c->linger);
    TAILQ_REMOVE(&s->all, c, all);
    TAILQ_REMOVE(&s->standing[c->standing], c, same_standing);
    admission_hold(s->admission, &c->input_held, 0, ADMISSION_SMALL);
    // Before the memory goes: the connection leaves the list of those that are not read from.
    note_unread(c, 0);
    admission_remove(s->admission, c->counted_client);
    if (c->placed)
        admission_exit(s->admission);
    if (c->dirty)
        TAILQ_REMOVE(&s->dirty_conns, c, dirty_link);
    tls_end(c->tls);
    close(c->fd);
    free(c->in.at);
    free(c->out.at);
    free(c);
    s->count--;
}

static void on_linger_end(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    conn_break_off(arg);
}

// Calls on_close at once; waiting output may be sent for a moment longer.
static void begin_closing(struct conn *c)
{
    if (c->closing)
        return;
    c->closing = true;
    if (c->client)
        c->handler->on_close(c->client);
    c->client = NULL;
    drop_input(c);
    int ms = c->server->options.linger_ms;
    // A peer that neither reads nor closes must not keep its place.
    event_add(&c->linger, &(struct timeval){ms / 1000, ms % 1000 * 1000});
    if (!c->ended) // also if it was not being read: its end must be noticed
        event_add(&c->read, NULL);
}

void conn_hang_up(struct conn *c)
{
    c->shut = true; // handled at the end of the turn: callbacks never run inside a call of the handler
    mark_dirty(c);
}

void conn_drop(struct conn *c)
{
    conn_break_off(c);
}

// --- writing

static ssize_t send_bytes(struct conn *c, const char *bytes, size_t size)
{
    ssize_t n = c->tls ? tls_send(c->tls, bytes, size) : send(c->fd, bytes, size, MSG_NOSIGNAL);
    if (n > 0)
        c->total_sent += (uint64_t)n;
    return n;
}

void conn_send_waiting(struct conn *c)
{
    while (c->sent < c->out.size) {
        ssize_t n = send_bytes(c, c->out.at + c->sent, c->out.size - c->sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!c->tls || !tls_waits_to_read(c->tls)) // otherwise the next received bytes continue it
                event_add(&c->write, NULL);
            return;
        }
        if (n < 0) {
            c->broken = true;
            return;
        }
        c->sent += (size_t)n;
    }
    c->sent = 0;
    buffer_empty(&c->out);
    event_del(&c->write);
}

static void on_readable(evutil_socket_t fd, short what, void *arg);

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct conn *c = arg;
    if (c->tls && tls_waits_to_write(c->tls)) // TLS has to send something before it can go on reading
        on_readable(fd, what, c);
    mark_dirty(c);
}

void conn_reply(struct conn *c, struct span bytes)
{
    if (c->broken)
        return;
    if (conn_waiting(c) + bytes.size > c->server->options.max_waiting_bytes ||
        !buffer_add(&c->out, bytes.at, bytes.size))
        c->broken = true;
    mark_dirty(c);
}

// What the system accepts at once is not copied. Errors are found when the rest is sent.
void conn_reply_now(struct conn *c, struct span bytes)
{
    // Nothing may be waiting, or the order would change. TLS must encrypt first.
    bool free = !c->broken && !c->shut && !c->closing && !c->tls && c->out.size == 0;
    ssize_t n = free ? send(c->fd, bytes.at, bytes.size, MSG_NOSIGNAL) : 0;
    size_t sent = n > 0 ? (size_t)n : 0;
    c->total_sent += sent;
    if (sent < bytes.size)
        conn_reply(c, (struct span){bytes.at + sent, bytes.size - sent});
}

// Prefetches what a reply accesses.
void conn_prefetch(const struct conn *c)
{
    __builtin_prefetch(&c->out);
    __builtin_prefetch(&c->fd);
}

bool conn_write(struct conn *c, struct span bytes)
{
    if (c->broken || c->closing || c->out.size)
        return false;
    ssize_t n = send_bytes(c, bytes.at, bytes.size);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return false;
    if (n < 0) {
        conn_break_off(c);
        return false;
    }
    if ((size_t)n < bytes.size) { // a part was sent, so the rest must follow before anything else
        if (!buffer_add(&c->out, bytes.at + n, bytes.size - (size_t)n))
            c->broken = true;
        event_add(&c->write, NULL);
        mark_dirty(c);
    }
    return true;
}

void conn_flush(struct conn *c)
{
    if (!c->broken && c->out.size)
        conn_send_waiting(c);
    if (c->broken)
        mark_dirty(c);
}

size_t conn_waiting(const struct conn *c)
{
    return c->out.size - c->sent;
}

uint64_t conn_sent(const struct conn *c)
{
    return c->total_sent;
}

// --- reading

bool conn_is_listening(const struct conn *c)
{
    return !c->broken && !c->shut && !c->held && !c->paused;
}

// Passes the buffered input; the handler may use all of it, a part, or wait for more.
static void pass_input(struct conn *c, size_t seen)
{
    size_t used = c->handler->on_bytes(c->client, (struct span){c->in.at, c->in.size}, seen);
    assert(used <= c->in.size);
    memmove(c->in.at, c->in.at + used, c->in.size - used);
    c->in.size -= used;
    if (c->in.size == 0 || c->shut)
        drop_input(c);
}

// The socket does not signal bytes that TLS has already decrypted.
static void recheck_tls(struct conn *c)
{
    if (c->tls && tls_has_more(c->tls) && event_pending(&c->read, EV_READ, NULL))
        event_active(&c->read, EV_READ, 0);
}

// Resumes reading from a connection that was held because of unsent replies, or paused by the handler.
static void resume_reading(struct conn *c)
{
    bool drained = c->held;
    if (!drained && !c->fresh)
        return;
    c->held = c->fresh = false;
    event_add(&c->read, NULL);
    recheck_tls(c);
    if (drained && c->handler->on_drained)
        c->handler->on_drained(c->client);
    if (c->in.size && conn_is_listening(c)) {
        pass_input(c, 0);
        loop_end_turn(c->server->loop); // other hooks have already run in this turn
    }
}

void conn_pause(struct conn *c)
{
    c->paused = true;
}

void conn_resume(struct conn *c)
{
    c->paused = false;
    c->fresh = true;
    mark_dirty(c);
}

static void receive_bytes(struct conn *c, size_t size)
{
    char *fresh = c->server->scratch;
    if (c->paused || c->fresh) { // a connection that is about to be resumed gets all of it at once
        buffer_input(c, fresh, size);
        if (c->in.size > CONN_READ_BYTES) // the peer has to wait
            event_del(&c->read);
        return;
    }
    if (c->in.size == 0) { // usually whole messages: no copy is needed
        size_t used = c->handler->on_bytes(c->client, (struct span){fresh, size}, 0);
        assert(used <= size);
        if (!c->shut && used < size)
            buffer_input(c, fresh + used, size - used);
        return;
    }
    size_t seen = c->in.size;
    buffer_input(c, fresh, size);
    if (!c->broken)
        pass_input(c, seen);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct conn *c = arg;
    if (c->broken)
        return;
    __builtin_prefetch(c->client); // loaded while the system call runs
    ssize_t n = c->tls ? tls_recv(c->tls, c->server->scratch, CONN_READ_BYTES)
                       : recv(fd, c->server->scratch, CONN_READ_BYTES, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        if (c->tls && tls_waits_to_write(c->tls))
            event_add(&c->write, NULL);
        if (c->tls && c->out.size)
            mark_dirty(c); // a handshake may be complete
        return;
    }
    if (n <= 0) { // earlier bytes were handled already; an incomplete last line is dropped
        c->broken |= n < 0;
        c->shut = c->ended = true; // a peer that only closes its sending side still gets what waits for it
        event_del(&c->read);
        mark_dirty(c);
        return;
    }
    if (c->closing || c->shut) {
        c->drained += (size_t)n;
        if (c->drained > DRAIN_BYTES)
            conn_break_off(c);
        return;
    }
    receive_bytes(c, (size_t)n);
    loop_end_turn(c->server->loop);
    recheck_tls(c);
}

void conn_hold(struct conn *c)
{
    if (c->held || c->out.size == 0)
        return;
    c->held = true;
    event_del(&c->read);
}

void conn_hand_over(struct conn *c, const struct conn_handler *h, void *client)
{
    c->handler = h;
    c->client = client;
    c->fresh = true; // bytes after the last message of the old handler belong to the new one
    mark_dirty(c);
}

// Sees the end even behind bytes that were not read yet.
bool conn_is_disconnected(const struct conn *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};
    return c->broken || c->closing || c->shut || poll(&p, 1, 0) > 0;
}

void conn_unpause(struct conn *c)
{
    c->paused = false;
}

void conn_peer(const struct conn *c, char out[64])
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getpeername(c->fd, (struct sockaddr *)&address, &size) != 0) {
        memcpy(out, "gone", sizeof "gone"); // after a reset the address may be anything
        return;
    }
    const void *bytes = address.ss_family == AF_INET ? (const void *)&((struct sockaddr_in *)&address)->sin_addr
                                                     : (const void *)&((struct sockaddr_in6 *)&address)->sin6_addr;
    if ((address.ss_family != AF_INET && address.ss_family != AF_INET6) ||
        !inet_ntop(address.ss_family, bytes, out, 64))
        memcpy(out, "local", sizeof "local");
}

int conn_descriptor(const struct conn *c)
{
    return c->fd;
}

static void set_standing(struct conn *c, enum standing standing)
{
    if (c->standing == standing)
        return;
    TAILQ_REMOVE(&c->server->standing[c->standing], c, same_standing);
    c->standing = (uint8_t)standing;
    TAILQ_INSERT_TAIL(&c->server->standing[standing], c, same_standing);
}

void conn_set_standing(struct conn *c, enum conn_standing standing)
{
    static const enum standing of[] = {[CONN_IDLE] = IDLE, [CONN_NEW] = NEW, [CONN_SETTLED] = SETTLED};
    // A place of the reserve is left only by showing the operator's token (http.c).
    bool proves = c->standing != RESERVED || standing == CONN_SETTLED;
    if (c->standing != ENDING && proves)
        set_standing(c, of[standing]);
}

void conn_set_greeted(struct conn *c)
{
    conn_set_standing(c, CONN_SETTLED);
}

bool conn_is_reserved(const struct conn *c)
{
    return c->standing == RESERVED;
}

bool conn_is_local(const struct conn *c)
{
    return c->local;
}

bool conn_is_proxy(const struct conn *c)
{
    return c->local || c->proxy;
}

uint64_t conn_client(const struct conn *c)
{
    return c->counted_client;
}

bool conn_set_client(struct conn *c, uint64_t client)
{
    if (client == c->counted_client)
        return true;
    // The new one first: if it is refused, the connection still counts for the old one.
    if (!admission_add(c->server->admission, client))
        return false;
    admission_remove(c->server->admission, c->counted_client);
    c->counted_client = client;
    return true;
}

void conn_reset_client(struct conn *c)
{
    conn_set_client(c, c->peer_client);
}

struct admission *conn_admission(const struct conn *c)
{
    return c->server->admission;
}

// --- turns

// Everything was sent. The peer may still be sending: closing now would reset the connection and discard our last
// bytes. So only our side is shut down, and input is discarded until the peer closes or the time is up.
static void shut_down(struct conn *c)
{
    char byte;
    if (c->tls)
        tls_bye(c->tls);
    shutdown(c->fd, SHUT_WR);
    if (recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        conn_destroy(c);
    else
        set_standing(c, ENDING);
}

static void handle_dirty(struct conn *c)
{
    TAILQ_REMOVE(&c->server->dirty_conns, c, dirty_link);
    c->dirty = false;
    if (c->shut && !c->closing && !c->broken)
        begin_closing(c);
    if (!c->broken && c->out.size)
        conn_send_waiting(c);
    if (!c->broken && (c->out.size || c->unsent)) // counts the memory that is held, not only the bytes in it
        note_unread(c, c->out.size ? c->out.room : 0);
    if (c->broken)
        conn_destroy(c);
    else if (c->closing && c->out.size == 0)
        shut_down(c);
    else if (c->out.size == 0)
        resume_reading(c);
}

// Requests sent ahead are answered as far as the turn's budget allows; the rest waits for the next turn.
static bool has_to_wait(const struct conn *c)
{
    return c->fresh && c->in.size && !c->broken && !c->shut && loop_is_spent(c->server->loop);
}

void conn_turn_end(void *owner)
{
    struct conn_server *s = owner;
    bool waits = false;
    for (struct conn *c = TAILQ_FIRST(&s->dirty_conns), *next; c; c = next) {
        next = TAILQ_NEXT(c, dirty_link);
        if (has_to_wait(c)) {
            waits = true;
            if (c->out.size)
                conn_send_waiting(c);
            continue;
        }
        handle_dirty(c); // it may be freed now, or be in the list again behind the others
        next = waits ? next : TAILQ_FIRST(&s->dirty_conns);
    }
    if (waits)
        loop_end_turn(s->loop);
}

// --- opening

struct conn *conn_make(struct conn_server *s, int fd, const char *host, enum standing standing)
{
    struct conn *c = calloc(1, sizeof *c);
    if (c && s->options.tls && !(c->tls = tls_begin(s->options.tls, fd, host))) {
        free(c);
        c = NULL;
    }
    if (!c)
        return NULL;
    c->server = s;
    c->handler = s->handler;
    c->fd = fd;
    event_assign(&c->read, s->loop->base, fd, EV_READ | EV_PERSIST, on_readable, c);
    event_assign(&c->write, s->loop->base, fd, EV_WRITE, on_writable, c);
    event_assign(&c->linger, s->loop->base, -1, 0, on_linger_end, c);
    c->standing = (uint8_t)standing;
    TAILQ_INSERT_TAIL(&s->all, c, all);
    TAILQ_INSERT_TAIL(&s->standing[standing], c, same_standing);
    s->count++;
    event_add(&c->read, NULL);
    return c;
}
