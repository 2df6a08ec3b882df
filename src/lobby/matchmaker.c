// The matchmaker's side (S21 to S25): agents of other nodes wait in the queues of this one, and formed tables are begun
// by the node that has most of their players.
#include "cluster/note.h"
#include "lobby/internal.h"

#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

enum { ORDER_MS = 2000, EXCLUDED_MS = 5000 }; // S24: a host that did not answer in time is passed over for a while

// --- agents of other nodes

static struct remote_agent *get_remote(struct lobby *l, struct lobby_agent *a)
{
    struct remote_agent *x = a->remote;
    if (x)
        return x;
    x = lobby_alloc(sizeof *x);
    *x = (struct remote_agent){.next = l->mesh.remote, .at = &l->mesh.remote, .agent = a};
    if (x->next)
        x->next->at = &x->next;
    return l->mesh.remote = a->remote = x;
}

static void free_remote(struct lobby *l, struct lobby_agent *a)
{
    struct remote_agent *x = a->remote;
    standby_cancel_check(l, a);
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    a->remote = NULL;
    free(x);
}

void matchmaker_free_if_unused(struct lobby *l, struct lobby_agent *a)
{
    const struct remote_agent *x = a->remote;
    // Nothing of it is left here. `enters`: it is moving from one queue to another.
    if (x && !x->enters && !a->queue && !a->candidate && (!x->standby_games || x->ended))
        free_remote(l, a);
}

// The agent stays while its table is being started, because the match may exist already.
static void drop_remote(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    a->remote->standby_games = 0;
    a->remote->ended = true;
    queue_remove(l, a);
    if (a->candidate && !a->candidate->host)
        candidate_break(l, a->candidate, a, LOBBY_OPPONENT_DISCONNECTED, now_ms);
    matchmaker_free_if_unused(l, a);
}

// Also while its table is being started: the agent then gets the outcome on its new connection.
void matchmaker_return_agent(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    drop_remote(l, a, now_ms);
    if (a->remote)
        free_remote(l, a);
}

static const struct lobby_game *game_of_note(struct lobby *l, const struct note *n)
{
    const struct lobby_game *g = lobby_find_game(l, span_of(n->game));
    return g && mesh_is_ours(l, g) && l->mesh.game[lobby_game_index(l, g)].term == n->term ? g : NULL;
}

static void refuse_join(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, const char *why)
{
    struct note n = mesh_note(l, ENTRY_REFUSED, w->game);
    n.flags = NOTE_DOWN;
    n.agent = a->record.id;
    n.conn = a->remote->conn;
    n.number = a->remote->number;
    snprintf(n.say, sizeof n.say, "%s", why);
    mesh_send(l, a->remote->gateway, &n);
    matchmaker_free_if_unused(l, a);
}

static bool read_table_request(struct lobby_agent *a, const struct lobby_game *g, const struct note *n)
{
    struct lobby_table_request w = {.waiting = n->waiting, .houses = n->bots};
    int seats = 1 + n->waiting + n->bots;
    if (seats < g->min_seats || seats > g->max_seats || n->bots > GAME_MAX_SEATS - 2)
        return false;
    for (int i = 0; i < n->bots; i++)
        if (!(w.house[i] = house_find(g, n->bot[i])))
            return false;
    a->table_request = w;
    return true;
}

// Its gateway may not know what became of the entry, so the answer is repeated.
static bool is_queued_already(struct lobby_agent *a, const struct queue_request *w, bool listed, int64_t now_ms)
{
    const struct candidate *c = a->candidate;
    if (c && c->game == w->game && strcmp(c->mode, w->mode) == 0) {
        if (listed)
            candidate_remind(a, now_ms);
        else
            mesh_send_joined(a, w);
        return true;
    }
    if (!listed || !a->queue || a->queue->game != w->game || strcmp(a->queue->mode, w->mode) != 0)
        return false;
    mesh_send_joined(a, w);
    return true;
}

