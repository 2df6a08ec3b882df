#include "app/arena_site.h"

#include "app/app.h"
#include "app/arena_games.h"
#include "app/mcp_queue.h"
#include "app/remote_players.h"
#include "app/serve_bus.h"
#include "app/serve_models.h"
#include "front/arena/feeds.h"
#include "net/log.h"
#include "net/metrics.h"
#include "net/ws.h"
#include "store/mock_remote.h"
#include "store/pg/pg.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    BATCH_US = 20000,    // with a sync of some milliseconds behind it, well within the 50 that an answer may take
    BATCH_MESSAGES = 40, // of agents in that time are many
};

static uint64_t fenced;       // times, of this process
static uint64_t lost_batches; // likewise (S73)

int64_t arena_now_ms(void)
{
    static int64_t start_ms, start_us;
    if (!start_us) {
        start_us = loop_now_us();
        start_ms = loop_unix_ms();
    }
    return start_ms + (loop_now_us() - start_us) / 1000;
}

// --- what has become durable

// F8.6: nothing is sent about what was not written; the next start continues from what is on disk.
static void stop_failed(struct arena_site *a)
{
    struct log_line l;
    if (a->failed)
        return;
    a->failed = true;
    a->fenced = store_is_fenced(a->store);
    fenced += a->fenced;
    lost_batches += store_lost_batches(a->store);
    log_begin(&l, LOG_LEVEL_ERROR,
              store_lost_batches(a->store) ? "storage.lost"
              : a->fenced                  ? "node.fenced"
                                           : "storage.failed");
    log_put_text(&l, "why", store_fault(a->store));
    if (store_lost_batches(a->store))
        log_put_int(&l, "batches", (int64_t)store_lost_batches(a->store));
    if (a->fenced)
        log_put_int(&l, "epoch", (int64_t)store_my_epoch(a->store));
    log_end(&l);
    hub_stop(a->hub, WS_RESTART);
    loop_stop(a->loop);
}

// While the store is away, nothing is accepted, and clients are told why.
static void notice_absence(struct arena_site *a)
{
    struct log_line l;
    bool is_away = store_is_away(a->store), is_new = a->away != is_away;
    const char *why = is_away ? store_absence(a->store) : "";
    if (!is_new && strncmp(why, a->absence, sizeof a->absence - 1) == 0)
        return;
    snprintf(a->absence, sizeof a->absence, "%s", why);
    log_begin(&l, LOG_LEVEL_WARNING, is_away ? "storage.away" : "storage.back");
    if (*why)
        log_put_text(&l, "why", a->absence);
    if (!is_away)
        log_put_int(&l, "ms", (loop_now_us() - a->away_us) / 1000);
    log_end(&l);
    if (!is_new)
        return; // only the reason is
    a->away = is_away;
    a->away_us = loop_now_us();
    hub_set_away(a->hub, a->away);
}

// S16: agents that this node cannot serve are disconnected, so that they go to another one. Whether this node was taken
// over is known only when the store is back.
static void send_agents_away(struct arena_site *a)
{
    bool long_away = a->away && a->lease_us && loop_now_us() - a->away_us >= a->lease_us;
    if (long_away && !a->sent_away)
        hub_disconnect_all(a->hub, WS_RESTART);
    a->sent_away = long_away;
}

static void put_id(struct log_line *l, const char *key, struct uuid id)
{
    char text[UUID_TEXT + 1] = "";
    uuid_format(text, id);
    log_put_text(l, key, text);
}

