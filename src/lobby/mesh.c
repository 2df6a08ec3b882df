// Which node is the matchmaker of a game (S20, S22), and messages to agents wherever they are connected.
#include "lobby/mesh.h"

#include "cluster/note.h"
#include "lobby/internal.h"

#include <stdio.h>

enum {
    POLL_MS = 500,
    OPENS_MS = 1000, // a new matchmaker waits so long for the lists of gateways, then forms tables without the missing
};

static uint64_t my_epoch(const struct lobby *l)
{
    return l->mesh.call->me;
}

static struct mesh_game *state_of(struct lobby *l, const struct lobby_game *g)
{
    return &l->mesh.game[lobby_game_index(l, g)];
}

bool mesh_is_ours(const struct lobby *l, const struct lobby_game *g)
{
    return !l->mesh.call || l->mesh.game[lobby_game_index(l, g)].holder == my_epoch(l);
}

bool mesh_is_open(const struct lobby *l, const struct lobby_game *g)
{
    // A game of another matchmaker counts as open: who waits here for it can be seated by this node alone
    // (mesh_is_remote).
    return !l->mesh.call || l->mesh.game[lobby_game_index(l, g)].open || !mesh_is_ours(l, g);
}

// An agent without a connection number is known to this node only and cannot be relayed, so this node seats it itself.
bool mesh_is_remote(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g)
{
    return !mesh_is_ours(l, g) && !a->remote && a->conn;
}

bool mesh_is_here(const struct lobby_agent *a)
{
    return a->remote ? !a->remote->ended : is_here(a);
}

bool mesh_is_synced(const struct lobby_agent *a)
{
    return a->remote || (a->synced && !a->presence.relayed);
}

// --- sending

void mesh_send(struct lobby *l, uint64_t epoch, struct note *n)
{
    char room[NOTE_MOST];
    struct entry e;
    // What is for this node itself its callers do without a note.
    if (!l->mesh.call || !epoch || epoch == my_epoch(l))
        return;
    note_write(n, room, &e);
    l->mesh.call->send(l->mesh.call->owner, epoch, &e);
}

struct note mesh_note(struct lobby *l, int kind, const struct lobby_game *g)
{
    struct note n = {.kind = (uint8_t)kind, .term = state_of(l, g)->term};
    snprintf(n.game, sizeof n.game, "%s", name_of(g));
    return n;
}

static struct note begin_note(struct lobby_agent *a, int kind, const struct queue_request *w, bool standby)
{
    struct note n = mesh_note(a->lobby, kind, w->game);
    n.flags = (uint16_t)(NOTE_DOWN | (w->one_shot ? NOTE_ONE_SHOT : 0) | (standby ? NOTE_STANDBY : 0));
    n.number = standby ? 0 : a->remote->number;
    n.agent = a->record.id;
    n.conn = a->remote->conn;
    snprintf(n.mode, sizeof n.mode, "%s", w->mode);
    return n;
}

// --- messages to agents, directly or through their gateway

void mesh_send_joined(struct lobby_agent *a, const struct queue_request *w)
{
    if (!a->remote) {
        a->presence.link->on_queue_joined(a->presence.client, w->game, queue_shown(w->mode), w->one_shot);
        return;
    }
    struct note n = begin_note(a, ENTRY_JOIN, w, false);
    mesh_send(a->lobby, a->remote->gateway, &n);
}

void mesh_send_confirm(struct lobby_agent *a, const struct lobby_confirm *c, bool standby)
{
    if (!a->remote) {
        a->presence.link->on_confirm(a->presence.client, c);
        return;
    }
    struct note n = begin_note(a, ENTRY_CONFIRM, &(struct queue_request){.game = c->game, .mode = c->mode}, standby);
    n.id = c->id;
    n.players = (uint8_t)c->players;
    n.age_ms = c->timeout_ms > 0 ? c->timeout_ms : 0;
    mesh_send(a->lobby, a->remote->gateway, &n);
}

void mesh_send_cancelled(struct lobby_agent *a, enum lobby_cancel why, bool re_queued, const struct queue_request *w,
                         bool standby)
{
    if (!a->remote) {
        a->presence.link->on_cancelled(a->presence.client, why, re_queued, w->game, queue_shown(w->mode));
        return;
    }
    struct note n = begin_note(a, ENTRY_QUIT, w, standby);
    n.flags |= (uint16_t)(NOTE_CANCELLED | (re_queued ? NOTE_RE_QUEUED : 0));
    n.why = (uint8_t)why;
    mesh_send(a->lobby, a->remote->gateway, &n);
}

