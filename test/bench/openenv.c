// bench.openenv PORT PATH CONNECTIONS SECONDS [BODY]: steps per second of an OpenEnv server on this machine, over so
// many WebSockets, each with one request under way. Each step sends one of the legal actions that the last reply
// listed; at the end of an episode comes a reset with the next seed. BODY is the data of every step instead (an echo
// server).
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 20, MAX_PEERS = 4096 };

struct peer {
    int fd;
    size_t size;
    char *in;
    uint64_t seed;
};

static struct {
    const char *path, *body;
    uint64_t steps, resets, bytes, errors, dice;
} all;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void send_all(int fd, const char *at, size_t size)
{
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            die("write");
        if (n > 0)
            at += n, size -= (size_t)n;
    }
}

// A masked text frame; the mask is 0, so that the bytes stay as they are.
static void send_text(int fd, const char *text, size_t size)
{
    static char frame[ROOM + 16];
    size_t head = 2;
    frame[0] = (char)0x81;
    if (size < 126) {
        frame[1] = (char)(0x80 | size);
    } else {
        frame[1] = (char)(0x80 | 126);
        frame[2] = (char)(size >> 8);
        frame[3] = (char)size;
        head = 4;
    }
    memset(frame + head, 0, 4);
    memcpy(frame + head + 4, text, size);
    send_all(fd, frame, head + 4 + size);
}

static void send_reset(struct peer *p)
{
    char text[96];
    int size =
        all.body ? snprintf(text, sizeof text, "{\"type\":\"reset\",\"data\":{}}")
                 : snprintf(text, sizeof text, "{\"type\":\"reset\",\"data\":{\"seed\":%llu,\"opponents\":\"random\"}}",
                            (unsigned long long)p->seed++);
    all.resets++;
    send_text(p->fd, text, (size_t)size);
}

static uint32_t draw(uint32_t n)
{
    all.dice = all.dice * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((all.dice >> 33) % n);
}

// One object of the list that begins here, each with equal chance; NULL: it is empty.
static const char *pick_object(const char *at, size_t *size)
{
    const char *picked = NULL;
    for (uint32_t seen = 1; *at == '{' || *at == ','; seen++) {
        at += *at == ',';
        int depth = 0;
        const char *begin = at;
        do
            depth += (*at == '{') - (*at == '}');
        while (at++, depth);
        if (draw(seen) == 0) {
            picked = begin;
            *size = (size_t)(at - begin);
        }
    }
    return picked;
}

static void send_step(struct peer *p, const char *reply)
{
    static char text[4096];
    static const char front[] = "{\"type\":\"step\",\"data\":";
    size_t size = 0;
    const char *data = all.body, *list = all.body ? NULL : strstr(reply, "\"legal\":[");
    if (list) {
        data = pick_object(list + 9, &size);
    } else if (data) {
        size = strlen(data);
    }
    if (!data) {
        all.errors++;
        send_reset(p);
        return;
    }
    memcpy(text, front, sizeof front - 1);
    memcpy(text + sizeof front - 1, data, size);
    text[sizeof front - 1 + size] = '}';
    all.steps++;
    send_text(p->fd, text, sizeof front + size);
}

static void take_reply(struct peer *p, char *reply, size_t size)
{
    char after = reply[size];
    reply[size] = 0;
    const char *tail = size > 400 ? reply + size - 400 : reply;
    all.bytes += size;
    if (strncmp(reply, "{\"type\":\"error\"", 15) == 0) {
        all.errors++;
        send_reset(p);
    } else if (!all.body && strstr(tail, "\"done\":true")) {
        send_reset(p);
    } else {
        send_step(p, reply);
    }
    reply[size] = after;
}

static void read_replies(struct peer *p)
{
    ssize_t n = read(p->fd, p->in + p->size, ROOM - p->size - 1);
    if (n <= 0)
        die("the server closed a connection");
    p->size += (size_t)n;
    while (p->size >= 2) {
        const uint8_t *b = (const uint8_t *)p->in;
        size_t head = 2, size = b[1] & 127;
        if (size == 126)
            head = 4, size = p->size >= 4 ? (size_t)b[2] << 8 | b[3] : ROOM;
        else if (size == 127)
            head = 10, size = p->size >= 10 ? (size_t)b[7] << 16 | (size_t)b[8] << 8 | b[9] : ROOM;
        if (p->size < head + size)
            return;
        if ((b[0] & 15) == 1)
            take_reply(p, p->in + head, size);
        p->size -= head + size;
        memmove(p->in, p->in + head + size, p->size);
    }
}

static void open_peer(struct peer *p, uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    char text[512];
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    p->fd = socket(AF_INET, SOCK_STREAM, 0);
    p->in = malloc(ROOM);
    if (p->fd < 0 || !p->in || connect(p->fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("connect");
    int size = snprintf(text, sizeof text,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                        all.path, port);
    send_all(p->fd, text, (size_t)size);
    while (p->size < 4 || memcmp(p->in + p->size - 4, "\r\n\r\n", 4) != 0)
        if (read(p->fd, p->in + p->size, 1) != 1 || ++p->size > 4096)
            die("handshake");
    if (strncmp(p->in, "HTTP/1.1 101", 12) != 0)
        die("no upgrade");
    p->size = 0;
}

int main(int argc, char **argv)
{
    static struct peer peers[MAX_PEERS];
    struct epoll_event events[256];
    if (argc < 5) {
        fprintf(stderr, "bench.openenv PORT PATH CONNECTIONS SECONDS [BODY]\n");
        return 2;
    }
    int count = atoi(argv[3]), epoll = epoll_create1(0);
    double length = atof(argv[4]);
    all.path = argv[2];
    all.body = argc > 5 ? argv[5] : NULL;
    all.dice = 1;
    if (count < 1 || count > MAX_PEERS)
        return 2;
    for (int i = 0; i < count; i++) {
        open_peer(&peers[i], (uint16_t)atoi(argv[1]));
        peers[i].seed = (uint64_t)i << 32;
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &peers[i]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, peers[i].fd, &e);
    }
    double start = now(), end = start + length;
    for (int i = 0; i < count; i++)
        send_reset(&peers[i]);
    while (now() < end) {
        int n = epoll_wait(epoll, events, 256, 1000);
        for (int i = 0; i < n; i++)
            read_replies(events[i].data.ptr);
    }
    double took = now() - start;
    printf("{\"steps_per_s\":%.0f,\"steps\":%llu,\"resets\":%llu,\"bytes\":%llu,\"errors\":%llu,\"seconds\":%.3f}\n",
           (double)all.steps / took, (unsigned long long)all.steps, (unsigned long long)all.resets,
           (unsigned long long)all.bytes, (unsigned long long)all.errors, took);
    return all.errors ? 1 : 0;
}
