// What a frame costs that goes from one node to another over the bus (S50, S51): CPU of both nodes and of the bus
// server, and how long it takes. Every node is a process of its own: a loop, libnats, links.
//
//   bench.relay [SECONDS [BYTES]]            the rows of the goals; exits with 1 when one is missed
//   bench.relay SECONDS BYTES FRAMES TURNS   one row: FRAMES a bundle, TURNS bundles a second
//
// Goals: both nodes at most 70 us for a lone frame at 1,000 a second and 12 us from 16 frames a bundle on; p50 1 ms.
#include "bus/pubsub.h"
#include "cluster/links.h"
#include "heap/heap.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 20, PATIENCE_US = 10000000 };

struct row {
    int frames, turns, seconds, bytes;
    double goal_us; // 0: none
};

struct figures {
    double cpu_us; // of the process, while frames went by
    double p50_us, p99_us;
    uint64_t frames, repeated, gaps;
};

struct node {
    struct loop loop;
    struct links links;
    struct pubsub *post;
    struct row row;
    char subject[LINKS_SUBJECT];
    char out[BUNDLE_MAX];
    char payload[65536];
    uint64_t wanted, sent, heard;
    float *late_us;
    struct event *timer;
};

static const uint8_t arena[4] = {0xbe, 0, 0xc4, 1};

static void fail(const char *what)
{
    fprintf(stderr, "bench.relay: %s\n", what);
    exit(2);
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

// --- a node

static void send_bundle(void *owner, uint64_t peer, struct span bundle)
{
    struct node *n = owner;
    (void)peer;
    pubsub_send(n->post, n->subject, bundle);
}

static bool is_live(void *owner, uint64_t epoch)
{
    (void)owner, (void)epoch;
    return true;
}

static void on_entry(void *owner, uint64_t peer, const struct entry *e)
{
    struct node *n = owner;
    int64_t then;
    (void)peer;
    memcpy(&then, e->payload.at, sizeof then);
    n->late_us[n->heard++] = (float)(loop_now_us() - then);
    if (n->heard == n->wanted)
        loop_stop(&n->loop);
}

static void on_reset(void *owner, uint64_t peer, bool ours)
{
    (void)owner, (void)peer, (void)ours;
    fail("a link was reset");
}

static const struct links_owner links_owner = {
    .send = send_bundle, .is_live = is_live, .on_entry = on_entry, .on_reset = on_reset};

static void on_message(void *owner, const char *subject, struct span bytes)
{
    (void)subject;
    struct node *n = owner;
    links_receive(&n->links, bytes, loop_now_ms());
}

static void on_change(void *owner)
{
    (void)owner;
}

static const struct pubsub_handler pubsub_handler = {
    .on_message = on_message, .on_away = on_change, .on_back = on_change};

static void flush_links(void *owner)
{
    struct node *n = owner;
    links_flush(&n->links, loop_now_ms());
}

static struct node *node_open(int port, const struct row *row, uint64_t me, uint64_t peer)
{
    struct node *n = calloc(1, sizeof *n);
    char url[64], subject[LINKS_SUBJECT], why[BUS_WHY];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    n->row = *row;
    n->wanted = (uint64_t)row->frames * (uint64_t)row->turns * (uint64_t)row->seconds;
    if (n->wanted > MOST)
        fail("too many frames");
    n->late_us = calloc(n->wanted + 1, sizeof *n->late_us);
    loop_init(&n->loop);
    links_init(&n->links, me, &links_owner, n, n->out, heap_text_grow);
    links_subject(n->subject, arena, peer);
    loop_add_hook(&n->loop, flush_links, n); // before those of the post
    struct pubsub_options o = {.bus = {.url = url, .name = "bench"}, .loop = &n->loop};
    n->post = pubsub_open(&o, &pubsub_handler, n, why);
    if (!n->post)
        fail(why);
    links_subject(subject, arena, me);
    pubsub_subscribe(n->post, subject);
    return n;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void print_report(struct node *n, double used_us, int to)
{
    struct figures f = {.cpu_us = used_us, .frames = n->heard ? n->heard : n->sent};
    if (n->heard) {
        qsort(n->late_us, n->heard, sizeof *n->late_us, compare_floats);
        f.p50_us = n->late_us[n->heard / 2];
        f.p99_us = n->late_us[n->heard * 99 / 100];
    }
    for (int i = 0; i < n->links.count; i++) {
        f.repeated += n->links.at[i].figures.repeated;
        f.gaps += n->links.at[i].figures.gaps;
    }
    if (write(to, &f, sizeof f) != sizeof f)
        fail("pipe");
    _exit(0);
}

static void await_byte(int fd)
{
    char byte;
    if (read(fd, &byte, 1) < 0)
        fail("pipe");
}

static void run_receiver(int port, const struct row *row, int ready, int go, int to)
{
    struct node *n = node_open(port, row, 2, 1);
    for (int i = 0; i < 20; i++) // the subscription leaves
        event_base_loop(n->loop.base, EVLOOP_NONBLOCK), loop_end_turn(&n->loop), loop_turn(&n->loop);
    if (write(ready, "", 1) != 1)
        fail("pipe");
    await_byte(go);
    double before = cpu_us();
    loop_run(&n->loop);
    print_report(n, cpu_us() - before, to);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct node *n = arg;
    (void)fd, (void)what;
    int64_t now_us = loop_now_us();
    memcpy(n->payload, &now_us, sizeof now_us);
    struct entry e = {.kind = ENTRY_FRAME, .agent = 7, .conn = 9, .payload = {n->payload, (size_t)n->row.bytes}};
    for (int i = 0; i < n->row.frames && n->sent < n->wanted; i++, n->sent++)
        links_put(&n->links, 2, &e, now_us / 1000);
    if (n->sent == n->wanted)
        loop_stop(&n->loop);
    loop_end_turn(&n->loop);
}

static void run_sender(int port, const struct row *row, int ready, int go, int to)
{
    struct node *n = node_open(port, row, 1, 2);
    if (write(ready, "", 1) != 1)
        fail("pipe");
    await_byte(go);
    n->timer = event_new(n->loop.base, -1, EV_PERSIST, on_tick, n);
    event_add(n->timer, &(struct timeval){.tv_usec = 1000000 / row->turns});
    double before = cpu_us();
    loop_run(&n->loop);
    double used = cpu_us() - before;
    int64_t until = loop_now_us() + PATIENCE_US; // the tail, and acknowledgements
    while (links_due(&n->links) == INT64_MIN && loop_now_us() < until)
        loop_end_turn(&n->loop), loop_turn(&n->loop);
    print_report(n, used, to);
}

// --- the bus server

static int free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&a, size) != 0 || getsockname(fd, (struct sockaddr *)&a, &size) != 0)
        fail("no port is free");
    close(fd);
    return ntohs(a.sin_port);
}

