#include "bus/pubsub.h"

#ifndef AGON_NATS

// --- without libnats

struct pubsub *pubsub_open(const struct pubsub_options *o, const struct pubsub_handler *h, void *owner,
                           char why[BUS_WHY])
{
    (void)h, (void)owner;
    bus_open(&o->bus, why); // sets `why`
    return NULL;
}

bool pubsub_subscribe(struct pubsub *p, const char *subject)
{
    (void)p, (void)subject;
    return false;
}

void pubsub_unsubscribe(struct pubsub *p, const char *subject)
{
    (void)p, (void)subject;
}

bool pubsub_send(struct pubsub *p, const char *subject, struct span bytes)
{
    (void)p, (void)subject, (void)bytes;
    return false;
}

void pubsub_flush(struct pubsub *p)
{
    (void)p;
}

bool pubsub_is_away(const struct pubsub *p)
{
    (void)p;
    return true;
}

void pubsub_close(struct pubsub *p)
{
    (void)p;
}

#else

#include "bus/options.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    // S50. With PINGS_OUT 1, a bus that has disappeared is noticed after two pings.
    PING_MS = 2000,
    PINGS_OUT = 1,
    RECONNECT_MS = 100,
    JITTER_MS = 900, // so that not all nodes reconnect to a restarted bus at once
    // Reconnecting after libnats has given up: the pause between tries, and the longest time that a try blocks the
    // loop, which happens only if the bus that refused the login has disappeared since.
    AGAIN_MS = 1000,
    AGAIN_PATIENCE_MS = 500,
    READ_BYTES = 64 << 10,
    MOST_PENDING = 65536, // messages
    USED_MOST = 64,       // handled messages that are not freed yet
    USED_BYTES = 1 << 20,
};

struct pubsub {
    struct loop *loop;
    const struct pubsub_handler *call;
    void *owner;
    pthread_t thread;
    natsConnection *connection;
    natsOptions *options;
    natsSubscription *subscription[PUBSUB_SUBJECTS];
    char *subject[PUBSUB_SUBJECTS]; // to subscribe again after libnats has given up a connection; NULL: unused
    int subscriptions;
    natsMsg *used[USED_MOST];
    int used_count, used_bytes;
    // The loop watches a copy of libnats's descriptor: libnats closes its own on another thread, and another file may
    // get that number at once.
    int fd;
    struct event *read, *write, *bell, *again;
    bool wrote_all;
    // Set by libnats's threads, which then ring the bell.
    atomic_int fresh;   // a copy of the new connection's descriptor; -1: none
    atomic_bool stop;   // stop reading
    atomic_bool closed; // libnats does not try again
    atomic_bool wants_write;
    atomic_uint losses, returns;
    // An eventfd: the one way from the threads of libnats to the loop, which has no locks (decision 053).
    int bell_fd;
    unsigned reported_losses, reported_returns;
    struct pubsub *next; // in the list of closed ones
};

// --- callbacks of libnats, on any thread, with its lock held

static void ring_bell(struct pubsub *p)
{
    uint64_t one = 1;
    if (pthread_equal(p->thread, pthread_self()))
        loop_end_turn(p->loop);
    if (write(p->bell_fd, &one, sizeof one) < 0)
        return; // it is ringing already
}

static natsStatus on_attach(void **data, void *loop, natsConnection *nc, natsSock fd)
{
    struct pubsub *p = loop;
    (void)nc;
    *data = p;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return NATS_IO_ERROR;
    atomic_store(&p->stop, false);
    int older = atomic_exchange(&p->fresh, copy);
    if (older >= 0)
        close(older);
    ring_bell(p);
    return NATS_OK;
}

static natsStatus on_read(void *data, bool add)
{
    struct pubsub *p = data;
    if (add)
        return NATS_OK;                          // on_attach has done it
    int unused = atomic_exchange(&p->fresh, -1); // it broke before the loop took it
    if (unused >= 0)
        close(unused);
    atomic_store(&p->stop, true);
    ring_bell(p);
    return NATS_OK;
}

