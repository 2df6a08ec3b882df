// fixed SIZE: a bare epoll server that answers every SIZE bytes with the same card. What a round trip costs at least.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READY = 256, ROOM = 65536, MAX_FDS = 65536 };

static size_t got[MAX_FDS];

static void send_reply(int fd, size_t size)
{
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n"
                                "{\"rank\":\"Seven\",\"suit\":\"Clubs\"}";
    static char bytes[ROOM];
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);
    if (n <= 0) {
        close(fd);
        return;
    }
    got[fd] += (size_t)n;
    if (memmem(bytes, (size_t)n, "/api/sessions HTTP", 18)) { // the greeting of the load
        static const char made[] = "HTTP/1.1 201 Created\r\nContent-Length: 18\r\n\r\n{\"sessionId\":\"xx\"}";
        got[fd] = 0;
        if (send(fd, made, sizeof made - 1, MSG_NOSIGNAL) < 0)
            close(fd);
    }
    for (; got[fd] >= size; got[fd] -= size)
        if (send(fd, reply, sizeof reply - 1, MSG_NOSIGNAL) < 0)
            close(fd);
}

int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    struct epoll_event ready[READY], e = {.events = EPOLLIN};
    socklen_t length = sizeof at;
    int epoll = epoll_create1(0), listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
    size_t size = argc > 1 ? (size_t)atol(argv[1]) : 0;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!size || bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 1024) != 0)
        return 1;
    getsockname(listener, (struct sockaddr *)&at, &length);
    printf("listening http://127.0.0.1:%u\n", ntohs(at.sin_port));
    fflush(stdout);
    e.data.fd = listener;
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
    for (;;) {
        int count = epoll_wait(epoll, ready, READY, -1);
        for (int i = 0; i < count; i++) {
            if (ready[i].data.fd != listener) {
                send_reply(ready[i].data.fd, size);
                continue;
            }
            for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0 && fd < MAX_FDS;) {
                got[fd] = 0;
                e.data.fd = fd;
                epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
            }
        }
    }
}