static pid_t start_server(int port)
{
    char number[16];
    snprintf(number, sizeof number, "%d", port);
    pid_t pid = fork();
    if (pid == 0) {
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", number, "-l", "/dev/null", NULL);
        fail("nats-server is not installed");
    }
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    for (int64_t until = loop_now_us() + PATIENCE_US; loop_now_us() < until; usleep(20000)) {
        int fd = socket(AF_INET, SOCK_STREAM, 0), done = connect(fd, (struct sockaddr *)&a, sizeof a);
        close(fd);
        if (done == 0)
            return pid;
    }
    fail("nats-server does not answer");
    return 0;
}

// All its threads.
static double server_us(pid_t pid)
{
    char path[64], name[352];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        unsigned long long ns = 0;
        snprintf(name, sizeof name, "%s/%s/schedstat", path, e->d_name);
        FILE *f = fopen(name, "r");
        if (f && fscanf(f, "%llu", &ns) == 1)
            sum += (double)ns * 1e-3;
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return sum;
}

// --- a row

struct child {
    pid_t pid;
    int ready[2], go[2], result[2];
};

static void start_node(struct child *c, void (*run)(int, const struct row *, int, int, int), int port,
                       const struct row *row)
{
    if (pipe(c->ready) != 0 || pipe(c->go) != 0 || pipe(c->result) != 0)
        fail("pipe");
    c->pid = fork();
    if (c->pid == 0) {
        run(port, row, c->ready[1], c->go[0], c->result[1]);
        _exit(0);
    }
    close(c->result[1]);
    await_byte(c->ready[0]);
}

static struct figures end_node(struct child *c)
{
    struct figures f;
    if (read(c->result[0], &f, sizeof f) != sizeof f)
        fail("a node ended early");
    waitpid(c->pid, NULL, 0);
    return f;
}

static bool run_row(const struct row *row)
{
    struct child receiver, sender;
    int port = free_port();
    pid_t server = start_server(port);
    start_node(&receiver, run_receiver, port, row);
    start_node(&sender, run_sender, port, row);
    double before = server_us(server);
    if (write(receiver.go[1], "", 1) != 1 || write(sender.go[1], "", 1) != 1)
        fail("pipe");
    struct figures s = end_node(&sender), r = end_node(&receiver);
    double n = (double)r.frames, bus = (server_us(server) - before) / n;
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    double both = (s.cpu_us + r.cpu_us) / n;
    bool met = (row->goal_us == 0 || both <= row->goal_us) && r.p50_us <= 1000;
    printf("%6d %8d %9.0f  %6.1f %8.1f %6.1f %6.0f  %8.3f %7.3f  %5llu %5llu  %s\n", row->frames,
           row->frames * row->turns, n, s.cpu_us / n, r.cpu_us / n, both, row->goal_us, r.p50_us / 1000,
           r.p99_us / 1000, (unsigned long long)r.gaps, (unsigned long long)s.repeated,
           row->goal_us == 0 ? ""
           : met             ? "met"
                             : "MISSED");
    printf("       bus server, us a frame: %.1f\n", bus);
    fflush(stdout);
    return met;
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 5, bytes = argc > 2 ? atoi(argv[2]) : 600;
    struct row rows[] = {{1, 1000, seconds, bytes, 70}, {16, 250, seconds, bytes, 12}, {64, 100, seconds, bytes, 12}};
    struct row one = {0};
    bool met = true;
    if (seconds < 1 || bytes < 8 || bytes > (int)sizeof((struct node *)0)->payload)
        fail("usage: bench.relay [SECONDS [BYTES [FRAMES TURNS]]]");
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("frames      a s    frames  sender receiver   both   goal  p50 ms   p99 ms   gaps again\n");
    if (argc > 4) {
        one = (struct row){atoi(argv[3]), atoi(argv[4]), seconds, bytes, 0};
        if (one.frames < 1 || one.turns < 1)
            fail("FRAMES and TURNS are at least 1");
        return run_row(&one) ? 0 : 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        met &= run_row(&rows[i]);
    return met ? 0 : 1;
}
