// Spectators (F4.24): the public view of running matches, late. One connection may watch several.
#include "base/rfc3339.h"
#include "front/arena/hub_parts.h"
#include "front/arena/over.h"
#include "games/games.h"

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

static void on_begin(void *client, struct lobby_watch *w, const union game_view *view, int64_t delay_ms)
{
    struct hub_conn *c = client;
    struct arena_observation seen = {.table = dialect_table(lobby_watch_seats(w), GAME_SPECTATOR), .view = view};
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
    rfc3339_put(t, "server_time", c->hub->options.now_ms());
    over_put_commitment(t, lobby_watch_match(w));
    hub_send(c, HUB_EVENT, NULL);
}

static void on_event(void *client, struct lobby_watch *w, const struct match_event *e)
{
    struct hub_conn *c = client;
    struct codec_table table = dialect_table(lobby_watch_seats(w), GAME_SPECTATOR);
    struct text *t = hub_begin(c->hub, "event");
    uuid_put(t, "match_id", lobby_watch_id(w));
    json_key(t, "events");
    json_begin_array(t);
    dialect_write_event(kit_of(w), t, &table, e);
    json_end_array(t);
    hub_send(c, HUB_EVENT, NULL);
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

static const struct lobby_watch_link watch_link = {.on_begin = on_begin, .on_event = on_event, .on_end = on_end};

// How many of the matches that `live` names, with commas between them, are running. `from` says what the client of a
// single one has seen.
static int open_boards(struct hub_conn *c, const struct http_request *r)
{
    struct hub *h = c->hub;
    char names[HUB_BOARDS * (UUID_TEXT + 1)], key[HUB_KEY], from[16];
    struct uuid live;
    if (!http_query(r, "live", names, sizeof names))
        return 0;
    hub_copy_value(r, "X-API-Key", "api_key", key, sizeof key);
    struct lobby_agent *owner = key[0] ? lobby_agent_by_key(h->lobby, span_of(key)) : NULL;
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

void hub_spectator_request(struct hub *h, struct http_request *r)
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
    if (!open_boards(c, r))
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
