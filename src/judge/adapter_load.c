// Gates about many: rounds, reconnects, simple readers, observers, storms and floods (A23-A27, A29, A30, A32, A33).
#include "judge/adapter_gates.h"

#include "games/tetris/tetris.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// --- control passes on (A23, A24)

const char *gate_a23(struct adapter_check *c)
{
    for (int i = 0; i < 200; i++) {
        struct dialog d;
        if (!adapter_meet(c, &d, "controller", false))
            return because(c, "round %d: no welcome", i);
        bool controls = strcmp(d.welcome.role, "controller") == 0;
        if (i % 2)
            dialog_kill(&d);
        else
            dialog_close(&d);
        if (!controls)
            return because(c, "round %d: the next hello as controller was made %s", i, d.welcome.role);
    }
    struct dialog first, low, high;
    if (!adapter_meet(c, &first, "controller", false) || !adapter_meet(c, &low, "auto", false) ||
        !adapter_meet(c, &high, "auto", false))
        return because(c, "no welcome for three clients");
    dialog_kill(&first);
    double until = seconds_now() + 2;
    const char *got = "late";
    while (seconds_now() < until && strcmp(got = dialog_act(&low, NULL), "ack") != 0)
        dialog_observe(&low, 20);
    dialog_close(&low);
    dialog_close(&high);
    return strcmp(got, "ack") == 0 ? NULL : because(c, "the lowest client was not promoted: %s", got);
}

const char *gate_a24(struct adapter_check *c)
{
    for (int i = 0; i < 50; i++) {
        struct dialog d;
        if (!adapter_meet(c, &d, i % 3 ? "controller" : "observer", false))
            return because(c, "connection %d was not welcomed", i);
        bool seen = dialog_until(&d, want_any, 0, DIALOG_WAIT_MS);
        dialog_close(&d);
        if (!seen)
            return because(c, "connection %d saw nothing", i);
    }
    return NULL;
}

// --- rounds (A25-A27)

// T4.1: stacks in the four middle columns, so that a round ends within 25 placements.
static const char *play_round(struct adapter_check *c, struct dialog *d, double *slowest)
{
    uint64_t before = d->now.episode_id;
    const char *got = dialog_act(d, "restart");
    if (strcmp(got, "ack") != 0)
        return because(c, "restart got %s", got);
    if (!dialog_until(d, want_playable_after, before, DIALOG_WAIT_MS))
        return because(c, "no playable observation after restart");
    for (int i = 0; i < 100 && !d->now.game_over; i++) {
        uint64_t piece = d->now.piece_id;
        int x = 3 + (c->box ? 0 : tetris_left(d->now.kind, TETRIS_NORTH));
        double begin = seconds_now();
        got = dialog_place(d, x, TETRIS_NORTH, false);
        double spent = seconds_now() - begin;
        *slowest = spent > *slowest ? spent : *slowest;
        if (strcmp(got, "ack") != 0 && strcmp(got, "invalid_place") != 0 && strcmp(got, "backpressure") != 0)
            return because(c, "place got %s", got);
        bool acked = strcmp(got, "ack") == 0;
        for (bool moved = false; !moved && !d->now.game_over;) {
            if (!dialog_observe(d, DIALOG_WAIT_MS))
                return because(c, "no observation within 2 s of a place");
            moved = !acked || d->now.piece_id != piece;
        }
    }
    return d->now.game_over ? NULL : because(c, "the round does not end");
}

static const char *play_rounds(struct adapter_check *c, int rounds, bool lockstep, double *latencies)
{
    for (int i = 0; i < rounds; i++) {
        struct dialog d;
        double slowest = 0;
        if (!adapter_meet(c, &d, "controller", lockstep))
            return because(c, "round %d: no welcome", i);
        const char *why =
            dialog_until(&d, want_any, 0, DIALOG_WAIT_MS) ? play_round(c, &d, &slowest) : because(c, "no observation");
        dialog_close(&d);
        if (why)
            return why;
        if (latencies)
            latencies[i] = slowest;
    }
    return NULL;
}

const char *gate_a25(struct adapter_check *c)
{
    const char *why = NULL;
    for (int i = 0; i < 3 && !why; i++)
        why = play_rounds(c, c->options.quick ? 3 : 10, false, NULL);
    return why;
}

const char *gate_a26(struct adapter_check *c)
{
    const char *why = NULL;
    for (int i = 0; i < 3 && !why; i++)
        why = play_rounds(c, 50, c->options.quick && c->lockstep, NULL);
    return why;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double p95(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count * 95 / 100];
}

// Resident kilobytes of a process of this machine; 0: unknown.
static long resident_kb(int pid)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = pid ? fopen(path, "r") : NULL;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld kB", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

