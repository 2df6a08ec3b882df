// How several nodes cooperate through the store alone (S13 to S27): matches of a node that is gone are adopted, a match
// moves to the node of its players, records changed elsewhere are read again, and one node does the upkeep.
#include "lobby/agent_cache.h"

#include "match/replay.h"
#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

// S63: a match whose rules a node lacks is passed on at most so often within this time, so that it does not go round
// for ever.
enum { UNKNOWN_MS = 60000, UNKNOWN_TIMES = 3 };
enum {
    LEFT_MS = 5000,    // between two checks for what ended nodes have left
    COUNT_MS = 1000,   // an agent's matches elsewhere are counted at most this often
    STRAY_MS = 10000,  // an agent whose match is elsewhere is disconnected after this time, so that it finds its match
    STRAYS_MS = 2000,  // between two checks for such agents
    SOUGHT_MS = 10000, // an absent player is looked for at other nodes at most this often
    CENSUS_MS = 30000, // between two comparisons with the store's list of connected agents
    ENDS_AT_ONCE = 8,  // reads of ends that a dead node may have left; thousands at once would delay all other reads
};
static const char sweeper[] = "sweep";

// --- adopting a match (S58)

// Owned by its job. Its agents are kept until it ends, so that none is evicted while others are read.
struct adoption {
    struct lobby *lobby;
    struct uuid match;
    struct store_match record;
    struct pieces pieces;
    // Not OK: the log is damaged, and resume_read cancels the match (F8.6).
    int err;        // result of reading them
    int state_size; // size of the state handed over with it (handover.c); 0: none
    char state[STORE_HANDOVER];
    struct lobby_agent *agent[STORE_SEATS];
};

static void release_agents(struct adoption *x)
{
    for (int i = 0; i < x->record.seats; i++)
        if (x->agent[i])
            lobby_agent_release(x->agent[i]);
    memset(x->agent, 0, sizeof x->agent);
}

static void load_agents(struct adoption *x)
{
    struct lobby *l = x->lobby;
    for (int i = 0; i < x->record.seats; i++) {
        struct lobby_agent *a = lobby_agent_by_id(l, x->record.seat[i].agent);
        if (!a)
            continue;
        lobby_agent_hold(a);
        x->agent[i] = a;
        lobby_agent_load(l, a, l->now_ms);
    }
}

// Reads everything before anything is changed. Returns false if the store did not answer.
static bool load_match(struct adoption *x)
{
    struct lobby *l = x->lobby;
    uint64_t unanswered = store_unanswered(l->store);
    bool found = store_find_match(l->store, x->match, &x->record);
    if (!found || x->record.status != STORE_RUNNING) {
        x->record.seats = 0; // nothing to adopt
        return store_unanswered(l->store) == unanswered;
    }
    x->err = pieces_read(&x->pieces, l->store, x->match);
    x->state_size = store_find_handover(l->store, x->match, x->state);
    deals_learn(l, x->record.deal);
    load_agents(x);
    if (store_unanswered(l->store) == unanswered)
        return true;
    pieces_release(&x->pieces);
    release_agents(x);
    return false;
}

static void resume_match(struct adoption *x)
{
    struct lobby *l = x->lobby;
    for (int i = 0; i < x->record.seats; i++)
        if (x->agent[i] && x->agent[i]->elsewhere > 0)
            x->agent[i]->elsewhere--;
    store_mark_adopted(l->store, x->match);
    bool were_synced[STORE_SEATS] = {0};
    // Players connected here are synced afterwards, as after a reconnect, not while the match is being resumed.
    for (int i = 0; i < x->record.seats; i++)
        if (x->agent[i]) {
            were_synced[i] = x->agent[i]->synced;
            x->agent[i]->synced = false;
        }
    struct live_match *b = resume_read(l, &x->record, &x->pieces, x->err, l->now_ms);
    for (int i = 0; i < x->record.seats; i++)
        if (were_synced[i])
            x->agent[i]->synced = true;
    if (b && !handover_take(l, b, (struct span){x->state, (size_t)x->state_size})) {
        b->adopted = true;
        presence_catch_up(l, b, l->now_ms);
    }
    for (int i = 0; i < x->record.seats && !b; i++)
        if (were_synced[i])
            results_send_missed(x->agent[i], l->now_ms);
}

