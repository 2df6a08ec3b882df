// watch read PORT PATH CONNECTIONS: spectators. Opens so many WebSocket connections to 127.0.0.1:PORT, says "ready",
// reads until all have ended, and says how many bytes came. watch floor CONNECTIONS MESSAGES BYTES: what the system
// alone costs a server that tells CONNECTIONS readers of MESSAGES events of BYTES each, as one write to each. Prints
// the writer's CPU for a message in us.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READY = 1024, ROOM = 65536 };

static char room[ROOM];

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void allow_files(int count)
{
    struct rlimit files = {(rlim_t)count + 64, (rlim_t)count + 64};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        give_up("files");
}

static int connect_server(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0)
        give_up("connect");
    return fd;
}

// Reads until all have ended; how many bytes.
static uint64_t read_all(int poll, int open)
{
    struct epoll_event ready[READY];
    uint64_t bytes = 0;
    while (open > 0) {
        int n = epoll_wait(poll, ready, READY, -1);
        for (int i = 0; i < n; i++) {
            ssize_t got = read(ready[i].data.fd, room, sizeof room);
            if (got > 0) {
                bytes += (uint64_t)got;
                continue;
            }
            close(ready[i].data.fd);
            open--;
        }
    }
    return bytes;
}

static void watch_fd(int poll, int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &e);
}

static void run_readers(uint16_t port, const char *path, int count)
{
    char request[1024];
    int poll = epoll_create1(0);
    int size = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                        path);
    allow_files(count);
    for (int i = 0; i < count; i++) {
        int fd = connect_server(port);
        if (write(fd, request, (size_t)size) != size || read(fd, room, sizeof room) < 12 ||
            memcmp(room + 9, "101", 3) != 0)
            give_up("upgrade");
        watch_fd(poll, fd);
    }
    printf("ready\n");
    fflush(stdout);
    printf("%llu\n", (unsigned long long)read_all(poll, count));
}

// --- the floor

static double cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int listen_any(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1024) != 0)
        give_up("listen");
    getsockname(fd, (struct sockaddr *)&at, &size);
    *port = ntohs(at.sin_port);
    return fd;
}

static void run_floor(int count, int messages, int bytes)
{
    uint16_t port;
    int server = listen_any(&port), *end = calloc((size_t)count, sizeof *end), yes = 1;
    allow_files(count);
    pid_t reader = fork();
    if (reader == 0) {
        int poll = epoll_create1(0);
        close(server);
        for (int i = 0; i < count; i++)
            watch_fd(poll, connect_server(port));
        read_all(poll, count);
        exit(0);
    }
    for (int i = 0; i < count; i++) {
        end[i] = accept(server, NULL, NULL);
        setsockopt(end[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    double before = cpu_us();
    for (int m = 0; m < messages; m++) {
        for (int i = 0; i < count; i++)
            if (write(end[i], room, (size_t)bytes) != bytes)
                give_up("write");
        usleep(100000); // an event is not followed by the next at once
    }
    printf("%.3f\n", (cpu_us() - before) / ((double)messages * count));
    for (int i = 0; i < count; i++)
        close(end[i]);
    waitpid(reader, NULL, 0);
    free(end);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc == 5 && strcmp(argv[1], "read") == 0)
        run_readers((uint16_t)atoi(argv[2]), argv[3], atoi(argv[4]));
    else if (argc == 5 && strcmp(argv[1], "floor") == 0)
        run_floor(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]) < ROOM ? atoi(argv[4]) : ROOM);
    else
        return fprintf(stderr, "usage: watch read PORT PATH CONNECTIONS | floor CONNECTIONS MESSAGES BYTES\n"), 2;
    return 0;
}
