// Opening and closing, refusals and outages of the store, and what is asked of the lobby as a whole.
#include "lobby/internal.h"

#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOAD_MS = 500 }; // the store passes a node's load on once a second (S49)

void *lobby_alloc(size_t size)
{
    return memset(lobby_realloc(NULL, size), 0, size);
}

void *lobby_realloc(void *at, size_t size)
{
    void *grown = realloc(at, size ? size : 1);
    if (!grown) {
        fputs("agon: out of memory\n", stderr);
        exit(1);
    }
    return grown;
}

struct uuid lobby_random_id(struct lobby *l)
{
    struct uuid id;
    if (l->random_left < sizeof id.byte) {
        crypto_random(l->random, sizeof l->random);
        l->random_left = sizeof l->random;
    }
    uint8_t *from = l->random + (l->random_left -= sizeof id.byte);
    memcpy(id.byte, from, sizeof id.byte);
    memset(from, 0, sizeof id.byte);
    uuid_mark_random(&id);
    return id;
}

void lobby_defaults(struct lobby_options *o)
{
    *o = (struct lobby_options){.turn_timeout_ms = 300000,
                                .table_min = 2,
                                .table_max = 4,
                                .fill_wait_ms = 3000,
                                .confirm_timeout_ms = 30000,
                                .standby_sweep_ms = 5000,
                                .readiness_timeout_ms = 5000,
                                .house_wait_ms = 10000,
                                .house_think_ms = 400,
                                .challenge_ttl_ms = 24 * LOBBY_HOUR_MS,
                                .spectate_delay_ms = 60000,
                                .house_bots = 3,
                                .standby_default_cap = 2,
                                .max_concurrent_ceiling = 8,
                                .agent_concurrent = 1};
}

struct lobby *lobby_open(const struct lobby_options *o, struct store *store, int64_t now_ms)
{
    struct lobby *l = lobby_alloc(sizeof *l);
    struct store_counts counts;
    l->o = *o;
    l->store = store;
    l->now_ms = now_ms;
    while (l->games < LOBBY_GAMES && l->o.games[l->games].codec)
        l->games++;
    if (o->has_seed) {
        store_count(store, &counts);
        // Seeds go on where they were before the restart (F6.1).
        l->created = counts.matches;
    }
    deals_open(l, now_ms);
    agents_open(l);
    house_open(l, now_ms);
    standby_open(l, now_ms);
    guests_open(l, now_ms);
    nodes_open(l, now_ms);
    resume_all(l, now_ms);
    return l;
}

