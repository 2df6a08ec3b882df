// What the store costs. FOLDER may be the URL of a PostgreSQL server (test/bench/postgres.sh).
//
//   bench.store appends [FOLDER]             durable actions of 2,000 matches: rate, CPU for each, waits
//   bench.store nodes URL NODES RATE         the same by several nodes on one PostgreSQL store, RATE actions a second
//   in all bench.store fill FOLDER MATCHES AGENTS   a database of that size, quickly (not synced while it is filled)
//   bench.store reads FOLDER [COPIES]        opening it, and every read on it: the median, 99 of 100 and the worst
//
// COPIES: how often test/bench/postgres_grow.sql has laid down the matches that were filled in.
#include "store/store.h"
#include "stats/glicko.h"
#include "store/pg/pg.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_MS ((int64_t)1700000000000)
#define LEASE_MS                                                                                                       \
    300000 // on a busy machine a node may not run for longer than the usual lease; that is not measured here

enum { MATCHES = 2000, ACTIONS = 25, LOG_BYTES = 24, NOTE_BYTES = 90, GAMES = 4, ROUNDS = 1000 };

static const char *const games[GAMES] = {"texas_holdem", "liars_dice", "coup", "belote"};

static uint64_t dice = 1;

static uint32_t draw(uint32_t below)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((dice >> 33) * below >> 31);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench.store: %s\n", what);
    exit(1);
}

static void refuse_refusals(struct store *s)
{
    struct store_refusal r;
    if (store_take_refusal(s, &r))
        fail("a match was refused");
}

// CPU time of one process; 0 when it is gone.
static double seconds_of(long pid)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%ld/schedstat", pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%llu", &ns) != 1)
        ns = 0;
    if (f)
        fclose(f);
    return (double)ns * 1e-9;
}

// CPU time of the database server that AGON_BENCH_SERVER names by its first process, with all it has started; 0: none.
static double server_seconds(void)
{
    const char *named = getenv("AGON_BENCH_SERVER");
    char path[64];
    long pid = named ? strtol(named, NULL, 10) : 0;
    if (pid <= 0)
        return 0;
    double sum = seconds_of(pid);
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    FILE *f = fopen(path, "r");
    for (long child; f && fscanf(f, "%ld", &child) == 1;)
        sum += seconds_of(child);
    if (f)
        fclose(f);
    return sum;
}

static struct uuid name_of(char kind, uint64_t n)
{
    struct uuid u = {0};
    uint64_t mixed = (n * 256 + (uint64_t)kind) * 0x9E3779B97F4A7C15u; // spread, as names that nobody chose are
    mixed ^= mixed >> 29;
    memcpy(u.byte, &mixed, sizeof mixed);
    memcpy(u.byte + 8, &n, sizeof n);
    return u;
}

static const char *node; // the name of one of several

static struct store *open_store(const char *folder, const char *synchronous)
{
    char why[512] = "";
    struct store_options o;
    store_defaults(&o);
    o.folder = folder;
    if (pg_is_url(folder)) {
        o.engine = &store_pg;
        o.url = folder;
        o.node = node;
        o.lease_ms = LEASE_MS;
    }
    o.synchronous = synchronous;
    if (synchronous)
        o.cache_bytes = (size_t)6 << 30;
    struct store *s = store_open(&o, why, sizeof why);
    if (!s)
        fail(why);
    return s;
}

// Between two matches: 232 days for a million, or 23, of which copies fill the rest of the year.
static int64_t step_ms(const char *folder)
{
    return pg_is_url(folder) ? 2000 : 20000;
}

static void put_agents(struct store *s, uint32_t first, uint32_t count)
{
    for (uint32_t n = first; n < first + count; n++) {
        struct store_agent a = {.id = name_of('a', n), .public_no = 1000000000u + n, .has_key = true, .claimed = true};
        memcpy(a.key_hash, &a.id, sizeof a.id);
        a.kind = n < 12 ? STORE_HOUSE : STORE_CLIENT;
        snprintf(a.name, sizeof a.name, "agent %u", n);
        snprintf(a.model, sizeof a.model, "model %u", n % 40);
        store_put_agent(s, &a);
        if (n % 1000 == 0)
            store_wait(s);
    }
    store_wait(s);
}

