// Spectators (F4.24): the public view of running matches, late. One connection may watch several.
#include "base/json_read.h"
#include "base/rfc3339.h"
#include "front/arena/hub_parts.h"
#include "front/arena/over.h"
#include "games/games.h"
#include "work/work.h"

#include <stdlib.h>

static const struct game_kit *kit_of(const struct lobby_watch *w)
{
    return games_find(lobby_watch_game(w)->codec->game->name);
}

static void put_names(struct text *t, const struct lobby_watch *w)
{
    json_key(t, "players");
    json_begin_array(t);
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
    json_key(t, "asked");
    json_begin_array(t);
    for (int i = 0; turn && i < lobby_watch_seats(w); i++)
        if (turn->asked & SEAT(i))
            json_write_text(t, dialect_pids[i]);
    json_end_array(t);
    if (turn && turn->asked) // as late as all that this client sees
        rfc3339_put(t, "deadline", turn->deadline_ms + lobby_watch_delay(w));
    else
        json_put_null(t, "deadline");
    json_key(t, "strikes");
    json_begin_array(t);
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
    uuid_put(t, "live", lobby_watch_match(w)->live); // what the client asked for
    json_put_text(t, "game", lobby_watch_game(w)->codec->game->name);
    json_put_text(t, "mode", lobby_watch_mode(w));
    put_names(t, w);
    json_key(t, "state");
    dialect_write_state(kit_of(w), t, &seen);
    json_put_uint(t, "seq", lobby_watch_shown(w)); // of the next event
    json_put_int(t, "delay_seconds", (delay_ms + 999) / 1000);
    put_deadline(t, w, turn);
    rfc3339_put(t, "server_time", c->hub->options.now_ms());
    over_put_commitment(t, lobby_watch_match(w));
    hub_send(c, HUB_EVENT, NULL);
}

// --- one frame for all who watch

// F4.27: whoever has this much unread is not told more until it has read: then it gets a picture of now. So a slow
// spectator costs no memory, and nobody waits for it.
static bool is_behind(struct hub_conn *c, const struct lobby_watch *w)
{
    uint32_t board = 0;
    while (board < HUB_BOARDS && c->watch[board] != w)
        board++;
    if (!(c->behind >> board & 1) && (!c->ws || c->out.size + conn_waiting(ws_conn(c->ws)) <= HUB_UNREAD))
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
}

// Whether the frame that was written last is this one; else it is to be written now.
static bool is_written(struct hub *h, const struct lobby_watch *w, const char *type, uint32_t number)
{
    struct hub_shown now = {.match = lobby_watch_id(w), .type = type, .number = number};
    if (h->shown_size && uuid_equals(h->shown.match, now.match) && h->shown.type == type && h->shown.number == number)
        return true;
    h->shown = now;
    h->shown_size = 0;
    return false;
}

static void keep_frame(struct hub *h)
{
    json_end_object(&h->frame);
    json_end_object(&h->frame);
    struct span frame = text_span(&h->frame);
    if (h->frame.full || frame.size > HUB_SHOWN_FRAME)
        return;
    memcpy(h->shown_frame + WS_FRONT, frame.at, frame.size);
    h->shown_size = frame.size;
}

static void on_event(void *client, struct lobby_watch *w, const struct match_event *e)
{
    static const char type[] = "event";
    struct hub_conn *c = client;
    struct codec_table table = dialect_table(lobby_watch_seats(w), GAME_SPECTATOR);
    if (is_behind(c, w))
        return;
    if (!is_written(c->hub, w, type, e->seq)) {
        struct text *t = hub_begin(c->hub, type);
        uuid_put(t, "match_id", lobby_watch_id(w));
        json_key(t, "events");
        json_begin_array(t);
        dialect_write_event(kit_of(w), t, &table, e);
        json_end_array(t);
        keep_frame(c->hub);
    }
    hub_show(c);
}

static void write_turn(struct text *t, const struct lobby_watch *w, const struct lobby_aside *a)
{
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_put_uint(t, "seq", a->events);
    put_deadline(t, w, a);
}

// F2.7: a model's name and a player's own words could tell who sits there.
static bool tells_who(struct json_string key)
{
    static const char *const words[] = {"model", "note", "fallback_reason", NULL};
    return json_string_among(key, words) >= 0;
}

// The members of a report but those that tell who reported.
static void put_part(struct text *t, struct json_string name, struct span part)
{
    struct json_reader r = json_reader_of(part, HUB_MAX_DEPTH);
    struct json_string key;
    char word[32];
    if (json_string_copy(name, word, sizeof word) < 0)
        return;
    json_key(t, word);
    json_begin_object(t);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (tells_who(key) || json_string_copy(key, word, sizeof word) < 0)
            continue;
        json_key(t, word);
        json_write_raw(t, value);
    }
    json_end_object(t);
}