void mesh_send_readiness(struct lobby_agent *a, struct uuid request, int64_t timeout_ms)
{
    if (!a->remote) {
        a->presence.link->on_readiness(a->presence.client, request, timeout_ms);
        return;
    }
    struct note n = {.kind = ENTRY_READY, .flags = NOTE_DOWN, .agent = a->record.id, .conn = a->remote->conn};
    n.id = request;
    n.age_ms = timeout_ms;
    mesh_send(a->lobby, a->remote->gateway, &n);
}

// --- becoming the matchmaker

static void open_game(struct lobby *l, const struct lobby_game *g, int64_t now_ms)
{
    struct mesh_game *m = state_of(l, g);
    timer_clear(l, &m->opening);
    if (m->open)
        return;
    m->open = true;
    queue_open(l, g, now_ms);
}

static void on_opening(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct mesh_game *m = TIMER_OWNER(t, struct mesh_game, opening);
    open_game(l, &l->o.games[m - l->mesh.game], now_ms);
}

// S22: opens when all gateways have sent their lists, or a second later with what is known by then.
static void open_if_answered(struct lobby *l, const struct lobby_game *g, int64_t now_ms)
{
    struct lobby_peer peer[STORE_NODES];
    const struct mesh_game *m = state_of(l, g);
    int peers = l->mesh.call->list_peers(l->mesh.call->owner, peer, STORE_NODES);
    for (int i = 0; i < peers; i++) {
        bool answered = peer[i].epoch == my_epoch(l);
        for (int k = 0; k < m->answers; k++)
            answered |= m->answered[k] == peer[i].epoch;
        if (!answered)
            return;
    }
    open_game(l, g, now_ms);
}

static void call_for_entries(struct lobby *l, const struct lobby_game *g)
{
    struct lobby_peer peer[STORE_NODES];
    int peers = l->mesh.call->list_peers(l->mesh.call->owner, peer, STORE_NODES);
    struct note n = mesh_note(l, ENTRY_ENTRIES, g);
    n.flags = NOTE_DOWN;
    for (int i = 0; i < peers; i++)
        mesh_send(l, peer[i].epoch, &n);
}

static void become_matchmaker(struct lobby *l, const struct lobby_game *g, int64_t now_ms)
{
    struct mesh_game *m = state_of(l, g);
    m->open = false;
    m->answers = 0;
    m->opening.fire = on_opening;
    timer_set(l, &m->opening, now_ms + OPENS_MS);
    gateway_become_matchmaker(l, g);
    call_for_entries(l, g);
    open_if_answered(l, g, now_ms);
}

static void set_holder(struct lobby *l, const struct lobby_game *g, uint64_t epoch, uint64_t term, int64_t now_ms)
{
    struct mesh_game *m = state_of(l, g);
    // A smaller term is late: terms only grow (S20).
    if (term < m->term || (term == m->term && epoch == m->holder))
        return;
    bool was_ours = m->holder == my_epoch(l);
    m->holder = epoch;
    m->term = term;
    if (l->challenges)
        challenges_move(l->challenges, g);
    if (epoch == my_epoch(l)) {
        become_matchmaker(l, g, now_ms);
        return;
    }
    timer_clear(l, &m->opening);
    m->open = false;
    if (was_ours)
        matchmaker_lose_role(l, g);
    gateway_end_questions(l, g);
    gateway_send_list(l, g);
}

static void on_look(struct lobby *l, struct timer *t, int64_t now_ms)
{
    const struct lobby_mesh *call = l->mesh.call;
    timer_set(l, t, now_ms + POLL_MS);
    for (int i = 0; i < l->games; i++) {
        uint64_t epoch = 0, term = 0;
        // While it drains, the store may still name this node, which has resigned (mesh_resign).
        if (call->find_holder(call->owner, name_of(&l->o.games[i]), &epoch, &term) && !l->draining)
            set_holder(l, &l->o.games[i], epoch, term, now_ms);
    }
}

// --- for the owner of the loop

void lobby_set_mesh(struct lobby *l, const struct lobby_mesh *m, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (l->mesh.call)
        mesh_close(l);
    l->mesh.call = m;
    if (!m)
        return;
    for (int i = 0; i < l->games; i++)
        m->want(m->owner, name_of(&l->o.games[i]), true);
    l->mesh.look.fire = on_look;
    timer_set(l, &l->mesh.look, now_ms);
}

void mesh_close(struct lobby *l)
{
    timer_clear(l, &l->mesh.look);
    for (int i = 0; i < LOBBY_GAMES; i++)
        timer_clear(l, &l->mesh.game[i].opening);
    matchmaker_close(l);
    l->mesh = (struct mesh){0};
}