static struct store_match match_of(uint64_t n, int game, int seats, int64_t at_ms)
{
    struct store_match m = {.id = name_of('m', n),
                            .replay = name_of('r', n),
                            .live = name_of('l', n),
                            .created_ms = at_ms,
                            .started_ms = at_ms,
                            .seats = seats,
                            .winner = -1,
                            .forfeited_by = -1};
    snprintf(m.game, sizeof m.game, "%s", games[game]);
    strcpy(m.mode, "ranked");
    memcpy(m.key, &m.id, sizeof m.id);
    for (int i = 0; i < seats; i++)
        m.seat[i].session = name_of('s', n * 16 + (uint64_t)i);
    return m;
}

static void seat_agent(struct store_match *m, int seat, uint32_t agent)
{
    m->seat[seat].agent = name_of('a', agent);
    snprintf(m->seat[seat].name, sizeof m->seat[seat].name, "agent %u", agent);
}

static void end_match(struct store_match *m, int64_t at_ms)
{
    m->status = STORE_FINISHED;
    m->finished_ms = at_ms;
    m->rated = true;
    m->winner = (int8_t)draw((uint32_t)m->seats);
    for (int i = 0; i < m->seats; i++) {
        m->payoffs[i] = i == m->winner;
        m->seat[i].result = i == m->winner ? 'w' : 'l';
        m->seat[i].delivered = true;
    }
}

// --- appends

struct live {
    struct store_match match;
    int actions;
    struct store_rating rating[2];
};

static struct live *live;
static uint32_t first_agent; // of this node
static int at_once = MATCHES;
static char bytes[LOG_BYTES + NOTE_BYTES + 600];

static void begin_match(struct store *s, int i, uint64_t n)
{
    live[i].match = match_of(n, i % GAMES, 2, START_MS + (int64_t)n);
    live[i].actions = 0;
    for (int seat = 0; seat < 2; seat++) {
        seat_agent(&live[i].match, seat, first_agent + (uint32_t)(i * 2 + seat));
        live[i].rating[seat] = (struct store_rating){.agent = live[i].match.seat[seat].agent,
                                                     .rating = 1500,
                                                     .deviation = 80,
                                                     .volatility = 0.06,
                                                     .rated_ms = START_MS,
                                                     .version = live[i].rating[seat].version,
                                                     .games = 20,
                                                     .rated_games = 20};
        memcpy(live[i].rating[seat].game, live[i].match.game, sizeof live[i].match.game);
    }
    store_begin_match(s, &live[i].match, NULL, (struct span){bytes, 300});
}

static void append_action(struct store *s, int i, uint64_t *matches)
{
    struct live *l = &live[i];
    struct span note = {bytes + LOG_BYTES, NOTE_BYTES};
    store_append(s, l->match.id, START_MS, (struct span){bytes, LOG_BYTES}, note);
    if (++l->actions < ACTIONS)
        return;
    end_match(&l->match, START_MS + (int64_t)*matches);
    store_finish_match(s, &l->match, NULL, START_MS, (struct span){bytes, 60}, l->rating, 2, NULL);
    for (int seat = 0; seat < 2; seat++)
        l->rating[seat].version++;
    begin_match(s, i, (*matches)++);
}

// Turns of a loop, `rate` actions a second, each turn's together; how long the oldest of a turn waits to be durable.
struct figures {
    double done, wall, caller, writer, server, puts, commits, wait, worst; // seconds
};

static struct figures run_appends(struct store *s, double rate, double lasting, uint64_t *matches)
{
    enum { MOST = 1 << 16 };
    static double put_at[MOST], waits[MOST];
    double begun = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID),
           server = server_seconds(), putting = 0, now;
    uint64_t done = 0, commits = 0;
    store_ticket collected = store_last(s), first = collected;
    int waited = 0;
    while ((now = seconds(CLOCK_MONOTONIC)) < begun + lasting) {
        uint64_t due = rate > 0 ? (uint64_t)((now - begun) * rate) : done + 64;
        double thread = seconds(CLOCK_THREAD_CPUTIME_ID);
        for (; done < due; done++) {
            store_ticket before = store_last(s);
            append_action(s, (int)draw((uint32_t)at_once), matches);
            while (before < store_last(s))
                put_at[++before % MOST] = now;
        }
        store_submit(s);
        putting += seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
        struct pollfd p = {store_descriptor(s), POLLIN, 0};
        if (poll(&p, 1, rate > 0 ? 1 : 0) > 0) {
            store_ticket durable;
            thread = seconds(CLOCK_THREAD_CPUTIME_ID);
            if (store_collect(s, &durable) != OK)
                fail(store_fault(s));
            store_submit(s); // as a turn of the loop that was woken by the store
            putting += seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
            commits += durable > collected;
            refuse_refusals(s);
            if (waited < MOST && durable > collected && durable - collected < MOST)
                waits[waited++] = seconds(CLOCK_MONOTONIC) - put_at[(collected + 1) % MOST];
            collected = durable;
        }
    }
    store_wait(s);
    if (store_collect(s, &collected) != OK)
        fail(store_fault(s));
    struct figures f = {.done = (double)done,
                        .wall = seconds(CLOCK_MONOTONIC) - begun,
                        .caller = putting,
                        .writer = seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID) - cpu,
                        .server = server_seconds() - server,
                        .puts = (double)(collected - first),
                        .commits = (double)(commits ? commits : 1)};
    for (int i = 0; i < waited; i++) {
        f.wait += waits[i] / waited;
        f.worst = waits[i] > f.worst ? waits[i] : f.worst;
    }
    return f;
}

