// Players of other nodes at the host of their matches: connections without a socket, which the lobby and the hub treat
// as their own. Frames for them are sent to their gateways, which forward their messages here.
#include "front/arena/relay_internal.h"
#include "work/work.h"

#include <stdlib.h>

enum {
    // A gateway must not be able to stop a clock by saying nothing.
    WRITTEN_MS = 2000,      // S56: without ENTRY_WRITTEN, the clock of a request starts this long after it was sent
    GREETED_ROOM = 1 << 20, // free bytes that a link needs before a player is greeted
    GREETED_PER_TURN = 64,  // most players greeted in a turn, so that the frames of their matches fit into GREETED_ROOM
};

// --- frames

bool relay_is_remote(const struct hub_conn *c)
{
    return c->relay && c->relay->gateway;
}

uint32_t relay_count_ask(struct hub_conn *c, struct uuid session)
{
    struct route *route = relay_set_route(c->relay, session, c->relay->gateway);
    return route ? ++route->asks : 0;
}

void relay_put_frame(struct hub_conn *c, enum hub_kind kind, const struct uuid *session, uint32_t ask,
                     struct span frame)
{
    static const uint8_t kinds[] = {
        [HUB_EVENT] = ENTRY_FRAME,   [HUB_WELCOME] = ENTRY_FRAME, [HUB_REPLY] = ENTRY_REPLY, [HUB_ASKED] = ENTRY_ASK,
        [HUB_STARTED] = ENTRY_FRAME, [HUB_OVER] = ENTRY_OVER,     [HUB_LAST] = ENTRY_FRAME};
    struct relay *r = c->hub->relay;
    struct relay_conn *x = c->relay;
    struct route *route = kind == HUB_ASKED && session ? relay_find_route(c, *session) : NULL;
    struct entry e = relay_entry(x, kinds[kind]);
    e.flags = kind == HUB_STARTED ? ENTRY_START : 0;
    e.payload = frame;
    if (session)
        e.id = *session;
    e.ask = ask;
    if (route && route->asks == ask) {
        int64_t now_ms = relay_link_ms(r);
        route->left_ms = now_ms;
        r->check_ms = now_ms + WRITTEN_MS < r->check_ms ? now_ms + WRITTEN_MS : r->check_ms;
    }
    r->figures.frames_out++;
    relay_put(r, x->gateway, &e);
    // relay_describe_player waits until it is acknowledged before a match moves (S60).
    x->last = links_last(&r->links, x->gateway);
    route = kind == HUB_OVER && session ? relay_find_route(c, *session) : NULL;
    if (route) // nothing more is asked there
        relay_drop_route(x, route);
}

bool relay_follows_ask(const struct hub_conn *c, struct uuid session)
{
    const struct route *route = relay_find_route(c, session);
    return route && route->asks == c->relay->heard;
}

// --- coming and going

static void wait_for_greeting(struct relay *r, struct relay_conn *x)
{
    if (!x->waits)
        TAILQ_INSERT_TAIL(&r->greet, x, greet);
    x->waits = true;
}

void relay_end_player(struct hub_conn *c, enum lobby_gone why)
{
    struct relay *r = c->hub->relay;
    struct relay_conn *x = c->relay;
    char reason = (char)why;
    struct entry e = relay_entry(x, ENTRY_REPLACED);
    e.payload = (struct span){&reason, 1};
    relay_put(r, x->gateway, &e);
    x->dead = true; // this is a call of the lobby's: it goes when that is over
    wait_for_greeting(r, x);
}

static void remove_player(struct relay *r, struct relay_conn *x)
{
    struct hub_conn *c = x->conn;
    if (c->agent)
        lobby_leave(r->o.hub->lobby, c->agent, c, relay_lobby_ms(r));
    hub_remove(c);
}

