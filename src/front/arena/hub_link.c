// The lobby's callbacks as frames for an agent (F2.2).
#include "base/rfc3339.h"
#include "front/arena/game_over.h"
#include "front/arena/hub_internal.h"
#include "games/games.h"

// --- before a match

static void on_queue_joined(void *client, const struct lobby_game *g, const char *mode, bool one_shot)
{
    struct hub_conn *c = client;
    struct text *t = hub_begin(c->hub, "queue_joined");
    json_put_text(t, "game", g->codec->game->name);
    json_put_text(t, "mode", mode);
    if (one_shot)
        json_put_bool(t, "one_shot", true);
    hub_send(c, HUB_REPLY, NULL);
}

static void on_queue_left(void *client)
{
    hub_send_queue_left(client);
}

static void on_queue_refused(void *client, const char *why)
{
    hub_send_error(client, why);
}

static void on_confirm(void *client, const struct lobby_confirm *confirm)
{
    struct hub_conn *c = client;
    struct text *t = hub_begin(c->hub, "match_confirm_request");
    uuid_put(t, "confirm_id", confirm->id);
    json_put_text(t, "game", confirm->game->codec->game->name);
    json_put_text(t, "mode", confirm->mode);
    json_put_int(t, "players", confirm->players);
    json_put_int(t, "timeout_ms", confirm->timeout_ms);
    hub_send(c, HUB_EVENT, NULL);
}

// F3.17: the reasons that profile L knows.
static enum lobby_cancel reason_for_old(enum lobby_cancel why, bool re_queued)
{
    if (!re_queued)
        return LOBBY_CONFIRMATION_TIMEOUT;
    return why == LOBBY_OPPONENT_DISCONNECTED ? why : LOBBY_OPPONENT_NOT_READY;
}

static void on_cancelled(void *client, enum lobby_cancel why, bool re_queued, const struct lobby_game *g,
                         const char *mode)
{
    static const char *const reasons[] = {
        [LOBBY_CONFIRMATION_TIMEOUT] = "confirmation_timeout",   [LOBBY_OPPONENT_NOT_READY] = "opponent_not_ready",
        [LOBBY_CAPACITY_CHANGED] = "capacity_changed",           [LOBBY_MAINTENANCE] = "maintenance",
        [LOBBY_OPPONENT_DISCONNECTED] = "opponent_disconnected",
    };
    struct hub_conn *c = client;
    if (c->old)
        why = reason_for_old(why, re_queued);
    struct text *t = hub_begin(c->hub, "match_cancelled");
    json_put_text(t, "reason", reasons[why]);
    json_put_text(t, "action", re_queued ? "re_queued" : "removed_from_queue");
    if (why == LOBBY_OPPONENT_DISCONNECTED) { // form B
        json_put_text(t, "game", g->codec->game->name);
        json_put_text(t, "mode", mode);
    }
    hub_send(c, HUB_EVENT, NULL);
}

static void on_readiness(void *client, struct uuid request, int64_t timeout_ms)
{
    struct hub_conn *c = client;
    struct text *t = hub_begin(c->hub, "readiness_check");
    uuid_put(t, "request_id", request);
    json_put_text(t, "reason", "standby");
    json_put_int(t, "timeout_ms", timeout_ms);
    rfc3339_put(t, "server_time", c->hub->options.now_ms());
    hub_send(c, HUB_EVENT, NULL);
}

// --- a match

static const struct game_kit *kit_of(const struct lobby_seat *s)
{
    return games_find(lobby_seat_game(s)->codec->game->name);
}

static bool find_event(const void *source, uint32_t seq, struct match_event *out)
{
    return lobby_seat_event(source, seq, out);
}

static struct arena_observation observe_from(const struct lobby_seat *s, union game_view *view)
{
    lobby_seat_view(s, view);
    return (struct arena_observation){.table = dialect_table(lobby_seat_count(s), lobby_seat_index(s)),
                                      .view = view,
                                      .event = find_event,
                                      .source = s,
                                      .events = lobby_seat_events(s)};
}

// F2.7: players are anonymous.
static void put_names(struct text *t, const struct lobby_seat *s)
{
    json_begin_array_at(t, "players");
    for (int i = 0; i < lobby_seat_count(s); i++) {
        json_begin_object(t);
        json_put_int(t, "position", i);
        json_put_text(t, "name", i == lobby_seat_index(s) ? "You" : dialect_names[i]);
        json_put_text(t, "player_id", dialect_pids[i]);
        json_end_object(t);
    }
    json_end_array(t);
}