const char *gate_a27(struct adapter_check *c)
{
    static double latencies[200];
    bool lockstep = c->options.quick && c->lockstep;
    const char *why = play_rounds(c, 10, lockstep, NULL);
    long before = resident_kb(c->options.pid);
    if (!why)
        why = play_rounds(c, 200, lockstep, latencies);
    if (why)
        return why;
    double first = p95(latencies, 20), last = p95(latencies + 180, 20);
    if (last > 1.2 * first + 0.001 && last > 0.05) // a busy machine is no slow adapter
        return because(c, "p95 of a command rose from %.1f to %.1f ms", first * 1e3, last * 1e3);
    long after = resident_kb(c->options.pid);
    return after - before <= 1024 ? NULL : because(c, "resident memory grew by %ld KiB", after - before);
}

// --- simple readers (A29, A30): they keep the first line of what one receive gives and lose the rest

static bool read_first_line(struct line_client *l, struct peer_message *m, int wait_ms)
{
    char chunk[8192];
    size_t size = 0;
    for (double until = seconds_now() + wait_ms * 1e-3; size < sizeof chunk - 4096;) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        int left = (int)((until - seconds_now()) * 1e3);
        if (left < 0 || poll(&p, 1, left) <= 0)
            return false;
        ssize_t n = recv(l->fd, chunk + size, 4096, 0);
        if (n <= 0)
            return false;
        size += (size_t)n;
        char *end = memchr(chunk, '\n', size);
        if (end)
            return peer_read(m, (struct span){chunk, (size_t)(end - chunk)});
    }
    return false;
}

static bool greet_simply(struct adapter_check *c, struct line_client *l, const char *role)
{
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    struct peer_hello hello = {.name = "acceptance", .version = c->target.version, .role = role, .stream = true};
    if (line_client_open(l, c->target.host, c->target.port, DIALOG_WAIT_MS) != 0)
        return false;
    peer_write_hello(&t, &hello);
    return line_client_send(l, text_span(&t));
}

// Welcome, then an observation.
static const char *probe(struct adapter_check *c, const char *role, bool playable)
{
    struct line_client l;
    struct peer_message m;
    const char *why = NULL;
    if (!greet_simply(c, &l, role))
        return because(c, "no connection");
    if (!read_first_line(&l, &m, 2000) || m.type != PEER_WELCOME)
        why = because(c, "no welcome");
    else if (!read_first_line(&l, &m, 2000) || m.type != PEER_OBSERVATION)
        why = because(c, "no observation");
    else if (playable && !m.observation.playable)
        why = because(c, "not playable");
    line_client_close(&l);
    return why;
}

// Welcome, claim, and the next thing read must be the ack.
static const char *claim_simply(struct adapter_check *c)
{
    struct line_client l;
    struct peer_message m;
    const char *why = NULL;
    if (!greet_simply(c, &l, "controller"))
        return because(c, "no connection");
    if (!read_first_line(&l, &m, 2000)) {
        why = because(c, "no welcome");
    } else {
        line_client_send(&l, SPAN("{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}\n"));
        if (!read_first_line(&l, &m, 2000) || m.type != PEER_ACK)
            why = because(c, "a claim was not answered by ack first");
    }
    line_client_close(&l);
    return why;
}

// Everything at once, and gone without reading.
static const char *restart_blindly(struct adapter_check *c)
{
    struct line_client l;
    if (!greet_simply(c, &l, "controller"))
        return because(c, "no connection");
    line_client_send(&l,
                     SPAN("{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}\n"
                          "{\"type\":\"command\",\"seq\":3,\"ts\":0,\"mode\":\"action\",\"actions\":[\"restart\"]}\n"));
    line_client_close(&l);
    return NULL;
}

static const char *episode_rises(struct adapter_check *c)
{
    struct dialog d;
    if (!adapter_meet(c, &d, "observer", false) || !dialog_until(&d, want_any, 0, DIALOG_WAIT_MS))
        return because(c, "no observation");
    uint64_t before = d.now.episode_id;
    const char *why = restart_blindly(c);
    if (!why && !dialog_until(&d, want_playable_after, before, DIALOG_WAIT_MS))
        why = because(c, "a restart by a client that left at once was not seen");
    dialog_close(&d);
    return why;
}

// The queues of the first observations after restart with a seed, seen by a reader that loses lines.
static const char *signature(struct adapter_check *c, uint8_t queues[4][PEER_NEXT])
{
    struct line_client l;
    struct peer_message m = {0};
    uint64_t baseline = 0, episode = 0;
    int got = 0;
    if (!greet_simply(c, &l, "controller"))
        return because(c, "no connection");
    while (m.type != PEER_OBSERVATION && read_first_line(&l, &m, 2000))
        ;
    baseline = m.observation.episode_id;
    line_client_send(&l, SPAN("{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}\n"
                              "{\"type\":\"command\",\"seq\":3,\"ts\":0,\"mode\":\"action\",\"actions\":[\"restart\"],"
                              "\"restart\":{\"seed\":123}}\n"));
    while (got < 4 && read_first_line(&l, &m, 2000)) {
        const struct peer_observation *o = &m.observation;
        if (m.type != PEER_OBSERVATION)
            continue;
        if (!episode && o->episode_id != baseline && o->step_in_piece == 1 && o->seed == 123)
            episode = o->episode_id;
        else if (episode && o->episode_id == episode)
            memcpy(queues[got++], o->queue, PEER_NEXT);
    }
    line_client_close(&l);
    return got == 4 ? NULL : because(c, "the first step of a seeded episode was not seen by a simple reader");
}