// S97: with match and epoch.
static void log_node_news(const struct arena_site *a, const struct store_news *n)
{
    static const char *const names[] = {[STORE_NEWS_ADOPT] = "match.adopted",      [STORE_NEWS_WANTED] = "match.wanted",
                                        [STORE_NEWS_TAKEOVER] = "node.taken_over", [STORE_NEWS_JOINED] = "node.joined",
                                        [STORE_NEWS_GONE] = "node.gone",           [STORE_NEWS_ROLE] = "node.role"};
    struct log_line l;
    if ((size_t)n->kind >= sizeof names / sizeof *names || !names[n->kind])
        return;
    log_begin(&l, n->kind == STORE_NEWS_TAKEOVER ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, names[n->kind]);
    if (!uuid_is_none(n->match))
        put_id(&l, "match", n->match);
    if (n->name[0])
        log_put_text(&l, n->kind == STORE_NEWS_ROLE ? "role" : "node", n->name);
    if (n->kind == STORE_NEWS_ROLE)
        log_put_int(&l, "term", (int64_t)n->count);
    if (n->kind == STORE_NEWS_TAKEOVER) {
        log_put_int(&l, "matches", (int64_t)n->count);
        log_put_int(&l, "silent_ms", n->ms);
    }
    log_put_int(&l, "epoch", (int64_t)(n->epoch ? n->epoch : store_my_epoch(a->store)));
    log_end(&l);
}

// S63, S97.
static void log_unknown_rules(void *owner, const struct store_match *m, uint64_t to)
{
    struct log_line l;
    (void)owner;
    log_begin(&l, to ? LOG_LEVEL_WARNING : LOG_LEVEL_ERROR, to ? "match.refused" : "match.unknown_rules");
    put_id(&l, "match", m->id);
    log_put_text(&l, "game", m->game);
    log_put_text(&l, "why",
                 to ? "this program does not have the rules or the format of the match; another node gets it"
                    : "no node has the rules or the format of the match; it is cancelled");
    if (to)
        log_put_int(&l, "epoch", (int64_t)to);
    log_end(&l);
}

// Without a bus its agents never meet those of other nodes: most likely the option was forgotten.
static void warn_without_bus(struct arena_site *a)
{
    struct store_node node[STORE_NODES];
    struct log_line l;
    if (a->node_bus || a->warned || !store_is_shared(a->store) || loop_now_us() - a->looked_us < 1000000)
        return;
    a->looked_us = loop_now_us();
    int count = store_list_nodes(a->store, node, STORE_NODES);
    for (int i = 0; i < count && !a->warned; i++)
        if (node[i].has_bus && node[i].epoch != store_my_epoch(a->store)) {
            a->warned = true;
            log_begin(&l, LOG_LEVEL_WARNING, "node.without_bus");
            log_put_text(&l, "node", node[i].name);
            log_put_text(&l, "why",
                         "other nodes have a bus and this one has none, so its agents meet only each other; "
                         "give it --bus");
            log_end(&l);
        }
}

static void apply_node_news(struct arena_site *a)
{
    struct store_news news;
    while (store_take_news(a->store, &news)) {
        log_node_news(a, &news);
        if (a->node_bus)
            node_bus_apply_news(a->node_bus, &news);
        lobby_apply_news(a->lobby, &news, arena_now_ms());
    }
}

static void collect_durable(struct arena_site *a)
{
    store_ticket durable = 0;
    if (a->failed)
        return;
    int err = store_collect(a->store, &durable);
    if (a->timed && durable >= a->timed) {
        arena_rest_note_commit(a->rest, loop_now_us() - a->timed_us);
        a->timed = 0;
    }
    a->durable_ticket = durable;
    notice_absence(a);
    send_agents_away(a);
    lobby_collect(a->lobby, arena_now_ms());
    if (err == OK)
        apply_node_news(a);
    warn_without_bus(a);
    hub_release(a->hub, durable);
    arena_rest_release(a->rest, durable);
    remote_players_release(a->remote, durable);
    mcp_queue_release(a->queue, durable);
    if (err != OK)
        stop_failed(a);
}

static void on_durable(void *owner)
{
    struct arena_site *a = owner;
    collect_durable(a);
    loop_end_turn(a->loop);
}

static void on_durable_event(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    on_durable(arg);
}

// --- time

