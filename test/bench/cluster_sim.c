// The plan of docs/scale.md on paper, simulated: nodes, a store and a bus with the costs that were measured, and
// virtual time.
//
//   bench.cluster_sim        every case of the plan and its claims; exits with 1 when one does not hold
//
// Agents think, act and are asked again; hosts put actions into batches, one under way at a time and as often as pace.h
// says; the store works on as many batches at once as it has cores and then waits for the disk. At 20 s a node is
// killed: its agents come back by themselves and are let in at a limited rate (S71), its matches are taken over (S13,
// S58). All by ticks of 8 ms, the shortest pace of batches, and a fixed seed.
#include "store/pg/pace.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Measured on the machine of docs/scale.md; microseconds of CPU, bytes.
#define ACTION_US     47.0  // of a node: message in, rules, frames out
#define WRITE_US      3.7   // of a node, for the store
#define RELAY_US      6.0   // of both nodes, a frame in a bundle of 16
#define BUS_US        10.0  // of the bus server, a frame
#define PING_US       12.0  // of a node; one in 30 s
#define CONNECT_US    230.0 // of a node: socket, agent by key, presence
#define CONNECT_DB_US 390.0 // of the store
#define ADOPT_US      400.0 // of a node: log read and replayed
#define ADOPT_DB_US   200.0 // of the store
// Of the store, so that an action costs it what decision 085 measured: 51 us with 36 puts a batch, 40 us with 100.
#define BATCH_DB_US  430.0 // fence, locks, commit
#define SHARED_DB_US 220.0 // statements of starts and ends, once for a batch that has any
#define PIECE_DB_US  9.0   // an action's row
#define BEGIN_DB_US  180.0
#define END_DB_US    420.0
#define LOOK_DB_US   4000.0 // what a node asks, once a second
#define SYNC_MS      2.0    // of the store's disk
#define PIECE_WAL    300.0
#define MATCH_WAL    10000.0
#define AGENT_BYTES  14000.0
#define MATCH_BYTES  12000.0
#define NODE_BYTES   35e6

enum {
    TICK_MS = 8,
    ACTIONS = 25,
    LEASE_MS = 4000,
    POLL_MS = 1000,
    RATED_MS = 248, // the rate of a node's puts is measured over this time
    ADOPTED_A_LOOK = 1000,
    MOST_NODES = 32,
    WHEEL = 1 << 11
};
enum { KILL_S = 20, END_S = 240, WARM_S = 5, MOST_WAIT = 4096 };

struct plan {
    const char *name;
    int nodes, agents, playing; // agents that play, two a match
    double think_s;
    int store_cores, let_in; // connections that a node lets in each second (S71)
    bool all_fall;           // the balancer, and every connection with it, instead of a node
    double most_node, most_store, most_wal, most_p99_ms, most_goes_on_s, most_back_s; // claims
};

static const struct plan plans[] = {
    {"1,000 agents, all playing, 0.5 s", 2, 1000, 1000, 0.5, 2, 500, false, 0.1, 0.3, 1, 24, 7, 8},
    {"10,000 agents, 4,000 playing, 0.5 s", 2, 10000, 4000, 0.5, 2, 500, false, 0.2, 0.4, 4, 24, 7, 15},
    {"100,000 agents, 20,000 playing, 5 s", 4, 100000, 20000, 5, 2, 500, false, 0.1, 0.4, 3, 40, 7, 25},
    {"1,000,000 connected, 100,000 playing, 10 s", 12, 1000000, 100000, 10, 4, 500, false, 0.1, 1, 5, 80, 7, 25},
    {"1,000,000, all playing, 5 s", 24, 1000000, 1000000, 5, 12, 500, false, 0.4, 6, 80, 40, 7, 10},
    {"1,000,000 connected, balancer restarted", 12, 1000000, 100000, 10, 4, 500, true, 0.1, 1, 5, 80, 0, 180},
};

struct node {
    bool dead;
    double queue_us, busy_us;              // work that waits; done while it was measured
    uint32_t sockets, door;                // connections; the first agent that waits for one, from 1
    uint32_t actions, matches, first_tick; // the next batch; the tick in which its first action came
    uint32_t flight, flight_first;         // actions of the one under way
    uint32_t launched_tick, puts, rate;    // when it left; puts since the rate was measured; puts a second
    double flight_us, sync_ms;             // what is left of it
};

struct match {
    uint32_t player[2], next; // of the same wheel's bucket
    uint16_t host;
    uint8_t acted;
    bool stands;
};

