#include "front/arena/relay_parts.h"
#include "lobby/mesh.h"
#include "net/heap_text.h"
#include "work/work.h"

#include <stdlib.h>

enum {
    WRITTEN_MS = 2000,      // S56: the clock of a question starts so long after it left, whatever is heard
    GREETED_ROOM = 1 << 20, // bytes that a link must still take before somebody is greeted
    GREETED_PER_TURN = 64,  // and how many are, so that what they are told fits
};

// The lobby's, which may be set back, and that of the links.
static int64_t now_of(const struct relay *r)
{
    return r->o.hub->options.now_ms();
}

static int64_t time_of(const struct relay *r)
{
    return r->o.now_ms();
}

// --- connections by number and by agent

static struct bucket *number_bucket(struct relay *r, uint64_t number)
{
    return &r->by_number[number % RELAY_BUCKETS];
}

static struct bucket *agent_bucket(struct relay *r, struct uuid agent)
{
    uint32_t mixed;
    memcpy(&mixed, agent.byte, sizeof mixed);
    return &r->by_agent[mixed % RELAY_BUCKETS];
}

struct relay_conn *relay_find_number(struct relay *r, uint64_t number)
{
    struct relay_conn *x;
    LIST_FOREACH(x, number_bucket(r, number), by_number)
        if (x->number == number && !x->dead)
            return x;
    return NULL;
}

struct relay_conn *relay_find_agent(struct relay *r, struct uuid agent)
{
    struct relay_conn *x, *newest = NULL;
    LIST_FOREACH(x, agent_bucket(r, agent), by_agent)
        if (uuid_equals(x->agent, agent) && !x->dead && (!newest || x->number > newest->number))
            newest = x;
    return newest;
}

struct relay_conn *relay_add(struct relay *r, struct hub_conn *c, struct uuid agent, uint64_t number)
{
    struct relay_conn *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->conn = c;
    x->agent = agent;
    x->number = number;
    c->relay = x;
    LIST_INSERT_HEAD(number_bucket(r, number), x, by_number);
    LIST_INSERT_HEAD(agent_bucket(r, agent), x, by_agent);
    return x;
}

static void take_out(struct relay *r, struct relay_conn *x)
{
    LIST_REMOVE(x, by_number);
    LIST_REMOVE(x, by_agent);
    if (x->waits)
        TAILQ_REMOVE(&r->greet, x, greet);
    r->figures.players -= x->gateway != 0;
    free(x->route);
    free(x->come);
    free(x->told);
    free(x);
}

static void wait_for_greeting(struct relay *r, struct relay_conn *x)
{
    if (!x->waits)
        TAILQ_INSERT_TAIL(&r->greet, x, greet);
    x->waits = true;
}

// --- routes

struct route *relay_find_route(const struct hub_conn *c, struct uuid session)
{
    const struct relay_conn *x = c->relay;
    for (int i = 0; x && i < x->routes; i++)
        if (uuid_equals(x->route[i].session, session) && !uuid_is_none(session))
            return &x->route[i];
    return NULL;
}

