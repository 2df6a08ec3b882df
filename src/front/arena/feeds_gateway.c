// The gateway's side: spectators here, their match at another node (S48).
#include "front/arena/feeds_internal.h"

#include <stdio.h>
#include <stdlib.h>

// --- spectators

static void drop_watch(struct remote_watch *w)
{
    struct remote_watch **at = &w->conn->remote;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    LIST_REMOVE(w, link);
    lobby_count_spectators(w->conn->hub->lobby, -1);
    free(w);
}

static uint32_t count_watches(const struct remote_match *x)
{
    const struct remote_watch *w;
    uint32_t count = 0;
    LIST_FOREACH(w, &x->watches, link)
        count++;
    return count;
}

// Formats a frame once for all spectators; a long one is copied for each.
static void load_frame(struct hub *h, struct span frame)
{
    // It replaces what hub_watch.c wrote: the next event of a match here is formatted anew.
    h->shown = (struct hub_shown){0};
    h->shown_size = frame.size <= HUB_SHOWN_FRAME ? frame.size : 0;
    memcpy(h->shown_frame + WS_FRONT, frame.at, h->shown_size);
}

static void send_loaded(struct hub_conn *c, struct span frame)
{
    if (c->hub->shown_size)
        hub_send_shown(c);
    else
        hub_forward_frame(c, HUB_EVENT, (struct uuid){0}, 0, frame);
}

static void broadcast_frame(struct remote_match *x, struct span frame)
{
    struct remote_watch *w;
    load_frame(x->feeds->o.hub, frame);
    LIST_FOREACH(w, &x->watches, link)
        if (w->state == REMOTE_FOLLOWS && hub_is_slow(w->conn))
            w->state = REMOTE_BEHIND;
        else if (w->state == REMOTE_FOLLOWS)
            send_loaded(w->conn, frame);
}

static void send_picture(struct remote_match *x, struct span frame)
{
    struct remote_watch *w;
    LIST_FOREACH(w, &x->watches, link) {
        if (w->state != REMOTE_WAITS_PICTURE)
            continue;
        hub_forward_frame(w->conn, HUB_EVENT, (struct uuid){0}, 0, frame);
        w->state = REMOTE_FOLLOWS;
    }
}

static void close_match(struct remote_match *x)
{
    while (!LIST_EMPTY(&x->watches))
        drop_watch(LIST_FIRST(&x->watches));
    LIST_REMOVE(x, link);
    x->feeds->o.ignore(x->feeds->o.owner, x->subscription);
    free(x);
}

// Sends the last frame of the match to everybody, whatever they have seen. Empty: it is unknown how it ended.
static void broadcast_end(struct remote_match *x, struct span frame)
{
    for (struct remote_watch *w; (w = LIST_FIRST(&x->watches));) {
        struct hub_conn *c = w->conn;
        bool last = --c->watching == 0;
        drop_watch(w);
        if (frame.size)
            hub_forward_frame(c, last ? HUB_LAST : HUB_EVENT, (struct uuid){0}, 0, frame);
        else if (last)
            ws_end(c->ws, WS_RESTART, "");
    }
    close_match(x);
}

// --- events that a spectator missed

// Sends the events from `from` on, of a message that begins with `first`.
static void send_events(struct remote_watch *w, const struct feed_message *m, uint32_t skip)
{
    struct span body = m->body, frame;
    for (uint32_t i = 0; feed_next(&body, &frame); i++) {
        if (i < skip)
            continue;
        load_frame(w->conn->hub, frame);
        send_loaded(w->conn, frame);
    }
}

static void send_missed(struct remote_match *x, const struct feed_message *m, bool repairs, uint32_t skip)
{
    struct remote_watch *w;
    LIST_FOREACH(w, &x->watches, link) {
        if (w->state == REMOTE_FOLLOWS && repairs)
            send_events(w, m, skip);
        if (w->state != REMOTE_WAITS_MORE || w->from < m->first)
            continue;
        if (w->from > m->seq) {
            w->state = REMOTE_WAITS_PICTURE; // spectators may not see that many yet
            continue;
        }
        send_events(w, m, w->from - m->first);
        w->from = m->seq;
        if (!(m->flags & FEED_PARTIAL))
            w->state = REMOTE_FOLLOWS;
    }
}

// --- requests

