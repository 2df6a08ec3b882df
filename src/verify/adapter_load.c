// Gates about load: rounds, reconnects, simple readers, observers, storms and floods (A23-A27, A29, A30, A32, A33).
#include "verify/adapter_gates.h"

#include "front/lines/message_write.h"
#include "games/tetris/rules/tetris.h"
#include "net/loop.h"
#include "verify/adapter_parse.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// --- control passes to others (A23, A24)

static bool pass_control(struct adapter_check *c)
{
    for (int i = 0; i < 200; i++) {
        struct client d;
        if (!adapter_connect(c, &d, "controller", false))
            return false;
        bool controls = adapter_assert(c, &d, MUST_CONTROL_FREE, strcmp(d.welcome.role, "controller") == 0,
                                       "connection %d was made %s", i, d.welcome.role);
        (i % 2 ? client_kill : client_close)(&d);
        if (!controls)
            return false;
    }
    return true;
}

// Repeats the request until the reply is the wanted one: a disconnect takes a moment to be noticed.
static const char *ask_until_acked(struct client *d, bool claim)
{
    const char *got = "late";
    for (double until = loop_now_seconds() + 2; loop_now_seconds() < until;) {
        got = claim ? client_control(d, "claim") : client_act(d, NULL);
        if (strcmp(got, "ack") == 0)
            break;
        client_observe(d, 20);
    }
    return got;
}

static void claim_from_the_dead(struct adapter_check *c)
{
    struct client first, second;
    if (!adapter_connect(c, &first, "controller", false))
        return;
    if (adapter_connect(c, &second, "observer", false)) {
        client_kill(&first);
        adapter_expect(c, &second, MUST_CONTROL_STALE, ask_until_acked(&second, true), "ack");
        client_close(&second);
    }
    client_close(&first);
}

static void promote_observer(struct adapter_check *c)
{
    struct client first, low, high;
    if (!adapter_connect(c, &first, "controller", false))
        return;
    if (adapter_connect(c, &low, "auto", false)) {
        bool promotes = json_is_true(
            json_object_get(json_object_get(low.capabilities, "control_policy"), "auto_promote_on_disconnect"));
        if (promotes && adapter_connect(c, &high, "auto", false)) {
            client_kill(&first);
            if (adapter_expect(c, &low, MUST_CONTROL_PROMOTION, ask_until_acked(&low, false), "ack"))
                adapter_expect(c, &high, MUST_CONTROL_PROMOTION, client_act(&high, NULL), "not_controller");
            client_close(&high);
        }
        client_close(&low);
    }
    client_close(&first);
}

void gate_a23(struct adapter_check *c)
{
    if (!pass_control(c))
        return;
    claim_from_the_dead(c);
    promote_observer(c);
}

void gate_a24(struct adapter_check *c)
{
    for (int i = 0; i < 50; i++) {
        struct client d;
        bool open = client_open(&d, &c->target);
        const char *got =
            open ? client_hello(&d, &c->target, i % 3 ? "controller" : "observer", true, false) : "refused";
        bool seen = adapter_expect(c, &d, i ? MUST_RECONNECT : MUST_WELCOME_COMES, got, "welcome") &&
                    adapter_assert(c, &d, MUST_OBSERVATION_STREAM, client_until(&d, want_any, 0, CLIENT_WAIT_MS),
                                   "connection %d saw no observation within 2 s", i);
        client_close(&d);
        if (!seen)
            return;
    }
}

// --- rounds (A25-A27)

