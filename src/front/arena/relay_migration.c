// Matches that move to another node while they are played (S60). The old host describes how its players are connected,
// and the new host continues with them. Messages that players sent to the old host meanwhile return to their gateway,
// which forwards them.
#include "front/arena/relay_internal.h"
#include "work/work.h"

#include <stdlib.h>

enum {
    AGAIN_MS = 200,  // pause before a message that found no match is sent again
    TRIES = 100,     // attempts, 20 s in all; then the message is dropped
    HEAD = 8 + 8 + 4 // size of a connection's head: gateway, number, newest request
};

_Static_assert(HEAD + RELAY_COME <= LOBBY_CONNECTION, "what the lobby keeps of a connection");

// --- at the old host

// All frames must have arrived: those of the next host use another link and could be faster.
static bool is_quiet(struct relay *r, const struct hub_conn *c, const struct route *route)
{
    const struct relay_conn *x = c->relay;
    if (c->waiting || c->phase != HUB_OPEN)
        return false;
    return !x->gateway || ((!route || !route->left_ms) && links_has_handled(&r->links, x->gateway, x->last));
}

int relay_describe_player(struct relay *r, const struct lobby_presence *p, struct uuid session, char *out)
{
    const struct hub_conn *c = p->link == &hub_link ? p->client : NULL;
    const struct relay_conn *x = c ? c->relay : NULL;
    if (!x || x->dead)
        return 0;
    const struct route *route = relay_find_route(c, session);
    if (!is_quiet(r, c, route))
        return 0;
    char come[RELAY_COME], ask[8];
    struct text t = text_on(out, LOBBY_CONNECTION);
    entry_write_number(text_reserve(&t, 8), x->gateway ? x->gateway : r->o.epoch);
    entry_write_number(text_reserve(&t, 8), x->number);
    entry_write_number(ask, !x->gateway ? 1 : route ? route->asks : 0); // of its own players a host counts none
    text_put(&t, (struct span){ask, 4});
    text_put(&t, relay_write_come(x, come));
    return t.full ? 0 : (int)t.size;
}

void relay_note_moved(struct relay *r, const struct lobby_presence *p, struct uuid session, uint64_t epoch)
{
    const struct hub_conn *c = p->link == &hub_link ? p->client : NULL;
    struct relay_conn *x = c ? c->relay : NULL;
    if (!x || x->dead)
        return;
    struct route *route = x->gateway ? relay_set_route(x, session, x->gateway) : NULL;
    if (route) {
        route->moved = epoch;
        return;
    }
    if (x->gateway || !relay_set_route(x, (struct uuid){0}, epoch))
        return;
    route = relay_set_route(x, session, epoch);
    if (route)
        *route = (struct route){.session = session, .host = epoch, .asks = 1, .moved = epoch};
    (void)r;
}

// --- at the node that takes it

// It is connected to this node: what was relayed is not any more.
static bool take_player_home(struct relay *r, const struct lobby_agent *a, uint64_t number, struct uuid session)
{
    struct relay_conn *x = relay_find_number(r, number);
    if (!x || x->gateway || x->conn->agent != a)
        return false;
    struct route *route = relay_find_route(x->conn, session);
    uint64_t host = route ? route->host : 0;
    if (route)
        relay_drop_route(x, route);
    if (host)
        relay_leave_host(r, x, host);
    return true;
}

static struct relay_conn *add_player(struct relay *r, struct lobby_agent *a, uint64_t gateway, uint64_t number,
                                     struct span come)
{
    const struct store_agent *record = lobby_agent_record(a);
    const struct relay_conn *known = relay_find_agent(r, record->id);
    // The player may have reconnected since the old host wrote this down.
    if ((known && known->number >= number) || !r->o.is_live(r->o.owner, gateway))
        return NULL;
    struct hub_conn *c = hub_add(r->o.hub);
    struct relay_conn *x = c ? relay_add(r, c, record->id, number) : NULL;
    if (!x) {
        free(c);
        return NULL;
    }
    x->gateway = gateway;
    c->phase = HUB_OPEN;
    r->figures.players++;
    if (!relay_read_come(x, come)) {
        hub_remove(c);
        return NULL;
    }
    struct lobby_presence p = relay_presence(x);
    c->agent = a;
    lobby_continue(r->o.hub->lobby, a, &p, relay_lobby_ms(r));
    return x;
}

bool relay_resume_player(struct relay *r, struct lobby_agent *a, struct uuid session, struct span connection)
{
    if (connection.size < HEAD)
        return false;
    char ask[8] = {0};
    uint64_t gateway = entry_read_number((struct span){connection.at, 8});
    uint64_t number = entry_read_number((struct span){connection.at + 8, 8});
    memcpy(ask, connection.at + 16, 4);
    uint32_t asks = (uint32_t)entry_read_number((struct span){ask, 8});
    struct span come = {connection.at + HEAD, connection.size - HEAD};
    if (gateway == r->o.epoch)
        return take_player_home(r, a, number, session);
    struct relay_conn *x = relay_find_number(r, number);
    if (!x && !lobby_agent_is_online(a))
        x = add_player(r, a, gateway, number, come);
    if (!x || x->gateway != gateway || x->conn->agent != a)
        return false;
    struct route *route = relay_set_route(x, session, gateway);
    if (!route)
        return false;
    route->asks = asks;
    route->moved = 0;
    struct entry moved = {.kind = ENTRY_ADOPT, .flags = ENTRY_MOVED, .conn = number, .id = session, .ask = asks};
    relay_put(r, gateway, &moved);
    return true;
}

