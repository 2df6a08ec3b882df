#include "app/mcp_queue.h"

#include "app/mcp_remote_match.h"
#include "lobby/deals.h"
#include "lobby/identity.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { GUESTS_PER_HOUR = 600, HOUR_MS = 3600000 }; // for all clients together

// A message to an agent, or to the lobby in its name.
struct notice {
    STAILQ_ENTRY(notice) next;
    store_ticket ticket;
    enum notice_kind { NOTICE_NEWS, NOTICE_ASK, NOTICE_OVER, NOTICE_LEFT, NOTICE_CONFIRM, NOTICE_READY } kind;
    size_t log_end;      // how much of the log there was
    struct uuid request; // of ASK, CONFIRM and READY
    int64_t timeout_ms;  // of ASK
    const char *why;     // of LEFT
};

struct env_arena_player {
    LIST_ENTRY(env_arena_player) next;
    struct mcp_queue *owner;
    struct env_arena_seat *place;
    struct lobby_agent *agent; // kept
    const struct lobby_game *game;
    bool seated; // in the match of `session`
    bool asked;  // `request`, and has not answered
    struct uuid session, request;
    struct uuid back; // its match at another node, which will send its events; none: it has to join the queue
    struct mcp_remote_match *remote; // NULL: there are no other nodes
    STAILQ_HEAD(, notice) notices;
};

struct mcp_queue {
    struct loop *loop;
    struct lobby *lobby;
    int64_t (*now_ms)(void);
    struct env_arena arena;
    store_ticket durable;
    int64_t hour_ms; // since when guests are counted
    int guests;
    LIST_HEAD(, env_arena_player) players;
    struct mcp_remote_match_owner nodes; // without a relay: there are no others
};

// --- notices

static struct notice *add_notice(struct env_arena_player *p, enum notice_kind kind)
{
    struct notice *l = calloc(1, sizeof *l);
    assert(l);
    l->ticket = lobby_ticket(p->owner->lobby);
    l->kind = kind;
    STAILQ_INSERT_TAIL(&p->notices, l, next);
    loop_end_turn(p->owner->loop);
    return l;
}

static struct notice *add_match_notice(struct env_arena_player *p, enum notice_kind kind, const struct lobby_seat *seat)
{
    struct notice *l = add_notice(p, kind);
    l->log_end = lobby_seat_log(seat).size;
    return l;
}

static void notify_place(struct env_arena_player *p, const struct notice *l, const struct lobby_seat *seat)
{
    struct env_arena_update n = {
        .asked = l->kind == NOTICE_ASK, .timeout_ms = l->timeout_ms, .over = l->kind == NOTICE_OVER, .left = l->why};
    if (seat) {
        n.log = (struct span){lobby_seat_log(seat).at, l->log_end};
        n.key = lobby_seat_match(seat)->key;
        n.seat = lobby_seat_index(seat);
    }
    env_arena_notify(p->place, &n, loop_now_us());
}

static void deliver_notice(struct env_arena_player *p, const struct notice *l)
{
    struct lobby *lobby = p->owner->lobby;
    int64_t now_ms = p->owner->now_ms();
    struct lobby_seat *seat = p->seated && l->log_end ? lobby_find_seat(p->agent, p->session) : NULL;
    switch (l->kind) {
    case NOTICE_NEWS:
    case NOTICE_LEFT:
        notify_place(p, l, seat);
        break;
    case NOTICE_ASK:
        p->request = l->request;
        p->asked = true;
        if (seat)
            lobby_asked(lobby, seat, now_ms);
        notify_place(p, l, seat);
        break;
    case NOTICE_OVER: // it plays one match; later matches are for the next client that registers
        notify_place(p, l, seat);
        if (seat)
            lobby_delivered(lobby, seat);
        lobby_leave(lobby, p->agent, p, now_ms);
        break;
    case NOTICE_CONFIRM:
        lobby_confirm(lobby, p->agent, l->request, now_ms);
        break;
    case NOTICE_READY: // it came for one queue
        lobby_report_ready(lobby, p->agent, l->request, false, now_ms);
        break;
    }
    loop_end_turn(p->owner->loop);
}