// NULL without memory.
struct route *relay_set_route(struct relay_conn *x, struct uuid session, uint64_t host)
{
    for (int i = 0; i < x->routes; i++)
        if (uuid_equals(x->route[i].session, session) && (x->route[i].host == host || !uuid_is_none(session))) {
            x->route[i].host = host;
            return &x->route[i];
        }
    if (x->routes == x->room) {
        int room = x->room ? 2 * x->room : 4;
        struct route *grown = realloc(x->route, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        x->route = grown;
        x->room = room;
    }
    x->route[x->routes] = (struct route){.session = session, .host = host};
    return &x->route[x->routes++];
}

void relay_drop_route(struct relay_conn *x, struct route *route)
{
    *route = x->route[--x->routes];
}

// --- what is put on a link

static struct entry entry_of(const struct relay_conn *x, enum entry_kind kind)
{
    return (struct entry){.kind = (uint8_t)kind, .conn = x->number};
}

bool relay_put(struct relay *r, uint64_t to, const struct entry *e)
{
    loop_end_turn(r->o.hub->options.loop);
    return links_put(&r->links, to, e, time_of(r));
}

static void put(struct relay *r, uint64_t to, const struct entry *e)
{
    relay_put(r, to, e);
}

// --- at the host

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
    struct entry e = entry_of(x, kinds[kind]);
    e.flags = kind == HUB_STARTED ? ENTRY_START : 0;
    e.payload = frame;
    if (session)
        e.id = *session;
    e.ask = ask;
    if (route && route->asks == ask) {
        int64_t now_ms = time_of(r);
        route->left_ms = now_ms;
        r->check_ms = now_ms + WRITTEN_MS < r->check_ms ? now_ms + WRITTEN_MS : r->check_ms;
    }
    r->figures.frames_out++;
    put(r, x->gateway, &e);
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

void relay_end_player(struct hub_conn *c, enum lobby_gone why)
{
    struct relay *r = c->hub->relay;
    struct relay_conn *x = c->relay;
    char reason = (char)why;
    struct entry e = entry_of(x, ENTRY_REPLACED);
    e.payload = (struct span){&reason, 1};
    put(r, x->gateway, &e);
    x->dead = true; // this is a call of the lobby's: it goes when that is over
    wait_for_greeting(r, x);
}

static void remove_player(struct relay *r, struct relay_conn *x)
{
    struct hub_conn *c = x->conn;
    if (c->agent)
        lobby_leave(r->o.hub->lobby, c->agent, c, now_of(r));
    hub_remove(c);
}

struct lobby_presence relay_presence(const struct relay_conn *x)
{
    return (struct lobby_presence){.link = &hub_link,
                                   .client = x->conn,
                                   .instance = x->come->instance,
                                   .capabilities = x->capabilities,
                                   .by_turn = x->conn->old,
                                   .address = x->come->address,
                                   .conn = x->number,
                                   .relayed = true};
}

// Comes, or comes again: whatever it was told may not have arrived (F4.19).
static void come_in(struct relay *r, struct relay_conn *x, struct lobby_agent *a)
{
    struct hub_conn *c = x->conn;
    int64_t now_ms = now_of(r);
    struct lobby_presence p = relay_presence(x);
    if (c->agent)
        lobby_leave(r->o.hub->lobby, a, c, now_ms);
    hub_drop_frames(c);
    c->agent = a;
    lobby_come(r->o.hub->lobby, a, &p, now_ms);
    wait_for_greeting(r, x);
    loop_end_turn(r->o.hub->options.loop);
}

struct arrival {
    struct relay *relay;
    uint64_t number;
    struct uuid agent;
};

static void load(const struct arrival *v)
{
    struct relay *r = v->relay;
    struct lobby *l = r->o.hub->lobby;
    struct lobby_agent *a = lobby_agent_by_id(l, v->agent);
    if (a) {
        lobby_keep(a); // while it is read
        lobby_agent_load(l, a, now_of(r));
        lobby_let_go(a);
    }
    struct relay_conn *x = relay_find_number(r, v->number); // it may have gone meanwhile
    if (x && a)
        come_in(r, x, a);
    else if (x)
        remove_player(r, x);
}

static void run_load(void *arg)
{
    load(arg);
    free(arg);
}

static void start_loading(struct relay *r, const struct relay_conn *x)
{
    struct arrival v = {.relay = r, .number = x->number, .agent = x->agent}, *later = NULL;
    if (store_may_wait(lobby_store(r->o.hub->lobby)))
        later = malloc(sizeof *later);
    if (!later) {
        load(&v);
        return;
    }
    *later = v;
    work_start(loop_work(r->o.hub->options.loop), run_load, later);
}

enum { COME_OLD = 1, COME_FEED = 2, COME_STATES = 4, COME_CODE = 8 };

static bool read_word(struct span *from, char *out, size_t room)
{
    size_t size = from->size ? (uint8_t)from->at[0] : 0;
    if (from->size < 1 + size || size >= room)
        return false;
    memcpy(out, from->at + 1, size);
    out[size] = 0;
    *from = (struct span){from->at + 1 + size, from->size - 1 - size};
    return true;
}

bool relay_read_come(struct relay_conn *x, struct span payload)
{
    struct hub_conn *c = x->conn;
    x->come = calloc(1, sizeof *x->come);
    if (!x->come || payload.size < 5)
        return false;
    const uint8_t *at = (const uint8_t *)payload.at;
    x->capabilities = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    c->old = at[4] & COME_OLD;
    c->has_feed = at[4] & COME_FEED;
    c->has_states = at[4] & COME_STATES;
    c->has_close_code = at[4] & COME_CODE;
    struct span rest = {payload.at + 5, payload.size - 5};
    return read_word(&rest, x->come->instance, sizeof x->come->instance) &&
           read_word(&rest, x->come->address, sizeof x->come->address);
}

static void refuse_older(struct relay *r, uint64_t gateway, const struct entry *come)
{
    char reason = LOBBY_REPLACED;
    struct entry e = {.kind = ENTRY_REPLACED, .conn = come->conn, .payload = {&reason, 1}};
    put(r, gateway, &e);
}

// S43: of an agent's connections the one with the greatest number counts.
static void hear_come(struct relay *r, uint64_t gateway, const struct entry *e)
{
    struct relay_conn *known = relay_find_agent(r, e->id);
    if (known && known->number > e->conn) {
        refuse_older(r, gateway, e);
        return;
    }
    if (known && known->number == e->conn) {
        if (known->gateway == gateway && known->conn->agent && !known->reset)
            come_in(r, known, known->conn->agent);
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

static void hear_say(struct relay *r, struct relay_conn *x, const struct entry *e)
{
    x->heard = e->ask;
    r->figures.says++;
    hub_read(x->conn, e->payload);
}

static void hear_written(struct relay *r, struct relay_conn *x, const struct entry *e)
{
    struct route *route = relay_find_route(x->conn, e->id);
    struct lobby_seat *s = lobby_find_seat(x->conn->agent, e->id);
    if (!route || route->asks != e->ask)
        return;
    route->left_ms = 0;
    if (s)
        lobby_asked(r->o.hub->lobby, s, now_of(r));
}

static void hear_pong(struct relay *r, struct relay_conn *x, const struct entry *e)
{
    struct lobby_seat *s = lobby_find_seat(x->conn->agent, e->id);
    if (s)
        (e->flags & ENTRY_START ? lobby_start_arrived : lobby_delivered)(r->o.hub->lobby, s);
}

// Of several nodes another one has the match, or will have it.
static bool is_stranger(const struct relay *r, const struct relay_conn *x, struct uuid session)
{
    return store_is_shared(lobby_store(r->o.hub->lobby)) &&
           (!x->conn->agent || !lobby_find_seat(x->conn->agent, session));
}

// Of a player who is here, from where it is connected.
static void hear_player(struct relay *r, uint64_t gateway, const struct entry *e)
{
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway != gateway) {
        if (e->kind == ENTRY_SAY) // what it came with was lost
            relay_answer_stranger(r, gateway, e, NULL);
        return;
    }
    x->reset = false;
    if (e->kind == ENTRY_GONE)
        remove_player(r, x);
    else if (e->kind == ENTRY_SAY && is_stranger(r, x, e->id))
        relay_answer_stranger(r, gateway, e, x);
    else if (!x->conn->agent) // it is being loaded: nothing was asked
        return;
    else if (e->kind == ENTRY_SAY)
        hear_say(r, x, e);
    else if (e->kind == ENTRY_WRITTEN)
        hear_written(r, x, e);
    else
        hear_pong(r, x, e);
}

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
        lobby_asked(r->o.hub->lobby, s, now_of(r));
}

// S56.
static void check_written(struct relay *r, int64_t now_ms)
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

// As many as their links have room for: thousands may come at once, and each is told all of its matches.
static void greet_waiting(struct relay *r)
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
        lobby_greet(r->o.hub->lobby, x->conn->agent, now_of(r));
    }
    if (greeted)
        loop_end_turn(r->o.hub->options.loop);
}

