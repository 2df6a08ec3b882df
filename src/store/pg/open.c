// Opening and closing the store, and the turns in between.
#include "store/pg/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK_MS = 100,      // silence of connections and leases are looked at so often
    PROGRAM = 2,        // version of the program in the row of a node (struct store_node)
    NAMESAKE_MS = 1500, // longer than a renewal takes (PG_RENEW_MS)
};

int64_t pg_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool pg_is_url(const char *text)
{
    return strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0;
}

void pg_fail(struct pg *p, const char *what, const char *why)
{
    if (!p->failed)
        snprintf(p->fault, sizeof p->fault, "%s: %.*s", what, (int)strcspn(why, "\n"), why);
    p->failed = true;
}

void pg_note_damage(struct pg *p, const char *what)
{
    if (!p->damage[0])
        snprintf(p->damage, sizeof p->damage, "%.*s", (int)strcspn(what, "\n"), what);
    p->damages++;
}

// --- turns

static void drain_descriptor(int fd)
{
    uint64_t news;
    while (read(fd, &news, sizeof news) < 0 && errno == EINTR)
        ;
}

static void tick_all(struct pg *p)
{
    int64_t now = pg_now_ms();
    link_tick(&p->writer, now);
    for (int i = 0; i < PG_READERS; i++)
        link_tick(&p->reader[i], now);
    nodes_tick(p, now);
    query_expire(p, now);
    batch_renew(p, now);
}

void pg_pump(struct pg *p)
{
    struct epoll_event news[8];
    int count;
    do {
        count = epoll_wait(p->epoll, news, COUNT_OF(news), 0);
        for (int i = 0; i < count; i++) {
            void *who = news[i].data.ptr;
            if (who == &p->timer) {
                drain_descriptor(p->timer);
                tick_all(p);
            } else if (who == &p->pace) {
                drain_descriptor(p->pace);
            } else if (who == &p->event) {
                drain_descriptor(p->event);
            } else {
                link_on_ready(who);
            }
        }
    } while (count == COUNT_OF(news));
}

// While the writer is back and no reader is, reads would wait in vain, and agents be refused for it.
static bool has_reader(const struct pg *p)
{
    for (int i = 0; i < PG_READERS; i++)
        if (p->reader[i].state == LINK_READY)
            return true;
    return false;
}

int pg_collect(struct store *s, store_ticket *durable)
{
    struct pg *p = pg_of(s);
    pg_pump(p);
    p->away = p->writer.state != LINK_READY || !has_reader(p) || p->doubted || p->no_standby;
    if (!p->away)
        p->collected = refusals_limit_durable(&p->refusals, p->durable);
    *durable = p->collected;
    work_wake(p->options.work, &p->waits);
    pg_catch_up(p);
    return p->failed ? ERR_STORAGE : OK;
}

// In a job: waits until the turn's batch is durable without blocking the loop; pg_collect wakes the job.
static void wait_as_job(struct pg *p)
{
    store_ticket last = p->last;
    for (int64_t until = pg_now_ms() + STORE_PATIENCE_MS; p->durable < last && !p->failed && !p->given_up;) {
        if (p->away && pg_now_ms() >= until)
            return;
        work_sleep(p->options.work, &p->waits);
    }
}

void pg_wait(struct store *s)
{
    struct pg *p = pg_of(s);
    store_ticket durable;
    if (work_is_inside(p->options.work)) {
        wait_as_job(p);
        return;
    }
    for (int64_t until = pg_now_ms() + STORE_PATIENCE_MS; p->durable < p->last && !p->failed && !p->holding;) {
        p->submitted_us = 0;
        pg_submit(s);
        struct pollfd fd = {.fd = p->epoll, .events = POLLIN};
        poll(&fd, 1, 50);
        pg_collect(s, &durable);
        if (!p->away)
            until = pg_now_ms() + STORE_PATIENCE_MS;
        else if (pg_now_ms() >= until)
            return;
    }
    pg_collect(s, &durable);
}