static void set_timer(struct arena_site *a)
{
    int64_t lobby_ms = lobby_next_due(a->lobby), rest_ms = arena_rest_next_due(a->rest);
    int64_t due_ms = lobby_ms < rest_ms ? lobby_ms : rest_ms;
    if (a->node_bus) {
        int64_t drain_check_ms = arena_site_check_drain(a), wire_ms = node_bus_due(a->node_bus);
        wire_ms = drain_check_ms < wire_ms ? drain_check_ms : wire_ms;
        int64_t left_ms = wire_ms - loop_now_ms();
        if (wire_ms != INT64_MAX && (wire_ms == INT64_MIN || arena_now_ms() + left_ms < due_ms))
            due_ms = arena_now_ms() + (wire_ms == INT64_MIN || left_ms < 0 ? 0 : left_ms);
    }
    if (due_ms == a->timer_ms && event_pending(a->timer, EV_TIMEOUT, NULL))
        return;
    a->timer_ms = due_ms;
    if (due_ms == INT64_MAX) {
        event_del(a->timer);
        return;
    }
    int64_t left_ms = due_ms - arena_now_ms();
    if (left_ms < 0)
        left_ms = 0;
    event_add(a->timer, &(struct timeval){left_ms / 1000, left_ms % 1000 * 1000});
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct arena_site *a = arg;
    int64_t now_ms = arena_now_ms();
    if (lobby_next_due(a->lobby) <= now_ms)
        lobby_tick(a->lobby, now_ms);
    if (arena_rest_next_due(a->rest) <= now_ms)
        arena_rest_tick(a->rest, now_ms);
    loop_end_turn(a->loop);
}

// --- many messages at once

// The effects of an action are sent once it is durable, and a commit takes some milliseconds however small it is. So
// when many agents send messages, some dozens are read in one turn and their actions are committed together; in
// between, only the store is polled. A message on its own is handled at once.
static void batch_messages(struct arena_site *a)
{
    struct hub_figures f;
    int64_t now_us = loop_now_us();
    hub_figures(a->hub, &f);
    if (now_us >= a->batch_us) {
        bool in_time = now_us < a->batch_us + BATCH_US;
        a->crowded = in_time && f.messages_in - a->batch_from >= BATCH_MESSAGES;
        a->batch_from = f.messages_in;
        a->batch_us = now_us + BATCH_US;
    }
    if (a->crowded)
        loop_pause_until(a->loop, a->batch_us, store_descriptor(a->store), on_durable, a);
}

static void log_damage(struct arena_site *a)
{
    struct log_line l;
    a->damaged = true;
    log_begin(&l, LOG_LEVEL_ERROR, "storage.damaged");
    log_put_text(&l, "why", store_damage(a->store));
    log_end(&l);
}

static void on_turn_end(void *owner)
{
    struct arena_site *a = owner;
    if (!a->damaged && store_damages(a->store))
        log_damage(a);
    hub_flush(a->hub);
    remote_players_flush(a->remote);
    mcp_queue_flush(a->queue);
    if (!a->timed && store_last(a->store) > a->durable_ticket) {
        a->timed = store_last(a->store);
        a->timed_us = loop_now_us();
    }
    store_submit(a->store);
    if (a->bus)
        serve_bus_flush(a->bus);
    set_timer(a);
    batch_messages(a);
}

// --- figures

// S96. SQLite has no nodes.
static void write_node_metrics(const struct arena_site *a, struct text *t)
{
    struct store_node_figures n;
    if (!store_is_shared(a->store))
        return;
    store_count_node(a->store, &n);
    metric_put(t, "node_epoch", "gauge", "Epoch of this life of the node", n.epoch);
    metric_put(t, "node_batches_total", "counter", "Batches that are durable, in this epoch", n.batches);
    metric_put(t, "node_batch_age_ms", "gauge", "Time since the last batch was confirmed", (uint64_t)n.batch_age_ms);
    metric_put(t, "node_takeovers_total", "counter", "Nodes that this one took over", n.takeovers);
    metric_put(t, "node_adopted_total", "counter", "Matches adopted from other nodes", n.adopted);
    metric_put(t, "node_handed_over_total", "counter", "Matches given to other nodes", n.handed_over);
    metric_put(t, "node_fenced_total", "counter", "Times that this process was taken over and joined again", fenced);
    metric_put(t, "store_lost_batches", "counter", "Batches that the store had confirmed and came back without",
               lost_batches);
    metric_put(t, "node_roles", "gauge", "Roles that this node holds", (uint64_t)n.roles);
    metric_put(t, "node_begins_refused_place_total", "counter", "Matches refused: a player had no place left",
               n.begins_refused[STORE_NO_PLACE]);
    metric_put(t, "node_begins_refused_term_total", "counter", "Matches refused: the role has passed on",
               n.begins_refused[STORE_TERM_OVER]);
    metric_put(t, "node_begins_refused_before_total", "counter", "Matches refused: begun before",
               n.begins_refused[STORE_BEGAN_BEFORE]);
    metric_put(t, "node_finishes_refused_total", "counter", "Results computed again: a rating had moved",
               n.finishes_refused);
    metric_put(t, "node_clock_ms", "gauge", "Distance of this machine's clock from the store's",
               (uint64_t)(n.clock_ms < 0 ? -n.clock_ms : n.clock_ms));
}

