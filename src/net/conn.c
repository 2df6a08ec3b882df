#include "net/conn.h"

#include "net/tls.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/event_struct.h>
#include <event2/listener.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,    // per connection and turn
    SYSTEM_BYTES = 262144, // what may wait in the system for one peer
    SMALL_BYTES = 16384,   // larger input counts as large (net/admission.h)
    KEEP_BYTES = 4096,     // a buffer up to this size stays with its connection
    BACKLOG = 1024,
    LISTEN_FLAGS = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC,
    LINGER_MS = 100,        // T3.24: how long a last reply may take to leave
    ACCEPT_PAUSE_MS = 100,  // when the system has no descriptor left
    DRAIN_BYTES = 64 << 20, // what is thrown away of a peer that goes on sending after the end
};

struct buffer {
    char *at;
    size_t size, room;
};

struct conn {
    struct conn_server *server;
    const struct conn_handler *handler; // of the server, or whoever has taken over
    void *client;
    struct event read, write, linger;
    struct buffer in, out; // a half line; what the system did not take
    size_t sent;           // of out
    uint64_t gone;         // bytes the system has taken
    struct tls_peer *tls;  // NULL: in the clear
    size_t drained;
    int fd;
    bool dirty, broken, closing, shut, ended, held, paused, fresh, local, placed;
    uint8_t standing;  // enum standing
    uint64_t from;     // client number of the peer itself
    uint64_t charged;  // of whom it is counted for
    size_t kept, owed; // of `in` and `out`, as admission knows them
    uint64_t moved;    // `gone` when it was last put behind the others in `unread`
    TAILQ_ENTRY(conn) all, same, unread, dirt;
};

TAILQ_HEAD(conns, conn);

// Who makes room for others, in this order; reserved ones only for each other.
enum standing { ENDING, IDLE, NEW, RESERVED, SETTLED, STANDINGS };

struct conn_server {
    struct loop *loop;
    struct evconnlistener *listener;
    struct event *accept_again;
    const struct conn_handler *handler;
    void *owner;
    struct conn_options options;
    struct admission *admission;
    struct admission_port port;
    int count;
    struct conns all, dirt;           // dirt: those with something to do at turn end
    struct conns standing[STANDINGS]; // each oldest first
    struct conns unread;              // those with output that the system does not take, the longest stuck first
    char scratch[READ_BYTES];
};

static void touch(struct conn *c)
{
    if (c->dirty)
        return;
    c->dirty = true;
    TAILQ_INSERT_TAIL(&c->server->dirt, c, dirt);
    loop_end_turn(c->server->loop);
}