store_ticket pg_last(const struct store *s)
{
    return pg_of(s)->last;
}

store_ticket pg_durable(const struct store *s)
{
    return pg_of(s)->collected;
}

int pg_descriptor(const struct store *s)
{
    return pg_of(s)->epoll;
}

bool pg_is_away(const struct store *s)
{
    return pg_of(s)->away;
}

const char *pg_absence(const struct store *s)
{
    const struct pg *p = pg_of(s);
    return pg_lacks_standby(s) ? p->no_standby_why : p->writer.state == LINK_READY ? p->reader[0].why : p->writer.why;
}

bool pg_may_wait(const struct store *s)
{
    (void)s;
    return true;
}

bool pg_may_refuse(const struct store *s)
{
    (void)s;
    return true;
}

bool pg_reach(struct store *s)
{
    struct query q;
    struct args a = query_begin(&q, PG_REACH);
    struct answer r = query_run(pg_of(s), &q, &a);
    if (!r.result)
        return false;
    answer_end(&r);
    return true;
}

uint64_t pg_unanswered(const struct store *s)
{
    return pg_of(s)->unanswered;
}

uint64_t pg_blocked(const struct store *s)
{
    return pg_of(s)->blocked;
}

void pg_give_up(struct store *s)
{
    pg_of(s)->given_up = true;
    query_expire(pg_of(s), pg_now_ms());
    work_wake(pg_of(s)->options.work, &pg_of(s)->waits);
}

bool pg_lacks_standby(const struct store *s)
{
    return pg_of(s)->no_standby && pg_of(s)->writer.state == LINK_READY;
}

uint64_t pg_lost_batches(const struct store *s)
{
    return pg_of(s)->lost_batches;
}

bool pg_has_room(const struct store *s)
{
    (void)s; // a full disk of the server shows as a store that is away
    return true;
}

const char *pg_fault(const struct store *s)
{
    return pg_of(s)->fault;
}

bool pg_take_refusal(struct store *s, struct store_refusal *out)
{
    struct pg *p = pg_of(s);
    if (p->away || !refusals_take(&p->refusals, p->durable, out))
        return false;
    batch_forget_moved(p, out->match);
    return true;
}

void pg_settle(struct store *s, store_ticket refused, store_ticket instead)
{
    refusals_settle(&pg_of(s)->refusals, refused, instead);
}

uint64_t pg_damages(const struct store *s)
{
    return pg_of(s)->damages;
}

const char *pg_damage(const struct store *s)
{
    return pg_of(s)->damage;
}

int pg_backup(struct store *s, const char *path, char *why, size_t room)
{
    (void)s;
    snprintf(why, room, "cannot write %s: the data is in PostgreSQL; use pg_dump or its continuous archiving", path);
    return ERR_STORAGE;
}

// --- opening: all of this blocks

static PGresult *exec_sql(PGconn *c, const char *sql, char *why, size_t room)
{
    PGresult *r = PQexec(c, sql);
    if (PQresultStatus(r) == PGRES_COMMAND_OK || PQresultStatus(r) == PGRES_TUPLES_OK)
        return r;
    snprintf(why, room, "PostgreSQL: %s", PQresultErrorMessage(r));
    why[strcspn(why, "\n")] = 0;
    PQclear(r);
    return NULL;
}

static bool exec_all(PGconn *c, const char *const *sql, char *why, size_t room)
{
    for (; *sql; sql++) {
        PGresult *r = exec_sql(c, *sql, why, room);
        if (!r)
            return false;
        PQclear(r);
    }
    return true;
}

static int64_t query_int(PGconn *c, const char *sql, int64_t otherwise, char *why, size_t room)
{
    PGresult *r = exec_sql(c, sql, why, room);
    int64_t value =
        r && PQntuples(r) == 1 && !PQgetisnull(r, 0, 0) ? strtoll(PQgetvalue(r, 0, 0), NULL, 10) : otherwise;
    PQclear(r);
    return value;
}