static void send_notices(struct env_arena_player *p)
{
    struct notice *l;
    while ((l = STAILQ_FIRST(&p->notices)) && l->ticket <= p->owner->durable) {
        STAILQ_REMOVE_HEAD(&p->notices, next);
        deliver_notice(p, l);
        free(l);
    }
}

void mcp_queue_flush(struct mcp_queue *q)
{
    struct env_arena_player *p;
    LIST_FOREACH(p, &q->players, next) {
        send_notices(p);
        if (p->remote)
            mcp_remote_match_flush(p->remote);
    }
}

void mcp_queue_release(struct mcp_queue *q, store_ticket durable)
{
    q->durable = durable;
    mcp_queue_flush(q);
}

// --- calls of the lobby

// Whether this is the one match the player is here for; the first of its game is.
static bool is_own(struct env_arena_player *p, const struct lobby_seat *seat)
{
    struct uuid session = lobby_seat_session(seat);
    if (p->seated)
        return uuid_equals(p->session, session);
    if (lobby_seat_game(seat) != p->game || lobby_seat_is_over(seat) || lobby_seat_is_dropped(seat))
        return false;
    p->seated = true;
    p->session = session;
    return true;
}

static void on_start(void *client, struct lobby_seat *seat)
{
    if (is_own(client, seat))
        add_match_notice(client, NOTICE_NEWS, seat);
}

static void on_ask(void *client, struct lobby_seat *seat, const struct lobby_ask *ask)
{
    if (!is_own(client, seat))
        return;
    struct notice *l = add_match_notice(client, NOTICE_ASK, seat);
    l->request = ask->request;
    l->timeout_ms = ask->timeout_ms;
}

static void on_events(void *client, struct lobby_seat *seat, uint32_t from, uint32_t to, int64_t drop)
{
    (void)from, (void)to, (void)drop;
    on_start(client, seat);
}

static void on_over(void *client, struct lobby_seat *seat)
{
    struct env_arena_player *p = client;
    if (p->remote && !lobby_seat_log(seat).size) // read from the store, as the node that played it is gone
        mcp_remote_match_end(p->remote, lobby_seat_session(seat));
    else if (p->seated && is_own(p, seat)) // not one that was missed before
        add_match_notice(p, NOTICE_OVER, seat);
}

static void on_stale(void *client, struct lobby_seat *seat, const struct uuid *request)
{
    (void)client, (void)seat, (void)request;
}

static void on_queue_joined(void *client, const struct lobby_game *g, const char *mode, bool one_shot)
{
    (void)client, (void)g, (void)mode, (void)one_shot;
}

static void on_queue_left(void *client)
{
    add_notice(client, NOTICE_LEFT)->why = "it was taken from the queue";
}

static void on_confirm(void *client, const struct lobby_confirm *c)
{
    add_notice(client, NOTICE_CONFIRM)->request = c->id;
}

static void on_cancelled(void *client, enum lobby_cancel why, bool re_queued, const struct lobby_game *g,
                         const char *mode)
{
    (void)g, (void)mode;
    if (!re_queued)
        add_notice(client, NOTICE_LEFT)->why =
            why == LOBBY_MAINTENANCE ? "the server is in maintenance" : "its table was dissolved";
}

static void on_readiness(void *client, struct uuid request, int64_t timeout_ms)
{
    (void)timeout_ms;
    add_notice(client, NOTICE_READY)->request = request;
}

static void on_queue_refused(void *client, const char *why)
{
    (void)why;
    add_notice(client, NOTICE_LEFT)->why = "it may not play now";
}

static void on_gone(void *client, enum lobby_gone why)
{
    add_notice(client, NOTICE_LEFT)->why =
        why == LOBBY_KICKED ? "the operator ended its connection" : "another connection of the same agent took over";
}

