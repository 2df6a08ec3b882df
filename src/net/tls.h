// TLS on connections. OpenSSL's sessions are not visible outside this room.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tls;      // our certificate and key, or the certificates that we trust
struct tls_peer; // one connection

// Returns NULL and sets `why` to what would be right. The files are PEM; the first may have the whole chain.
struct tls *tls_open_server(const char *certificate, const char *key, char *why, size_t room);
// Reads the files again, for new connections. Returns false, sets `why`, and changes nothing if that fails.
bool tls_reload(struct tls *t, const char *certificate, const char *key, char *why, size_t room);
// trust_anyone false: verifies against the system's certificates.
struct tls *tls_open_client(bool trust_anyone, char *why, size_t room);
void tls_close(struct tls *t);

// Host: the host that was dialled; NULL for a server.
struct tls_peer *tls_begin(struct tls *t, int fd, const char *host);
void tls_bye(struct tls_peer *p); // tells the peer that nothing more will be sent
void tls_end(struct tls_peer *p);

// As recv and send: number of bytes, 0 at the end, or -1 with errno. EAGAIN: perhaps the other direction has to proceed
// first, or what arrived was for TLS itself (on sockets that block, too).
ssize_t tls_recv(struct tls_peer *p, void *out, size_t room);
ssize_t tls_send(struct tls_peer *p, const void *bytes, size_t size);
bool tls_waits_to_read(const struct tls_peer *p);   // the last call can continue when bytes have arrived
bool tls_waits_to_write(const struct tls_peer *p);  // or when bytes can be sent
bool tls_has_more(const struct tls_peer *p);        // bytes were received that the socket no longer signals
const char *tls_distrust(const struct tls_peer *p); // why the peer's certificate was refused; NULL: it was not