static bool migrate_from(PGconn *c, int64_t version, char *why, size_t room)
{
    static const char *const begin[] = {"BEGIN", NULL}, *const commit[] = {"COMMIT", NULL};
    for (int64_t i = version; i < pg_migration_count; i++) {
        char note[160];
        const char *const noted[] = {note, NULL};
        // A new arena lacks the functions that programs before schema 7 call.
        snprintf(note, sizeof note,
                 i == 0 ? "INSERT INTO arena(schema, oldest_reader) VALUES(%lld, 7)" : "UPDATE arena SET schema = %lld",
                 (long long)i + 1);
        if (!exec_all(c, begin, why, room) || !exec_all(c, pg_migrations[i], why, room) ||
            !exec_all(c, noted, why, room) || !exec_all(c, commit, why, room))
            return false;
    }
    return true;
}

static bool check_server(PGconn *c, char *why, size_t room)
{
    const char *encoding = PQparameterStatus(c, "server_encoding");
    if (PQserverVersion(c) < 150000) {
        snprintf(why, room, "PostgreSQL %d is too old; 15 or later is needed", PQserverVersion(c) / 10000);
        return false;
    }
    if (!encoding || strcmp(encoding, "UTF8") != 0) { // a name that the encoding lacks would be a failed write
        snprintf(why, room, "the database's encoding is %s; make one with createdb -E UTF8 -T template0",
                 encoding ? encoding : "not known");
        return false;
    }
    return true;
}

// Others that open the arena wait until this connection ends. So of two at once, the second one sees the first.
static bool lock_opening(PGconn *c, char *why, size_t room)
{
    static const char *const lock[] = {"SET lock_timeout = '20s'", "SELECT pg_advisory_lock(7311, 0)",
                                       "RESET lock_timeout", NULL};
    bool locked = exec_all(c, lock, why, room);
    if (!locked && PQstatus(c) == CONNECTION_OK)
        snprintf(why, room, "another server has been opening this arena for 20 s; end it, or try again");
    return locked;
}

// S36: each step is a transaction.
static bool migrate_schema(PGconn *c, char *why, size_t room)
{
    int64_t version = 0;
    if (query_int(c, "SELECT count(*) FROM pg_class WHERE oid = to_regclass('arena')", -1, why, room) == 1)
        version = query_int(c, "SELECT schema FROM arena", -1, why, room);
    int64_t oldest = version > 0 ? query_int(c, "SELECT oldest_reader FROM arena", 1, why, room) : 1;
    bool done = version >= 0;
    if (done && oldest > pg_migration_count) {
        snprintf(why, room,
                 "the arena was made by a newer version of agon (schema %lld, this one knows %d); upgrade agon",
                 (long long)version, pg_migration_count);
        done = false;
    }
    return done && migrate_from(c, version, why, room);
}

enum { GONE = -2, UNKNOWN = -1 }; // returned instead of a batch number

static int64_t batch_of(PGconn *c, const char *epoch, char *why, size_t room)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT coalesce((SELECT batch FROM nodes WHERE epoch = %s), %d)", epoch, GONE);
    return query_int(c, sql, UNKNOWN, why, room);
}

static bool has_session(PGconn *c, const char *epoch, char *why, size_t room)
{
    char sql[160];
    snprintf(
        sql, sizeof sql,
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agon-%s'",
        epoch);
    return query_int(c, sql, 1, why, room) > 0;
}

static void end_session(PGconn *c, const char *epoch, char *why, size_t room)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
             "application_name = 'agon-%s' AND pid = (SELECT backend FROM nodes WHERE epoch = %s)",
             epoch, epoch);
    query_int(c, sql, 0, why, room);
}

