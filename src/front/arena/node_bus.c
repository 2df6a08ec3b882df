#include "front/arena/node_bus.h"
#include "front/arena/hub_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    HEAD = 13,          // of announcements and of published messages: "AGA1", epoch, kind
    HEARD_MS = 7000,    // since the last hello: three of them may be lost
    WATCHERS = 4,       // most handlers of resets, and of nodes that are gone
    PREFIX = 16,        // agon.ARENA.1.
    PEERS = STORE_NODES // most nodes that have said hello
};

// Which member of the union holds is known by the list that the handler is in.
struct handler {
    union {
        node_bus_entry_call *entry;
        node_bus_notice_call *notice;
        node_bus_node_call *node;
    } call;
    void *owner;
};

struct node_bus_subscription {
    struct node_bus *node_bus;
    struct handler handler;
    bool dead; // freed when no handler is running
    LIST_ENTRY(node_bus_subscription) next;
    char subject[NODE_BUS_SUBJECT];
};

struct peer {
    uint64_t epoch;
    int64_t heard_ms;
};

struct node_bus {
    struct node_bus_options o;
    struct relay *relay;
    struct store *store;
    uint64_t me;
    char prefix[PREFIX + 1], node[NODE_BUS_SUBJECT], all[NODE_BUS_SUBJECT];
    bool away;
    int64_t hello_ms; // when the next one is due
    // epoch 0: unused.
    struct peer peer[PEERS];
    struct handler entry[ENTRY_KINDS], notice[NODE_BUS_NOTICES], reset[WATCHERS], gone[WATCHERS];
    LIST_HEAD(, node_bus_subscription) subscriptions;
    // A handler may end subscriptions, its own included: they are freed when no handler runs any more.
    int calling; // handlers of subscriptions in progress
    // Announced when it is durable: a node that looks earlier finds nothing.
    store_ticket given; // ticket of matches that others have to adopt; 0: none
    struct node_bus_figures figures;
    char out[HEAD + NODE_BUS_NOTICE_MOST];
};

static int64_t time_of(const struct node_bus *b)
{
    return b->o.now_ms();
}

static void call_all(const struct handler *list, uint64_t epoch)
{
    for (int i = 0; i < WATCHERS && list[i].call.node; i++)
        list[i].call.node(list[i].owner, epoch);
}

// --- for the relay

static void send_bundle(void *owner, uint64_t epoch, struct span bundle)
{
    struct node_bus *b = owner;
    char subject[LINKS_SUBJECT];
    struct uuid arena = store_arena_id(b->store);
    links_subject(subject, arena.byte, epoch);
    b->o.bus->send(b->o.owner, subject, bundle);
}

static bool is_live(void *owner, uint64_t epoch)
{
    return store_is_live(((struct node_bus *)owner)->store, epoch);
}

static void on_entry(void *owner, uint64_t from, const struct entry *e)
{
    const struct node_bus *b = owner;
    if (e->kind < ENTRY_KINDS && b->entry[e->kind].call.entry)
        b->entry[e->kind].call.entry(b->entry[e->kind].owner, from, e);
}

static void on_reset(void *owner, uint64_t peer)
{
    call_all(((struct node_bus *)owner)->reset, peer);
}

// --- headers: 4 bytes "AGA1", 8 of the epoch, 1 of the kind

static void put_head(char out[HEAD], uint64_t epoch, uint8_t kind)
{
    memcpy(out, "AGA1", 4);
    entry_write_number(out + 4, epoch);
    out[12] = (char)kind;
}

// Returns false if it is damaged, our own, or of a node that is not live.
static bool read_head(struct node_bus *b, struct span bytes, uint64_t *from, uint8_t *kind)
{
    if (bytes.size < HEAD || memcmp(bytes.at, "AGA1", 4) != 0) {
        b->figures.refused++;
        return false;
    }
    *from = entry_read_number((struct span){bytes.at + 4, 8});
    *kind = (uint8_t)bytes.at[12];
    // NATS delivers to the sender too, if it has subscribed.
    if (*from == b->me)
        return false;
    // A node whose lease was lost may still send: nothing of it counts after others have taken its roles over.
    b->figures.refused += !is_live(b, *from);
    return is_live(b, *from);
}

