// Stream connections of one listening socket, TCP or Unix. A connection counts bytes, keeps what is not yet used, and
// writes; what the bytes mean is the handler's.
//
// Replies are reliable and in order: they gather during a turn of the loop and leave together at its end. A slow
// reader's replies wait up to a ceiling, then the connection is cut. Nothing here blocks. Callbacks never run inside a
// call of the handler's: a connection that breaks while being written to is closed at the end of the turn.
//
// Room for newcomers. When there is no place left, connections are closed in this order, the oldest first: those that
// have only to be closed by the peer, those marked CONN_IDLE, those marked CONN_NEW. Settled ones stay. A newcomer for
// whom nobody can be spared is refused with `full`, one whose address has too many connections with `crowded`.
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
    void *(*on_open)(void *owner, struct conn *c); // returns the client that the others get; NULL: closed at once
    // What has come and was not used so far; the first `seen` bytes were shown before. Returns how many are used up.
    size_t (*on_bytes)(void *client, struct span bytes, size_t seen);
    void (*on_drained)(void *client); // all replies have left after conn_hold; may be NULL
    void (*on_close)(void *client);   // the last call
};

struct conn_options {
    const char *host;            // numeric, IPv4 or IPv6; NULL with a path
    const char *path;            // of a Unix socket; NULL with a host
    uint16_t port;               // 0: any free one
    size_t max_waiting_bytes;    // of replies; more cuts the connection
    int max_connections;         // lowered to what the descriptor limit leaves
    struct span full;            // told to whom there is no room for, as far as it goes at once; may be empty
    struct span crowded;         // told to whom has too many connections, likewise
    struct admission *admission; // shared with other ports; NULL: this port has one of its own
    size_t max_held;             // without one: bytes that all peers together may leave incomplete; 0: 64 MiB
    bool for_operator;           // peers on this machine may take places of the operator's reserve (conn_is_reserved)
    struct tls *tls;             // NULL: in the clear (net/tls.h)
    int linger_ms;               // how long a connection that was hung up may take for its last words; 0: 100
};

// NULL when the address cannot be had: errno says why.
struct conn_server *conn_listen(struct loop *l, const struct conn_options *o, const struct conn_handler *h,
                                void *owner);
uint16_t conn_port(const struct conn_server *s);
int conn_max_connections(const struct conn_server *s);
int conn_count(const struct conn_server *s);
struct admission *conn_port_admission(const struct conn_server *s);
void conn_stop(struct conn_server *s);  // accepts nobody any more
void conn_close(struct conn_server *s); // sends what goes at once, closes everything, calls on_close for all

// Connections that we open ourselves, to any number of hosts: they differ from those of a listening socket in their
// birth alone. conn_close ends it. `address` is numeric IPv4; `host` is its name, for TLS. NULL: errno says why; later
// on, a host that does not answer is a connection that ends.
struct conn_server *conn_dialler(struct loop *l, const struct conn_options *o, const struct conn_handler *h);
struct conn *conn_dial(struct conn_server *s, const char *address, uint16_t port, const char *host, void *client);

// conn_reply_now: at once when nothing waits.
void conn_reply(struct conn *c, struct span bytes);
void conn_reply_now(struct conn *c, struct span bytes);

// One of many will be replied to soon: its memory is asked for.
void conn_fetch(const struct conn *c);

bool conn_write(struct conn *c, struct span bytes); // at once and as one write; false when output is waiting
void conn_flush(struct conn *c);                    // replies leave now, as far as the system takes them
size_t conn_waiting(const struct conn *c);          // bytes not yet taken by the system
void conn_hold(struct conn *c);                     // no more on_bytes until all that waits has left
void conn_pause(struct conn *c);                    // no more on_bytes until conn_resume; an end is still noticed
void conn_resume(struct conn *c);                   // what came meanwhile is shown at the end of the turn
void conn_hang_up(struct conn *c);                  // after what waits has left, or a moment; no more on_bytes
void conn_drop(struct conn *c);                     // now, without a word more; on_close at the end of the turn
uint64_t conn_sent(const struct conn *c);           // bytes the system has taken so far
bool conn_is_gone(const struct conn *c);            // asks the socket itself: closed or broken, seen or not
bool conn_is_listening(const struct conn *c);       // not held, not hung up, not broken: on_bytes may go on
void conn_unpause(struct conn *c);                  // as conn_resume, for a connection about to be handed over
void conn_peer(const struct conn *c, char out[64]); // its address, numeric; "local": a Unix socket; "gone": reset
int conn_descriptor(const struct conn *c);          // for what only the socket knows (credentials of a Unix peer)
void conn_set_greeted(struct conn *c);              // CONN_SETTLED
void conn_hand_over(struct conn *c, const struct conn_handler *h, void *client); // from the next bytes on

enum conn_standing { CONN_IDLE, CONN_NEW, CONN_SETTLED }; // at first CONN_NEW
void conn_set_standing(struct conn *c, enum conn_standing standing);
// It sits in the operator's reserve: the handler lets it do nothing else, and keeps a short deadline. Such connections
// make room for each other, the oldest first, until they are CONN_SETTLED.
bool conn_is_reserved(const struct conn *c);
bool conn_is_local(const struct conn *c);   // the peer is on this machine
bool conn_is_proxy(const struct conn *c);   // the peer may speak for others: a proxy, or anybody on this machine
uint64_t conn_client(const struct conn *c); // whom it is counted for (net/admission.h)
// It is used on behalf of this client from now on (a proxy said so). False: that one has too many; nothing has changed.
bool conn_set_client(struct conn *c, uint64_t client);
void conn_reset_client(struct conn *c); // it is counted for its peer's own address again
struct admission *conn_admission(const struct conn *c);
