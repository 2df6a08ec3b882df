#include "front/arena/wire.h"
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
        wire_entry_call *entry;
        wire_notice_call *notice;
        wire_node_call *node;
    } call;
    void *owner;
};

struct wire_subscription {
    struct wire *wire;
    struct handler handler;
    bool dead; // freed when no handler is running
    LIST_ENTRY(wire_subscription) next;
    char subject[WIRE_SUBJECT];
};

struct peer {
    uint64_t epoch;
    int64_t heard_ms;
};

struct wire {
    struct wire_options o;
    struct relay *relay;
    struct store *store;
    uint64_t me;
    char prefix[PREFIX + 1], node[WIRE_SUBJECT], all[WIRE_SUBJECT];
    bool away;
    int64_t hello_ms; // when the next one is due
    // epoch 0: unused.
    struct peer peer[PEERS];
    struct handler entry[ENTRY_KINDS], notice[WIRE_NOTICES], reset[WATCHERS], gone[WATCHERS];
    LIST_HEAD(, wire_subscription) subscriptions;
    // A handler may end subscriptions, its own included: they are freed when no handler runs any more.
    int calling; // handlers of subscriptions in progress
    // Announced when it is durable: a node that looks earlier finds nothing.
    store_ticket given; // ticket of matches that others have to adopt; 0: none
    struct wire_figures figures;
    char out[HEAD + WIRE_NOTICE_MOST];
};

static int64_t time_of(const struct wire *w)
{
    return w->o.now_ms();
}

static void call_all(const struct handler *list, uint64_t epoch)
{
    for (int i = 0; i < WATCHERS && list[i].call.node; i++)
        list[i].call.node(list[i].owner, epoch);
}

// --- for the relay

static void send_bundle(void *owner, uint64_t epoch, struct span bundle)
{
    struct wire *w = owner;
    char subject[LINKS_SUBJECT];
    struct uuid arena = store_arena_id(w->store);
    links_subject(subject, arena.byte, epoch);
    w->o.bus->send(w->o.owner, subject, bundle);
}

static bool is_live(void *owner, uint64_t epoch)
{
    return store_is_live(((struct wire *)owner)->store, epoch);
}

static void on_entry(void *owner, uint64_t from, const struct entry *e)
{
    const struct wire *w = owner;
    if (e->kind < ENTRY_KINDS && w->entry[e->kind].call.entry)
        w->entry[e->kind].call.entry(w->entry[e->kind].owner, from, e);
}

static void on_reset(void *owner, uint64_t peer)
{
    call_all(((struct wire *)owner)->reset, peer);
}

// --- headers: 4 bytes "AGA1", 8 of the epoch, 1 of the kind

static void put_head(char out[HEAD], uint64_t epoch, uint8_t kind)
{
    memcpy(out, "AGA1", 4);
    entry_write_number(out + 4, epoch);
    out[12] = (char)kind;
}

// Returns false if it is damaged, our own, or of a node that is not live.
static bool read_head(struct wire *w, struct span bytes, uint64_t *from, uint8_t *kind)
{
    if (bytes.size < HEAD || memcmp(bytes.at, "AGA1", 4) != 0) {
        w->figures.refused++;
        return false;
    }
    *from = entry_read_number((struct span){bytes.at + 4, 8});
    *kind = (uint8_t)bytes.at[12];
    // NATS delivers to the sender too, if it has subscribed.
    if (*from == w->me)
        return false;
    // A node whose lease was lost may still send: nothing of it counts after others have taken its roles over.
    w->figures.refused += !is_live(w, *from);
    return is_live(w, *from);
}