static bool send_with_head(struct node_bus *b, const char *subject, uint8_t kind, struct span bytes)
{
    bool sent = false;
    if (bytes.size <= NODE_BUS_NOTICE_MOST) {
        put_head(b->out, b->me, kind);
        memcpy(b->out + HEAD, bytes.at ? bytes.at : "", bytes.size);
        sent = b->o.bus->send(b->o.owner, subject, (struct span){b->out, HEAD + bytes.size});
    } else {
        // Published messages have no limit here, unlike announcements (pages of events, lists of matches).
        char *out = malloc(HEAD + bytes.size);
        if (!out)
            return false;
        put_head(out, b->me, kind);
        memcpy(out + HEAD, bytes.at, bytes.size);
        sent = b->o.bus->send(b->o.owner, subject, (struct span){out, HEAD + bytes.size});
        free(out);
    }
    loop_end_turn(b->o.hub->options.loop);
    return sent;
}

// --- announcements

void node_bus_announce(struct node_bus *b, enum node_bus_notice kind, struct span bytes)
{
    b->figures.notices_out += bytes.size <= NODE_BUS_NOTICE_MOST && send_with_head(b, b->all, (uint8_t)kind, bytes);
}

static struct peer *find_peer(const struct node_bus *b, uint64_t epoch)
{
    for (int i = 0; i < PEERS; i++)
        if (b->peer[i].epoch == epoch)
            return (struct peer *)(uintptr_t)&b->peer[i];
    return NULL;
}

static void note_hello(struct node_bus *b, uint64_t from)
{
    struct peer *p = find_peer(b, from);
    if (!p)
        p = find_peer(b, 0);
    if (p)
        *p = (struct peer){from, time_of(b)};
}

static void note_bye(struct node_bus *b, uint64_t from)
{
    struct peer *p = find_peer(b, from);
    if (p)
        *p = (struct peer){0};
}

static void receive_notice(struct node_bus *b, struct span bytes)
{
    uint64_t from;
    uint8_t kind;
    if (!read_head(b, bytes, &from, &kind))
        return;
    b->figures.notices_in++;
    if (kind == NODE_BUS_CHANGE)
        store_poll_soon(b->store);
    if (kind == NODE_BUS_BYE)
        note_bye(b, from);
    else
        note_hello(b, from); // any message shows that it is there
    if (kind < NODE_BUS_NOTICES && b->notice[kind].call.notice)
        b->notice[kind].call.notice(b->notice[kind].owner, from, (struct span){bytes.at + HEAD, bytes.size - HEAD});
}

static void send_hello(struct node_bus *b)
{
    node_bus_announce(b, NODE_BUS_HELLO, (struct span){0});
    b->hello_ms = time_of(b) + NODE_BUS_HELLO_MS;
}

bool node_bus_is_connected(const struct node_bus *b, uint64_t epoch)
{
    const struct peer *p = epoch ? find_peer(b, epoch) : NULL;
    return p && store_is_live(b->store, epoch) && time_of(b) - p->heard_ms < HEARD_MS;
}

void node_bus_on_notice(struct node_bus *b, enum node_bus_notice kind, node_bus_notice_call *call, void *owner)
{
    b->notice[kind] = (struct handler){.call.notice = call, .owner = owner};
}

// --- subjects of parts

bool node_bus_publish(struct node_bus *b, const char *name, struct span bytes)
{
    char subject[NODE_BUS_SUBJECT];
    int size = snprintf(subject, sizeof subject, "%s%s", b->prefix, name);
    bool sent = size < (int)sizeof subject && send_with_head(b, subject, 0, bytes);
    b->figures.published += sent;
    return sent;
}

struct node_bus_subscription *node_bus_subscribe(struct node_bus *b, const char *name, node_bus_notice_call *call,
                                                 void *owner)
{
    struct node_bus_subscription *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    int size = snprintf(e->subject, sizeof e->subject, "%s%s", b->prefix, name);
    if (size >= (int)sizeof e->subject || !b->o.bus->listen(b->o.owner, e->subject)) {
        free(e);
        return NULL;
    }
    e->node_bus = b;
    e->handler = (struct handler){.call.notice = call, .owner = owner};
    LIST_INSERT_HEAD(&b->subscriptions, e, next);
    b->figures.subscriptions++;
    return e;
}

