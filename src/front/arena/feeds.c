#include "front/arena/feeds_internal.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

void feeds_name(char out[NODE_BUS_SUBJECT], struct uuid live, struct uuid owner)
{
    char match[UUID_TEXT + 1], agent[UUID_TEXT + 1];
    uuid_format(match, live);
    uuid_format(agent, owner);
    if (uuid_is_none(owner))
        snprintf(out, NODE_BUS_SUBJECT, "watch.%s", match);
    else
        snprintf(out, NODE_BUS_SUBJECT, "watch.%s.%s", match, agent);
}

void feeds_publish(struct feeds *f, const char *name, const struct feed_message *m)
{
    f->out.size = 0;
    feed_put(&f->out, m);
    if (f->out.full)
        f->out.full = false; // out of memory: it is lost
    else
        f->figures.published += f->o.publish(f->o.owner, name, text_span(&f->out));
    loop_end_turn(f->o.hub->options.loop);
}

void feeds_tick(struct feeds *f)
{
    feeds_tick_hosted(f);
    feeds_tick_followed(f);
    feeds_tick_lists(f);
    loop_end_turn(f->o.hub->options.loop);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    feeds_tick(arg);
}

struct feeds *feeds_open(const struct feeds_options *o)
{
    char name[NODE_BUS_SUBJECT];
    struct feeds *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->o = *o;
    f->out.grow = heap_text_grow;
    LIST_INIT(&f->hosted);
    LIST_INIT(&f->followed);
    snprintf(name, sizeof name, "asks.%llu", (unsigned long long)o->epoch);
    f->asks = o->listen(o->owner, name, feeds_receive_ask, f);
    f->timer = event_new(o->hub->options.loop->base, -1, EV_PERSIST, on_timer, f);
    if (!f->asks || !feeds_open_lists(f) || !feeds_open_events(f) || !f->timer) {
        feeds_close(f);
        return NULL;
    }
    if (!o->by_hand)
        event_add(f->timer, &(struct timeval){.tv_usec = FEEDS_TICK_MS * 1000});
    o->hub->feeds = f;
    return f;
}

void feeds_close(struct feeds *f)
{
    feeds_close_hosted(f);
    feeds_close_followed(f);
    feeds_close_lists(f);
    feeds_close_events(f);
    if (f->asks)
        f->o.ignore(f->o.owner, f->asks);
    if (f->timer)
        event_free(f->timer);
    f->o.hub->feeds = NULL;
    free(f->out.at);
    free(f);
}

void feeds_figures(const struct feeds *f, struct feeds_figures *out)
{
    const struct feed *hosted;
    const struct remote_match *followed;
    *out = f->figures;
    LIST_FOREACH(hosted, &f->hosted, link)
        out->hosted++;
    LIST_FOREACH(followed, &f->followed, link)
        out->followed++;
}

// --- over the node bus

static bool publish(void *owner, const char *name, struct span bytes)
{
    return node_bus_publish(owner, name, bytes);
}

static void *listen_to(void *owner, const char *name, node_bus_notice_call *call, void *who)
{
    return node_bus_subscribe(owner, name, call, who);
}

static void ignore(void *owner, void *subscription)
{
    (void)owner;
    node_bus_unsubscribe(subscription);
}

static bool is_away(void *owner)
{
    return node_bus_is_away(owner);
}

static int list_peers(void *owner, uint64_t *epochs, int room)
{
    struct store_node node[STORE_NODES];
    const struct node_bus *b = owner;
    int count = 0, all = store_list_nodes(node_bus_store(b), node, STORE_NODES);
    for (int i = 0; i < all && count < room; i++)
        if (node[i].epoch != node_bus_epoch(b) && node_bus_is_connected(b, node[i].epoch))
            epochs[count++] = node[i].epoch;
    return count;
}

static bool find_host(void *owner, struct uuid live, uint64_t *host)
{
    struct store *s = node_bus_store(owner);
    struct store_elsewhere *e = malloc(sizeof *e);
    uint64_t unanswered = store_unanswered(s);
    bool found = e && store_find_live(s, live, e);
    *host = found ? e->at.epoch : 0;
    free(e);
    return found || store_unanswered(s) == unanswered;
}

static void on_gone(void *owner, uint64_t epoch)
{
    struct hub *h = owner;
    if (h->feeds)
        feeds_end_node(h->feeds, epoch);
}

struct feeds *feeds_open_on(struct node_bus *b, struct hub *h)
{
    struct feeds_options o = {.hub = h,
                              .epoch = node_bus_epoch(b),
                              .now_ms = loop_now_ms,
                              .owner = b,
                              .publish = publish,
                              .listen = listen_to,
                              .ignore = ignore,
                              .is_away = is_away,
                              .list_peers = list_peers,
                              .find = find_host};
    struct feeds *f = feeds_open(&o);
    if (f)
        node_bus_on_node_gone(b, on_gone, h);
    return f;
}
