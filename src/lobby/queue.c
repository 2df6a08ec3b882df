// Queues by game and mode: first come, first served (F3.1 to F3.9).
#include "lobby/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

int queue_table_min(const struct lobby *l, const struct lobby_game *g)
{
    int min = g->table_min ? g->table_min : l->o.table_min;
    min = min > g->min_seats ? min : g->min_seats;
    return min < g->max_seats ? min : g->max_seats;
}

int queue_table_max(const struct lobby *l, const struct lobby_game *g)
{
    int max = g->table_max ? g->table_max : l->o.table_max, min = queue_table_min(l, g);
    max = max < g->max_seats ? max : g->max_seats;
    return max > min ? max : min;
}

static struct queue **bucket_of(struct lobby *l, const struct lobby_game *g, const char *mode)
{
    uint64_t hash = hash_bytes(mode, strlen(mode)) + (uint64_t)lobby_game_index(l, g) * 31;
    return &l->queue[hash % LOBBY_QUEUE_BUCKETS];
}

struct queue *queue_find(struct lobby *l, const struct lobby_game *g, const char *mode)
{
    struct queue *q = *bucket_of(l, g, mode);
    while (q && !(q->game == g && strcmp(q->mode, mode) == 0))
        q = q->next;
    return q;
}

const char *queue_shown(const char *mode)
{
    // F3.1 allows no '+' in a mode, so no client can name such a queue.
    return mode[0] == '+' ? mode + 1 : mode;
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    queue_form(l, TIMER_OWNER(t, struct queue, timer), now_ms);
}

static struct queue *get_queue(struct lobby *l, const struct lobby_game *g, const char *mode)
{
    struct queue *q = queue_find(l, g, mode), **at = bucket_of(l, g, mode);
    if (q)
        return q;
    q = lobby_alloc(sizeof *q);
    *q = (struct queue){.next = *at, .game = g, .timer = {.fire = on_time}};
    snprintf(q->mode, sizeof q->mode, "%s", mode);
    return *at = q;
}

static void drop_queue(struct lobby *l, struct queue *q)
{
    struct queue **at = bucket_of(l, q->game, q->mode);
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    timer_clear(l, &q->timer);
    free(q);
}

// --- entries

// Ordered by the time of joining, so an agent from a cancelled table gets its old place back (F3.15).
struct queue *queue_enter(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t joined_ms)
{
    struct queue *q = get_queue(l, w->game, w->mode);
    struct lobby_agent *before = q->last;
    while (before && before->joined_ms > joined_ms)
        before = before->queue_before;
    a->queue = q;
    a->joined_ms = joined_ms;
    a->one_shot = w->one_shot;
    a->queue_before = before;
    a->queue_next = before ? before->queue_next : q->first;
    *(before ? &before->queue_next : &q->first) = a;
    *(a->queue_next ? &a->queue_next->queue_before : &q->last) = a;
    q->count++;
    l->figures.queued++;
    return q;
}

static void unlink_agent(struct lobby *l, struct lobby_agent *a)
{
    struct queue *q = a->queue;
    *(a->queue_before ? &a->queue_before->queue_next : &q->first) = a->queue_next;
    *(a->queue_next ? &a->queue_next->queue_before : &q->last) = a->queue_before;
    a->queue = NULL;
    q->count--;
    l->figures.queued--;
}

void queue_remove(struct lobby *l, struct lobby_agent *a)
{
    struct queue *q = a->queue;
    if (!q)
        return;
    unlink_agent(l, a);
    if (!q->count)
        drop_queue(l, q);
}

// --- forming tables (F3.2, F7.15)

static void seat_first(struct lobby *l, struct queue *q, int count, int houses, int64_t now_ms)
{
    struct candidate *c = candidate_create(l, q->game, q->mode);
    for (int i = 0; i < count; i++) {
        struct lobby_agent *a = q->first;
        unlink_agent(l, a);
        candidate_take(c, a);
    }
    // F3.11: matches of agents on standby are ranked ones.
    if (houses && strcmp(q->mode, "ranked") == 0)
        houses -= standby_lend(l, c, q->game, houses, now_ms);
    if (houses)
        house_fill(l, c, houses);
    candidate_open(l, c, now_ms);
}

