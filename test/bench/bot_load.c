// bot_load CONNECTIONS SECONDS [NAME=PORT...]: asks belote bots for cards (B16: bodies of 2,750 bytes), all of them in
// turns within one run, and tells for each how long an answer takes and how many come in a second. Without peers: the
// size of one request, for `fixed`.
#include "botwire/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BODY = 2750, HEAD = 512, MAX_PEERS = 8, MAX_CONNS = 1024, MAX_SAMPLES = 1 << 22, SLICE_MS = 50, ID = 128 };

struct line {
    int fd;
    char id[ID];
    char out[HEAD + BODY];
    size_t size, number; // where the changing digits stand
    int64_t sent_ns;
};

struct peer {
    const char *name;
    uint16_t port;
    struct line *lines;
    uint32_t *samples;
    size_t count;
    int64_t busy_ns;
};

static char body[BODY + 1];
static uint64_t serial;

static void die(const char *what)
{
    fprintf(stderr, "bot_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// --- a body of the size wanted: the last question of a deal that is not longer, and blanks

static size_t write_question(const struct belote_state *s, const struct wire_deal *d, char *out, size_t room)
{
    static const struct belote_deal before = {.card_points = {142, 116},
                                              .match_points = {104},
                                              .mode = BELOTE_ALL_TRUMPS,
                                              .multiplier = 4,
                                              .team = 1,
                                              .sweep = BELOTE_NONE};
    struct wire_match m = {
        .deals = &before, .count = 1, .target = 150, .points = {104}, .dealer = d->dealer, .winner = BELOTE_NONE};
    struct belote_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    struct text t = text_on(out, room);
    belote_game.view(s, s->turn, &v);
    wire_write_choose_card(&t, &v, d, &m, true, list, belote_game.choices(s, s->turn, list));
    return t.full ? SIZE_MAX : t.size;
}

static void make_body(void)
{
    static char question[8192];
    struct belote_rules rules;
    struct belote_state s;
    struct wire_deal d;
    belote_game.defaults(&rules);
    rules.cut = 16;
    belote_game.init(&s, &rules, BELOTE_SEATS, (struct rng){.key = {16}}, NULL);
    wire_start_deal(&d, rules.dealer);
    while (s.phase == BELOTE_BID_PHASE)
        belote_game.apply(&s, s.turn, belote_game.fallback(&s, s.turn), NULL);
    d.mode = s.mode;
    while (s.plays < BELOTE_CARDS - 1) {
        size_t size = write_question(&s, &d, question, sizeof question);
        if (size > BODY - 12)
            break;
        memset(body, ' ', BODY);
        memcpy(body, "{\"n\":\"000000\",", 14);
        memcpy(body + 14, question + 1, size - 2);
        body[BODY - 1] = '}';
        struct game_action a = belote_game.fallback(&s, s.turn);
        wire_add_play(&d, a.arg[0]);
        belote_game.apply(&s, s.turn, a, NULL);
    }
}

// --- connections

static void send_all(int fd, const char *at, size_t size)
{
    while (size) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0)
            die("send");
        at += n;
        size -= (size_t)n;
    }
}

// An answer to its end. Content-Length, or chunks, of which the last is empty.
static size_t read_reply(int fd, char *in, size_t room)
{
    size_t have = 0;
    for (;;) {
        ssize_t n = recv(fd, in + have, room - 1 - have, 0);
        if (n <= 0)
            die("the bot closed");
        have += (size_t)n;
        in[have] = 0;
        char *end = strstr(in, "\r\n\r\n"), *length = strcasestr(in, "content-length:");
        if (end && length && length < end && have >= (size_t)(end + 4 - in) + strtoul(length + 15, NULL, 10))
            return have;
        if (end && (!length || length > end) && strstr(end, "0\r\n\r\n"))
            return have;
    }
}

static void write_request(struct line *l)
{
    int n = snprintf(l->out, HEAD,
                     "POST /api/sessions/%s/choose-card HTTP/1.1\r\nHost: localhost\r\nUser-Agent: agon\r\nAccept: "
                     "application/json\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
                     l->id, BODY);
    l->number = (size_t)n + 6;
    memcpy(l->out + n, body, BODY);
    l->size = (size_t)n + BODY;
}