static void enter_queue(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct note *n,
                        int64_t now_ms)
{
    char why[128], mode[LOBBY_MODE_ROOM];
    snprintf(mode, sizeof mode, "%s", n->mode);
    struct queue_request w = {.game = g, .mode = mode, .one_shot = n->flags & NOTE_ONE_SHOT};
    bool listed = n->flags & NOTE_LISTED;
    a->remote->number = n->number;
    if (is_queued_already(a, &w, listed, now_ms))
        return;
    if (!eligibility_has_game(l, a, g) || (strcmp(mode, QUEUE_TABLES) == 0 && !read_table_request(a, g, n))) {
        refuse_join(l, a, &w, "this game or table is not available; check game, players and levels");
        return;
    }
    // An entry of a list has passed the gates when it was made.
    if (!listed && eligibility_check(l, a, &w, now_ms, why) != OK) {
        refuse_join(l, a, &w, why);
        return;
    }
    a->remote->enters = true;
    queue_remove(l, a);
    if (a->candidate)
        candidate_break(l, a->candidate, a, LOBBY_OPPONENT_NOT_READY, now_ms);
    struct queue *q = queue_enter(l, a, &w, now_ms - n->age_ms);
    a->remote->enters = false;
    if (!listed)
        mesh_send_joined(a, &w);
    queue_form(l, q, now_ms);
}

// The newest of its connections counts (S26). Returns false if this is an older one.
static bool accept_connection(struct lobby *l, struct lobby_agent *a, uint64_t from, const struct note *n,
                              int64_t now_ms)
{
    // Numbers of connections come from the store and grow for all nodes together.
    if (is_here(a) && a->conn > n->conn)
        return false;
    if (a->remote && a->remote->gateway != from) {
        if (a->remote->conn > n->conn)
            return false;
        drop_remote(l, a, now_ms);
    }
    if (!a->remote) { // it was connected here
        queue_remove(l, a);
        if (a->candidate)
            candidate_break(l, a->candidate, a, LOBBY_OPPONENT_DISCONNECTED, now_ms);
    }
    struct remote_agent *x = get_remote(l, a);
    x->gateway = from;
    x->conn = n->conn;
    x->capabilities = n->capabilities;
    x->game_rl = n->flags & NOTE_GAME_RL;
    x->listed = true;
    x->ended = false;
    return true;
}

static void handle_join(struct lobby *l, struct lobby_agent *a, uint64_t from, const struct note *n, int64_t now_ms)
{
    const struct lobby_game *g = game_of_note(l, n);
    if (!g || !accept_connection(l, a, from, n, now_ms))
        return;
    if (n->flags & NOTE_STANDBY)
        a->remote->standby_games |= 1u << lobby_game_index(l, g);
    else
        enter_queue(l, a, g, n, now_ms);
}

// --- loading agents that join, which may wait for the store

struct mesh_load {
    struct mesh_load *next;
    // The list has only loads that are still wanted; a job frees its load in any case.
    struct lobby *lobby; // NULL: no longer wanted
    uint64_t from;
    struct note note;
};

// What is being read for an older note of the same: of the agent's one entry in a queue, or of its standby for a game.
static bool is_outdated_by(const struct mesh_load *x, uint64_t from, const struct note *n)
{
    // Entries and standby are separate: the end of one says nothing of the other.
    if (x->from != from || !uuid_equals(x->note.agent, n->agent) || (x->note.flags ^ n->flags) & NOTE_STANDBY)
        return false;
    return !(n->flags & NOTE_STANDBY) || strcmp(x->note.game, n->game) == 0;
}

// Thousands of entries may arrive at once when a game gets a new matchmaker, so they are hashed by agent.
static struct mesh_load **loads_of(struct lobby *l, struct uuid agent)
{
    uint32_t mixed;
    memcpy(&mixed, agent.byte, sizeof mixed);
    return &l->mesh.loads[mixed % MESH_LOADS];
}

static void drop_cancelled(struct mesh_load **at)
{
    while (*at)
        if ((*at)->lobby)
            at = &(*at)->next;
        else
            *at = (*at)->next; // its job frees it
}

static void cancel_loads(struct lobby *l, uint64_t from, const struct note *n)
{
    struct mesh_load **loads = loads_of(l, n->agent);
    for (struct mesh_load *x = *loads; x; x = x->next)
        if (is_outdated_by(x, from, n))
            x->lobby = NULL;
    drop_cancelled(loads);
}

static void run_load(void *arg)
{
    struct mesh_load *x = arg;
    struct lobby *l = x->lobby;
    struct lobby_agent *a = l ? lobby_agent_by_id(l, x->note.agent) : NULL;
    if (a && a->record.kind != STORE_HOUSE) {
        lobby_agent_hold(a);
        nodes_reload_agent(l, a);
        lobby_agent_release(a);
    }
    if (!x->lobby) { // cancelled during the read
        free(x);
        return;
    }
    struct mesh_load **at = loads_of(l, x->note.agent);
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
    if (a && a->record.kind != STORE_HOUSE && !l->closing && l->mesh.call)
        handle_join(l, a, x->from, &x->note, l->now_ms);
    free(x);
}

