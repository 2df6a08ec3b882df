// The other nodes of the arena (S10 to S33): looked at once a second, on a connection that nothing else uses. What was
// seen is news for the lobby; a node that stands still is taken over; free roles that are wanted are taken.
#include "store/pg/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Two looks within the two seconds in which a ban or a key works everywhere (S27). CHANGED_...: as the table has them.
enum { POLL_MS = 1000, SWEEP_MS = 5000, FIRST_NEWS = 64, CHANGED_AGENT = 1, CHANGED_PRESENCE = 2 };
static const char sweeper[] = "sweep";

void nodes_fence(struct pg *p, const char *what, const char *why)
{
    p->fenced = p->shared;
    pg_fail(p, what, why);
}

void nodes_release(struct pg *p)
{
    free(p->nodes.news);
}

// --- news

struct store_news *nodes_add_news(struct pg *p, enum store_news_kind kind)
{
    struct nodes *n = &p->nodes;
    if (n->newses == n->room) {
        uint32_t room = n->room ? 2 * n->room : FIRST_NEWS;
        struct store_news *grown = malloc(room * sizeof *grown);
        if (!grown)
            abort();
        for (uint32_t i = 0; i < n->newses; i++)
            grown[i] = n->news[(n->first + i) % n->room];
        free(n->news);
        n->news = grown;
        n->room = room;
        n->first = 0;
    }
    struct store_news *one = &n->news[(n->first + n->newses++) % n->room];
    *one = (struct store_news){.kind = kind};
    return one;
}

bool pg_take_news(struct store *s, struct store_news *out)
{
    struct nodes *n = &pg_of(s)->nodes;
    if (n->newses == 0)
        return false;
    *out = n->news[n->first];
    n->first = (n->first + 1) % n->room;
    n->newses--;
    return true;
}

// --- taking over (S13)

static void ignore_result(struct pg *p, const struct query *q, PGresult *r)
{
    (void)q;
    async_query_rows(p, r);
}

struct watched *nodes_find(struct nodes *n, uint64_t epoch)
{
    for (int i = 0; i < n->count; i++)
        if (n->at[i].node.epoch == epoch)
            return &n->at[i];
    return NULL;
}

static bool is_dead(const struct pg *p, const struct watched *w, int64_t now_ms)
{
    return w->node.epoch != (uint64_t)p->epoch && now_ms - w->moved_ms >= p->lease_ms;
}

static void handle_takeover(struct pg *p, const struct query *q, PGresult *r);

static void take_node(struct pg *p, const struct watched *dead, int64_t now_ms, bool again)
{
    struct args a;
    struct query *q = async_query_begin(PG_TAKE_NODE, handle_takeover, &a);
    q->about = (int64_t)dead->node.epoch;
    q->damaged = again; // of two attempts the second
    args_int(&a, q->about);
    args_int(&a, dead->node.batch);
    args_int(&a, p->epoch);
    args_begin_array(&a, ARGS_INT8);
    for (int i = 0; i < p->nodes.count; i++) {
        const struct watched *w = &p->nodes.at[i];
        if (!is_dead(p, w, now_ms) && w->node.state == STORE_SERVES)
            args_int(&a, (int64_t)w->node.epoch);
    }
    args_end_array(&a);
    async_query_send(p, q, &a);
}

// A node that was stopped in the middle of a batch holds its row: its session is ended, which rolls the batch back.
static void handle_takeover(struct pg *p, const struct query *q, PGresult *r)
{
    const char *state = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    const struct watched *dead = nodes_find(&p->nodes, (uint64_t)q->about);
    struct answer a = async_query_rows(p, r);
    int64_t now_ms = pg_now_ms();
    if (state && strcmp(state, "55P03") == 0 && dead && !q->damaged) {
        async_query_run_with(p, PG_END_BACKEND, ignore_result, q->about);
        take_node(p, dead, now_ms, true);
    }
    int64_t matches = async_query_next_row(&a) ? answer_int(&a) : -1;
    if (matches < 0 || !dead)
        return;
    struct store_news *news = nodes_add_news(p, STORE_NEWS_TAKEOVER);
    news->epoch = dead->node.epoch;
    news->count = (uint64_t)matches;
    news->ms = now_ms - dead->moved_ms;
    snprintf(news->name, sizeof news->name, "%s", dead->node.name);
    p->nodes.figures.takeovers++;
}