struct earlier_run { // the row of an earlier run
    const char *epoch, *name, *batch;
    bool alive; // it has a session
    bool alone; // it has the arena to itself
};

static bool refuse_to_open(const struct pg *p, const struct earlier_run *o, char *why, size_t room)
{
    bool namesake = p->shared && !o->alone;
    snprintf(why, room, "the arena is in use by server %s (epoch %s)%s", o->name, o->epoch,
             namesake   ? ", which has the same name; choose another with --node"
             : o->alone ? "; stop it first"
                        : ", one of several nodes (--node); stop it first");
    return false;
}

// S13, S17. A node with a session is alive, unless its row does not change for a lease; for a node of the same name,
// for longer than a renewal takes. Then its session is ended.
static bool take_over_run(const struct pg *p, PGconn *c, const struct earlier_run *o, char *why, size_t room)
{
    char sql[128];
    int64_t patience = p->shared && !o->alone ? NAMESAKE_MS : p->lease_ms;
    for (int64_t until = pg_now_ms() + patience; o->alive && pg_now_ms() < until; poll(NULL, 0, 250)) {
        int64_t now = batch_of(c, o->epoch, why, room);
        if (now < 0) // it has left meanwhile, or the database did not answer
            return now == GONE;
        if (now != strtoll(o->batch, NULL, 10))
            return refuse_to_open(p, o, why, room);
    }
    if (o->alive && !p->options.takes_over && has_session(c, o->epoch, why, room))
        return refuse_to_open(p, o, why, room);
    if (o->alive)
        end_session(c, o->epoch, why, room);
    snprintf(sql, sizeof sql, "SELECT take_over(%s, %s, ARRAY[0::bigint])", o->epoch, o->batch);
    int64_t taken = query_int(c, sql, UNKNOWN, why, room);
    if (taken == 0 && batch_of(c, o->epoch, why, room) != GONE) // it has moved meanwhile, so it is alive
        return refuse_to_open(p, o, why, room);
    return taken >= 0;
}

// A server that has the arena to itself takes all nodes over. One of several nodes takes over earlier runs of its own
// name, and a server that had the arena to itself.
static bool take_over_all(const struct pg *p, PGconn *c, char *why, size_t room)
{
    PGresult *r =
        exec_sql(c,
                 "SELECT n.epoch, n.name, n.batch, EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = "
                 "current_database() AND a.application_name = 'agon-' || n.epoch), n.alone FROM nodes n ORDER BY "
                 "n.epoch",
                 why, room);
    bool done = r != NULL;
    for (int i = 0; done && i < PQntuples(r); i++) {
        struct earlier_run o = {PQgetvalue(r, i, 0), PQgetvalue(r, i, 1), PQgetvalue(r, i, 2),
                                PQgetvalue(r, i, 3)[0] == 't', PQgetvalue(r, i, 4)[0] == 't'};
        if (!p->shared || o.alone || strcmp(o.name, p->name) == 0)
            done = take_over_run(p, c, &o, why, room);
    }
    PQclear(r);
    return done;
}

// S10: adds a row for this run, with an epoch that no other node has.
static bool add_node(struct pg *p, PGconn *c, char *why, size_t room)
{
    char sql[512];
    const char *address = p->options.address ? p->options.address : "";
    char *name = PQescapeLiteral(c, p->name, strlen(p->name)), *where = PQescapeLiteral(c, address, strlen(address));
    snprintf(sql, sizeof sql,
             "INSERT INTO nodes(name, address, program, rules, state, backend, alone) VALUES(%s, %s, %d, '{1}', 1, 0, "
             "%s) RETURNING epoch",
             name ? name : "''", where ? where : "''", PROGRAM, p->shared ? "false" : "true");
    PQfreemem(name);
    PQfreemem(where);
    p->epoch = query_int(c, sql, 0, why, room);
    snprintf(sql, sizeof sql,
             "UPDATE running SET host = %lld, adopted = %s WHERE host NOT IN (SELECT epoch FROM nodes WHERE epoch <> "
             "%lld)",
             (long long)p->epoch, p->shared ? "false" : "true", (long long)p->epoch);
    const char *const adopt[] = {sql, NULL};
    return p->epoch && exec_all(c, adopt, why, room);
}