static void ask_host(struct remote_match *x, uint32_t watchers)
{
    const struct remote_watch *w;
    char name[NODE_BUS_SUBJECT];
    struct feed_message m = {.kind = FEED_ASK, .live = x->live, .owner = x->owner, .watchers = watchers};
    m.first = UINT32_MAX;
    if (!x->place.synced && x->place.begun) {
        m.flags |= FEED_WANTS_MORE;
        m.first = x->place.seq;
    }
    LIST_FOREACH(w, &x->watches, link) {
        if (w->state == REMOTE_WAITS_PICTURE)
            m.flags |= FEED_WANTS_PICTURE;
        if (w->state == REMOTE_WAITS_MORE && w->from < m.first) {
            m.flags |= FEED_WANTS_MORE;
            m.first = w->from;
        }
    }
    x->asked_ms = feeds_now(x->feeds);
    snprintf(name, sizeof name, "asks.%llu", (unsigned long long)x->place.host);
    feeds_publish(x->feeds, name, &m);
}

static void ask_host_soon(struct remote_match *x)
{
    if (x->place.host && feeds_now(x->feeds) - x->asked_ms >= FEEDS_AGAIN_MS)
        ask_host(x, count_watches(x));
}

static void on_feed_message(void *owner, uint64_t from, struct span bytes)
{
    struct remote_match *x = owner;
    struct feed_message m;
    uint32_t skip;
    // A host that has given the match away may still publish what it knows.
    if (!feed_read(bytes, &m) || from != x->place.host)
        return;
    struct feeds *f = x->feeds;
    bool repairs = !x->place.synced;
    f->figures.heard++;
    x->heard_ms = feeds_now(f);
    if (m.kind == FEED_NONE && (!m.to || m.to == f->o.epoch)) {
        x->place.host = 0; // searched again with the next tick: the new host may still be reading it
        return;
    }
    enum feed_verdict verdict = feed_judge(&x->place, f->o.epoch, from, &m, &skip);
    if (verdict == FEED_GAP) {
        f->figures.gaps++;
        ask_host(x, count_watches(x));
    }
    if (verdict != FEED_TAKE)
        return;
    if (m.kind == FEED_FRAME && m.type == FEED_END)
        broadcast_end(x, m.body);
    else if (m.kind == FEED_FRAME)
        broadcast_frame(x, m.body);
    else if (m.kind == FEED_PICTURE)
        send_picture(x, m.body);
    else
        send_missed(x, &m, repairs, skip);
    if (m.kind == FEED_MORE && m.flags & FEED_PARTIAL)
        ask_host(x, count_watches(x));
}

// --- the host

static struct remote_match *find_match(struct feeds *f, struct uuid live, struct uuid owner)
{
    struct remote_match *x;
    LIST_FOREACH(x, &f->followed, link)
        if (uuid_equals(x->live, live) && uuid_equals(x->owner, owner))
            return x;
    return NULL;
}

// The match has come to this node: its spectators are moved to it. Returns false if it is not there yet.
static bool bring_spectators_home(struct remote_match *x)
{
    struct lobby *l = x->feeds->o.hub->lobby;
    struct lobby_agent *owner = uuid_is_none(x->owner) ? NULL : lobby_find_agent(l, x->owner);
    if (!lobby_has_live(l, x->live))
        return false;
    for (struct remote_watch *w; (w = LIST_FIRST(&x->watches));) {
        struct hub_conn *c = w->conn;
        uint32_t from = w->state == REMOTE_FOLLOWS      ? x->place.seq
                        : w->state == REMOTE_WAITS_MORE ? w->from
                                                        : UINT32_MAX;
        drop_watch(w);
        c->watching--;
        if (!hub_open_board(c, x->live, owner, from) && !c->watching)
            ws_end(c->ws, WS_RESTART, "");
    }
    close_match(x);
    return true;
}

static void follow_host(struct remote_match *x, uint64_t host)
{
    if (host == x->feeds->o.epoch) {
        bring_spectators_home(x);
        return;
    }
    x->place.synced &= x->place.host == host;
    x->place.host = host;
    x->heard_ms = feeds_now(x->feeds);
    ask_host(x, count_watches(x));
}

// It is over, and the host's last frames are lost: reports what the store has, when spectators may see it.
static void report_end(struct remote_match *x, const struct store_match *m)
{
    struct hub *h = x->feeds->o.hub;
    // F4.24: the end is delayed like everything else.
    if (m && h->options.now_ms() < m->finished_ms + lobby_options_of(h->lobby)->spectate_delay_ms)
        return; // tried again later
    if (!m) {
        broadcast_end(x, (struct span){0});
        return;
    }
    hub_write_end(h, m, uuid_is_none(x->owner) ? m->id : m->live);
    json_end_object(&h->frame);
    json_end_object(&h->frame);
    broadcast_end(x, text_span(&h->frame));
}

struct search {
    struct hub *hub;
    struct uuid live, owner, match;
};

