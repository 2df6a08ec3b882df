// S94: one match of three actions on a host, its player at a gateway, explored whole: every order of steps, every loss
// of a bundle, every stop of the host, its waking and its takeover by the gateway, links that lose their memory (S53).
// The links are the real ones; the store is what its contract says: a log, and a row for the host's epoch that a
// takeover deletes and without which no batch commits (S11).
//
// AGON_MODEL_WIDE lets two bundles be on their way at once: six times as many states.
//
// In every state that can be reached the log is right; and from every one of them the match comes to its end when
// nothing more is lost, the host wakes and nobody takes over.
#include "cluster/link.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    ROOM = 512,   // bytes of entries that a link keeps
    BUNDLE = 400, // of a bundle on its way
    QUEUE = 2,    // bundles in one direction, at most
    HOST = 1,
    GATE = 2,
    MOST = 1 << 22, // states
};

struct flight {
    uint16_t size;
    char at[BUNDLE];
};

struct queue {
    int count;
    struct flight at[QUEUE];
};

// A question is named by its request: the action it asks for, who asks (the host's first time, again, the taker) and a
// number that no other question has.
struct state {
    struct link link[2]; // of the host, of the gateway
    char kept[2][ROOM];
    struct queue queue[2]; // what the host, what the gateway has sent
    // The store.
    int log;      // actions
    bool has_row; // the host's epoch lives
    // The host.
    bool stopped, fenced;
    int request; // open; 0: none
    int asks;    // so far
    int batch;   // an action that is not durable: its request; 0: none
    bool told_over;
    // The gateway and its agent.
    int shown;     // the question that the agent has; 0: none
    int shown_for; // which action
    bool saw_over;
    bool took_over;
    int own_request, own_batch; // as a host
    // What may still go wrong.
    int forgets; // links that lose their memory
};

static int64_t now = 1000000; // in every state: all times are told as ages
static int64_t tick_ms;
static int actions;   // of the match
static int in_flight; // bundles on their way in one direction
static struct state s;

// --- entries

static bool put(int who, int kind, int request, int action)
{
    struct link *l = &s.link[who];
    l->kept = (struct text){.at = s.kept[who], .size = l->kept.size, .room = l->kept.full ? 0 : ROOM};
    return link_put(l, &(struct entry){.kind = (uint8_t)kind, .seat = (uint16_t)action, .ask = (uint32_t)request}, now);
}

// The host asks for the action that is next, or says that it is over.
static void ask(void)
{
    if (s.log == actions) {
        s.told_over = true;
        if (!put(0, ENTRY_OVER, 0, 0))
            put(0, ENTRY_OVER, 0, 0);
        return;
    }
    s.request = ++s.asks;
    if (!put(0, ENTRY_ASK, s.request, s.log + 1))
        put(0, ENTRY_ASK, s.request, s.log + 1); // S53: what was lost is told anew
}

static void on_host_entry(void *owner, const struct entry *e)
{
    (void)owner;
    if (e->kind == ENTRY_SAY && (int)e->ask == s.request && !s.batch) {
        s.batch = s.request;
        s.request = 0;
    }
}

// Entries of the gateway are lost: its seats are as just reconnected.
static void on_host_reset(void *owner)
{
    (void)owner;
    if (s.request || s.told_over)
        ask();
}

static void on_gate_entry(void *owner, const struct entry *e)
{
    (void)owner;
    if (e->kind == ENTRY_OVER)
        s.saw_over = true;
    if (e->kind != ENTRY_ASK)
        return;
    s.shown = (int)e->ask;
    s.shown_for = e->seat;
    assert_true(s.log >= s.shown_for - 1); // F8.1: not before what it follows from is durable
}

static void on_gate_reset(void *owner)
{
    (void)owner;
    link_withdraw(&s.link[1], ENTRY_SAY);
}

// --- steps: true when something happened

static bool speak(int who)
{
    char room[BUNDLE];
    struct text out = text_on(room, sizeof room);
    struct queue *q = &s.queue[who];
    if (q->count == in_flight || !link_write_bundle(&s.link[who], now, &out))
        return false;
    assert_false(out.full);
    q->at[q->count].size = (uint16_t)out.size;
    memcpy(q->at[q->count++].at, room, out.size);
    return true;
}

