// The other nodes of the arena (S10 to S33): looked at once a second, on a connection that nothing else uses. What was
// seen is news for the lobby; a node that stands still is taken over; free roles that are wanted are taken.
#include "store/pg/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_MS = 1000, SWEEP_MS = 5000, FIRST_NEWS = 64, CHANGED_AGENT = 1, CHANGED_PRESENCE = 2 };
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

static struct store_news *add_news(struct pg *p, enum store_news_kind kind)
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

// --- asking

typedef void hearer(struct pg *p, const struct asked *q, PGresult *r);

static struct asked *begin_ask(enum pg_statement which, hearer *then, struct args *a)
{
    struct asked *q = malloc(sizeof *q);
    if (!q)
        abort();
    *a = ask_begin(q, which);
    a->to = &q->args;
    q->then = then;
    return q;
}

static void send_ask(struct pg *p, struct asked *q, const struct args *a)
{
    struct link *l = &p->keeper;
    bool can = l->state == LINK_READY && l->units < PG_UNITS;
    if (can && l->units == 0)
        l->heard_ms = pg_now_ms();
    bool sent = can && args_send(l->conn, q->which, q->args.at, a->count) && PQpipelineSync(l->conn) == 1;
    free(q->args.at);
    if (sent) {
        l->unit[(l->first + l->units++) % PG_UNITS] = q;
        link_flush(l);
        return;
    }
    free(q);
    if (can)
        link_lose(l, PQerrorMessage(l->conn));
}

static void ask_one(struct pg *p, enum pg_statement which, hearer *then, int64_t number)
{
    struct args a;
    struct asked *q = begin_ask(which, then, &a);
    q->about = number;
    args_int(&a, number);
    send_ask(p, q, &a);
}

// The rows of an answer, to be read with answer_next; none when it is an error. The result stays its owner's.
static struct answer rows_of(struct pg *p, const PGresult *r)
{
    if (r && PQresultStatus(r) != PGRES_TUPLES_OK && !ask_means_away(r))
        pg_note_damage(p, PQresultErrorMessage(r));
    bool there = r && PQresultStatus(r) == PGRES_TUPLES_OK;
    return (struct answer){there ? (PGresult *)(uintptr_t)r : NULL, there ? PQntuples(r) : 0, -1, 0};
}

static bool next_row(struct answer *a)
{
    a->column = 0;
    return a->result && ++a->row < a->rows;
}

static void ignore(struct pg *p, const struct asked *q, PGresult *r)
{
    (void)q;
    rows_of(p, r);
}

// --- taking over (S13)

static struct watched *find_node(struct nodes *n, uint64_t epoch)
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

static void hear_taken(struct pg *p, const struct asked *q, PGresult *r);

static void take_node(struct pg *p, const struct watched *dead, int64_t now_ms, bool again)
{
    struct args a;
    struct asked *q = begin_ask(PG_TAKE_NODE, hear_taken, &a);
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
    send_ask(p, q, &a);
}

