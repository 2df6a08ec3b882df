// Private to conn.c (connections) and conn_listen.c (listening and dialling).
#pragma once

#include "net/conn.h"

#include <event2/event_struct.h>
#include <event2/listener.h>
#include <sys/queue.h>

enum { CONN_READ_BYTES = 65536 }; // most bytes read from a connection in one turn

struct buffer {
    char *at;
    size_t size, room;
};

// Destroyed only at the end of a turn, for a newcomer that needs its place, or with its server.
struct conn {
    struct conn_server *server;
    const struct conn_handler *handler; // the server's, or the one that took over
    void *client;
    struct event read, write, linger;
    struct buffer in, out; // incomplete input; output that the system did not accept
    size_t sent;           // bytes of `out` already sent
    uint64_t total_sent;   // bytes that the system has accepted
    struct tls_peer *tls;  // NULL: plain text
    size_t drained;        // bytes discarded since the end (DRAIN_BYTES in conn.c)
    int fd;
    // dirty: in the server's list `dirty_conns`. broken: destroyed at the end of the turn, nothing more is sent. shut:
    // on_close follows at the end of the turn. closing: on_close was called, `client` is NULL, output may be sent until
    // `linger`. ended: the peer sends nothing more. held: not read until all output is sent. paused: by the handler.
    // fresh: the handler gets the buffered input at the end of the turn. placed: it has a place of admission, as all
    // accepted ones.
    bool dirty, broken, closing, shut, ended, held, paused, fresh, local, proxy, placed;
    uint8_t standing;          // enum standing
    uint64_t peer_client;      // client number of the peer itself
    uint64_t counted_client;   // client number that it is counted for: behind a proxy, another one
    size_t input_held, unsent; // sizes of `in` and `out` as reported to admission
    uint64_t sent_when_listed; // total_sent when it was last moved to the end of `unread`
    // Links of the lists of conn_server; same_standing: connections with its standing.
    TAILQ_ENTRY(conn) all, same_standing, unread, dirty_link;
};

TAILQ_HEAD(conns, conn);

// Which connections are closed to make room, in this order; reserved ones only for each other.
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
    struct conns all;
    struct conns dirty_conns;         // connections that have something to do at the end of the turn
    struct conns standing[STANDINGS]; // each oldest first
    struct conns unread;              // connections whose output the system does not accept, longest stuck first
    // All input is received here, and is gone at the next read. Most handlers use all of it at once, so most
    // connections need no buffer of their own.
    char scratch[CONN_READ_BYTES];
};

// Returns NULL without memory; then the descriptor stays the caller's. `host`: the host that was dialled.
struct conn *conn_make(struct conn_server *s, int fd, const char *host, enum standing standing);
void conn_destroy(struct conn *c);
void conn_break_off(struct conn *c); // closes it at the end of this turn
void conn_send_waiting(struct conn *c);
void conn_turn_end(void *server);