static bool lose(int who, int which)
{
    struct queue *q = &s.queue[who];
    if (which >= q->count)
        return false;
    memmove(&q->at[which], &q->at[which + 1], (size_t)(q->count - which - 1) * sizeof *q->at);
    q->count--;
    return true;
}

static bool arrive(int who)
{
    static const struct link_handler host = {.on_entry = on_host_entry, .on_reset = on_host_reset};
    static const struct link_handler gate = {.on_entry = on_gate_entry, .on_reset = on_gate_reset};
    if (s.queue[who].count == 0)
        return false;
    struct flight f = s.queue[who].at[0];
    lose(who, 0);
    if (who == 0 && s.took_over) // S53: its epoch is gone
        return true;
    assert_int_equal(link_receive(&s.link[!who], (struct span){f.at, f.size}, now, who == 0 ? &gate : &host, NULL), OK);
    return true;
}

static bool hosts(void)
{
    return !s.stopped && !s.fenced;
}

// S11: the fence is the first statement of the batch.
static bool commit(void)
{
    if (!hosts() || !s.batch)
        return false;
    s.batch = 0;
    if (!s.has_row) {
        s.fenced = true;
        s.request = 0;
        return true;
    }
    s.log++;
    assert_true(s.log <= actions);
    ask();
    return true;
}

// The agent answers what it was shown, once.
static bool answer(void)
{
    if (!s.shown)
        return false;
    if (s.took_over) {
        if (s.shown != s.own_request || s.own_batch)
            return s.shown = 0, true; // stale
        s.own_batch = s.shown;
    } else if (!put(1, ENTRY_SAY, s.shown, 0)) {
        put(1, ENTRY_GONE, 0, 0); // lost for good: the host will hear of it, and ask anew
    }
    s.shown = 0;
    return true;
}

static void ask_here(void)
{
    s.own_request = s.log == actions ? 0 : 100 + s.log;
    s.shown = s.own_request;
    s.shown_for = s.log + 1;
    s.saw_over |= s.log == actions;
}

// S13: reads the log only when the row is gone.
static bool take_over(void)
{
    if (!s.has_row || s.saw_over)
        return false;
    s.has_row = false;
    s.took_over = true;
    ask_here();
    return true;
}

static bool commit_here(void)
{
    if (!s.own_batch)
        return false;
    assert_int_equal(s.own_batch, 100 + s.log); // nobody else has written meanwhile
    s.own_batch = 0;
    s.log++;
    assert_true(s.log <= actions);
    ask_here();
    return true;
}

// The next entry that is put finds no room.
static bool forget(int who)
{
    if (s.forgets == 0 || s.link[who].kept.full || s.took_over)
        return false;
    s.forgets--;
    s.link[who].kept.full = true;
    return true;
}

static bool stop(void)
{
    s.stopped = !s.stopped;
    return !s.fenced;
}

static void age(int64_t *at_ms, int64_t most, int64_t by)
{
    int64_t ms = now - *at_ms + by;
    *at_ms = now - (ms < most ? ms : most);
}

static bool pass(void)
{
    for (int i = 0; i < 2; i++) {
        struct link *l = &s.link[i];
        age(&l->bundle_ms, LINK_BEAT_MS, tick_ms);
        age(&l->gap_ms, LINK_AGAIN_MS, tick_ms);
        age(&l->used_ms, LINK_USED_MS, tick_ms < LINK_USED_MS ? 0 : tick_ms);
    }
    return true;
}

static bool step(int n)
{
    switch (n) {
    case 0:
        return hosts() && speak(0);
    case 1:
        return !s.took_over && speak(1);
    case 2:
        return arrive(0);
    case 3:
        return hosts() && arrive(1);
    case 4:
        return lose(0, 0);
    case 5:
        return lose(1, 0);
    case 6:
        return lose(0, 1);
    case 7:
        return lose(1, 1);
    case 8:
        return commit();
    case 9:
        return answer();
    case 10:
        return pass();
    case 11:
        return stop();
    case 12:
        return take_over();
    case 13:
        return commit_here();
    case 14:
        return hosts() && forget(0);
    case 15:
        return forget(1);
    default:
        return false;
    }
}

enum { STEPS = 16 };
static const char *const step_names[STEPS] = {"host speaks",
                                              "gateway speaks",
                                              "gateway hears",
                                              "host hears",
                                              "lost from host",
                                              "lost from gateway",
                                              "second lost from host",
                                              "second lost from gateway",
                                              "commit",
                                              "agent answers",
                                              "time",
                                              "stop or wake",
                                              "takeover",
                                              "commit here",
                                              "host forgets",
                                              "gateway forgets"};