static void receive_join(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct lobby_agent *a = lobby_find_agent(l, n->agent);
    bool known = a && a->remote && a->remote->gateway == from && a->remote->conn == n->conn;
    cancel_loads(l, from, n);
    if (known)
        a->remote->listed = true;                           // also when it is read first
    if (known && n->flags & (NOTE_LISTED | NOTE_STANDBY)) { // no gate is asked again
        handle_join(l, a, from, n, now_ms);
        return;
    }
    struct mesh_load *x = lobby_alloc(sizeof *x), **loads = loads_of(l, n->agent);
    *x = (struct mesh_load){.next = *loads, .lobby = l, .from = from, .note = *n};
    *loads = x;
    work_start(l->o.work, run_load, x);
}

// --- other messages of gateways

static void receive_quit(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct lobby_agent *a = lobby_find_agent(l, n->agent);
    const struct lobby_game *g = game_of_note(l, n);
    bool disconnected = n->why == LOBBY_OPPONENT_DISCONNECTED;
    cancel_loads(l, from, n);
    if (!g || !a || !a->remote || a->remote->gateway != from)
        return;
    if (n->flags & NOTE_STANDBY)
        a->remote->standby_games &= ~(1u << lobby_game_index(l, g));
    if (!(n->flags & NOTE_STANDBY) && a->queue && a->queue->game == g)
        queue_remove(l, a);
    struct candidate *c = a->candidate;
    if (c && c->game == g && !c->host)
        candidate_break(l, c, a, disconnected ? LOBBY_OPPONENT_DISCONNECTED : LOBBY_OPPONENT_NOT_READY, now_ms);
    else if (c && c->game == g && disconnected)
        a->remote->ended = true;
    matchmaker_free_if_unused(l, a);
}

// Agents of the gateway that wait for this game and are not on its list. Without a game all of them: the gateway is
// gone.
static bool must_drop(const struct remote_agent *x, uint64_t gateway, const struct lobby_game *g)
{
    const struct lobby_agent *a = x->agent;
    if (x->gateway != gateway || !g)
        return x->gateway == gateway && !x->ended;
    bool queued = a->queue && a->queue->game == g, asked = a->candidate && a->candidate->game == g;
    return !x->listed && (queued || asked) && !(asked && a->candidate->host);
}

// Dropping one agent may change the list, so all are collected first.
static void drop_all_of(struct lobby *l, uint64_t gateway, const struct lobby_game *g, int64_t now_ms)
{
    size_t count = 0, most = 1;
    for (const struct remote_agent *x = l->mesh.remote; x; x = x->next)
        most += must_drop(x, gateway, g);
    struct lobby_agent **going = lobby_alloc(most * sizeof *going);
    for (const struct remote_agent *x = l->mesh.remote; x; x = x->next)
        if (must_drop(x, gateway, g))
            lobby_agent_hold(going[count++] = x->agent);
    for (size_t i = 0; i < count; i++) {
        if (going[i]->remote && must_drop(going[i]->remote, gateway, g))
            drop_remote(l, going[i], now_ms);
        lobby_agent_release(going[i]);
    }
    free(going);
}

// The gateway's list is complete: agents that waited here and are not on it have left.
static void end_list(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    const struct lobby_game *g = game_of_note(l, n);
    if (!g)
        return;
    drop_all_of(l, from, g, now_ms);
    for (struct remote_agent *x = l->mesh.remote, *next; x; x = next) {
        next = x->next;
        if (x->gateway != from)
            continue;
        if (!x->listed)
            x->standby_games &= ~(1u << lobby_game_index(l, g));
        x->listed = false;
        matchmaker_free_if_unused(l, x->agent);
    }
}

// Entries received so far no longer count: some that followed them were lost.
void matchmaker_expect_list(struct lobby *l, uint64_t from)
{
    for (struct remote_agent *x = l->mesh.remote; x; x = x->next)
        if (x->gateway == from)
            x->listed = false;
}

static void receive_answer(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct candidate *c = candidate_find_order(l, n->id);
    if (!c || c->host != from)
        return; // too late: then it is a match like any other
    if (n->kind == ENTRY_BEGUN) {
        candidate_begun(l, c);
        return;
    }
    uint32_t full = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < n->players; k++)
            if (n->player[k].flags & NOTE_PLAYER_FULL && uuid_equals(n->player[k].agent, c->member[i].agent->record.id))
                full |= 1u << i;
    candidate_refused(l, c, full, now_ms);
}