static void break_off(struct conn *c)
{
    c->broken = true;
    touch(c);
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

// Adds to what is kept of the input; the connection breaks without memory for it.
static void keep(struct conn *c, const char *bytes, size_t size)
{
    struct admission *a = c->server->admission;
    if (!buffer_add(&c->in, bytes, size))
        break_off(c);
    if (!c->placed)
        return; // we dialled it ourselves
    enum admission_size kind = c->in.room > SMALL_BYTES ? ADMISSION_BIG : c->local ? ADMISSION_LOCAL : ADMISSION_SMALL;
    if (c->in.size && !admission_hold(a, &c->kept, c->in.room, kind)) {
        admission_count(a, ADMISSION_MEMORY);
        break_off(c);
    }
}

static void forget_kept(struct conn *c)
{
    buffer_empty(&c->in);
    admission_hold(c->server->admission, &c->kept, 0, ADMISSION_SMALL);
}

// What the peer has not read is counted, and the connection stands behind all that were stuck before it.
static void note_unread(struct conn *c, size_t bytes)
{
    struct conn_server *s = c->server;
    bool was = c->owed > 0;
    if (was && (bytes == 0 || c->moved != c->gone))
        TAILQ_REMOVE(&s->unread, c, unread);
    if (bytes && (!was || c->moved != c->gone))
        TAILQ_INSERT_TAIL(&s->unread, c, unread);
    c->moved = c->gone;
    if (admission_owe(s->admission, &c->owed, bytes) || bytes == 0)
        return;
    admission_count(s->admission, ADMISSION_UNREAD);
    break_off(TAILQ_FIRST(&s->unread));
}

// --- closing

static void destroy(struct conn *c)
{
    struct conn_server *s = c->server;
    if (c->client)
        c->handler->on_close(c->client);
    event_del(&c->read);
    event_del(&c->write);
    event_del(&c->linger);
    TAILQ_REMOVE(&s->all, c, all);
    TAILQ_REMOVE(&s->standing[c->standing], c, same);
    admission_hold(s->admission, &c->kept, 0, ADMISSION_SMALL);
    note_unread(c, 0);
    admission_remove(s->admission, c->charged);
    if (c->placed)
        admission_exit(s->admission);
    if (c->dirty)
        TAILQ_REMOVE(&s->dirt, c, dirt);
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
    break_off(arg);
}

// The client is told goodbye at once; what waits may leave for a moment longer.
static void begin_closing(struct conn *c)
{
    if (c->closing)
        return;
    c->closing = true;
    if (c->client)
        c->handler->on_close(c->client);
    c->client = NULL;
    forget_kept(c);
    int ms = c->server->options.linger_ms;
    event_add(&c->linger, &(struct timeval){ms / 1000, ms % 1000 * 1000});
    if (!c->ended) // also of one that was not being read from: its end is waited for
        event_add(&c->read, NULL);
}

void conn_hang_up(struct conn *c)
{
    c->shut = true; // seen at the end of the turn: the handler is not called from inside its own call
    touch(c);
}

void conn_drop(struct conn *c)
{
    break_off(c);
}

// --- writing

static ssize_t put(struct conn *c, const char *bytes, size_t size)
{
    ssize_t n = c->tls ? tls_send(c->tls, bytes, size) : send(c->fd, bytes, size, MSG_NOSIGNAL);
    if (n > 0)
        c->gone += (uint64_t)n;
    return n;
}

static void send_waiting(struct conn *c)
{
    while (c->sent < c->out.size) {
        ssize_t n = put(c, c->out.at + c->sent, c->out.size - c->sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!c->tls || !tls_waits_to_read(c->tls)) // else what comes next moves it
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
    if (c->tls && tls_waits_to_write(c->tls))
        on_readable(fd, what, c);
    touch(c);
}

void conn_reply(struct conn *c, struct span bytes)
{
    if (c->broken)
        return;
    if (conn_waiting(c) + bytes.size > c->server->options.max_waiting_bytes ||
        !buffer_add(&c->out, bytes.at, bytes.size))
        c->broken = true;
    touch(c);
}

// What the system takes at once is not copied; whatever is wrong is found by whoever sends the rest.
void conn_reply_now(struct conn *c, struct span bytes)
{
    bool free = !c->broken && !c->shut && !c->closing && !c->tls && c->out.size == 0;
    ssize_t n = free ? send(c->fd, bytes.at, bytes.size, MSG_NOSIGNAL) : 0;
    size_t sent = n > 0 ? (size_t)n : 0;
    c->gone += sent;
    if (sent < bytes.size)
        conn_reply(c, (struct span){bytes.at + sent, bytes.size - sent});
}

// What a reply looks at.
void conn_fetch(const struct conn *c)
{
    __builtin_prefetch(&c->out);
    __builtin_prefetch(&c->fd);
}

bool conn_write(struct conn *c, struct span bytes)
{
    if (c->broken || c->closing || c->out.size)
        return false;
    ssize_t n = put(c, bytes.at, bytes.size);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return false;
    if (n < 0) {
        break_off(c);
        return false;
    }
    if ((size_t)n < bytes.size) { // half a line has left: the rest must follow before anything else
        if (!buffer_add(&c->out, bytes.at + n, bytes.size - (size_t)n))
            c->broken = true;
        event_add(&c->write, NULL);
        touch(c);
    }
    return true;
}

void conn_flush(struct conn *c)
{
    if (!c->broken && c->out.size)
        send_waiting(c);
    if (c->broken)
        touch(c);
}

size_t conn_waiting(const struct conn *c)
{
    return c->out.size - c->sent;
}

uint64_t conn_sent(const struct conn *c)
{
    return c->gone;
}

// --- reading

bool conn_is_listening(const struct conn *c)
{
    return !c->broken && !c->shut && !c->held && !c->paused;
}

// Shows what is kept; the handler may take it all, a part, or wait for more.
static void show_kept(struct conn *c, size_t seen)
{
    size_t used = c->handler->on_bytes(c->client, (struct span){c->in.at, c->in.size}, seen);
    assert(used <= c->in.size);
    memmove(c->in.at, c->in.at + used, c->in.size - used);
    c->in.size -= used;
    if (c->in.size == 0 || c->shut)
        forget_kept(c);
}

// What TLS has opened already the socket does not announce.
static void recheck(struct conn *c)
{
    if (c->tls && tls_has_more(c->tls) && event_pending(&c->read, EV_READ, NULL))
        event_active(&c->read, EV_READ, 0);
}

// Whoever was not listened to, because of unread replies or by the handler's wish, is heard again.
static void resume(struct conn *c)
{
    bool drained = c->held;
    if (!drained && !c->fresh)
        return;
    c->held = c->fresh = false;
    event_add(&c->read, NULL);
    recheck(c);
    if (drained && c->handler->on_drained)
        c->handler->on_drained(c->client);
    if (c->in.size && conn_is_listening(c)) {
        show_kept(c, 0);
        loop_end_turn(c->server->loop); // other hooks have had their say in this turn already
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
    touch(c);
}

static void receive(struct conn *c, size_t size)
{
    char *fresh = c->server->scratch;
    if (c->paused || c->fresh) { // one that is about to be heard again gets all of it at once
        keep(c, fresh, size);
        if (c->in.size > READ_BYTES) // the peer has to wait
            event_del(&c->read);
        return;
    }
    if (c->in.size == 0) { // as a rule whole messages: no copy
        size_t used = c->handler->on_bytes(c->client, (struct span){fresh, size}, 0);
        assert(used <= size);
        if (!c->shut && used < size)
            keep(c, fresh + used, size - used);
        return;
    }
    size_t seen = c->in.size;
    keep(c, fresh, size);
    if (!c->broken)
        show_kept(c, seen);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct conn *c = arg;
    if (c->broken)
        return;
    __builtin_prefetch(c->client); // it comes while the system is busy
    ssize_t n = c->tls ? tls_recv(c->tls, c->server->scratch, READ_BYTES) : recv(fd, c->server->scratch, READ_BYTES, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        if (c->tls && tls_waits_to_write(c->tls))
            event_add(&c->write, NULL);
        if (c->tls && c->out.size)
            touch(c); // a handshake may have come to its end
        return;
    }
    if (n <= 0) { // what came before has been cut already; a last line without its end is dropped
        c->broken |= n < 0;
        c->shut = c->ended = true; // a peer that only ends its own side still gets what waits for it
        event_del(&c->read);
        touch(c);
        return;
    }
    if (c->closing || c->shut) {
        c->drained += (size_t)n;
        if (c->drained > DRAIN_BYTES)
            break_off(c);
        return;
    }
    receive(c, (size_t)n);
    loop_end_turn(c->server->loop);
    recheck(c);
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
    c->fresh = true; // what came behind the last message of the old handler is the new one's
    touch(c);
}

// An end is seen although bytes that nobody has read yet stand before it.
bool conn_is_gone(const struct conn *c)
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
        memcpy(out, "gone", sizeof "gone"); // what a reset leaves to be read may come from anywhere
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
    TAILQ_REMOVE(&c->server->standing[c->standing], c, same);
    c->standing = (uint8_t)standing;
    TAILQ_INSERT_TAIL(&c->server->standing[standing], c, same);
}

void conn_set_standing(struct conn *c, enum conn_standing standing)
{
    static const enum standing of[] = {[CONN_IDLE] = IDLE, [CONN_NEW] = NEW, [CONN_SETTLED] = SETTLED};
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

uint64_t conn_client(const struct conn *c)
{
    return c->charged;
}

bool conn_set_client(struct conn *c, uint64_t client)
{
    if (client == c->charged)
        return true;
    if (!admission_add(c->server->admission, client))
        return false;
    admission_remove(c->server->admission, c->charged);
    c->charged = client;
    return true;
}

void conn_reset_client(struct conn *c)
{
    conn_set_client(c, c->from);
}

struct admission *conn_admission(const struct conn *c)
{
    return c->server->admission;
}

// --- turns

// All has left. The peer may still be sending: closing now would reset the connection and take our last words from
// it, so only our side ends, and the rest is thrown away until the peer closes or time is up.
static void finish(struct conn *c)
{
    char byte;
    if (c->tls)
        tls_bye(c->tls);
    shutdown(c->fd, SHUT_WR);
    if (recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        destroy(c);
    else
        set_standing(c, ENDING);
}

static void settle(struct conn *c)
{
    TAILQ_REMOVE(&c->server->dirt, c, dirt);
    c->dirty = false;
    if (c->shut && !c->closing && !c->broken)
        begin_closing(c);
    if (!c->broken && c->out.size)
        send_waiting(c);
    if (!c->broken && (c->out.size || c->owed))
        note_unread(c, c->out.size ? c->out.room : 0);
    if (c->broken)
        destroy(c);
    else if (c->closing && c->out.size == 0)
        finish(c);
    else if (c->out.size == 0)
        resume(c);
}

// What a connection has sent ahead is answered as far as the turn's budget goes; the rest waits for the next turn.
static bool has_to_wait(const struct conn *c)
{
    return c->fresh && c->in.size && !c->broken && !c->shut && loop_is_spent(c->server->loop);
}

static void on_turn_end(void *owner)
{
    struct conn_server *s = owner;
    bool waits = false;
    for (struct conn *c = TAILQ_FIRST(&s->dirt), *next; c; c = next) {
        next = TAILQ_NEXT(c, dirt);
        if (has_to_wait(c)) {
            waits = true;
            if (c->out.size)
                send_waiting(c);
            continue;
        }
        settle(c); // it may be gone now, or be here again, behind the others
        next = waits ? next : TAILQ_FIRST(&s->dirt);
    }
    if (waits)
        loop_end_turn(s->loop);
}

// --- listening

// Closes one that can be spared (T3.6 in general terms).
static bool evict(void *owner)
{
    struct conn_server *s = owner;
    for (int i = ENDING; i <= NEW; i++) {
        struct conn *oldest = TAILQ_FIRST(&s->standing[i]);
        if (!oldest)
            continue;
        destroy(oldest);
        return true;
    }
    return false;
}

// A place in the operator's reserve: whoever sits there unproven makes room for the next.
static bool enter_reserve(struct conn_server *s)
{
    if (admission_enter_reserve(s->admission))
        return true;
    struct conn *oldest = TAILQ_FIRST(&s->standing[RESERVED]);
    if (!oldest)
        return false;
    destroy(oldest);
    return admission_enter_reserve(s->admission);
}

// Where a newcomer stands; STANDINGS: there is no place.
static enum standing find_place(struct conn_server *s, bool local)
{
    bool fits = s->count < s->options.max_connections;
    if (!fits && evict(s)) {
        admission_count(s->admission, ADMISSION_EVICTED);
        fits = true;
    }
    if (fits && admission_enter(s->admission, &s->port))
        return NEW;
    bool reserved = local && s->options.for_operator && enter_reserve(s);
    return reserved ? RESERVED : STANDINGS;
}

// NULL without memory; the descriptor stays the caller's then. `host` is whom we dialled.
static struct conn *make(struct conn_server *s, int fd, const char *host, enum standing standing)
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
    TAILQ_INSERT_TAIL(&s->standing[standing], c, same);
    s->count++;
    event_add(&c->read, NULL);
    return c;
}

// Bytes that are left unread would reset the connection and take the refusal from the peer.
static void refuse(struct conn_server *s, int fd, struct span why, enum admission_event event)
{
    char unread[4096];
    admission_count(s->admission, event);
    if (why.size && !s->options.tls && recv(fd, unread, sizeof unread, MSG_DONTWAIT) != 0 &&
        send(fd, why.at, why.size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        shutdown(fd, SHUT_WR);
    close(fd);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from, int size, void *arg)
{
    (void)listener, (void)size;
    struct conn_server *s = arg;
    struct address address;
    bool has_address = address_of_peer(&address, from), local = !has_address || address_is_loopback(&address);
    uint64_t client = admission_client(s->admission, has_address ? &address : NULL);
    if (!admission_add(s->admission, client)) {
        refuse(s, fd, s->options.crowded, ADMISSION_CROWDED);
        return;
    }
    enum standing standing = find_place(s, local);
    struct conn *c = standing != STANDINGS ? make(s, fd, NULL, standing) : NULL;
    if (!c) {
        admission_remove(s->admission, client);
        if (standing != STANDINGS)
            admission_exit(s->admission);
        refuse(s, fd, s->options.full, ADMISSION_FULL);
        return;
    }
    c->placed = true;
    c->local = local;
    c->from = c->charged = client;
    c->client = s->handler->on_open(s->owner, c);
    if (!c->client)
        break_off(c);
}

// Without a descriptor the newcomer stays in the system's queue, and the listener ready: whoever asked again at once
// would never do anything else.
static void on_accept_error(struct evconnlistener *listener, void *arg)
{
    struct conn_server *s = arg;
    if ((errno == EMFILE || errno == ENFILE) && admission_evict(s->admission, &s->port))
        return;
    evconnlistener_disable(listener);
    event_add(s->accept_again, &(struct timeval){.tv_usec = ACCEPT_PAUSE_MS * 1000});
}

static void on_accept_again(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    evconnlistener_enable(((struct conn_server *)arg)->listener);
}

static struct evconnlistener *bind_tcp(struct loop *l, const struct conn_options *o, struct conn_server *s)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(o->port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(o->port)};
    bool is_four = inet_pton(AF_INET, o->host, &four.sin_addr) == 1;
    if (!is_four && inet_pton(AF_INET6, o->host, &six.sin6_addr) != 1) {
        errno = EADDRNOTAVAIL;
        return NULL;
    }
    struct evconnlistener *listener = evconnlistener_new_bind(
        l->base, on_accept, s, LISTEN_FLAGS | LEV_OPT_REUSEABLE, BACKLOG,
        is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six, is_four ? sizeof four : sizeof six);
    if (!listener)
        return NULL;
    // Connections inherit both. What the system keeps for a reader that does not read is bounded like what we keep.
    int yes = 1, bytes = SYSTEM_BYTES;
    setsockopt(evconnlistener_get_fd(listener), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(evconnlistener_get_fd(listener), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    return listener;
}

// The socket file has mode 0600 from its first moment on: what stands at the path must be removed before.
static struct evconnlistener *bind_unix(struct loop *l, const struct conn_options *o, struct conn_server *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(o->path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(address.sun_path, o->path, strlen(o->path) + 1);
    mode_t before = umask(0177);
    struct evconnlistener *listener = evconnlistener_new_bind(l->base, on_accept, s, LISTEN_FLAGS, BACKLOG,
                                                              (struct sockaddr *)&address, sizeof address);
    umask(before);
    return listener;
}

// For a port that shares nothing: its own limit is the only one.
static struct admission *make_admission(const struct conn_options *o)
{
    struct admission_options own;
    admission_defaults(&own);
    own.max_connections = o->max_connections;
    if (o->max_held)
        own.max_held = o->max_held;
    return admission_open(&own);
}

static struct conn_server *make_server(struct loop *l, const struct conn_options *o, const struct conn_handler *h,
                                       void *owner)
{
    struct conn_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->loop = l;
    s->handler = h;
    s->owner = owner;
    s->options = *o;
    s->admission = o->admission ? o->admission : make_admission(o);
    s->port = (struct admission_port){.evict = evict, .owner = s};
    admission_join(s->admission, &s->port);
    int places = admission_places(s->admission);
    if (s->options.max_connections > places)
        s->options.max_connections = places;
    if (s->options.linger_ms <= 0)
        s->options.linger_ms = LINGER_MS;
    TAILQ_INIT(&s->all);
    TAILQ_INIT(&s->dirt);
    TAILQ_INIT(&s->unread);
    for (int i = 0; i < STANDINGS; i++)
        TAILQ_INIT(&s->standing[i]);
    return s;
}

static void free_server(struct conn_server *s)
{
    admission_leave(s->admission, &s->port);
    if (!s->options.admission)
        admission_close(s->admission);
    free(s);
}

struct conn_server *conn_listen(struct loop *l, const struct conn_options *o, const struct conn_handler *h, void *owner)
{
    struct conn_server *s = make_server(l, o, h, owner);
    if (!s)
        return NULL;
    s->listener = o->path ? bind_unix(l, o, s) : bind_tcp(l, o, s);
    if (!s->listener) {
        int err = errno;
        free_server(s);
        errno = err;
        return NULL;
    }
    s->accept_again = event_new(l->base, -1, 0, on_accept_again, s);
    evconnlistener_set_error_cb(s->listener, on_accept_error);
    loop_add_hook(l, on_turn_end, s);
    return s;
}

// --- dialling

struct conn_server *conn_dialler(struct loop *l, const struct conn_options *o, const struct conn_handler *h)
{
    struct conn_server *s = make_server(l, o, h, NULL);
    if (s)
        loop_add_hook(l, on_turn_end, s);
    return s;
}

// The system takes no bytes before the connection stands, and says so as it does to a reader that is slow.
struct conn *conn_dial(struct conn_server *s, const char *address, uint16_t port, const char *host, void *client)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    bool begun = inet_pton(AF_INET, address, &to.sin_addr) == 1 &&
                 (connect(fd, (struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS);
    struct conn *c = begun ? make(s, fd, host, SETTLED) : NULL;
    if (!c) {
        close(fd);
        return NULL;
    }
    c->client = client;
    return c;
}

uint16_t conn_port(const struct conn_server *s)
{
    struct sockaddr_in6 address = {0}; // the port stands at the same place in both families
    socklen_t size = sizeof address;
    getsockname(evconnlistener_get_fd(s->listener), (struct sockaddr *)&address, &size);
    return ntohs(address.sin6_port);
}

int conn_count(const struct conn_server *s)
{
    return s->count;
}

struct admission *conn_port_admission(const struct conn_server *s)
{
    return s->admission;
}

int conn_max_connections(const struct conn_server *s)
{
    return s->options.max_connections;
}

void conn_stop(struct conn_server *s)
{
    event_del(s->accept_again);
    evconnlistener_disable(s->listener);
}

void conn_close(struct conn_server *s)
{
    for (struct conn *c; (c = TAILQ_FIRST(&s->all));) {
        if (!c->broken && c->out.size)
            send_waiting(c);
        destroy(c);
    }
    if (s->listener) {
        evconnlistener_free(s->listener);
        event_free(s->accept_again);
    }
    loop_remove_hook(s->loop, s);
    free_server(s);
}