// Nodes must agree on the rows of games, so all games are inserted before anything else is put.
static bool name_games(const struct pg *p, PGconn *c, char *why, size_t room)
{
    for (const char *const *g = p->shared ? p->options.games : NULL; g && *g; g++) {
        char sql[256], *name = PQescapeLiteral(c, *g, strlen(*g));
        snprintf(sql, sizeof sql,
                 "INSERT INTO games SELECT coalesce((SELECT max(row) FROM games), 0) + 1, %s WHERE NOT EXISTS (SELECT "
                 "FROM games WHERE name = %s)",
                 name ? name : "''", name ? name : "''");
        PQfreemem(name);
        const char *const add[] = {sql, NULL};
        if (!exec_all(c, add, why, room))
            return false;
    }
    return true;
}

// Changes by others are followed from here on (S27, S33). Also sets where this run's chain of deals begins.
static bool start_following(struct pg *p, PGconn *c, char *why, size_t room)
{
    PGresult *r = PQexecParams(c, "SELECT id FROM arena", 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1)
        memcpy(p->arena.byte, PQgetvalue(r, 0, 0), sizeof p->arena.byte);
    PQclear(r);
    p->nodes.changes_xid = p->nodes.ratings_xid =
        query_int(c, "SELECT pg_snapshot_xmin(pg_current_snapshot())", -1, why, room);
    p->nodes.fresh = true;
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT CASE WHEN %s OR (SELECT node <> 0 OR ended FROM deal_epochs ORDER BY first DESC LIMIT 1) THEN "
             "nextval('deal_ranges') * (1::bigint << %d) + 1 ELSE 0 END",
             p->shared ? "true" : "false", STORE_CHAIN_BITS);
    int64_t first = query_int(c, sql, -1, why, room);
    p->first_deal = first > 0 ? (uint64_t)first : 0;
    return p->nodes.changes_xid >= 0 && first >= 0;
}

static bool prepare_room(struct pg *p, PGconn *c, char *why, size_t room)
{
    char sql[256];
    int64_t half = (int64_t)16 * 86400000, now = p->options.now_ms ? p->options.now_ms : (int64_t)time(NULL) * 1000;
    for (int i = 0; i < 3; i++) { // this month's partitions and the next one's
        snprintf(sql, sizeof sql, "SELECT make_month(%lld)", (long long)now + i * half);
        const char *const make[] = {sql, NULL};
        if (!exec_all(c, make, why, room))
            return false;
    }
    snprintf(sql, sizeof sql, "SELECT take_rows(%lld)", (long long)p->epoch);
    p->row = query_int(c, sql, -1, why, room);
    p->spare = query_int(c, sql, -1, why, room);
    p->row_end = p->row + PG_ROWS;
    return p->row >= 0 && p->spare >= 0;
}

