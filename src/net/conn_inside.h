// A connection and its port, seen by conn.c (connections) and conn_port.c (listening and dialling) alone.
#pragma once

#include "net/conn.h"

#include <event2/event_struct.h>
#include <event2/listener.h>
#include <sys/queue.h>

enum { CONN_READ_BYTES = 65536 }; // per connection and turn

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
    bool dirty, broken, closing, shut, ended, held, paused, fresh, local, proxy, placed;
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
    char scratch[CONN_READ_BYTES];
};

// NULL without memory; the descriptor stays the caller's then. `host` is whom we dialled.
struct conn *conn_make(struct conn_server *s, int fd, const char *host, enum standing standing);
void conn_destroy(struct conn *c);
void conn_break_off(struct conn *c); // it ends with this turn
void conn_send_waiting(struct conn *c);
void conn_turn_end(void *server);
