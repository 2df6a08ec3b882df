// A node that leaves the cluster, for good (S60, S61) or because it alone has lost the bus (S57): its matches are
// handed over, and its agents are sent to other nodes.
#include "app/arena_site.h"

#include "app/serve_bus.h"
#include "net/log.h"
#include "net/ws.h"

enum {
    CHECK_MS = 50,           // between two pieces of the work below, so that requests in between wait no longer
    MATCHES_PER_CHECK = 100, // handed over at once
    AGENTS_PER_CHECK = 25,   // 500 per second
    GIVING_MS = 10000,       // after this time agents are disconnected, whatever is left
    DRAIN_MS = 60000,        // and the process ends
    ALONE_MS = 5000,         // without the bus that others have
};

static void log_node_event(const struct arena_site *a, const char *event, int matches)
{
    struct log_line l;
    log_begin(&l, LOG_LEVEL_INFO, event);
    log_put_int(&l, "matches", matches);
    log_put_int(&l, "epoch", (int64_t)store_my_epoch(a->store));
    log_end(&l);
}

// --- for good

bool arena_site_drain(struct arena_site *a)
{
    if (a->drain_ms)
        return true;
    if (!a->node_bus || a->failed || a->away || node_bus_is_away(a->node_bus) || !lobby_has_taker(a->lobby))
        return false;
    struct lobby_figures f;
    lobby_figures(a->lobby, &f);
    log_node_event(a, "node.draining", (int)f.matches_active);
    a->drain_ms = loop_now_ms();
    lobby_drain(a->lobby, true, arena_now_ms());
    lobby_give_roles_up(a->lobby);
    if (a->tournaments)
        tournaments_resign(a->tournaments);
    hub_set_closed(a->hub, true);
    loop_end_turn(a->loop);
    return true;
}

static void continue_drain(struct arena_site *a, int64_t now_ms)
{
    struct hub_figures f;
    int64_t took_ms = now_ms - a->drain_ms;
    if (!lobby_is_draining(a->lobby)) // the operator has resumed it, too late
        lobby_drain(a->lobby, true, arena_now_ms());
    int left = a->away ? 1 : lobby_hand_over(a->lobby, MATCHES_PER_CHECK, false, arena_now_ms());
    if (left == 0 && !a->given) {
        a->given = true;
        log_node_event(a, "node.given", 0);
    }
    if (left == 0 || took_ms >= GIVING_MS)
        hub_disconnect_some(a->hub, WS_RESTART, AGENTS_PER_CHECK);
    hub_figures(a->hub, &f);
    bool is_empty = f.connections + f.spectators == 0 &&
                    ((left == 0 && relay_is_settled(node_bus_relay(a->node_bus))) || took_ms >= GIVING_MS);
    if (is_empty || took_ms >= DRAIN_MS) {
        log_node_event(a, "node.drained", left);
        loop_stop(a->loop);
    }
}

// --- without the bus

static void check_bus(struct arena_site *a)
{
    int64_t away_ms = serve_bus_away_ms(a->bus);
    arena_rest_set_bus_away(a->rest, away_ms > 0);
    lobby_set_cut_off(a->lobby, away_ms > 0);
    arena_rest_set_unready(a->rest, away_ms            ? "the node cannot reach the bus"
                                    : a->has_no_agents ? "the node takes no agents (--roles)"
                                                       : NULL);
    bool is_alone = away_ms >= ALONE_MS && (a->is_alone || lobby_has_taker(a->lobby)) && !a->away;
    if (is_alone && !a->is_alone) {
        struct lobby_figures f;
        lobby_figures(a->lobby, &f);
        log_node_event(a, "node.alone", (int)f.matches_active);
        hub_disconnect_all(a->hub, WS_RESTART);
    }
    if (is_alone != a->is_alone)
        hub_set_closed(a->hub, is_alone || a->drain_ms || a->has_no_agents);
    a->is_alone = is_alone;
    if (is_alone)
        lobby_hand_over(a->lobby, MATCHES_PER_CHECK, true, arena_now_ms());
}

// --- both

int64_t arena_site_check_drain(struct arena_site *a)
{
    int64_t now_ms = loop_now_ms();
    if (!a->node_bus || a->failed)
        return INT64_MAX;
    if (now_ms >= a->drain_check_ms) {
        a->drain_check_ms = now_ms + CHECK_MS;
        check_bus(a);
        if (a->drain_ms)
            continue_drain(a, now_ms);
    }
    return a->drain_ms || serve_bus_away_ms(a->bus) ? a->drain_check_ms : INT64_MAX;
}