// --- what makes two states the same

static void put_number(struct text *t, int64_t n)
{
    text_put(t, (struct span){(const char *)&n, sizeof n});
}

static void put_link(struct text *t, const struct link *l, const char *kept)
{
    const int64_t numbers[] = {(int64_t)l->first,     (int64_t)l->sent,
                               (int64_t)l->sent_most, (int64_t)l->next,
                               (int64_t)l->expected,  (int64_t)l->acked,
                               (int64_t)l->gap,       now - l->gap_ms,
                               now - l->bundle_ms,    now - l->used_ms,
                               l->again_due,          l->reset_due,
                               l->kept.full,          (int64_t)l->kept.size - (int64_t)l->dead};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(t, numbers[i]);
    text_put(t, (struct span){kept + l->dead, l->kept.size - l->dead});
}

static uint64_t name(void)
{
    static char room[8192];
    struct text t = text_on(room, sizeof room);
    const int64_t numbers[] = {s.log,      s.has_row,   s.stopped,     s.fenced,    s.request,
                               s.asks,     s.batch,     s.told_over,   s.shown,     s.shown_for,
                               s.saw_over, s.took_over, s.own_request, s.own_batch, s.forgets};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(&t, numbers[i]);
    for (int i = 0; i < 2; i++) {
        put_link(&t, &s.link[i], s.kept[i]);
        put_number(&t, s.queue[i].count);
        for (int k = 0; k < s.queue[i].count; k++)
            text_put(&t, (struct span){s.queue[i].at[k].at, s.queue[i].at[k].size});
    }
    assert_false(t.full);
    return hash_bytes(t.at, t.size);
}

// --- all of them

struct edge {
    uint32_t from, next; // next: of those that lead to the same state
};

static struct {
    struct state *at; // in the order in which they were found; freed from the front
    uint64_t *name;
    uint32_t *table; // index + 1 by name
    uint32_t *into;  // first edge + 1
    struct edge *edge;
    uint32_t count, edges, edge_room;
    uint32_t *parent; // the state from which it was found
    uint8_t *by;      // and the step
    bool *can_end;
} all;

static uint32_t find(uint64_t n, bool *is_new)
{
    uint32_t i = (uint32_t)n & (2 * MOST - 1);
    while (all.table[i] && all.name[all.table[i] - 1] != n)
        i = (i + 1) & (2 * MOST - 1);
    *is_new = !all.table[i];
    if (*is_new) {
        assert_true(all.count < MOST);
        all.name[all.count] = n;
        all.table[i] = ++all.count;
    }
    return all.table[i] - 1;
}

static void add_edge(uint32_t from, uint32_t to)
{
    if (all.edges == all.edge_room) {
        all.edge_room = all.edge_room ? 2 * all.edge_room : 1 << 16;
        all.edge = realloc(all.edge, all.edge_room * sizeof *all.edge);
        assert_non_null(all.edge);
    }
    all.edge[all.edges] = (struct edge){from, all.into[to]};
    all.into[to] = ++all.edges;
}

static bool is_end(void)
{
    return s.log == actions && s.saw_over;
}

// A queue of states that have not been looked at, as a ring that grows.
static struct {
    struct state *at;
    uint32_t *number;
    uint32_t first, count, room;
} open;

static void open_add(uint32_t number)
{
    if (open.count == open.room) {
        uint32_t room = open.room ? 2 * open.room : 1024;
        struct state *at = malloc(room * sizeof *at);
        uint32_t *numbers = malloc(room * sizeof *numbers);
        assert_true(at && numbers);
        for (uint32_t i = 0; i < open.count; i++) {
            at[i] = open.at[(open.first + i) % open.room];
            numbers[i] = open.number[(open.first + i) % open.room];
        }
        free(open.at);
        free(open.number);
        open.at = at;
        open.number = numbers;
        open.first = 0;
        open.room = room;
    }
    uint32_t i = (open.first + open.count++) % open.room;
    open.at[i] = s;
    open.number[i] = number;
}

static uint32_t open_take(void)
{
    uint32_t i = open.first;
    s = open.at[i];
    open.first = (open.first + 1) % open.room;
    open.count--;
    return open.number[i];
}