// --- finding players who are connected to another node, over the bus (S43)

struct search {
    struct lobby *lobby;
    int count, room;
    struct uuid *agent;
};

static void add_missing(struct search *x, struct lobby_agent *a)
{
    struct lobby *l = x->lobby;
    if (is_online(a) || (a->sought_ms && l->now_ms - a->sought_ms < SOUGHT_MS))
        return;
    if (x->count == x->room) {
        x->room = x->room ? 2 * x->room : 16;
        x->agent = lobby_realloc(x->agent, (size_t)x->room * sizeof *x->agent);
    }
    a->sought_ms = l->now_ms;
    x->agent[x->count++] = a->record.id;
}

// Gathered before the reads, because the list of matches may change during them.
static void find_missing(struct search *x)
{
    for (const struct live_match *b = x->lobby->running; b; b = b->older)
        for (int i = 0; i < b->record.seats && !b->over; i++)
            if (!b->seat[i].house && !b->record.seat[i].dropped && b->seat[i].agent)
                add_missing(x, b->seat[i].agent);
}

static void run_search(void *arg)
{
    struct search *x = arg;
    struct lobby *l = x->lobby;
    for (int i = 0; i < x->count && !l->closing; i++) {
        struct store_presence p;
        bool found = store_find_presence(l->store, x->agent[i], &p);
        const struct lobby_agent *a = lobby_find_agent(l, x->agent[i]);
        if (found && a && !is_online(a) && !l->closing && l->peers && p.epoch != store_my_epoch(l->store))
            l->peers->call(l->peers_owner, x->agent[i], p.conn, p.epoch);
    }
    free(x->agent);
    free(x);
}

static void seek_missing_players(struct lobby *l)
{
    if (!l->peers)
        return;
    struct search *x = lobby_alloc(sizeof *x);
    x->lobby = l;
    find_missing(x);
    if (x->count)
        work_start(l->o.work, run_search, x);
    else
        free(x);
}

void lobby_set_peers(struct lobby *l, const struct lobby_peers *peers, void *owner, int64_t now_ms)
{
    l->now_ms = now_ms;
    l->peers = peers;
    l->peers_owner = owner;
    seek_missing_players(l);
}

void lobby_seek_players(struct lobby *l, int64_t now_ms)
{
    l->now_ms = now_ms;
    for (const struct live_match *b = l->running; b; b = b->older)
        for (int i = 0; i < b->record.seats; i++)
            if (b->seat[i].agent)
                b->seat[i].agent->sought_ms = 0;
    seek_missing_players(l);
}

// --- a match whose rules this node does not have (S63)

// A damaged log is not a matter of rules (F8.6), so it counts as known.
static bool knows_rules(const struct lobby *l, const struct adoption *x)
{
    const struct lobby_game *g = lobby_find_game(l, span_of(x->record.game));
    struct replay_reader *r = lobby_alloc(sizeof *r);
    int err = x->err == OK ? replay_open(r, text_span(&x->pieces.log)) : x->err;
    bool known = g && err != ERR_VERSION && (err != OK || r->head.rules_version == game_of(g)->version);
    free(r);
    return known;
}

// The next node in order of epochs, so that every node is tried before one is tried again.
static uint64_t find_next_node(const struct lobby *l)
{
    struct store_node node[STORE_NODES];
    uint64_t me = store_my_epoch(l->store), next = 0, first = 0;
    int nodes = store_list_nodes(l->store, node, STORE_NODES);
    for (int i = 0; i < nodes; i++) {
        uint64_t epoch = node[i].epoch;
        if (epoch == me || node[i].state != STORE_SERVES)
            continue;
        if (epoch > me && (!next || epoch < next))
            next = epoch;
        if (!first || epoch < first)
            first = epoch;
    }
    return next ? next : first;
}

// How often it was refused here recently, this time included.
static int count_refusals(struct lobby *l, struct uuid match)
{
    struct lobby_unknown_rules *at = &l->unknown[l->unknowns % LOBBY_UNKNOWNS];
    for (int i = 0; i < LOBBY_UNKNOWNS; i++)
        if (uuid_equals(l->unknown[i].match, match) && l->now_ms - l->unknown[i].since_ms < UNKNOWN_MS)
            return ++l->unknown[i].times;
    l->unknowns++;
    *at = (struct lobby_unknown_rules){.match = match, .since_ms = l->now_ms, .times = 1};
    return 1;
}

