#include "app/remote_players.h"

#include "seats/health_check.h"
#include "work/work.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

// HEALTH_MS: time limit of a health check. CLOSE_MS: of deleting all sessions when the server stops.
enum { MAX_BOTS = 1024, HEALTH_MS = 3000, CLOSE_MS = 1000 };

struct bot_player;
struct bot_session;

enum notice_kind { NOTICE_EVENTS, NOTICE_ASK, NOTICE_READY, NOTICE_OVER };

// A message to a bot, as of the time when the lobby sent it.
struct notice {
    STAILQ_ENTRY(notice) next;
    store_ticket ticket;
    enum notice_kind kind;
    struct bot_session *to; // NULL: READY
    struct uuid request;    // of ASK and READY
    union game_view view;
    int choices;
    uint32_t events;
    struct game_choice *choice; // owned, behind the events
    struct game_event event[];
};

// A bot's seat in one match.
struct bot_session {
    LIST_ENTRY(bot_session) next;
    struct bot_player *bot;
    struct uuid session;
    struct seat *seat;
    uint32_t next_event; // the next event to send
    struct uuid request;
    bool asked; // and has not answered
    bool over, closed;
    uint32_t telling; // notices in flight
};

struct bot_player {
    struct remote_players *owner;
    struct lobby_agent *agent; // kept
    struct uuid id;
    struct health_check *health;
    bool online;
    bool coming; // what it needs to come online is being read
    STAILQ_HEAD(notices, notice) notices;
    LIST_HEAD(, bot_session) sessions;
};

struct remote_players {
    struct remote_players_options o;
    struct seat_client *client;
    struct event *timer;
    store_ticket durable;
    struct bot_player *bot[MAX_BOTS];
    int count, sessions;
    bool scanning;
};

// --- answers

static struct lobby_seat *seat_of(const struct bot_session *s)
{
    return lobby_find_seat(s->bot->agent, s->session);
}

static bool is_awaited(struct bot_session *s, struct lobby_seat **seat)
{
    *seat = seat_of(s);
    bool awaited = s->asked && *seat && lobby_judge(*seat, &s->request, 0) == LOBBY_AWAITED;
    s->asked = false;
    return awaited;
}

static void on_answer(void *owner, struct game_action a, int64_t took_us)
{
    (void)took_us;
    struct bot_session *s = owner;
    struct remote_players *r = s->bot->owner;
    struct lobby_seat *seat;
    if (!is_awaited(s, &seat))
        return;
    if (lobby_is_legal(seat, a))
        lobby_answer(r->o.lobby, seat, a, (struct span){0}, r->o.now_ms());
    else
        lobby_fail(r->o.lobby, seat, r->o.now_ms());
    loop_end_turn(r->o.loop);
}

// A failure or an illegal answer is a strike (F4.9); the question is not repeated (B12.31).
static void on_fault(void *owner, const struct seat_fault *f)
{
    (void)f;
    struct bot_session *s = owner;
    struct remote_players *r = s->bot->owner;
    struct lobby_seat *seat;
    if (is_awaited(s, &seat))
        lobby_fail(r->o.lobby, seat, r->o.now_ms());
    loop_end_turn(r->o.loop);
}

static void close_session(struct bot_session *s)
{
    if (!s->closed)
        seat_close(s->seat);
    s->closed = true;
}

// A bot gets the result of its match before its session is deleted (B11.10).
static void on_notified(void *owner)
{
    struct bot_session *s = owner;
    if (--s->telling == 0 && s->over)
        close_session(s);
}

static void on_closed(void *owner)
{
    struct bot_session *s = owner;
    LIST_REMOVE(s, next);
    s->bot->owner->sessions--;
    free(s);
}

static const struct seat_handler seat_handler = {
    .on_notified = on_notified, .on_answer = on_answer, .on_fault = on_fault, .on_closed = on_closed};

// --- notices

