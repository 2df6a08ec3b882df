// Announcements between nodes: heavy clients and changed records (S27, S46).
#include "cluster/feed.h"
#include "front/arena/feeds.h"
#include "front/arena/rest_internal.h"

// HEAVY_EVERY_MS: within it every node may still let a client through on its own (limits.c remembers the debt).
enum { HEAVY_EVERY_MS = 1000, HEAVY_BYTES = 16, HEAVY_MOST = NODE_BUS_NOTICE_MOST / HEAVY_BYTES };

// --- heavy clients: 8 bytes of who, 4 of the time that was counted, 4 of the class, little endian

void rest_publish_heavy(struct arena_rest *rest, int64_t now_ms)
{
    struct limits_heavy heavy[HEAVY_MOST];
    char bytes[NODE_BUS_NOTICE_MOST];
    struct text t = text_on(bytes, sizeof bytes);
    int count = limits_take_report(&rest->limits, now_ms, heavy, HEAVY_MOST);
    rest->heavy_ms = now_ms + HEAVY_EVERY_MS;
    for (int i = 0; i < count; i++) {
        feed_put_number(&t, heavy[i].who, 8);
        feed_put_number(&t, heavy[i].ms, 4);
        feed_put_number(&t, heavy[i].kind, 4);
    }
    if (count)
        node_bus_announce(rest->node_bus, NODE_BUS_HEAVY, text_span(&t));
}

static void receive_heavy(void *owner, uint64_t from, struct span bytes)
{
    struct arena_rest *rest = owner;
    (void)from;
    while (bytes.size >= HEAVY_BYTES) {
        struct limits_heavy heavy = {.who = feed_take_number(&bytes, 8)};
        heavy.ms = (uint32_t)feed_take_number(&bytes, 4);
        heavy.kind = (uint32_t)feed_take_number(&bytes, 4);
        limits_apply_report(&rest->limits, &heavy, rest->options.now_ms());
    }
}

// --- changed records: nodes see them in the store within two seconds, or at once after an announcement

void rest_note_change(struct rest_call *c)
{
    if (c->rest->node_bus)
        c->rest->changed = lobby_ticket(c->rest->lobby);
}

void rest_publish_changes(struct arena_rest *rest)
{
    rest->changed = 0;
    node_bus_announce(rest->node_bus, NODE_BUS_CHANGE, (struct span){0});
}

static void receive_change(void *owner, uint64_t from, struct span bytes)
{
    struct arena_rest *rest = owner;
    (void)from, (void)bytes;
    store_poll_soon(rest->store);
}

void arena_rest_join(struct arena_rest *rest, struct node_bus *b, struct feeds *f)
{
    rest->node_bus = b;
    rest->feeds = f;
    rest->heavy_ms = rest->options.now_ms() + HEAVY_EVERY_MS;
    node_bus_on_notice(b, NODE_BUS_HEAVY, receive_heavy, rest);
    node_bus_on_notice(b, NODE_BUS_CHANGE, receive_change, rest);
    feeds_set_writer(f, rest_write_live_rows, rest);
    feeds_set_events_writer(f, rest_write_live_events, rest);
}