void relay_remove_players(struct relay *r, uint64_t gateway)
{
    struct relay_conn *x, *next;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        for (x = LIST_FIRST(&r->by_number[i]); x; x = next) {
            next = LIST_NEXT(x, by_number);
            if (x->gateway && (x->gateway == gateway || !gateway))
                remove_player(r, x);
        }
}

struct lobby_presence relay_presence(const struct relay_conn *x)
{
    return (struct lobby_presence){.link = &hub_link,
                                   .client = x->conn,
                                   .instance = x->come->instance,
                                   .capabilities = x->capabilities,
                                   .address = x->come->address,
                                   .conn = x->number,
                                   .relayed = true};
}

void relay_connect_player(struct relay *r, struct relay_conn *x, struct lobby_agent *a)
{
    struct hub_conn *c = x->conn;
    int64_t now_ms = relay_lobby_ms(r);
    struct lobby_presence p = relay_presence(x);
    if (c->agent)
        lobby_leave(r->o.hub->lobby, a, c, now_ms);
    hub_drop_frames(c);
    c->agent = a;
    lobby_connect(r->o.hub->lobby, a, &p, now_ms);
    wait_for_greeting(r, x);
    loop_end_turn(r->o.hub->options.loop);
}

struct arrival {
    struct relay *relay;
    uint64_t number;
    struct uuid agent;
};

static void refuse_older(struct relay *r, uint64_t gateway, uint64_t number)
{
    char reason = LOBBY_REPLACED;
    struct entry e = {.kind = ENTRY_REPLACED, .conn = number, .payload = {&reason, 1}};
    relay_put(r, gateway, &e);
}

static void load_agent(const struct arrival *v)
{
    struct relay *r = v->relay;
    struct lobby *l = r->o.hub->lobby;
    struct lobby_agent *a = lobby_agent_by_id(l, v->agent);
    if (a) {
        lobby_agent_hold(a); // while it is read
        lobby_agent_load(l, a, relay_lobby_ms(r));
        lobby_agent_release(a);
    }
    struct relay_conn *x = relay_find_number(r, v->number); // it may have gone meanwhile
    bool outrun = x && a && lobby_is_outrun(a, x->number);  // or a newer connection may have come, here or elsewhere
    if (outrun)
        refuse_older(r, x->gateway, x->number);
    if (x && a && !outrun)
        relay_connect_player(r, x, a);
    else if (x)
        remove_player(r, x);
}

static void run_load(void *arg)
{
    load_agent(arg);
    free(arg);
}

static void start_loading(struct relay *r, const struct relay_conn *x)
{
    struct arrival v = {.relay = r, .number = x->number, .agent = x->agent}, *later = NULL;
    if (store_may_wait(lobby_store(r->o.hub->lobby)))
        later = malloc(sizeof *later);
    if (!later) {
        load_agent(&v);
        return;
    }
    *later = v;
    work_start(loop_work(r->o.hub->options.loop), run_load, later);
}

void relay_request_connection(struct relay *r, struct uuid agent, uint64_t number, uint64_t gateway)
{
    struct entry e = {.kind = ENTRY_ADOPT, .conn = number, .id = agent};
    relay_put(r, gateway, &e);
}

// S43: of an agent's connections the one with the greatest number counts.
void relay_receive_come(struct relay *r, uint64_t gateway, const struct entry *e)
{
    struct relay_conn *known = relay_find_agent(r, e->id);
    if (known && known->number > e->conn) {
        refuse_older(r, gateway, e->conn);
        return;
    }
    // Numbers come from the store and only grow, so a later connection has a greater one wherever it is.
    if (known && known->number == e->conn) {
        if (known->gateway == gateway && known->conn->agent && !known->reset)
            relay_connect_player(r, known, known->conn->agent);
        known->reset = false;
        return;
    }
    struct hub_conn *c = hub_add(r->o.hub);
    struct relay_conn *x = c ? relay_add(r, c, e->id, e->conn) : NULL;
    if (!x) {
        free(c);
        return;
    }
    x->gateway = gateway;
    c->phase = HUB_OPEN; // the gap is the gateway's
    r->figures.players++;
    if (relay_read_come(x, e->payload))
        start_loading(r, x);
    else
        hub_remove(c);
}

