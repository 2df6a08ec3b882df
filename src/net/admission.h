// Limits for clients that have not authenticated: connections, in total and by client address, and memory for requests
// that are not complete. One object is shared by all ports of a process; all functions are called on the loop's thread.
//
// Connections. All ports together have `max_connections`. The last `reserve` of them are for peers on this machine
// whose first request has the operator's token (net/http.h). If no place is left, ports are asked to close a connection
// that is not needed (admission_join); if none can, newcomers are refused.
//
// Clients. A client is a number that stands for an IPv4 address or an IPv6 network of 64 bits. 0 means no client: peers
// on this machine, unless limit_loopback is set, and proxies, whose requests name their clients (net/forwarded.h). The
// number is salted, so it does not reveal the address and differs between processes.
//
// Memory. Code that keeps received bytes reports their size (admission_hold). Three quarters of max_held are for large
// requests, the rest is for small ones only, and peers on this machine may exceed it by 1 MiB: so large bodies cannot
// keep small requests out, and neither can keep the operator out. Responses that peers do not read have a limit of
// their own, max_unsent: beyond it a port closes those connections that have read nothing for the longest time.
#pragma once

#include "net/address.h"

#include <stddef.h>
#include <stdint.h>

struct admission;

enum { ADMISSION_PROXIES = 16 };

struct admission_options {
    int max_connections;                             // of all ports; reduced to what the descriptor limit allows
    int spare;                                       // descriptors needed for other purposes
    int reserve;                                     // how many of these places are for the operator
    int per_client;                                  // connections; 0: no limit
    bool limit_loopback;                             // peers on this machine count as clients too
    size_t max_held;                                 // bytes
    size_t max_unsent;                               // bytes
    struct address_range proxies[ADMISSION_PROXIES]; // other machines that may name their clients
    int proxy_count;
};

// Reasons for refusing a client or closing its connection.
enum admission_event {
    ADMISSION_FULL,    // connections refused: no place
    ADMISSION_CROWDED, // connections refused: too many of the same client
    ADMISSION_EVICTED, // connections closed to make room for others
    ADMISSION_MEMORY,  // requests refused or connections closed: max_held reached
    ADMISSION_SLOW,    // requests ended: they did not arrive in time
    ADMISSION_UNREAD,  // connections closed: max_unsent reached
    ADMISSION_LARGE,   // requests refused: the body exceeds the route's limit
    ADMISSION_EVENTS,
};

struct admission_figures {
    int connections, clients; // clients: those that count and have a connection
    size_t held, unsent;
    uint64_t events[ADMISSION_EVENTS];
};

void admission_defaults(struct admission_options *o); // 16384 connections, 64 spare, no reserve, 64 and 256 MiB
struct admission *admission_open(const struct admission_options *o); // aborts without memory
void admission_close(struct admission *a);                           // after all ports were closed
void admission_figures(const struct admission *a, struct admission_figures *f);
void admission_count(struct admission *a, enum admission_event e);

// --- clients

bool admission_is_proxy(const struct admission *a, const struct address *from);
uint64_t admission_client(const struct admission *a, const struct address *from); // from NULL: not an IP address
uint64_t admission_client_named(const struct admission *a, struct span text);     // as named by a proxy; any text

// --- connections

// A port. evict closes one connection that is not needed, or returns false.
// Owned by the port, in a list of all ports of the process.
struct admission_port {
    bool (*evict)(void *owner);
    void *owner;
    struct admission_port *next;
};
void admission_join(struct admission *a, struct admission_port *p);
void admission_leave(struct admission *a, struct admission_port *p);

// Takes a place; if needed, evicts a connection, of `own` first. Returns false if there is none.
bool admission_enter(struct admission *a, struct admission_port *own);
bool admission_enter_reserve(struct admission *a); // one of the operator's places; false: none is left
void admission_exit(struct admission *a);
int admission_places(const struct admission *a);                       // max_connections after the reduction
bool admission_evict(struct admission *a, struct admission_port *own); // false: no connection can be closed

// Counts a connection of this client. Returns false if it has too many; then nothing was counted. Always true for
// client 0.
bool admission_add(struct admission *a, uint64_t client);
void admission_remove(struct admission *a, uint64_t client);

// --- memory

// BIG may use three quarters of max_held, SMALL all of it, LOCAL 1 MiB more.
enum admission_size { ADMISSION_BIG, ADMISSION_SMALL, ADMISSION_LOCAL }; // LOCAL: small, and from this machine

// Changes `*held` to `bytes`. Returns false, and changes nothing, if there is no room for more. Reducing always
// succeeds.
bool admission_hold(struct admission *a, size_t *held, size_t bytes, enum admission_size size);
bool admission_has_room(const struct admission *a, size_t more, enum admission_size size);
// Changes `*unsent` to `bytes`. Returns false if the total exceeds max_unsent.
bool admission_owe(struct admission *a, size_t *unsent, size_t bytes);