// T4.1: stacks in the four middle columns, so that a round ends within 25 placements. `id` fails if it hangs.
static bool play_round(struct adapter_check *c, struct client *d, enum adapter_assertion id, double *slowest)
{
    if (!adapter_restart(c, d, NULL, d->now.game_over ? MUST_RESTART_FROM_OVER : MUST_RESTART_EPISODE))
        return false;
    for (int i = 0; i < 100 && !d->now.game_over; i++) {
        uint64_t piece = d->now.piece_id;
        double begin = loop_now_seconds();
        const char *got = client_place(d, adapter_middle_x(c, d), TETRIS_NORTH, false);
        double spent = loop_now_seconds() - begin;
        *slowest = spent > *slowest ? spent : *slowest;
        NEED(id, strcmp(got, "late") != 0 && strcmp(got, "closed") != 0, "a place was not answered: %s", got);
        bool acked = strcmp(got, "ack") == 0;
        if (!acked && strcmp(got, "backpressure") != 0)
            EXPECT(MUST_PLACE_ACK, got, "invalid_place");
        NEED(MUST_OBSERVATION_STREAM,
             acked ? client_until(d, want_other_piece, piece, CLIENT_WAIT_MS) : client_observe(d, CLIENT_WAIT_MS),
             "no observation within 2 s of a place");
    }
    NEED(id, d->now.game_over, "the round does not end");
    return true;
}

static bool play_rounds(struct adapter_check *c, enum adapter_assertion id, int rounds, bool lockstep,
                        double *latencies)
{
    for (int i = 0; i < rounds; i++) {
        struct client d;
        double slowest = 0;
        if (!adapter_connect(c, &d, "controller", lockstep))
            return false;
        bool seen = adapter_assert(c, &d, MUST_OBSERVATION_STREAM, client_until(&d, want_any, 0, CLIENT_WAIT_MS),
                                   "no observation within 2 s");
        bool played = seen && play_round(c, &d, id, &slowest);
        client_close(&d);
        if (!played)
            return false;
        if (latencies)
            latencies[i] = slowest;
    }
    return true;
}

void gate_a25(struct adapter_check *c)
{
    for (int i = 0; i < 3; i++)
        if (!play_rounds(c, MUST_ROUNDS_30, c->options.quick ? 3 : 10, false, NULL))
            return;
}

void gate_a26(struct adapter_check *c)
{
    for (int i = 0; i < 3; i++)
        if (!play_rounds(c, MUST_ROUNDS_150, 50, c->options.quick && c->lockstep, NULL))
            return;
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

// Resident memory of a local process in kilobytes; 0: unknown.
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

void gate_a27(struct adapter_check *c)
{
    static double latencies[200];
    bool lockstep = c->options.quick && c->lockstep;
    if (!play_rounds(c, MUST_ROUNDS_200, 10, lockstep, NULL))
        return;
    long before = resident_kb(c->options.pid);
    if (!play_rounds(c, MUST_ROUNDS_200, 200, lockstep, latencies))
        return;
    double first = p95(latencies, 20), last = p95(latencies + 180, 20);
    // Below 50 ms a busy machine may be the cause.
    adapter_assert(c, NULL, MUST_ROUNDS_PACE, last <= 1.2 * first + 0.001 || last <= 0.05,
                   "p95 of a command rose from %.1f to %.1f ms", first * 1e3, last * 1e3);
    long grown = resident_kb(c->options.pid) - before;
    if (before)
        adapter_assert(c, NULL, MUST_ROUNDS_MEMORY, grown <= 1024, "resident memory grew by %ld KiB", grown);
}

// --- simple readers (A29, A30): they keep only the first line of each receive

static bool read_first_line(struct line_client *l, struct server_message *m)
{
    char chunk[8192];
    size_t size = 0;
    for (double until = loop_now_seconds() + CLIENT_WAIT_MS * 1e-3; size < sizeof chunk - 4096;) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        int left = (int)((until - loop_now_seconds()) * 1e3);
        if (left < 0 || poll(&p, 1, left) <= 0)
            return false;
        ssize_t n = recv(l->fd, chunk + size, 4096, 0);
        if (n <= 0)
            return false;
        size += (size_t)n;
        char *end = memchr(chunk, '\n', size);
        if (end) {
            json_t *root = adapter_parse_message(m, (struct span){chunk, (size_t)(end - chunk)});
            json_decref(root);
            return root != NULL;
        }
    }
    return false;
}

static bool greet_simply(struct adapter_check *c, struct line_client *l, const char *role)
{
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    struct hello_options hello = {.name = "acceptance", .version = c->target.version, .role = role, .stream = true};
    if (line_client_open(l, c->target.host, c->target.port, CLIENT_WAIT_MS) != 0)
        return false;
    message_write_hello(&t, &hello);
    return line_client_send(l, text_span(&t));
}

