#include "app/serve_bus.h"

#include "net/log.h"
#include "net/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct serve_bus {
    struct loop *loop;
    struct pubsub *post;
    struct node_bus *node_bus;
    struct store *store;
    int64_t away_ms; // since when it is unreachable; 0: it is reachable
    bool is_missed;  // it was missing at the start, which was reported
};

// --- NATS

static void on_message(void *owner, const char *subject, struct span bytes)
{
    struct serve_bus *b = owner;
    if (b->node_bus)
        node_bus_receive(b->node_bus, subject, bytes);
}

// Other nodes read from this node's row whether only it has lost the bus.
static void set_away(struct serve_bus *b, bool away)
{
    struct log_line l;
    log_begin(&l, LOG_LEVEL_WARNING, away ? "bus.away" : "bus.back");
    if (!away)
        log_put_int(&l, "ms", loop_now_ms() - b->away_ms);
    log_end(&l);
    b->away_ms = away ? loop_now_ms() : 0;
    if (b->store)
        store_describe_bus(b->store, !away);
    if (b->node_bus)
        node_bus_set_away(b->node_bus, away);
    loop_end_turn(b->loop);
}

static void on_away(void *owner)
{
    set_away(owner, true);
}

static void on_back(void *owner)
{
    set_away(owner, false);
}

// A bus may start later than the server. Signals end the process meanwhile.
static void wait_for_bus(void *owner, const char *why)
{
    struct serve_bus *b = owner;
    if (!b->is_missed)
        fprintf(stderr, "agon serve: %s Waiting for it (Ctrl-C to stop).\n", why);
    b->is_missed = true;
    sleep(1);
}

struct serve_bus *serve_bus_connect(struct loop *l, const struct bus_options *o, char why[BUS_WHY])
{
    static const struct pubsub_handler handler = {.on_message = on_message, .on_away = on_away, .on_back = on_back};
    struct serve_bus *b = calloc(1, sizeof *b);
    if (!b) {
        snprintf(why, BUS_WHY, "no memory");
        return NULL;
    }
    struct pubsub_options post = {.bus = *o, .loop = l, .wait = wait_for_bus};
    b->loop = l;
    b->post = pubsub_open(&post, &handler, b, why);
    if (b->post)
        return b;
    free(b);
    return NULL;
}

// --- the transport of the node bus

static bool listen_to(void *owner, const char *subject)
{
    return pubsub_subscribe(((struct serve_bus *)owner)->post, subject);
}

static void unsubscribe(void *owner, const char *subject)
{
    pubsub_unsubscribe(((struct serve_bus *)owner)->post, subject);
}

static bool send_to(void *owner, const char *subject, struct span bytes)
{
    return pubsub_send(((struct serve_bus *)owner)->post, subject, bytes);
}

struct node_bus *serve_bus_open(struct serve_bus *b, struct hub *h, struct store *s)
{
    static const struct node_bus_transport bus = {.listen = listen_to, .ignore = unsubscribe, .send = send_to};
    struct node_bus_options o = {.hub = h, .now_ms = loop_now_ms, .bus = &bus, .owner = b};
    b->store = s;
    b->node_bus = node_bus_open(&o);
    if (b->node_bus)
        node_bus_set_away(b->node_bus, b->away_ms != 0);
    store_describe_bus(s, b->away_ms == 0);
    return b->node_bus;
}

void serve_bus_flush(struct serve_bus *b)
{
    if (b->node_bus)
        node_bus_flush(b->node_bus);
    pubsub_flush(b->post);
}

int64_t serve_bus_away_ms(const struct serve_bus *b)
{
    return b->away_ms ? loop_now_ms() - b->away_ms + 1 : 0;
}

void serve_bus_close_wire(struct serve_bus *b)
{
    if (b->node_bus)
        node_bus_close(b->node_bus);
    b->node_bus = NULL;
    b->store = NULL;
    pubsub_flush(b->post);
}

void serve_bus_close(struct serve_bus *b)
{
    pubsub_close(b->post);
    free(b);
}

// --- figures (S96)

void serve_bus_write_metrics(const struct serve_bus *b, struct text *t)
{
    struct node_bus_figures f;
    if (!b->node_bus)
        return;
    node_bus_figures(b->node_bus, &f);
    metric_put(t, "bus_away", "gauge", "Whether the bus cannot be reached", b->away_ms != 0);
    metric_put(t, "bus_absences_total", "counter", "Times that the bus went away", f.absences);
    metric_put(t, "bus_peers", "gauge", "Nodes that are heard over the bus", (uint64_t)f.peers);
    metric_put(t, "relay_players", "gauge", "Agents of other nodes that play here", f.relay.players);
    metric_put(t, "relay_frames_total", "counter", "Frames for agents of other nodes", f.relay.frames_out);
    metric_put(t, "relay_messages_total", "counter", "Messages of agents of other nodes", f.relay.says);
    metric_put(t, "relay_bundles_total", "counter", "Bundles sent to other nodes", f.relay.bundles);
    metric_put(t, "relay_repeated_total", "counter", "Entries sent again", f.relay.repeated);
    metric_put(t, "relay_gaps_total", "counter", "Gaps noticed in what another node sent", f.relay.gaps);
    metric_put(t, "relay_resets_total", "counter", "Links whose entries were lost", f.relay.resets);
    metric_put(t, "relay_dropped_total", "counter", "Bundles dropped: damaged, or of nodes that are gone",
               f.relay.lost);
}