static bool load_state(struct pg *p, PGconn *c, char *why, size_t room)
{
    PGresult *r = exec_sql(c, "SELECT row, name FROM games ORDER BY row", why, room);
    if (!r)
        return false;
    for (int i = 0; i < PQntuples(r) && p->games < STORE_GAMES; i++)
        snprintf(p->game[++p->games], sizeof p->game[0], "%s", PQgetvalue(r, i, 1));
    PQclear(r);
    if (p->shared)
        return true; // they are adopted one by one
    static const char running[] = "SELECT r.id, r.match, coalesce(p.next, r.folded_to)::bigint, coalesce(p.at_ms, "
                                  "r.folded_ms) FROM running r LEFT "
                                  "JOIN (SELECT DISTINCT ON (match) match, number + 1 AS next, at_ms FROM pieces WHERE "
                                  "match IN (SELECT match FROM "
                                  "running) ORDER BY match, number DESC) p ON p.match = r.match ORDER BY r.match";
    r = PQexecParams(c, running, 0, NULL, NULL, NULL, NULL, 1);
    bool sound = PQresultStatus(r) == PGRES_TUPLES_OK;
    if (!sound)
        snprintf(why, room, "PostgreSQL: %s", PQresultErrorMessage(r));
    struct answer a = {r, sound ? PQntuples(r) : 0, -1, 0};
    while (answer_next(&a)) {
        struct uuid id = answer_uuid(&a);
        struct running_match *m = running_add(&p->running, id, answer_int(&a));
        m->count = (uint32_t)answer_int(&a);
        m->log_ms = answer_int(&a);
    }
    return sound;
}

// S72: if commits wait for a standby that is not there, nothing can be opened.
static bool find_standby(const struct pg *p, PGconn *c, char *why, size_t room)
{
    if (!p->options.needs_standby)
        return true;
    PGresult *r = PQexecParams(c, link_text(PG_STANDBYS), 0, NULL, NULL, NULL, NULL, 1);
    bool answered = PQresultStatus(r) == PGRES_TUPLES_OK;
    if (!answered)
        snprintf(why, room, "PostgreSQL: %.*s", (int)strcspn(PQresultErrorMessage(r), "\n"), PQresultErrorMessage(r));
    bool there = answered && pg_has_standby(r, why, room);
    PQclear(r);
    return there;
}

static bool enter_arena(struct pg *p, PGconn *c, char *why, size_t room)
{
    return check_server(c, why, room) && find_standby(p, c, why, room) && lock_opening(c, why, room) &&
           migrate_schema(c, why, room) && take_over_all(p, c, why, room) && start_following(p, c, why, room) &&
           add_node(p, c, why, room) && name_games(p, c, why, room) && prepare_room(p, c, why, room) &&
           load_state(p, c, why, room);
}

static void add_descriptor(struct pg *p, int *fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = fd};
    if (epoll_ctl(p->epoll, EPOLL_CTL_ADD, *fd, &e) != 0)
        abort();
}

static void open_descriptors(struct pg *p)
{
    struct itimerspec every = {{0, TICK_MS * 1000000}, {0, TICK_MS * 1000000}};
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    p->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    p->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    p->pace = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    add_descriptor(p, &p->event);
    add_descriptor(p, &p->timer);
    add_descriptor(p, &p->pace);
    timerfd_settime(p->timer, 0, &every, NULL);
}

static void init_link(struct pg *p, struct link *l)
{
    *l = (struct link){.pg = p, .watched = -1};
}

// Waits for all connections, so that the store is not away right after opening.
static bool connect_all(struct pg *p, char *why, size_t room)
{
    for (int64_t until = pg_now_ms() + PG_LEASE_MS; pg_now_ms() < until && !p->failed;) {
        bool keeps = p->shared || p->options.needs_standby;
        bool ready = p->writer.state == LINK_READY && (!keeps || p->async.state == LINK_READY);
        for (int i = 0; i < PG_READERS; i++)
            ready = ready && p->reader[i].state == LINK_READY;
        if (ready)
            return true;
        tick_all(p);
        struct pollfd fd = {.fd = p->epoll, .events = POLLIN};
        poll(&fd, 1, 20);
        pg_pump(p);
    }
    snprintf(why, room, "cannot open the store: %s",
             p->failed             ? p->fault
             : p->writer.why[0]    ? p->writer.why
             : p->reader[0].why[0] ? p->reader[0].why
                                   : "PostgreSQL does not answer in time");
    why[strcspn(why, "\n")] = 0;
    return false;
}

