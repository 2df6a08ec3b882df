// Stream connections of a listening socket, TCP or Unix. A connection buffers received bytes until they are used, and
// writes; the handler knows what the bytes mean.
//
// Replies are reliable and in order: they are collected during a turn of the loop and sent together at its end. If a
// peer reads slowly, its replies wait up to a limit; then the connection is closed. Nothing blocks. Callbacks are never
// called inside a call of the handler: a connection that breaks while being written to is closed at the end of the
// turn.
//
// Room for newcomers. If no place is left, connections are closed in this order, oldest first: those that only wait for
// the peer to close, those marked CONN_IDLE, those marked CONN_NEW. Settled ones stay. If none can be closed, a
// newcomer is refused with `full`; one whose address has too many connections, with `crowded`.
//
// All functions are called on the loop's thread. A conn is valid until its on_close.
#pragma once

#include "base/span.h"
#include "net/admission.h"
#include "net/loop.h"

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct conn_server;
struct tls;

struct conn_handler {
    // Returns the client for the other callbacks; NULL: closes the connection.
    void *(*on_open)(void *owner, struct conn *c);
    // Received bytes that are not used yet; the first `seen` of them were passed before. Returns how many are used up.
    size_t (*on_bytes)(void *client, struct span bytes, size_t seen);
    void (*on_drained)(void *client); // after conn_hold: all replies were sent; may be NULL
    void (*on_close)(void *client);   // the last call
};

struct conn_options {
    const char *host;            // numeric IPv4 or IPv6; NULL with a path
    const char *path;            // of a Unix socket; NULL with a host
    uint16_t port;               // 0: any free one
    size_t max_waiting_bytes;    // limit of unsent replies; beyond it the connection is closed
    int max_connections;         // reduced to what the descriptor limit allows
    struct span full;            // sent to a refused newcomer, as much as can be sent at once; may be empty
    struct span crowded;         // likewise, to a client with too many connections
    struct admission *admission; // shared with other ports; NULL: this port has its own
    size_t max_held;             // without `admission`: limit of incomplete input of all peers together; 0: 64 MiB
    bool for_operator;           // peers on this machine may use the operator's reserve (conn_is_reserved)
    struct tls *tls;             // NULL: plain text (net/tls.h)
    int linger_ms;               // after conn_hang_up: how long the last bytes may take to be sent; 0: 100
};

// Returns NULL with errno set if it cannot listen on the address.
struct conn_server *conn_listen(struct loop *l, const struct conn_options *o, const struct conn_handler *h,
                                void *owner);
uint16_t conn_port(const struct conn_server *s);
int conn_max_connections(const struct conn_server *s);
int conn_count(const struct conn_server *s);
struct admission *conn_server_admission(const struct conn_server *s);
void conn_stop(struct conn_server *s);  // accepts no new connections
void conn_close(struct conn_server *s); // sends what can be sent at once, closes everything, calls on_close for all

// Outgoing connections, to any number of hosts. Apart from how they begin they are like accepted ones; conn_close
// closes them. `address` is numeric IPv4; `host` is its name, for TLS. conn_dial returns NULL with errno set; if the
// host does not answer, the connection is closed later.
struct conn_server *conn_dialler(struct loop *l, const struct conn_options *o, const struct conn_handler *h);
struct conn *conn_dial(struct conn_server *s, const char *address, uint16_t port, const char *host, void *client);

// Sends a reply. conn_reply_now sends it at once if nothing else is waiting.
void conn_reply(struct conn *c, struct span bytes);
void conn_reply_now(struct conn *c, struct span bytes);

// Prefetches the memory that a reply to this connection will need.
void conn_prefetch(const struct conn *c);

bool conn_write(struct conn *c, struct span bytes); // at once and as one write; false if output is waiting
void conn_flush(struct conn *c);                    // sends replies now, as far as the system accepts them
size_t conn_waiting(const struct conn *c);          // bytes not yet accepted by the system
void conn_hold(struct conn *c);                     // no on_bytes until everything waiting was sent
void conn_pause(struct conn *c);   // no on_bytes until conn_resume; the end of the connection is still noticed
void conn_resume(struct conn *c);  // passes what was received meanwhile at the end of the turn
void conn_hang_up(struct conn *c); // closes after everything waiting was sent, or after linger_ms; no more on_bytes
void conn_drop(struct conn *c);    // closes at once; on_close follows at the end of the turn
uint64_t conn_sent(const struct conn *c);           // bytes that the system has accepted so far
bool conn_is_disconnected(const struct conn *c);    // asks the socket itself whether it is closed or broken
bool conn_is_listening(const struct conn *c);       // not held, hung up or broken: on_bytes may go on
void conn_unpause(struct conn *c);                  // as conn_resume, for a connection that is about to be handed over
void conn_peer(const struct conn *c, char out[64]); // numeric address; "local": a Unix socket; "gone": reset
int conn_descriptor(const struct conn *c);          // for what only the socket knows (credentials of a Unix peer)
void conn_set_greeted(struct conn *c);              // CONN_SETTLED
// The new handler gets the bytes from here on.
void conn_hand_over(struct conn *c, const struct conn_handler *h, void *client);

enum conn_standing { CONN_IDLE, CONN_NEW, CONN_SETTLED }; // initially CONN_NEW
void conn_set_standing(struct conn *c, enum conn_standing standing);
// It is in the operator's reserve: the handler allows nothing else on it, and keeps a short deadline. Such connections
// are closed for each other, oldest first, until they are CONN_SETTLED.
bool conn_is_reserved(const struct conn *c);
bool conn_is_local(const struct conn *c);   // the peer is on this machine
bool conn_is_proxy(const struct conn *c);   // the peer may name another client: a proxy, or any peer on this machine
uint64_t conn_client(const struct conn *c); // the client that it is counted for (net/admission.h)
// Counts it for another client from now on, as a proxy has said. Returns false if that one has too many connections;
// then nothing has changed.
bool conn_set_client(struct conn *c, uint64_t client);
void conn_reset_client(struct conn *c); // counts it for its peer's own address again
struct admission *conn_admission(const struct conn *c);