static void write_mesh_metrics(const struct arena_site *a, struct text *t)
{
    struct lobby_mesh_figures f;
    if (!a->mesh.node_bus)
        return;
    lobby_mesh_figures(a->lobby, &f);
    metric_put(t, "matchmaker_games", "gauge", "Games whose matchmaker this node is", (uint64_t)f.ours);
    metric_put(t, "matchmaker_agents", "gauge", "Agents of other nodes that wait here", (uint64_t)f.remote);
    metric_put(t, "matchmaker_far", "gauge", "Agents of this node that wait for another one's matchmaker",
               (uint64_t)f.elsewhere);
}

static void write_metrics(void *owner, struct text *t)
{
    const struct arena_site *a = owner;
    struct hub_figures f;
    hub_figures(a->hub, &f);
    write_node_metrics(a, t);
    if (a->bus)
        serve_bus_write_metrics(a->bus, t);
    write_mesh_metrics(a, t);
    metric_put(t, "tournaments_running", "gauge", "Tournaments being played",
               (uint64_t)tournaments_count_running(a->tournaments));
    metric_put(t, "ws_waiting", "gauge", "Agents that wait to be let in (--connect-rate)", f.at_door);
    metric_put(t, "ws_delayed_total", "counter", "Agents that waited to be let in", f.delayed);
    metric_put(t, "ws_connections", "gauge", "Connections of agents and spectators", f.connections + f.spectators);
    metric_put(t, "ws_opened_total", "counter", "Connections opened", f.opened);
    metric_put(t, "ws_refused_total", "counter", "Connections refused at the door", f.refused);
    metric_put(t, "ws_dropped_total", "counter", "Connections dropped: silent, or too slow to read", f.dropped);
    metric_put(t, "ws_messages_in_total", "counter", "Messages from agents", f.messages_in);
    metric_put(t, "ws_messages_out_total", "counter", "Messages to agents and spectators", f.messages_out);
    metric_put(t, "ws_bytes_in_total", "counter", "Bytes of messages from agents", f.bytes_in);
    metric_put(t, "ws_bytes_out_total", "counter", "Bytes of messages to agents and spectators", f.bytes_out);
}

// --- opening and closing

static void on_drain(void *owner, uint64_t from, struct span name)
{
    struct arena_site *a = owner;
    (void)from;
    if (span_is(name, a->node))
        arena_site_drain(a);
}

// The message to another node may be lost: the operator's client repeats the request until the node drains.
static int drain_node(void *owner, struct span name)
{
    struct arena_site *a = owner;
    struct store_node node[STORE_NODES];
    int count = store_list_nodes(a->store, node, STORE_NODES), at = 0;
    while (at < count && !span_is(name, node[at].name))
        at++;
    if (at == count)
        return ERR_UNKNOWN;
    if (!a->node_bus)
        return ERR_RANGE;
    if (node[at].epoch == store_my_epoch(a->store))
        return arena_site_drain(a) ? 1 : ERR_RANGE;
    node_bus_announce(a->node_bus, NODE_BUS_DRAIN, name);
    return node[at].state == STORE_DRAINS;
}

static unsigned roles; // of this process

static bool may_hold(const char *role)
{
    unsigned needs = strncmp(role, "mm:", 3) == 0     ? ROLE_MATCHMAKER
                     : strncmp(role, "tour:", 5) == 0 ? ROLE_DIRECTOR
                     : strcmp(role, "sweep") == 0     ? ROLE_SWEEPER
                                                      : 0;
    return (roles & needs) == needs;
}