static bool send_with_head(struct wire *w, const char *subject, uint8_t kind, struct span bytes)
{
    bool sent = false;
    if (bytes.size <= WIRE_NOTICE_MOST) {
        put_head(w->out, w->me, kind);
        memcpy(w->out + HEAD, bytes.at ? bytes.at : "", bytes.size);
        sent = w->o.bus->send(w->o.owner, subject, (struct span){w->out, HEAD + bytes.size});
    } else {
        // Published messages have no limit here, unlike announcements (pages of events, lists of matches).
        char *out = malloc(HEAD + bytes.size);
        if (!out)
            return false;
        put_head(out, w->me, kind);
        memcpy(out + HEAD, bytes.at, bytes.size);
        sent = w->o.bus->send(w->o.owner, subject, (struct span){out, HEAD + bytes.size});
        free(out);
    }
    loop_end_turn(w->o.hub->options.loop);
    return sent;
}

// --- announcements

void wire_announce(struct wire *w, enum wire_about kind, struct span bytes)
{
    w->figures.notices_out += bytes.size <= WIRE_NOTICE_MOST && send_with_head(w, w->all, (uint8_t)kind, bytes);
}

static struct peer *find_peer(const struct wire *w, uint64_t epoch)
{
    for (int i = 0; i < PEERS; i++)
        if (w->peer[i].epoch == epoch)
            return (struct peer *)(uintptr_t)&w->peer[i];
    return NULL;
}

static void note_hello(struct wire *w, uint64_t from)
{
    struct peer *p = find_peer(w, from);
    if (!p)
        p = find_peer(w, 0);
    if (p)
        *p = (struct peer){from, time_of(w)};
}

static void note_bye(struct wire *w, uint64_t from)
{
    struct peer *p = find_peer(w, from);
    if (p)
        *p = (struct peer){0};
}

static void receive_notice(struct wire *w, struct span bytes)
{
    uint64_t from;
    uint8_t kind;
    if (!read_head(w, bytes, &from, &kind))
        return;
    w->figures.notices_in++;
    if (kind == WIRE_CHANGE)
        store_poll_soon(w->store);
    if (kind == WIRE_BYE)
        note_bye(w, from);
    else
        note_hello(w, from); // any message shows that it is there
    if (kind < WIRE_NOTICES && w->notice[kind].call.notice)
        w->notice[kind].call.notice(w->notice[kind].owner, from, (struct span){bytes.at + HEAD, bytes.size - HEAD});
}

static void send_hello(struct wire *w)
{
    wire_announce(w, WIRE_HELLO, (struct span){0});
    w->hello_ms = time_of(w) + WIRE_HELLO_MS;
}

bool wire_is_connected(const struct wire *w, uint64_t epoch)
{
    const struct peer *p = epoch ? find_peer(w, epoch) : NULL;
    return p && store_is_live(w->store, epoch) && time_of(w) - p->heard_ms < HEARD_MS;
}

void wire_on_notice(struct wire *w, enum wire_about kind, wire_notice_call *call, void *owner)
{
    w->notice[kind] = (struct handler){.call.notice = call, .owner = owner};
}

// --- subjects of parts

bool wire_publish(struct wire *w, const char *name, struct span bytes)
{
    char subject[WIRE_SUBJECT];
    int size = snprintf(subject, sizeof subject, "%s%s", w->prefix, name);
    bool sent = size < (int)sizeof subject && send_with_head(w, subject, 0, bytes);
    w->figures.published += sent;
    return sent;
}

struct wire_subscription *wire_subscribe(struct wire *w, const char *name, wire_notice_call *call, void *owner)
{
    struct wire_subscription *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    int size = snprintf(e->subject, sizeof e->subject, "%s%s", w->prefix, name);
    if (size >= (int)sizeof e->subject || !w->o.bus->listen(w->o.owner, e->subject)) {
        free(e);
        return NULL;
    }
    e->wire = w;
    e->handler = (struct handler){.call.notice = call, .owner = owner};
    LIST_INSERT_HEAD(&w->subscriptions, e, next);
    w->figures.subscriptions++;
    return e;
}

