// pairs CONNECTIONS PLAYING BYTES_IN BYTES_OUT SECONDS: what the system alone costs a server of two-seat matches.
//
// The floor under the arena: of CONNECTIONS, PLAYING are players in pairs. A player thinks 500 ms, half as long to half
// as long again, and says BYTES_IN; the server hears everybody once in 20 ms and tells both players of a pair BYTES_OUT
// each. No message is looked at, nothing is kept. Prints messages per second and the server's CPU for a message in us.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    READY = 4096,
    ROOM = 65536,
    WHEEL = 1024, // ms
    THINK = 500,  // ms
    TURN_US = 20000,
    WARM_UP = 3, // s
    SYSTEM_BYTES = 262144,
    ASKED = '?',
    TOLD = '.',
};

static int count, playing, bytes_in, bytes_out, seconds;
static int *end; // [i]: of connection i, the server's in the parent, the player's in the child
static char room[ROOM];

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void sleep_until(int64_t us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

// --- connections

static int listen_any(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1, bytes = SYSTEM_BYTES;
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    if (bind(fd, (struct sockaddr *)at, sizeof *at) != 0 || listen(fd, 1024) != 0)
        give_up("listen");
    getsockname(fd, (struct sockaddr *)at, &size);
    return fd;
}

// One after the other, so they are accepted in this order.
static void dial_all(struct sockaddr_in at)
{
    int yes = 1;
    for (int i = 0; i < count; i++) {
        end[i] = socket(AF_INET, SOCK_STREAM, 0);
        setsockopt(end[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (end[i] < 0 || connect(end[i], (struct sockaddr *)&at, sizeof at) != 0)
            give_up("connect");
    }
}

static void accept_all(int listener)
{
    for (int i = 0; i < count; i++) {
        end[i] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (end[i] < 0)
            give_up("accept");
    }
}

static int watch_all(void)
{
    int epoll = epoll_create1(0);
    for (int i = 0; i < count; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        epoll_ctl(epoll, EPOLL_CTL_ADD, end[i], &e);
    }
    return epoll;
}

// --- players

static int slot[WHEEL], *next; // players who answer in a millisecond, from 1; 0: no more

static void schedule_action(int player, int64_t ms, int longest)
{
    int *at = &slot[(ms + 1 + random() % longest) % WHEEL];
    next[player] = *at;
    *at = player + 1;
}

static void read_messages(int player, int64_t ms)
{
    ssize_t n = recv(end[player], room, sizeof room, MSG_DONTWAIT);
    if (n == 0)
        exit(0);
    for (ssize_t i = 0; i < n; i += bytes_out)
        if (room[i] == ASKED)
            schedule_action(player, ms + THINK / 2, THINK);
}

static void answer_due(int64_t ms)
{
    int player = slot[ms % WHEEL];
    slot[ms % WHEEL] = 0;
    for (; player; player = next[player - 1])
        if (send(end[player - 1], room, (size_t)bytes_in, MSG_NOSIGNAL) < 0)
            exit(0);
}

static _Noreturn void run_players(void)
{
    static struct epoll_event ready[READY];
    int epoll = watch_all();
    int64_t begin_us = now_us(), done = 0;
    for (int i = 0; i < playing; i += 2)
        schedule_action(i, 0, THINK);
    for (;;) {
        int64_t ms = (now_us() - begin_us) / 1000;
        int n = epoll_wait(epoll, ready, READY, 0);
        for (int i = 0; i < n; i++)
            read_messages((int)ready[i].data.u32, ms);
        for (; done <= ms; done++)
            answer_due(done);
        sleep_until(begin_us + (ms + 1) * 1000);
    }
}

// --- the server

static int64_t cpu_us(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (int64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 + r.ru_utime.tv_usec + r.ru_stime.tv_usec;
}

static void send_message(int player, char what)
{
    room[0] = what;
    if (send(end[player], room, (size_t)bytes_out, MSG_NOSIGNAL) != bytes_out)
        give_up("send");
}

static int64_t serve_turn(int epoll)
{
    static struct epoll_event ready[READY];
    int n = epoll_wait(epoll, ready, READY, 0);
    for (int i = 0; i < n; i++)
        if (recv(end[ready[i].data.u32], room, sizeof room, 0) <= 0)
            give_up("recv");
    for (int i = 0; i < n; i++) {
        send_message((int)ready[i].data.u32, TOLD);
        send_message((int)ready[i].data.u32 ^ 1, ASKED);
    }
    return 3 * (int64_t)n;
}

static void run_server(void)
{
    int epoll = watch_all();
    int64_t begin_us = now_us(), from_us = begin_us + WARM_UP * 1000000, to_us = from_us + seconds * 1000000;
    int64_t used_us = 0, messages = 0;
    bool warm = false;
    for (int64_t at_us = begin_us; at_us < to_us; at_us += TURN_US) {
        if (!warm && at_us >= from_us) {
            warm = true;
            messages = 0;
            used_us = cpu_us();
        }
        sleep_until(at_us);
        messages += serve_turn(epoll);
    }
    used_us = cpu_us() - used_us;
    printf("%.0f %.2f\n", (double)messages / seconds, messages ? (double)used_us / (double)messages : 0);
}

int main(int argc, char **argv)
{
    int *number[] = {&count, &playing, &bytes_in, &bytes_out, &seconds};
    for (int i = 0; i < 5; i++)
        *number[i] = argc == 6 ? atoi(argv[i + 1]) : 0;
    if (count < 2 || playing < 2 || playing > count || playing % 2 || bytes_in < 1 || bytes_in > ROOM ||
        bytes_out < 1 || bytes_out > ROOM || seconds < 1) {
        fputs("usage: bench.pairs CONNECTIONS PLAYING BYTES_IN BYTES_OUT SECONDS\n", stderr);
        return 2;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    struct sockaddr_in at;
    int listener = listen_any(&at);
    end = calloc((size_t)count, sizeof *end);
    next = calloc((size_t)count, sizeof *next);
    if (!end || !next)
        give_up("memory");
    pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (!child) {
        close(listener);
        dial_all(at);
        run_players();
    }
    accept_all(listener);
    run_server();
    kill(child, SIGTERM);
    return 0;
}