static void drop_subscription(struct node_bus_subscription *e)
{
    LIST_REMOVE(e, next);
    free(e);
}

void node_bus_unsubscribe(struct node_bus_subscription *e)
{
    struct node_bus *b = e->node_bus;
    bool shared = false;
    const struct node_bus_subscription *x;
    e->dead = true;
    b->figures.subscriptions--;
    LIST_FOREACH(x, &b->subscriptions, next)
        shared |= !x->dead && strcmp(x->subject, e->subject) == 0;
    if (!shared)
        b->o.bus->ignore(b->o.owner, e->subject);
    if (!b->calling)
        drop_subscription(e);
}

static void receive_published(struct node_bus *b, const char *subject, struct span bytes)
{
    uint64_t from;
    uint8_t kind;
    struct node_bus_subscription *e, *next;
    if (!read_head(b, bytes, &from, &kind))
        return;
    b->figures.heard++;
    b->calling++;
    LIST_FOREACH(e, &b->subscriptions, next)
        if (!e->dead && strcmp(e->subject, subject) == 0)
            e->handler.call.notice(e->handler.owner, from, (struct span){bytes.at + HEAD, bytes.size - HEAD});
    b->calling--;
    for (e = LIST_FIRST(&b->subscriptions); e && !b->calling; e = next) {
        next = LIST_NEXT(e, next);
        if (e->dead)
            drop_subscription(e);
    }
}

// --- numbered entries

void node_bus_on_entry(struct node_bus *b, enum entry_kind kind, node_bus_entry_call *call, void *owner)
{
    b->entry[kind] = (struct handler){.call.entry = call, .owner = owner};
}

bool node_bus_put(struct node_bus *b, uint64_t epoch, const struct entry *e)
{
    return relay_put(b->relay, epoch, e);
}

static void add_node_handler(struct handler *list, node_bus_node_call *call, void *owner)
{
    int i = 0;
    while (i < WATCHERS - 1 && list[i].call.node)
        i++;
    list[i] = (struct handler){.call.node = call, .owner = owner};
}

void node_bus_on_reset(struct node_bus *b, node_bus_node_call *call, void *owner)
{
    add_node_handler(b->reset, call, owner);
}

void node_bus_on_node_gone(struct node_bus *b, node_bus_node_call *call, void *owner)
{
    add_node_handler(b->gone, call, owner);
}

// --- for the owner of the loop

static void call_agent(void *owner, struct uuid agent, uint64_t conn, uint64_t gateway)
{
    relay_request_connection(((struct node_bus *)owner)->relay, agent, conn, gateway);
}

static int describe(void *owner, const struct lobby_presence *p, struct uuid session, char out[LOBBY_CONNECTION])
{
    return relay_describe_player(((struct node_bus *)owner)->relay, p, session, out);
}

static void on_moved(void *owner, const struct lobby_presence *p, struct uuid session, uint64_t epoch)
{
    relay_note_moved(((struct node_bus *)owner)->relay, p, session, epoch);
}

static void on_given(void *owner, struct uuid match, uint64_t epoch)
{
    struct node_bus *b = owner;
    (void)match, (void)epoch;
    b->given = store_last(b->store);
    loop_end_turn(b->o.hub->options.loop);
}

static bool resume(void *owner, struct lobby_agent *a, struct uuid session, struct span connection)
{
    return relay_resume_player(((struct node_bus *)owner)->relay, a, session, connection);
}

static bool tells(void *owner, const struct lobby_presence *p, struct uuid session)
{
    return relay_is_hosted_elsewhere(((struct node_bus *)owner)->relay, p, session);
}

static const struct lobby_peers peers = {
    .call = call_agent, .describe = describe, .moved = on_moved, .given = on_given, .resume = resume, .tells = tells};