static void fill_store(const struct arena_site *a, const struct arena_settings *s, const char *folder,
                       struct store_options *o)
{
    store_defaults(o);
    o->folder = folder;
    o->url = s->store;
    o->engine = s->store ? &store_pg : NULL;
    o->takes_over = true;
    o->node = s->node;
    o->needs_standby = s->require_standby;
    o->lease_ms = s->lease_ms;
    o->hosts_nothing = !(s->roles & ROLE_HOST);
    roles = s->roles;
    o->may_hold = may_hold;
    o->address = s->rest.public_url ? s->rest.public_url : s->rest.address;
    o->games = arena_game_names();
    o->now_ms = arena_now_ms();
    o->margin_bytes = s->disk_margin_mib << 20;
    o->work = loop_work(a->loop);
}

// A database may start later than the server, or be failing over. Signals end the process meanwhile.
static void wait_for_store(const struct store_options *o)
{
    char why[512] = "", said[512] = "";
    for (; o->url && pg_may_come(o, why, sizeof why); sleep(1)) {
        if (strcmp(why, said) != 0)
            fprintf(stderr, "agon serve: %s; waiting for it (Ctrl-C to stop)\n", why);
        memcpy(said, why, sizeof said);
    }
}

static int open_store(struct arena_site *a, const struct store_options *o)
{
    char why[512], now[512];
    while (!(a->store = store_open(o, why, sizeof why)) && o->url && pg_may_come(o, now, sizeof now))
        wait_for_store(o);
    if (!a->store)
        fprintf(stderr, "agon serve: %s\n", why);
    return a->store ? APP_DONE : APP_USAGE;
}

static int do_tournament_request(void *owner, const struct lobby_tournament_request *w,
                                 char said[LOBBY_TOURNAMENT_ERROR_ROOM])
{
    return tournaments_execute(owner, w, said);
}

static void open_tournaments(struct arena_site *a, const struct arena_settings *s, const char *folder)
{
    struct tournaments_options o;
    tournaments_defaults(&o);
    snprintf(a->tournaments_folder, sizeof a->tournaments_folder, "%s/tournaments", folder);
    o.loop = a->loop;
    o.lobby = a->lobby;
    o.games = arena_tournament_games();
    o.folder = a->tournaments_folder;
    o.now_ms = arena_now_ms;
    o.max_running = s->roles & ROLE_DIRECTOR || s->store ? s->tournaments : 0; // another node may direct it
    o.max_games = (uint64_t)s->tournament_games;
    if (s->store) {
        serve_tournaments_open(&a->tournament_nodes, a->lobby, a->loop);
        o.nodes = &a->tournament_nodes.nodes;
    }
    a->tournaments = tournaments_open(&o);
    if (a->tournaments)
        lobby_on_tournament_request(a->lobby, do_tournament_request, a->tournaments);
}

