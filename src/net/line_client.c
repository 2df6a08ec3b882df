#include "net/line_client.h"

#include "net/loop.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 65536, MAX_LINE = 1 << 20 }; // a peer that sends no line end must not fill the memory

// Waits for the socket. Returns false if the time is up first.
static bool wait_for_socket(int fd, short what, int64_t until_ms)
{
    for (;;) {
        int64_t left = until_ms - loop_now_ms();
        struct pollfd p = {.fd = fd, .events = what};
        int n = poll(&p, 1, left > 0 ? (int)left : 0);
        if (n > 0)
            return true;
        if (n == 0 || errno != EINTR)
            return false;
    }
}

static int connect_to(const struct addrinfo *a, int timeout_ms, int *fd)
{
    *fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
    if (*fd < 0)
        return errno;
    int err = connect(*fd, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
    if (err == EINPROGRESS) {
        socklen_t size = sizeof err;
        err = ETIMEDOUT;
        if (wait_for_socket(*fd, POLLOUT, loop_now_ms() + timeout_ms))
            getsockopt(*fd, SOL_SOCKET, SO_ERROR, &err, &size);
    }
    if (err)
        close(*fd);
    return err;
}

int line_client_open(struct line_client *c, const char *host, uint16_t port, int timeout_ms)
{
    char service[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    *c = (struct line_client){.fd = -1, .max_line = MAX_LINE};
    snprintf(service, sizeof service, "%u", port);
    if (getaddrinfo(host, service, &hints, &list) != 0)
        return EHOSTUNREACH;
    int err = EHOSTUNREACH;
    for (struct addrinfo *a = list; a && err; a = a->ai_next)
        err = connect_to(a, timeout_ms, &c->fd);
    freeaddrinfo(list);
    if (err) {
        c->fd = -1;
        return err;
    }
    int yes = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return 0;
}

void line_client_close(struct line_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    free(c->in);
    *c = (struct line_client){.fd = -1};
}

void line_client_reset(struct line_client *c)
{
    // With a time of 0 close sends a reset: `agon verify` checks what a server does then.
    struct linger now = {.l_onoff = 1};
    if (c->fd >= 0)
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    line_client_close(c);
}

bool line_client_send(struct line_client *c, struct span bytes)
{
    int64_t until = loop_now_ms() + 10000;
    while (bytes.size && c->fd >= 0) {
        ssize_t n = send(c->fd, bytes.at, bytes.size, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_for_socket(c->fd, POLLOUT, until))
                return false;
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes.at += n;
        bytes.size -= (size_t)n;
    }
    return c->fd >= 0;
}

static bool next_line(struct line_client *c, struct span *line)
{
    const char *end = c->size ? memchr(c->in + c->start, '\n', c->size) : NULL;
    if (!end)
        return false;
    *line = (struct span){c->in + c->start, (size_t)(end - c->in) - c->start};
    // The bytes stay until the next read, so the span is valid until then.
    c->start += line->size + 1;
    c->size -= line->size + 1;
    if (line->size && line->at[line->size - 1] == '\r')
        line->size--;
    return true;
}

static bool make_room(struct line_client *c)
{
    if (c->start) {
        memmove(c->in, c->in + c->start, c->size);
        c->start = 0;
    }
    if (c->room - c->size >= READ_BYTES)
        return true;
    if (c->size > c->max_line)
        return false;
    char *grown = realloc(c->in, c->size + 2 * READ_BYTES);
    if (!grown)
        return false;
    c->in = grown;
    c->room = c->size + 2 * READ_BYTES;
    return true;
}

int line_client_read(struct line_client *c, struct span *line, int timeout_ms)
{
    int64_t until = loop_now_ms() + timeout_ms;
    while (c->fd >= 0) {
        if (next_line(c, line))
            return line->size <= c->max_line ? LINE_READ : LINE_CLOSED;
        if (!make_room(c))
            return LINE_CLOSED;
        ssize_t n = recv(c->fd, c->in + c->size, READ_BYTES, 0);
        if (n > 0)
            c->size += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return LINE_CLOSED;
        else if (!wait_for_socket(c->fd, POLLIN, until))
            return LINE_LATE;
    }
    return LINE_CLOSED;
}

bool line_client_split(const char *address, char host[256], uint16_t *port)
{
    const char *colon = strrchr(address, ':'), *digits = colon ? colon + 1 : address;
    size_t size = colon ? (size_t)(colon - address) : 0;
    char *end;
    errno = 0;
    unsigned long number = strtoul(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || errno || number < 1 || number > 65535 || size >= 256)
        return false;
    *port = (uint16_t)number;
    memcpy(host, address, size);
    host[size] = 0;
    if (size == 0)
        memcpy(host, "127.0.0.1", sizeof "127.0.0.1");
    return true;
}