static const struct lobby_link link_of_agents = {
    .on_queue_joined = on_queue_joined,
    .on_queue_left = on_queue_left,
    .on_queue_refused = on_queue_refused,
    .on_confirm = on_confirm,
    .on_cancelled = on_cancelled,
    .on_readiness = on_readiness,
    .on_start = on_start,
    .on_ask = on_ask,
    .on_stale = on_stale,
    .on_events = on_events,
    .on_state = on_start,
    .on_over = on_over,
    .on_gone = on_gone,
};

// --- matches at other nodes

static bool is_remote_own(void *client, const struct store_match *m, struct uuid session)
{
    struct env_arena_player *p = client;
    // A match that has ended may be an older one whose end was never delivered.
    bool goes_on = m->status == STORE_RUNNING || uuid_equals(m->id, p->back);
    if (!p->seated && strcmp(m->game, p->game->codec->game->name) == 0 && goes_on) {
        p->seated = true;
        p->session = session;
    }
    return p->seated && uuid_equals(p->session, session);
}

static void on_remote_news(void *client, const struct env_arena_update *n, const struct uuid *request)
{
    struct env_arena_player *p = client;
    struct mcp_queue *q = p->owner;
    if (request) {
        p->request = *request;
        p->asked = true;
    }
    env_arena_notify(p->place, n, loop_now_us());
    struct lobby_seat *seat = n->over ? lobby_find_seat(p->agent, p->session) : NULL;
    if (seat) // its node cannot note that any more
        lobby_delivered(q->lobby, seat);
    if (n->over) // it plays one match
        lobby_leave(q->lobby, p->agent, p, q->now_ms());
    loop_end_turn(q->loop);
}

static void on_remote_gone(void *client, enum lobby_gone why)
{
    struct env_arena_player *p = client;
    lobby_leave(p->owner->lobby, p->agent, p, p->owner->now_ms());
    on_gone(p, why);
}

// Registers the connection with all nodes (S26): the agent's older connections end, and the hosts of its matches learn
// of this one. Returns false if the store does not answer.
static bool register_arrival(struct mcp_queue *q, struct lobby_agent *a, struct store_arrival *arrival)
{
    struct store *s = lobby_store(q->lobby);
    *arrival = (struct store_arrival){0};
    if (!q->nodes.relay)
        return true;
    if (lobby_agent_record(a)->kind == STORE_GUEST)
        store_wait(s); // who was made just now is not there yet
    if (!store_arrive(s, lobby_agent_record(a)->id, "", 0, false, arrival) || !arrival->conn)
        return false;
    lobby_agent_arrived(q->lobby, a, arrival);
    return true;
}

static bool is_hosted(const struct store_arrival *arrival, struct uuid match)
{
    for (int i = 0; i < arrival->matches; i++)
        if (uuid_equals(arrival->match[i].match, match))
            return true;
    return false;
}

// Reading may take a while; the player is connected when all of it is there.
static bool connect_player(struct env_arena_player *p)
{
    struct mcp_queue *q = p->owner;
    struct store_arrival arrival;
    struct lobby_presence presence = {
        .link = &link_of_agents, .client = p, .instance = "", .capabilities = UINT32_MAX, .game_rl = true};
    if (!register_arrival(q, p->agent, &arrival) || !lobby_agent_load(q->lobby, p->agent, q->now_ms()) ||
        lobby_is_outrun(p->agent, arrival.conn)) {
        if (arrival.conn)
            store_depart(lobby_store(q->lobby), lobby_agent_record(p->agent)->id, arrival.conn);
        return false;
    }
    presence.conn = arrival.conn;
    if (!is_hosted(&arrival, p->back))
        p->back = (struct uuid){0}; // it has ended since it was looked up
    lobby_connect(q->lobby, p->agent, &presence, q->now_ms());
    if (q->nodes.relay)
        p->remote = mcp_remote_match_open(&q->nodes, p->agent, &arrival, p);
    lobby_sync(q->lobby, p->agent, q->now_ms());
    loop_end_turn(q->loop);
    return true;
}