void matchmaker_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct lobby_agent *a = lobby_find_agent(l, n->agent);
    bool of_his = a && a->remote && a->remote->gateway == from;
    if (n->kind == ENTRY_JOIN)
        receive_join(l, from, n, now_ms);
    else if (n->kind == ENTRY_QUIT)
        receive_quit(l, from, n, now_ms);
    else if (n->kind == ENTRY_ENTRIES)
        end_list(l, from, n, now_ms);
    else if (n->kind == ENTRY_CONFIRM && of_his)
        lobby_confirm(l, a, n->id, now_ms);
    else if (n->kind == ENTRY_READY && a && a->invited_at == from && n->flags & NOTE_CANCELLED)
        standby_receive_busy(l, a, n->id, now_ms);
    else if (n->kind == ENTRY_READY && (of_his || (a && a->invited_at == from)))
        lobby_report_ready(l, a, n->id, n->flags & NOTE_READY, now_ms);
    else if (n->kind == ENTRY_BEGUN || n->kind == ENTRY_REFUSED)
        receive_answer(l, from, n, now_ms);
}

// --- the host (S24)

static int count_players(const struct lobby *l, const struct candidate *c, uint64_t epoch)
{
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        const struct lobby_agent *a = c->member[i].agent;
        uint64_t gateway = a->remote ? a->remote->gateway : l->mesh.call->me;
        count += a->record.kind != STORE_HOUSE && gateway == epoch;
    }
    return count;
}

// An agent that is not connected by a socket cannot be relayed: its node hosts the match.
static bool must_host_here(const struct candidate *c)
{
    for (int i = 0; i < c->count; i++) {
        const struct lobby_agent *a = c->member[i].agent;
        if (a->record.kind != STORE_HOUSE && !a->remote && !a->conn)
            return true;
    }
    return false;
}

uint64_t matchmaker_pick_host(struct lobby *l, const struct candidate *c)
{
    struct lobby_peer peer[STORE_NODES];
    const struct lobby_mesh *call = l->mesh.call;
    int peers = call->list_peers(call->owner, peer, STORE_NODES), best = -1, most = -1;
    bool excludes = l->now_ms < l->mesh.excluded_until_ms;
    for (int i = 0; i < peers; i++) {
        int players = count_players(l, c, peer[i].epoch);
        // If this node is the only one, nobody else can be asked.
        if (!peer[i].serves || (excludes && peer[i].epoch == l->mesh.excluded_host && peers > 1))
            continue;
        if (players > most || (players == most && peer[i].load < peer[best].load)) {
            most = players;
            best = i;
        }
    }
    return must_host_here(c) ? call->me : best < 0 ? 0 : peer[best].epoch;
}

// An unnamed bot: the host takes one of its own (S25).
static bool is_filler_bot(const struct lobby *l, const struct candidate *c, const struct lobby_agent *a)
{
    int game = lobby_game_index(l, c->game);
    for (int i = 0; i < l->houses; i++)
        if (l->house[game][i] == a)
            return true;
    return house_model(l, c->game, a) >= 0;
}

static void add_member(struct lobby *l, const struct candidate *c, const struct member *m, struct note *n)
{
    const struct lobby_agent *a = m->agent;
    bool house = a->record.kind == STORE_HOUSE;
    if (house && is_filler_bot(l, c, a)) {
        n->houses++;
        return;
    }
    struct note_player *p = &n->player[n->players++];
    p->agent = a->record.id;
    p->gateway = a->remote ? a->remote->gateway : l->mesh.call->me;
    p->flags =
        (uint8_t)((house ? NOTE_PLAYER_HOUSE : 0) | (m->one_shot || house || c->by_request ? NOTE_PLAYER_ONE_SHOT : 0) |
                  (!m->one_shot && !m->standby && !house ? NOTE_PLAYER_AGAIN : 0));
    if (a->remote ? a->remote->game_rl : a->presence.game_rl)
        n->flags |= NOTE_GAME_RL;
}