static void print_figures(const struct figures *f)
{
    printf("store.appends  %8.0f /s  CPU for each %.2f us in the caller, %.2f us in the writer, %.2f us in the server  "
           "%5.0f puts a commit  waits %.1f ms, worst %.1f ms\n",
           f->done / f->wall, f->caller / f->done * 1e6, f->writer / f->done * 1e6, f->server / f->done * 1e6,
           f->puts / f->commits, f->wait * 1e3, f->worst * 1e3);
}

// Every agent has ended a match: rows of its ratings and lists are there, as they are for nearly every match of a
// league.
static void warm_up(struct store *s, uint64_t *matches)
{
    live = calloc((size_t)at_once, sizeof *live);
    memset(bytes, 'x', sizeof bytes);
    put_agents(s, first_agent, (uint32_t)at_once * 2);
    for (int i = 0; i < at_once; i++)
        begin_match(s, i, (*matches)++);
    for (int i = 0; i < at_once; i++)
        live[i].actions = (int)draw(ACTIONS); // they do not end together
    for (int i = 0; i < at_once * ACTIONS * 2; i++) {
        append_action(s, i % at_once, matches);
        if (i % 256 == 0)
            store_wait(s);
    }
    store_wait(s);
}

static void bench_appends(const char *folder)
{
    char own[] = "/tmp/agon-bench-XXXXXX", command[128];
    uint64_t matches = 0;
    if (!folder && !mkdtemp(own))
        fail("no temporary folder");
    struct store *s = open_store(folder ? folder : own, NULL);
    warm_up(s, &matches);
    struct figures paced = run_appends(s, 4000, 4, &matches), most = run_appends(s, 0, 3, &matches);
    print_figures(&paced);
    print_figures(&most);
    store_close(s);
    snprintf(command, sizeof command, "rm -rf %s", own);
    if (!folder && system(command) != 0)
        fail("cannot remove the temporary folder");
}

// --- nodes

// One of several, in a process of its own: says when it is warm, waits for the word, says what it has done.
static void be_node(const char *url, int index, int nodes, double rate, int out, int word)
{
    char name[16];
    struct figures f;
    uint64_t matches = (uint64_t)index * 1000000000;
    snprintf(name, sizeof name, "n%d", index);
    node = name;
    at_once = MATCHES / nodes;
    first_agent = (uint32_t)index * MATCHES * 2;
    struct store *s = open_store(url, NULL);
    warm_up(s, &matches);
    if (write(out, "", 1) != 1 || read(word, &(char){0}, 1) != 1)
        fail("no word from the first process");
    f = run_appends(s, rate / nodes, 6, &matches);
    if (write(out, &f, sizeof f) != sizeof f)
        fail("cannot tell what was done");
    if (read(word, &(char){0}, 1) != 1) // what the server has done for it is read while its sessions are there
        fail("no word from the first process");
    store_close(s);
    exit(0);
}

static void run_nodes(const char *url, int nodes, double rate)
{
    int out[2], word[2];
    char byte[64];
    struct figures all = {0};
    store_close(open_store(url, NULL)); // tables are made once
    if (nodes < 1 || nodes > (int)sizeof byte || pipe(out) != 0 || pipe(word) != 0)
        fail("NODES is 1 to 64");
    for (int i = 0; i < nodes; i++)
        if (fork() == 0)
            be_node(url, i, nodes, rate, out[1], word[0]);
    for (int i = 0; i < nodes; i++)
        if (read(out[0], byte, 1) != 1)
            fail("a node has ended");
    double server = server_seconds();
    if (write(word[1], byte, (size_t)nodes) != nodes)
        fail("no node hears");
    for (int i = 0; i < nodes; i++) {
        struct figures f;
        if (read(out[0], &f, sizeof f) != sizeof f)
            fail("a node has ended");
        all.done += f.done;
        all.wall += f.wall / nodes;
        all.caller += f.caller;
        all.writer += f.writer;
        all.puts += f.puts;
        all.commits += f.commits;
        all.wait += f.wait / nodes;
        all.worst = f.worst > all.worst ? f.worst : all.worst;
    }
    all.server = server_seconds() - server;
    if (write(word[1], byte, (size_t)nodes) != nodes)
        fail("no node hears");
    printf("%d nodes  ", nodes);
    print_figures(&all);
    while (wait(NULL) > 0)
        ;
}

