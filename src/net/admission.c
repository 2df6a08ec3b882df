#include "net/admission.h"

#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>

enum {
    // A client has at least one connection, so at 16384 connections a bucket has four clients or fewer on average.
    BUCKETS = 4096,
    LOCAL_BYTES = 1 << 20, // beyond max_held, for peers on this machine
};

struct client {
    uint64_t number;
    int connections;
    struct client *next;
};

struct admission {
    struct admission_options options;
    struct admission_figures figures;
    struct admission_port *ports;
    uint64_t salt; // so that nobody outside can choose addresses that share a number
    struct client *clients[BUCKETS];
};

// Number of connections that the descriptor limit allows, after raising it. At least half of the limit is for
// connections.
static int fit_descriptors(int wanted, int spare)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t need = (rlim_t)wanted + (rlim_t)spare;
    if (limit.rlim_cur < need) {
        limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= need)
        return wanted;
    // rlim_t is unsigned: a small limit must not become a huge rest.
    rlim_t half = limit.rlim_cur / 2, rest = limit.rlim_cur > (rlim_t)spare ? limit.rlim_cur - (rlim_t)spare : 0;
    return (int)(rest > half ? rest : half > 1 ? half : 1);
}

void admission_defaults(struct admission_options *o)
{
    *o = (struct admission_options){
        .max_connections = 16384, .spare = 64, .max_held = (size_t)64 << 20, .max_unsent = (size_t)256 << 20};
}

struct admission *admission_open(const struct admission_options *o)
{
    struct admission *a = calloc(1, sizeof *a);
    if (!a || getrandom(&a->salt, sizeof a->salt, 0) != sizeof a->salt)
        abort(); // while the server starts, so there is nothing to save yet
    a->options = *o;
    a->options.max_connections = fit_descriptors(o->max_connections, o->spare);
    // With a small descriptor limit the operator must not have all places.
    if (a->options.reserve > a->options.max_connections / 2)
        a->options.reserve = a->options.max_connections / 2;
    return a;
}

void admission_close(struct admission *a)
{
    assert(a->figures.connections == 0 && a->figures.held == 0 && a->figures.unsent == 0 && a->figures.clients == 0);
    free(a);
}

void admission_figures(const struct admission *a, struct admission_figures *f)
{
    *f = a->figures;
}

void admission_count(struct admission *a, enum admission_event e)
{
    a->figures.events[e]++;
}

// --- clients

static uint64_t number_of(const struct admission *a, const void *name, size_t size)
{
    char key[sizeof a->salt + 64] = {0};
    memcpy(key, &a->salt, sizeof a->salt);
    // A proxy may name its client by text of any length. What differs only behind 64 bytes shares one limit.
    memcpy(key + sizeof a->salt, name, size < 64 ? size : 64);
    uint64_t hash = hash_bytes(key, sizeof key);
    return hash ? hash : 1; // 0 means no client
}

bool admission_is_proxy(const struct admission *a, const struct address *from)
{
    bool is = false;
    for (int i = 0; i < a->options.proxy_count && !is; i++)
        is = address_is_within(from, &a->options.proxies[i]);
    return is;
}

uint64_t admission_client(const struct admission *a, const struct address *from)
{
    static const struct address one = {{[15] = 1}};
    if (!from || address_is_loopback(from)) {
        if (!a->options.limit_loopback)
            return 0;
        from = from ? from : &one;
    } else if (admission_is_proxy(a, from)) {
        return 0;
    }
    struct address network = address_network(from);
    return number_of(a, network.byte, sizeof network.byte);
}

uint64_t admission_client_named(const struct admission *a, struct span text)
{
    struct address from;
    if (!address_read(&from, text))
        return number_of(a, text.at, text.size); // an arbitrary name from the proxy
    struct address network = address_network(&from);
    return number_of(a, network.byte, sizeof network.byte);
}

static struct client **find_client(struct admission *a, uint64_t number)
{
    struct client **at = &a->clients[number % BUCKETS];
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

bool admission_add(struct admission *a, uint64_t number)
{
    if (number == 0)
        return true;
    struct client **at = find_client(a, number), *c = *at;
    if (c && a->options.per_client && c->connections >= a->options.per_client)
        return false;
    if (!c) {
        if (!(c = calloc(1, sizeof *c)))
            return false;
        c->number = number;
        *at = c;
        a->figures.clients++;
    }
    c->connections++;
    return true;
}

void admission_remove(struct admission *a, uint64_t number)
{
    if (number == 0)
        return;
    struct client **at = find_client(a, number), *c = *at;
    assert(c);
    if (--c->connections)
        return;
    *at = c->next;
    free(c);
    a->figures.clients--;
}

// --- connections

void admission_join(struct admission *a, struct admission_port *p)
{
    p->next = a->ports;
    a->ports = p;
}

void admission_leave(struct admission *a, struct admission_port *p)
{
    struct admission_port **at = &a->ports;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
}

bool admission_evict(struct admission *a, struct admission_port *own)
{
    bool done = own->evict(own->owner);
    for (struct admission_port *p = a->ports; p && !done; p = p->next)
        done = p != own && p->evict(p->owner);
    if (done)
        admission_count(a, ADMISSION_EVICTED);
    return done;
}

bool admission_enter(struct admission *a, struct admission_port *own)
{
    if (a->figures.connections >= a->options.max_connections - a->options.reserve && !admission_evict(a, own))
        return false;
    a->figures.connections++;
    return true;
}

bool admission_enter_reserve(struct admission *a)
{
    if (a->figures.connections >= a->options.max_connections)
        return false;
    a->figures.connections++;
    return true;
}

int admission_places(const struct admission *a)
{
    return a->options.max_connections;
}

void admission_exit(struct admission *a)
{
    a->figures.connections--;
}

// --- memory

bool admission_has_room(const struct admission *a, size_t more, enum admission_size size)
{
    size_t most = a->options.max_held;
    if (size == ADMISSION_BIG)
        most -= most / 4;
    else if (size == ADMISSION_LOCAL)
        most += LOCAL_BYTES;
    // `held` may be above `most` (LOCAL reaches further than SMALL, SMALL further than BIG), and then the difference
    // would wrap around.
    return a->figures.held <= most && more <= most - a->figures.held;
}

bool admission_hold(struct admission *a, size_t *held, size_t bytes, enum admission_size size)
{
    if (bytes > *held && !admission_has_room(a, bytes - *held, size))
        return false;
    a->figures.held += bytes - *held;
    *held = bytes;
    return true;
}

bool admission_owe(struct admission *a, size_t *unsent, size_t bytes)
{
    // Recorded even beyond the limit, because the bytes exist already; the caller closes a connection for them.
    a->figures.unsent += bytes - *unsent;
    *unsent = bytes;
    return a->figures.unsent <= a->options.max_unsent;
}
