// Agents that are connected here and have a match at another node: their messages go to its host, and the frames of the
// host to their sockets.
#include "front/arena/relay_internal.h"
#include "lobby/mesh.h"

#include <stdlib.h>

// --- describing connected agents to hosts

void relay_put_come(struct relay *r, const struct relay_conn *x, uint64_t host)
{
    char bytes[RELAY_COME];
    struct entry e = relay_entry(x, ENTRY_COME);
    e.agent = lobby_agent_record(x->conn->agent)->public_no;
    e.id = x->agent;
    e.payload = relay_write_come(x, bytes);
    relay_put(r, host, &e);
}

void relay_put_gone(struct relay *r, uint64_t host, uint64_t number)
{
    struct entry gone = {.kind = ENTRY_GONE, .conn = number};
    relay_put(r, host, &gone);
}

// How the agent is connected here; NULL: it is not, or by another front.
static const struct lobby_presence *find_presence(struct relay *r, struct uuid agent)
{
    const struct lobby_agent *a = lobby_find_agent(r->o.hub->lobby, agent);
    const struct lobby_presence *p = a ? lobby_agent_presence(a) : NULL;
    return p && p->link == &hub_link ? p : NULL;
}

bool relay_arrived(struct relay *r, struct uuid agent, uint64_t number, const struct relay_match *at, int count)
{
    const struct lobby_presence *p = find_presence(r, agent);
    struct hub_conn *c = p ? p->client : NULL;
    struct relay_conn *x = c && !c->relay ? relay_add(r, c, agent, number) : NULL;
    if (!x)
        return false;
    x->capabilities = p->capabilities;
    for (int i = 0; i < count; i++) {
        if (!relay_set_route(x, (struct uuid){0}, at[i].host) || !relay_set_route(x, at[i].session, at[i].host))
            return false;
        bool greeted = false;
        for (int k = 0; k < i; k++)
            greeted |= at[k].host == at[i].host;
        if (!greeted)
            relay_put_come(r, x, at[i].host);
        if (!r->o.is_live(r->o.owner, at[i].host)) // it was while the store was read: nothing comes from it
            lobby_learn_ends(r->o.hub->lobby, x->conn->agent);
    }
    return true;
}

void relay_replace_older(struct relay *r, const struct hub_conn *c, const struct store_presence *before)
{
    bool same = c->instance[0] && strcmp(c->instance, before->instance) == 0;
    char reason = same ? LOBBY_REPLACED_SAME_INSTANCE : LOBBY_REPLACED;
    struct entry e = {.kind = ENTRY_REPLACED, .conn = before->conn, .payload = {&reason, 1}};
    // A connection at this node was replaced by lobby_connect.
    if (before->conn && before->epoch != r->o.epoch)
        relay_put(r, before->epoch, &e);
}

void relay_note_arrival(struct hub_conn *c, const struct store_arrival *a)
{
    struct relay *r = c->hub->relay;
    struct relay_match at[STORE_SEATS];
    int count = 0;
    for (int i = 0; i < a->matches; i++)
        if (a->match[i].epoch != r->o.epoch)
            at[count++] = (struct relay_match){.host = a->match[i].epoch};
    relay_arrived(r, lobby_agent_record(c->agent)->id, a->conn, at, count);
    relay_replace_older(r, c, &a->before);
}

void relay_note_joined(struct relay *r, uint64_t epoch)
{
    const struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            for (int k = 0; k < x->routes && !x->gateway && !x->dead && x->conn->agent; k++)
                if (x->route[k].host == epoch && uuid_is_none(x->route[k].session))
                    relay_put_come(r, x, epoch);
}

bool relay_introduce_once(struct relay *r, struct uuid agent, uint64_t host)
{
    const struct relay_conn *x = relay_find_agent(r, agent);
    for (int i = 0; x && !x->gateway && i < x->routes; i++)
        if (x->route[i].host == host && uuid_is_none(x->route[i].session))
            return true;
    return relay_introduce(r, agent, host);
}

bool relay_introduce(struct relay *r, struct uuid agent, uint64_t host)
{
    struct relay_conn *x = relay_find_agent(r, agent);
    if (!x || x->gateway || !x->conn->agent || !relay_set_route(x, (struct uuid){0}, host))
        return false;
    relay_put_come(r, x, host);
    return true;
}

bool relay_learn_host(struct hub_conn *c, struct uuid session, uint64_t host)
{
    struct relay_conn *x = c->relay;
    if (!x || x->gateway || host == c->hub->relay->o.epoch || !relay_introduce_once(c->hub->relay, x->agent, host))
        return false;
    const struct route *before = relay_find_route(c, session);
    uint64_t old = before ? before->host : 0;
    bool learnt = relay_set_route(x, session, host) != NULL;
    if (old && old != host)
        relay_leave_host(c->hub->relay, x, old);
    return learnt;
}

// --- frames of a host