static struct node node[MOST_NODES];
static struct match *match;
static uint16_t *where; // of each agent; MOST_NODES: connected nowhere
static uint32_t wheel[WHEEL], back[WHEEL], *next_back, tick, away, standing;
static double waits[MOST_WAIT];
static uint64_t dice;
static double wal, frames, actions;
static struct {
    double extra_us, busy_us; // reads and presence that wait; all that was done while it was measured
} store;
static bool fell;
static double longest_us, longest_store_us;    // work that waited for a node and for the store after the failure
static uint32_t taken_ms, goes_on_ms, back_ms; // 0: not yet

static uint32_t draw(uint32_t below)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((dice >> 32) * below >> 32);
}

static bool is_measured(void)
{
    return tick * TICK_MS >= WARM_S * 1000 && tick * TICK_MS < KILL_S * 1000;
}

static void put_match(uint32_t m, double seconds)
{
    uint32_t ticks = (uint32_t)(seconds * 1000 / TICK_MS);
    uint32_t at = (tick + 1 + (ticks < WHEEL - 2 ? ticks : WHEEL - 2)) % WHEEL;
    match[m].next = wheel[at];
    wheel[at] = m + 1;
}

static double think_seconds(const struct plan *p)
{
    return p->think_s * (0.5 + draw(1000) / 1000.0);
}

static uint16_t pick_live(const struct plan *p)
{
    for (;;) {
        uint16_t n = (uint16_t)draw((uint32_t)p->nodes);
        if (!node[n].dead)
            return n;
    }
}

// An action whose time has come; it waits while the match's host, or the connection of who should act, is gone.
static void play_action(const struct plan *p, uint32_t m)
{
    struct match *x = &match[m];
    uint16_t from = where[x->player[x->acted % 2]], to = where[x->player[(x->acted + 1) % 2]];
    struct node *host = &node[x->host];
    if (host->dead || x->stands || from == MOST_NODES) {
        put_match(m, 0.1);
        return;
    }
    int remote = (from != x->host) + (to != x->host && to != MOST_NODES);
    host->queue_us += ACTION_US + WRITE_US + RELAY_US / 2 * remote;
    frames += is_measured() ? remote : 0;
    actions += is_measured();
    host->puts++;
    if (!host->actions++)
        host->first_tick = tick;
    if (++x->acted == ACTIONS) { // the same two play again
        x->acted = 0;
        host->matches++;
        host->puts += 2;
    }
    put_match(m, think_seconds(p));
}

static void connect_agent(uint32_t a, uint16_t n)
{
    where[a] = n;
    node[n].sockets++;
    node[n].queue_us += CONNECT_US;
    store.extra_us += CONNECT_DB_US;
}

static void come_back(uint32_t a, double seconds)
{
    uint32_t at = (tick + 1 + (uint32_t)(seconds * 1000 / TICK_MS)) % WHEEL;
    next_back[a] = back[at];
    back[at] = a + 1;
}

static void let_in_at(struct node *n, uint16_t index, int most)
{
    for (int i = 0; n->door && i < most; i++) {
        uint32_t a = n->door - 1;
        n->door = next_back[a];
        away--;
        connect_agent(a, index);
    }
}

// So many a second and node (S71); the others wait in the kernel's queue.
static void let_in(const struct plan *p)
{
    uint32_t list = back[tick % WHEEL];
    back[tick % WHEEL] = 0;
    while (list) {
        uint32_t a = list - 1;
        struct node *n = &node[pick_live(p)];
        list = next_back[a];
        next_back[a] = n->door;
        n->door = a + 1;
    }
    for (int i = 0; i < p->nodes; i++)
        let_in_at(&node[i], (uint16_t)i, p->let_in * TICK_MS / 1000);
    if (away == 0 && fell && !back_ms)
        back_ms = tick * TICK_MS - KILL_S * 1000;
}

// --- failure

static void drop_agents(const struct plan *p, int dead)
{
    for (uint32_t a = 0; a < (uint32_t)p->agents; a++)
        if (where[a] == dead || dead < 0) {
            where[a] = MOST_NODES;
            away++;
            come_back(a, 0.2 + draw(4800) / 1000.0); // their own jitter
        }
    for (int i = 0; i < p->nodes; i++)
        node[i].sockets = dead < 0 ? 0 : node[i].sockets;
}