// Welcome, then an observation.
static bool probe_simply(struct adapter_check *c, const char *role, struct server_message *m)
{
    struct line_client l;
    bool ready = greet_simply(c, &l, role) && read_first_line(&l, m) && m->type == SERVER_WELCOME &&
                 read_first_line(&l, m) && m->type == SERVER_OBSERVATION;
    line_client_close(&l);
    return adapter_assert(c, NULL, MUST_SIMPLE_READY, ready, "no welcome and observation in two reads");
}

static bool test_ready(struct adapter_check *c)
{
    struct server_message m;
    return probe_simply(c, "observer", &m);
}

static bool test_playable(struct adapter_check *c)
{
    struct server_message m = {0};
    return probe_simply(c, NULL, &m) &&
           adapter_assert(c, NULL, MUST_SIMPLE_PLAYABLE, m.observation.playable, "playable is false");
}

// Welcome, claim, and the next line read must be the ack.
static bool test_claim(struct adapter_check *c)
{
    struct line_client l;
    struct server_message m;
    bool acked = greet_simply(c, &l, "controller") && read_first_line(&l, &m) &&
                 line_client_send(&l, SPAN("{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}\n")) &&
                 read_first_line(&l, &m) && m.type == SERVER_ACK;
    line_client_close(&l);
    return adapter_assert(c, NULL, MUST_SIMPLE_CLAIM, acked, "the first line after a claim was no ack");
}

// Sends everything at once and disconnects without reading.
static bool test_blind_restart(struct adapter_check *c)
{
    struct line_client l;
    bool sent = greet_simply(c, &l, "controller");
    line_client_send(&l,
                     SPAN("{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}\n"
                          "{\"type\":\"command\",\"seq\":3,\"ts\":0,\"mode\":\"action\",\"actions\":[\"restart\"]}\n"));
    line_client_close(&l);
    return adapter_assert(c, NULL, MUST_SIMPLE_READY, sent, "no connection");
}

static bool test_episode(struct adapter_check *c)
{
    struct client d;
    if (!adapter_connect(c, &d, "observer", false))
        return false;
    bool risen = adapter_assert(c, &d, MUST_OBSERVATION_STREAM, client_until(&d, want_any, 0, CLIENT_WAIT_MS),
                                "no observation within 2 s");
    uint64_t before = d.now.episode_id;
    risen = risen && test_blind_restart(c) &&
            adapter_assert(c, &d, MUST_SIMPLE_RESTART, client_until(&d, want_playable_after, before, CLIENT_WAIT_MS),
                           "no observation after episode %llu within 2 s", (unsigned long long)before);
    client_close(&d);
    return risen;
}

// The queues of the first observations after a restart with a seed, seen by a reader that loses lines.
static bool read_signature(struct adapter_check *c, uint8_t queues[4][SERVER_NEXT])
{
    struct line_client l;
    struct server_message m = {0};
    uint64_t baseline = 0, episode = 0;
    int got = 0;
    if (!adapter_assert(c, NULL, MUST_SIMPLE_READY, greet_simply(c, &l, "controller"), "no connection"))
        return false;
    while (m.type != SERVER_OBSERVATION && read_first_line(&l, &m))
        ;
    baseline = m.observation.episode_id;
    line_client_send(&l, SPAN("{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\"}\n"
                              "{\"type\":\"command\",\"seq\":3,\"ts\":0,\"mode\":\"action\",\"actions\":[\"restart\"],"
                              "\"restart\":{\"seed\":123}}\n"));
    for (double until = loop_now_seconds() + 5; got < 4 && loop_now_seconds() < until && read_first_line(&l, &m);) {
        const struct server_observation *o = &m.observation;
        if (m.type != SERVER_OBSERVATION)
            continue;
        if (!episode && o->episode_id != baseline && o->step_in_piece == 1 && o->seed == 123)
            episode = o->episode_id;
        else if (episode && o->episode_id == episode)
            memcpy(queues[got++], o->queue, SERVER_NEXT);
    }
    line_client_close(&l);
    return adapter_assert(c, NULL, MUST_SIMPLE_SEED, got == 4,
                          "step_in_piece 1 of a new episode with seed 123 was not seen within 5 s");
}