static void on_state(void *client, struct lobby_seat *s)
{
    struct hub_conn *c = client;
    union game_view view;
    struct arena_observation seen = observe_from(s, &view);
    struct uuid session = lobby_seat_session(s);
    struct text *t = hub_begin(c->hub, "game_state");
    uuid_put(t, "match_id", session);
    json_key(t, "state");
    dialect_write_state(kit_of(s), t, &seen);
    json_key(t, "players");
    dialect_write_players(kit_of(s), t, &seen);
    hub_send(c, HUB_EVENT, &session);
}

// F4.28
static void send_state(struct hub_conn *c, struct lobby_seat *s)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    if (c->has_feed && c->has_states && !c->old && !lobby_seat_choices(s, choices))
        on_state(c, s);
}

static void on_start(void *client, struct lobby_seat *s)
{
    struct hub_conn *c = client;
    const struct game_kit *k = kit_of(s);
    struct uuid session = lobby_seat_session(s);
    struct text *t = hub_begin(c->hub, "game_start");
    uuid_put(t, "match_id", session);
    json_put_text(t, "game", k->codec->game->name);
    json_key(t, "rules");
    dialect_write_rules(k, t, lobby_seat_rules(s), lobby_seat_count(s));
    json_key(t, "config");
    dialect_write_config(k, t, lobby_seat_rules(s));
    json_put_int(t, "your_position", lobby_seat_index(s));
    json_put_text(t, "your_player_id", dialect_pids[lobby_seat_index(s)]);
    put_names(t, s);
    hub_send(c, HUB_STARTED, &session);
    send_state(c, s);
}

static bool is_cached(const struct hub_event *cached, const struct game_kit *k, int seats, const struct match_event *e)
{
    return cached->size && cached->kit == k && cached->seats == seats && cached->seq == e->seq &&
           cached->at_ms == e->at_ms && memcmp(&cached->event, e->at, sizeof cached->event) == 0;
}

static void put_event(struct hub *h, const struct game_kit *k, const struct codec_table *table,
                      const struct match_event *e)
{
    struct text *t = &h->frame;
    // By seq alone: with many matches an entry is mostly replaced before it is used again, but the players of one step
    // come right after each other.
    struct hub_event *cached = &h->event[e->seq % HUB_EVENTS];
    bool same = e->count == 1; // parts are not for everybody
    if (same && is_cached(cached, k, table->seats, e)) {
        json_write_raw(t, (struct span){cached->text, cached->size});
        return;
    }
    size_t from = t->size;
    dialect_write_event(k, t, table, e);
    if (!same || t->full)
        return;
    // The comma belongs to the array and not to the event.
    from += t->at[from] == ',';
    size_t size = t->size - from;
    if (size > sizeof cached->text)
        return;
    cached->kit = k;
    cached->seats = table->seats;
    cached->seq = e->seq;
    cached->at_ms = e->at_ms;
    cached->event = *e->at;
    cached->size = size;
    memcpy(cached->text, t->at + from, size);
}

static void put_events(struct hub *h, const char *key, const struct lobby_seat *s, uint32_t from, uint32_t to)
{
    struct text *t = &h->frame;
    const struct game_kit *k = kit_of(s);
    struct codec_table table = dialect_table(lobby_seat_count(s), lobby_seat_index(s));
    struct match_event e;
    json_begin_array_at(t, key);
    for (uint32_t i = from; i < to && lobby_seat_event(s, i, &e); i++)
        put_event(h, k, &table, &e);
    json_end_array(t);
}