static void kill_one(const struct plan *p)
{
    fell = true;
    if (!p->all_fall) {
        node[0].dead = true;
        taken_ms = KILL_S * 1000 + LEASE_MS + draw(POLL_MS);
    }
    drop_agents(p, p->all_fall ? -1 : 0);
}

// S13: the dead node's matches are spread over the live ones; each adopts so many with every look (S58).
static void take_over(const struct plan *p)
{
    assert(p->nodes > 1);
    for (uint32_t m = 0; m < (uint32_t)p->playing / 2; m++)
        if (match[m].host == 0) {
            match[m].host = (uint16_t)(1 + m % (uint32_t)(p->nodes - 1));
            match[m].stands = true;
            standing++;
        }
    taken_ms = 0;
}

static void adopt_matches(const struct plan *p)
{
    uint32_t count[MOST_NODES] = {0};
    for (uint32_t m = 0; m < (uint32_t)p->playing / 2 && standing; m++)
        if (match[m].stands && count[match[m].host]++ < ADOPTED_A_LOOK) {
            match[m].stands = false;
            standing--;
            node[match[m].host].queue_us += ADOPT_US;
            store.extra_us += ADOPT_DB_US;
            goes_on_ms = tick * TICK_MS - KILL_S * 1000;
        }
}

// --- a tick

static void run_node(struct node *n)
{
    double can = TICK_MS * 1000.0, did = n->queue_us < can ? n->queue_us : can;
    n->queue_us -= did;
    n->busy_us += is_measured() ? did : 0;
}

static void note_wait(const struct node *n)
{
    uint32_t ms = (tick - n->flight_first + 1) * TICK_MS + (uint32_t)(n->queue_us / 1000);
    if (is_measured())
        waits[ms < MOST_WAIT ? ms : MOST_WAIT - 1] += n->flight;
}

static bool is_paced(const struct plan *p, const struct node *n)
{
    int64_t pace_us = pace_choose_us(TICK_MS * 1000, p->nodes, n->rate);
    return (int64_t)(tick - n->launched_tick) * TICK_MS * 1000 < pace_us;
}

static void note_rate(struct node *n)
{
    if (tick % (RATED_MS / TICK_MS))
        return;
    n->rate = n->puts * 1000 / RATED_MS;
    n->puts = 0;
}

// A batch leaves when the one before it is durable and the node has done the work of its actions.
static void send_batch(const struct plan *p, struct node *n)
{
    note_rate(n);
    if (n->flight || !n->actions || n->queue_us > 0 || is_paced(p, n))
        return;
    n->launched_tick = tick;
    n->flight = n->actions;
    n->flight_first = n->first_tick;
    n->flight_us = BATCH_DB_US + PIECE_DB_US * n->actions + (BEGIN_DB_US + END_DB_US) * n->matches +
                   (n->matches ? SHARED_DB_US : 0);
    n->sync_ms = SYNC_MS;
    wal += is_measured() ? PIECE_WAL * n->actions + MATCH_WAL * n->matches : 0;
    n->actions = n->matches = 0;
}

// Each session of the store is one core's work at most; all together have the store's cores.
static void run_store(const struct plan *p)
{
    double left = TICK_MS * 1000.0 * p->store_cores, extra = store.extra_us < left ? store.extra_us : left;
    store.extra_us -= extra;
    left -= extra;
    double did = extra;
    for (int i = 0; i < p->nodes; i++) {
        struct node *n = &node[(i + (int)tick) % p->nodes]; // nobody is always first
        double can = TICK_MS * 1000.0 < left ? TICK_MS * 1000.0 : left, takes = n->flight_us < can ? n->flight_us : can;
        n->flight_us -= takes;
        left -= takes;
        did += takes;
        if (n->flight && n->flight_us <= 0 && (n->sync_ms -= TICK_MS - takes / 1000) <= 0) {
            note_wait(n);
            n->flight = 0;
        }
    }
    store.busy_us += is_measured() ? did : 0;
}

static void run_due_actions(const struct plan *p)
{
    uint32_t list = wheel[tick % WHEEL];
    wheel[tick % WHEEL] = 0;
    while (list) {
        uint32_t m = list - 1;
        list = match[m].next;
        play_action(p, m);
    }
    let_in(p);
    if (tick == KILL_S * 1000 / TICK_MS)
        kill_one(p);
    if (taken_ms && tick * TICK_MS >= taken_ms)
        take_over(p);
    if (standing && tick % (POLL_MS / TICK_MS) == 0)
        adopt_matches(p);
    for (int i = 0; i < p->nodes; i++) {
        if (node[i].dead)
            continue;
        node[i].queue_us += node[i].sockets * PING_US * TICK_MS / 30000;
        run_node(&node[i]);
        send_batch(p, &node[i]);
        store.extra_us += LOOK_DB_US * TICK_MS / POLL_MS;
    }
    run_store(p);
    for (int i = 0; i < p->nodes && fell; i++)
        longest_us = node[i].queue_us > longest_us ? node[i].queue_us : longest_us;
    if (fell && store.extra_us / p->store_cores > longest_store_us)
        longest_store_us = store.extra_us / p->store_cores;
    tick++;
}

