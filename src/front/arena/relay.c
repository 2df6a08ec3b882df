#include "front/arena/relay_internal.h"
#include "heap/heap.h"

#include <stdlib.h>

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

static void destroy_conn(struct relay *r, struct relay_conn *x)
{
    LIST_REMOVE(x, by_number);
    LIST_REMOVE(x, by_agent);
    if (x->waits)
        TAILQ_REMOVE(&r->greet, x, greet);
    r->figures.players -= x->gateway != 0;
    free(x->route);
    free(x->come);
    free(x->sent);
    free(x);
}

// The connection ends: notifies every node that knows of it.
void relay_remove(struct hub_conn *c)
{
    struct relay *r = c->hub->relay;
    struct relay_conn *x = c->relay;
    for (int i = 0; i < x->routes && !x->gateway; i++) {
        struct entry e = relay_entry(x, ENTRY_GONE);
        // A route without a session is in the list for every host that knows this connection.
        if (uuid_is_none(x->route[i].session))
            relay_put(r, x->route[i].host, &e);
    }
    c->relay = NULL;
    destroy_conn(r, x);
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
        // A session has one route, whose host may change. A route without a session is there once for each host.
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

struct entry relay_entry(const struct relay_conn *x, enum entry_kind kind)
{
    return (struct entry){.kind = (uint8_t)kind, .conn = x->number};
}

bool relay_put(struct relay *r, uint64_t to, const struct entry *e)
{
    loop_end_turn(r->o.hub->options.loop);
    return links_put(&r->links, to, e, relay_link_ms(r));
}

// --- the payload of ENTRY_COME

// S51, kind 8.
enum { COME_OLD = 1, COME_FEED = 2, COME_STATES = 4, COME_CODE = 8 };

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
    // The sender is another node and not an attacker, but perhaps of another version.
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

// --- links

static void on_entry(void *owner, uint64_t peer, const struct entry *e)
{
    struct relay *r = owner;
    switch (e->kind) {
    case ENTRY_FRAME:
    case ENTRY_ASK:
    case ENTRY_OVER:
    case ENTRY_REPLY:
        relay_receive_frame(r, peer, e);
        break;
    case ENTRY_SAY:
    case ENTRY_WRITTEN:
    case ENTRY_PONG:
    case ENTRY_GONE:
        relay_receive_player(r, peer, e);
        break;
    case ENTRY_COME:
        relay_receive_come(r, peer, e);
        break;
    case ENTRY_REPLACED:
        relay_receive_replaced(r, e);
        break;
    case ENTRY_NOT_HERE:
        relay_receive_not_here(r, peer, e);
        break;
    case ENTRY_ADOPT:
        if (e->flags & ENTRY_MOVED)
            relay_receive_moved(r, peer, e);
        else
            relay_introduce(r, e->id, peer);
        break;
    default:
        if (r->o.on_entry)
            r->o.on_entry(r->o.owner, peer, e);
        break;
    }
}

// S53: the host sends its frames again, and the gateway describes its agents again.
static void reset_conn(struct relay *r, struct relay_conn *x, uint64_t peer, bool ours)
{
    if (x->gateway == peer && x->conn->agent) {
        relay_connect_player(r, x, x->conn->agent);
        x->reset = !ours;
    }
    for (int i = 0; i < x->routes && !x->gateway && ours && x->conn->agent; i++)
        if (x->route[i].host == peer && uuid_is_none(x->route[i].session))
            relay_put_come(r, x, peer);
}

static void on_reset(void *owner, uint64_t peer, bool ours)
{
    struct relay *r = owner;
    // S53: the host asks again, so an older answer must not arrive after the new question.
    links_withdraw(&r->links, peer, ENTRY_SAY);
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

// A match that another node adopts comes back with its first frame.
static void leave_dead_host(struct relay *r, struct relay_conn *x, uint64_t epoch)
{
    int before = x->routes;
    for (int k = x->routes - 1; k >= 0; k--)
        if (x->route[k].host == epoch)
            relay_drop_route(x, &x->route[k]);
    if (x->routes < before && x->conn->agent && !x->dead)
        lobby_learn_ends(r->o.hub->lobby, x->conn->agent);
}

void relay_end_node(struct relay *r, uint64_t epoch)
{
    relay_remove_players(r, epoch);
    struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        LIST_FOREACH(x, &r->by_number[i], by_number)
            if (!x->gateway)
                leave_dead_host(r, x, epoch);
    free_link(r, epoch);
}

void relay_close(struct relay *r)
{
    relay_remove_players(r, 0);
    struct relay_conn *x;
    for (int i = 0; i < RELAY_BUCKETS; i++)
        while ((x = LIST_FIRST(&r->by_number[i]))) {
            x->conn->relay = NULL;
            destroy_conn(r, x);
        }
    relay_drop_later(r);
    while (r->links.count > 0)
        free_link(r, r->links.at[0].peer);
    r->o.hub->relay = NULL;
    free(r);
}

// While the store is away nothing is accepted: bundles are not acknowledged, so they are sent again.
void relay_receive(struct relay *r, struct span bundle)
{
    if (r->o.hub->away)
        return;
    links_receive(&r->links, bundle, relay_link_ms(r));
    loop_end_turn(r->o.hub->options.loop);
}

void relay_flush(struct relay *r)
{
    int64_t now_ms = relay_link_ms(r);
    relay_check_written(r, now_ms);
    relay_greet_waiting(r);
    relay_retry_forwards(r, now_ms);
    links_flush(&r->links, now_ms);
}

int64_t relay_due(const struct relay *r)
{
    int64_t due_ms = links_due(&r->links), later_ms = relay_later_ms(r);
    if (r->check_ms < due_ms)
        due_ms = r->check_ms;
    return later_ms < due_ms ? later_ms : due_ms;
}

void relay_resume_links(struct relay *r)
{
    links_resume(&r->links);
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