// How many agents can be seated now, without house bots; 0: the queue has to wait.
static int count_ready(const struct lobby *l, const struct queue *q, int64_t now_ms, int *houses)
{
    int min = queue_table_min(l, q->game), max = queue_table_max(l, q->game);
    *houses = 0;
    if (q->count >= max)
        return max;
    if (q->count >= min)
        return now_ms - q->first->joined_ms >= l->o.fill_wait_ms ? q->count : 0;
    bool waited = q->count && now_ms - q->first->joined_ms >= l->o.house_wait_ms;
    if (!waited || house_count(l) < min - q->count)
        return 0;
    *houses = min - q->count;
    return q->count;
}

static int64_t next_check(const struct lobby *l, const struct queue *q, int64_t now_ms)
{
    if (q->count >= queue_table_min(l, q->game))
        return q->first->joined_ms + l->o.fill_wait_ms;
    if (house_count(l) < queue_table_min(l, q->game) - q->count)
        return NEVER;
    int64_t due_ms = q->first->joined_ms + l->o.house_wait_ms;
    return due_ms > now_ms ? due_ms : now_ms;
}

// --- tables on request (F3.23)

// How many queued players can be seated with this host now; -1: it has to wait.
static int count_lent(struct lobby *l, const struct lobby_agent *host, int64_t now_ms)
{
    const struct queue *q = queue_find(l, host->queue->game, QUEUE_RANKED);
    int there = q ? q->count : 0, missing = host->table_request.waiting - there;
    if (missing <= 0)
        return host->table_request.waiting;
    bool waited = now_ms - host->joined_ms >= l->o.house_wait_ms;
    return waited && house_count(l) >= missing ? there : -1;
}

// Seats those who have waited longest. Missing players are replaced by house bots, as in a queue.
static void seat_requested_table(struct lobby *l, struct lobby_agent *host, int lent, int64_t now_ms)
{
    struct candidate *c = candidate_create(l, host->queue->game, QUEUE_TABLES);
    struct queue *q = queue_find(l, c->game, QUEUE_RANKED);
    int missing = host->table_request.waiting - lent;
    c->by_request = true;
    unlink_agent(l, host);
    candidate_take(c, host);
    for (int i = 0; i < lent; i++) {
        struct lobby_agent *a = q->first;
        unlink_agent(l, a);
        candidate_lend(c, a);
    }
    for (int i = 0; i < host->table_request.houses; i++)
        candidate_add(c, house_named(l, c->game, host->table_request.house, i, now_ms), false, now_ms);
    if (missing)
        missing -= standby_lend(l, c, c->game, missing, now_ms);
    if (missing)
        house_fill(l, c, missing);
    candidate_open(l, c, now_ms);
}

// Returns the first host that need not wait, and how many players sit down with it; NULL: none.
static struct lobby_agent *find_host(struct lobby *l, const struct queue *q, int64_t now_ms, int *lent)
{
    for (struct lobby_agent *a = q->first; a; a = a->queue_next)
        if ((*lent = count_lent(l, a, now_ms)) >= 0)
            return a;
    return NULL;
}

static int64_t next_request(const struct lobby *l, const struct queue *q, int64_t now_ms)
{
    for (const struct lobby_agent *a = q->first; a; a = a->queue_next) // in order of joining
        if (a->joined_ms + l->o.house_wait_ms > now_ms)
            return a->joined_ms + l->o.house_wait_ms;
    return NEVER;
}

static void drop_if_empty(struct lobby *l, struct queue *q)
{
    if (q && !q->count)
        drop_queue(l, q);
}