static const char *determinism(struct adapter_check *c)
{
    uint8_t a[4][PEER_NEXT], b[4][PEER_NEXT];
    const char *why = signature(c, a);
    if (!why)
        why = signature(c, b);
    return why ? why : memcmp(a, b, sizeof a) == 0 ? NULL : because(c, "the same seed, other queues");
}

static const char *ready(struct adapter_check *c)
{
    return probe(c, "observer", false);
}

static const char *ready_and_playable(struct adapter_check *c)
{
    return probe(c, NULL, c->own);
}

struct simple {
    const char *(*run)(struct adapter_check *c);
    int times;
};

static const char *repeat(struct adapter_check *c, const struct simple *simple, int count, bool mixed)
{
    int left[8], total = 0, part = c->options.quick ? 10 : 1;
    uint32_t dice = 5;
    for (int i = 0; i < count; i++)
        total += left[i] = simple[i].times / part;
    for (int done = 0, at = 0; done < total; done++) {
        dice = dice * 1664525 + 1013904223;
        for (at = mixed ? (int)((dice >> 16) % (unsigned)count) : at; left[at] == 0; at = (at + 1) % count)
            ;
        left[at]--;
        const char *why = simple[at].run(c);
        if (why)
            return why;
    }
    return NULL;
}

const char *gate_a29(struct adapter_check *c)
{
    static const struct simple all[] = {{ready, 300}, {claim_simply, 300}, {episode_rises, 100}, {determinism, 100}};
    return repeat(c, all, sizeof all / sizeof *all, false);
}

const char *gate_a30(struct adapter_check *c)
{
    static const struct simple all[] = {
        {ready_and_playable, 320}, {restart_blindly, 100}, {ready, 50}, {claim_simply, 50}, {determinism, 20}};
    return repeat(c, all, sizeof all / sizeof *all, true);
}

// --- observers (A32)

enum { OBSERVERS = 32 };

static const char *watch_all(struct adapter_check *c, struct dialog *all)
{
    uint64_t before[OBSERVERS];
    for (int i = 1; i < OBSERVERS; i++)
        before[i] = all[i].observations;
    double begin = seconds_now();
    while (seconds_now() - begin < 3)
        for (int i = 1; i < OBSERVERS; i++) // the first one never reads
            while (dialog_read(&all[i], 0))
                ;
    double spent = seconds_now() - begin;
    for (int i = 1; i < OBSERVERS; i++)
        if ((double)(all[i].observations - before[i]) / spent < 18)
            return because(c, "observer %d got %.1f observations a second", i,
                           (double)(all[i].observations - before[i]) / spent);
    return NULL;
}

const char *gate_a32(struct adapter_check *c)
{
    static struct dialog all[OBSERVERS];
    int met = 0;
    while (met < OBSERVERS && adapter_meet(c, &all[met], "observer", false))
        met++;
    const char *why = met == OBSERVERS ? watch_all(c, all) : because(c, "only %d observers were welcomed", met);
    for (int i = 0; i < met; i++)
        dialog_close(&all[i]);
    return why;
}

// --- storms and floods (A33)

static const char *flood(struct adapter_check *c)
{
    struct dialog d;
    char lines[100 * 96];
    if (!adapter_meet(c, &d, "auto", false))
        return because(c, "no welcome");
    bool cut = false;
    for (int i = 0; i < 50000 && !cut; i += 100) {
        size_t size = 0;
        for (int k = 0; k < 100; k++)
            size += (size_t)snprintf(
                lines + size, sizeof lines - size,
                "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"action\",\"actions\":[\"hold\"]}\n", 2 + i + k);
        for (size_t sent = 0; sent < size && !cut;) {
            ssize_t n = send(d.line.fd, lines + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            struct pollfd p = {.fd = d.line.fd, .events = POLLOUT};
            if (n > 0)
                sent += (size_t)n;
            else if (poll(&p, 1, 1000) <= 0 || p.revents & (POLLERR | POLLHUP))
                cut = true; // it listens no more
        }
    }
    dialog_close(&d);
    return NULL;
}

const char *gate_a33(struct adapter_check *c)
{
    struct dialog witness;
    static struct line_client storm[200];
    if (!adapter_meet(c, &witness, "observer", false))
        return because(c, "no welcome");
    for (int i = 0; i < 200; i++)
        line_client_open(&storm[i], c->target.host, c->target.port, DIALOG_WAIT_MS);
    for (int i = 0; i < 200; i++)
        if (i % 2)
            line_client_reset(&storm[i]);
        else
            line_client_close(&storm[i]);
    const char *why = flood(c);
    uint64_t before = witness.observations;
    double begin = seconds_now();
    while (!why && witness.observations - before < 20)
        if (!dialog_observe(&witness, DIALOG_WAIT_MS))
            why = because(c, "a bystander's stream stopped");
    if (!why && seconds_now() - begin > 5)
        why = because(c, "a bystander's stream became slow");
    dialog_close(&witness);
    return why;
}