// Makes the agent's gateway describe the connection to the host while that begins the match.
static void send_host(struct lobby *l, const struct candidate *c, const struct member *m)
{
    struct lobby_agent *a = m->agent;
    struct note n = mesh_note(l, ENTRY_BEGUN, c->game);
    if (a->record.kind == STORE_HOUSE || (!a->remote && (c->host == l->mesh.call->me || !is_online(a))))
        return;
    n.flags = (uint16_t)(NOTE_DOWN | (m->one_shot ? NOTE_ONE_SHOT : 0) | (m->standby ? NOTE_STANDBY : 0));
    n.agent = a->record.id;
    n.id = c->order;
    n.host = c->host;
    snprintf(n.mode, sizeof n.mode, "%s", candidate_home(c, m));
    if (!a->remote) {
        gateway_name_host(l, a, &n);
        return;
    }
    n.conn = a->remote->conn;
    n.number = m->standby ? 0 : a->remote->number;
    mesh_send(l, a->remote->gateway, &n);
}

void matchmaker_send_order(struct lobby *l, struct candidate *c, uint64_t host, int64_t now_ms)
{
    struct note n = mesh_note(l, ENTRY_ORDER, c->game);
    c->host = host;
    c->order = n.id = lobby_random_id(l);
    // S24: a host that does not answer until then is passed over.
    timer_set(l, &c->timer, now_ms + ORDER_MS);
    snprintf(n.mode, sizeof n.mode, "%s", queue_shown(c->mode));
    n.flags = c->by_request ? NOTE_BY_REQUEST : 0;
    for (int i = 0; i < c->count; i++)
        add_member(l, c, &c->member[i], &n);
    for (int i = 0; i < c->count; i++)
        send_host(l, c, &c->member[i]);
    if (host == l->mesh.call->me)
        match_order_receive(l, host, &n);
    else
        mesh_send(l, host, &n);
}

// --- ends

static void leave_queues(struct lobby *l, const struct lobby_game *g)
{
    for (int i = 0; i < LOBBY_QUEUE_BUCKETS; i++)
        for (struct queue *q = l->queue[i], *next; q; q = next) {
            next = q->next;
            if (q->game != g)
                continue;
            char mode[LOBBY_MODE_ROOM];
            memcpy(mode, q->mode, sizeof mode);
            for (struct lobby_agent *a = q->first, *after; a; a = after) {
                after = a->queue_next;
                struct queue_request w = {.game = g, .mode = mode, .one_shot = a->one_shot};
                if (!a->remote && !a->conn)
                    continue; // this node seats it in any case
                if (!a->remote)
                    gateway_keep_entry(a, &w, a->joined_ms);
                queue_remove(l, a); // the last one frees the queue
                matchmaker_free_if_unused(l, a);
            }
        }
}

static void leave_tables(struct lobby *l, const struct lobby_game *g)
{
    for (struct candidate *c = l->candidates, *next; c; c = next) {
        next = c->next;
        if (c->game == g)
            candidate_drop(l, c);
    }
}

void matchmaker_lose_role(struct lobby *l, const struct lobby_game *g)
{
    leave_tables(l, g);
    leave_queues(l, g);
    for (struct remote_agent *x = l->mesh.remote, *next; x; x = next) {
        next = x->next;
        x->standby_games &= ~(1u << lobby_game_index(l, g));
        matchmaker_free_if_unused(l, x->agent);
    }
}

void matchmaker_end_node(struct lobby *l, uint64_t epoch, int64_t now_ms)
{
    for (int i = 0; i < MESH_LOADS; i++) {
        for (struct mesh_load *x = l->mesh.loads[i]; x; x = x->next)
            if (x->from == epoch)
                x->lobby = NULL;
        drop_cancelled(&l->mesh.loads[i]);
    }
    drop_all_of(l, epoch, NULL, now_ms);
    for (struct candidate *c = l->candidates, *next; c; c = next) {
        next = c->next; // its players form tables again a second later
        if (c->host == epoch)
            candidate_refused(l, c, 0, now_ms);
    }
}

void matchmaker_close(struct lobby *l)
{
    for (int i = 0; i < MESH_LOADS; i++) {
        for (struct mesh_load *x = l->mesh.loads[i]; x; x = x->next)
            x->lobby = NULL;
        l->mesh.loads[i] = NULL;
    }
    for (int i = 0; i < l->games; i++)
        leave_tables(l, &l->o.games[i]);
    while (l->mesh.remote) {
        struct lobby_agent *a = l->mesh.remote->agent;
        queue_remove(l, a);
        free_remote(l, a);
    }
}

void matchmaker_exclude_host(struct lobby *l, uint64_t host, int64_t now_ms)
{
    l->mesh.excluded_host = host;
    l->mesh.excluded_until_ms = now_ms + EXCLUDED_MS;
}