// Returns true if another node has it now; false if there is none, or all have refused.
static bool pass_to_next_node(struct lobby *l, const struct adoption *x)
{
    uint64_t to = count_refusals(l, x->match) <= UNKNOWN_TIMES ? find_next_node(l) : 0;
    if (l->unknown_call)
        l->unknown_call(l->unknown_owner, &x->record, to);
    if (to)
        store_hand_over(l->store, x->match, to, (struct span){x->state, (size_t)x->state_size});
    return to != 0;
}

void lobby_on_unknown_rules(struct lobby *l, void (*call)(void *owner, const struct store_match *m, uint64_t to),
                            void *owner)
{
    l->unknown_call = call;
    l->unknown_owner = owner;
}

static void run_adoption(void *arg)
{
    struct adoption *x = arg;
    struct lobby *l = x->lobby;
    bool known;
    while (!(known = load_match(x)) && !l->closing && work_is_inside(l->o.work))
        work_wait_turn(l->o.work); // the store is away: a read waits for it
    bool wanted = known && x->record.seats && !l->closing && !lobby_is_playing(l, x->match);
    if (wanted && (knows_rules(l, x) || !pass_to_next_node(l, x))) {
        resume_match(x);
        for (int i = 0; i < x->record.seats; i++)
            if (x->agent[i])
                x->agent[i]->sought_ms = 0;
        seek_missing_players(l);
    }
    pieces_release(&x->pieces);
    release_agents(x);
    free(x);
}

static void begin_adoption(struct lobby *l, struct uuid match)
{
    struct adoption *x = lobby_alloc(sizeof *x);
    x->lobby = l;
    x->match = match;
    work_start(l->o.work, run_adoption, x);
}

// --- a match whose players are connected to another node

static bool has_players_here(const struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house && !b->record.seat[i].dropped && is_online(b->seat[i].agent))
            return true;
    return false;
}

// Nothing gets lost: everything put so far is in the log before the other node reads it.
static void hand_over_match(struct lobby *l, struct uuid match, uint64_t epoch)
{
    struct live_match *b = live_match_find(l->running, match);
    if (!b)
        return; // over, or not read yet
    if (has_players_here(b) || epoch == store_my_epoch(l->store) || !store_is_live(l->store, epoch)) {
        store_keep_match(l->store, match);
        return;
    }
    store_hand_over(l->store, match, epoch, (struct span){0});
    live_match_drop_moved(l, b);
}

// --- records changed by other nodes (S27)

struct renewal {
    struct lobby *lobby;
    struct uuid agent;
};

// Reads the record while no change by this node is in flight. Returns false if one is, or if the store did not answer.
static bool reread_record(struct renewal *x, struct store_agent *record, bool *found)
{
    struct lobby *l = x->lobby;
    uint64_t unanswered = store_unanswered(l->store);
    store_wait(l->store);
    *found = store_find_agent(l->store, x->agent, record);
    const struct lobby_agent *a = lobby_find_agent(l, x->agent);
    return store_unanswered(l->store) == unanswered && (!a || a->saved <= store_durable(l->store));
}

// A client that is connected here used the key known here, which is outdated if the key has changed since.
static bool must_disconnect(const struct lobby_agent *a, const struct store_agent *now)
{
    bool same = a->has_key == now->has_key && (!a->has_key || memcmp(a->key_hash, now->key_hash, STORE_HASH) == 0);
    return now->disabled || (is_here(a) && !same);
}

static void run_renewal(void *arg)
{
    struct renewal *x = arg;
    struct lobby *l = x->lobby;
    struct store_agent record;
    bool known, found = false;
    while (!(known = reread_record(x, &record, &found)) && !l->closing && work_is_inside(l->o.work))
        work_wait_turn(l->o.work);
    struct lobby_agent *a = lobby_find_agent(l, x->agent);
    if (known && found && l->challenges && !l->closing && is_deleted(&record))
        challenges_cancel_by(l->challenges, x->agent);
    if (known && found && a && !l->closing) {
        bool out = must_disconnect(a, &record);
        agents_renew(l, a, &record);
        if (out)
            lobby_agent_kick(l, a);
    }
    free(x);
}