static void free_queues(struct lobby *l)
{
    for (int i = 0; i < LOBBY_QUEUE_BUCKETS; i++)
        for (struct queue *q = l->queue[i], *next; q; q = next) {
            next = q->next;
            free(q);
        }
    for (struct candidate *c = l->candidates, *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

bool lobby_take_code(struct lobby *l, const uint8_t hash[STORE_HASH])
{
    for (uint32_t i = 0; i < LOBBY_CODES && i < l->used_codes; i++)
        if (memcmp(l->used_code[i], hash, STORE_HASH) == 0)
            return false;
    memcpy(l->used_code[l->used_codes++ % LOBBY_CODES], hash, STORE_HASH);
    return true;
}

void lobby_close(struct lobby *l)
{
    while (l->running)
        live_match_release(l, l->running);
    while (l->finished)
        live_match_release(l, l->finished);
    while (l->starting)
        live_match_release(l, l->starting);
    mesh_close(l);
    agents_close(l);
    deals_close(l);
    free_queues(l);
    free(l->timers.at);
    free(l->pool);
    free(l);
}

void lobby_reload(struct lobby *l, const struct lobby_options *o)
{
    struct lobby_options next = *o;
    next.games = l->o.games;
    next.work = l->o.work;
    next.table_min = l->o.table_min;
    next.table_max = l->o.table_max;
    next.house_bots = l->o.house_bots;
    next.models = l->o.models;
    next.hide_keys = l->o.hide_keys;
    next.has_seed = l->o.has_seed;
    next.seed = l->o.seed;
    l->o = next;
}

const struct lobby_options *lobby_options_of(const struct lobby *l)
{
    return &l->o;
}

struct store *lobby_store(const struct lobby *l)
{
    return l->store;
}

store_ticket lobby_ticket(const struct lobby *l)
{
    return store_last(l->store);
}

int64_t lobby_next_due(const struct lobby *l)
{
    return l->away_ms ? NEVER : timer_next_due(l);
}

// --- a store that may be away

static void stop_clocks(struct lobby *l, bool away, int64_t now_ms)
{
    if (away == (l->away_ms != 0))
        return;
    if (away) {
        l->away_ms = now_ms;
        return;
    }
    int64_t gone_ms = now_ms - l->away_ms;
    l->away_ms = 0;
    timer_shift(l, gone_ms);
    for (struct live_match *b = l->running; b; b = b->older)
        for (int i = 0; i < b->record.seats; i++) {
            struct lobby_seat *s = &b->seat[i];
            if (s->awaited && s->due_ms != NEVER)
                s->due_ms += gone_ms;
            if (s->awaited && s->begun)
                // The limit of twice the turn's time (F4.10) counts from here.
                s->first_ms += gone_ms;
        }
    for (struct candidate *c = l->candidates; c; c = c->next)
        c->due_ms += gone_ms;
}

// Without agents that are connected to another node and play here: that node counts them.
static uint64_t count_connected(const struct lobby *l)
{
    uint64_t count = 0;
    for (const struct lobby_agent *a = l->online; a; a = a->online_next)
        count += is_here(a);
    return count;
}

// S49: publishes this node's load, once a second.
static void describe_load(struct lobby *l, int64_t now_ms)
{
    if (!store_is_shared(l->store) || (l->described_ms <= now_ms && now_ms - l->described_ms < LOAD_MS))
        return;
    l->described_ms = now_ms;
    store_describe_load(l->store, &(struct store_load){(int32_t)count_connected(l), (int32_t)l->figures.queued,
                                                       (int32_t)l->figures.spectators});
}

void lobby_collect(struct lobby *l, int64_t now_ms)
{
    struct store_refusal refused;
    l->now_ms = now_ms;
    stop_clocks(l, store_is_away(l->store), now_ms);
    while (store_take_refusal(l->store, &refused)) {
        if (refused.reason == STORE_MOVED)
            results_recompute(l, &refused);
        else if (refused.reason == STORE_NO_PLACE && nodes_refuse(l, refused.match, refused.ticket))
            continue;
        else if (live_match_refuse(l, refused.match, now_ms))
            store_settle(l->store, refused.ticket, store_last(l->store));
    }
    live_match_grant(l, now_ms);
    describe_load(l, now_ms);
}

void lobby_figures_of_all(const struct lobby *l, struct lobby_figures *out)
{
    struct store_node node[STORE_NODES];
    uint64_t me = store_my_epoch(l->store);
    int count = store_is_shared(l->store) ? store_list_nodes(l->store, node, STORE_NODES) : 0;
    *out = l->figures;
    if (count)
        out->agents_online = count_connected(l);
    for (int i = 0; i < count; i++) {
        if (node[i].epoch == me)
            continue;
        out->matches_active += (uint64_t)node[i].load;
        out->agents_online += (uint64_t)node[i].agents;
        out->queued += (uint64_t)node[i].queued;
        out->spectators += (uint64_t)node[i].spectators;
    }
}

void lobby_end_waits(struct lobby *l)
{
    l->closing = true;
    peer_requests_end(l, 0);
    store_give_up(l->store);
    if (store_may_wait(l->store)) // a local store has no waiting jobs, and other jobs were ended before
        work_drain(l->o.work);
}

void lobby_tick(struct lobby *l, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (store_fault(l->store)[0] || l->away_ms)
        return; // F8.6: the store has failed for good
    uint64_t enough = l->figures.house_moves + LOBBY_HOUSE_PER_TICK;
    for (int i = 0; i < LOBBY_FIRES_PER_TICK && l->figures.house_moves < enough; i++)
        if (!timer_fire_next(l, now_ms))
            return;
}

bool lobby_is_closing(const struct lobby *l)
{
    return l->closing;
}

bool lobby_is_draining(const struct lobby *l)
{
    return l->draining;
}

void lobby_set_cut_off(struct lobby *l, bool cut_off)
{
    l->cut_off = cut_off;
}

bool lobby_is_cut_off(const struct lobby *l)
{
    return l->cut_off;
}

bool lobby_may_begin(const struct lobby *l)
{
    // F8.3: once damage is found no match begins, because its ratings could not be trusted.
    return !l->draining && !l->away_ms && store_has_room(l->store) && !store_fault(l->store)[0] &&
           !store_damages(l->store);
}

void lobby_drain(struct lobby *l, bool on, int64_t now_ms)
{
    l->now_ms = now_ms;
    l->draining = on;
    store_describe_node(l->store, on ? STORE_DRAINS : STORE_SERVES);
    mesh_resign(l);
    if (!on)
        return;
    candidate_drain(l);
    queue_drain(l);
    gateway_drain(l);
}

const struct lobby_game *lobby_find_game(const struct lobby *l, struct span name)
{
    for (int i = 0; i < l->games; i++)
        if (span_is(name, name_of(&l->o.games[i])))
            return &l->o.games[i];
    return NULL;
}

void lobby_read_rules(const struct lobby *l, const struct lobby_game *g, bool deterministic_windows, void *rules)
{
    if (g->rules)
        memcpy(rules, g->rules, g->codec->game->rules_size);
    else
        g->codec->game->defaults(rules);
    if (g->set_rules)
        g->set_rules(rules, l->o.strict_compat, deterministic_windows);
}

int lobby_game_index(const struct lobby *l, const struct lobby_game *g)
{
    return (int)(g - l->o.games);
}

void lobby_figures(const struct lobby *l, struct lobby_figures *out)
{
    *out = l->figures;
}
