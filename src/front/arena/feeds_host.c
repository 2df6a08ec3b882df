// The host's side: what spectators at other nodes see of a match played here (S48).
#include "front/arena/feeds_internal.h"
#include "heap/heap.h"

#include <stdlib.h>

// --- outgoing frames: they are durable, and in the order in which they were written

static void store_frame(struct text *t, struct span frame)
{
    t->size = 0;
    text_put(t, frame);
    t->full = false;
}

static void publish_frame(struct feed *f, enum feed_type type, struct span frame)
{
    struct feed_message m = {.kind = FEED_FRAME, .type = (uint8_t)type, .live = f->live, .body = frame};
    m.number = ++f->number;
    m.seq = f->seq;
    feeds_publish(f->feeds, f->name, &m);
}

void feeds_put_frame(struct hub_conn *c, uint32_t mark, struct span frame)
{
    struct feed *f = c->feed;
    // As hub_mark_frame has packed it.
    uint32_t seq = mark & 0x3fffffff;
    switch (mark >> 30) {
    case MARK_PICTURE:
        f->seq = seq;
        feeds_publish(f->feeds, f->name,
                      &(struct feed_message){
                          .kind = FEED_PICTURE, .live = f->live, .number = f->number, .seq = seq, .body = frame});
        break;
    case MARK_EVENT:
        f->seq = seq;
        publish_frame(f, FEED_EVENT, frame);
        break;
    case MARK_END:
        store_frame(&f->end, frame);
        f->ended_ms = feeds_now(f->feeds);
        publish_frame(f, FEED_END, frame);
        break;
    default:
        if (seq)
            store_frame(&f->turn, frame); // not of a decision
        publish_frame(f, FEED_ASIDE, frame);
    }
}

// --- opening and closing

static struct feed *find_feed(struct feeds *f, struct uuid live, struct uuid owner)
{
    struct feed *x;
    LIST_FOREACH(x, &f->hosted, link)
        if (uuid_equals(x->live, live) && uuid_equals(x->owner, owner) && !x->over)
            return x;
    return NULL;
}

static void close_feed(struct feed *x)
{
    struct hub_conn *c = x->conn;
    LIST_REMOVE(x, link);
    hub_close_boards(c);
    hub_drop_frames(c);
    hub_remove(c);
    free(x->turn.at);
    free(x->end.at);
    free(x);
}

static struct feed *make_feed(struct feeds *f, struct uuid live, struct uuid owner)
{
    struct feed *x = calloc(1, sizeof *x);
    struct hub_conn *c = hub_add(f->o.hub);
    if (c)
        c->watch = calloc(HUB_BOARDS, sizeof *c->watch);
    if (!x || !c || !c->watch)
        abort();
    *x = (struct feed){.feeds = f, .conn = c, .live = live, .owner = owner};
    x->turn.grow = x->end.grow = heap_text_grow;
    feeds_name(x->name, live, owner);
    c->spectator = true;
    c->phase = HUB_OPEN;
    c->feed = x;
    LIST_INSERT_HEAD(&f->hosted, x, link);
    return x;
}

// Returns NULL if the match is not played here.
static struct feed *open_feed(struct feeds *f, struct uuid live, struct uuid owner)
{
    struct lobby *l = f->o.hub->lobby;
    struct lobby_agent *a = uuid_is_none(owner) ? NULL : lobby_find_agent(l, owner);
    if (!lobby_has_live(l, live))
        return NULL;
    struct feed *x = make_feed(f, live, owner);
    if (!hub_open_board(x->conn, live, a, UINT32_MAX)) {
        close_feed(x);
        return NULL;
    }
    x->opened = lobby_ticket(l);
    x->seq = lobby_watch_shown(x->conn->watch[0]);
    return x;
}

void feeds_note_moved(struct hub_conn *c)
{
    struct feed *x = c->feed;
    x->over = true;
    feeds_publish(x->feeds, x->name, &(struct feed_message){.kind = FEED_NONE, .live = x->live});
}

// --- watchers

static void count_watchers(struct feed *x)
{
    uint32_t heads = 0;
    for (int i = 0; i < x->subscribers; i++)
        heads += x->subscriber[i].watchers;
    if (x->conn->watch[0])
        lobby_watch_relay(x->feeds->o.hub->lobby, x->conn->watch[0], (int)heads);
}