static void put_anonymous(struct text *t, struct span note)
{
    struct json_reader r = json_reader_of(note, HUB_MAX_DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        put_part(t, key, json_read_raw(&r));
}

// The note is an object of ours, with `usage`, `decision` or both. Where seats have no names, what tells who reported
// is left out until the end: then the replay has it.
static void write_decision(struct text *t, const struct lobby_watch *w, const struct lobby_aside *a)
{
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_put_uint(t, "seq", a->seq);
    json_put_text(t, "player_id", dialect_pids[a->seat]);
    json_put_int(t, "latency_ms", a->latency_ms);
    if (!lobby_watch_is_open(w)) {
        put_anonymous(t, a->note);
        return;
    }
    text_put_char(t, ',');
    text_put(t, (struct span){a->note.at + 1, a->note.size - 2}); // its members as they are
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
        keep_frame(c->hub);
    }
    hub_show(c);
}

static void on_end(void *client, struct lobby_watch *w)
{
    struct hub_conn *c = client;
    char url[8 + UUID_TEXT + 1] = "/replay/";
    uuid_format(url + 8, lobby_watch_replay(w));
    struct text *t = hub_begin(c->hub, "spectate_end");
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_put_text(t, "replay_url", url);
    json_key(t, "result");
    json_begin_object(t);
    over_write_result(t, lobby_watch_match(w));
    json_end_object(t);
    over_write_players(t, lobby_watch_match(w), false);
    hub_send(c, --c->watching ? HUB_EVENT : HUB_LAST, NULL);
}

// Whoever watches comes again, and finds the node that has it.
static void on_moved(void *client, struct lobby_watch *w)
{
    struct hub_conn *c = client;
    int kept = 0;
    for (int i = 0; i < HUB_BOARDS && c->watch[i]; i++)
        if (c->watch[i] != w)
            c->watch[kept++] = c->watch[i];
    if (kept < HUB_BOARDS)
        c->watch[kept] = NULL;
    ws_end(c->ws, WS_RESTART, "");
}

static const struct lobby_watch_link watch_link = {
    .on_begin = on_begin, .on_event = on_event, .on_aside = on_aside, .on_end = on_end, .on_moved = on_moved};

// How many of the matches that `live` names, with commas between them, are running. `from` says what the client of a
// single one has seen.
static int open_boards(struct hub_conn *c, const struct http_request *r, struct lobby_agent *owner)
{
    struct hub *h = c->hub;
    char names[HUB_BOARDS * (UUID_TEXT + 1)], from[16];
    struct uuid live;
    if (!http_query(r, "live", names, sizeof names))
        return 0;
    for (const char *at = names; *at && c->watching < HUB_BOARDS;) {
        size_t size = strcspn(at, ",");
        struct lobby_watch *w = uuid_parse(&live, (struct span){at, size})
                                    ? lobby_watch_open(h->lobby, live, owner, &watch_link, c, h->options.now_ms())
                                    : NULL;
        if (w)
            c->watch[c->watching++] = w;
        at += size + (at[size] == ',');
    }
    if (c->watching == 1 && http_query(r, "from", from, sizeof from) && from[strspn(from, "0123456789")] == 0)
        lobby_watch_continue(h->lobby, c->watch[0], (uint32_t)strtoul(from, NULL, 10));
    return c->watching;
}

void hub_close_boards(struct hub_conn *c)
{
    for (int i = 0; c->watch && i < HUB_BOARDS && c->watch[i]; i++)
        lobby_watch_close(c->hub->lobby, c->watch[i]);
    free(c->watch);
    c->watch = NULL;
}

static struct lobby_agent *find_owner(struct hub *h, const struct http_request *r)
{
    char key[HUB_KEY];
    hub_copy_value(r, "X-API-Key", "api_key", key, sizeof key);
    return key[0] ? lobby_agent_by_key(h->lobby, span_of(key)) : NULL;
}

static void show(struct hub *h, struct http_request *r, struct lobby_agent *owner)
{
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
    if (!open_boards(c, r, owner))
        hub_refuse(h, r, 404, "no live match of this name");
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

struct visit {
    struct hub *hub;
    struct http_request *r;
};

static void run_visit(void *arg)
{
    struct visit *v = arg;
    struct lobby_agent *owner = find_owner(v->hub, v->r);
    if (http_let_go(v->r))
        show(v->hub, v->r, owner);
    free(v);
}

void hub_spectator_request(struct hub *h, struct http_request *r)
{
    struct visit *later = store_may_wait(lobby_store(h->lobby)) ? malloc(sizeof *later) : NULL;
    if (!later) {
        show(h, r, find_owner(h, r));
        return;
    }
    *later = (struct visit){h, r};
    http_keep(r);
    work_start(loop_work(h->options.loop), run_visit, later);
}