static void open_parts(struct arena_site *a, const struct arena_settings *s, const char *folder)
{
    struct lobby_options lobby = s->lobby;
    struct hub_options hub = s->hub;
    hub.limit_loopback = s->rest.limit_loopback;
    struct arena_rest_options rest = s->rest;
    lobby.games = arena_games();
    lobby.hosts_nothing = !(s->roles & ROLE_HOST);
    lobby.work = rest.work = loop_work(a->loop);
    lobby.models = serve_models_minds(a->models);
    a->lobby = lobby_open(&lobby, a->store, arena_now_ms());
    lobby_on_unknown_rules(a->lobby, log_unknown_rules, a);
    serve_models_start(a->models, a->lobby);
    open_tournaments(a, s, folder);
    hub.loop = a->loop;
    hub.lobby = rest.lobby = a->lobby;
    rest.tournaments = a->tournaments;
    hub.now_ms = rest.now_ms = arena_now_ms;
    hub.origins = arena_settings_origins(s);
    hub.relays = a->bus != NULL;
    hub.lease_ms = a->lease_us / 1000;
    rest.drain_node = drain_node;
    rest.write_metrics = write_metrics;
    rest.metrics_owner = a;
    a->hub = hub_open(&hub);
    a->rest = arena_rest_open(&rest);
    struct remote_players_options remote = {
        .loop = a->loop, .lobby = a->lobby, .now_ms = arena_now_ms, .health_every_ms = (int)s->health_every_ms};
    seat_options_init(&remote.seats);
    remote.seats.decide_ms = (int)s->lobby.turn_timeout_ms; // F4.8: the clock of the arena is the one that counts
    a->remote = remote_players_open(&remote);
    a->queue = mcp_queue_open(a->loop, a->lobby, arena_now_ms);
    if (!a->tournaments || !a->hub || !a->rest || !a->remote || !a->queue)
        app_die("no memory");
    if (a->bus && !(a->node_bus = serve_bus_open(a->bus, a->hub, a->store)))
        app_die("no memory");
    a->has_no_agents = !(s->roles & ROLE_GATEWAY);
    hub_set_closed(a->hub, a->has_no_agents);
    if (!a->node_bus)
        return;
    mcp_queue_join_nodes(a->queue, node_bus_relay(a->node_bus));
    node_bus_on_notice(a->node_bus, NODE_BUS_DRAIN, on_drain, a);
    a->mesh =
        (struct serve_mesh){.lobby = a->lobby, .store = a->store, .node_bus = a->node_bus, .now_ms = arena_now_ms};
    serve_mesh_open(&a->mesh);
    if (!(a->feeds = feeds_open_on(a->node_bus, a->hub)))
        app_die("no memory");
    arena_rest_join(a->rest, a->node_bus, a->feeds);
}

// Before the store is opened: a node that has joined the cluster must not wait for its bus.
static int connect_bus(struct arena_site *a, const struct arena_settings *s)
{
    char why[BUS_WHY];
    if (!s->bus)
        return APP_DONE;
    a->bus = serve_bus_connect(a->loop, &s->bus_options, why);
    if (!a->bus)
        fprintf(stderr, "agon serve: %s\n", why);
    return a->bus ? APP_DONE : APP_USAGE;
}

static void close_bus(struct arena_site *a)
{
    if (a->bus)
        serve_bus_close(a->bus);
    a->bus = NULL;
}

static int open_models(struct arena_site *a, const struct arena_settings *s)
{
    char why[ENDPOINT_WHY];
    struct serve_models_options o = {
        .loop = a->loop, .house = s->house, .count = s->house_count, .llm = s->llm, .now_ms = arena_now_ms};
    a->models = serve_models_open(&o, why);
    if (why[0])
        fprintf(stderr, "agon serve: %s\n", why);
    return why[0] ? APP_USAGE : APP_DONE;
}

int arena_site_check_models(struct loop *l, const struct arena_settings *s)
{
    struct arena_site a = {.loop = l};
    int status = open_models(&a, s);
    serve_models_close(a.models);
    return status;
}

// In test builds only: the store behaves like a remote one.
static void try_store(struct arena_site *a, const struct arena_settings *s)
{
#ifdef AGON_TRIALS
    const char *script = getenv("AGON_TEST_STORE");
    if (script && !s->store)
        store_set_mock_file(a->store, script);
#else
    (void)a, (void)s;
#endif
}

// In test builds only: pretends once that the store went away while it was read.
static bool is_unanswered(const struct arena_site *a)
{
#ifdef AGON_TRIALS
    static bool tried;
    if (getenv("AGON_TEST_UNANSWERED") && !tried)
        return tried = true;
#endif
    return store_unanswered(a->store) > 0;
}

// Locks the folder of a node; SQLite locks its own. The lock is held until the process ends, also while the node joins
// again.
static bool lock_folder(const char *folder)
{
    static int held = -1;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/node.lock", folder);
    if (held < 0)
        held = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return held < 0 || flock(held, LOCK_EX | LOCK_NB) == 0;
}