void mcp_queue_join_nodes(struct mcp_queue *q, struct relay *r)
{
    q->nodes = (struct mcp_remote_match_owner){.loop = q->loop,
                                               .relay = r,
                                               .lobby = q->lobby,
                                               .is_own = is_remote_own,
                                               .on_news = on_remote_news,
                                               .on_gone = on_remote_gone};
}

// --- joining

// Limits guests: anybody may be one, and every guest leaves a record in the store.
static bool may_add_guest(struct mcp_queue *q)
{
    if (q->now_ms() - q->hour_ms >= HOUR_MS) {
        q->hour_ms = q->now_ms();
        q->guests = 0;
    }
    return q->guests < GUESTS_PER_HOUR;
}

static struct lobby_agent *refuse_join(const char *text, char error[ENV_ARENA_ERROR_ROOM])
{
    snprintf(error, ENV_ARENA_ERROR_ROOM, "%s", text);
    return NULL;
}

static struct lobby_agent *make_guest(struct mcp_queue *q, const struct env_arena_request *w,
                                      char error[ENV_ARENA_ERROR_ROOM])
{
    if (span_is(w->mode, "ranked"))
        return refuse_join("guests may join unrated modes only; give config.api_key", error);
    if (lobby_may_join(q->lobby, NULL, w->game, w->mode, q->now_ms(), error) != OK)
        return NULL;
    if (!may_add_guest(q))
        return refuse_join("there are too many guests; give config.api_key", error);
    q->guests++;
    return identity_make_guest(q->lobby, q->now_ms());
}

// The agent's match of this game at another node; the nil UUID: none.
static struct uuid find_elsewhere(struct mcp_queue *q, const struct lobby_agent *a, const struct lobby_game *g)
{
    struct store_elsewhere *e = q->nodes.relay ? calloc(STORE_SEATS, sizeof *e) : NULL;
    int count = e ? store_list_played(lobby_store(q->lobby), lobby_agent_record(a)->id, e, STORE_SEATS) : 0;
    struct uuid found = {0};
    for (int i = 0; i < count; i++)
        if (strcmp(e[i].match.game, g->codec->game->name) == 0)
            found = e[i].match.id;
    free(e);
    return found;
}

// `back`: its match of this game is at another node.
static struct lobby_agent *find_member(struct mcp_queue *q, const struct env_arena_request *w, struct uuid *back,
                                       const char **path, char error[ENV_ARENA_ERROR_ROOM])
{
    struct lobby_agent *a = lobby_agent_by_key(q->lobby, w->api_key);
    if (!a || lobby_agent_record(a)->disabled) {
        *path = "/config/api_key";
        return refuse_join(a ? "agent disabled" : "unknown api_key", error);
    }
    const struct lobby_game *g = lobby_find_game(q->lobby, w->game);
    lobby_agent_hold(a); // while it is read
    if (g && !lobby_running_seat(a, g))
        *back = find_elsewhere(q, a, g);
    bool sits = !uuid_is_none(*back) || (g && lobby_running_seat(a, g));
    lobby_agent_release(a);
    if (sits)
        return a; // it takes its seat back
    return lobby_may_join(q->lobby, a, w->game, w->mode, q->now_ms(), error) == OK ? a : NULL;
}

static struct env_arena_player *add_player(struct mcp_queue *q, struct env_arena_seat *place, struct lobby_agent *a,
                                           const struct lobby_game *g)
{
    struct env_arena_player *p = calloc(1, sizeof *p);
    assert(p);
    *p = (struct env_arena_player){.owner = q, .place = place, .agent = a, .game = g};
    STAILQ_INIT(&p->notices);
    LIST_INSERT_HEAD(&q->players, p, next);
    lobby_agent_hold(a);
    return p;
}