static void begin(int forgets)
{
    memset(&s, 0, sizeof s);
    for (int i = 0; i < 2; i++) {
        link_init(&s.link[i], i ? GATE : HOST, i ? HOST : GATE, NULL, now);
        s.link[i].bundle_ms = s.link[i].gap_ms = now;
    }
    s.has_row = true;
    s.forgets = forgets;
    ask();
}

// Links know where their bytes are: after copying they are here.
static void mend(void)
{
    for (int i = 0; i < 2; i++)
        s.link[i].kept.at = s.kept[i];
}

// What happens when nothing goes wrong any more. Not a takeover: it would end every match, whatever the links do.
static bool is_sound(int n, const struct state *before)
{
    static const bool sound[STEPS] = {
        [0] = true, [1] = true, [2] = true, [3] = true, [8] = true, [9] = true, [10] = true, [13] = true};
    return sound[n] || (n == 11 && before->stopped);
}

// The shortest way to a state from which the match does not end.
static void show_stuck(void)
{
    uint32_t i = 0;
    while (i < all.count && all.can_end[i])
        i++;
    for (; i > 0 && i < all.count; i = all.parent[i])
        print_message("%s <- ", step_names[all.by[i]]);
    print_message("begin\n");
}

static void explore(int forgets)
{
    bool is_new;
    in_flight = getenv("AGON_MODEL_WIDE") ? QUEUE : 1;
    begin(forgets);
    open_add(find(name(), &is_new));
    uint32_t *ends = calloc(MOST, sizeof *ends), end_count = 0;
    while (open.count) {
        uint32_t from = open_take();
        struct state before = s;
        for (int n = 0; n < STEPS; n++) {
            s = before;
            mend();
            if (!step(n))
                continue;
            uint32_t to = find(name(), &is_new);
            if (to != from && is_sound(n, &before))
                add_edge(from, to);
            if (is_new && is_end())
                ends[end_count++] = to;
            if (is_new) {
                all.parent[to] = from;
                all.by[to] = (uint8_t)n;
                open_add(to);
            }
        }
    }
    // Backwards from the ends: everybody can come to one.
    for (uint32_t i = 0; i < end_count; i++)
        all.can_end[ends[i]] = true;
    for (uint32_t i = 0; i < end_count; i++)
        for (uint32_t e = all.into[ends[i]]; e; e = all.edge[e - 1].next) {
            uint32_t from = all.edge[e - 1].from;
            if (all.can_end[from])
                continue;
            all.can_end[from] = true;
            ends[end_count++] = from;
        }
    free(ends);
    print_message("%u states, %u steps; %u can end\n", all.count, all.edges, end_count);
    if (end_count != all.count)
        show_stuck();
    assert_int_equal(end_count, all.count);
}

static int set_up(void **state)
{
    (void)state;
    memset(&all, 0, sizeof all);
    all.name = calloc(MOST, sizeof *all.name);
    all.table = calloc(2 * MOST, sizeof *all.table);
    all.into = calloc(MOST, sizeof *all.into);
    all.can_end = calloc(MOST, sizeof *all.can_end);
    all.parent = calloc(MOST, sizeof *all.parent);
    all.by = calloc(MOST, sizeof *all.by);
    return !all.parent || !all.by || !all.name || !all.table || !all.into || !all.can_end;
}

static int tear_down(void **state)
{
    (void)state;
    free(all.name);
    free(all.table);
    free(all.into);
    free(all.can_end);
    free(all.parent);
    free(all.by);
    free(all.edge);
    free(open.at);
    free(open.number);
    memset(&open, 0, sizeof open);
    return 0;
}

// Time passes by beats, on links that are in use.
static void losses_and_stops_by_beats(void **state)
{
    (void)state;
    tick_ms = LINK_BEAT_MS;
    actions = 3;
    explore(0);
    assert_true(all.count > 100000);
}

// Time passes in long steps: links fall silent between any two of them.
static void losses_and_stops_on_silent_links(void **state)
{
    (void)state;
    tick_ms = LINK_USED_MS;
    actions = 3;
    explore(0);
}

static void a_link_that_loses_its_memory(void **state)
{
    (void)state;
    tick_ms = LINK_BEAT_MS;
    actions = 1;
    explore(1);
}

int main(void)
{
#define MODEL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MODEL(losses_and_stops_by_beats),
        MODEL(losses_and_stops_on_silent_links),
        MODEL(a_link_that_loses_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