// Sets `unanswered` if the store went away while it was read: unread data must not be taken for missing.
static int open_once(struct arena_site *a, struct loop *l, const struct arena_settings *s, const char *folder,
                     bool *unanswered)
{
    *unanswered = false;
    if (s->store && !lock_folder(folder)) {
        fprintf(stderr, "agon serve: %s is the data folder of another server; give each its own with --data\n", folder);
        return APP_USAGE;
    }
    *a = (struct arena_site){
        .loop = l, .timer_ms = INT64_MAX, .lease_us = s->node ? (int64_t)s->lease_ms * 1000 : 0, .node = s->node};
    if (open_models(a, s) != APP_DONE)
        return APP_USAGE;
    struct store_options store;
    fill_store(a, s, folder, &store);
    wait_for_store(&store);
    if (connect_bus(a, s) != APP_DONE || open_store(a, &store) != APP_DONE) {
        close_bus(a);
        serve_models_close(a->models);
        return APP_USAGE;
    }
    open_parts(a, s, folder);
    a->durable = event_new(l->base, store_descriptor(a->store), EV_READ | EV_PERSIST, on_durable_event, a);
    a->timer = event_new(l->base, -1, 0, on_timer, a);
    if (is_unanswered(a)) {
        *unanswered = true;
        arena_site_close(a);
        return APP_USAGE;
    }
    try_store(a, s);
    store_submit(a->store); // what resuming has put must last before anybody hears of it
    store_wait(a->store);
    event_add(a->durable, NULL);
    loop_add_hook(l, on_turn_end, a);
    collect_durable(a);
    if (a->failed) { // what resuming has put cannot be written: it could not serve anybody
        fprintf(stderr,
                s->store ? "agon serve: %.0s%s\n" : "agon serve: %s/agon.db: %s; free space, or restore a backup\n",
                folder, store_fault(a->store));
        arena_site_close(a);
        return APP_USAGE;
    }
    loop_end_turn(l);
    return APP_DONE;
}

// S75: if the store goes away while it is opened, waits for it as at the start.
int arena_site_open(struct arena_site *a, struct loop *l, const struct arena_settings *s, const char *folder)
{
    bool unanswered;
    int status = open_once(a, l, s, folder, &unanswered);
    while (unanswered) {
        fprintf(stderr, "agon serve: PostgreSQL stopped answering while the arena was opened; trying again\n");
        status = open_once(a, l, s, folder, &unanswered);
    }
    return status;
}

void arena_site_reload(struct arena_site *a, const struct arena_settings *s)
{
    struct hub_options hub = s->hub;
    hub.limit_loopback = s->rest.limit_loopback;
    lobby_reload(a->lobby, &s->lobby);
    hub_reload(a->hub, &hub);
    arena_rest_reload(a->rest, &s->rest);
}

bool arena_site_request(struct arena_site *a, struct http_request *r)
{
    struct span path = http_path(r);
    loop_end_turn(a->loop);
    if (span_is(path, "/api/ws")) {
        hub_agent_request(a->hub, r);
        return true;
    }
    if (span_is(path, "/api/ws/spectator")) {
        hub_spectator_request(a->hub, r);
        return true;
    }
    return arena_rest_request(a->rest, r);
}

void arena_site_missing(struct arena_site *a, struct http_request *r)
{
    arena_rest_missing(a->rest, r);
}

void arena_site_gone(struct arena_site *a, struct http_request *r)
{
    arena_rest_disconnected(a->rest, r);
}

void arena_site_stop(struct arena_site *a)
{
    if (a->feeds)
        feeds_give_up(a->feeds);
    lobby_end_waits(a->lobby);
    store_submit(a->store);
    if (!a->failed) {
        store_wait(a->store);
        collect_durable(a);
    }
    hub_stop(a->hub, WS_RESTART);
}

void arena_site_close(struct arena_site *a)
{
    loop_remove_hook(a->loop, a);
    event_free(a->durable);
    event_free(a->timer);
    remote_players_close(a->remote);
    mcp_queue_close(a->queue);
    arena_rest_close(a->rest);
    lobby_on_tournament_request(a->lobby, NULL, NULL);
    tournaments_close(a->tournaments);
    serve_mesh_close(&a->mesh);
    if (a->feeds)
        feeds_close(a->feeds);
    if (a->bus)
        serve_bus_close_wire(a->bus);
    hub_close(a->hub);
    lobby_close(a->lobby);
    serve_models_close(a->models);
    store_close(a->store);
    close_bus(a);
}