static void begin_renewal(struct lobby *l, struct uuid agent)
{
    if (!lobby_find_agent(l, agent) && !(l->challenges && challenges_has_of(l->challenges, agent)))
        return; // it will be read when it is needed
    struct renewal *x = lobby_alloc(sizeof *x);
    *x = (struct renewal){l, agent};
    work_start(l->o.work, run_renewal, x);
}

// --- matches at other nodes, which count against the agent's limit (S23)

static void count_places(struct lobby *l, struct lobby_agent *a)
{
    int all = store_count_places(l->store, a->record.id);
    if (all >= 0)
        a->elsewhere = all > a->active ? all - a->active : 0;
}

void nodes_reload_agent(struct lobby *l, struct lobby_agent *a)
{
    if (!a->seats && !a->active)
        agent_cache_drop(a);
    lobby_agent_load(l, a, l->now_ms);
    if (store_is_shared(l->store))
        count_places(l, a);
}

// It connected here while it had matches at other nodes, and has none here yet.
static bool waits_here(const struct lobby_agent *a)
{
    return is_online(a) && a->conn && a->presence.claims && a->had_remote_matches && a->active == 0;
}

static bool is_stray(const struct lobby *l, const struct lobby_agent *a)
{
    return waits_here(a) && a->elsewhere > 0 && l->now_ms - a->connected_ms >= STRAY_MS;
}

// Without a bus: a match of the agent may have begun at another node while it was connecting here.
static bool may_have_missed_match(const struct lobby *l, const struct lobby_agent *a)
{
    return is_here(a) && a->presence.claims && a->elsewhere > 0 && a->active == 0 &&
           l->now_ms - a->connected_ms >= STRAY_MS;
}

static bool has_missed_match(struct lobby *l, struct lobby_agent *a)
{
    struct store_elsewhere row;
    return may_have_missed_match(l, a) && store_list_played(l->store, a->record.id, &row, 1) > 0 && a->active == 0;
}

// Closes the connection of an agent that waits here for a match that does not come. When it reconnects, it is told
// where the match is, or claims it again, or gets its end. The host may have kept the match because other players were
// connected there first, or handed it to a third node.
static void run_count(void *arg)
{
    struct renewal *x = arg;
    struct lobby *l = x->lobby;
    struct lobby_agent *a = lobby_find_agent(l, x->agent);
    if (a && !l->closing) {
        int before = a->elsewhere;
        // Afterwards another connection may be the agent's, to which none of this applies.
        uint64_t conn = a->conn;
        lobby_agent_hold(a);
        count_places(l, a);
        bool over = waits_here(a) && a->elsewhere < before;
        bool stray = over || is_stray(l, a) || has_missed_match(l, a);
        if (stray && !l->closing && a->conn == conn) // tested after the reads above
            presence_stray(l, a);
        lobby_agent_release(a);
    }
    free(x);
}

void nodes_count_places(struct lobby *l, struct lobby_agent *a)
{
    if (!store_is_shared(l->store) || l->now_ms - a->asked_ms < COUNT_MS)
        return;
    a->asked_ms = l->now_ms;
    struct renewal *x = lobby_alloc(sizeof *x);
    *x = (struct renewal){l, a->record.id};
    work_start(l->o.work, run_count, x);
}

struct refused {
    struct lobby *lobby;
    struct uuid match;
    store_ticket ticket;
    int count;
    struct uuid agent[STORE_SEATS];
};

// Counts the places of each player, then refuses the match: players with a free place return to their queue, the others
// are told why.
static void run_refusal(void *arg)
{
    struct refused *x = arg;
    struct lobby *l = x->lobby;
    for (int i = 0; i < x->count; i++) {
        struct lobby_agent *a = lobby_find_agent(l, x->agent[i]);
        if (!a)
            continue;
        lobby_agent_hold(a);
        a->active--; // without this match, which will not begin
        count_places(l, a);
        a->active++;
        agent_cache_reload_starts(l, a);
        lobby_agent_release(a);
    }
    if (live_match_refuse(l, x->match, l->now_ms))
        store_settle(l->store, x->ticket, store_last(l->store));
    free(x);
}