static void form_requested_tables(struct lobby *l, const struct lobby_game *g, int64_t now_ms)
{
    struct queue *q = queue_find(l, g, QUEUE_TABLES);
    for (int lent, tries = q ? q->count + 1 : 0; q && tries > 0; tries--) {
        struct lobby_agent *host = find_host(l, q, now_ms, &lent);
        if (!host)
            break;
        seat_requested_table(l, host, lent, now_ms);
        q = queue_find(l, g, QUEUE_TABLES); // see queue_form
    }
    if (q && q->count)
        timer_set(l, &q->timer, next_request(l, q, now_ms));
    drop_if_empty(l, q);
    drop_if_empty(l, queue_find(l, g, QUEUE_RANKED));
}

void queue_open(struct lobby *l, const struct lobby_game *g, int64_t now_ms)
{
    char modes[LOBBY_QUEUE_BUCKETS][LOBBY_MODE_ROOM];
    int count = 0;
    for (int i = 0; i < LOBBY_QUEUE_BUCKETS; i++)
        for (const struct queue *q = l->queue[i]; q && count < LOBBY_QUEUE_BUCKETS; q = q->next)
            if (q->game == g)
                memcpy(modes[count++], q->mode, LOBBY_MODE_ROOM);
    for (int i = 0; i < count; i++) { // found again by name: forming tables may free a queue
        struct queue *q = queue_find(l, g, modes[i]);
        if (q)
            queue_form(l, q, now_ms);
    }
}

void queue_form(struct lobby *l, struct queue *q, int64_t now_ms)
{
    const struct lobby_game *g = q->game;
    char mode[LOBBY_MODE_ROOM];
    if (!mesh_is_open(l, g))
        return; // queue_open will form them
    memcpy(mode, q->mode, sizeof mode);
    form_requested_tables(l, g, now_ms);
    q = queue_find(l, g, mode);
    if (!q || strcmp(mode, QUEUE_TABLES) == 0)
        return;
    // Found again each time: a table that could not begin may have returned its members, and the queue may have been
    // freed.
    // Without `tries`, a table that is refused at once would form for ever (decision 057).
    for (int count, houses, tries = q->count + 1; q && q->count && tries > 0; tries--) {
        if (!(count = count_ready(l, q, now_ms, &houses)))
            break;
        seat_first(l, q, count, houses, now_ms);
        q = queue_find(l, g, mode);
    }
    if (!q)
        return;
    if (!q->count)
        drop_queue(l, q);
    else
        timer_set(l, &q->timer, next_check(l, q, now_ms));
}

// --- joining and leaving

// Enters the queue of this node, or sends the join to the matchmaker at another node.
static void wait_for_table(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t joined_ms,
                           int64_t now_ms)
{
    queue_remove(l, a);
    if (a->candidate)
        candidate_break(l, a->candidate, a, LOBBY_OPPONENT_NOT_READY, now_ms);
    if (mesh_is_remote(l, a, w->game)) {
        gateway_join(l, a, w, now_ms);
        return;
    }
    gateway_withdraw(l, a, false);
    struct queue *q = queue_enter(l, a, w, joined_ms);
    mesh_send_joined(a, w);
    queue_form(l, q, now_ms);
}

int lobby_join(struct lobby *l, struct lobby_agent *a, struct span game, struct span mode, bool one_shot,
               int64_t now_ms, char why[128])
{
    l->now_ms = now_ms;
    char word[LOBBY_MODE_ROOM];
    struct queue_request w = {.one_shot = one_shot};
    int err = is_online(a) ? OK : ERR_SEAT;
    if (err != OK)
        snprintf(why, 128, "the agent is not connected; connect it first");
    if (err == OK)
        err = eligibility_find_queue(l, a, game, mode, word, &w, why);
    if (err == OK)
        err = eligibility_check(l, a, &w, now_ms, why);
    if (err != OK)
        return err;
    timer_clear(l, &a->again_timer);
    if (!one_shot && !a->record.auto_requeue) { // F3.6
        a->record.auto_requeue = true;
        lobby_agent_save(l, a);
    }
    const struct candidate *c = a->candidate;
    if (c && c->game == w.game && strcmp(c->mode, w.mode) == 0) { // it is at a table of this queue already
        mesh_send_joined(a, &w);
        return OK;
    }
    int64_t joined_ms = now_ms;
    if (a->queue && a->queue->game == w.game && strcmp(a->queue->mode, w.mode) == 0)
        joined_ms = a->joined_ms; // F3.5
    wait_for_table(l, a, &w, joined_ms, now_ms);
    return OK;
}