// Called by pubsub_send on the loop's thread, where the end of the turn writes, and for pings on another thread.
static natsStatus on_write(void *data, bool add)
{
    struct pubsub *p = data;
    atomic_store(&p->wants_write, add);
    if (add && !pthread_equal(p->thread, pthread_self()))
        ring_bell(p);
    return NATS_OK;
}

static natsStatus on_detach(void *data)
{
    (void)data;
    return NATS_OK;
}

static void on_loss(natsConnection *c, void *owner)
{
    struct pubsub *p = owner;
    (void)c;
    atomic_fetch_add(&p->losses, 1);
    ring_bell(p);
}

static void on_return(natsConnection *c, void *owner)
{
    struct pubsub *p = owner;
    (void)c;
    atomic_fetch_add(&p->returns, 1);
    ring_bell(p);
}

// Called after the login was refused twice. In all other cases libnats reconnects by itself.
static void on_closed(natsConnection *c, void *owner)
{
    struct pubsub *p = owner;
    (void)c;
    atomic_store(&p->closed, true);
    ring_bell(p);
}

// --- on the loop

// libnats frees messages on its own thread. Waking it costs 20 us, so messages are freed in batches.
static void return_message(struct pubsub *p, natsMsg *m)
{
    p->used[p->used_count++] = m;
    p->used_bytes += natsMsg_GetDataLength(m);
    if (p->used_count < USED_MOST && p->used_bytes < USED_BYTES)
        return;
    while (p->used_count > 0)
        natsMsg_Destroy(p->used[--p->used_count]);
    p->used_bytes = 0;
}

static void take_messages(struct pubsub *p)
{
    natsMsg *m;
    for (int i = 0; i < p->subscriptions; i++) // the callback may end any subscription, and begin others
        while (p->subscription[i] && natsSubscription_NextMsg(&m, p->subscription[i], 0) == NATS_OK) {
            struct span bytes = {natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m)};
            p->call->on_message(p->owner, natsMsg_GetSubject(m), bytes);
            return_message(p, m);
        }
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct pubsub *p = arg;
    (void)fd, (void)what;
    natsConnection_ProcessReadEvent(p->connection);
    take_messages(p);
    loop_end_turn(p->loop);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct pubsub *p = arg;
    (void)fd, (void)what;
    loop_end_turn(p->loop); // flush follows
}