static void drop_player(struct env_arena_player *p)
{
    struct notice *l;
    while ((l = STAILQ_FIRST(&p->notices))) {
        STAILQ_REMOVE_HEAD(&p->notices, next);
        free(l);
    }
    LIST_REMOVE(p, next);
    if (p->remote)
        mcp_remote_match_close(p->remote);
    lobby_agent_release(p->agent);
    free(p);
}

static void leave(struct env_arena_player *p)
{
    struct mcp_queue *q = p->owner;
    lobby_leave(q->lobby, p->agent, p, q->now_ms());
    drop_player(p);
    loop_end_turn(q->loop);
}

static struct env_arena_player *join(void *owner, struct env_arena_seat *place, const struct env_arena_request *wish,
                                     const char **path, char error[ENV_ARENA_ERROR_ROOM])
{
    struct mcp_queue *q = owner;
    struct env_arena_request w = *wish;
    if (!w.mode.size)
        w.mode = w.api_key.size ? SPAN("ranked") : SPAN("friendly");
    uint8_t entropy[STORE_HASH];
    if (w.entropy.size && !deals_read_entropy(w.entropy, entropy)) {
        *path = "/config/entropy";
        refuse_join(DEALS_ENTROPY_FORM, error);
        return NULL;
    }
    struct uuid back = {0};
    struct lobby_agent *a = w.api_key.size ? find_member(q, &w, &back, path, error) : make_guest(q, &w, error);
    if (!a)
        return NULL;
    struct env_arena_player *p = add_player(q, place, a, lobby_find_game(q->lobby, w.game));
    p->back = back;
    if (!connect_player(p)) {
        refuse_join("the arena cannot reach its store; try again", error);
        leave(p);
        return NULL;
    }
    struct store_agent before = *lobby_agent_record(a);
    bool sits = p->seated || !uuid_is_none(p->back);
    if (!sits && w.entropy.size)
        deals_set_entropy(q->lobby, a, entropy);
    if (sits || lobby_join(q->lobby, a, w.game, w.mode, true, q->now_ms(), error) == OK)
        return p;
    if (w.entropy.size)
        deals_set_entropy(q->lobby, a, deals_entropy(&before));
    leave(p);
    return NULL;
}

static bool answer(struct env_arena_player *p, struct game_action a)
{
    struct mcp_queue *q = p->owner;
    struct lobby_seat *seat = p->asked ? lobby_find_seat(p->agent, p->session) : NULL;
    if (!seat && p->asked && p->remote) {
        p->asked = !mcp_remote_match_answer(p->remote, p->request, a); // without a route it may answer again
        return !p->asked;
    }
    if (!seat || lobby_judge(seat, &p->request, 0) != LOBBY_AWAITED || !lobby_is_legal(seat, a))
        return false;
    p->asked = false;
    loop_end_turn(q->loop);
    if (lobby_answer(q->lobby, seat, a, (struct span){0}, q->now_ms()) != OK)
        return false;
    if (!lobby_seat_is_over(seat))
        add_match_notice(p, NOTICE_NEWS, seat); // a pass in a window may be nobody's event yet
    return true;
}

static void read_rules(void *owner, const struct game *g, void *rules)
{
    const struct mcp_queue *q = owner;
    const struct lobby_game *row = lobby_find_game(q->lobby, span_of(g->name));
    if (row)
        lobby_read_rules(q->lobby, row, false, rules);
}

// --- opening and closing

struct mcp_queue *mcp_queue_open(struct loop *l, struct lobby *lobby, int64_t (*now_ms)(void))
{
    struct mcp_queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->loop = l;
    q->lobby = lobby;
    q->now_ms = now_ms;
    q->arena = (struct env_arena){.owner = q, .join = join, .leave = leave, .answer = answer, .read_rules = read_rules};
    LIST_INIT(&q->players);
    return q;
}

const struct env_arena *mcp_queue_arena(const struct mcp_queue *q)
{
    return &q->arena;
}

void mcp_queue_close(struct mcp_queue *q)
{
    assert(LIST_EMPTY(&q->players));
    free(q);
}