// --- entries of gateways about players

static void receive_written(struct relay *r, struct relay_conn *x, const struct entry *e)
{
    struct route *route = relay_find_route(x->conn, e->id);
    struct lobby_seat *s = lobby_find_seat(x->conn->agent, e->id);
    if (!route || route->asks != e->ask)
        return;
    route->left_ms = 0;
    if (s)
        lobby_asked(r->o.hub->lobby, s, relay_lobby_ms(r));
}

static void receive_pong(struct relay *r, struct relay_conn *x, const struct entry *e)
{
    struct lobby_seat *s = lobby_find_seat(x->conn->agent, e->id);
    if (s)
        (e->flags & ENTRY_START ? lobby_start_arrived : lobby_delivered)(r->o.hub->lobby, s);
}

// Of several nodes another one has the match, or will have it.
static bool is_unknown_match(const struct relay *r, const struct relay_conn *x, struct uuid session)
{
    return store_is_shared(lobby_store(r->o.hub->lobby)) &&
           (!x->conn->agent || !lobby_find_seat(x->conn->agent, session));
}

// From the gateway of a player who is in a match here.
void relay_receive_player(struct relay *r, uint64_t gateway, const struct entry *e)
{
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway != gateway) {
        if (e->kind == ENTRY_SAY) // the ENTRY_COME before it was lost
            relay_answer_unknown_match(r, gateway, e, NULL);
        return;
    }
    x->reset = false;
    if (e->kind == ENTRY_GONE)
        remove_player(r, x);
    else if (e->kind == ENTRY_SAY && is_unknown_match(r, x, e->id))
        relay_answer_unknown_match(r, gateway, e, x);
    else if (!x->conn->agent) // it is being loaded: nothing was asked
        return;
    else if (e->kind == ENTRY_SAY) {
        x->heard = e->ask;
        r->figures.says++;
        hub_read(x->conn, e->payload);
    } else if (e->kind == ENTRY_WRITTEN)
        receive_written(r, x, e);
    else
        receive_pong(r, x, e);
}

// --- at the end of a turn

static void check_route(struct relay *r, struct relay_conn *x, struct route *route, int64_t now_ms)
{
    int64_t due_ms = route->left_ms + WRITTEN_MS;
    if (!route->left_ms)
        return;
    if (now_ms < due_ms) {
        r->check_ms = due_ms < r->check_ms ? due_ms : r->check_ms;
        return;
    }
    struct lobby_seat *s = x->conn->agent ? lobby_find_seat(x->conn->agent, route->session) : NULL;
    route->left_ms = 0;
    if (s)
        lobby_asked(r->o.hub->lobby, s, relay_lobby_ms(r));
}

void relay_check_written(struct relay *r, int64_t now_ms)
{
    if (now_ms < r->check_ms)
        return;
    r->check_ms = INT64_MAX;
    struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            for (int k = 0; k < x->routes && !x->dead; k++)
                check_route(r, x, &x->route[k], now_ms);
}

// Greets as many as their links have room for: thousands may connect at once, and each gets the frames of all its
// matches.
void relay_greet_waiting(struct relay *r)
{
    struct relay_conn *x, *next;
    int greeted = 0;
    for (x = TAILQ_FIRST(&r->greet); x; x = next) {
        next = TAILQ_NEXT(x, greet);
        if (x->dead) {
            hub_remove(x->conn);
            continue;
        }
        if (greeted == GREETED_PER_TURN || links_room(&r->links, x->gateway) < GREETED_ROOM)
            continue;
        TAILQ_REMOVE(&r->greet, x, greet);
        x->waits = false;
        greeted++;
        lobby_sync(r->o.hub->lobby, x->conn->agent, relay_lobby_ms(r));
    }
    if (greeted)
        loop_end_turn(r->o.hub->options.loop);
}