static bool name_subjects(struct node_bus *b)
{
    char node[LINKS_SUBJECT];
    struct uuid arena = store_arena_id(b->store);
    links_subject(node, arena.byte, b->me);
    snprintf(b->prefix, sizeof b->prefix, "%.*s", PREFIX, node); // everything before the node's part of its subject
    snprintf(b->node, sizeof b->node, "%s", node);
    snprintf(b->all, sizeof b->all, "%sall", b->prefix);
    return b->o.bus->listen(b->o.owner, b->node) && b->o.bus->listen(b->o.owner, b->all);
}

struct node_bus *node_bus_open(const struct node_bus_options *o)
{
    struct node_bus *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->o = *o;
    b->store = lobby_store(o->hub->lobby);
    b->me = store_my_epoch(b->store);
    LIST_INIT(&b->subscriptions);
    struct relay_options relay = {.hub = o->hub,
                                  .epoch = b->me,
                                  .now_ms = o->now_ms,
                                  .owner = b,
                                  .send = send_bundle,
                                  .is_live = is_live,
                                  .on_entry = on_entry,
                                  .on_reset = on_reset};
    b->relay = relay_open(&relay);
    if (!b->relay || !name_subjects(b)) {
        node_bus_close(b);
        return NULL;
    }
    lobby_set_peers(o->hub->lobby, &peers, b, o->hub->options.now_ms());
    send_hello(b);
    return b;
}

void node_bus_close(struct node_bus *b)
{
    if (b->all[0])
        node_bus_announce(b, NODE_BUS_BYE, (struct span){0});
    lobby_set_peers(b->o.hub->lobby, NULL, NULL, b->o.hub->options.now_ms());
    if (b->relay)
        relay_close(b->relay);
    while (!LIST_EMPTY(&b->subscriptions))
        drop_subscription(LIST_FIRST(&b->subscriptions));
    free(b);
}

uint64_t node_bus_epoch(const struct node_bus *b)
{
    return b->me;
}

bool node_bus_is_away(const struct node_bus *b)
{
    return b->away;
}

struct relay *node_bus_relay(const struct node_bus *b)
{
    return b->relay;
}

struct store *node_bus_store(const struct node_bus *b)
{
    return b->store;
}

void node_bus_receive(struct node_bus *b, const char *subject, struct span bytes)
{
    if (strcmp(subject, b->node) == 0)
        relay_receive(b->relay, bytes);
    else if (strcmp(subject, b->all) == 0)
        receive_notice(b, bytes);
    else
        receive_published(b, subject, bytes);
    loop_end_turn(b->o.hub->options.loop);
}

void node_bus_set_away(struct node_bus *b, bool away)
{
    if (b->away == away)
        return;
    b->away = away;
    b->figures.absences += away;
    lobby_set_cut(b->o.hub->lobby, away, b->o.hub->options.now_ms());
    if (away)
        return;
    relay_resume_links(b->relay);
    send_hello(b);
    // Announcements of that time were lost: asks again where players are connected.
    lobby_seek_players(b->o.hub->lobby, b->o.hub->options.now_ms());
}

void node_bus_apply_news(struct node_bus *b, const struct store_news *n)
{
    if (n->kind == STORE_NEWS_JOINED) {
        relay_note_joined(b->relay, n->epoch);
        send_hello(b);
    }
    if (n->kind != STORE_NEWS_GONE)
        return;
    note_bye(b, n->epoch);
    relay_end_node(b->relay, n->epoch);
    call_all(b->gone, n->epoch);
    // Also reset: what was sent to it may not have been handled.
    call_all(b->reset, n->epoch);
}

void node_bus_flush(struct node_bus *b)
{
    if (time_of(b) >= b->hello_ms)
        send_hello(b);
    if (b->given && store_durable(b->store) >= b->given) {
        b->given = 0;
        node_bus_announce(b, NODE_BUS_CHANGE, (struct span){0});
    }
    relay_flush(b->relay);
}

int64_t node_bus_due(const struct node_bus *b)
{
    int64_t due_ms = relay_due(b->relay);
    return due_ms < b->hello_ms ? due_ms : b->hello_ms;
}

void node_bus_figures(const struct node_bus *b, struct node_bus_figures *out)
{
    *out = b->figures;
    relay_figures(b->relay, &out->relay);
    for (int i = 0; i < PEERS; i++)
        out->peers += node_bus_is_connected(b, b->peer[i].epoch);
}