// --- fill

// A few agents play much more than others, as it is in life.
static uint32_t pick_agent(uint32_t agents)
{
    uint32_t few = draw(4) ? agents : agents / 50 + 12;
    return draw(few);
}

struct standing {
    struct glicko glicko;
    int64_t rated_ms;
    uint32_t games, wins, losses;
};

static void rate_seat(struct store_rating *r, struct standing *st, const struct store_match *m, int seat,
                      int64_t now_ms)
{
    bool won = seat == m->winner;
    st->games++;
    st->wins += won;
    st->losses += !won;
    st->rated_ms = now_ms;
    *r = (struct store_rating){.agent = m->seat[seat].agent,
                               .rating = st->glicko.rating,
                               .deviation = st->glicko.deviation,
                               .volatility = st->glicko.volatility,
                               .peak = st->glicko.rating,
                               .rated_ms = now_ms,
                               .played_ms = now_ms,
                               .version = st->games - 1,
                               .games = st->games,
                               .rated_games = st->games,
                               .wins = st->wins,
                               .losses = st->losses};
    memcpy(r->game, m->game, sizeof r->game);
    strcpy(r->form, "wlwlwlwlwl");
    for (int i = 8; i < 20; i++)
        r->latency[i] = st->games;
}

static void fill_store(const char *folder, uint64_t matches, uint32_t agents)
{
    const bool elsewhere = pg_is_url(folder);
    const uint64_t together = elsewhere ? 200 : 1000;
    struct store *s = open_store(folder, "OFF");
    struct standing *all = calloc((size_t)agents * GAMES, sizeof *all);
    double begun = seconds(CLOCK_MONOTONIC);
    for (size_t i = 0; i < (size_t)agents * GAMES; i++)
        all[i].glicko = glicko_start();
    put_agents(s, 0, agents);
    if (!elsewhere)
        store_begin_ratings(s); // one transaction from here to the end: each page is written once
    for (uint64_t n = 0; n < matches; n++) {
        int game = (int)draw(GAMES), seats = draw(5) ? 2 : 4;
        int64_t at_ms = START_MS + (int64_t)n * step_ms(folder);
        struct store_match m = match_of(n, game, seats, at_ms);
        struct glicko before[4];
        uint32_t who[4];
        for (int i = 0; i < seats; i++) {
            for (bool again = true; again;) {
                who[i] = pick_agent(agents);
                again = false;
                for (int j = 0; j < i; j++)
                    again |= who[j] == who[i];
            }
            seat_agent(&m, i, who[i]);
            const struct standing *st = &all[who[i] * GAMES + (uint32_t)game];
            before[i] = st->rated_ms ? glicko_idle(st->glicko, (at_ms - st->rated_ms) / 86400000) : st->glicko;
        }
        store_begin_match(s, &m, NULL, (struct span){bytes, 200});
        for (int i = 0; i < 8; i++)
            store_append(s, m.id, at_ms + i * 1000, (struct span){bytes, 40}, (struct span){bytes, 30});
        end_match(&m, at_ms + 9000);
        glicko_match(before, seats, 0, m.payoffs, 0);
        struct store_rating r[4];
        for (int i = 0; i < seats; i++) {
            struct standing *st = &all[who[i] * GAMES + (uint32_t)game];
            st->glicko = before[i];
            rate_seat(&r[i], st, &m, i, m.finished_ms);
        }
        store_finish_match(s, &m, NULL, m.finished_ms, (struct span){bytes, 60}, r, seats, NULL);
        if (n % together == 0)
            store_submit(s);
        if (elsewhere && n % together == 0)
            store_wait(s);
        refuse_refusals(s);
        if (n % 100000 == 0)
            fprintf(stderr, "%llu\n", (unsigned long long)n);
    }
    if (!elsewhere)
        store_end_ratings(s);
    store_wait(s);
    struct store_counts c;
    store_count(s, &c);
    printf("filled: %llu matches, %llu agents, %.0f MB, %.0f s\n", (unsigned long long)c.matches,
           (unsigned long long)c.agents, (double)c.bytes / 1e6, seconds(CLOCK_MONOTONIC) - begun);
    free(all);
    store_close(s);
}