void mesh_resign(struct lobby *l)
{
    const struct lobby_mesh *call = l->mesh.call;
    for (int i = 0; call && i < l->games; i++) {
        const struct lobby_game *g = &l->o.games[i];
        bool ours = mesh_is_ours(l, g);
        call->want(call->owner, name_of(g), !l->draining);
        if (!l->draining || !ours)
            continue;
        struct mesh_game *m = state_of(l, g);
        timer_clear(l, &m->opening);
        m->holder = 0;
        m->open = false;
        matchmaker_lose_role(l, g);
    }
}

static void receive_entries(struct lobby *l, uint64_t from, const struct note *n, const struct lobby_game *g,
                            int64_t now_ms)
{
    struct mesh_game *m = state_of(l, g);
    if (n->flags & NOTE_DOWN) { // a matchmaker asks for the list
        if (n->term == m->term && m->holder == from)
            gateway_send_list(l, g);
        else
            // The new matchmaker's note may be faster than the look at the store.
            set_holder(l, g, from, n->term, now_ms);
        return;
    }
    if (!mesh_is_ours(l, g) || n->term != m->term)
        return;
    matchmaker_receive(l, from, n, now_ms);
    // A gateway may answer twice. If the list were full before everybody has answered, OPENS_MS would decide.
    if (m->answers < STORE_NODES)
        m->answered[m->answers++] = from;
    if (!m->open)
        open_if_answered(l, g, now_ms);
}

void lobby_mesh_receive(struct lobby *l, uint64_t from, const struct entry *e, int64_t now_ms)
{
    struct note n;
    l->now_ms = now_ms;
    if (!l->mesh.call || note_read(e, &n) != OK)
        return;
    const struct lobby_game *g = lobby_find_game(l, span_of(n.game));
    // Notes about challenges and tournaments have the kinds of those about queues, so their flags are looked at first.
    bool asks_director = n.flags & NOTE_TOURNAMENT && n.kind == ENTRY_JOIN;
    if ((n.flags & NOTE_CHALLENGE && n.flags & NOTE_DOWN) ||
        (n.flags & NOTE_TOURNAMENT && n.flags & NOTE_DOWN && uuid_is_none(n.agent)))
        peer_request_receive(l, &n);
    else if (asks_director)
        peer_request_serve_tournament(l, from, &n);
    else if (n.flags & NOTE_CHALLENGE && n.flags & NOTE_SEATED && l->rematches)
        rematches_receive(l->rematches, from, &n);
    else if (n.flags & NOTE_CHALLENGE && l->challenges)
        challenges_receive(l->challenges, from, &n);
    else if (n.kind == ENTRY_ENTRIES && g)
        receive_entries(l, from, &n, g, now_ms);
    else if (n.kind == ENTRY_ORDER)
        match_order_receive(l, from, &n);
    else if (n.flags & NOTE_DOWN)
        gateway_receive(l, from, &n, now_ms);
    else
        matchmaker_receive(l, from, &n, now_ms);
}

void lobby_mesh_reset(struct lobby *l, uint64_t peer, int64_t now_ms)
{
    l->now_ms = now_ms;
    matchmaker_expect_list(l, peer);
    for (int i = 0; l->mesh.call && i < l->games; i++)
        if (l->mesh.game[i].holder == peer)
            gateway_send_list(l, &l->o.games[i]);
}

void lobby_mesh_end_node(struct lobby *l, uint64_t peer, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!l->mesh.call)
        return;
    for (int i = 0; i < l->games; i++)
        if (l->mesh.game[i].holder == peer) {
            l->mesh.game[i].holder = 0;
            gateway_end_questions(l, &l->o.games[i]);
        }
    peer_requests_end(l, peer);
    matchmaker_end_node(l, peer, now_ms);
    for (int i = 0; i < l->games; i++)
        if (mesh_is_ours(l, &l->o.games[i]) && !l->mesh.game[i].open)
            open_if_answered(l, &l->o.games[i], now_ms);
}

void lobby_mesh_figures(const struct lobby *l, struct lobby_mesh_figures *out)
{
    *out = (struct lobby_mesh_figures){0};
    for (int i = 0; l->mesh.call && i < l->games; i++)
        out->ours += mesh_is_ours(l, &l->o.games[i]);
    for (const struct remote_agent *x = l->mesh.remote; x; x = x->next)
        out->remote++;
    for (const struct lobby_agent *a = l->mesh.call ? l->online : NULL; a; a = a->online_next)
        out->elsewhere += gateway_waits(a);
}