bool nodes_refuse(struct lobby *l, struct uuid match, store_ticket refused)
{
    struct live_match *b = live_match_find(l->starting, match);
    if (!b || !store_is_shared(l->store))
        return false;
    struct refused *x = lobby_alloc(sizeof *x);
    *x = (struct refused){.lobby = l, .match = match, .ticket = refused};
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house)
            x->agent[x->count++] = b->record.seat[i].agent;
    work_start(l->o.work, run_refusal, x);
    return true;
}

// --- ends that a node has stored and not reported

// Returns false if the store did not answer.
static bool load_ends(struct lobby *l, struct lobby_agent *a)
{
    uint64_t unanswered = store_unanswered(l->store);
    results_load_missed(l, a, l->now_ms);
    return store_unanswered(l->store) == unanswered;
}

// Finds an end that was read from the store, and that no live node has, which would report the last events first.
static struct lobby_seat *find_unreported(const struct lobby_agent *a, struct lobby_seat *from)
{
    const struct lobby *l = a->lobby;
    for (struct lobby_seat *s = from; s; s = s->next)
        if (s->live->over && !s->live->match && !s->live->record.seat[s->index].delivered &&
            !(l->peers && l->peers->tells(l->peers_owner, &a->presence, s->session)))
            return s;
    return NULL;
}

// An agent that reconnects meanwhile gets the ends when it is synced.
static void report_ends(struct lobby *l, struct lobby_agent *a)
{
    struct lobby_seat *s = is_here(a) && !l->closing ? find_unreported(a, a->seats) : NULL;
    if (!s) // usually: the match continues at another node
        return;
    for (; s; s = find_unreported(a, s->next))
        lobby_remote_match_over(l, a, s->session, l->now_ms);
    count_places(l, a); // which of them were counted depends on when the agent connected here
    for (s = is_here(a) && a->synced && !l->closing ? a->seats : NULL; (s = find_unreported(a, s)); s = s->next)
        a->presence.link->on_over(a->presence.client, s);
}

// An agent whose ends are due to be read.
struct lobby_ends {
    struct uuid agent;
    STAILQ_ENTRY(lobby_ends) next;
};

static void report_missed_ends(struct lobby *l, struct lobby_agent *a)
{
    lobby_agent_hold(a);
    while (!load_ends(l, a) && !l->closing && work_is_inside(l->o.work))
        work_wait_turn(l->o.work);
    report_ends(l, a);
    lobby_agent_release(a);
}

static void run_end_reads(void *arg)
{
    struct lobby *l = arg;
    for (struct lobby_ends *x; (x = STAILQ_FIRST(&l->ends_due));) {
        STAILQ_REMOVE_HEAD(&l->ends_due, next);
        struct lobby_agent *a = lobby_find_agent(l, x->agent);
        free(x);
        if (a && !l->closing)
            report_missed_ends(l, a);
    }
    l->ends_readers--;
}

void lobby_learn_ends(struct lobby *l, const struct lobby_agent *a)
{
    struct lobby_ends *x = lobby_alloc(sizeof *x);
    x->agent = a->record.id;
    STAILQ_INSERT_TAIL(&l->ends_due, x, next);
    if (l->ends_readers == ENDS_AT_ONCE)
        return;
    l->ends_readers++;
    work_start(l->o.work, run_end_reads, l);
}

// --- agents that were connected elsewhere

void lobby_agent_arrived(struct lobby *l, struct lobby_agent *a, const struct store_arrival *arrival)
{
    uint64_t me = store_my_epoch(l->store);
    a->elsewhere = 0;
    for (int i = 0; i < arrival->matches; i++)
        a->elsewhere += arrival->match[i].epoch != me;
    a->had_remote_matches = a->elsewhere > 0;
    if (arrival->before.epoch != me && !a->seats && !a->active)
        agent_cache_drop(a); // what it did there is in the store
}

void lobby_apply_news(struct lobby *l, const struct store_news *news, int64_t now_ms)
{
    struct lobby_agent *a;
    l->now_ms = now_ms;
    switch (news->kind) {
    case STORE_NEWS_ADOPT:
        begin_adoption(l, news->match);
        break;
    case STORE_NEWS_WANTED:
        hand_over_match(l, news->match, news->epoch);
        break;
    case STORE_NEWS_AGENT:
        begin_renewal(l, news->agent);
        break;
    case STORE_NEWS_PRESENCE:
        a = lobby_find_agent(l, news->agent);
        if (a && a->newest < news->count)
            a->newest = news->count; // an older connection that is still being set up will be refused
        if (a && is_online(a) && a->conn && a->conn < news->count)
            presence_replaced(l, a, now_ms);
        break;
    default:
        break;
    }
}