int lobby_join_table(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g,
                     const struct lobby_table_request *request, int64_t now_ms, char why[128])
{
    l->now_ms = now_ms;
    struct queue_request w = {.game = g, .mode = QUEUE_TABLES, .one_shot = true};
    int seats = 1 + request->waiting + request->houses;
    if (seats < g->min_seats || seats > g->max_seats) {
        snprintf(why, 128, "%s needs %d to %d players", name_of(g), g->min_seats, g->max_seats);
        return ERR_RULES;
    }
    if (!is_online(a) || !eligibility_has_game(l, a, g)) {
        snprintf(why, 128, "connect this agent first; a game that is gated must be declared when it connects");
        return ERR_SEAT;
    }
    int err = eligibility_check(l, a, &w, now_ms, why);
    if (err != OK)
        return err;
    timer_clear(l, &a->again_timer);
    a->table_request = *request;
    wait_for_table(l, a, &w, now_ms, now_ms);
    return OK;
}

bool lobby_agent_waits(const struct lobby_agent *a)
{
    return a->queue || a->candidate || gateway_waits(a);
}

bool lobby_quit(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    l->now_ms = now_ms;
    timer_clear(l, &a->again_timer);
    // F3.7
    if (a->record.auto_requeue) {
        a->record.auto_requeue = false;
        lobby_agent_save(l, a);
    }
    bool is_seated =
        (gateway_waits(a) && a->remote_entry->state == GATEWAY_SEATED) || (a->candidate && a->candidate->host);
    bool was_there = lobby_agent_waits(a) && !is_seated; // otherwise it is too late
    queue_remove(l, a);
    if (!is_seated)
        gateway_withdraw(l, a, false);
    if (was_there && is_online(a))
        a->presence.link->on_queue_left(a->presence.client);
    if (a->candidate) // F3.7: does not count as a missed confirmation
        candidate_break(l, a->candidate, a, LOBBY_OPPONENT_NOT_READY, now_ms);
    return was_there;
}

// --- again after a match (F3.9)

static void join_again(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct lobby_agent *a = TIMER_OWNER(t, struct lobby_agent, again_timer);
    struct queue_request w = {.game = a->again, .mode = a->again_mode};
    char why[128];
    if (!is_here(a) || !a->record.auto_requeue || lobby_agent_waits(a) || !eligibility_has_game(l, a, w.game) ||
        eligibility_check(l, a, &w, now_ms, why) != OK)
        return;
    wait_for_table(l, a, &w, now_ms, now_ms);
}

void queue_again(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const char *mode, int64_t now_ms)
{
    if (!is_here(a) || !a->record.auto_requeue)
        return; // connected to another node, which re-queues it
    a->again = g;
    snprintf(a->again_mode, sizeof a->again_mode, "%s", mode);
    a->again_timer.fire = join_again;
    int64_t end_ms = eligibility_cooldown_end(l, a);
    timer_set(l, &a->again_timer, end_ms > now_ms ? end_ms : now_ms);
}

// --- maintenance (F3.18)

void queue_drain(struct lobby *l)
{
    for (int i = 0; i < LOBBY_QUEUE_BUCKETS; i++)
        while (l->queue[i]) {
            struct queue *q = l->queue[i];
            struct lobby_agent *a = q->first;
            unlink_agent(l, a);
            mesh_send_cancelled(a, LOBBY_MAINTENANCE, false, &(struct queue_request){.game = q->game, .mode = q->mode},
                                false);
            matchmaker_free_if_unused(l, a);
            if (!q->count)
                drop_queue(l, q);
        }
}