static bool test_determinism(struct adapter_check *c)
{
    uint8_t a[4][SERVER_NEXT], b[4][SERVER_NEXT];
    return read_signature(c, a) && read_signature(c, b) &&
           adapter_assert(c, NULL, MUST_SEED_PIECES, memcmp(a, b, sizeof a) == 0,
                          "the same seed gave another next_queue");
}

// A simple conversation on a connection of its own, and how often it is held.
struct simple {
    bool (*run)(struct adapter_check *c);
    int times;
};

static void repeat_scenes(struct adapter_check *c, const struct simple *simple, int count, bool mixed)
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
        if (!simple[at].run(c))
            return;
    }
}

void gate_a29(struct adapter_check *c)
{
    static const struct simple all[] = {
        {test_ready, 300}, {test_claim, 300}, {test_episode, 100}, {test_determinism, 100}};
    repeat_scenes(c, all, sizeof all / sizeof *all, false);
}

void gate_a30(struct adapter_check *c)
{
    static const struct simple all[] = {
        {test_playable, 320}, {test_blind_restart, 100}, {test_ready, 50}, {test_claim, 50}, {test_determinism, 20}};
    repeat_scenes(c, all, sizeof all / sizeof *all, true);
}

// --- observers (A32)

enum { OBSERVERS = 32 };

static void watch_all(struct adapter_check *c, struct client *all)
{
    uint64_t before[OBSERVERS];
    for (int i = 1; i < OBSERVERS; i++)
        before[i] = all[i].observations;
    double begin = loop_now_seconds();
    while (loop_now_seconds() - begin < 3)
        for (int i = 1; i < OBSERVERS; i++) // the first one never reads
            while (client_read(&all[i], 0))
                ;
    double spent = loop_now_seconds() - begin;
    for (int i = 1; i < OBSERVERS; i++) {
        double rate = (double)(all[i].observations - before[i]) / spent;
        adapter_assert(c, NULL, MUST_OBSERVERS_RATE, rate >= 18, "observer %d got %.1f observations a second", i, rate);
    }
}

void gate_a32(struct adapter_check *c)
{
    static struct client all[OBSERVERS];
    int met = 0;
    while (met < OBSERVERS && adapter_connect(c, &all[met], "observer", false))
        met++;
    if (met == OBSERVERS)
        watch_all(c, all);
    for (int i = 0; i < met; i++)
        client_close(&all[i]);
}

// --- storms and floods (A33)

// Sends 50,000 commands and reads nothing; the adapter may disconnect it.
static void send_flood(struct adapter_check *c)
{
    struct client d;
    char lines[100 * 96];
    if (!adapter_connect(c, &d, "auto", false))
        return;
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
                cut = true; // it was disconnected
        }
    }
    client_close(&d);
}

static void open_storm(struct adapter_check *c)
{
    static struct line_client all[200];
    for (int i = 0; i < 200; i++)
        line_client_open(&all[i], c->target.host, c->target.port, CLIENT_WAIT_MS);
    for (int i = 0; i < 200; i++)
        (i % 2 ? line_client_reset : line_client_close)(&all[i]);
}

void gate_a33(struct adapter_check *c)
{
    struct client witness;
    if (!adapter_connect(c, &witness, "observer", false))
        return;
    open_storm(c);
    send_flood(c);
    // Skips older lines still waiting in the socket, which say nothing about the present.
    for (int64_t until = loop_now_ms() + CLIENT_WAIT_MS; loop_now_ms() < until && client_observe(&witness, 5);)
        ;
    uint64_t before = witness.observations;
    double begin = loop_now_seconds();
    while (witness.observations - before < 20)
        if (!adapter_assert(c, &witness, MUST_FLOOD_BYSTANDER, client_observe(&witness, CLIENT_WAIT_MS),
                            "no observation within 2 s"))
            break;
    adapter_assert(c, NULL, MUST_FLOOD_BYSTANDER, loop_now_seconds() - begin <= 5,
                   "20 observations took more than 5 s");
    client_close(&witness);
}