// --- at the gateway

struct span relay_write_come(const struct relay_conn *x, char out[RELAY_COME])
{
    const struct hub_conn *c = x->conn;
    const struct lobby_presence *p = x->come ? NULL : lobby_agent_presence(c->agent);
    const char *from = x->come ? x->come->address : p && p->address ? p->address : "";
    const char *as = x->come ? x->come->instance : c->instance;
    struct text t = text_on(out, RELAY_COME);
    size_t instance = strlen(as), address = strlen(from);
    for (int i = 0; i < 4; i++)
        text_put_char(&t, (char)(x->capabilities >> 8 * i));
    text_put_char(&t, (char)((c->old ? COME_OLD : 0) | (c->has_feed ? COME_FEED : 0) |
                             (c->has_states ? COME_STATES : 0) | (c->has_close_code ? COME_CODE : 0)));
    text_put_char(&t, (char)instance);
    text_put(&t, (struct span){as, instance});
    text_put_char(&t, (char)address);
    text_put(&t, (struct span){from, address});
    return text_span(&t);
}

void relay_put_come(struct relay *r, const struct relay_conn *x, uint64_t host)
{
    char bytes[RELAY_COME];
    struct entry e = entry_of(x, ENTRY_COME);
    e.agent = lobby_agent_record(x->conn->agent)->public_no;
    e.id = x->agent;
    e.payload = relay_write_come(x, bytes);
    put(r, host, &e);
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
        bool told = false;
        for (int k = 0; k < i; k++)
            told |= at[k].host == at[i].host;
        if (!told)
            relay_put_come(r, x, at[i].host);
    }
    return true;
}