static struct notice *add_notice(struct bot_player *b, enum notice_kind kind, struct bot_session *to, uint32_t events,
                                 int choices)
{
    size_t size =
        sizeof(struct notice) + events * sizeof(struct game_event) + (size_t)choices * sizeof(struct game_choice);
    struct notice *l = calloc(1, size);
    assert(l);
    l->ticket = lobby_ticket(b->owner->o.lobby);
    l->kind = kind;
    l->to = to;
    l->events = events;
    l->choices = choices;
    l->choice = (struct game_choice *)(l->event + events);
    STAILQ_INSERT_TAIL(&b->notices, l, next);
    loop_end_turn(b->owner->o.loop);
    return l;
}

static uint32_t count_entries(const struct lobby_seat *seat, uint32_t from, uint32_t to)
{
    struct match_event e;
    uint32_t entries = 0;
    for (uint32_t i = from; i < to && lobby_seat_event(seat, i, &e); i++)
        entries += e.count;
    return entries;
}

// Everything that was not sent to the bot yet.
static void add_event_notice(struct bot_session *s, struct lobby_seat *seat)
{
    uint32_t end = lobby_seat_events(seat);
    struct notice *l = add_notice(s->bot, NOTICE_EVENTS, s, count_entries(seat, s->next_event, end), 0);
    seat_set own = SEAT(lobby_seat_index(seat));
    struct match_event e;
    l->events = 0;
    for (; s->next_event < end && lobby_seat_event(seat, s->next_event, &e); s->next_event++)
        for (uint32_t i = 0; i < e.count; i++)
            if (e.at[i].to & own)
                l->event[l->events++] = e.at[i];
    lobby_seat_view(seat, &l->view);
}

static struct bot_session *find_session(struct bot_player *b, const struct lobby_seat *seat)
{
    struct bot_session *s;
    struct uuid session = lobby_seat_session(seat);
    LIST_FOREACH(s, &b->sessions, next)
        if (uuid_equals(s->session, session) && !s->over)
            return s;
    return NULL;
}

static void deliver_notice(struct notice *l, struct bot_player *b)
{
    struct remote_players *r = b->owner;
    struct bot_session *s = l->to;
    struct lobby_seat *seat;
    switch (l->kind) {
    case NOTICE_EVENTS:
        s->telling++;
        seat_notify(s->seat, &l->view, l->event, l->events);
        break;
    case NOTICE_ASK:
        s->request = l->request;
        s->asked = true;
        if ((seat = seat_of(s)))
            lobby_asked(r->o.lobby, seat, r->o.now_ms());
        seat_ask(s->seat, &l->view, l->choice, l->choices);
        break;
    case NOTICE_READY:
        lobby_report_ready(r->o.lobby, b->agent, l->request, true, r->o.now_ms());
        break;
    case NOTICE_OVER:
        s->over = true;
        if (!s->telling)
            close_session(s);
        break;
    }
}

static void send_notices(struct bot_player *b)
{
    struct notice *l;
    while ((l = STAILQ_FIRST(&b->notices)) && l->ticket <= b->owner->durable) {
        STAILQ_REMOVE_HEAD(&b->notices, next);
        deliver_notice(l, b);
        free(l);
    }
}

void remote_players_flush(struct remote_players *r)
{
    for (int i = 0; i < r->count; i++)
        send_notices(r->bot[i]);
}

void remote_players_release(struct remote_players *r, store_ticket durable)
{
    r->durable = durable;
    remote_players_flush(r);
}

// --- calls of the lobby

static void on_start(void *client, struct lobby_seat *seat)
{
    struct bot_player *b = client;
    struct remote_players *r = b->owner;
    struct bot_session *s = find_session(b, seat);
    if (s)
        return; // it still exists: the bot was only away for a moment
    char match[UUID_TEXT + 1];
    s = calloc(1, sizeof *s);
    assert(s);
    *s = (struct bot_session){.bot = b, .session = lobby_seat_session(seat)};
    LIST_INSERT_HEAD(&b->sessions, s, next);
    r->sessions++;
    uuid_format(match, s->session); // F2.6: the session is the only id that leaves the server
    struct seat_place place = {
        .seat = lobby_seat_index(seat),
        .seats = lobby_seat_count(seat),
        .match = match,
        .rules = lobby_seat_rules(seat),
        .notices = SEAT_USUAL_NOTICES,
    };
    s->seat = seat_open(r->client, lobby_agent_record(b->agent)->bot_url, lobby_seat_game(seat)->codec, &place,
                        &seat_handler, s);
}