// A node that was stopped in the middle of a batch holds its row: its session is ended, which rolls the batch back.
static void hear_taken(struct pg *p, const struct asked *q, PGresult *r)
{
    const char *state = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    const struct watched *dead = find_node(&p->nodes, (uint64_t)q->about);
    struct answer a = rows_of(p, r);
    int64_t now_ms = pg_now_ms();
    if (state && strcmp(state, "55P03") == 0 && dead && !q->damaged) {
        ask_one(p, PG_END_BACKEND, ignore, q->about);
        take_node(p, dead, now_ms, true);
    }
    int64_t matches = next_row(&a) ? answer_int(&a) : -1;
    if (matches < 0 || !dead)
        return;
    struct store_news *news = add_news(p, STORE_NEWS_TAKEOVER);
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

static void tell_difference(struct pg *p, struct nodes *old)
{
    struct nodes *n = &p->nodes;
    for (int i = 0; i < n->count; i++)
        if (!find_node(old, n->at[i].node.epoch)) {
            struct store_news *news = add_news(p, STORE_NEWS_JOINED);
            news->epoch = n->at[i].node.epoch;
            memcpy(news->name, n->at[i].node.name, sizeof news->name);
        }
    for (int i = 0; i < old->count; i++)
        if (!find_node(n, old->at[i].node.epoch)) {
            struct store_news *news = add_news(p, STORE_NEWS_GONE);
            news->epoch = old->at[i].node.epoch;
            memcpy(news->name, old->at[i].node.name, sizeof news->name);
        }
}

// A lease goes by this machine's monotonic clock, within one unbroken session (S18).
static void hear_look(struct pg *p, const struct asked *q, PGresult *r)
{
    struct nodes *n = &p->nodes, old = {.count = n->count};
    struct answer a = rows_of(p, r);
    int64_t now_ms = pg_now_ms(), store_ms = 0;
    (void)q;
    if (!a.result)
        return;
    memcpy(old.at, n->at, sizeof old.at);
    n->count = 0;
    n->fresh |= now_ms - p->renewed_ms >= p->lease_ms; // whoever cannot write itself cannot tell who is dead
    while (n->count < STORE_NODES && next_row(&a)) {
        struct watched *w = &n->at[n->count++];
        read_node(&a, w, &store_ms);
        const struct watched *before = n->fresh ? NULL : find_node(&old, w->node.epoch);
        w->moved_ms = before && before->node.batch == w->node.batch ? before->moved_ms : now_ms;
        w->node.age_ms = now_ms - w->moved_ms;
    }
    n->fresh = false;
    if (n->count)
        note_clock(p, store_ms);
    tell_difference(p, &old);
    for (int i = 0; i < n->count; i++)
        if (is_dead(p, &n->at[i], now_ms))
            take_node(p, &n->at[i], now_ms, false);
}

static void hear_adoptable(struct pg *p, const struct asked *q, PGresult *r)
{
    struct answer a = rows_of(p, r);
    (void)q;
    while (next_row(&a)) {
        struct uuid id = answer_uuid(&a);
        int64_t row = answer_int(&a);
        if (running_find(&p->running, id))
            continue; // it is being read
        struct running_match *m = running_add(&p->running, id, row);
        m->count = (uint32_t)answer_int(&a);
        m->log_ms = answer_int(&a);
        add_news(p, STORE_NEWS_ADOPT)->match = id;
    }
}

// Until it is handed over or kept, once a second.
static void hear_wanted(struct pg *p, const struct asked *q, PGresult *r)
{
    struct answer a = rows_of(p, r);
    (void)q;
    while (next_row(&a)) {
        struct uuid id = answer_uuid(&a);
        if (!running_find(&p->running, id))
            continue;
        struct store_news *news = add_news(p, STORE_NEWS_WANTED);
        news->match = id;
        news->epoch = (uint64_t)answer_int(&a);
    }
}

static void hear_change(struct pg *p, struct answer *a)
{
    int64_t kind = answer_int(a);
    struct uuid agent = answer_uuid(a);
    bool is_house = answer_int(a) == STORE_HOUSE;
    uint64_t epoch = (uint64_t)answer_int(a);
    if (kind == CHANGED_AGENT) {
        add_news(p, STORE_NEWS_AGENT)->agent = agent;
        if (p->boards) {
            boards_set_house(p->boards, agent, is_house);
            boards_drop_words(p->boards, agent);
        }
    } else if (kind == CHANGED_PRESENCE && epoch != (uint64_t)p->epoch) {
        struct store_news *news = add_news(p, STORE_NEWS_PRESENCE);
        news->agent = agent;
        news->epoch = epoch;
        news->count = (uint64_t)answer_int(a);
    }
}

static void hear_changes(struct pg *p, const struct asked *q, PGresult *r)
{
    struct answer a = rows_of(p, r);
    (void)q;
    while (next_row(&a)) {
        p->nodes.changes_xid = answer_int(&a);
        if (!PQgetisnull(r, a.row, 1))
            hear_change(p, &a);
    }
}

// S33. The boards may be read while this is on its way: then it is asked for again.
static void hear_ratings(struct pg *p, const struct asked *q, PGresult *r)
{
    struct answer a = rows_of(p, r);
    (void)q;
    while (p->boards && next_row(&a)) {
        p->nodes.ratings_xid = answer_int(&a);
        if (PQgetisnull(r, a.row, 1))
            continue;
        int64_t game = answer_int(&a);
        struct uuid agent = answer_uuid(&a);
        pg_hear_rating(p, game, agent, answer_bytes(&a));
    }
}

static void hear_games(struct pg *p, const struct asked *q, PGresult *r)
{
    struct answer a = rows_of(p, r);
    (void)q;
    while (next_row(&a)) {
        int64_t row = answer_int(&a);
        if (row == p->games + 1 && row <= STORE_GAMES)
            answer_text(&a, p->game[++p->games], sizeof p->game[0]);
    }
}

// --- roles (S20)

static struct store_role *find_role(const struct pg *p, const char *role)
{
    for (int i = 0; i < p->nodes.roles; i++)
        if (strcmp(p->nodes.role[i].role, role) == 0)
            return (struct store_role *)(uintptr_t)&p->nodes.role[i];
    return NULL;
}

static void tell_role(struct pg *p, const char *role, uint64_t term)
{
    struct store_news *news = add_news(p, STORE_NEWS_ROLE);
    snprintf(news->name, sizeof news->name, "%.*s", (int)sizeof news->name - 1, role);
    news->count = term;
}

static void hear_roles(struct pg *p, const struct asked *q, PGresult *r)
{
    struct nodes *n = &p->nodes;
    struct answer a = rows_of(p, r);
    (void)q;
    if (!a.result)
        return;
    struct store_role old[STORE_ROLES];
    int olds = n->roles;
    memcpy(old, n->role, sizeof old);
    for (n->roles = 0; n->roles < STORE_ROLES && next_row(&a);) {
        struct store_role *one = &n->role[n->roles++];
        answer_text(&a, one->role, sizeof one->role);
        one->epoch = (uint64_t)answer_int(&a);
        one->term = (uint64_t)answer_int(&a);
    }
    for (int i = 0; i < olds; i++) {
        const struct store_role *now = find_role(p, old[i].role);
        if (old[i].epoch == (uint64_t)p->epoch && (!now || now->epoch != old[i].epoch))
            tell_role(p, old[i].role, 0);
    }
}

static void hear_role(struct pg *p, const struct asked *q, PGresult *r)
{
    struct answer a = rows_of(p, r);
    char role[sizeof p->nodes.wanted[0]]; // a copy: the compiler takes members of one object for overlapping
    memcpy(role, p->nodes.wanted[q->about], sizeof role);
    uint64_t term = next_row(&a) && !PQgetisnull(r, 0, 0) ? (uint64_t)answer_int(&a) : 0;
    struct store_role *known = find_role(p, role);
    if (!term || !role[0] || (!known && p->nodes.roles == STORE_ROLES))
        return;
    if (!known) {
        known = &p->nodes.role[p->nodes.roles++];
        snprintf(known->role, sizeof known->role, "%s", role);
    }
    known->epoch = (uint64_t)p->epoch;
    known->term = term;
    tell_role(p, role, term);
}

static void try_roles(struct pg *p)
{
    struct nodes *n = &p->nodes;
    for (int i = 0; i < n->wants; i++) {
        const struct store_role *known = find_role(p, n->wanted[i]);
        if (!n->wanted[i][0] || (known && find_node(n, known->epoch)))
            continue;
        struct args a;
        struct asked *q = begin_ask(PG_TAKE_ROLE, hear_role, &a);
        q->about = i;
        args_text(&a, n->wanted[i], sizeof n->wanted[i]);
        args_int(&a, p->epoch);
        send_ask(p, q, &a);
    }
}

static int find_wish(const struct nodes *n, const char *role)
{
    for (int i = 0; i < n->wants; i++)
        if (strcmp(n->wanted[i], role) == 0)
            return i;
    return -1;
}

void pg_want_role(struct store *s, const char *role)
{
    const struct pg *p = pg_of(s);
    struct nodes *n = &pg_of(s)->nodes;
    int at = find_wish(n, role);
    if (p->options.may_hold && !p->options.may_hold(role))
        return;
    if (at >= 0 || ((at = find_wish(n, "")) < 0 && n->wants == STORE_ROLES))
        return;
    at = at >= 0 ? at : n->wants++;
    snprintf(n->wanted[at], sizeof n->wanted[at], "%s", role);
}

void pg_give_role_up(struct store *s, const char *role)
{
    struct pg *p = pg_of(s);
    struct store_role *known = find_role(p, role);
    int at = find_wish(&p->nodes, role);
    if (at >= 0)
        p->nodes.wanted[at][0] = 0;
    if (!known || known->epoch != (uint64_t)p->epoch)
        return;
    known->epoch = 0;
    struct args a = batch_begin_put(p, PG_GIVE_ROLE_UP);
    args_text(&a, role, STORE_ROLE);
    args_int(&a, p->epoch);
    batch_end_put(p, &a);
    tell_role(p, role, 0);
}

uint64_t pg_term(const struct store *s, const char *role)
{
    const struct pg *p = pg_of(s);
    const struct store_role *known = find_role(p, role);
    return !p->shared ? 1 : known && known->epoch == (uint64_t)p->epoch && !p->failed ? known->term : 0;
}

bool pg_find_role(const struct store *s, const char *role, struct store_role *out)
{
    const struct store_role *known = find_role(pg_of(s), role);
    if (known)
        *out = *known;
    return known != NULL;
}

// --- once a second

static void ask_from(struct pg *p, enum pg_statement which, hearer *then, int64_t from)
{
    struct args a;
    struct asked *q = begin_ask(which, then, &a);
    args_int(&a, from);
    args_int(&a, p->epoch);
    send_ask(p, q, &a);
}

static void ask_all(struct pg *p, enum pg_statement which, hearer *then)
{
    struct args a;
    struct asked *q = begin_ask(which, then, &a);
    send_ask(p, q, &a);
}

// S49. In its own time: nothing waits for it.
static void tell_load(struct pg *p, int64_t now_ms)
{
    struct nodes *n = &p->nodes;
    if (memcmp(&n->load, &n->told, sizeof n->load) == 0 || now_ms - n->told_ms < LOOK_MS)
        return;
    n->told = n->load;
    n->told_ms = now_ms;
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
        tell_load(p, pg_now_ms());
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

static void hear_standbys(struct pg *p, const struct asked *q, PGresult *r)
{
    (void)q;
    if (rows_of(p, r).result)
        p->no_standby = !pg_has_standby(r, p->no_standby_why, sizeof p->no_standby_why);
}

static void look_for_standbys(struct pg *p, int64_t now_ms)
{
    if (!p->options.needs_standby || p->keeper.state != LINK_READY || now_ms - p->nodes.standbys_ms < LOOK_MS)
        return;
    p->nodes.standbys_ms = now_ms;
    ask_all(p, PG_STANDBYS, hear_standbys);
}

void nodes_tick(struct pg *p, int64_t now_ms)
{
    struct nodes *n = &p->nodes;
    if (!p->shared && !p->options.needs_standby)
        return;
    link_tick(&p->keeper, now_ms);
    look_for_standbys(p, now_ms);
    if (!p->shared)
        return;
    if (p->keeper.state != LINK_READY || p->keeper.units > 0 || now_ms - n->looked_ms < LOOK_MS || p->failed)
        return;
    n->looked_ms = now_ms;
    ask_all(p, PG_LOOK, hear_look);
    ask_all(p, PG_ROLES, hear_roles);
    ask_one(p, PG_GAMES_FROM, hear_games, p->games);
    ask_one(p, PG_ADOPTABLE, hear_adoptable, p->epoch);
    ask_one(p, PG_WANTED, hear_wanted, p->epoch);
    ask_from(p, PG_CHANGES, hear_changes, n->changes_xid);
    if (p->boards)
        ask_one(p, PG_RATING_NEWS, hear_ratings, n->ratings_xid);
    if (n->count)
        try_roles(p);
    if (pg_term((struct store *)(void *)p, sweeper) && now_ms - n->swept_ms >= SWEEP_MS) {
        n->swept_ms = now_ms;
        ask_one(p, PG_SWEEP, ignore, p->epoch);
    }
}

// --- what is told of it

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
    return epoch == (uint64_t)p->epoch ? !p->failed : find_node(&p->nodes, epoch) != NULL;
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

void pg_look_soon(struct store *s)
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

// --- reads

bool pg_arrive(struct store *s, struct uuid agent, const char *instance, uint32_t flags, bool claims,
               struct store_arrival *out)
{
    struct pg *p = pg_of(s);
    struct asked q;
    struct answer r;
    bool there = false;
    *out = (struct store_arrival){0};
    if (!p->shared)
        return true;
    struct args a = ask_begin(&q, PG_ARRIVE);
    args_uuid(&a, agent);
    args_int(&a, p->epoch);
    args_text(&a, instance, sizeof out->before.instance);
    args_int(&a, flags);
    args_bool(&a, claims);
    if (!ask(p, &q, &a, &r))
        return false;
    while (out->matches < STORE_SEATS && answer_next(&r)) {
        there = true;
        out->conn = (uint64_t)answer_int(&r);
        out->before.epoch = (uint64_t)answer_int(&r);
        out->before.conn = (uint64_t)answer_int(&r);
        out->before.flags = (uint32_t)answer_int(&r);
        answer_text(&r, out->before.instance, sizeof out->before.instance);
        struct store_hosted *m = &out->match[out->matches];
        m->match = answer_uuid(&r);
        m->epoch = (uint64_t)answer_int(&r);
        m->busy = answer_bool(&r);
        answer_text(&r, m->node, sizeof m->node);
        answer_text(&r, m->address, sizeof m->address);
        out->matches += !uuid_is_none(m->match);
    }
    answer_end(&r);
    return there;
}

void pg_depart(struct store *s, struct uuid agent, uint64_t conn)
{
    struct pg *p = pg_of(s);
    if (!p->shared || !conn)
        return;
    struct args a = batch_begin_put(p, PG_DEPART);
    args_uuid(&a, agent);
    args_int(&a, (int64_t)conn);
    batch_end_put(p, &a);
}

static bool ask_row(struct pg *p, enum pg_statement which, struct uuid id, struct asked *q, struct answer *r)
{
    struct args a = ask_begin(q, which);
    args_uuid(&a, id);
    return ask(p, q, &a, r) && answer_next(r);
}

int pg_count_places(struct store *s, struct uuid agent)
{
    struct asked q;
    struct answer r;
    if (!ask_row(pg_of(s), PG_COUNT_PLACES, agent, &q, &r))
        return -1;
    int count = (int)answer_int(&r);
    answer_end(&r);
    return count;
}

bool pg_find_presence(struct store *s, struct uuid agent, struct store_presence *out)
{
    struct asked q;
    struct answer r;
    if (!ask_row(pg_of(s), PG_FIND_PRESENCE, agent, &q, &r))
        return false;
    out->epoch = (uint64_t)answer_int(&r);
    out->conn = (uint64_t)answer_int(&r);
    out->flags = (uint32_t)answer_int(&r);
    answer_text(&r, out->instance, sizeof out->instance);
    answer_end(&r);
    return true;
}

int pg_list_presence(struct store *s, uint64_t *after, struct uuid *out, int room)
{
    struct pg *p = pg_of(s);
    struct asked q;
    struct answer r;
    int count = 0;
    struct args a = ask_begin(&q, PG_LIST_PRESENCE);
    args_int(&a, p->epoch);
    args_int(&a, (int64_t)*after);
    args_int(&a, room);
    if (!ask(p, &q, &a, &r))
        return -1;
    while (count < room && answer_next(&r)) {
        *after = (uint64_t)answer_int(&r);
        out[count++] = answer_uuid(&r);
    }
    answer_end(&r);
    return count;
}

int pg_find_handover(struct store *s, struct uuid match, char out[STORE_HANDOVER])
{
    struct asked q;
    struct answer r;
    if (!ask_row(pg_of(s), PG_FIND_HANDOVER, match, &q, &r))
        return 0;
    struct span state = answer_bytes(&r);
    int size = state.size <= STORE_HANDOVER ? (int)state.size : 0;
    memcpy(out, state.at, (size_t)size);
    answer_end(&r);
    return size;
}

bool pg_find_host(struct store *s, struct uuid match, struct store_hosted *out)
{
    struct asked q;
    struct answer r;
    *out = (struct store_hosted){.match = match};
    if (!ask_row(pg_of(s), PG_FIND_HOST, match, &q, &r))
        return false;
    out->epoch = (uint64_t)answer_int(&r);
    answer_text(&r, out->node, sizeof out->node);
    answer_text(&r, out->address, sizeof out->address);
    answer_end(&r);
    return true;
}

static void read_member(struct answer *a, struct store_member *m)
{
    *m = (struct store_member){.node = {.epoch = (uint64_t)answer_int(a)}};
    answer_text(a, m->node.name, sizeof m->node.name);
    answer_text(a, m->node.address, sizeof m->node.address);
    m->node.program = (int32_t)answer_int(a);
    m->node.state = (uint8_t)answer_int(a);
    m->node.has_bus = answer_bool(a);
    m->node.batch = answer_int(a);
    m->node.age_ms = answer_int(a);
    m->matches = m->node.load = (int32_t)answer_int(a);
    m->agents = (int32_t)answer_int(a);
    m->node.queued = (int32_t)answer_int(a);
    m->node.spectators = (int32_t)answer_int(a);
}

static void read_takeover(struct answer *a, struct store_takeover *t)
{
    *t = (struct store_takeover){.epoch = (uint64_t)answer_int(a)};
    answer_text(a, t->name, sizeof t->name);
    t->by = (uint64_t)answer_int(a);
    answer_text(a, t->by_name, sizeof t->by_name);
    t->at_ms = answer_int(a);
    t->silent_ms = answer_int(a);
    t->matches = (int32_t)answer_int(a);
}

static const enum pg_statement of_cluster[] = {PG_MEMBERS, PG_ROLES, PG_TAKEOVERS};

static void read_part(int part, struct answer *r, struct store_cluster *out)
{
    while (answer_next(r)) {
        if (part == 0 && out->nodes < STORE_NODES) {
            read_member(r, &out->node[out->nodes++]);
        } else if (part == 1 && out->roles < STORE_ROLES) {
            struct store_role *role = &out->role[out->roles++];
            answer_text(r, role->role, sizeof role->role);
            role->epoch = (uint64_t)answer_int(r);
            role->term = (uint64_t)answer_int(r);
        } else if (part == 2 && out->takeovers < COUNT_OF(out->takeover)) {
            read_takeover(r, &out->takeover[out->takeovers++]);
        }
    }
}

bool pg_read_cluster(struct store *s, struct store_cluster *out)
{
    *out = (struct store_cluster){0};
    for (int i = 0; i < COUNT_OF(of_cluster); i++) {
        struct asked q;
        struct answer r;
        struct args a = ask_begin(&q, of_cluster[i]);
        if (!ask(pg_of(s), &q, &a, &r))
            return false;
        read_part(i, &r, out);
    }
    return true;
}

bool pg_peek_cluster(const char *url, struct store_cluster *out, char *why, size_t room)
{
    PGconn *c = link_connect(url, 0, why, room);
    bool sound = c != NULL;
    *out = (struct store_cluster){0};
    for (int i = 0; sound && i < COUNT_OF(of_cluster); i++) {
        PGresult *r = PQexecParams(c, link_text(of_cluster[i]), 0, NULL, NULL, NULL, NULL, 1);
        sound = PQresultStatus(r) == PGRES_TUPLES_OK;
        if (!sound)
            snprintf(why, room, "PostgreSQL: %.*s", (int)strcspn(PQresultErrorMessage(r), "\n"),
                     PQresultErrorMessage(r));
        struct answer a = {r, sound ? PQntuples(r) : 0, -1, 0};
        read_part(i, &a, out);
        answer_end(&a);
    }
    PQfinish(c);
    return sound;
}