// --- reads

struct reads {
    struct store *store;
    uint64_t matches;
    uint32_t agents, copies;
    int64_t now_ms;
};

static bool skip_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    (void)owner;
    (void)at_ms;
    (void)log;
    (void)note;
    return true;
}

static union {
    struct store_match match[100];
    struct store_rank rank[100];
    struct store_total total[100];
    struct store_rating rating[8];
    struct store_point point[500];
    struct store_versus versus[500];
    struct store_agent agent[50];
    struct uuid id[100];
} out;

static struct uuid some_agent(const struct reads *r)
{
    return name_of('a', draw(r->agents));
}

// Which copy of a match it is stands in the last two bytes.
static struct uuid some_copy(const struct reads *r, struct uuid u)
{
    uint32_t copy = draw(r->copies);
    u.byte[14] = (uint8_t)(copy >> 8);
    u.byte[15] = (uint8_t)copy;
    return u;
}

static struct uuid some_match(const struct reads *r, char kind)
{
    return some_copy(r, name_of(kind, draw((uint32_t)(r->matches / r->copies))));
}

static void read_agent(struct reads *r)
{
    if (!store_find_agent(r->store, some_agent(r), out.agent))
        fail("an agent is missing");
}

static void read_key(struct reads *r)
{
    uint8_t hash[STORE_HASH] = {0};
    struct uuid id = some_agent(r);
    memcpy(hash, &id, sizeof id);
    if (!store_find_agent_by_key(r->store, hash, out.agent))
        fail("a key is missing");
}

static void read_last_agents(struct reads *r)
{
    int total;
    store_list_agents(r->store, STORE_CLIENT, (int)r->agents - 100, out.agent, 50, &total);
}

static void read_match(struct reads *r)
{
    if (!store_find_match(r->store, some_match(r, 'm'), out.match))
        fail("a match is missing");
}

static void read_replay(struct reads *r)
{
    if (!store_find_replay(r->store, some_match(r, 'r'), out.match) ||
        store_read_log(r->store, out.match->id, skip_piece, NULL) != OK)
        fail("a replay is missing");
}

static void read_session(struct reads *r)
{
    int seat;
    uint64_t match = draw((uint32_t)(r->matches / r->copies));
    if (!store_find_session(r->store, some_copy(r, name_of('s', match * 16 + 1)), out.match, &seat))
        fail("a session is missing");
}

static void read_newest(struct reads *r)
{
    int total;
    store_list_matches(r->store, NULL, NULL, 0, out.match, 100, &total);
}

static void read_oldest(struct reads *r)
{
    int total;
    store_list_matches(r->store, games[draw(GAMES)], NULL, (int)r->matches / GAMES - 20000, out.match, 100, &total);
}

static void read_busy_page(struct reads *r)
{
    int total;
    struct uuid id = name_of('a', draw(12));
    store_list_matches(r->store, NULL, &id, (int)draw(100), out.match, 20, &total);
}

static void read_versus(struct reads *r)
{
    store_versus(r->store, some_agent(r), NULL, out.versus, 500);
}

static void read_busy_versus(struct reads *r)
{
    store_versus(r->store, name_of('a', draw(12)), NULL, out.versus, 100);
}

static void read_board(struct reads *r)
{
    int total;
    if (store_leaderboard(r->store, games[draw(GAMES)], r->now_ms, 0, out.rank, 100, &total) != 100)
        fail("a short board");
    store_submit(r->store);
}

static void read_deep_board(struct reads *r)
{
    int total;
    const char *game = games[draw(GAMES)];
    store_leaderboard(r->store, game, r->now_ms, 0, out.rank, 1, &total);
    store_leaderboard(r->store, game, r->now_ms, total - 100, out.rank, 100, &total);
}

static void read_overall(struct reads *r)
{
    int total;
    store_overall(r->store, r->now_ms, 0, out.total, 100, &total);
}

// F7.12: all that a profile shows.
static void read_profile_of(struct reads *r, struct uuid id)
{
    int seat[20];
    store_find_agent(r->store, id, out.agent);
    store_ratings(r->store, id, out.rating, 8);
    store_overall_of(r->store, id, r->now_ms, out.total);
    store_list_recent(r->store, id, out.match, seat, 20);
    store_rating_history(r->store, id, out.point, 500);
}