static void on_events(void *client, struct lobby_seat *seat, uint32_t from, uint32_t to, int64_t drop)
{
    (void)from, (void)to, (void)drop;
    struct bot_session *s = find_session(client, seat);
    if (s)
        add_event_notice(s, seat);
}

static void on_ask(void *client, struct lobby_seat *seat, const struct lobby_ask *ask)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    struct bot_session *s = find_session(client, seat);
    if (!s)
        return;
    if (s->next_event < lobby_seat_events(seat))
        add_event_notice(s, seat);
    int count = lobby_seat_choices(seat, choices);
    struct notice *l = add_notice(client, NOTICE_ASK, s, 0, count);
    memcpy(l->choice, choices, (size_t)count * sizeof *choices);
    l->request = ask->request;
    lobby_seat_view(seat, &l->view);
}

static void on_over(void *client, struct lobby_seat *seat)
{
    struct bot_session *s = find_session(client, seat);
    if (!s)
        return;
    if (s->next_event < lobby_seat_events(seat))
        add_event_notice(s, seat);
    add_notice(client, NOTICE_OVER, s, 0, 0);
}

static void on_readiness(void *client, struct uuid request, int64_t timeout_ms)
{
    (void)timeout_ms;
    add_notice(client, NOTICE_READY, NULL, 0, 0)->request = request;
}

static void on_state(void *client, struct lobby_seat *seat)
{
    on_events(client, seat, 0, 0, -1);
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
    (void)client;
}

static void on_confirm(void *client, const struct lobby_confirm *c)
{
    (void)client, (void)c; // its record confirms automatically
}

static void on_cancelled(void *client, enum lobby_cancel why, bool re_queued, const struct lobby_game *g,
                         const char *mode)
{
    (void)client, (void)why, (void)re_queued, (void)g, (void)mode;
}

static void on_gone(void *client, enum lobby_gone why)
{
    (void)why;
    struct bot_player *b = client;
    b->online = false; // by the operator; back when its health is checked again, if allowed
}

static const struct lobby_link link_of_bots = {
    .on_queue_joined = on_queue_joined,
    .on_queue_left = on_queue_left,
    .on_confirm = on_confirm,
    .on_cancelled = on_cancelled,
    .on_readiness = on_readiness,
    .on_start = on_start,
    .on_ask = on_ask,
    .on_stale = on_stale,
    .on_events = on_events,
    .on_state = on_state,
    .on_over = on_over,
    .on_gone = on_gone,
};

// --- presence

static void connect_bot(void *arg)
{
    struct bot_player *b = arg;
    struct remote_players *r = b->owner;
    struct lobby_presence p = {.link = &link_of_bots, .client = b, .instance = "", .capabilities = UINT32_MAX};
    bool loaded = lobby_agent_load(r->o.lobby, b->agent, r->o.now_ms());
    b->coming = false;
    if (!loaded || b->online || lobby_agent_record(b->agent)->disabled)
        return; // which may have changed meanwhile; without an answer its health is checked again
    b->online = true;
    lobby_connect(r->o.lobby, b->agent, &p, r->o.now_ms());
    lobby_sync(r->o.lobby, b->agent, r->o.now_ms());
    loop_end_turn(r->o.loop);
}

// In a job if reads may have to wait.
static void start_job(struct remote_players *r, work_run *run, void *arg)
{
    work_start(store_may_wait(lobby_store(r->o.lobby)) ? loop_work(r->o.loop) : NULL, run, arg);
}

