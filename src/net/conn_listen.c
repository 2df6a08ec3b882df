// Listening, accepting and dialling: how connections begin.
#include "net/conn_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    SYSTEM_BYTES = 262144, // output that the system may buffer for one peer
    BACKLOG = 1024,
    LISTEN_FLAGS = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC,
    LINGER_MS = 100,       // T3.24: how long a last reply may take to be sent
    ACCEPT_PAUSE_MS = 100, // pause when the system has no descriptor left
};

// --- listening

// Closes one connection that is not needed (T3.6 in general terms).
static bool evict_conn(void *owner)
{
    struct conn_server *s = owner;
    for (int i = ENDING; i <= NEW; i++) {
        struct conn *oldest = TAILQ_FIRST(&s->standing[i]);
        if (!oldest)
            continue;
        conn_destroy(oldest);
        return true;
    }
    return false;
}

// Takes a place in the operator's reserve: an unproven connection there makes room for the next one.
static bool enter_reserve(struct conn_server *s)
{
    if (admission_enter_reserve(s->admission))
        return true;
    struct conn *oldest = TAILQ_FIRST(&s->standing[RESERVED]);
    if (!oldest)
        return false;
    conn_destroy(oldest);
    return admission_enter_reserve(s->admission);
}

// The standing of a newcomer; STANDINGS: there is no place.
static enum standing find_place(struct conn_server *s, bool local)
{
    bool fits = s->count < s->options.max_connections;
    if (!fits && evict_conn(s)) {
        admission_count(s->admission, ADMISSION_EVICTED);
        fits = true;
    }
    if (fits && admission_enter(s->admission, &s->port))
        return NEW;
    bool reserved = local && s->options.for_operator && enter_reserve(s);
    return reserved ? RESERVED : STANDINGS;
}

// Reads what was received first: unread bytes would reset the connection and discard the refusal.
static void refuse_newcomer(struct conn_server *s, int fd, struct span why, enum admission_event event)
{
    char unread[4096];
    admission_count(s->admission, event);
    // With TLS there was no handshake yet, so nothing can be said.
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
        refuse_newcomer(s, fd, s->options.crowded, ADMISSION_CROWDED);
        return;
    }
    enum standing standing = find_place(s, local);
    struct conn *c = standing != STANDINGS ? conn_make(s, fd, NULL, standing) : NULL;
    if (!c) {
        admission_remove(s->admission, client);
        if (standing != STANDINGS)
            admission_exit(s->admission);
        refuse_newcomer(s, fd, s->options.full, ADMISSION_FULL);
        return;
    }
    c->placed = true;
    c->local = local;
    c->proxy = has_address && admission_is_proxy(s->admission, &address);
    c->peer_client = c->counted_client = client;
    c->client = s->handler->on_open(s->owner, c);
    if (!c->client)
        conn_break_off(c);
}

// Without a free descriptor the newcomer stays in the system's queue and the listener stays readable: without a pause
// the loop would do nothing else.
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
    // Connections inherit both. The system's buffer for a peer that does not read is limited, as ours is.
    int yes = 1, bytes = SYSTEM_BYTES;
    setsockopt(evconnlistener_get_fd(listener), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(evconnlistener_get_fd(listener), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    return listener;
}

// The socket file has mode 0600 from the beginning. The caller has removed an existing file at the path.
static struct evconnlistener *bind_unix(struct loop *l, const struct conn_options *o, struct conn_server *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(o->path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(address.sun_path, o->path, strlen(o->path) + 1);
    // A chmod after the bind would leave a moment in which other users can connect.
    mode_t before = umask(0177);
    struct evconnlistener *listener = evconnlistener_new_bind(l->base, on_accept, s, LISTEN_FLAGS, BACKLOG,
                                                              (struct sockaddr *)&address, sizeof address);
    umask(before);
    return listener;
}

// For a port that shares no admission: its own limit is the only one.
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
    s->port = (struct admission_port){.evict = evict_conn, .owner = s};
    admission_join(s->admission, &s->port);
    int places = admission_places(s->admission);
    if (s->options.max_connections > places)
        s->options.max_connections = places;
    if (s->options.linger_ms <= 0)
        s->options.linger_ms = LINGER_MS;
    TAILQ_INIT(&s->all);
    TAILQ_INIT(&s->dirty_conns);
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
    loop_add_hook(l, conn_turn_end, s);
    return s;
}

// --- dialling

struct conn_server *conn_dialler(struct loop *l, const struct conn_options *o, const struct conn_handler *h)
{
    struct conn_server *s = make_server(l, o, h, NULL);
    if (s)
        loop_add_hook(l, conn_turn_end, s);
    return s;
}

// The system accepts no bytes before the connection is established, which looks like a slow reader.
struct conn *conn_dial(struct conn_server *s, const char *address, uint16_t port, const char *host, void *client)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    bool begun = inet_pton(AF_INET, address, &to.sin_addr) == 1 &&
                 (connect(fd, (struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS);
    struct conn *c = begun ? conn_make(s, fd, host, SETTLED) : NULL;
    if (!c) {
        close(fd);
        return NULL;
    }
    c->client = client;
    return c;
}

uint16_t conn_port(const struct conn_server *s)
{
    struct sockaddr_in6 address = {0}; // the port is at the same offset in both families
    socklen_t size = sizeof address;
    getsockname(evconnlistener_get_fd(s->listener), (struct sockaddr *)&address, &size);
    return ntohs(address.sin6_port);
}

int conn_count(const struct conn_server *s)
{
    return s->count;
}

struct admission *conn_server_admission(const struct conn_server *s)
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
            conn_send_waiting(c);
        conn_destroy(c);
    }
    if (s->listener) {
        evconnlistener_free(s->listener);
        event_free(s->accept_again);
    }
    loop_remove_hook(s->loop, s);
    free_server(s);
}