static void read_profile(struct reads *r)
{
    read_profile_of(r, some_agent(r));
}

static void read_busy_profile(struct reads *r)
{
    read_profile_of(r, name_of('a', draw(1000)));
}

static void read_counts(struct reads *r)
{
    struct store_counts c;
    store_count(r->store, &c);
}

static void read_started(struct reads *r)
{
    int64_t at_ms[64];
    store_list_starts(r->store, name_of('a', draw(12)), r->now_ms - 86400000, at_ms, 64);
}

static const struct {
    const char *name;
    void (*run)(struct reads *r);
} lines[] = {
    {"agent", read_agent},
    {"agent by key", read_key},
    {"last page of agents", read_last_agents},
    {"match", read_match},
    {"replay with its log", read_replay},
    {"match by session", read_session},
    {"newest 100 matches", read_newest},
    {"100 matches, far back", read_oldest},
    {"20 matches of a busy agent", read_busy_page},
    {"versus", read_versus},
    {"versus of a busy agent", read_busy_versus},
    {"leaderboard, first 100", read_board},
    {"leaderboard, last 100", read_deep_board},
    {"overall, first 100", read_overall},
    {"profile", read_profile},
    {"profile of a busy agent", read_busy_profile},
    {"matches started today", read_started},
    {"counts", read_counts},
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A database that nobody looked at for months: all ratings have become less certain. The writer sees to that.
static void wait_for_ageing(struct reads *r)
{
    double begun = seconds(CLOCK_MONOTONIC), first = 0, look;
    int total, looks = 0;
    for (store_ticket before = store_last(r->store) + 1; before != store_last(r->store); looks++) {
        before = store_last(r->store);
        look = seconds(CLOCK_MONOTONIC);
        store_leaderboard(r->store, games[0], r->now_ms, 0, out.rank, 100, &total);
        first = looks ? first : seconds(CLOCK_MONOTONIC) - look;
        store_wait(r->store);
        usleep(looks % 8 ? 1000 : 500000);
    }
    printf("first look at a board          %8.2f ms, all ratings up to date after %.1f s\n", first * 1e3,
           seconds(CLOCK_MONOTONIC) - begun);
}

static void bench_reads(const char *folder, uint32_t copies)
{
    double begun = seconds(CLOCK_MONOTONIC), took[ROUNDS];
    struct reads r = {.store = open_store(folder, NULL), .copies = copies};
    printf("open                          %8.2f ms\n", (seconds(CLOCK_MONOTONIC) - begun) * 1e3);
    struct store_counts c;
    store_count(r.store, &c);
    r.matches = c.matches;
    r.agents = (uint32_t)c.agents;
    r.now_ms = START_MS + (int64_t)c.matches * step_ms(folder) + 1000;
    wait_for_ageing(&r);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double cpu = server_seconds();
        for (int round = 0; round < ROUNDS; round++) {
            begun = seconds(CLOCK_MONOTONIC);
            lines[i].run(&r);
            took[round] = (seconds(CLOCK_MONOTONIC) - begun) * 1e3;
        }
        cpu = (server_seconds() - cpu) / ROUNDS * 1e3;
        double first = took[0];
        qsort(took, ROUNDS, sizeof *took, compare_doubles);
        printf("%-28s  %8.3f ms  p99 %8.3f  worst %8.3f  first %8.3f  CPU of the server %.3f\n", lines[i].name,
               took[ROUNDS / 2], took[ROUNDS * 99 / 100], took[ROUNDS - 1], first, cpu);
    }
    store_close(r.store);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "appends") == 0)
        bench_appends(argc > 2 ? argv[2] : NULL);
    else if (argc == 5 && strcmp(argv[1], "nodes") == 0)
        run_nodes(argv[2], atoi(argv[3]), strtod(argv[4], NULL));
    else if (argc == 5 && strcmp(argv[1], "fill") == 0)
        fill_store(argv[2], strtoull(argv[3], NULL, 10), (uint32_t)strtoul(argv[4], NULL, 10));
    else if (argc >= 3 && strcmp(argv[1], "reads") == 0)
        bench_reads(argv[2], argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1);
    else
        fail("usage: appends [FOLDER] | nodes URL NODES RATE | fill FOLDER MATCHES AGENTS | reads FOLDER [COPIES]");
    return 0;
}