static void on_health(void *owner, const char *fault)
{
    struct bot_player *b = owner;
    struct remote_players *r = b->owner;
    b->health = NULL;
    bool may = !fault && !lobby_agent_record(b->agent)->disabled;
    if (may && !b->online && !b->coming) {
        b->coming = true;
        start_job(r, connect_bot, b);
    } else if (!may && b->online) {
        b->online = false;
        lobby_leave(r->o.lobby, b->agent, b, r->o.now_ms());
    }
    loop_end_turn(r->o.loop);
}

static struct bot_player *find_bot(struct remote_players *r, struct uuid id)
{
    for (int i = 0; i < r->count; i++)
        if (uuid_equals(r->bot[i]->id, id))
            return r->bot[i];
    return NULL;
}

static void add_bot(struct remote_players *r, struct uuid id)
{
    struct lobby_agent *agent = lobby_agent_by_id(r->o.lobby, id);
    struct bot_player *b = agent && r->count < MAX_BOTS ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return;
    lobby_agent_hold(agent);
    *b = (struct bot_player){.owner = r, .agent = agent, .id = id};
    STAILQ_INIT(&b->notices);
    LIST_INIT(&b->sessions);
    r->bot[r->count++] = b;
}

static void scan_bots(void *arg)
{
    struct remote_players *r = arg;
    struct store_agent *found = malloc(MAX_BOTS * sizeof *found);
    int total, count = found ? store_list_agents(lobby_store(r->o.lobby), STORE_REMOTE, 0, found, MAX_BOTS, &total) : 0;
    for (int i = 0; i < count; i++)
        if (!find_bot(r, found[i].id))
            add_bot(r, found[i].id);
    free(found);
    r->scanning = false;
    for (int i = 0; i < r->count; i++) {
        struct bot_player *b = r->bot[i];
        if (!b->health && !b->coming)
            b->health =
                health_check_start(r->client, lobby_agent_record(b->agent)->bot_url, HEALTH_MS, 0, on_health, b);
    }
}

static void on_timer(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct remote_players *r = owner;
    if (r->scanning)
        return;
    r->scanning = true;
    start_job(r, scan_bots, r);
}

// --- opening and closing

struct remote_players *remote_players_open(const struct remote_players_options *o)
{
    struct remote_players *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->o = *o;
    r->client = seat_client_open(o->loop, &o->seats);
    r->timer = event_new(o->loop->base, -1, EV_PERSIST, on_timer, r);
    if (!r->client || !r->timer) {
        free(r);
        return NULL;
    }
    event_add(r->timer, &(struct timeval){o->health_every_ms / 1000, o->health_every_ms % 1000 * 1000});
    scan_bots(r);
    return r;
}

static void drop_bot(struct bot_player *b)
{
    struct notice *l;
    struct bot_session *s;
    health_check_cancel(b->health);
    while ((l = STAILQ_FIRST(&b->notices))) {
        STAILQ_REMOVE_HEAD(&b->notices, next);
        free(l);
    }
    LIST_FOREACH(s, &b->sessions, next) {
        s->asked = false;
        s->over = true;
        close_session(s);
    }
}

static void on_late(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    *(bool *)owner = true;
}

// B12.33: sends DELETE once. Returns false if a bot takes too long.
static bool close_sessions(struct remote_players *r)
{
    bool late = false;
    struct event *timer = event_new(r->o.loop->base, -1, 0, on_late, &late);
    event_add(timer, &(struct timeval){CLOSE_MS / 1000, CLOSE_MS % 1000 * 1000});
    while (r->sessions && !late)
        event_base_loop(r->o.loop->base, EVLOOP_ONCE);
    event_free(timer);
    return r->sessions == 0;
}

void remote_players_close(struct remote_players *r)
{
    static struct remote_players *volatile abandoned
        __attribute__((unused)); // the process ends: a bot that hangs keeps its session
    event_free(r->timer);
    for (int i = 0; i < r->count; i++) {
        drop_bot(r->bot[i]);
        lobby_agent_release(r->bot[i]->agent);
    }
    if (!close_sessions(r)) {
        abandoned = r;
        return;
    }
    seat_client_close(r->client);
    for (int i = 0; i < r->count; i++)
        free(r->bot[i]);
    free(r);
}