static void find_strays(struct lobby *l, struct timer *t, int64_t now_ms)
{
    l->now_ms = now_ms;
    for (struct lobby_agent *a = l->online; a; a = a->online_next)
        if (is_stray(l, a) || may_have_missed_match(l, a))
            nodes_count_places(l, a);
    seek_missing_players(l);
    timer_set(l, t, now_ms + STRAYS_MS);
}

// --- comparing connected agents with the store's list (S26), because a message about a change may get lost

static void mark_listed(struct lobby *l, const struct uuid *agent, int count)
{
    for (int i = 0; i < count; i++) {
        struct lobby_agent *a = lobby_find_agent(l, agent[i]);
        if (a)
            a->listed = l->listings;
    }
}

// Finds an agent that is not in the list and connected before the list was read.
static struct lobby_agent *find_unlisted(struct lobby *l, int64_t before_ms)
{
    for (struct lobby_agent *a = l->online; a; a = a->online_next)
        if (is_here(a) && a->conn && a->connected_ms < before_ms && a->listed != l->listings)
            return a;
    return NULL;
}

static void run_census(void *arg)
{
    enum { PAGE = 256 };
    struct lobby *l = arg;
    struct uuid page[PAGE];
    uint64_t after = 0;
    int64_t began_ms = l->now_ms;
    int count;
    // Marks the agents seen in this pass, so that no second list is needed.
    l->listings++;
    while ((count = store_list_presence(l->store, &after, page, PAGE)) > 0 && !l->closing)
        mark_listed(l, page, count);
    for (struct lobby_agent *a; count == 0 && !l->closing && (a = find_unlisted(l, began_ms));) {
        struct store_presence p;
        uint64_t conn = a->conn, unanswered = store_unanswered(l->store);
        a->listed = l->listings;
        lobby_agent_hold(a);
        bool found = store_find_presence(l->store, a->record.id, &p);
        // The row is gone: with the node of a newer connection, or lost by the store.
        bool lost = !found && store_unanswered(l->store) == unanswered;
        if (found && p.conn > conn && a->conn == conn && is_here(a))
            presence_replaced(l, a, l->now_ms);
        else if (lost && a->conn == conn && is_here(a))
            presence_stray(l, a); // reconnecting creates a new row
        lobby_agent_release(a);
    }
    if (!l->closing)
        timer_set(l, &l->census, l->now_ms + CENSUS_MS);
}

static void on_census(struct lobby *l, struct timer *t, int64_t now_ms)
{
    (void)t;
    l->now_ms = now_ms;
    work_start(l->o.work, run_census, l);
}

// --- upkeep, by one of the nodes

static void close_left_deals(void *arg)
{
    struct lobby *l = arg;
    // Numbers of deals of nodes that have ended: the public list has to close every one.
    deals_close_left(l, l->now_ms);
    if (!l->closing)
        timer_set(l, &l->nodes, l->now_ms + LEFT_MS);
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    if (store_term(l->store, sweeper))
        work_start(l->o.work, close_left_deals, l);
    else
        timer_set(l, t, now_ms + LEFT_MS);
}

void lobby_give_roles_up(struct lobby *l)
{
    char role[STORE_ROLE];
    store_give_role_up(l->store, sweeper);
    for (int i = 0; i < l->games; i++) {
        snprintf(role, sizeof role, "mm:%s", name_of(&l->o.games[i]));
        if (store_term(l->store, role))
            store_give_role_up(l->store, role);
    }
}

void nodes_open(struct lobby *l, int64_t now_ms)
{
    STAILQ_INIT(&l->ends_due);
    if (!store_is_shared(l->store))
        return;
    store_want_role(l->store, sweeper);
    l->nodes.fire = on_time;
    timer_set(l, &l->nodes, now_ms + LEFT_MS);
    l->strays.fire = find_strays;
    timer_set(l, &l->strays, now_ms + STRAYS_MS);
    l->census.fire = on_census;
    timer_set(l, &l->census, now_ms + CENSUS_MS);
}