static void search_host(void *arg)
{
    struct search *s = arg;
    struct feeds *f = s->hub->feeds;
    struct store_match *m = malloc(sizeof *m);
    uint64_t host = 0;
    bool known = f && m && f->o.find(f->o.owner, s->live, &host);
    bool over =
        known && !host && store_find_match(lobby_store(s->hub->lobby), s->match, m) && m->status != STORE_RUNNING;
    f = s->hub->feeds; // it may have been closed meanwhile
    struct remote_match *x = f ? find_match(f, s->live, s->owner) : NULL;
    if (x) {
        x->seeking = false;
        if (host)
            follow_host(x, host);
        else if (known)
            report_end(x, over ? m : NULL);
    }
    free(m);
    free(s);
}

static void start_search(struct remote_match *x)
{
    struct search *s = x->seeking ? NULL : malloc(sizeof *s);
    if (!s)
        return;
    x->seeking = true;
    x->sought_ms = feeds_now(x->feeds);
    *s = (struct search){x->feeds->o.hub, x->live, x->owner, x->match};
    work_start(loop_work(x->feeds->o.hub->options.loop), search_host, s);
}

void feeds_end_node(struct feeds *f, uint64_t epoch)
{
    for (struct remote_match *x = LIST_FIRST(&f->followed), *next; x; x = next) {
        next = LIST_NEXT(x, link);
        if (x->place.host != epoch)
            continue;
        x->place.host = 0;
        start_search(x);
    }
}

void feeds_tick_followed(struct feeds *f)
{
    int64_t now_ms = feeds_now(f);
    for (struct remote_match *x = LIST_FIRST(&f->followed), *next; x; x = next) {
        next = LIST_NEXT(x, link);
        bool lost = !x->place.host || now_ms - x->heard_ms >= FEEDS_SILENT_MS;
        bool waits = !x->place.synced && now_ms - x->asked_ms >= FEEDS_TICK_MS;
        if (LIST_EMPTY(&x->watches)) {
            ask_host(x, 0);
            close_match(x);
        } else if (lost && !f->o.is_away(f->o.owner) && now_ms - x->sought_ms >= FEEDS_TICK_MS) {
            start_search(x);
        } else if (x->place.host && (waits || now_ms - x->asked_ms >= FEEDS_ASK_MS)) {
            ask_host(x, count_watches(x));
        }
    }
}

// --- opening and closing

static struct remote_match *open_match(struct feeds *f, const struct remote_watch_request *request)
{
    struct remote_match *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    *x = (struct remote_match){.feeds = f, .live = request->live, .owner = request->owner, .match = request->match};
    x->place.host = request->host;
    x->heard_ms = feeds_now(f);
    LIST_INIT(&x->watches);
    feeds_name(x->name, request->live, request->owner);
    x->subscription = f->o.listen(f->o.owner, x->name, on_feed_message, x);
    if (!x->subscription) {
        free(x);
        return NULL;
    }
    LIST_INSERT_HEAD(&f->followed, x, link);
    return x;
}

bool feeds_follow(struct hub_conn *c, const struct remote_watch_request *request)
{
    struct feeds *f = c->hub->feeds;
    struct remote_match *x = f ? find_match(f, request->live, request->owner) : NULL;
    struct remote_watch *w = f ? calloc(1, sizeof *w) : NULL;
    if (w && !x)
        x = open_match(f, request);
    if (!w || !x) {
        free(w);
        return false;
    }
    *w = (struct remote_watch){.match = x, .conn = c, .next = c->remote, .from = request->from};
    w->state = request->from == UINT32_MAX ? REMOTE_WAITS_PICTURE : REMOTE_WAITS_MORE;
    c->remote = w;
    c->watching++;
    LIST_INSERT_HEAD(&x->watches, w, link);
    lobby_count_spectators(c->hub->lobby, 1);
    if (x->place.host)
        ask_host_soon(x); // otherwise its host is searched with the next tick
    return true;
}

void feeds_leave(struct hub_conn *c)
{
    while (c->remote)
        drop_watch(c->remote); // a match without spectators is dropped with the next tick
}

// F4.27: it has read everything, and gets the current state.
void feeds_catch_up(struct hub_conn *c)
{
    for (struct remote_watch *w = c->remote; w; w = w->next)
        if (w->state == REMOTE_BEHIND) {
            w->state = REMOTE_WAITS_PICTURE;
            ask_host_soon(w->match);
        }
}

void feeds_close_followed(struct feeds *f)
{
    for (struct remote_match *x; (x = LIST_FIRST(&f->followed));) {
        ask_host(x, 0);
        close_match(x);
    }
}
