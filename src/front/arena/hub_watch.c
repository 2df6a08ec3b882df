// Spectators (F4.24): the public view of running matches, with a delay. One connection may watch several.
#include "base/json_read.h"
#include "base/rfc3339.h"
#include "front/arena/game_over.h"
#include "front/arena/hub_internal.h"
#include "games/games.h"
#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

static const struct game_kit *kit_of(const struct lobby_watch *w)
{
    return games_find(lobby_watch_game(w)->codec->game->name);
}

static void put_names(struct text *t, const struct lobby_watch *w)
{
    json_begin_array_at(t, "players");
    for (int i = 0; i < lobby_watch_seats(w); i++) {
        json_begin_object(t);
        json_put_text(t, "player_id", dialect_pids[i]);
        json_put_int(t, "position", i);
        json_put_text(t, "name", dialect_names[i]);
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_deadline(struct text *t, const struct lobby_watch *w, const struct lobby_aside *turn)
{
    json_begin_array_at(t, "asked");
    for (int i = 0; turn && i < lobby_watch_seats(w); i++)
        if (turn->asked & SEAT(i))
            json_write_text(t, dialect_pids[i]);
    json_end_array(t);
    if (turn && turn->asked) // delayed, like everything that this client sees
        rfc3339_put(t, "deadline", turn->deadline_ms + lobby_watch_delay(w));
    else
        json_put_null(t, "deadline");
    json_begin_array_at(t, "strikes");
    for (int i = 0; i < lobby_watch_seats(w); i++)
        json_write_int(t, turn ? turn->strikes[i] : 0);
    json_end_array(t);
}

static bool find_event(const void *source, uint32_t seq, struct match_event *out)
{
    return lobby_watch_event(source, seq, out);
}

static void on_begin(void *client, struct lobby_watch *w, const union game_view *view, const struct lobby_aside *turn,
                     int64_t delay_ms)
{
    struct hub_conn *c = client;
    struct arena_observation seen = {.table = dialect_table(lobby_watch_seats(w), GAME_SPECTATOR),
                                     .view = view,
                                     .event = find_event,
                                     .source = w,
                                     .events = lobby_watch_shown(w)};
    struct text *t = hub_begin(c->hub, "spectate_start");
    uuid_put(t, "match_id", lobby_watch_id(w));
    uuid_put(t, "live", lobby_watch_match(w)->live); // as the client requested it
    json_put_text(t, "game", lobby_watch_game(w)->codec->game->name);
    json_put_text(t, "mode", lobby_watch_mode(w));
    put_names(t, w);
    json_key(t, "state");
    dialect_write_state(kit_of(w), t, &seen);
    json_put_uint(t, "seq", lobby_watch_shown(w)); // of the next event
    json_put_int(t, "delay_seconds", (delay_ms + 999) / 1000);
    put_deadline(t, w, turn);
    rfc3339_put(t, "server_time", c->hub->options.now_ms());
    game_over_put_commitment(t, lobby_watch_match(w));
    hub_mark_frame(c, MARK_PICTURE, lobby_watch_shown(w));
    hub_send(c, HUB_EVENT, NULL);
}

// --- one frame for all watchers

// F4.27: a client with this much unread data gets no more until it has read it; then it gets the current state. So a
// slow spectator costs no memory, and nobody waits for it.
bool hub_is_slow(const struct hub_conn *c)
{
    return c->ws && c->out.size + conn_waiting(ws_conn(c->ws)) > HUB_UNREAD;
}

static bool is_behind(struct hub_conn *c, const struct lobby_watch *w)
{
    uint32_t board = 0;
    while (board < HUB_BOARDS && c->watch[board] != w)
        board++;
    if (!(c->behind >> board & 1) && !hub_is_slow(c))
        return false;
    c->behind |= (uint16_t)(1u << board);
    return true;
}

void hub_catch_up(struct hub_conn *c)
{
    uint16_t behind = c->behind;
    if (!c->watch || c->out.size || conn_waiting(ws_conn(c->ws)))
        return;
    c->behind = 0;
    for (int i = 0; i < HUB_BOARDS; i++)
        if (behind >> i & 1 && c->watch[i])
            lobby_watch_again(c->hub->lobby, c->watch[i], c->hub->options.now_ms());
    feeds_catch_up(c);
}

// Whether the last formatted frame is this one; otherwise it must be formatted now. Types are compared by address: each
// caller has one array for its type.
static bool is_written(struct hub *h, const struct lobby_watch *w, const char *type, uint32_t number)
{
    struct hub_shown now = {.match = lobby_watch_id(w), .type = type, .number = number};
    if (h->shown_size && uuid_equals(h->shown.match, now.match) && h->shown.type == type && h->shown.number == number)
        return true;
    h->shown = now;
    h->shown_size = 0;
    return false;
}

static void end_frame(struct hub *h)
{
    json_end_object(&h->frame);
    json_end_object(&h->frame);
}

static void keep_frame(struct hub *h)
{
    struct span frame = text_span(&h->frame);
    if (h->frame.full || frame.size > HUB_SHOWN_FRAME)
        return;
    memcpy(h->shown_frame + WS_FRONT, frame.at, frame.size);
    h->shown_size = frame.size;
}

struct text *hub_write_event(struct hub *h, const struct lobby_watch *w, const struct match_event *e)
{
    struct codec_table table = dialect_table(lobby_watch_seats(w), GAME_SPECTATOR);
    struct text *t = hub_begin(h, "event");
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_begin_array_at(t, "events");
    dialect_write_event(kit_of(w), t, &table, e);
    json_end_array(t);
    end_frame(h);
    return t;
}

static void on_event(void *client, struct lobby_watch *w, const struct match_event *e)
{
    static const char type[] = "event";
    struct hub_conn *c = client;
    if (is_behind(c, w))
        return;
    if (!is_written(c->hub, w, type, e->seq)) {
        hub_write_event(c->hub, w, e);
        keep_frame(c->hub);
    }
    hub_mark_frame(c, MARK_EVENT, e->seq + 1);
    hub_send_shown(c);
}

static void write_turn(struct text *t, const struct lobby_watch *w, const struct lobby_aside *a)
{
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_put_uint(t, "seq", a->events);
    put_deadline(t, w, a);
}

// F2.7: a model's name or a player's own words could reveal who plays.
static bool is_identity(struct json_string key)
{
    static const char *const words[] = {"model", "note", "fallback_reason", NULL};
    return json_string_among(key, words) >= 0;
}

// Members of a note, except those that reveal the player.
static void put_part(struct text *t, struct json_string name, struct span part)
{
    struct json_reader r = json_reader_of(part, HUB_MAX_DEPTH);
    struct json_string key;
    char word[32];
    if (json_string_copy(name, word, sizeof word) < 0)
        return;
    json_begin_object_at(t, word);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (is_identity(key) || json_string_copy(key, word, sizeof word) < 0)
            continue;
        json_put_raw(t, word, value);
    }
    json_end_object(t);
}

// The note is an object that we wrote, with `usage`, `decision` or both. If seats are anonymous, what reveals the
// player is left out until the end; then the replay has it.
static void write_decision(struct text *t, const struct lobby_watch *w, const struct lobby_aside *a)
{
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_put_uint(t, "seq", a->seq);
    json_put_text(t, "player_id", dialect_pids[a->seat]);
    json_put_int(t, "latency_ms", a->latency_ms);
    if (!lobby_watch_is_open(w)) {
        struct json_reader r = json_reader_of(a->note, HUB_MAX_DEPTH);
        struct json_string key;
        for (json_enter_object(&r); json_next_key(&r, &key);)
            put_part(t, key, json_read_raw(&r));
        return;
    }
    text_put_char(t, ',');
    text_put(t, (struct span){a->note.at + 1, a->note.size - 2}); // its members unchanged
}

static void on_aside(void *client, struct lobby_watch *w, const struct lobby_aside *a, uint32_t number)
{
    static const char turn[] = "turn", decision[] = "decision";
    struct hub_conn *c = client;
    const char *type = a->kind == LOBBY_TURN ? turn : decision;
    if (is_behind(c, w))
        return;
    if (!is_written(c->hub, w, type, number)) {
        struct text *t = hub_begin(c->hub, type);
        (a->kind == LOBBY_TURN ? write_turn : write_decision)(t, w, a);
        end_frame(c->hub);
        keep_frame(c->hub);
    }
    hub_mark_frame(c, MARK_ASIDE, a->kind == LOBBY_TURN);
    hub_send_shown(c);
}

void hub_write_end(struct hub *h, const struct store_match *m, struct uuid id)
{
    char url[8 + UUID_TEXT + 1] = "/replay/";
    uuid_format(url + 8, m->replay);
    struct text *t = hub_begin(h, "spectate_end");
    uuid_put(t, "match_id", id);
    json_put_text(t, "replay_url", url);
    json_begin_object_at(t, "result");
    game_over_write_result(t, m);
    json_end_object(t);
    game_over_write_players(t, m, false);
}

static void on_end(void *client, struct lobby_watch *w)
{
    struct hub_conn *c = client;
    hub_write_end(c->hub, lobby_watch_match(w), lobby_watch_id(w));
    hub_mark_frame(c, MARK_END, 0);
    hub_send(c, --c->watching ? HUB_EVENT : HUB_LAST, NULL);
}

// A spectator continues through another node, or reconnects and gets the name of the node that has the match.
static void on_moved(void *client, struct lobby_watch *w)
{
    struct hub_conn *c = client;
    struct remote_watch_request request = {.live = lobby_watch_match(w)->live, .from = lobby_watch_place(w)};
    int kept = 0;
    for (int i = 0; i < HUB_BOARDS && c->watch[i]; i++)
        if (c->watch[i] != w)
            c->watch[kept++] = c->watch[i];
    if (kept < HUB_BOARDS)
        c->watch[kept] = NULL;
    c->watching--;
    if (c->feed)
        feeds_note_moved(c);
    else if (lobby_watch_is_alone(w) || !feeds_follow(c, &request))
        ws_end(c->ws, WS_RESTART, "");
}

static const struct lobby_watch_link watch_link = {
    .on_begin = on_begin, .on_event = on_event, .on_aside = on_aside, .on_end = on_end, .on_moved = on_moved};

bool hub_open_board(struct hub_conn *c, struct uuid live, struct lobby_agent *owner, uint32_t seq)
{
    struct lobby *l = c->hub->lobby;
    int board = 0;
    while (board < HUB_BOARDS && c->watch[board])
        board++;
    struct lobby_watch *w =
        board < HUB_BOARDS ? lobby_watch_open(l, live, owner, &watch_link, c, c->hub->options.now_ms()) : NULL;
    if (!w)
        return false;
    c->watch[board] = w;
    c->watching++;
    if (seq != UINT32_MAX)
        lobby_watch_continue(l, w, seq);
    return true;
}

// --- new connections

// A request to watch matches, some of which are played elsewhere.
// Lives until its reads are done; the client may leave meanwhile.
struct visit {
    struct hub *hub;
    struct http_request *r;
    struct lobby_agent *owner;
    int count;
    struct board {
        struct uuid live;
        struct store_hosted at; // its node; epoch 0: here, or nowhere
        bool own;               // an agent watches its own match
    } board[HUB_BOARDS];
};

// The matches named in `live`, separated by commas.
static void read_boards(struct visit *v)
{
    char names[HUB_BOARDS * (UUID_TEXT + 1)];
    if (!http_query(v->r, "live", names, sizeof names))
        return;
    for (const char *at = names; *at && v->count < HUB_BOARDS;) {
        size_t size = strcspn(at, ",");
        v->count += uuid_parse(&v->board[v->count].live, (struct span){at, size});
        at += size + (at[size] == ',');
    }
}

static void find_board(struct visit *v, struct board *b)
{
    struct store *s = lobby_store(v->hub->lobby);
    struct store_elsewhere *e = NULL;
    if (store_is_shared(s) && !lobby_has_live(v->hub->lobby, b->live))
        e = malloc(sizeof *e);
    if (e && store_find_live(s, b->live, e) && e->at.epoch != store_my_epoch(s)) {
        b->at = e->at;
        for (int i = 0; i < e->match.seats && v->owner; i++)
            b->own |= uuid_equals(e->match.seat[i].agent, lobby_agent_record(v->owner)->id);
    }
    free(e);
}

// Events that the client of a single match has seen; UINT32_MAX: none.
static uint32_t read_from(const struct visit *v)
{
    char from[16];
    if (v->count != 1 || !http_query(v->r, "from", from, sizeof from) || from[strspn(from, "0123456789")])
        return UINT32_MAX;
    return (uint32_t)strtoul(from, NULL, 10);
}

static bool open_board(struct hub_conn *c, const struct visit *v, const struct board *b, uint32_t from)
{
    struct remote_watch_request request = {.live = b->live, .host = b->at.epoch, .match = b->at.match, .from = from};
    if (hub_open_board(c, b->live, v->owner, from))
        return true;
    if (uuid_is_none(b->at.match))
        return false;
    if (b->own)
        request.owner = lobby_agent_record(v->owner)->id;
    return feeds_follow(c, &request);
}

// S48, without a bus: says where it can be watched.
static void refuse_visit(const struct visit *v)
{
    char why[STORE_NODE_NAME + STORE_ADDRESS + 64];
    const struct store_hosted *at = NULL;
    for (int i = 0; i < v->count && !at; i++)
        at = uuid_is_none(v->board[i].at.match) ? NULL : &v->board[i].at;
    if (!at) {
        hub_refuse(v->hub, v->r, 404, "no live match of this name");
        return;
    }
    snprintf(why, sizeof why, "this match is played at node %s; watch it at %s", at->node, at->address);
    hub_refuse(v->hub, v->r, 421, at->address[0] ? why : "this match is moving to another node; try again");
}

void hub_close_boards(struct hub_conn *c)
{
    for (int i = 0; c->watch && i < HUB_BOARDS && c->watch[i]; i++)
        lobby_watch_close(c->hub->lobby, c->watch[i]);
    free(c->watch);
    c->watch = NULL;
    feeds_leave(c);
}

static void open_visit(const struct visit *v)
{
    struct hub *h = v->hub;
    struct http_request *r = v->r;
    if (!hub_is_open_to(h, r))
        return;
    if (!http_is_origin_allowed(r, h->options.origins)) {
        hub_refuse(h, r, 403, "origin not allowed");
        return;
    }
    struct hub_conn *c = hub_add(h);
    if (c)
        c->watch = calloc(HUB_BOARDS, sizeof *c->watch);
    if (!c || !c->watch) {
        hub_refuse(h, r, 503, "no memory");
        if (c)
            hub_remove(c);
        return;
    }
    c->spectator = true;
    c->phase = HUB_OPEN;
    uint32_t from = read_from(v);
    for (int i = 0; i < v->count; i++)
        open_board(c, v, &v->board[i], from);
    if (!c->watching)
        refuse_visit(v);
    else
        c->ws = ws_accept(r, &hub_ws_handler, c, HUB_MAX_MESSAGE, NULL);
    if (c->ws) {
        hub_enter(c);
    } else {
        hub_close_boards(c);
        hub_remove(c);
    }
    loop_end_turn(h->options.loop);
}

static void prepare_visit(struct visit *v)
{
    char key[HUB_KEY];
    hub_copy_value(v->r, "X-API-Key", "api_key", key, sizeof key);
    v->owner = key[0] ? lobby_agent_by_key(v->hub->lobby, span_of(key)) : NULL;
    if (v->owner)
        lobby_agent_hold(v->owner); // reads may follow
    read_boards(v);
    for (int i = 0; i < v->count; i++)
        find_board(v, &v->board[i]);
}

static void end_visit(struct visit *v)
{
    if (v->owner)
        lobby_agent_release(v->owner);
    free(v);
}

static void run_visit(void *arg)
{
    struct visit *v = arg;
    prepare_visit(v);
    if (http_release(v->r))
        open_visit(v);
    end_visit(v);
}

void hub_spectator_request(struct hub *h, struct http_request *r)
{
    struct visit *v = calloc(1, sizeof *v);
    if (!v) {
        hub_refuse(h, r, 503, "no memory");
        return;
    }
    *v = (struct visit){.hub = h, .r = r};
    if (store_may_wait(lobby_store(h->lobby))) {
        http_retain(r);
        work_start(loop_work(h->options.loop), run_visit, v);
        return;
    }
    prepare_visit(v);
    open_visit(v);
    end_visit(v);
}