// S26: the node where the agent was before is told at once; the store tells it too, a second later.
static void replace_older(struct relay *r, const struct hub_conn *c, const struct store_presence *before)
{
    bool same = c->instance[0] && strcmp(c->instance, before->instance) == 0;
    char reason = same ? LOBBY_REPLACED_SAME_INSTANCE : LOBBY_REPLACED;
    struct entry e = {.kind = ENTRY_REPLACED, .conn = before->conn, .payload = {&reason, 1}};
    put(r, before->epoch, &e);
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
    if (a->before.conn && a->before.epoch != r->o.epoch)
        replace_older(r, c, &a->before);
}

void relay_joined(struct relay *r, uint64_t epoch)
{
    const struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            for (int k = 0; k < x->routes && !x->gateway && !x->dead && x->conn->agent; k++)
                if (x->route[k].host == epoch && uuid_is_none(x->route[k].session))
                    relay_put_come(r, x, epoch);
}

void relay_call(struct relay *r, struct uuid agent, uint64_t number, uint64_t gateway)
{
    struct entry e = {.kind = ENTRY_ADOPT, .conn = number, .id = agent};
    put(r, gateway, &e);
}

bool relay_learn(struct hub_conn *c, struct uuid session, uint64_t host)
{
    struct relay_conn *x = c->relay;
    if (!x || x->gateway || host == c->hub->relay->o.epoch || !relay_acquaint(c->hub->relay, x->agent, host))
        return false;
    const struct route *before = relay_find_route(c, session);
    uint64_t old = before ? before->host : 0;
    bool learnt = relay_set_route(x, session, host) != NULL;
    if (old && old != host)
        relay_leave_host(c->hub->relay, x, old);
    return learnt;
}

bool relay_acquaint(struct relay *r, struct uuid agent, uint64_t host)
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

static void hear_frame(struct relay *r, uint64_t host, const struct entry *e)
{
    static const uint8_t kinds[] = {
        [ENTRY_FRAME] = HUB_EVENT, [ENTRY_ASK] = HUB_ASKED, [ENTRY_OVER] = HUB_OVER, [ENTRY_REPLY] = HUB_REPLY};
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway || !x->conn->agent) {
        struct entry gone = {.kind = ENTRY_GONE, .conn = e->conn};
        put(r, host, &gone);
        return;
    }
    if (e->kind == ENTRY_OVER && relay_find_route(x->conn, e->id)) // the first time: it may be told again
        lobby_far_over(r->o.hub->lobby, x->conn->agent, e->id, now_of(r));
    if (e->flags & ENTRY_START)
        lobby_far_started(r->o.hub->lobby, x->conn->agent, e->id, now_of(r));
    if (!uuid_is_none(e->id) && !relay_set_route(x, e->id, host))
        return; // without memory
    enum hub_kind kind = e->flags & ENTRY_START ? HUB_STARTED : (enum hub_kind)kinds[e->kind];
    hub_pass_on(x->conn, kind, e->id, e->ask, e->payload);
}

void relay_note_left(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask)
{
    struct route *route = relay_find_route(c, session);
    if (route && kind == HUB_ASKED) {
        route->asks = ask;
        struct entry e = entry_of(c->relay, ENTRY_WRITTEN);
        e.id = session;
        e.ask = ask;
        put(c->hub->relay, route->host, &e);
    }
}