static void drop_subscription(struct wire_subscription *e)
{
    LIST_REMOVE(e, next);
    free(e);
}

void wire_unsubscribe(struct wire_subscription *e)
{
    struct wire *w = e->wire;
    bool shared = false;
    const struct wire_subscription *x;
    e->dead = true;
    w->figures.subscriptions--;
    LIST_FOREACH(x, &w->subscriptions, next)
        shared |= !x->dead && strcmp(x->subject, e->subject) == 0;
    if (!shared)
        w->o.bus->ignore(w->o.owner, e->subject);
    if (!w->calling)
        drop_subscription(e);
}

static void receive_published(struct wire *w, const char *subject, struct span bytes)
{
    uint64_t from;
    uint8_t kind;
    struct wire_subscription *e, *next;
    if (!read_head(w, bytes, &from, &kind))
        return;
    w->figures.heard++;
    w->calling++;
    LIST_FOREACH(e, &w->subscriptions, next)
        if (!e->dead && strcmp(e->subject, subject) == 0)
            e->handler.call.notice(e->handler.owner, from, (struct span){bytes.at + HEAD, bytes.size - HEAD});
    w->calling--;
    for (e = LIST_FIRST(&w->subscriptions); e && !w->calling; e = next) {
        next = LIST_NEXT(e, next);
        if (e->dead)
            drop_subscription(e);
    }
}

// --- numbered entries

void wire_on_entry(struct wire *w, enum entry_kind kind, wire_entry_call *call, void *owner)
{
    w->entry[kind] = (struct handler){.call.entry = call, .owner = owner};
}

bool wire_put(struct wire *w, uint64_t epoch, const struct entry *e)
{
    return relay_put(w->relay, epoch, e);
}

static void watch(struct handler *list, wire_node_call *call, void *owner)
{
    int i = 0;
    while (i < WATCHERS - 1 && list[i].call.node)
        i++;
    list[i] = (struct handler){.call.node = call, .owner = owner};
}

void wire_on_reset(struct wire *w, wire_node_call *call, void *owner)
{
    watch(w->reset, call, owner);
}

void wire_on_node_gone(struct wire *w, wire_node_call *call, void *owner)
{
    watch(w->gone, call, owner);
}

// --- for the owner of the loop

static void call_agent(void *owner, struct uuid agent, uint64_t conn, uint64_t gateway)
{
    relay_call(((struct wire *)owner)->relay, agent, conn, gateway);
}

static int describe(void *owner, const struct lobby_presence *p, struct uuid session, char out[LOBBY_CONNECTION])
{
    return relay_describe(((struct wire *)owner)->relay, p, session, out);
}

static void on_moved(void *owner, const struct lobby_presence *p, struct uuid session, uint64_t epoch)
{
    relay_moved(((struct wire *)owner)->relay, p, session, epoch);
}

static void on_given(void *owner, struct uuid match, uint64_t epoch)
{
    struct wire *w = owner;
    (void)match, (void)epoch;
    w->given = store_last(w->store);
    loop_end_turn(w->o.hub->options.loop);
}

static bool resume(void *owner, struct lobby_agent *a, struct uuid session, struct span connection)
{
    return relay_resume(((struct wire *)owner)->relay, a, session, connection);
}

static bool tells(void *owner, const struct lobby_presence *p, struct uuid session)
{
    return relay_tells(((struct wire *)owner)->relay, p, session);
}

static const struct lobby_peers peers = {
    .call = call_agent, .describe = describe, .moved = on_moved, .given = on_given, .resume = resume, .tells = tells};

static bool name_subjects(struct wire *w)
{
    char node[LINKS_SUBJECT];
    struct uuid arena = store_arena_id(w->store);
    links_subject(node, arena.byte, w->me);
    snprintf(w->prefix, sizeof w->prefix, "%.*s", PREFIX, node); // everything before the node's part of its subject
    snprintf(w->node, sizeof w->node, "%s", node);
    snprintf(w->all, sizeof w->all, "%sall", w->prefix);
    return w->o.bus->listen(w->o.owner, w->node) && w->o.bus->listen(w->o.owner, w->all);
}