// --- the look

static void read_node(struct answer *a, struct watched *w, int64_t *store_ms)
{
    *w = (struct watched){.node = {.epoch = (uint64_t)answer_int(a)}};
    answer_text(a, w->node.name, sizeof w->node.name);
    answer_text(a, w->node.address, sizeof w->node.address);
    w->node.program = (int32_t)answer_int(a);
    w->node.state = (uint8_t)answer_int(a);
    w->node.has_bus = answer_bool(a);
    w->node.load = (int32_t)answer_int(a);
    w->node.batch = answer_int(a);
    w->alone = answer_bool(a);
    *store_ms = answer_int(a);
    w->node.agents = (int32_t)answer_int(a);
    w->node.queued = (int32_t)answer_int(a);
    w->node.spectators = (int32_t)answer_int(a);
}

static void note_clock(struct pg *p, int64_t store_ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    p->nodes.figures.clock_ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 - store_ms;
}

static void report_joined_and_gone(struct pg *p, struct nodes *old)
{
    struct nodes *n = &p->nodes;
    for (int i = 0; i < n->count; i++)
        if (!nodes_find(old, n->at[i].node.epoch)) {
            struct store_news *news = nodes_add_news(p, STORE_NEWS_JOINED);
            news->epoch = n->at[i].node.epoch;
            memcpy(news->name, n->at[i].node.name, sizeof news->name);
        }
    for (int i = 0; i < old->count; i++)
        if (!nodes_find(n, old->at[i].node.epoch)) {
            struct store_news *news = nodes_add_news(p, STORE_NEWS_GONE);
            news->epoch = old->at[i].node.epoch;
            memcpy(news->name, old->at[i].node.name, sizeof news->name);
        }
}

// A lease goes by this machine's monotonic clock, within one unbroken session (S18).
static void handle_nodes(struct pg *p, const struct query *q, PGresult *r)
{
    struct nodes *n = &p->nodes, old = {.count = n->count};
    struct answer a = async_query_rows(p, r);
    int64_t now_ms = pg_now_ms(), store_ms = 0;
    (void)q;
    if (!a.result)
        return;
    memcpy(old.at, n->at, sizeof old.at);
    n->count = 0;
    n->fresh |=
        now_ms - p->renewed_ms >= p->lease_ms; // a node that cannot renew its own lease must not declare others dead
    while (n->count < STORE_NODES && async_query_next_row(&a)) {
        struct watched *w = &n->at[n->count++];
        read_node(&a, w, &store_ms);
        const struct watched *before = n->fresh ? NULL : nodes_find(&old, w->node.epoch);
        w->moved_ms = before && before->node.batch == w->node.batch ? before->moved_ms : now_ms;
        w->node.age_ms = now_ms - w->moved_ms;
    }
    n->fresh = false;
    if (n->count)
        note_clock(p, store_ms);
    report_joined_and_gone(p, &old);
    for (int i = 0; i < n->count; i++)
        if (is_dead(p, &n->at[i], now_ms))
            take_node(p, &n->at[i], now_ms, false);
}

static void handle_adoptable(struct pg *p, const struct query *q, PGresult *r)
{
    struct answer a = async_query_rows(p, r);
    (void)q;
    while (async_query_next_row(&a)) {
        struct uuid id = answer_uuid(&a);
        int64_t row = answer_int(&a);
        if (running_find(&p->running, id))
            continue; // it is being read
        struct running_match *m = running_add(&p->running, id, row);
        m->count = (uint32_t)answer_int(&a);
        m->log_ms = answer_int(&a);
        nodes_add_news(p, STORE_NEWS_ADOPT)->match = id;
    }
}