// The list grows with the matches of one connection, so that a short visit costs little.
static void note_told(struct relay_conn *x, enum hub_kind kind, struct uuid session)
{
    if (x->tellings == x->told_room && x->told_room < RELAY_TOLD) {
        uint32_t room = x->told_room ? 2 * x->told_room : 4;
        struct told *grown = realloc(x->told, room * sizeof *grown);
        if (!grown)
            return; // it may be told again
        x->told = grown;
        x->told_room = room;
    }
    x->told[x->tellings++ % RELAY_TOLD] = (struct told){session, kind};
}

bool relay_note_told(struct hub_conn *c, enum hub_kind kind, struct uuid session)
{
    struct relay_conn *x = c->relay;
    uint32_t kept = x && x->tellings < RELAY_TOLD ? x->tellings : RELAY_TOLD;
    for (uint32_t i = 0; x && i < kept; i++)
        if (x->told[i].kind == kind && uuid_equals(x->told[i].session, session))
            return false;
    if (x)
        note_told(x, kind, session);
    return true;
}

// S44: the host marks it as delivered. Nothing more comes of a match that is over.
void relay_note_pong(struct hub_conn *c, const struct hub_due *due)
{
    struct route *route = relay_find_route(c, due->session);
    if (!route)
        return;
    struct entry e = entry_of(c->relay, ENTRY_PONG);
    e.id = due->session;
    e.flags = due->kind == HUB_STARTED ? ENTRY_START : 0;
    put(c->hub->relay, route->host, &e);
    if (due->kind == HUB_OVER)
        relay_drop_route(c->relay, route);
}

bool relay_awaits(const struct hub_conn *c, struct uuid session)
{
    const struct route *route = relay_is_remote(c) ? NULL : relay_find_route(c, session);
    return route && route->answered != route->asks;
}

bool relay_say(struct hub_conn *c, struct uuid session, struct span message, uint16_t tries)
{
    struct route *route = relay_is_remote(c) ? NULL : relay_find_route(c, session);
    if (!route)
        return false;
    struct entry e = entry_of(c->relay, ENTRY_SAY);
    e.id = session;
    e.ask = route->asks;
    e.seat = tries;
    e.payload = message;
    route->answered = route->asks;
    put(c->hub->relay, route->host, &e);
    return true;
}

// The other node has a newer connection of the agent, or has kicked it.
static void hear_replaced(struct relay *r, const struct entry *e)
{
    struct relay_conn *x = relay_find_number(r, e->conn);
    if (!x || x->gateway || !x->conn->agent || e->payload.size != 1 || (uint8_t)e->payload.at[0] > LOBBY_KICKED)
        return;
    lobby_leave(r->o.hub->lobby, x->conn->agent, x->conn, now_of(r));
    hub_link.on_gone(x->conn, (enum lobby_gone)e->payload.at[0]);
}

// It ends: every node that knows of it is told.
void relay_forget(struct hub_conn *c)
{
    struct relay *r = c->hub->relay;
    struct relay_conn *x = c->relay;
    for (int i = 0; i < x->routes && !x->gateway; i++) {
        struct entry e = entry_of(x, ENTRY_GONE);
        if (uuid_is_none(x->route[i].session))
            put(r, x->route[i].host, &e);
    }
    c->relay = NULL;
    take_out(r, x);
}

// --- links

static void on_entry(void *owner, uint64_t peer, const struct entry *e)
{
    struct relay *r = owner;
    switch (e->kind) {
    case ENTRY_FRAME:
    case ENTRY_ASK:
    case ENTRY_OVER:
    case ENTRY_REPLY:
        hear_frame(r, peer, e);
        break;
    case ENTRY_SAY:
    case ENTRY_WRITTEN:
    case ENTRY_PONG:
    case ENTRY_GONE:
        hear_player(r, peer, e);
        break;
    case ENTRY_COME:
        hear_come(r, peer, e);
        break;
    case ENTRY_REPLACED:
        hear_replaced(r, e);
        break;
    case ENTRY_NOT_HERE:
        relay_hear_not_here(r, peer, e);
        break;
    case ENTRY_ADOPT:
        if (e->flags & ENTRY_MOVED)
            relay_hear_moved(r, peer, e);
        else
            relay_introduce(r, e->id, peer);
        break;
    default:
        if (r->o.on_entry)
            r->o.on_entry(r->o.owner, peer, e);
        break;
    }
}

