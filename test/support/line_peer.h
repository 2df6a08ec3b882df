// The other end of a client that blocks, in the same thread: what it is to read is written before it asks. For cmocka
// tests.
#pragma once

#include "base/span.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct line_peer {
    int listener, fd;
    uint16_t port;                                        // of TCP
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; // of a Unix socket
};

// Listens; the client may connect at once, before peer_accept.
static inline struct line_peer peer_listen(void)
{
    struct line_peer p = {.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .fd = -1};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    assert_int_equal(bind(p.listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(p.listener, 1), 0);
    assert_int_equal(getsockname(p.listener, (struct sockaddr *)&at, &size), 0);
    p.port = ntohs(at.sin_port);
    return p;
}

static inline struct line_peer peer_listen_unix(void)
{
    struct line_peer p = {.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), .fd = -1};
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(p.path, sizeof p.path, "/tmp/agon-peer-%d", getpid());
    memcpy(at.sun_path, p.path, sizeof p.path);
    unlink(p.path);
    assert_int_equal(bind(p.listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(p.listener, 1), 0);
    return p;
}

static inline void peer_accept(struct line_peer *p)
{
    p->fd = accept(p->listener, NULL, NULL);
    assert_true(p->fd >= 0);
}

static inline void peer_send(struct line_peer *p, const char *text)
{
    assert_int_equal(send(p->fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

// What has come so far, as text.
static inline const char *peer_heard(struct line_peer *p, char *out, size_t room)
{
    ssize_t n = recv(p->fd, out, room - 1, MSG_DONTWAIT);
    out[n > 0 ? n : 0] = 0;
    return out;
}

static inline void peer_hang_up(struct line_peer *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

static inline void peer_close(struct line_peer *p)
{
    peer_hang_up(p);
    close(p->listener);
    if (p->path[0])
        unlink(p->path);
}