// F2.9, F4.20. `first` is where the history may begin.
static void write_ask(struct hub_conn *c, struct lobby_seat *s, const struct lobby_ask *ask, uint32_t first)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct arena_observation seen = observe_from(s, &view);
    const struct game_kit *k = kit_of(s);
    struct text *t = hub_begin(c->hub, "action_request");
    uuid_put(t, "match_id", lobby_seat_session(s));
    json_key(t, "state");
    dialect_write_state(k, t, &seen);
    json_key(t, "legal_actions");
    dialect_write_choices(k, t, &seen, choices, lobby_seat_choices(s, choices));
    json_key(t, "players");
    dialect_write_players(k, t, &seen);
    json_put_int(t, "timeout_ms", ask->timeout_ms > 0 ? ask->timeout_ms : 1);
    if (ask->again)
        put_events(c->hub, "new_events", s, 0, 0);
    else if (ask->first_event < seen.events)
        put_events(c->hub, "new_events", s, ask->first_event, seen.events);
    else
        json_put_null(t, "new_events");
    if (!c->old)
        uuid_put(t, "request_id", ask->request);
    if (ask->again) {
        put_events(c->hub, "event_history", s, first, seen.events);
        json_put_bool(t, "is_reconnect", true);
    }
    if (!ask->retry)
        return;
    json_put_bool(t, "retry", true);
    json_put_text(t, "retry_reason", "invalid_action");
    json_put_int(t, "retries_left", 0);
}

// F1.9: if the history is too long, the oldest events are left out.
static void on_ask(void *client, struct lobby_seat *s, const struct lobby_ask *ask)
{
    struct hub_conn *c = client;
    struct uuid session = lobby_seat_session(s);
    uint32_t first = 0, events = lobby_seat_events(s);
    write_ask(c, s, ask, first);
    while (c->hub->frame.full && first < events) {
        // Halved, so a history that is much too long costs few attempts.
        first += (events - first + 1) / 2;
        write_ask(c, s, ask, first);
    }
    hub_send(c, HUB_ASKED, &session);
}

static void on_stale(void *client, struct lobby_seat *s, const struct uuid *request)
{
    char id[UUID_TEXT + 1] = "";
    if (request)
        uuid_format(id, *request);
    hub_send_stale(client, lobby_seat_session(s), "the time for this decision is over", span_of(id));
}

static void send_events(struct hub_conn *c, const char *type, struct lobby_seat *s, uint32_t from, uint32_t to)
{
    struct uuid session = lobby_seat_session(s);
    struct text *t = hub_begin(c->hub, type);
    uuid_put(t, "match_id", session);
    put_events(c->hub, "events", s, from, to);
    hub_send(c, HUB_EVENT, &session);
}

// F4.18, F4.23.
static void on_events(void *client, struct lobby_seat *s, uint32_t from, uint32_t to, int64_t drop)
{
    struct hub_conn *c = client;
    bool feed = c->has_feed && !c->old, is_news = from < to;
    if (drop >= 0 && (!feed || lobby_seat_is_dropped(s)))
        send_events(c, "event", s, (uint32_t)drop, (uint32_t)drop + 1);
    for (; feed && from < to; from += HUB_MAX_FEED)
        send_events(c, "match_feed", s, from, to - from > HUB_MAX_FEED ? from + HUB_MAX_FEED : to);
    if (is_news)
        send_state(c, s);
}

// --- its end

static void on_over(void *client, struct lobby_seat *s)
{
    struct hub_conn *c = client;
    struct uuid session = lobby_seat_session(s);
    struct text *t = hub_begin(c->hub, "game_over");
    game_over_write(t, lobby_seat_match(s), session);
    hub_send(c, HUB_OVER, &session);
}

// F1.12: a connection that does not know the code is closed without it.
static void on_gone(void *client, enum lobby_gone why)
{
    struct hub_conn *c = client;
    c->agent = NULL;
    if (c->front) {
        relay_client_end(c, why);
        return;
    }
    if (relay_is_remote(c)) {
        relay_end_player(c, why);
        return;
    }
    if (why == LOBBY_STRAY) {
        static const char frame[] =
            "{\"type\":\"error\",\"data\":{\"message\":\"your match is played at another node; connect again\"}}";
        ws_send(c->ws, (struct span){frame, sizeof frame - 1}); // at once: nothing of it is in the store
        ws_end(c->ws, WS_RESTART, "");
        return;
    }
    if (why == LOBBY_KICKED || !c->has_close_code) {
        conn_drop(ws_conn(c->ws));
        return;
    }
    ws_end(c->ws, 4409,
           why == LOBBY_REPLACED_SAME_INSTANCE ? "{\"reason\":\"replaced_by_new_connection\",\"same_instance\":true}"
                                               : "{\"reason\":\"replaced_by_new_connection\",\"same_instance\":false}");
}

const struct lobby_link hub_link = {
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
    .on_state = on_state,
    .on_over = on_over,
    .on_gone = on_gone,
    // Pongs tell that game_start and game_over have arrived (F4.21, F4.22).
    .gives_receipts = true,
};