// S53. What the host had told is told anew; what the gateway had said of who is there, too.
static void reset_conn(struct relay *r, struct relay_conn *x, uint64_t peer, bool ours)
{
    if (x->gateway == peer && x->conn->agent) {
        come_in(r, x, x->conn->agent);
        x->reset = !ours;
    }
    for (int i = 0; i < x->routes && !x->gateway && ours && x->conn->agent; i++)
        if (x->route[i].host == peer && uuid_is_none(x->route[i].session))
            relay_put_come(r, x, peer);
}

static void on_reset(void *owner, uint64_t peer, bool ours)
{
    struct relay *r = owner;
    links_forget(&r->links, peer, ENTRY_SAY);
    struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            if (!x->dead)
                reset_conn(r, x, peer, ours);
    if (r->o.on_reset)
        r->o.on_reset(r->o.owner, peer);
}

static void send_bundle(void *owner, uint64_t peer, struct span bundle)
{
    struct relay *r = owner;
    r->figures.bundles++;
    r->o.send(r->o.owner, peer, bundle);
}

static bool is_live(void *owner, uint64_t epoch)
{
    struct relay *r = owner;
    return r->o.is_live(r->o.owner, epoch);
}

static const struct links_owner links_owner = {
    .send = send_bundle, .is_live = is_live, .on_entry = on_entry, .on_reset = on_reset};

struct relay *relay_open(const struct relay_options *o)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->o = *o;
    r->check_ms = INT64_MAX;
    TAILQ_INIT(&r->greet);
    TAILQ_INIT(&r->later);
    links_init(&r->links, o->epoch, &links_owner, r, r->out, heap_text_grow);
    o->hub->relay = r;
    return r;
}

static void free_link(struct relay *r, uint64_t peer)
{
    struct link l;
    if (!links_end(&r->links, peer, &l))
        return;
    r->figures.repeated += l.figures.repeated;
    r->figures.gaps += l.figures.gaps;
    r->figures.resets += l.figures.resets;
    free(l.kept.at);
    free(l.parts.at);
}

// Of the players: those of one gateway, or of all (0).
static void remove_players(struct relay *r, uint64_t gateway)
{
    struct relay_conn *x, *next;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        for (x = LIST_FIRST(&r->by_number[i]); x; x = next) {
            next = LIST_NEXT(x, by_number);
            if (x->gateway && (x->gateway == gateway || !gateway))
                remove_player(r, x);
        }
}

void relay_end(struct relay *r, uint64_t epoch)
{
    remove_players(r, epoch);
    struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            for (int k = x->routes - 1; k >= 0 && !x->gateway; k--)
                if (x->route[k].host == epoch)
                    relay_drop_route(x, &x->route[k]);
    free_link(r, epoch);
}

void relay_close(struct relay *r)
{
    remove_players(r, 0);
    struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        while ((x = LIST_FIRST(&r->by_number[i]))) {
            x->conn->relay = NULL;
            take_out(r, x);
        }
    relay_drop_later(r);
    while (r->links.count > 0)
        free_link(r, r->links.at[0].peer);
    r->o.hub->relay = NULL;
    free(r);
}

// While the store is away nothing is accepted: what comes is not acknowledged, and comes again.
void relay_hear(struct relay *r, struct span bundle)
{
    if (r->o.hub->away)
        return;
    links_hear(&r->links, bundle, time_of(r));
    loop_end_turn(r->o.hub->options.loop);
}

void relay_flush(struct relay *r)
{
    int64_t now_ms = time_of(r);
    check_written(r, now_ms);
    greet_waiting(r);
    relay_say_again(r, now_ms);
    links_flush(&r->links, now_ms);
}

int64_t relay_due(const struct relay *r)
{
    int64_t due_ms = links_due(&r->links), later_ms = relay_later_ms(r);
    if (r->check_ms < due_ms)
        due_ms = r->check_ms;
    return later_ms < due_ms ? later_ms : due_ms;
}

void relay_wake(struct relay *r)
{
    links_wake(&r->links);
}

void relay_figures(const struct relay *r, struct relay_figures *out)
{
    *out = r->figures;
    out->lost = r->links.lost;
    for (int i = 0; i < r->links.count; i++) {
        out->repeated += r->links.at[i].figures.repeated;
        out->gaps += r->links.at[i].figures.gaps;
        out->resets += r->links.at[i].figures.resets;
    }
}