bool relay_is_settled(const struct relay *r)
{
    const struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            for (int k = 0; k < x->routes && x->gateway && !x->dead; k++)
                if (x->route[k].moved)
                    return false;
    return links_are_settled(&r->links);
}

// --- at the gateway

void relay_leave_host(struct relay *r, struct relay_conn *x, uint64_t host)
{
    struct route *known = NULL;
    for (int i = 0; i < x->routes; i++) {
        if (x->route[i].host == host && !uuid_is_none(x->route[i].session))
            return;
        known = x->route[i].host == host ? &x->route[i] : known;
    }
    relay_put_gone(r, host, x->number);
    if (known)
        relay_drop_route(x, known);
}

void relay_receive_moved(struct relay *r, uint64_t host, const struct entry *e)
{
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway || !x->conn->agent) {
        relay_put_gone(r, host, e->conn);
        return;
    }
    const struct route *before = relay_find_route(x->conn, e->id);
    uint64_t old = before ? before->host : 0;
    if (!relay_set_route(x, (struct uuid){0}, host))
        return;
    struct route *route = relay_set_route(x, e->id, host);
    if (route)
        route->moved = 0;
    if (route && !old) {
        route->asks = e->ask;
        route->answered = e->ask ? e->ask - 1 : 0;
    }
    if (old && old != host)
        relay_leave_host(r, x, old);
}

// --- messages to a node that does not have the match

void relay_answer_unknown_match(struct relay *r, uint64_t gateway, const struct entry *say, const struct relay_conn *x)
{
    const struct route *route = x ? relay_find_route(x->conn, say->id) : NULL;
    struct entry e = *say;
    e.kind = ENTRY_NOT_HERE;
    e.flags = x ? ENTRY_MOVED : 0; // without it: the connection is unknown here
    e.agent = route ? route->moved : 0;
    relay_put(r, gateway, &e);
}

// Owned by relay->later, in the order of due_ms. A message that the old host did not handle and the new one may not
// have room for yet (decision 056).
struct delayed_forward {
    uint64_t number; // of the connection
    struct uuid session;
    int64_t due_ms;
    uint32_t ask;
    uint16_t tries;
    size_t size;
    TAILQ_ENTRY(delayed_forward) next;
    char text[];
};

static void queue_forward(struct relay *r, const struct entry *e)
{
    struct delayed_forward *x = e->seat < TRIES ? malloc(sizeof *x + e->payload.size) : NULL;
    if (!x)
        return;
    *x = (struct delayed_forward){.number = e->conn,
                                  .session = e->id,
                                  .due_ms = relay_link_ms(r) + AGAIN_MS,
                                  .ask = e->ask,
                                  .tries = (uint16_t)(e->seat + 1),
                                  .size = e->payload.size};
    memcpy(x->text, e->payload.at, e->payload.size);
    TAILQ_INSERT_TAIL(&r->later, x, next); // all wait equally long
}

void relay_forward_later(struct hub_conn *c, struct uuid session, struct span text, uint16_t tries)
{
    const struct route *route = relay_find_route(c, session);
    struct entry e = {
        .conn = c->relay->number, .id = session, .ask = route ? route->asks : 0, .seat = tries, .payload = text};
    queue_forward(c->hub->relay, &e);
}

void relay_receive_not_here(struct relay *r, uint64_t host, const struct entry *e)
{
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway || !x->conn->agent)
        return;
    struct route *route = relay_find_route(x->conn, e->id);
    // A node that is about to take the match over knows the connection when it has done so. Described once more, the
    // agent would be asked again as after a reconnect, and its answer, which is still on its way, would be stale.
    bool is_taker = route && route->moved == host;
    if (!(e->flags & ENTRY_MOVED) && !is_taker)
        relay_put_come(r, x, host);
    if (!e->payload.size || !store_is_shared(lobby_store(r->o.hub->lobby)))
        return; // it will be asked again
    if (!e->agent || !route || e->agent == r->o.epoch || !relay_set_route(x, (struct uuid){0}, e->agent)) {
        queue_forward(r, e);
        return;
    }
    route = relay_find_route(x->conn, e->id); // the list may have grown
    if (route->host != e->agent)
        route->host = route->moved = e->agent;
    struct entry say = {.kind = ENTRY_SAY, .conn = e->conn, .id = e->id, .ask = e->ask, .payload = e->payload};
    relay_put(r, e->agent, &say);
    relay_leave_host(r, x, host);
}

void relay_retry_forwards(struct relay *r, int64_t now_ms)
{
    for (struct delayed_forward *x; (x = TAILQ_FIRST(&r->later)) && x->due_ms <= now_ms;) {
        const struct relay_conn *at = relay_find_number(r, x->number);
        const struct route *route = at ? relay_find_route(at->conn, x->session) : NULL;
        TAILQ_REMOVE(&r->later, x, next);
        if (at && !at->gateway && at->conn->agent && (!route || route->asks == x->ask)) // else it was asked anew
            hub_forward_again(at->conn, x->session, (struct span){x->text, x->size}, x->tries);
        free(x);
    }
}

int64_t relay_later_ms(const struct relay *r)
{
    const struct delayed_forward *x = TAILQ_FIRST(&r->later);
    return x ? x->due_ms : INT64_MAX;
}

void relay_drop_later(struct relay *r)
{
    for (struct delayed_forward *x; (x = TAILQ_FIRST(&r->later));) {
        TAILQ_REMOVE(&r->later, x, next);
        free(x);
    }
}