struct store *pg_open(const struct store_options *o, char *why, size_t room)
{
    struct pg *p = calloc(1, sizeof *p);
    if (!p || !(p->url = strdup(o->url)))
        abort();
    p->head.engine = &store_pg;
    p->options = *o;
    p->shared = o->node != NULL;
    p->state = o->hosts_nothing ? STORE_CARRIES : STORE_SERVES;
    p->lease_ms = o->lease_ms > 0 ? o->lease_ms : PG_LEASE_MS;
    if (p->shared)
        snprintf(p->name, sizeof p->name, "%s", o->node);
    else
        gethostname(p->name, sizeof p->name - 1);
    TAILQ_INIT(&p->waiting);
    TAILQ_INIT(&p->sent);
    TAILQ_INIT(&p->refusals);
    open_descriptors(p);
    init_link(p, &p->writer);
    init_link(p, &p->async);
    for (int i = 0; i < PG_READERS; i++)
        init_link(p, &p->reader[i]);
    PGconn *conn = link_connect(p->url, 0, why, room);
    bool open = conn && enter_arena(p, conn, why, room) && connect_all(p, why, room) && pg_start_loader(p);
    PQfinish(conn);
    if (open)
        return (struct store *)(void *)p;
    pg_close((struct store *)(void *)p);
    return NULL;
}

// The server answers as a standby: it may be promoted later.
static bool is_standby(const char *const *key, const char *const *value)
{
    PGconn *c = PQconnectdbParams(key, value, 1);
    bool there = PQstatus(c) == CONNECTION_OK;
    PQfinish(c);
    return there;
}

bool pg_may_come(const struct store_options *o, char *why, size_t room)
{
    const char *key[8], *value[8];
    const struct pg p = {.options = *o};
    PGconn *c = link_connect(o->url, 0, why, room);
    if (c) {
        bool waits = !find_standby(&p, c, why, room);
        PQfinish(c);
        return waits;
    }
    link_fill(o->url, "agon", false, key, value);
    switch (PQpingParams(key, value, 1)) {
    case PQPING_NO_RESPONSE:
    case PQPING_REJECT: // starting, stopping or recovering
        return true;
    case PQPING_OK:
        link_fill(o->url, "agon", true, key, value);
        return is_standby(key, value);
    default:
        return false;
    }
}

// Deletes the node's row, so that the next server need not wait. Not possible while the store is away.
static void leave_arena(struct pg *p)
{
    char why[STORE_WHY], sql[256];
    if (p->failed || p->away || !p->epoch)
        return;
    PGconn *c = link_connect(p->url, 0, why, sizeof why);
    if (p->shared)
        snprintf(sql, sizeof sql,
                 "SELECT leave_node(%lld, ARRAY(SELECT epoch FROM nodes WHERE epoch <> %lld AND state = 1 AND "
                 "renewed > clock_timestamp() - interval '%d ms' ORDER BY epoch))",
                 (long long)p->epoch, (long long)p->epoch, p->lease_ms);
    else
        snprintf(sql, sizeof sql, "DELETE FROM nodes WHERE epoch = %lld", (long long)p->epoch);
    if (c)
        PQclear(exec_sql(c, sql, why, sizeof why));
    PQfinish(c);
}

void pg_close(struct store *s)
{
    struct pg *p = pg_of(s);
    pg_give_up(s);
    if (p->writer.state == LINK_READY)
        pg_wait(s);
    link_close(&p->writer);
    for (int i = 0; i < PG_READERS; i++)
        link_close(&p->reader[i]);
    query_requeue_all(&p->async); // their answers are not needed
    link_close(&p->async);
    leave_arena(p);
    nodes_release(p);
    pg_stop_loader(p);
    refusals_release(&p->refusals);
    running_release(&p->running);
    free(p->moved.at);
    batch_release(&p->open);
    batch_release(&p->flight);
    free(p->sent_puts.at);
    close(p->epoll);
    close(p->event);
    close(p->timer);
    close(p->pace);
    free(p->url);
    free(p);
}
