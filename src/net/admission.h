// What clients may hold of a server before they have shown who they are: connections, in all and by client address, and
// memory for what has been received and is not complete. One object is shared by all ports of a process.
//
// Connections. All ports together have `max_connections`; the last `reserve` of them are for peers on this machine
// whose first request bears the operator's token (net/http.h). When no place is left, ports are asked to close what can
// be spared (admission_join); then newcomers are refused.
//
// Clients. A client is a number that stands for an IPv4 address or an IPv6 network of 64 bits; 0 is nobody: peers on
// this machine, unless limit_loopback is set, and proxies, whose requests name their clients (net/forwarded.h). The
// number is salted: it is no address, and differs in every process.
//
// Memory. Whoever keeps received bytes tells their size (admission_hold). Three quarters of max_held are for large
// requests, the rest is for small ones only, and peers on this machine may exceed it by 1 MiB: many large bodies
// cannot keep small requests out, and neither can keep the operator out. Responses that peers do not read have a
// ceiling of their own, max_unsent: beyond it a port cuts those off that have read nothing for the longest time.
#pragma once

#include "net/address.h"

#include <stddef.h>
#include <stdint.h>

struct admission;

enum { ADMISSION_PROXIES = 16 };

struct admission_options {
    int max_connections;                             // of all ports; lowered to what the descriptor limit leaves
    int spare;                                       // descriptors that are needed for other things
    int reserve;                                     // places of these for the operator
    int per_client;                                  // connections; 0: no limit
    bool limit_loopback;                             // peers on this machine are clients like others
    size_t max_held;                                 // bytes
    size_t max_unsent;                               // bytes
    struct address_range proxies[ADMISSION_PROXIES]; // other machines that speak for others
    int proxy_count;
};

// Why somebody or something had to go.
enum admission_event {
    ADMISSION_FULL,    // connections refused: no place
    ADMISSION_CROWDED, // connections refused: the client has too many
    ADMISSION_EVICTED, // connections closed to make room for others
    ADMISSION_MEMORY,  // requests refused or connections closed: max_held reached
    ADMISSION_SLOW,    // requests ended: they did not arrive in time
    ADMISSION_UNREAD,  // connections closed: max_unsent reached
    ADMISSION_LARGE,   // requests refused: the body is larger than the route allows
    ADMISSION_EVENTS,
};

struct admission_figures {
    int connections, clients; // clients: with a connection, those that count
    size_t held, unsent;
    uint64_t events[ADMISSION_EVENTS];
};

void admission_defaults(struct admission_options *o); // 16384 connections, 64 spare, no reserve, 64 and 256 MiB
struct admission *admission_open(const struct admission_options *o); // ends the process without memory
void admission_close(struct admission *a);                           // after all ports
void admission_figures(const struct admission *a, struct admission_figures *f);
void admission_count(struct admission *a, enum admission_event e);

// --- clients

bool admission_is_proxy(const struct admission *a, const struct address *from);
uint64_t admission_client(const struct admission *a, const struct address *from); // from NULL: no IP address
uint64_t admission_client_named(const struct admission *a, struct span text);     // what a proxy says; any text

// --- connections

// A port: evict closes one connection that can be spared, or returns false.
struct admission_port {
    bool (*evict)(void *owner);
    void *owner;
    struct admission_port *next;
};
void admission_join(struct admission *a, struct admission_port *p);
void admission_leave(struct admission *a, struct admission_port *p);

// Takes a place, evicting somebody if needed (`own` is asked first). False: there is none.
bool admission_enter(struct admission *a, struct admission_port *own);
bool admission_enter_reserve(struct admission *a); // one of the operator's places; false: none is left
void admission_exit(struct admission *a);
int admission_places(const struct admission *a);                       // max_connections as it holds
bool admission_evict(struct admission *a, struct admission_port *own); // false: nobody can be spared

// Counts a connection of this client. False: it has too many, and nothing was counted. Always true for client 0.
bool admission_add(struct admission *a, uint64_t client);
void admission_remove(struct admission *a, uint64_t client);

// --- memory

enum admission_size { ADMISSION_BIG, ADMISSION_SMALL, ADMISSION_LOCAL }; // LOCAL: from this machine, and small

// `*held` becomes `bytes`. False, and unchanged: there is no room for more. Less is always possible.
bool admission_hold(struct admission *a, size_t *held, size_t bytes, enum admission_size size);
bool admission_has_room(const struct admission *a, size_t more, enum admission_size size);
// `*unsent` becomes `bytes`, which is always possible. False: all together are beyond max_unsent.
bool admission_owe(struct admission *a, size_t *unsent, size_t bytes);