// Repeated once a second until the match is handed over or kept.
static void handle_wanted(struct pg *p, const struct query *q, PGresult *r)
{
    struct answer a = async_query_rows(p, r);
    (void)q;
    while (async_query_next_row(&a)) {
        struct uuid id = answer_uuid(&a);
        if (!running_find(&p->running, id))
            continue;
        struct store_news *news = nodes_add_news(p, STORE_NEWS_WANTED);
        news->match = id;
        news->epoch = (uint64_t)answer_int(&a);
    }
}

static void handle_change(struct pg *p, struct answer *a)
{
    int64_t kind = answer_int(a);
    struct uuid agent = answer_uuid(a);
    bool is_house = answer_int(a) == STORE_HOUSE;
    uint64_t epoch = (uint64_t)answer_int(a);
    if (kind == CHANGED_AGENT) {
        nodes_add_news(p, STORE_NEWS_AGENT)->agent = agent;
        if (p->boards) {
            boards_set_house(p->boards, agent, is_house);
            boards_drop_names(p->boards, agent);
        }
    } else if (kind == CHANGED_PRESENCE && epoch != (uint64_t)p->epoch) {
        struct store_news *news = nodes_add_news(p, STORE_NEWS_PRESENCE);
        news->agent = agent;
        news->epoch = epoch;
        news->count = (uint64_t)answer_int(a);
    }
}

static void handle_changes(struct pg *p, const struct query *q, PGresult *r)
{
    struct answer a = async_query_rows(p, r);
    (void)q;
    while (async_query_next_row(&a)) {
        p->nodes.changes_xid = answer_int(&a);
        if (!PQgetisnull(r, a.row, 1))
            handle_change(p, &a);
    }
}

// S33. The boards may be read while this is on its way: then it is asked for again.
static void handle_ratings(struct pg *p, const struct query *q, PGresult *r)
{
    struct answer a = async_query_rows(p, r);
    (void)q;
    while (p->boards && async_query_next_row(&a)) {
        p->nodes.ratings_xid = answer_int(&a);
        if (PQgetisnull(r, a.row, 1))
            continue;
        int64_t game = answer_int(&a);
        struct uuid agent = answer_uuid(&a);
        pg_apply_rating(p, game, agent, answer_bytes(&a));
    }
}

static void handle_games(struct pg *p, const struct query *q, PGresult *r)
{
    struct answer a = async_query_rows(p, r);
    (void)q;
    while (async_query_next_row(&a)) {
        int64_t row = answer_int(&a);
        if (row == p->games + 1 && row <= STORE_GAMES)
            answer_text(&a, p->game[++p->games], sizeof p->game[0]);
    }
}

// --- load (S49)

// S49. Nothing waits for it, so it goes with the next batch.
static void write_load(struct pg *p, int64_t now_ms)
{
    struct nodes *n = &p->nodes;
    if (memcmp(&n->load, &n->load_written, sizeof n->load) == 0 || now_ms - n->load_written_ms < POLL_MS)
        return;
    n->load_written = n->load;
    n->load_written_ms = now_ms;
    struct args a = batch_begin_put(p, PG_TELL_LOAD);
    args_int(&a, p->epoch);
    args_int(&a, n->load.agents);
    args_int(&a, n->load.queued);
    args_int(&a, n->load.spectators);
    batch_end_put(p, &a);
}

void pg_describe_load(struct store *s, const struct store_load *load)
{
    struct pg *p = pg_of(s);
    p->nodes.load = *load;
    if (p->shared && !p->failed)
        write_load(p, pg_now_ms());
}

// --- standbys (S72)

bool pg_has_standby(const PGresult *r, char *why, size_t room)
{
    struct answer a = {(PGresult *)(uintptr_t)r, PQntuples(r), 0, 0};
    int64_t there = answer_int(&a), hidden = answer_int(&a);
    snprintf(why, room,
             there    ? ""
             : hidden ? "--require-standby: this role may not see what standbys do; GRANT pg_monitor to it"
                      : "--require-standby: the database has no synchronous standby; nothing is accepted");
    return there > 0;
}

static void handle_standbys(struct pg *p, const struct query *q, PGresult *r)
{
    (void)q;
    if (async_query_rows(p, r).result)
        p->no_standby = !pg_has_standby(r, p->no_standby_why, sizeof p->no_standby_why);
}

