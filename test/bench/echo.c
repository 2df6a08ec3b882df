// The floor: a bare epoll server that sends back whatever comes. What any server on this machine costs at least.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READY = 256, ROOM = 65536 };

static int listen_any(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1024) != 0)
        return -1;
    getsockname(fd, (struct sockaddr *)&at, &size);
    printf("listening tcp://127.0.0.1:%u\n", ntohs(at.sin_port));
    fflush(stdout);
    return fd;
}

static void watch_fd(int epoll, int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

static void send_back(int fd)
{
    static char bytes[ROOM];
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);
    if (n <= 0 || send(fd, bytes, (size_t)n, MSG_NOSIGNAL) != n)
        close(fd);
}

int main(void)
{
    struct epoll_event ready[READY];
    int epoll = epoll_create1(0), listener = listen_any();
    if (listener < 0)
        return 1;
    watch_fd(epoll, listener);
    for (;;) {
        int count = epoll_wait(epoll, ready, READY, -1);
        for (int i = 0; i < count; i++) {
            if (ready[i].data.fd != listener) {
                send_back(ready[i].data.fd);
                continue;
            }
            for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;)
                watch_fd(epoll, fd);
        }
    }
}