struct wire *wire_open(const struct wire_options *o)
{
    struct wire *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->o = *o;
    w->store = lobby_store(o->hub->lobby);
    w->me = store_my_epoch(w->store);
    LIST_INIT(&w->subscriptions);
    struct relay_options relay = {.hub = o->hub,
                                  .epoch = w->me,
                                  .now_ms = o->now_ms,
                                  .owner = w,
                                  .send = send_bundle,
                                  .is_live = is_live,
                                  .on_entry = on_entry,
                                  .on_reset = on_reset};
    w->relay = relay_open(&relay);
    if (!w->relay || !name_subjects(w)) {
        wire_close(w);
        return NULL;
    }
    lobby_set_peers(o->hub->lobby, &peers, w, o->hub->options.now_ms());
    send_hello(w);
    return w;
}

void wire_close(struct wire *w)
{
    if (w->all[0])
        wire_announce(w, WIRE_BYE, (struct span){0});
    lobby_set_peers(w->o.hub->lobby, NULL, NULL, w->o.hub->options.now_ms());
    if (w->relay)
        relay_close(w->relay);
    while (!LIST_EMPTY(&w->subscriptions))
        drop_subscription(LIST_FIRST(&w->subscriptions));
    free(w);
}

uint64_t wire_me(const struct wire *w)
{
    return w->me;
}

bool wire_is_away(const struct wire *w)
{
    return w->away;
}

struct relay *wire_relay(const struct wire *w)
{
    return w->relay;
}

struct store *wire_store(const struct wire *w)
{
    return w->store;
}

void wire_receive(struct wire *w, const char *subject, struct span bytes)
{
    if (strcmp(subject, w->node) == 0)
        relay_receive(w->relay, bytes);
    else if (strcmp(subject, w->all) == 0)
        receive_notice(w, bytes);
    else
        receive_published(w, subject, bytes);
    loop_end_turn(w->o.hub->options.loop);
}

void wire_set_away(struct wire *w, bool away)
{
    if (w->away == away)
        return;
    w->away = away;
    w->figures.absences += away;
    lobby_set_cut(w->o.hub->lobby, away, w->o.hub->options.now_ms());
    if (away)
        return;
    relay_resume_links(w->relay);
    send_hello(w);
    // What changed meanwhile was lost: who is connected where is asked again.
    lobby_seek_players(w->o.hub->lobby, w->o.hub->options.now_ms());
}

void wire_apply_news(struct wire *w, const struct store_news *n)
{
    if (n->kind == STORE_NEWS_JOINED) {
        relay_joined(w->relay, n->epoch);
        send_hello(w);
    }
    if (n->kind != STORE_NEWS_GONE)
        return;
    note_bye(w, n->epoch);
    relay_end(w->relay, n->epoch);
    call_all(w->gone, n->epoch);
    // Also reset: what was sent to it may not have been handled.
    call_all(w->reset, n->epoch);
}

void wire_flush(struct wire *w)
{
    if (time_of(w) >= w->hello_ms)
        send_hello(w);
    if (w->given && store_durable(w->store) >= w->given) {
        w->given = 0;
        wire_announce(w, WIRE_CHANGE, (struct span){0});
    }
    relay_flush(w->relay);
}

int64_t wire_due(const struct wire *w)
{
    int64_t due_ms = relay_due(w->relay);
    return due_ms < w->hello_ms ? due_ms : w->hello_ms;
}

void wire_figures(const struct wire *w, struct wire_figures *out)
{
    *out = w->figures;
    relay_figures(w->relay, &out->relay);
    for (int i = 0; i < PEERS; i++)
        out->peers += wire_is_connected(w, w->peer[i].epoch);
}
