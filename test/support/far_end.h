// The other end of a connection, in the same thread as the server under test: the loop turns until what a test waits
// for is there, or the time is up. For cmocka tests.
#pragma once

#include "base/span.h"
#include "net/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FAR_ROOM = 1 << 23, FAR_SECONDS = 60, FAR_BEAT_US = 1000 };

struct far_end {
    int fd;
    char *bytes; // all that has come
    size_t size;
    bool ended; // the server has ended its side
    int error;  // of reading or writing
};

// Turns the loop until the condition holds. A beat keeps turns coming where nothing else happens.
#define UNTIL(loop, condition)                                                                                         \
    do {                                                                                                               \
        int64_t until_ = loop_now_us() + (int64_t)FAR_SECONDS * 1000000;                                               \
        while (!(condition)) {                                                                                         \
            if (loop_now_us() > until_)                                                                                \
                fail_msg("never came true: %s", #condition);                                                           \
            far_turn(loop);                                                                                            \
        }                                                                                                              \
    } while (0)

static void far_beat(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what, (void)arg;
}

static void far_turn(struct loop *l)
{
    event_base_once(l->base, -1, EV_TIMEOUT, far_beat, NULL, &(struct timeval){.tv_usec = FAR_BEAT_US});
    loop_turn(l);
}

static inline void far_turns(struct loop *l, int count)
{
    while (count--)
        far_turn(l);
}

static inline struct far_end far_open(uint16_t port)
{
    struct far_end f = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .bytes = malloc(FAR_ROOM)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(f.fd, (struct sockaddr *)&to, sizeof to) != 0)
        f.error = errno;
    fcntl(f.fd, F_SETFL, O_NONBLOCK);
    return f;
}

static inline void far_close(struct far_end *f)
{
    close(f->fd);
    free(f->bytes);
    *f = (struct far_end){.fd = -1};
}

// As a crash would: the server sees a reset.
static inline void far_reset(struct far_end *f)
{
    struct linger now = {.l_onoff = 1};
    setsockopt(f->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    far_close(f);
}

// Takes what is there; returns how much has come so far.
static inline size_t far_look(struct far_end *f)
{
    ssize_t n;
    while (!f->ended && !f->error && (n = recv(f->fd, f->bytes + f->size, FAR_ROOM - f->size, 0)) != -1) {
        f->ended = n == 0;
        f->size += (size_t)n;
    }
    if (!f->ended && errno != EAGAIN)
        f->error = errno;
    return f->size;
}

static inline bool far_has(struct far_end *f, const char *text)
{
    far_look(f);
    return memmem(f->bytes, f->size, text, strlen(text)) != NULL;
}

static inline int far_count(const struct far_end *f, const char *text)
{
    int count = 0;
    const char *at = f->bytes, *end = at + f->size;
    while ((at = memmem(at, (size_t)(end - at), text, strlen(text)))) {
        count++;
        at += strlen(text);
    }
    return count;
}

static inline size_t far_count_byte(const struct far_end *f, char byte)
{
    size_t count = 0;
    for (size_t i = 0; i < f->size; i++)
        count += f->bytes[i] == byte;
    return count;
}

static inline bool far_ended(struct far_end *f)
{
    far_look(f);
    return f->ended || f->error;
}

static inline void far_forget(struct far_end *f)
{
    f->size = 0;
}

// All of it, while the server's loop turns.
static inline void far_say_bytes(struct far_end *f, struct loop *l, struct span s)
{
    while (s.size && !f->error) {
        ssize_t n = send(f->fd, s.at, s.size, MSG_NOSIGNAL);
        if (n >= 0) {
            s.at += n;
            s.size -= (size_t)n;
        } else if (errno == EAGAIN) {
            far_turn(l);
        } else {
            f->error = errno;
        }
    }
}

static inline void far_say(struct far_end *f, struct loop *l, const char *text)
{
    far_say_bytes(f, l, span_of(text));
}
