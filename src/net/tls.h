// TLS on connections: OpenSSL's sessions stay in here.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tls;      // our certificate and its key, or whom we trust
struct tls_peer; // one connection

// NULL, and `why` says what would be right. The files are PEM; the first may hold the whole chain.
struct tls *tls_open_server(const char *certificate, const char *key, char *why, size_t room);
// Loads the files again, for connections from now on. False: `why` says what would be right, and nothing has changed.
bool tls_reload(struct tls *t, const char *certificate, const char *key, char *why, size_t room);
struct tls *tls_open_client(bool trust_anyone, char *why, size_t room); // else: whom the system trusts
void tls_close(struct tls *t);

struct tls_peer *tls_begin(struct tls *t, int fd, const char *host); // host: whom we dialled, NULL for a server
void tls_bye(struct tls_peer *p);                                    // tells the peer that nothing more comes
void tls_end(struct tls_peer *p);

// As recv and send: bytes, 0 at the end, or -1 with errno; EAGAIN: the other direction may have to move first.
ssize_t tls_recv(struct tls_peer *p, void *out, size_t room);
ssize_t tls_send(struct tls_peer *p, const void *bytes, size_t size);
bool tls_waits_to_read(const struct tls_peer *p);   // the last call could go on once bytes have come
bool tls_waits_to_write(const struct tls_peer *p);  // or once bytes can leave
bool tls_has_more(const struct tls_peer *p);        // bytes have come that the socket no longer shows
const char *tls_distrust(const struct tls_peer *p); // why the peer's certificate was refused; NULL: it was not