// --- a case

static void reset_cluster(const struct plan *p)
{
    memset(node, 0, sizeof node);
    memset(wheel, 0, sizeof wheel);
    memset(back, 0, sizeof back);
    memset(waits, 0, sizeof waits);
    store.extra_us = store.busy_us = wal = frames = actions = 0;
    tick = away = standing = 0;
    taken_ms = goes_on_ms = back_ms = 0;
    longest_us = longest_store_us = 0;
    fell = false;
    dice = 1;
    match = calloc((size_t)p->playing / 2, sizeof *match);
    where = calloc((size_t)p->agents, sizeof *where);
    next_back = calloc((size_t)p->agents, sizeof *next_back);
    if (!match || !where || !next_back)
        abort();
    for (uint32_t a = 0; a < (uint32_t)p->agents; a++) {
        where[a] = (uint16_t)draw((uint32_t)p->nodes);
        node[where[a]].sockets++;
    }
    for (uint32_t m = 0; m < (uint32_t)p->playing / 2; m++) { // hosted where one of the two is connected (S24)
        match[m] = (struct match){
            .player = {2 * m, 2 * m + 1}, .host = where[2 * m + draw(2)], .acted = (uint8_t)draw(ACTIONS)};
        put_match(m, think_seconds(p));
    }
}

static uint32_t percentile(double share)
{
    double all = 0, sum = 0;
    for (int i = 0; i < MOST_WAIT; i++)
        all += waits[i];
    for (uint32_t i = 0; i < MOST_WAIT; i++)
        if ((sum += waits[i]) >= all * share)
            return i;
    return MOST_WAIT;
}

static int failures;

static void check_claim(const char *what, double value, double most, const char *unit)
{
    bool holds = value <= most;
    failures += !holds;
    printf("  %-44s %10.2f %-8s at most %g%s\n", what, value, unit, most, holds ? "" : "  MISSED");
}

static void print_report(const struct plan *p)
{
    double span_us = (KILL_S - WARM_S) * 1e6, busiest = 0;
    for (int i = 0; i < p->nodes; i++)
        busiest = node[i].busy_us > busiest ? node[i].busy_us : busiest;
    printf("%s: %d nodes, store of %d cores\n", p->name, p->nodes, p->store_cores);
    printf("  %.0f actions/s, %.0f frames/s over the bus (%.2f cores), %.0f MB a node, store %.2f us an action\n",
           actions / span_us * 1e6, frames / span_us * 1e6, frames / span_us * BUS_US,
           (NODE_BYTES + AGENT_BYTES * p->agents / p->nodes + MATCH_BYTES * p->playing / 2 / p->nodes) / 1e6,
           store.busy_us / (actions > 0 ? actions : 1));
    check_claim("busiest node, of a core", busiest / span_us, p->most_node, "");
    check_claim("store, cores", store.busy_us / span_us, p->most_store, "");
    check_claim("written ahead by the store", wal / span_us, p->most_wal, "MB/s");
    check_claim("action to durable, p99", percentile(0.99), p->most_p99_ms, "ms");
    check_claim("longest queue of a node after the failure", longest_us / 1e3, 1000, "ms");
    check_claim("longest queue of the store's reads", longest_store_us / 1e3, 1000, "ms");
    check_claim("last agent is back after", back_ms ? back_ms / 1e3 : 1e9, p->most_back_s, "s");
    if (!p->all_fall)
        check_claim("last match goes on after", standing || !goes_on_ms ? 1e9 : goes_on_ms / 1e3, p->most_goes_on_s,
                    "s");
}

int main(void)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        reset_cluster(&plans[i]);
        while (tick < END_S * 1000 / TICK_MS)
            run_due_actions(&plans[i]);
        print_report(&plans[i]);
        free(match);
        free(where);
        free(next_back);
    }
    printf("cluster_sim: %s\n", failures ? "claims MISSED" : "every claim holds");
    return failures ? 1 : 0;
}
