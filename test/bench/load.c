// load KIND PORT PID CONNECTIONS DEPTH SECONDS: talks to a server and tells, as one JSON object, how many answers came,
// how long it took and how much CPU time the process PID used meanwhile.
//
//   echo        lines that come back          lockstep   commands on tables of their own, acknowledged
//   http, ws    a small JSON object, echoed   observed   the same, each with its observation
//   idle        greeted observers, silent     watch      observers of one game in real time
//
// Each connection keeps DEPTH requests under way. Whatever ends an answer ends no other one, so answers are counted by
// that byte.
#include "process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 20, READY = 256, REQUEST = 512, WARM_UP_MS = 200, PLACES = 10 };

struct caller {
    int fd, number;
    uint64_t seq, ends; // ends of answers seen, beyond whole answers
    size_t waiting;     // bytes not yet sent
    char *out;
};

struct kind {
    const char *name;
    char end;     // the byte at the end of each answer...
    int per;      // ...and how many of them an answer has
    int greeting; // ends of the answer to hello
    size_t (*hello)(const struct caller *c, char *out);
    size_t (*ask)(struct caller *c, char *out); // NULL: silent
};

static uint16_t port;
static pid_t server;
static bool stop;
static uint64_t answers, errors;

// --- what is said

static size_t hello(const struct caller *c, char *out, const char *role, const char *stream, const char *more)
{
    (void)c;
    return (size_t)snprintf(out, REQUEST,
                            "{\"type\":\"hello\",\"seq\":1,\"ts\":0,\"client\":{\"name\":\"load\",\"version\":\"1\"},"
                            "\"protocol_version\":\"2.1.0\",\"formats\":[\"json\"],\"requested\":{\"role\":\"%s\","
                            "\"stream_observations\":%s,\"command_mode\":\"place\"%s}}\n",
                            role, stream, more);
}

static size_t hello_table(const struct caller *c, char *out, const char *stream)
{
    char more[64];
    snprintf(more, sizeof more, ",\"clock\":\"lockstep\",\"table\":\"t%d\"", c->number);
    return hello(c, out, "auto", stream, more);
}

static size_t hello_lockstep(const struct caller *c, char *out)
{
    return hello_table(c, out, "false");
}

static size_t hello_observed(const struct caller *c, char *out)
{
    return hello_table(c, out, "true");
}

static size_t hello_idle(const struct caller *c, char *out)
{
    return hello(c, out, "observer", "false", "");
}

static size_t hello_watch(const struct caller *c, char *out) // the first one plays, so that time passes
{
    return hello(c, out, c->number ? "observer" : "auto", "true", "");
}