static void open_line(struct line *l, uint16_t port)
{
    static const char hello[] = "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 36\r\n\r\n"
                                "{\"position\":\"Bottom\",\"matchId\":\"m\" }";
    char in[4096];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int yes = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    l->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (l->fd < 0 || connect(l->fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("connect");
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    send_all(l->fd, hello, sizeof hello - 1);
    read_reply(l->fd, in, sizeof in);
    char *id = strstr(in, "\"sessionId\":");
    id = id ? strchr(id + 12, '"') : NULL;
    if (!id)
        die("no session");
    snprintf(l->id, ID, "%.*s", (int)strcspn(id + 1, "\""), id + 1);
    write_request(l);
}

static void send_request(struct line *l)
{
    char digits[8];
    snprintf(digits, sizeof digits, "%06u", (unsigned)(serial++ % 1000000)); // no two questions are the same
    memcpy(l->out + l->number, digits, 6);
    l->sent_ns = now_ns();
    send_all(l->fd, l->out, l->size);
}

// --- measuring

static void take_reply(struct peer *p, struct line *l)
{
    char in[4096];
    read_reply(l->fd, in, sizeof in);
    if (memcmp(in, "HTTP/1.1 200", 12) != 0)
        die("an answer is no 200");
    if (p->count < MAX_SAMPLES)
        p->samples[p->count] = (uint32_t)(now_ns() - l->sent_ns);
    p->count++;
}

static void run_slice(struct peer *p, int connections)
{
    struct epoll_event ready[256], e = {.events = EPOLLIN};
    int epoll = epoll_create1(0), open = connections;
    int64_t began = now_ns(), until = began + SLICE_MS * 1000000LL;
    for (int i = 0; i < connections; i++) {
        e.data.ptr = &p->lines[i];
        epoll_ctl(epoll, EPOLL_CTL_ADD, p->lines[i].fd, &e);
        send_request(&p->lines[i]);
    }
    while (open) {
        int count = connections == 1 ? 1 : epoll_wait(epoll, ready, 256, -1);
        for (int i = 0; i < count; i++) {
            struct line *l = connections == 1 ? p->lines : ready[i].data.ptr;
            take_reply(p, l);
            if (now_ns() < until)
                send_request(l);
            else
                open--;
        }
    }
    p->busy_ns += now_ns() - began;
    close(epoll);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double percentile_us(const struct peer *p, size_t n, size_t percent)
{
    size_t at = n * percent / 100;
    return p->samples[at] / 1e3;
}

static void print_report(struct peer *p, bool last)
{
    size_t n = p->count < MAX_SAMPLES ? p->count : MAX_SAMPLES;
    qsort(p->samples, n, sizeof *p->samples, by_size);
    printf("{\"name\":\"%s\",\"answers\":%zu,\"per_s\":%.0f,\"p50_us\":%.1f,\"p95_us\":%.1f,\"p99_us\":%.1f}%s\n",
           p->name, p->count, 1e9 * (double)p->count / (double)p->busy_ns, percentile_us(p, n, 50),
           percentile_us(p, n, 95), percentile_us(p, n, 99), last ? "" : ",");
}

int main(int argc, char **argv)
{
    struct peer peers[MAX_PEERS] = {0};
    int connections = argc > 1 ? atoi(argv[1]) : 0, count = argc - 3;
    make_body();
    if (argc < 4) {
        struct line l = {.id = "xx"};
        write_request(&l);
        printf("%zu\n", l.size);
        return argc == 1 ? 0 : 2;
    }
    if (connections < 1 || connections > MAX_CONNS || count > MAX_PEERS)
        return 2;
    for (int i = 0; i < count; i++) {
        char *equals = strchr(argv[3 + i], '=');
        if (!equals)
            return 2;
        *equals = 0;
        peers[i] = (struct peer){.name = argv[3 + i], .port = (uint16_t)atoi(equals + 1)};
        peers[i].lines = calloc((size_t)connections, sizeof *peers[i].lines);
        peers[i].samples = malloc(MAX_SAMPLES * sizeof *peers[i].samples);
        for (int k = 0; k < connections; k++)
            open_line(&peers[i].lines[k], peers[i].port);
        run_slice(&peers[i], connections); // warms up
        peers[i].count = 0;
        peers[i].busy_ns = 0;
    }
    for (int64_t until = now_ns() + (int64_t)(atof(argv[2]) * 1e9) * count; now_ns() < until;)
        for (int i = 0; i < count; i++)
            run_slice(&peers[i], connections);
    printf("[");
    for (int i = 0; i < count; i++)
        print_report(&peers[i], i == count - 1);
    printf("]\n");
    return 0;
}