void relay_receive_frame(struct relay *r, uint64_t host, const struct entry *e)
{
    static const uint8_t kinds[] = {
        [ENTRY_FRAME] = HUB_EVENT, [ENTRY_ASK] = HUB_ASKED, [ENTRY_OVER] = HUB_OVER, [ENTRY_REPLY] = HUB_REPLY};
    struct relay_conn *x = relay_find_number(r, e->conn);
    // The connection ended before this frame arrived. Reports it again, in case the first report was lost.
    if (!x || x->gateway || !x->conn->agent) {
        relay_put_gone(r, host, e->conn);
        return;
    }
    if (e->kind == ENTRY_OVER && relay_find_route(x->conn, e->id)) // the first time: the entry may be repeated
        lobby_remote_match_over(r->o.hub->lobby, x->conn->agent, e->id, relay_lobby_ms(r));
    if (e->flags & ENTRY_START)
        lobby_remote_match_started(r->o.hub->lobby, x->conn->agent, e->id, relay_lobby_ms(r));
    struct route *route = uuid_is_none(e->id) ? NULL : relay_set_route(x, e->id, host);
    if (!route && !uuid_is_none(e->id))
        return; // without memory
    if (route)
        route->moved = 0;
    enum hub_kind kind = e->flags & ENTRY_START ? HUB_STARTED : (enum hub_kind)kinds[e->kind];
    hub_forward_frame(x->conn, kind, e->id, e->ask, e->payload);
}

void relay_note_written(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask)
{
    struct route *route = relay_find_route(c, session);
    if (route && kind == HUB_ASKED) {
        route->asks = ask;
        struct entry e = relay_entry(c->relay, ENTRY_WRITTEN);
        e.id = session;
        e.ask = ask;
        relay_put(c->hub->relay, route->host, &e);
    }
}

// The list grows with the matches of one connection, so that a short visit costs little.
static void add_sent(struct relay_conn *x, enum hub_kind kind, struct uuid session)
{
    if (x->sent_count == x->sent_room && x->sent_room < RELAY_SENT) {
        uint32_t room = x->sent_room ? 2 * x->sent_room : 4;
        struct sent_frame *grown = realloc(x->sent, room * sizeof *grown);
        if (!grown)
            return; // without memory the frame may be sent twice
        x->sent = grown;
        x->sent_room = room;
    }
    x->sent[x->sent_count++ % RELAY_SENT] = (struct sent_frame){session, kind};
}

bool relay_note_sent(struct hub_conn *c, enum hub_kind kind, struct uuid session)
{
    struct relay_conn *x = c->relay;
    uint32_t kept = x && x->sent_count < RELAY_SENT ? x->sent_count : RELAY_SENT;
    for (uint32_t i = 0; x && i < kept; i++)
        if (x->sent[i].kind == kind && uuid_equals(x->sent[i].session, session))
            return false;
    if (x)
        add_sent(x, kind, session);
    return true;
}

// S44: the host marks the frame as delivered. A match that is over sends nothing more.
void relay_note_pong(struct hub_conn *c, const struct hub_due *due)
{
    struct route *route = relay_find_route(c, due->session);
    if (!route)
        return;
    struct entry e = relay_entry(c->relay, ENTRY_PONG);
    e.id = due->session;
    e.flags = due->kind == HUB_STARTED ? ENTRY_START : 0;
    relay_put(c->hub->relay, route->host, &e);
    if (due->kind == HUB_OVER)
        relay_drop_route(c->relay, route);
}

// The other node has a newer connection of the agent, or has kicked it.
void relay_receive_replaced(struct relay *r, const struct entry *e)
{
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway || !x->conn->agent || e->payload.size != 1 || (uint8_t)e->payload.at[0] > LOBBY_KICKED)
        return;
    lobby_leave(r->o.hub->lobby, x->conn->agent, x->conn, relay_lobby_ms(r));
    hub_link.on_gone(x->conn, (enum lobby_gone)e->payload.at[0]);
}

bool relay_is_hosted_elsewhere(struct relay *r, const struct lobby_presence *p, struct uuid session)
{
    const struct hub_conn *c = p->link == &hub_link ? p->client : NULL;
    const struct route *route = c && !relay_is_remote(c) ? relay_find_route(c, session) : NULL;
    return route && r->o.is_live(r->o.owner, route->host);
}

// --- messages of agents

bool relay_awaits_answer(const struct hub_conn *c, struct uuid session)
{
    const struct route *route = relay_is_remote(c) ? NULL : relay_find_route(c, session);
    // One answer for each question passes the limit of messages (F1.14); repetitions count.
    return route && route->answered != route->asks;
}

bool relay_forward(struct hub_conn *c, struct uuid session, struct span message, uint16_t tries)
{
    struct route *route = relay_is_remote(c) ? NULL : relay_find_route(c, session);
    if (!route)
        return false;
    struct entry e = relay_entry(c->relay, ENTRY_SAY);
    e.id = session;
    // Profile L has no request ids: its host judges by this (S55).
    e.ask = route->asks;
    e.seat = tries;
    e.payload = message;
    route->answered = route->asks;
    relay_put(c->hub->relay, route->host, &e);
    return true;
}