static size_t hello_ws(const struct caller *c, char *out)
{
    (void)c;
    return (size_t)snprintf(out, REQUEST,
                            "GET / HTTP/1.1\r\nHost: load\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
}

// Ten pieces side by side, then anew: no game ends by itself.
static size_t ask_lockstep(struct caller *c, char *out)
{
    uint64_t seq = ++c->seq + 1, turn = seq % (PLACES + 1);
    if (turn == 0)
        return (size_t)snprintf(out, REQUEST,
                                "{\"type\":\"command\",\"seq\":%ju,\"ts\":0,\"mode\":\"action\",\"actions\":"
                                "[\"restart\"]}\n",
                                (uintmax_t)seq);
    return (size_t)snprintf(out, REQUEST,
                            "{\"type\":\"command\",\"seq\":%ju,\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":%d,"
                            "\"rotation\":\"north\",\"useHold\":false}}\n",
                            (uintmax_t)seq, (int)(turn * 3 % 7));
}

static size_t ask_body(struct caller *c, char *out)
{
    return (size_t)snprintf(out, REQUEST, "{\"seq\":%06ju,\"move\":\"left\",\"comment\":\"a small body\"}",
                            (uintmax_t)(c->seq++ % 1000000));
}

static size_t ask_http(struct caller *c, char *out)
{
    char body[128];
    size_t size = ask_body(c, body);
    return (size_t)snprintf(out, REQUEST,
                            "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            "Content-Length: %zu\r\n\r\n%.*s",
                            size, (int)size, body);
}

static size_t ask_ws(struct caller *c, char *out) // masked by zeros
{
    size_t size = ask_body(c, out + 6);
    memcpy(out, "\x81\0\0\0\0\0", 6);
    out[1] = (char)(0x80 | size);
    return 6 + size;
}

static const struct kind kinds[] = {
    {"echo", '\n', 1, 0, NULL, ask_lockstep},
    {"lockstep", '\n', 1, 1, hello_lockstep, ask_lockstep},
    {"observed", '\n', 2, 2, hello_observed, ask_lockstep},
    {"http", '}', 1, 0, NULL, ask_http},
    {"ws", '}', 1, 0, hello_ws, ask_ws},
    {"idle", '\n', 1, 1, hello_idle, NULL},
    {"watch", '\n', 1, 2, hello_watch, NULL},
    {0},
};

// --- connections

static void die(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void open_caller(struct caller *c, int number, int depth)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int yes = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *c = (struct caller){
        .number = number, .fd = socket(AF_INET, SOCK_STREAM, 0), .out = malloc(REQUEST * (size_t)depth)};
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void flush_requests(struct caller *c)
{
    while (c->waiting) {
        ssize_t n = send(c->fd, c->out, c->waiting, MSG_NOSIGNAL);
        if (n < 0)
            die("send");
        c->waiting -= (size_t)n;
        memmove(c->out, c->out + n, c->waiting);
    }
}

static void send_requests(struct caller *c, const struct kind *k, int count)
{
    for (int i = 0; i < count; i++)
        c->waiting += k->ask(c, c->out + c->waiting);
    flush_requests(c);
}

// Answers in what came; each whole one is followed by the next request.
static void take_replies(struct caller *c, const struct kind *k, const char *bytes, size_t size)
{
    for (const char *at = bytes, *end = bytes + size; (at = memchr(at, k->end, (size_t)(end - at))); at++)
        c->ends++;
    uint64_t whole = c->ends / (unsigned)k->per;
    c->ends %= (unsigned)k->per;
    answers += whole;
    errors += memmem(bytes, size, "\"type\":\"error\"", 14) != NULL;
    if (whole && k->ask && !stop)
        send_requests(c, k, (int)whole);
}

static void send_hello(struct caller *c, const struct kind *k)
{
    char bytes[8192];
    int ends = 0;
    if (!k->hello)
        return;
    c->waiting = k->hello(c, c->out);
    flush_requests(c);
    do {
        ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);
        if (n <= 0)
            die("greeting");
        for (ssize_t i = 0; i < n; i++)
            ends += bytes[i] == '\n';
        if (k->greeting == 0 && memmem(bytes, (size_t)n, "\r\n\r\n", 4))
            return;
    } while (ends < k->greeting || k->greeting == 0);
}

// --- measuring

static int64_t ns_of(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        die("the server's clock");
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void drive_connections(int epoll, const struct kind *k, int64_t until)
{
    static char bytes[ROOM];
    struct epoll_event ready[READY];
    for (int64_t now; (now = ns_of(CLOCK_MONOTONIC)) < until;) {
        int count = epoll_wait(epoll, ready, READY, (int)((until - now) / 1000000) + 1);
        for (int i = 0; i < count; i++) {
            struct caller *c = ready[i].data.ptr;
            ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
            if (n == 0)
                die("the server closed");
            if (n > 0)
                take_replies(c, k, bytes, (size_t)n);
        }
    }
}

static void run_load(const struct kind *k, int connections, int depth, double seconds)
{
    struct caller *callers = calloc((size_t)connections, sizeof *callers);
    int epoll = epoll_create1(0);
    clockid_t cpu;
    if (clock_getcpuclockid(server, &cpu) != 0)
        die("the server's clock");
    for (int i = 0; i < connections; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &callers[i]};
        open_caller(&callers[i], i, depth);
        send_hello(&callers[i], k);
        epoll_ctl(epoll, EPOLL_CTL_ADD, callers[i].fd, &e);
    }
    for (int i = 0; i < connections && k->ask; i++)
        send_requests(&callers[i], k, depth);
    drive_connections(epoll, k, ns_of(CLOCK_MONOTONIC) + WARM_UP_MS * 1000000LL);
    uint64_t before = answers;
    int64_t wall = ns_of(CLOCK_MONOTONIC), used = ns_of(cpu);
    drive_connections(epoll, k, wall + (int64_t)(seconds * 1e9));
    used = ns_of(cpu) - used;
    wall = ns_of(CLOCK_MONOTONIC) - wall;
    printf("{\"answers\":%ju,\"errors\":%ju,\"wall_ns\":%jd,\"cpu_ns\":%jd,\"resident_kib\":%ld}\n",
           (uintmax_t)(answers - before), (uintmax_t)errors, (intmax_t)wall, (intmax_t)used, resident_kib(server));
}

static double read_number(const char *word)
{
    char *end;
    double number = strtod(word, &end);
    if (*word && !*end)
        return number;
    fprintf(stderr, "load: '%s' is no number\n", word);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: load KIND PORT PID CONNECTIONS DEPTH SECONDS\n");
        return 2;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const struct kind *k = kinds;
    while (k->name && strcmp(k->name, argv[1]) != 0)
        k++;
    if (!k->name) {
        fprintf(stderr, "load: no kind '%s'\n", argv[1]);
        return 2;
    }
    port = (uint16_t)read_number(argv[2]);
    server = (pid_t)read_number(argv[3]);
    run_load(k, (int)read_number(argv[4]), (int)read_number(argv[5]), read_number(argv[6]));
    return 0;
}