static void drop_socket(struct pubsub *p)
{
    if (p->read)
        event_free(p->read);
    if (p->write)
        event_free(p->write);
    p->read = p->write = NULL;
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

static void take_socket(struct pubsub *p, int fd)
{
    drop_socket(p);
    p->fd = fd;
    p->read = event_new(p->loop->base, fd, EV_READ | EV_PERSIST, on_readable, p);
    p->write = event_new(p->loop->base, fd, EV_WRITE, on_writable, p);
    event_add(p->read, NULL);
}

// Reports away and back in this order; both if the bus came back quickly.
static void report_changes(struct pubsub *p)
{
    unsigned losses = atomic_load(&p->losses), returns = atomic_load(&p->returns);
    bool was_away = p->reported_losses != p->reported_returns, is_away = losses != returns;
    bool changed = losses != p->reported_losses || returns != p->reported_returns;
    p->reported_losses = losses;
    p->reported_returns = returns;
    if (changed && !was_away)
        p->call->on_away(p->owner);
    if (changed && !is_away)
        p->call->on_back(p->owner);
}

static void on_bell(evutil_socket_t fd, short what, void *arg)
{
    struct pubsub *p = arg;
    uint64_t rings;
    (void)what;
    if (read(fd, &rings, sizeof rings) < 0)
        return;
    loop_end_turn(p->loop);
}

// Beyond the limits libnats drops messages, as if the bus had lost them: links notice the gap.
static bool subscribe_at(struct pubsub *p, int at, const char *subject)
{
    natsSubscription **s = &p->subscription[at];
    if (natsConnection_SubscribeSync(s, p->connection, subject) != NATS_OK)
        return false;
    natsSubscription_SetPendingLimits(*s, MOST_PENDING, PUBSUB_BACKLOG);
    return true;
}

static void change_connection(struct pubsub *p, natsConnection *fresh)
{
    natsConnection *old = p->connection;
    p->connection = fresh;
    p->wrote_all = true;
    for (int i = 0; i < p->subscriptions; i++) {
        natsSubscription_Destroy(p->subscription[i]);
        p->subscription[i] = NULL;
        if (p->subject[i])
            subscribe_at(p, i, p->subject[i]);
    }
    natsConnection_Destroy(old);
    atomic_store(&p->returns, atomic_load(&p->losses));
}

static void schedule_reconnect(struct pubsub *p)
{
    event_add(p->again, &(struct timeval){AGAIN_MS / 1000, AGAIN_MS % 1000 * 1000});
}

// The login may be accepted by now.
static void on_again(evutil_socket_t fd, short what, void *arg)
{
    struct pubsub *p = arg;
    natsConnection *fresh = NULL;
    (void)fd, (void)what;
    if (natsConnection_Connect(&fresh, p->options) == NATS_OK)
        change_connection(p, fresh);
    else
        schedule_reconnect(p);
    loop_end_turn(p->loop);
}

static void handle_changes(struct pubsub *p)
{
    if (atomic_exchange(&p->closed, false))
        schedule_reconnect(p);
    if (atomic_exchange(&p->stop, false))
        drop_socket(p);
    int fresh = atomic_exchange(&p->fresh, -1);
    if (fresh >= 0)
        take_socket(p, fresh);
    if (atomic_load(&p->losses) != p->reported_losses || atomic_load(&p->returns) != p->reported_returns)
        report_changes(p);
}

// Writes directly at the end of a turn, since there usually is room. Waiting for an event would take another turn.
void pubsub_flush(struct pubsub *p)
{
    if (!p->write || !atomic_load(&p->wants_write))
        return;
    natsConnection_ProcessWriteEvent(p->connection);
    p->wrote_all = !atomic_load(&p->wants_write);
    if (!p->wrote_all && p->write) // it may have broken
        event_add(p->write, NULL);
}

static void on_turn_end(void *owner)
{
    handle_changes(owner);
    pubsub_flush(owner);
}

// --- opening

static natsStatus set_options(natsOptions *n, const struct pubsub_options *o, struct pubsub *p)
{
    const natsStatus steps[] = {
        bus_set_options(n, &o->bus),
        natsOptions_SetEventLoop(n, p, on_attach, on_read, on_write, on_detach),
        natsOptions_SetPingInterval(n, o->ping_ms ? o->ping_ms : PING_MS),
        natsOptions_SetMaxPingsOut(n, PINGS_OUT),
        // S50: 0.1 s and up to 0.9 more.
        natsOptions_SetReconnectWait(n, RECONNECT_MS),
        natsOptions_SetReconnectJitter(n, JITTER_MS, JITTER_MS),
        natsOptions_SetDisconnectedCB(n, on_loss, p),
        natsOptions_SetReconnectedCB(n, on_return, p),
        natsOptions_SetClosedCB(n, on_closed, p),
        natsOptions_SetIOBufSize(n, READ_BYTES),
    };
    return bus_first_fault(steps, sizeof steps / sizeof *steps);
}

static struct pubsub *create_client(const struct pubsub_options *o, const struct pubsub_handler *h, void *owner)
{
    struct pubsub *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->loop = o->loop;
    p->call = h;
    p->owner = owner;
    p->thread = pthread_self();
    p->fd = -1;
    p->wrote_all = true;
    atomic_init(&p->fresh, -1);
    p->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->bell = event_new(o->loop->base, p->bell_fd, EV_READ | EV_PERSIST, on_bell, p);
    event_add(p->bell, NULL);
    p->again = evtimer_new(o->loop->base, on_again, p);
    return p;
}

static bool is_silence(natsStatus s)
{
    return s == NATS_NO_SERVER || s == NATS_TIMEOUT || s == NATS_IO_ERROR || s == NATS_CONNECTION_CLOSED;
}

static natsStatus connect_to(struct pubsub *p, natsOptions *n, const struct pubsub_options *o, char why[BUS_WHY])
{
    natsStatus s;
    while ((s = natsConnection_Connect(&p->connection, n)) != NATS_OK && is_silence(s) && o->wait) {
        bus_explain(why, &o->bus, s);
        o->wait(p->owner, why);
    }
    return s;
}

struct pubsub *pubsub_open(const struct pubsub_options *o, const struct pubsub_handler *h, void *owner,
                           char why[BUS_WHY])
{
    struct pubsub *p = create_client(o, h, owner);
    natsOptions *n = NULL;
    natsStatus s = p ? natsOptions_Create(&n) : NATS_NO_MEMORY;
    if (s == NATS_OK)
        s = set_options(n, o, p);
    if (s == NATS_OK)
        s = connect_to(p, n, o, why);
    if (s == NATS_OK)
        s = natsOptions_SetTimeout(n, AGAIN_PATIENCE_MS);
    if (p)
        p->options = n;
    if (s == NATS_OK) {
        loop_add_hook(p->loop, on_turn_end, p);
        loop_end_turn(p->loop);
        return p;
    }
    bus_explain(why, &o->bus, s);
    if (p)
        pubsub_close(p);
    return NULL;
}

static void forget_subject(struct pubsub *p, int at)
{
    free(p->subject[at]);
    p->subject[at] = NULL;
}

bool pubsub_subscribe(struct pubsub *p, const char *subject)
{
    int at = 0;
    while (at < p->subscriptions && p->subject[at])
        at++;
    if (at == PUBSUB_SUBJECTS || !(p->subject[at] = strdup(subject)) || !subscribe_at(p, at, subject)) {
        if (at < PUBSUB_SUBJECTS)
            forget_subject(p, at);
        return false;
    }
    p->subscriptions += at == p->subscriptions;
    loop_end_turn(p->loop);
    return true;
}

void pubsub_unsubscribe(struct pubsub *p, const char *subject)
{
    for (int i = 0; i < p->subscriptions; i++)
        if (p->subject[i] && strcmp(p->subject[i], subject) == 0) {
            natsSubscription_Unsubscribe(p->subscription[i]);
            natsSubscription_Destroy(p->subscription[i]);
            p->subscription[i] = NULL;
            forget_subject(p, i);
        }
    while (p->subscriptions > 0 && !p->subject[p->subscriptions - 1])
        p->subscriptions--;
    loop_end_turn(p->loop);
}

bool pubsub_send(struct pubsub *p, const char *subject, struct span bytes)
{
    if (!p->wrote_all && natsConnection_Buffered(p->connection) > PUBSUB_BACKLOG)
        return false;
    return natsConnection_Publish(p->connection, subject, bytes.at, (int)bytes.size) == NATS_OK;
}

bool pubsub_is_away(const struct pubsub *p)
{
    return atomic_load(&p->losses) != atomic_load(&p->returns);
}

static _Atomic(struct pubsub *) closed_clients;

// libnats's threads may still use a closed client, so it is kept until the process ends.
void pubsub_close(struct pubsub *p)
{
    loop_remove_hook(p->loop, p);
    for (int i = 0; i < p->subscriptions; i++) {
        natsSubscription_Destroy(p->subscription[i]);
        forget_subject(p, i);
    }
    while (p->used_count > 0)
        natsMsg_Destroy(p->used[--p->used_count]);
    if (p->connection)
        natsConnection_Close(p->connection);
    natsConnection_Destroy(p->connection);
    natsOptions_Destroy(p->options);
    drop_socket(p);
    event_free(p->bell);
    event_free(p->again);
    int fresh = atomic_exchange(&p->fresh, -1);
    if (fresh >= 0)
        close(fresh);
    p->next = atomic_load(&closed_clients);
    while (!atomic_compare_exchange_weak(&closed_clients, &p->next, p))
        continue;
}

#endif