static void look_for_standbys(struct pg *p, int64_t now_ms)
{
    if (!p->options.needs_standby || p->async.state != LINK_READY || now_ms - p->nodes.standbys_ms < POLL_MS)
        return;
    p->nodes.standbys_ms = now_ms;
    async_query_run(p, PG_STANDBYS, handle_standbys);
}

// --- once a second

static void ask_changes(struct pg *p)
{
    struct args a;
    struct query *q = async_query_begin(PG_CHANGES, handle_changes, &a);
    args_int(&a, p->nodes.changes_xid);
    args_int(&a, p->epoch);
    async_query_send(p, q, &a);
}

void nodes_tick(struct pg *p, int64_t now_ms)
{
    struct nodes *n = &p->nodes;
    if (!p->shared && !p->options.needs_standby)
        return;
    link_tick(&p->async, now_ms);
    look_for_standbys(p, now_ms);
    if (!p->shared)
        return;
    if (p->async.state != LINK_READY || p->async.units > 0 || now_ms - n->looked_ms < POLL_MS || p->failed)
        return;
    n->looked_ms = now_ms;
    async_query_run(p, PG_LOOK, handle_nodes);
    roles_read(p);
    async_query_run_with(p, PG_GAMES_FROM, handle_games, p->games);
    async_query_run_with(p, PG_ADOPTABLE, handle_adoptable, p->epoch);
    async_query_run_with(p, PG_WANTED, handle_wanted, p->epoch);
    ask_changes(p);
    if (p->boards)
        async_query_run_with(p, PG_RATING_NEWS, handle_ratings, n->ratings_xid);
    if (n->count)
        roles_claim(p);
    if (pg_term((struct store *)(void *)p, sweeper) && now_ms - n->swept_ms >= SWEEP_MS) {
        n->swept_ms = now_ms;
        async_query_run_with(p, PG_SWEEP, ignore_result, p->epoch);
    }
}

// --- getters

bool pg_is_shared(const struct store *s)
{
    return pg_of(s)->shared;
}

uint64_t pg_my_epoch(const struct store *s)
{
    return (uint64_t)pg_of(s)->epoch;
}

bool pg_is_fenced(const struct store *s)
{
    return pg_of(s)->fenced;
}

struct uuid pg_arena_id(const struct store *s)
{
    return pg_of(s)->arena;
}

uint64_t pg_first_deal(const struct store *s)
{
    return pg_of(s)->first_deal;
}

int pg_list_nodes(const struct store *s, struct store_node *out, int room)
{
    const struct nodes *n = &pg_of(s)->nodes;
    int count = n->count < room ? n->count : room;
    for (int i = 0; i < count; i++) {
        out[i] = n->at[i].node;
        out[i].age_ms = pg_now_ms() - n->at[i].moved_ms;
    }
    return count;
}

bool pg_is_live(const struct store *s, uint64_t epoch)
{
    struct pg *p = pg_of(s);
    return epoch == (uint64_t)p->epoch ? !p->failed : nodes_find(&p->nodes, epoch) != NULL;
}

void pg_describe_node(struct store *s, enum store_node_state state)
{
    bool carries = state == STORE_SERVES && pg_of(s)->options.hosts_nothing;
    pg_of(s)->state = carries ? STORE_CARRIES : (uint8_t)state;
}

void pg_describe_bus(struct store *s, bool has_bus)
{
    pg_of(s)->has_bus = has_bus;
}

void pg_poll_soon(struct store *s)
{
    pg_of(s)->nodes.looked_ms = 0;
}

void pg_count_node(const struct store *s, struct store_node_figures *out)
{
    const struct pg *p = pg_of(s);
    *out = p->nodes.figures;
    out->epoch = (uint64_t)p->epoch;
    out->batches = (uint64_t)p->number;
    out->batch_age_ms = pg_now_ms() - p->renewed_ms;
    for (int i = 0; i < p->nodes.roles; i++)
        out->roles += p->nodes.role[i].epoch == (uint64_t)p->epoch;
}