static void note_subscriber(struct feed *x, uint64_t epoch, uint32_t watchers)
{
    int i = 0;
    while (i < x->subscribers && x->subscriber[i].epoch != epoch)
        i++;
    if (i == STORE_NODES)
        return;
    x->subscribers += i == x->subscribers;
    x->subscriber[i] = (struct subscriber){epoch, feeds_now(x->feeds), watchers};
    if (!watchers)
        x->subscriber[i] = x->subscriber[--x->subscribers];
    count_watchers(x);
}

void feeds_tick_hosted(struct feeds *f)
{
    int64_t now_ms = feeds_now(f);
    for (struct feed *x = LIST_FIRST(&f->hosted), *next; x; x = next) {
        next = LIST_NEXT(x, link);
        // Backwards: note_subscriber moves the last subscriber into the place of one that it removes.
        for (int i = x->subscribers - 1; i >= 0; i--)
            if (now_ms - x->subscriber[i].heard_ms >= FEEDS_FORGET_MS)
                note_subscriber(x, x->subscriber[i].epoch, 0);
        bool late = x->ended_ms && now_ms - x->ended_ms >= FEEDS_KEEP_MS;
        if (x->over || late || !x->subscribers)
            close_feed(x);
    }
}

void feeds_close_hosted(struct feeds *f)
{
    while (!LIST_EMPTY(&f->hosted))
        close_feed(LIST_FIRST(&f->hosted));
}

// --- replies

// Only events that were sent already.
static uint32_t put_events(struct feed *x, struct text *body, uint32_t first)
{
    const struct lobby_watch *w = x->conn->watch[0];
    struct match_event e;
    uint32_t seq = first;
    while (seq < x->seq && body->size < FEEDS_MORE && lobby_watch_event(w, seq, &e)) {
        feed_put_frame(body, text_span(hub_write_event(x->feeds->o.hub, w, &e)));
        seq++;
    }
    return seq;
}

static void publish_missed(struct feed *x, uint64_t to, uint32_t first)
{
    struct text body = {.grow = heap_text_grow};
    struct feed_message m = {.kind = FEED_MORE, .live = x->live, .to = to, .first = first};
    uint32_t seq = put_events(x, &body, first);
    m.seq = x->seq;
    if (seq < x->seq) {
        m.seq = seq;
        m.flags = FEED_PARTIAL;
    } else if (x->turn.size) {
        feed_put_frame(&body, text_span(&x->turn));
    }
    m.number = x->number - (x->ended_ms != 0); // the end follows
    m.body = text_span(&body);
    if (!body.full)
        feeds_publish(x->feeds, x->name, &m);
    free(body.at);
}

static void publish_end_again(struct feed *x)
{
    struct feed_message m = {.kind = FEED_FRAME, .type = FEED_END, .live = x->live, .number = x->number, .seq = x->seq};
    m.body = text_span(&x->end);
    feeds_publish(x->feeds, x->name, &m);
}

static void answer_ask(struct feed *x, uint64_t from, const struct feed_message *m)
{
    struct hub *h = x->feeds->o.hub;
    bool settled = x->opened <= h->durable; // otherwise what was shown before may still be lost
    if (m->flags & FEED_WANTS_MORE && settled)
        publish_missed(x, from, m->first);
    else
        feeds_publish(x->feeds, x->name,
                      &(struct feed_message){.kind = FEED_HERE, .live = x->live, .number = x->number, .seq = x->seq});
    if (x->ended_ms)
        publish_end_again(x);
    else if (m->flags & FEED_WANTS_PICTURE)
        lobby_watch_again(h->lobby, x->conn->watch[0], h->options.now_ms());
}

void feeds_receive_ask(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    struct feed_message m;
    char name[NODE_BUS_SUBJECT];
    if (!feed_read(bytes, &m) || m.kind != FEED_ASK)
        return;
    f->figures.heard++;
    struct feed *x = find_feed(f, m.live, m.owner);
    if (!x && m.watchers)
        x = open_feed(f, m.live, m.owner);
    if (x) {
        note_subscriber(x, from, m.watchers);
        if (m.watchers)
            answer_ask(x, from, &m);
    } else if (m.watchers) {
        feeds_name(name, m.live, m.owner);
        feeds_publish(f, name, &(struct feed_message){.kind = FEED_NONE, .live = m.live, .to = from});
    }
}
